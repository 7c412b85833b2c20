"""The same hands over pseudo-terminals, threads and the wall clock; several games side by side."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random

from engine.position import Side
from engine.rules import rules_for
from engine.ruleset import variant_names
from firmware_bridge.simulator.firmwares import FIRMWARES
from firmware_bridge.simulator.program_port import ProgramPort
from firmware_bridge.simulator.pty_port import PtyPort
from station import announcements as say
from station.config import BoardTable, Config, StationTable
from station.effects import Announce
from station.runtime.loop import Outcome
from station.runtime.made_games import Game
from station.runtime.service import Service
from station.runtime.simulate import Setup, board_with, perform
from station.runtime.witness import GameReport, Witness
from station.simulation.hands import PRESETS as HANDS
from station.simulation.hands import Touch

READY_S = 60.0
"""A board that is not ready to play after this time never will be."""


class Observer:
    """Lets the witness of each board hear what is announced there, at the time of the hands at that board."""

    def __init__(self, witnesses: dict[str, Witness], ports: Mapping[str, PtyPort | ProgramPort]) -> None:
        self.witnesses, self._ports = witnesses, ports
        self.ready = {board: threading.Event() for board in witnesses}

    def hear(self, outcome: Outcome) -> None:
        """Pass announcements on."""
        witness = self.witnesses[outcome.board]
        port, at_ms = self._ports[outcome.board], outcome.event.at_ms
        if isinstance(port, ProgramPort) and any(isinstance(effect, Announce) for effect in outcome.effects):
            at_ms = port.now_ms()
        witness.hear(outcome.effects, outcome.session, at_ms)
        if outcome.session.started:
            self.ready[outcome.board].set()


def play_side_by_side(games: Sequence[Game], setup: Setup, seed: int, folder: Path) -> list[GameReport]:
    """Let hands play games at the same time, each on a board of its own, in real time."""
    witnesses = {f"game-{number:04d}": Witness(game.moves) for number, game in enumerate(games, 1)}
    devices: dict[str, PtyPort | ProgramPort] = {}
    observer = Observer(witnesses, devices)
    with ExitStack() as stack, tempfile.TemporaryDirectory(prefix="dambord-") as ports:
        tables = []
        for number, (board, game) in enumerate(zip(witnesses, games, strict=True), 1):
            port = _port(game, setup, seed * 100_003 + number, Path(ports) / board)
            stack.callback(port.close)
            devices[board] = port
            tables.append(_table(board, port, game, setup))
        service = Service(Config(StationTable(data=str(folder)), boards=tuple(tables)), watchers=[observer], page=False)
        service.start()
        stack.callback(service.stop)
        threads = [
            threading.Thread(target=Hands(service, observer, devices[board], board, game).play, args=(setup, chance))
            for board, game, chance in zip(witnesses, games, _chances(seed), strict=False)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return [witness.report() for witness in witnesses.values()]


def _port(game: Game, setup: Setup, seed: int, path: Path) -> PtyPort | ProgramPort:
    """A board on which the game's position stands: a simulated one, or a firmware that runs as a program."""
    ruleset = game.ruleset
    if setup.driver not in FIRMWARES:
        return PtyPort(board_with(game.start, ruleset, setup, seed), path)
    program = ProgramPort(FIRMWARES[setup.driver].command(ruleset.columns, ruleset.rows, setup.colour), path)
    for square, piece in enumerate(game.start.contents):
        program.put(ruleset.geometry.cells[square], piece)
    return program


def _table(board: str, port: PtyPort | ProgramPort, game: Game, setup: Setup) -> BoardTable:
    start = rules_for(game.ruleset).start()
    return BoardTable(
        id=board,
        driver="matrix" if setup.driver in FIRMWARES else setup.driver,
        port=str(port.path),
        variant=game.ruleset.name,
        pace="blitz" if setup.hands == "blitz" else "calm",
        draws="claim",
        house_rules=() if game.ruleset.name in variant_names() else (game.ruleset,),
        start_fen="" if game.start.diagram == start.diagram else say.fen_of(game.start, game.ruleset),
    )


def _chances(seed: int) -> Iterator[Random]:
    return (Random(seed * 100_003 + number) for number in itertools.count(1))


class Hands:
    """Two people at one board: a stage on which everything takes its time."""

    def __init__(
        self, service: Service, observer: Observer, port: PtyPort | ProgramPort, board: str, game: Game
    ) -> None:
        self.witness = observer.witnesses[board]
        self._clock = port if isinstance(port, ProgramPort) else service.clock
        self._port, self._game = port, game
        self._ready = observer.ready[board]
        self._waiting = threading.Event()

    @property
    def now_ms(self) -> int:
        """Milliseconds since the station started, or by the clock of a board that keeps its own."""
        return self._clock.now_ms()

    def play(self, setup: Setup, chance: Random) -> None:
        """Play the game once the board is ready, each contact at its time."""
        if self._ready.wait(READY_S):
            game = self._game
            perform(self, game.start, game.moves, game.ruleset, HANDS[setup.hands], chance)

    def coming(self, touches: Sequence[Touch], side: Side) -> None:
        """No board here sees hands coming."""

    def touch(self, touch: Touch) -> None:
        """A hand takes a piece off a square or puts one on it, when its time comes."""
        self.advance(touch.at_ms)
        cell = self._game.ruleset.geometry.cells[touch.square]
        if touch.kind == "take":
            self._port.take(cell)
        else:
            self._port.put(cell, touch.piece)

    def advance(self, until_ms: int) -> None:
        """Wait until then."""
        while (left_ms := until_ms - self.now_ms) > 0:
            self._waiting.wait(left_ms / 1000)

    def until_shown(self) -> int:
        """Nothing is shown where two people play."""
        return self.now_ms
