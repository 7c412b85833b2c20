"""The log in the memory of a DGT-compatible board (unofficial): what stood on it, change by change.

A ring, oldest record first: field changes, clock times and tags. What stood there before the first record is known of
fields that have not changed since, and of all once a power-up, an empty board or a whole dump says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.view import BoardView

POWER_UP, END, EMPTY_BOARD = 0x6A, 0x6B, 0x6D
QUICK_MS, SLOW_MS = 150, 1000
"""Between two boards when they are shown again: the log tells only whether 250 ms lay between them."""
_UNKNOWN = -1
_CLOCK_BYTES = 3


@dataclass(frozen=True, slots=True)
class Change:
    """One field of the board has changed."""

    field: int
    code: int
    is_quick: bool
    """Within about 250 ms after the change before it."""


@dataclass(frozen=True, slots=True)
class Cleared:
    """From here on every field is told anew, all others are empty."""


Record = Change | Cleared


def records(log: bytes) -> Iterator[Record]:
    """The records that tell what stood on the board, oldest first; a record that the ring has cut off is left out."""
    at = 0
    while at < len(log) and log[at] != END:
        kind = log[at]
        if 0x40 <= kind <= 0x5F and at + 1 < len(log):
            yield Change(log[at + 1], kind & 0x0F, bool(kind & 0x10))
            at += 2
        elif 0x60 <= kind <= 0x69 or 0x70 <= kind <= 0x79:
            at += _CLOCK_BYTES
        else:
            if kind in (POWER_UP, EMPTY_BOARD):
                yield Cleared()
            at += 1


@dataclass(frozen=True, slots=True)
class Stood:
    """A board that the log tells of, to the last field."""

    fields: bytes
    is_still: bool
    """Whether it stood for longer than about 250 ms."""


def boards(log: bytes, now: bytes) -> list[Stood]:
    """Every board that the log tells of and that is known to the last field, oldest first; `now` stands there now."""
    told = list(records(log))
    changed = {record.field for record in told if isinstance(record, Change)}
    fields = [_UNKNOWN if field in changed else code for field, code in enumerate(now)]
    known: list[Stood] = []
    is_listing = False
    for record, following in zip(told, [*told[1:], None], strict=True):
        if isinstance(record, Cleared):
            fields, is_listing = [0] * len(now), True
            continue
        if record.field < len(fields):
            fields[record.field] = record.code
        # After a power-up the pieces are listed one after another: no board until the last of them is.
        is_listing = is_listing and _lists_on(record, following)
        if not is_listing and _UNKNOWN not in fields:
            known.append(Stood(bytes(fields), not (isinstance(following, Change) and following.is_quick)))
    return known


def _lists_on(record: Change, following: Record | None) -> bool:
    """Whether the next record is one more piece of the list that follows a power-up: fields go up in it."""
    return isinstance(following, Change) and 0 not in (record.code, following.code) and following.field > record.field


class Replay:
    """Views that are shown again in their order, each at its time; what is seen meanwhile comes after them."""

    def __init__(self) -> None:
        self._due: deque[tuple[int, BoardView]] = deque()
        self._last_ms = 0

    def begin(self, views: Iterable[tuple[BoardView, bool]], now_ms: int) -> None:
        """From now on, shows views again, each with whether it stood for long."""
        self.clear()
        at_ms = now_ms
        for view, is_still in views:
            self._due.append((at_ms, view))
            at_ms += SLOW_MS if is_still else QUICK_MS
        self._last_ms = at_ms

    def with_live(self, views: tuple[BoardView, ...], now_ms: int) -> tuple[BoardView, ...]:
        """What is to be told now, these views being seen now."""
        if self._due:
            for view in views:
                self._due.append((max(self._last_ms, now_ms), view))
                self._last_ms = max(self._last_ms, now_ms) + QUICK_MS
            views = ()
        told = []
        while self._due and self._due[0][0] <= now_ms:
            told.append(self._due.popleft()[1])
        return (*told, *views)

    def deadline_ms(self) -> int | None:
        """When the next one is to be shown."""
        return self._due[0][0] if self._due else None

    def clear(self) -> None:
        """Shows nothing more."""
        self._due.clear()
