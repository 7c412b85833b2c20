"""Players that are not at the board: one process each that speaks Hub; a crash cannot stop the station."""

from __future__ import annotations

import queue
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from engine import hub
from engine.errors import AmbiguousMoveError, HubError, IllegalMoveError
from engine.game import Game
from engine.position import MEN, Move
from station.effects import Choose, StopChoosing
from station.events import PlayerChose, PlayerFailed
from station.runtime.loop import Loop, Outcome

ANSWER_S = 120.0
"""A player that is silent for so long is started anew."""
RESTART_S = 1.0
"""How long a player that failed is left alone."""
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
    """An engine's process, one question at a time."""

    def __init__(self, player: str, variant: str) -> None:
        kind, _, rest = player.partition(":")
        self._own = kind == "engine"
        self._command = [sys.executable, "-m", "engine.serve"] if self._own else shlex.split(rest)
        self._replies: queue.SimpleQueue[hub.Message | None] = queue.SimpleQueue()
        try:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise PlayerError(f"{player}: cannot be started: {error}") from error
        threading.Thread(target=self._listen, name="engine replies", daemon=True).start()
        self._send(hub.Hub())
        self._await(hub.Wait)
        self._send(hub.SetParam("variant", variant))
        if self._own:
            self._send(hub.SetParam("level", rest))
        self._send(hub.Init())
        self._await(hub.Ready)

    def choose(self, game: Game) -> Move:
        """The move an engine makes here; PlayerError when it makes none that is legal."""
        start, moves = _since_irreversible(game)
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
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

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
                message = self._replies.get(timeout=ANSWER_S)
            except queue.Empty as error:
                raise PlayerError(f"the engine was silent for {ANSWER_S:.0f} s") from error
            if message is None:
                raise PlayerError("the engine has ended")
            if isinstance(message, kind):
                return message
            if isinstance(message, hub.Error):
                raise PlayerError(f"the engine says: {message.message}")

    def _listen(self) -> None:
        for message in self._messages():
            self._replies.put(message)
        self._replies.put(None)

    def _messages(self) -> Iterator[hub.Message]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message = hub.read_hub(line.decode(errors="replace"))
            except HubError:
                continue
            if message is not None:
                yield message


def _since_irreversible(game: Game) -> tuple[int, tuple[str, ...]]:
    """Where the reversible end of a game begins, and its moves from there as Hub writes them."""
    start = game.ply
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
        self._engines: dict[tuple[str, str], Engine] = {}
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

    def _run(self) -> None:
        while (choose := self._inbox.get()) is not None:
            if choose.request == self._wanted:
                self._answer(choose)
        for engine in self._engines.values():
            engine.close()

    def _answer(self, choose: Choose) -> None:
        try:
            move = self._engine(choose).choose(choose.game)
        except PlayerError as error:
            self._drop(choose)
            self._stopped.wait(RESTART_S)
            self._loop.post(self._board, PlayerFailed(self._loop.clock.now_ms(), choose.request, str(error)))
            return
        self._loop.post(self._board, PlayerChose(self._loop.clock.now_ms(), choose.request, move))

    def _engine(self, choose: Choose) -> Engine:
        key = (choose.player, choose.game.ruleset.name)
        if key not in self._engines:
            self._engines[key] = Engine(*key)
        return self._engines[key]

    def _drop(self, choose: Choose) -> None:
        engine = self._engines.pop((choose.player, choose.game.ruleset.name), None)
        if engine is not None:
            engine.close()
