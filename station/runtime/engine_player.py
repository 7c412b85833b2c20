"""An engine as a player: a process that speaks Hub, at its level and in its time."""

from __future__ import annotations

import shlex

from msgspec.structs import replace

from engine import hub
from engine.game import Game
from engine.levels import STRONGEST
from engine.position import Move
from engine.ruleset import Ruleset
from station.effects import Clock
from station.runtime.hub_process import HubProcess, own_command
from station.runtime.player_errors import PlayerError
from station.runtime.table_maker import TableMaker

MOVE_TIME_MS = 1000
"""What a foreign engine is given for a move."""
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
