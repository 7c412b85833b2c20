"""The same hands over pseudo-terminals, threads and the wall clock; several games side by side."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

from engine.pdn import PdnGame
from engine.rules import rules_for
from engine.ruleset import variant_names
from firmware_bridge.simulator import PRESETS as NOISE
from firmware_bridge.simulator import SimulatedBoard, device_for
from firmware_bridge.simulator.pty_port import PtyPort
from station import announcements as say
from station.config import BoardTable, Config, StationTable
from station.runtime.loop import Outcome
from station.runtime.service import Service
from station.runtime.simulate import MISSED_MS, GameReport, Setup, Witness
from station.simulation.hands import PRESETS as HANDS
from station.simulation.hands import Touch, performances

READY_S = 20.0
"""A board that is not ready to play after this time never will be."""


class Observer:
    """Lets the witness of each board hear what is announced there."""

    def __init__(self, witnesses: dict[str, Witness]) -> None:
        self.witnesses = witnesses
        self.ready = {board: threading.Event() for board in witnesses}

    def hear(self, outcome: Outcome) -> None:
        """Pass announcements on."""
        witness = self.witnesses[outcome.board]
        witness.hear(outcome.effects, outcome.session.game.moves, outcome.event.at_ms)
        if outcome.session.started:
            self.ready[outcome.board].set()


def play_side_by_side(games: Sequence[PdnGame], setup: Setup, seed: int, folder: Path) -> list[GameReport]:
    """Let hands play games at the same time, each on a board of its own, in real time."""
    witnesses = {f"game-{number:04d}": Witness(game.moves) for number, game in enumerate(games, 1)}
    observer = Observer(witnesses)
    with ExitStack() as stack, tempfile.TemporaryDirectory(prefix="dambord-") as ports:
        tables, devices = [], {}
        for number, (board, game) in enumerate(zip(witnesses, games, strict=True), 1):
            port = stack.enter_context(PtyPort(_device(game, setup, seed * 100_003 + number), Path(ports) / board))
            devices[board] = port
            tables.append(_table(board, port, game, setup))
        service = Service(Config(StationTable(data=str(folder)), boards=tuple(tables)), watchers=[observer], page=False)
        service.start()
        stack.callback(service.stop)
        threads = [
            threading.Thread(target=Hands(service, observer, devices[board], board, game, setup).play, args=(chance,))
            for board, game, chance in zip(witnesses, games, _chances(seed), strict=False)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return [witness.report() for witness in witnesses.values()]


def _device(game: PdnGame, setup: Setup, seed: int) -> SimulatedBoard:
    ruleset = game.ruleset
    board = device_for(
        setup.driver, ruleset.columns, ruleset.rows, seed=seed, faults=NOISE[setup.noise], colour=setup.colour
    )
    for square, piece in enumerate(game.start.contents):
        board.put(ruleset.geometry.cells[square], piece, 0)
    return board


def _table(board: str, port: PtyPort, game: PdnGame, setup: Setup) -> BoardTable:
    start = rules_for(game.ruleset).start()
    return BoardTable(
        id=board,
        driver=setup.driver,
        port=str(port.path),
        variant=game.ruleset.name,
        pace="blitz" if setup.hands == "blitz" else "calm",
        draws="claim",
        house_rules=() if game.ruleset.name in variant_names() else (game.ruleset,),
        start_fen="" if game.start.diagram == start.diagram else say.fen_of(game.start, game.ruleset),
    )


def _chances(seed: int) -> Iterator[Random]:
    return (Random(seed * 100_003 + number) for number in itertools.count(1))


@dataclass(frozen=True, slots=True)
class Hands:
    """Two people at one board."""

    service: Service
    observer: Observer
    port: PtyPort
    board: str
    game: PdnGame
    setup: Setup

    def play(self, chance: Random) -> None:
        """Play the game once the board is ready, each contact at its time."""
        if not self.observer.ready[self.board].wait(READY_S):
            return
        clock, habits = self.service.clock, HANDS[self.setup.hands]
        waiting = threading.Event()
        rules = rules_for(self.game.ruleset)
        begins = clock.now_ms() + habits.thinking.draw(chance)
        for performance in performances(self.game.start, self.game.moves, rules, habits, chance, begins):
            self.observer.witnesses[self.board].performed.append(performance)
            for touch in performance.touches:
                waiting.wait(max(0, touch.at_ms - clock.now_ms()) / 1000)
                self._touch(touch)
        waiting.wait((MISSED_MS + 1000) / 1000)

    def _touch(self, touch: Touch) -> None:
        cell = self.game.ruleset.geometry.cells[touch.square]
        if touch.kind == "take":
            self.port.take(cell)
        else:
            self.port.put(cell, touch.piece)
