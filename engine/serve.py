"""`python -m engine.serve`: this engine as a process that speaks Hub on its standard streams.

Three kinds of threads: one reads lines, one answers them and keeps the time, and those that search, which exist only
while they do. They talk through one inbox, so that a ping or a stop is answered while a search runs.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, Queue
from typing import BinaryIO

from engine import hub
from engine.ending_files import open_tables
from engine.endings import EndingsError
from engine.errors import HubError
from engine.game import Game
from engine.levels import LEVELS, STRONGEST, choose, is_opening, thinking_ms, varied
from engine.position import KINGS, Move, Position, Side
from engine.rules import Rules, rules_for
from engine.ruleset import Ruleset, load_ruleset, read_ruleset, variant_names
from engine.search import Iteration, Search
from engine.thinking import MOST_DEPTH, TABLE_BYTES, Thinker, is_decided
from engine.timing import Budget, budget_for, is_enough

DEFAULT_VARIANT = "international"
DEFAULT_LEVEL = 5
MOST_THREADS = 64
MOST_HASH_MB = 4096
MOST_VARIETY = 100
MOST_SEED = 2**31 - 1
MOST_LINE_BYTES = 1 << 20
"""A longer line is refused."""

UNLIMITED_NODES = 1_000_000
"""What the strongest level looks at where nobody limits it."""

UNLIMITED_NODES_READABLE = 40_000

_LAST_WORD_MS = 1_000
"""How long a search may go on when the input has ended."""

_LINE_AFTER_MS = 20
"""Before that, only the best move is told: to follow a whole line takes time that short searches do not have."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A line from the GUI: the message it states (None at the end of the input), and when it came."""

    message: hub.Message | None
    at_ms: float


@dataclass(frozen=True, slots=True)
class _News:
    """An iteration has ended."""

    iteration: Iteration


@dataclass(frozen=True, slots=True)
class _Thought:
    """The search has ended: what it found, or why it failed."""

    iteration: Iteration | None
    failure: str = ""


Inbox = Queue[Heard | _News | _Thought]


@dataclass(slots=True)
class _Running:
    """The search that is going on."""

    mode: str
    limit: hub.Level
    started_ms: float
    budget: Budget
    waits_for_gui: bool
    """While pondering or analysing: the answer is held back until the GUI asks for it."""
    counts_from_ms: float
    """From when the budget counts: the question, or the ponder-hit."""
    deadline_ms: float | None = None
    answer_at_ms: float = 0.0
    """Like a person, not before this time."""
    thought: _Thought | None = None
    stopped: bool = False


@dataclass(slots=True)
class _Params:
    """What the GUI has set."""

    level: int = DEFAULT_LEVEL
    threads: int = 1
    hash_mb: int = TABLE_BYTES >> 20
    seed: int = 0
    variety: int = 0
    pace: str = "engine"
    endings: str = ""


class Server:
    """One conversation: messages come from `inbox`, answers go to `send`. `run` ends with Quit or the input's end."""

    def __init__(self, inbox: Inbox, send: Callable[[hub.Message], None]) -> None:
        self._inbox = inbox
        self._send = send
        self._left_over: list[Heard] = []
        self._params = _Params()
        self._drawn_seed = time.monotonic_ns() % MOST_SEED
        self._rules: Rules = rules_for(load_ruleset(DEFAULT_VARIANT))
        self._game = Game(self._rules.ruleset, (self._rules.start(),))
        self._asked: tuple[str, tuple[str, ...]] = ("", ())
        """The texts that the game was made from."""
        self._thinker: Thinker | None = None
        self._limit = hub.Level()
        self._ended = False

    def run(self) -> None:
        """Answer messages until Quit or the end of the input."""
        while not self._ended:
            heard = self._left_over.pop(0) if self._left_over else self._inbox.get()
            if not isinstance(heard, Heard):
                continue  # the last words of a search that was given up
            try:
                self._answer(heard)
            except ValueError as error:
                self._send(hub.Error(str(error)))

    def _answer(self, heard: Heard) -> None:
        match heard.message:
            case None | hub.Quit():
                self._ended = True
            case hub.Hub():
                self._introduce()
            case hub.SetParam(name, value):
                self._set(name, value)
            case hub.Init():
                self._ready()
                self._send(hub.Ready())
            case hub.SetPosition() as message:
                self._set_position(message)
            case hub.Level() as limit:
                self._limit = _checked(limit)
            case hub.Go(mode):
                self._go(mode, heard.at_ms)
            case hub.Ping():
                self._send(hub.Pong())
            case hub.NewGame():
                self._new_game()
            case hub.Error(text):
                self._send(hub.Error(text))
            case hub.Stop() | hub.PonderHit():
                pass  # the search they mean has just ended by itself
            case other:
                raise HubError(f"{hub.write_hub(other).split()[0]} is for a GUI, not for an engine")

    # Parameters

    def _introduce(self) -> None:
        params = self._params
        self._send(hub.Id("Dambord", "0.1", "the Dambord project"))
        for param in (
            hub.Param("variant", self._rules.ruleset.name, "enum", values=variant_names()),
            hub.Param("rules-file", "", "string"),
            hub.Param("level", str(params.level), "int", "1", str(STRONGEST)),
            hub.Param("threads", str(params.threads), "int", "1", str(MOST_THREADS)),
            hub.Param("hash-size", str(params.hash_mb), "int", "1", str(MOST_HASH_MB)),
            hub.Param("endings", params.endings, "string"),
            hub.Param("seed", str(params.seed), "int", "0", str(MOST_SEED)),
            hub.Param("variety", str(params.variety), "int", "0", str(MOST_VARIETY)),
            hub.Param("pace", params.pace, "enum", values=("engine", "person")),
        ):
            self._send(param)
        self._send(hub.Wait())

    def _set(self, name: str, value: str) -> None:
        params = self._params
        match name:
            case "variant":
                self._play_by(load_ruleset(value))
            case "rules-file":
                if value:
                    self._play_by(_ruleset_in(value))
            case "level":
                params.level = _whole(name, value, 1, STRONGEST)
                self._thinker = None
            case "threads":
                params.threads = _whole(name, value, 1, MOST_THREADS)
                self._thinker = None
            case "hash-size":
                params.hash_mb = _whole(name, value, 1, MOST_HASH_MB)
                self._thinker = None
            case "endings":
                params.endings = value
                self._thinker = None
            case "seed":
                params.seed = _whole(name, value, 0, MOST_SEED)
            case "variety":
                params.variety = _whole(name, value, 0, MOST_VARIETY)
            case "pace":
                if value not in ("engine", "person"):
                    raise HubError(f"pace={value}: expected engine or person")
                params.pace = value
            case _:
                raise HubError(f"{name}: there is no such parameter")

    def _play_by(self, ruleset: Ruleset) -> None:
        self._rules = rules_for(ruleset)
        self._game = Game(ruleset, (self._rules.start(),))
        self._asked = ("", ())
        self._thinker = None

    def _ready(self) -> Thinker:
        if self._thinker is None:
            self._thinker = Thinker(self._rules.ruleset, self._params.hash_mb << 20, self._params.threads)
            self._open_endings(self._thinker)
        return self._thinker

    def _open_endings(self, thinker: Thinker) -> None:
        """Let the strongest level use what tables there are by now; the others play endings as they play."""
        if self._params.endings and self._params.level == STRONGEST and thinker.uses_kernel:
            with contextlib.suppress(EndingsError, OSError):  # no tables for these rules, or none made yet
                thinker.use_endings(open_tables(Path(self._params.endings), self._rules.ruleset))

    @property
    def _seed(self) -> int:
        """The seed of this game: the GUI's, else one that is drawn for every game."""
        return self._params.seed or self._drawn_seed

    def _new_game(self) -> None:
        self._drawn_seed = time.monotonic_ns() % MOST_SEED
        if self._thinker is not None:
            self._thinker.forget()
            self._open_endings(self._thinker)

    # Positions

    def _set_position(self, message: hub.SetPosition) -> None:
        known_text, known_moves = self._asked
        if message.position == known_text and message.moves[: len(known_moves)] == known_moves:
            game, further = self._game, message.moves[len(known_moves) :]
        else:
            start = hub.read_position_text(message.position, self._rules)
            _check_pieces(start, self._rules)
            game, further = Game(self._rules.ruleset, (start,)), message.moves
        positions, moves = list(game.positions), list(game.moves)
        for text in further:
            moves.append(hub.read_hub_move(text, self._rules.legal_moves(positions[-1])))
            positions.append(positions[-1].after(moves[-1]))
        self._game = Game(self._rules.ruleset, tuple(positions), tuple(moves))
        self._asked = (message.position, message.moves)

    # Searches

    def _go(self, mode: str, at_ms: float) -> None:
        limit = self._limit
        patient = mode != "think" or limit.infinite
        budget = budget_for(limit) if mode != "analyze" and not limit.infinite else Budget()
        running = _Running(mode, limit, at_ms, budget, patient, at_ms)
        if not patient:
            self._count(running)
        thinker = self._ready()
        legal = self._begin(thinker, running)
        if self._params.pace == "person":
            running.answer_at_ms = at_ms + self._pause_ms(legal, budget)
        if len(legal) < 2 and not patient:
            running.thought = _Thought(Iteration(0, 0, legal, 0) if legal else None)
            self._wait(thinker, running)
        else:
            self._search(thinker, running, legal)
        self._conclude(thinker, running, legal)

    def _begin(self, thinker: Thinker, running: _Running) -> tuple[Move, ...]:
        limit = running.limit
        nodes = limit.nodes or 0
        is_endless = running.mode == "analyze" or limit.infinite
        if not nodes and not is_endless and limit.depth is None and running.budget.hard_ms is None:
            nodes = UNLIMITED_NODES if thinker.uses_kernel else UNLIMITED_NODES_READABLE
        return thinker.begin(self._game, nodes, self._margin(running))

    def _margin(self, running: _Running) -> int:
        """How much worse the first moves of a game may be for variety's sake."""
        is_game = running.mode != "analyze" and self._params.level == STRONGEST
        return self._params.variety if is_game and self._params.variety and is_opening(self._game) else 0

    def _pause_ms(self, legal: tuple[Move, ...], budget: Budget) -> float:
        """How long a person would think, where the clock allows it."""
        pause_ms = thinking_ms(self._game, legal, self._params.level, self._seed)
        return pause_ms if budget.soft_ms is None else min(pause_ms, budget.soft_ms)

    def _search(self, thinker: Thinker, running: _Running, legal: tuple[Move, ...]) -> None:
        threads = [threading.Thread(target=self._think, args=(thinker, running, legal), name="search")]
        if not self._is_weaker(running):
            threads += [
                threading.Thread(target=thinker.help, args=(number + 1,), name="search helper")
                for number in range(thinker.helpers)
            ]
        for thread in threads:
            thread.start()
        self._wait(thinker, running)
        thinker.stop()
        for thread in threads:
            thread.join()

    def _is_weaker(self, running: _Running) -> bool:
        return running.mode != "analyze" and self._params.level < STRONGEST

    def _think(self, thinker: Thinker, running: _Running, legal: tuple[Move, ...]) -> None:
        """The searching thread."""
        try:
            if self._is_weaker(running):
                level = LEVELS[self._params.level - 1]
                if running.limit.depth is not None:
                    level = replace(level, depth=min(level.depth, running.limit.depth - 1))
                found = choose(thinker, self._game, legal, level, self._seed, running.limit.nodes or 0)
            else:
                found = self._deepen(thinker, running)
            self._inbox.put(_Thought(found))
        except Exception as error:  # whatever it was, the other thread has to answer
            self._inbox.put(_Thought(None, f"{type(error).__name__}: {error}"))

    def _deepen(self, thinker: Thinker, running: _Running) -> Iteration | None:
        last: Iteration | None = None
        whole: Iteration | None = None
        stable = 0
        for depth in range(1, (running.limit.depth or MOST_DEPTH) + 1):
            thinker.tells_lines = _now_ms() - running.started_ms >= _LINE_AFTER_MS or running.limit.depth is not None
            found = thinker.iterate(depth)
            if found is None:
                break
            stable = stable + 1 if last and last.line[:1] == found.line[:1] else 0
            last = found
            if found.complete:
                whole = found
            if found.depth:
                self._inbox.put(_News(found))
            if not found.complete or is_decided(found.score, found.depth) or self._has_enough(running, stable):
                break
        if last is not None:
            last = thinker.by_endings(last)
        margin = self._margin(running)
        if margin and whole is not None:
            last = varied(whole, self._game, margin, self._seed)
        return last

    def _has_enough(self, running: _Running, stable: int) -> bool:
        if running.waits_for_gui:
            return False
        return is_enough(running.budget, running.limit, _now_ms() - running.counts_from_ms, stable)

    def _wait(self, thinker: Thinker, running: _Running) -> None:
        """Hear what comes and keep the time, until the answer is known and due."""
        while not self._is_due(running):
            try:
                word = self._inbox.get(timeout=self._patience_s(running))
            except Empty:
                if running.deadline_ms is not None and _now_ms() >= running.deadline_ms:
                    running.deadline_ms = None
                    thinker.stop()
                continue
            match word:
                case _News(iteration):
                    self._send(self._info(iteration, running))
                case _Thought():
                    running.thought = word
                case Heard():
                    self._hear(thinker, running, word)

    def _is_due(self, running: _Running) -> bool:
        if running.thought is None:
            return False
        return running.stopped or (not running.waits_for_gui and _now_ms() >= running.answer_at_ms)

    def _patience_s(self, running: _Running) -> float | None:
        """How long nothing needs to be done, as far as the clock is concerned."""
        due_ms = [running.deadline_ms] if running.deadline_ms is not None else []
        if running.thought is not None and not running.waits_for_gui:
            due_ms.append(running.answer_at_ms)
        return max(0.0, (min(due_ms) - _now_ms()) / 1000) if due_ms else None

    def _hear(self, thinker: Thinker, running: _Running, heard: Heard) -> None:
        match heard.message:
            case hub.Ping():
                self._send(hub.Pong())
            case hub.Stop():
                running.stopped = True
                thinker.stop()
            case hub.PonderHit():
                self._hit(running, heard.at_ms)
            case hub.Quit():
                running.stopped = self._ended = True
                thinker.stop()
            case None:
                self._hear_the_end(thinker, running)
            case hub.SetParam(name):
                self._send(hub.Error(f"set-param {name}: not while searching; stop the search first"))
            case hub.Error(text):
                self._send(hub.Error(text))
            case _:
                self._left_over.append(heard)

    def _hit(self, running: _Running, at_ms: float) -> None:
        """The limit counts from now on."""
        if running.mode != "ponder" or running.limit.infinite:
            return
        running.waits_for_gui, running.counts_from_ms = False, at_ms
        running.answer_at_ms += at_ms - running.started_ms
        self._count(running)

    def _count(self, running: _Running) -> None:
        if running.budget.hard_ms is not None:
            running.deadline_ms = running.counts_from_ms + running.budget.hard_ms

    def _hear_the_end(self, thinker: Thinker, running: _Running) -> None:
        """Quit, but let a search that would end by itself have a moment for its answer."""
        self._ended = True
        running.answer_at_ms = 0.0
        if running.waits_for_gui:
            running.stopped = True
            thinker.stop()
            return
        last_ms = _now_ms() + _LAST_WORD_MS
        running.deadline_ms = last_ms if running.deadline_ms is None else min(running.deadline_ms, last_ms)

    def _conclude(self, thinker: Thinker, running: _Running, legal: tuple[Move, ...]) -> None:
        """Say what was found. A move that the rules do not know is refused, recorded, and not said."""
        thought = running.thought or _Thought(None)
        found = thought.iteration
        if thought.failure:
            thinker.refusals.append(f"the search failed: {thought.failure}")
        if legal and (found is None or not found.line or found.line[0] not in legal):
            if found is not None:
                thinker.refusals.append(f"the search chose {found.line[:1]}, which is not legal")
            found = self._readable_answer()
        for sentence in thinker.refusals:
            sys.stderr.write(f"engine: {sentence}\n")
        thinker.refusals.clear()
        if found is not None and self._is_weaker(running) and found.depth:
            self._send(self._info(found, running))
        line: tuple[Move, ...] = found.line[:2] if found else ()
        self._send(hub.Done(*(hub.hub_move_text(move) for move in line)))

    def _readable_answer(self) -> Iteration | None:
        """A quick answer of the readable search."""
        return Search(self._rules, self._game.position, self._game.positions[:-1], node_limit=200).best()

    def _info(self, iteration: Iteration, running: _Running) -> hub.Info:
        elapsed_ms = max(1.0, _now_ms() - running.started_ms)
        return hub.Info(
            depth=iteration.depth,
            mean_depth=float(iteration.deepest or iteration.depth),
            score=iteration.score / 100,
            nodes=iteration.nodes,
            time_ms=round(elapsed_ms),
            speed=round(iteration.nodes / elapsed_ms / 1000, 6),
            line=tuple(hub.hub_move_text(move) for move in iteration.line),
        )


def _checked(limit: hub.Level) -> hub.Level:
    """A limit that can be kept; HubError where it cannot."""
    for name, value, least in (("depth", limit.depth, 1), ("nodes", limit.nodes, 1), ("moves", limit.moves, 0)):
        if value is not None and value < least:
            raise HubError(f"level: {name}={value}: expected at least {least}")
    # More than a search can do is no limit.
    return replace(limit, depth=None if limit.depth is None else min(limit.depth, MOST_DEPTH))


def _check_pieces(position: Position, rules: Rules) -> None:
    """HubError for material that cannot come about: more pieces than a side begins with, or kings in a race."""
    start = rules.start()
    for side in Side:
        pieces, most = len(position.pieces(side)), len(start.pieces(side))
        if position.towers is None and pieces > most:
            raise HubError(f"pos: {pieces} pieces of {side}, expected at most {most}")
        if rules.ruleset.family == "race" and position.count(KINGS[side]):
            raise HubError(f"pos: a king of {side}, expected men alone in this game")


def _ruleset_in(name: str) -> Ruleset:
    file = Path(name)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise HubError(f"rules-file={name}: cannot be read: {reason}") from error
    return read_ruleset(text, file.stem, name)


def _whole(name: str, value: str, least: int, most: int) -> int:
    if not value.isascii() or not value.isdigit() or len(value) > 18 or not least <= int(value) <= most:
        raise HubError(f"{name}={value}: expected a whole number from {least} to {most}")
    return int(value)


def _now_ms() -> float:
    return time.monotonic() * 1000


def main() -> None:
    """Speak Hub on standard input and output until Quit or the end of the input."""
    sys.setswitchinterval(0.001)  # a ping does not wait for the readable search
    inbox: Inbox = Queue()
    worker = threading.Thread(target=_run, args=(Server(inbox, _print),), name="hub server")
    worker.start()
    for message in _messages(sys.stdin.buffer):
        inbox.put(Heard(message, _now_ms()))
        if isinstance(message, hub.Quit):
            break
    inbox.put(Heard(None, _now_ms()))
    worker.join()


def _run(server: Server) -> None:
    # Whoever listened is gone; the end of the input follows.
    with contextlib.suppress(BrokenPipeError):
        server.run()


def _messages(stream: BinaryIO) -> Iterator[hub.Message]:
    """What the lines of a stream state; an Error for each line that states nothing."""
    while line := stream.readline(MOST_LINE_BYTES):
        if len(line) == MOST_LINE_BYTES and not line.endswith(b"\n"):
            while (rest := stream.readline(MOST_LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
            yield hub.Error(f"a line of more than {MOST_LINE_BYTES} bytes")
            continue
        text = line.decode(errors="replace")
        try:
            message = hub.read_hub(text)
        except HubError as error:
            yield hub.Error(str(error))
            continue
        if message is not None and not isinstance(message, hub.Error):
            yield message
        elif text.strip():
            yield hub.Error(f"{text.split()[0][:40]}: there is no such command")


def _print(message: hub.Message) -> None:
    sys.stdout.write(hub.write_hub(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
