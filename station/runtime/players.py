"""Players that are not at the board: one process each that speaks Hub; a crash cannot stop the station."""

from __future__ import annotations

import os
import queue
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine import hub
from engine.errors import AmbiguousMoveError, HubError, IllegalMoveError
from engine.game import Game
from engine.position import MEN, Move
from engine.ruleset import Ruleset, load_ruleset, variant_names, write_ruleset
from station.effects import Choose, StopChoosing
from station.events import PlayerChose, PlayerFailed
from station.runtime.loop import Loop, Outcome

ANSWER_S = 120.0
"""A player that is silent for so long is started anew."""
RESTART_S = 1.0
"""How long a player that failed is left alone: twice as long each time, up to a limit."""
LONGEST_RESTART_S = 8.0
MOST_LINE_BYTES = 1 << 20
RULES_FILE = "rules-file"
"""The parameter by which an engine is told rules that are not built in."""
MOVE_TIME_MS = 1000
"""What a foreign engine is given for a move."""


class PlayerError(RuntimeError):
    """An engine's process cannot be started, has ended, or answers nonsense."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a player, as its board's worker keeps it."""

    board: str
    choose: Choose


class Engine:
    """An engine's process, one question at a time; `begin` before the first."""

    def __init__(self, player: str, ruleset: Ruleset) -> None:
        kind, _, self._level = player.partition(":")
        self._own, self._ruleset = kind == "engine", ruleset
        self._offered: set[str] = set()
        self.answer_s = ANSWER_S
        self._replies: queue.SimpleQueue[hub.Message | None] = queue.SimpleQueue()
        try:
            command = [sys.executable, "-m", "engine.serve"] if self._own else shlex.split(self._level)
            # A session of its own: what the command starts ends with it.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise PlayerError(f"{player}: cannot be started: {error}") from error
        threading.Thread(target=self._listen, name="engine replies", daemon=True).start()

    def begin(self) -> None:
        """Tell the engine what is played; PlayerError when it does not answer as an engine does.

        Rules that are not built in are told by a file, which an engine reads before it says that it is ready.
        """
        self._send(hub.Hub())
        self._await(hub.Wait)
        if is_built_in(self._ruleset):
            self._set_up(hub.SetParam("variant", self._ruleset.name))
            return
        if RULES_FILE not in self._offered:
            raise PlayerError(f"the engine has no parameter {RULES_FILE}, it cannot play {self._ruleset.name}")
        with tempfile.TemporaryDirectory(prefix="dambord-rules-") as folder:
            file = Path(folder) / f"{self._ruleset.name}.toml"
            file.write_text(write_ruleset(self._ruleset), encoding="utf-8")
            self._set_up(hub.SetParam(RULES_FILE, str(file)))

    def _set_up(self, rules: hub.SetParam) -> None:
        self._send(rules)
        if self._own:
            self._send(hub.SetParam("level", self._level))
        self._send(hub.Init())
        self._await(hub.Ready)

    def choose(self, game: Game) -> Move:
        """The move an engine makes here; PlayerError when it makes none that is legal."""
        start, moves = _since_irreversible(game)
        self._forget_replies()
        self._send(hub.SetPosition(hub.position_text(game.positions[start]), moves))
        if not self._own:
            self._send(hub.Level(move_time_ms=MOVE_TIME_MS))
        self._send(hub.Go())
        done = self._await(hub.Done)
        assert isinstance(done, hub.Done)
        try:
            return hub.read_hub_move(done.move, game.legal_moves)
        except (HubError, IllegalMoveError, AmbiguousMoveError) as error:
            raise PlayerError(f"the engine answered {done.move!r}: {error}") from error

    def stop(self) -> None:
        """End a search that is under way; it still answers."""
        self._send(hub.Stop())

    def close(self) -> None:
        """End the process; whoever waits for its answer gets a PlayerError. Closing twice does no harm."""
        if self._process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

    def _forget_replies(self) -> None:
        """What an engine says without being asked is no answer."""
        ended = False
        with suppress(queue.Empty):
            while True:
                ended |= self._replies.get_nowait() is None
        if ended:
            raise PlayerError("the engine has ended")

    def _send(self, message: hub.Message) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(hub.write_hub(message).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise PlayerError(f"the engine has ended: {error}") from error

    def _await(self, kind: type[hub.Message]) -> hub.Message:
        while True:
            try:
                message = self._replies.get(timeout=self.answer_s)
            except queue.Empty as error:
                raise PlayerError(f"the engine was silent for {self.answer_s:g} s") from error
            if message is None:
                raise PlayerError("the engine has ended")
            if isinstance(message, kind):
                return message
            if isinstance(message, hub.Param):
                self._offered.add(message.name)
            if isinstance(message, hub.Error):
                raise PlayerError(f"the engine says: {message.message}")

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for message in _messages(lines):
                self._replies.put(message)
        self._replies.put(None)


def is_built_in(ruleset: Ruleset) -> bool:
    """Whether a rule set is exactly the one that every engine of this version knows by its name."""
    return ruleset.name in variant_names() and ruleset == load_ruleset(ruleset.name)


def _messages(lines: IO[bytes]) -> Iterator[hub.Message]:
    """What an engine says; what is no Hub is skipped."""
    while line := lines.readline(MOST_LINE_BYTES):
        try:
            message = hub.read_hub(line.decode(errors="replace"))
        except HubError:
            continue
        if message is not None:
            yield message


def _since_irreversible(game: Game) -> tuple[int, tuple[str, ...]]:
    """Where the reversible end of a game begins, and its moves from there as Hub writes them.

    The whole game where the rules remember more than the position shows.
    """
    start = game.ply if game.start.trail is None else 0
    while start:
        move, before = game.moves[start - 1], game.positions[start - 1]
        if move.is_capture or before.contents[move.from_square] is MEN[before.turn]:
            break
        start -= 1
    return start, tuple(hub.hub_move_text(move) for move in game.moves[start:])


class PlayerWorker:
    """One thread for the players of one board; keeps an engine running for each."""

    def __init__(self, board: str, loop: Loop) -> None:
        self._board, self._loop = board, loop
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
            move = self._chosen(choose)
        except Exception as error:
            self._drop(choose)
            self._rest_s[choose.player] = min(LONGEST_RESTART_S, max(RESTART_S, 2 * rest_s))
            self._loop.post(self._board, PlayerFailed(self._loop.clock.now_ms(), choose.request, str(error)))
            return
        self._rest_s.pop(choose.player, None)
        self._loop.post(self._board, PlayerChose(self._loop.clock.now_ms(), choose.request, move))

    def _chosen(self, choose: Choose) -> Move:
        engine = self._engine(choose)
        self._thinking = engine
        try:
            return engine.choose(choose.game)
        finally:
            self._thinking = None

    def _engine(self, choose: Choose) -> Engine:
        key = (choose.player, choose.game.ruleset)
        if key not in self._engines:
            self._engines[key] = Engine(*key)
            self._engines[key].begin()
        return self._engines[key]

    def _drop(self, choose: Choose) -> None:
        engine = self._engines.pop((choose.player, choose.game.ruleset), None)
        if engine is not None:
            engine.close()
