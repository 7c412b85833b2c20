"""Players that are not at the board: one process each that speaks Hub; a crash cannot stop the station."""

from __future__ import annotations

import queue
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from engine.position import Move
from engine.ruleset import Ruleset
from station.effects import Choose, StopChoosing
from station.events import PlayerChose, PlayerFailed
from station.runtime.loop import Loop, Outcome
from station.runtime.player_errors import PlayerError
from station.runtime.table_maker import TableMaker

if TYPE_CHECKING:
    from station.runtime.engine_player import Engine

RESTART_S = 1.0
"""How long a player that failed is left alone: twice as long each time, up to a limit."""
LONGEST_RESTART_S = 8.0
MOST_ENGINES = 2
"""A game has no more players; the one that was asked longest ago ends when another is needed."""


class PlayerWorker:
    """One thread for the players of one board; keeps an engine running for each."""

    def __init__(self, board: str, loop: Loop, endings: TableMaker, is_unhurried: bool = False) -> None:
        self._board, self._loop, self._endings, self._is_unhurried = board, loop, endings, is_unhurried
        self._inbox: queue.SimpleQueue[Choose | None] = queue.SimpleQueue()
        self._engines: dict[tuple[str, Ruleset], Engine] = {}
        self._thinking: Engine | None = None
        self._rest_s: dict[str, float] = {}
        """How long to leave each player alone that has failed."""
        self._stopped = threading.Event()
        self._wanted = 0
        self._thread = threading.Thread(target=self._run, name=f"players {board}", daemon=True)

    def start(self) -> None:
        """Begin to wait for questions."""
        self._thread.start()

    def stop(self) -> None:
        """End the engines."""
        self._stopped.set()
        self._inbox.put(None)
        for engine in list(self._engines.values()):
            engine.close()
        self._thread.join(timeout=3)

    def hear(self, outcome: Outcome) -> None:
        """Take this board's questions, and which is no longer wanted."""
        if outcome.board != self._board:
            return
        for effect in outcome.effects:
            if isinstance(effect, Choose):
                self._wanted = effect.request
                self._inbox.put(effect)
            elif isinstance(effect, StopChoosing) and self._wanted == effect.request:
                self._wanted = 0
                self._interrupt()

    def _interrupt(self) -> None:
        """An engine that thinks in vain answers at once, and the answer is left aside by its number."""
        engine = self._thinking
        if engine is not None:
            with suppress(PlayerError):
                engine.stop()

    def _run(self) -> None:
        while (choose := self._inbox.get()) is not None:
            if choose.request == self._wanted:
                self._answer(choose)
        for engine in self._engines.values():
            engine.close()

    def _answer(self, choose: Choose) -> None:
        rest_s = self._rest_s.get(choose.player, 0.0)
        if rest_s and (self._stopped.wait(rest_s) or choose.request != self._wanted):
            return
        try:
            move, score = self._chosen(choose)
        except Exception as error:
            self._drop(choose)
            self._rest_s[choose.player] = min(LONGEST_RESTART_S, max(RESTART_S, 2 * rest_s))
            self._loop.post(self._board, PlayerFailed(self._loop.clock.now_ms(), choose.request, str(error)))
            return
        self._rest_s.pop(choose.player, None)
        self._loop.post(self._board, PlayerChose(self._loop.clock.now_ms(), choose.request, move, score))
        try:
            self._engine(choose).think_on(choose.game.play(move))
        except PlayerError:
            self._drop(choose)  # it is started anew when it is asked again

    def _chosen(self, choose: Choose) -> tuple[Move, int | None]:
        engine = self._engine(choose)
        self._thinking = engine
        try:
            return engine.choose(choose.game, choose.clock)
        finally:
            self._thinking = None

    def _engine(self, choose: Choose) -> Engine:
        key = (choose.player, choose.game.ruleset)
        if key in self._engines:
            self._engines[key] = self._engines.pop(key)  # the last used is the last
        else:
            while len(self._engines) >= MOST_ENGINES:
                self._engines.pop(next(iter(self._engines))).close()
            from station.runtime.engine_player import Engine  # loaded when the first is to play

            self._engines[key] = Engine(*key, self._endings, self._is_unhurried)
            self._engines[key].begin()
        return self._engines[key]

    def _drop(self, choose: Choose) -> None:
        engine = self._engines.pop((choose.player, choose.game.ruleset), None)
        if engine is not None:
            engine.close()
