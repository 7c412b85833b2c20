"""A Hub engine as a process of its own: started, told the rules, asked for moves, ended; every wait has an end."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine import hub
from engine.errors import AmbiguousMoveError, HubError, IllegalMoveError
from engine.game import Game
from engine.position import MEN, Move
from engine.ruleset import Ruleset, load_ruleset, variant_names, write_ruleset
from station.runtime.player_errors import EndedError, IllegalAnswerError, PlayerError, SilentError, UnfitError

ANSWER_S = 120.0
"""An engine that has not answered after so long is given up."""
MOST_LINE_BYTES = 1 << 20
RULES_FILE = "rules-file"
"""The parameter by which an engine is told rules that are not built in."""

_OTHER_NAMES = {"international": "normal", "breakthrough": "bt", "antidraughts": "losing"}
"""How the engine Scan calls rule sets in its parameter `variant`, where it differs from us."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An engine's move, what it said last about its search, and the milliseconds from the question to the answer.

    `expected`: the reply that it would ponder on, where it named one that is legal.
    """

    move: Move
    info: hub.Info | None
    took_ms: float
    expected: Move | None = None


def own_command() -> list[str]:
    """What starts the engine that comes with the station."""
    return [sys.executable, "-m", "engine.serve"]


class HubProcess:
    """An engine's process, one question at a time; `set_up` before the first.

    `answer_s` is how long it may take to answer anything. PlayerError, always with the reason, when it does not.
    """

    def __init__(self, command: Sequence[str], ruleset: Ruleset) -> None:
        self.answer_s = ANSWER_S
        self.ping_s: float | None = None
        """While it thinks, an engine is pinged after so many s of silence, and given up when it stays silent for as
        long again; None: it is not."""
        self.name = ""
        """What the engine calls itself, with its version; empty before `set_up`."""
        self._ruleset = ruleset
        self._offered: dict[str, hub.Param] = {}
        self._replies: queue.SimpleQueue[hub.Message | None] = queue.SimpleQueue()
        self._pondered: hub.SetPosition | None = None
        """What it thinks about on its opponent's time."""
        try:
            # A session of its own: what the command starts ends with it.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise PlayerError(f"cannot be started: {error}") from error
        threading.Thread(target=self._listen, name="engine replies", daemon=True).start()

    def set_up(self, wanted: Mapping[str, str] | None = None, usual: Mapping[str, str] | None = None) -> None:
        """Tell the engine what is played and its parameters, and wait until it is ready.

        `wanted` parameters must be among those it names, `usual` ones are left out where it does not name them.
        An engine that names no parameter `variant` is told nothing: it knows one game, and a position's length tells
        it which board. Rules that are not built in are told by a file, read before the engine says that it is ready.
        """
        self._send(hub.Hub())
        self._await(hub.Wait, self.answer_s)
        settings = self._accepted(wanted or {}, usual or {})
        if is_built_in(self._ruleset):
            variant = self._variant_name()
            self._initialise({"variant": variant} | settings if variant else settings)
            return
        if RULES_FILE not in self._offered:
            raise UnfitError(f"the engine has no parameter {RULES_FILE}, it cannot play {self._ruleset.name}")
        with tempfile.TemporaryDirectory(prefix="dambord-rules-") as folder:
            file = Path(folder) / f"{self._ruleset.name}.toml"
            file.write_text(write_ruleset(self._ruleset), encoding="utf-8")
            self._initialise({RULES_FILE: str(file)} | settings)

    def _accepted(self, wanted: Mapping[str, str], usual: Mapping[str, str]) -> dict[str, str]:
        for name in wanted:
            if name not in self._offered:
                known = ", ".join(self._offered) or "none"
                raise UnfitError(f"the engine has no parameter {name}, expected one of {known}")
        return {name: value for name, value in usual.items() if name in self._offered} | dict(wanted)

    def _variant_name(self) -> str:
        """How the engine calls the rule set; empty where it names no parameter for it."""
        name = self._ruleset.name
        param = self._offered.get("variant")
        if param is None:
            return ""
        if not param.values or name in param.values:
            return name
        if _OTHER_NAMES.get(name) in param.values:
            return _OTHER_NAMES[name]
        raise UnfitError(f"the engine plays {', '.join(param.values)}, not {name}")

    def _initialise(self, settings: Mapping[str, str]) -> None:
        for name, value in settings.items():
            self._send(hub.SetParam(name, value))
        self._send(hub.Init())
        self._await(hub.Ready, self.answer_s)

    def new_game(self) -> None:
        """Say that the next position belongs to another game."""
        self._send(hub.NewGame())

    def ask(self, game: Game, level: hub.Level | None = None) -> Answer:
        """What the engine plays here within `level`; PlayerError when it is no legal move or comes too late.

        What it has pondered on it answers from there, and counts `level` from now on.
        """
        asked = time.perf_counter()
        if self._pondered == _position_of(game):
            self._pondered = None
            self._send(hub.PonderHit())
        else:
            self.forget_pondering()
            self._search(game, level, "think")
        done, info = self._await(hub.Done, self.answer_s, self.ping_s)
        took_ms = 1000 * (time.perf_counter() - asked)
        assert isinstance(done, hub.Done)
        try:
            move = hub.read_hub_move(done.move, game.legal_moves)
        except (HubError, IllegalMoveError, AmbiguousMoveError) as error:
            raise IllegalAnswerError(f"the engine answered {done.move!r}: {error}") from error
        return Answer(move, info, took_ms, _expected(game.play(move), done.ponder))

    def ponder(self, game: Game, level: hub.Level | None = None) -> None:
        """Have the engine think about a position that is yet to come, until it is asked about it or another one."""
        self.forget_pondering()
        self._search(game, level, "ponder")
        self._pondered = _position_of(game)

    def forget_pondering(self) -> None:
        """End the search on the opponent's time, if there is one; what it found is left aside."""
        if self._pondered is not None:
            self._pondered = None
            self._send(hub.Stop())
            self._await(hub.Done, self.answer_s, self.ping_s)

    def _search(self, game: Game, level: hub.Level | None, mode: str) -> None:
        self._forget_replies()
        self._send(_position_of(game))
        if level is not None:
            self._send(level)
        self._send(hub.Go(mode))

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
            raise EndedError("the engine has ended")

    def _send(self, message: hub.Message) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(hub.write_hub(message).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise EndedError(f"the engine has ended: {error}") from error

    def _await(
        self, kind: type[hub.Message], within_s: float, ping_s: float | None = None
    ) -> tuple[hub.Message, hub.Info | None]:
        """The next message of a kind, and the last news of a search that came before it."""
        deadline = time.monotonic() + within_s
        info: hub.Info | None = None
        is_pinged = False
        while True:
            left_s = max(0.0, deadline - time.monotonic())
            try:
                if not left_s:  # one that never stops talking does not answer either
                    raise queue.Empty
                message = self._replies.get(timeout=left_s if ping_s is None else min(left_s, ping_s))
            except queue.Empty as error:
                if ping_s is None or left_s <= ping_s:
                    raise SilentError(f"the engine was silent for {within_s:g} s") from error
                if is_pinged:
                    raise SilentError(f"the engine did not answer a ping within {ping_s:g} s") from error
                self._send(hub.Ping())
                is_pinged = True
                continue
            is_pinged = False
            if message is None:
                raise EndedError("the engine has ended")
            if isinstance(message, kind):
                return message, info
            match message:
                case hub.Info():
                    info = _joined(info, message)
                case hub.Id(name, version):
                    self.name = f"{name} {version}".strip()
                case hub.Param(name):
                    self._offered[name] = message
                case hub.Error(text):
                    raise PlayerError(f"the engine says: {text}")

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for message in _messages(lines):
                self._replies.put(message)
        self._replies.put(None)


def _joined(known: hub.Info | None, news: hub.Info) -> hub.Info:
    """What is known of a search after more news: engines tell nodes and depth in different lines."""
    if known is None:
        return news
    return hub.Info(
        depth=known.depth if news.depth is None else news.depth,
        mean_depth=known.mean_depth if news.mean_depth is None else news.mean_depth,
        score=known.score if news.score is None else news.score,
        nodes=known.nodes if news.nodes is None else news.nodes,
        time_ms=known.time_ms if news.time_ms is None else news.time_ms,
        speed=known.speed if news.speed is None else news.speed,
        line=news.line or known.line,
    )


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


def _position_of(game: Game) -> hub.SetPosition:
    start, moves = since_irreversible(game)
    return hub.SetPosition(hub.position_text(game.positions[start]), moves)


def _expected(game: Game, ponder: str) -> Move | None:
    """The reply an engine expects; None where it names none that is legal."""
    try:
        return hub.read_hub_move(ponder, game.legal_moves) if ponder else None
    except (HubError, IllegalMoveError, AmbiguousMoveError):
        return None


def since_irreversible(game: Game) -> tuple[int, tuple[str, ...]]:
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
