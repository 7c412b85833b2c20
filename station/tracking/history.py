"""History: when each square was seen to change since the last move in the record."""

from __future__ import annotations

from itertools import pairwise

from station.tracking.masks import Masks, occupied

Frame = tuple[int, Masks, bool]
"""From when on (ms) what was seen, and whether it was firm: the whole board at one time."""

History = tuple[Frame, ...]

MOST_FRAMES = 160
"""Older frames are forgotten: who touches the board so often before a move has long left its beginning."""

SCAN_MS = 225
"""How late the slowest board tells of a square: what it shows of two squares may be in the wrong order by so much."""

BOUNCE_MS = 100
"""How much later than another one a contact of a matrix may be told: it is debounced, and may bounce."""


def with_frame(history: History, at_ms: int, seen: Masks, firm: bool) -> History:
    """The history with one more frame."""
    return (*history[1 - MOST_FRAMES :], (at_ms, seen, firm))


def late_ms(history: History) -> int:
    """How late a change may have been seen after another one: nothing where every frame was the whole board."""
    return 0 if all(firm for _, _, firm in history) else SCAN_MS


def arrivals(history: History) -> int:
    """Squares that showed something at some moment that was not there at the beginning."""
    if not history:
        return 0
    _, first, second, third, fourth = history[0][1]
    came = 0
    for _, (_, one, two, three, four), _ in history[1:]:
        came |= one & ~first | two & ~second | three & ~third | four & ~fourth
    return came


def came(history: History) -> int:
    """Squares that were empty at some moment and showed something at the next."""
    found = 0
    for before, after in _pairs(history):
        found |= occupied(after[1]) & ~occupied(before[1])
    return found


def left_ms(history: History, square: int) -> int | None:
    """When a square was last left by what stood on it; None when something stands there, or never did."""
    if not history or occupied(history[-1][1]) >> square & 1:
        return None
    return next(
        (after[0] for before, after in reversed(_pairs(history)) if occupied(before[1]) >> square & 1),
        None,
    )


def lifted_ms(history: History, square: int) -> int | None:
    """When a square was first seen to be empty on which something had stood; None when it never was."""
    return next(
        (
            after[0]
            for before, after in _pairs(history)
            if occupied(before[1]) >> square & 1 and not occupied(after[1]) >> square & 1
        ),
        None,
    )


def come_ms(history: History, square: int) -> int | None:
    """When what stands on a square was seen to come there; None when nothing does, or nobody saw it come."""
    if not history or not occupied(history[-1][1]) >> square & 1:
        return None
    return next(
        (after[0] for before, after in reversed(_pairs(history)) if not occupied(before[1]) >> square & 1),
        None,
    )


def _pairs(history: History) -> tuple[tuple[Frame, Frame], ...]:
    return tuple(pairwise(history))
