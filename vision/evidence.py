"""What readings of a board at rest tell together, as evidence; squares of which nothing is known are left open."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Geometry, Square
from engine.view import ANYTHING, FLOOR, BoardView, Evidence, evidence_for
from vision.features import Numbers
from vision.ground import EDGE, PIXELS, Places
from vision.known import LEAST, Watching
from vision.locate import Image

WASHED_OUT = 0.35
"""A square of which so large a part is saturated tells nothing."""
SATURATED = 250
"""A pixel is, whose darkest colour is as bright as this, of 255."""
HYSTERESIS = 1.0
"""A square keeps what was told of it unless something else is likelier by so many nats."""
_STEP = 0.5
"""Evidence is told in steps of so many nats."""


def agree(one: Numbers, other: Numbers) -> bool:
    """Whether two readings say the same of every square of which both are sure."""
    differs = one.argmax(axis=1) != other.argmax(axis=1)
    sure = np.minimum(_margins(one), _margins(other)) > HYSTERESIS
    return not bool((differs & sure).any())


def _margins(likely: Numbers) -> Numbers:
    ordered = np.sort(np.log(np.maximum(likely, LEAST)), axis=1)
    return np.asarray(ordered[:, 2] - ordered[:, 1], np.float64)


def view_of(readings: Sequence[Numbers], hidden: frozenset[Square], told: BoardView | None) -> BoardView:
    """The mean of readings as evidence, steady against what was told before; hidden squares are unknown."""
    likely = np.mean(readings, axis=0)
    logs = np.log(np.maximum(likely, LEAST))
    logs -= logs.max(axis=1, keepdims=True)
    seen = []
    for square, (empty, white, black) in enumerate(logs):
        if square in hidden:
            seen.append(evidence_for(ANYTHING))
            continue
        now: Evidence = tuple(float(_rounded(value)) for value in (empty, white, white, black, black))  # type: ignore[assignment]
        seen.append(now if told is None else _steady(told.seen[square], now))
    return BoardView(tuple(seen))


def _rounded(value: float) -> float:
    return max(round(value / _STEP) * _STEP, FLOOR / 2)


def _steady(before: Evidence, now: Evidence) -> Evidence:
    """What was told before, where it is much the same."""
    best, was = (max(range(5), key=evidence.__getitem__) for evidence in (now, before))
    if best == was and max(abs(one - other) for one, other in zip(before, now, strict=True)) <= 2 * HYSTERESIS:
        return before
    return before if best != was and max(before) == 0.0 and now[was] > -HYSTERESIS else now


def hidden_squares(known: Watching, picture: Image, places: Places, covered: NDArray[np.bool_]) -> frozenset[Square]:
    """Squares with two covered corners, or in glare that was not there at the start; `covered` has one for each place.

    `picture` is a small one, as vision.ground makes it.
    """
    geometry = known.geometry
    corners = {(int(column), int(row)) for column, row in places.at[covered]}
    around = [(0, 0), (1, 0), (0, 1), (1, 1)]
    glare = washed_out(picture, geometry) & ~washed_out(known.model.start, geometry)
    return frozenset(
        square
        for square, (column, row) in enumerate(geometry.cells)
        if glare[square] or sum((column + dx, row + dy) in corners for dx, dy in around) >= 2
    )


def washed_out(picture: Image, geometry: Geometry) -> NDArray[np.bool_]:
    """Which squares of a small picture are in glare. Shape (squares,)."""
    bright = picture.min(axis=2) >= SATURATED
    tops = [(EDGE + row * PIXELS, EDGE + column * PIXELS) for column, row in geometry.cells]
    parts = [bright[top + 3 : top + PIXELS - 3, left + 3 : left + PIXELS - 3] for top, left in tops]
    return np.array([float(part.mean()) >= WASHED_OUT for part in parts])
