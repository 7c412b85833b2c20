"""Players that are not at the board: one process each that speaks Hub; a crash cannot stop the station."""

from __future__ import annotations

import queue
import shlex
import threading
from contextlib import suppress
from dataclasses import replace

from engine import hub
from engine.game import Game
from engine.levels import STRONGEST
from engine.position import Move
from engine.ruleset import Ruleset
from station.effects import Choose, Clock, StopChoosing
from station.events import PlayerChose, PlayerFailed
from station.runtime.endings import TableMaker
from station.runtime.hub_process import ANSWER_S, HubProcess, PlayerError, own_command
from station.runtime.loop import Loop, Outcome

__all__ = ["ANSWER_S", "Engine", "PlayerError", "PlayerWorker"]

RESTART_S = 1.0
"""How long a player that failed is left alone: twice as long each time, up to a limit."""
LONGEST_RESTART_S = 8.0
MOVE_TIME_MS = 1000
"""What a foreign engine is given for a move."""
MOST_ENGINES = 2
"""A game has no more players; the one that was asked longest ago ends when another is needed."""
PING_S = 10.0
"""The station's own engine is pinged after so long a silence, and started anew when it stays silent for as long."""
VARIETY = 8
"""How many hundredths of a man the strongest level may give away in the opening, to play another game each time."""


class Engine(HubProcess):
    """The process of a player `engine:LEVEL` or `hub:COMMAND`, one question at a time; `begin` before the first."""

    def __init__(
        self, player: str, ruleset: Ruleset, endings: TableMaker | None = None, is_unhurried: bool = False
    ) -> None:
        kind, _, rest = player.partition(":")
        self._own, self._level, self._endings = kind == "engine", rest, endings
        self._is_unhurried = is_unhurried
        self._ply = 0
        self._expected: Move | None = None
        self._left: Clock | None = None
        """What is left for the moves after the one just chosen, where there is a clock."""
        self._was_timed = False
        """Whether the last question had a clock, which an engine keeps to until it is told otherwise."""
        try:
            super().__init__(own_command() if self._own else shlex.split(rest), ruleset)
        except (PlayerError, ValueError) as error:
            raise PlayerError(f"{player}: {error}") from error
        self.ping_s = PING_S if self._own else None

    def begin(self) -> None:
        """Tell the engine what is played; PlayerError when it does not answer as an engine does."""
        settings = {"level": self._level, "variety": str(VARIETY)} if self._own else {}
        # Levels that play like people also take their time like people; the strongest is a machine.
        if self._own and self._is_unhurried and self._level != str(STRONGEST):
            settings["pace"] = "person"
        # Weaker levels play endings as they play.
        if self._own and self._level == str(STRONGEST) and self._endings is not None:
            self._endings.want(self._ruleset)
            settings["endings"] = str(self._endings.folder)
        self.set_up(settings)

    def choose(self, game: Game, clock: Clock | None = None) -> tuple[Move, int | None]:
        """The move an engine makes here, and what it thinks of its side (hundredths of a man; None: it tells nothing).

        PlayerError when it makes none that is legal.
        """
        if game.ply < 2 and game.ply <= self._ply:
            self.forget_pondering()
            self.new_game()
        self._ply = game.ply
        answer = self.ask(game, self._limit(clock))
        self._expected, self._left = answer.expected, _after(clock, answer.took_ms)
        score = None if answer.info is None else answer.info.score
        return answer.move, None if score is None else round(100 * score)

    def think_on(self, game: Game) -> None:
        """Think about the reply expected to the move just chosen, on the time of whoever has to make it.

        Only the strongest level of our own: weaker ones play alike however long their opponents think, and what a
        foreign program does with all the time it gets is not known. Without a clock it ends by itself after as many
        positions as a move is given.
        """
        expected, self._expected = self._expected, None
        if expected is not None and self._own and self._level == str(STRONGEST):
            self.ponder(game.play(expected), self._limit(self._left))

    def _limit(self, clock: Clock | None) -> hub.Level | None:
        """The clock where there is one; else a foreign engine has its time a move, our own level its own measure."""
        if clock is not None:
            self._was_timed = True
            return hub.Level(time_ms=clock.left_ms, increment_ms=clock.increment_ms)
        if not self._own:
            return hub.Level(move_time_ms=MOVE_TIME_MS)
        timed, self._was_timed = self._was_timed, False
        return hub.Level() if timed else None


def _after(clock: Clock | None, took_ms: float) -> Clock | None:
    """A clock after a move that took so long."""
    return (
        None if clock is None else replace(clock, left_ms=max(0, clock.left_ms - round(took_ms)) + clock.increment_ms)
    )


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
            self._engines[key] = Engine(*key, self._endings, self._is_unhurried)
            self._engines[key].begin()
        return self._engines[key]

    def _drop(self, choose: Choose) -> None:
        engine = self._engines.pop((choose.player, choose.game.ruleset), None)
        if engine is not None:
            engine.close()
