"""What the engine thinks of the positions at boards that show it: one process for all of them, newest position first.

Nothing of it goes into a game: it is shown, and no decision depends on it.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine import hub
from engine.game import Game
from engine.levels import STRONGEST
from engine.position import Side
from engine.ruleset import Ruleset
from station.phases import Over
from station.runtime.hub_process import HubProcess, own_command
from station.runtime.loop import Outcome
from station.runtime.player_errors import PlayerError
from station.solving import problem_of
from station.state import Session

TOPIC = "evaluation"
THINK_MS = 400
"""How long a position is looked at: the bar moves a moment after the piece."""
REST_S = 10.0
"""How long the engine is left alone after it failed."""

Publish = Callable[[str, Mapping[str, Any], str], None]
"""Takes a board, plain data and their topic."""


class Appraiser:
    """Tells who is ahead at some boards: by how many `men` White is, as far as a short search sees.

    None where nothing is to be told.
    """

    def __init__(self, boards: Sequence[str], publish: Publish) -> None:
        self._boards, self._publish = frozenset(boards), publish
        self._shown: dict[str, Game | None] = {}
        self._waiting: dict[str, Game] = {}
        self._engine: HubProcess | None = None
        self._ruleset: Ruleset | None = None
        self._is_ending = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="evaluation", daemon=True)

    def start(self) -> None:
        """Begin to look at positions."""
        self._thread.start()

    def stop(self) -> None:
        """End the engine; a search that is under way is given up."""
        with self._changed:
            self._is_ending = True
            self._changed.notify()
        if self._engine is not None:
            self._engine.close()
        if self._thread.ident is not None:
            self._thread.join(timeout=3)

    def hear(self, outcome: Outcome) -> None:
        """Take a position that is new; one that has been played on from is looked at no more."""
        if outcome.board not in self._boards:
            return
        game = _to_be_judged(outcome.session)
        with self._changed:
            if outcome.board in self._shown and self._shown[outcome.board] is game:
                return
            self._shown[outcome.board] = game
            self._waiting.pop(outcome.board, None)
            if game is not None:
                self._waiting[outcome.board] = game
                self._changed.notify()
        if game is None:
            self._publish(outcome.board, {"men": None}, TOPIC)

    def _run(self) -> None:
        while (found := self._next()) is not None:
            board, game = found
            try:
                men = self._men(game)
            except PlayerError as error:
                self._failed(error)
                continue
            if men is not None and self._shown[board] is game:
                self._publish(board, {"men": men}, TOPIC)

    def _next(self) -> tuple[str, Game] | None:
        with self._changed:
            while not self._is_ending and not self._waiting:
                self._changed.wait()
            return None if self._is_ending else self._waiting.popitem()

    def _men(self, game: Game) -> float | None:
        """White's advantage in men; None where the engine has nothing to say, as where one move is legal."""
        if self._engine is None or self._ruleset != game.ruleset:
            self._close()
            self._engine, self._ruleset = HubProcess(own_command(), game.ruleset), game.ruleset
            self._engine.set_up({"level": str(STRONGEST)})
        answer = self._engine.ask(game, hub.Level(move_time_ms=THINK_MS))
        if answer.info is None or answer.info.score is None:
            return None
        return answer.info.score if game.position.turn is Side.WHITE else -answer.info.score

    def _failed(self, error: PlayerError) -> None:
        self._close()
        with self._changed:
            if not self._is_ending:
                print(f"dambord: no evaluation for {REST_S:g} s: {error}", file=sys.stderr)
                end = time.monotonic() + REST_S
                while not self._is_ending and (left := end - time.monotonic()) > 0:
                    self._changed.wait(left)

    def _close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None


def _to_be_judged(session: Session) -> Game | None:
    """The game as it stands; None where it is over, and in a problem, which is for those at the board to solve."""
    is_over = isinstance(session.phase, Over) or not session.game.legal_moves
    return None if is_over or problem_of(session) is not None else session.game
