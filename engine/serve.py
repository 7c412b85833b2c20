"""`python -m engine.serve`: this engine as a process that speaks Hub on its standard streams."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue

from engine import hub
from engine.errors import HubError
from engine.position import Move, Position
from engine.rules import Rules, rules_for
from engine.ruleset import Ruleset, load_ruleset, read_ruleset, variant_names
from engine.search import LEVEL_NODES, Iteration, Search

DEFAULT_VARIANT = "international"
DEFAULT_LEVEL = 5

_REACTION_MS = 15
"""Kept back from every limit of time, for the answer to get out."""

_LAST_WORD_MS = 1_000
"""How long a search may go on when the input has ended."""

_MOVES_TO_GO = 30
"""How many moves a clock without a number of moves is shared over."""

EndOfInput = None
"""What the inbox holds when the input has ended."""


@dataclass(slots=True)
class _Running:
    """The limits of the search that is going on."""

    started_ms: float
    deadline_ms: float | None
    waits_for_gui: bool
    stopped: bool = False


class Server:
    """One conversation: messages come from `inbox` (None at its end), answers go to `send`. `run` ends with Quit."""

    def __init__(self, inbox: Queue[hub.Message | None], send: Callable[[hub.Message], None]) -> None:
        self._inbox = inbox
        self._send = send
        self._left_over: list[hub.Message | None] = []
        self._rules: Rules = rules_for(load_ruleset(DEFAULT_VARIANT))
        self._position: Position = self._rules.start()
        self._history: tuple[Position, ...] = ()
        self._level = DEFAULT_LEVEL
        self._limit = hub.Level()
        self._ended = False

    def run(self) -> None:
        """Answer messages until Quit or the end of the input."""
        while not self._ended:
            message = self._left_over.pop(0) if self._left_over else self._inbox.get()
            try:
                self._answer(message)
            except ValueError as error:
                self._send(hub.Error(str(error)))

    def _answer(self, message: hub.Message | None) -> None:
        match message:
            case None | hub.Quit():
                self._ended = True
            case hub.Hub():
                self._introduce()
            case hub.SetParam():
                self._set(message.name, message.value)
            case hub.Init():
                self._send(hub.Ready())
            case hub.SetPosition():
                self._set_position(message)
            case hub.Level():
                self._limit = message
            case hub.Go():
                self._go(message.mode)
            case hub.Ping():
                self._send(hub.Pong())
            case _:
                pass

    def _introduce(self) -> None:
        self._send(hub.Id("Dambord", "0.1", "the Dambord project"))
        self._send(hub.Param("variant", self._rules.ruleset.name, "enum", values=variant_names()))
        self._send(hub.Param("rules-file", "", "string"))
        self._send(hub.Param("level", str(self._level), "int", "1", str(len(LEVEL_NODES))))
        self._send(hub.Wait())

    def _set(self, name: str, value: str) -> None:
        match name:
            case "variant":
                self._play_by(load_ruleset(value))
            case "rules-file" if value:
                file = Path(value)
                try:
                    text = file.read_text(encoding="utf-8")
                except OSError as error:
                    raise HubError(f"rules-file={value}: cannot be read: {error.strerror}") from error
                self._play_by(read_ruleset(text, file.stem, value))
            case "level":
                if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= len(LEVEL_NODES):
                    raise HubError(f"level={value}: expected a whole number from 1 to {len(LEVEL_NODES)}")
                self._level = int(value)

    def _play_by(self, ruleset: Ruleset) -> None:
        self._rules = rules_for(ruleset)
        self._position, self._history = self._rules.start(), ()

    def _set_position(self, message: hub.SetPosition) -> None:
        position = hub.read_position_text(message.position, self._rules)
        history: list[Position] = []
        for text in message.moves:
            history.append(position)
            position = position.after(hub.read_hub_move(text, self._rules.legal_moves(position)))
        self._position, self._history = position, tuple(history)

    def _go(self, mode: str) -> None:
        now_ms = _now_ms()
        patient = mode != "think" or self._limit.infinite
        budget_ms = None if mode != "think" else self._budget_ms()
        running = _Running(now_ms, None if budget_ms is None else now_ms + budget_ms, patient)
        last = self._search(running)
        while running.waits_for_gui and not running.stopped:
            self._hear(running, self._inbox.get())
        self._send(self._done(last))

    def _search(self, running: _Running) -> Iteration | None:
        if not running.waits_for_gui and len(self._rules.legal_moves(self._position)) == 1:
            return Iteration(0, 0, self._rules.legal_moves(self._position), 0)
        search = Search(
            self._rules, self._position, self._history, lambda: self._is_over(running), self._node_limit(running)
        )
        last = None
        for iteration in search.deepen(self._limit.depth or 64):
            last = iteration
            if iteration.depth:
                self._send(self._info(iteration, running))
        return last

    def _is_over(self, running: _Running) -> bool:
        """Whether the search is to end; hears what the GUI says meanwhile."""
        while not running.stopped:
            try:
                self._hear(running, self._inbox.get_nowait())
            except Empty:
                break
        return running.stopped or (running.deadline_ms is not None and _now_ms() >= running.deadline_ms)

    def _hear(self, running: _Running, message: hub.Message | None) -> None:
        match message:
            case hub.Ping():
                self._send(hub.Pong())
            case hub.Stop():
                running.stopped = True
            case hub.PonderHit():
                budget_ms = self._budget_ms()
                running.waits_for_gui = self._limit.infinite
                running.deadline_ms = None if budget_ms is None else _now_ms() + budget_ms
            case hub.Quit():
                running.stopped = self._ended = True
            case None:
                self._hear_the_end(running)
            case _:
                self._left_over.append(message)

    def _hear_the_end(self, running: _Running) -> None:
        """Quit, but let a search that would end by itself have a moment for its answer."""
        self._ended = True
        running.stopped = running.waits_for_gui
        last_ms = _now_ms() + _LAST_WORD_MS
        running.deadline_ms = last_ms if running.deadline_ms is None else min(running.deadline_ms, last_ms)

    def _budget_ms(self) -> float | None:
        """How long this move may take by the clock; None when time is no limit."""
        limit = self._limit
        budgets: list[float] = []
        if limit.move_time_ms is not None:
            budgets.append(limit.move_time_ms - _REACTION_MS)
        if limit.time_ms is not None:
            increment_ms = limit.increment_ms or 0
            share_ms = limit.time_ms / max(1, limit.moves or _MOVES_TO_GO) + increment_ms
            budgets.append(min(share_ms, limit.time_ms + increment_ms - 4 * _REACTION_MS))
        return max(0.0, min(budgets)) if budgets else None

    def _node_limit(self, running: _Running) -> int | None:
        """How many positions may be looked at: what the GUI says, else what the level allows."""
        if self._limit.nodes is not None:
            return self._limit.nodes
        if running.waits_for_gui or self._limit.depth is not None:
            return None
        if running.deadline_ms is None:
            return LEVEL_NODES[self._level - 1] or LEVEL_NODES[-2]
        return LEVEL_NODES[self._level - 1]

    def _info(self, iteration: Iteration, running: _Running) -> hub.Info:
        elapsed_ms = max(1.0, _now_ms() - running.started_ms)
        return hub.Info(
            depth=iteration.depth,
            mean_depth=float(iteration.depth),
            score=iteration.score / 100,
            nodes=iteration.nodes,
            time_ms=round(elapsed_ms),
            speed=round(iteration.nodes / elapsed_ms / 1000, 6),
            line=tuple(hub.hub_move_text(move) for move in iteration.line),
        )

    def _done(self, last: Iteration | None) -> hub.Done:
        line: tuple[Move, ...] = last.line[:2] if last else ()
        texts = [hub.hub_move_text(move) for move in line]
        return hub.Done(*texts)


def _now_ms() -> float:
    return time.monotonic() * 1000


def main() -> None:
    """Speak Hub on standard input and output until Quit or the end of the input."""
    inbox: Queue[hub.Message | None] = Queue()
    worker = threading.Thread(target=_run, args=(Server(inbox, _print),), name="hub server")
    worker.start()
    for message in _messages():
        inbox.put(message)
        if isinstance(message, hub.Quit):
            break
    inbox.put(EndOfInput)
    worker.join()


def _run(server: Server) -> None:
    # Whoever listened is gone; the end of the input follows.
    with contextlib.suppress(BrokenPipeError):
        server.run()


def _messages() -> Iterator[hub.Message]:
    for line in sys.stdin.buffer:
        try:
            message = hub.read_hub(line.decode(errors="replace"))
        except HubError as error:
            _print(hub.Error(str(error)))
            continue
        if message is not None:
            yield message


def _print(message: hub.Message) -> None:
    sys.stdout.write(hub.write_hub(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
