"""The empty board as a reference: a square that looks as it did when nothing stood there is empty.

Light is evened out first, by a plane through all that no piece covers; where that leaves much, the light does not fit
and the reference says nothing. How much a piece changes a square was seen at the start position.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Geometry
from vision.features import Numbers
from vision.ground import EDGE, PIXELS
from vision.locate import Image

SUREST = 2.5
"""The reference alone speaks for or against a piece by no more nats than this."""
UNEVEN = 0.3
"""Where light leaves so large a share of what a piece changes, nothing is said."""
_LOGARITHMS = np.log(np.arange(256) + 8.0)
"""Of brightness, 0 to 255; what is nearly black differs by noise alone."""
_BESIDE = 3
"""So many pixels around a cell tell of its light."""
_EVERY = 5
"""Of the pixels that nothing covers, so many are one looked at."""
_LEAST_DEVIATION = 0.35
_LEAST_GAP = 0.7
"""Squares with pieces must have changed by so much more than empty ones, in natural logarithms, for it to be of use."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A board as it was empty, and what pieces changed then. Changes are natural logarithms."""

    empty: Image
    free: NDArray[np.bool_]
    """Pixels that no piece covers."""
    geometry: Geometry
    still: float
    """How much a square changes on which nothing happens, and the deviation of that."""
    still_deviation: float
    taken: float
    """How much a piece changes a square, and the deviation of that."""
    taken_deviation: float

    def favour(self, now: Image) -> Numbers:
        """By how many nats each square speaks for a piece rather than none. Shape (squares,)."""
        changes, left = _changes(self.empty, now, self.free, self.geometry)
        fits = 1 - left / (UNEVEN * np.exp(self.taken))
        if fits <= 0:
            return np.zeros(len(changes))
        free = _density(changes, self.still, self.still_deviation)
        # What has changed by more than pieces do is no emptier for that.
        piece = _density(np.minimum(changes, self.taken), self.taken, self.taken_deviation)
        return np.asarray(np.clip(fits * (piece - free), -SUREST, SUREST), np.float64)


def reference(
    empty: Image, start: Image, kinds: NDArray[np.int64], free: NDArray[np.bool_], geometry: Geometry
) -> Reference | None:
    """What the empty board and the start position tell; None where pieces hardly change what is seen."""
    changes, _ = _changes(empty, start, free, geometry)
    still, taken = changes[kinds == 0], changes[kinds > 0]
    if len(still) < 2 or len(taken) < 2 or taken.mean() - still.mean() < _LEAST_GAP:
        return None
    deviations = (max(float(group.std()), _LEAST_DEVIATION) for group in (still, taken))
    still_deviation, taken_deviation = deviations
    return Reference(empty, free, geometry, float(still.mean()), still_deviation, float(taken.mean()), taken_deviation)


def combined(likely: Numbers, favour: Numbers) -> Numbers:
    """Probabilities of empty, white and black after the reference has spoken. Shapes (squares, 3), (squares,)."""
    weighed = likely * np.exp(np.stack([-favour / 2, favour / 2, favour / 2], axis=1))
    return np.asarray(weighed / weighed.sum(axis=1, keepdims=True), np.float64)


def _changes(empty: Image, now: Image, free: NDArray[np.bool_], geometry: Geometry) -> tuple[Numbers, float]:
    """How much each square has changed (logarithm), and how much is left of what nothing covers."""
    change = _brightness(now) - _brightness(empty)
    plane = _plane(free.shape)
    looked_at = np.flatnonzero(free)[::_EVERY]
    where, changed = plane[looked_at], change.reshape(-1, 3)[looked_at]
    weights: Numbers = np.ones(len(where))
    away: Numbers = np.zeros(len(where))
    fitted: Numbers = np.zeros((3, 3))
    for _ in range(2):
        weighed = where * weights[:, None]
        fitted = np.asarray(np.linalg.solve(weighed.T @ where + 1e-6 * np.eye(3), weighed.T @ changed), np.float64)
        away = np.abs(changed - where @ fitted).mean(axis=1)
        weights = 1 / (1 + (away / 0.1) ** 2)
    left = change - (plane @ fitted).reshape(change.shape)
    means = np.array([_change(left, free, column, row) for column, row in geometry.cells])
    return np.log(means + 0.01), float(np.median(away))


def _change(left: Numbers, free: NDArray[np.bool_], column: int, row: int) -> float:
    """How much the middle of a cell has changed against what is beside it: a shadow lies over both."""
    top, before = EDGE + row * PIXELS, EDGE + column * PIXELS
    around = slice(top - _BESIDE, top + PIXELS + _BESIDE), slice(before - _BESIDE, before + PIXELS + _BESIDE)
    beside = left[around][free[around]]
    shade = np.median(beside, axis=0) if len(beside) else np.zeros(3)
    inner = slice(PIXELS // 4, -PIXELS // 4)
    return float(np.abs(left[top : top + PIXELS, before : before + PIXELS][inner, inner] - shade).mean())


def _brightness(picture: Image) -> Numbers:
    return np.asarray(_LOGARITHMS[picture], np.float64)


@cache
def _plane(shape: tuple[int, int]) -> Numbers:
    """1, row and column of each pixel, these as shares of the longer side. Shape (pixels, 3)."""
    rows, columns = (grid.ravel() / max(shape) for grid in np.indices(shape))
    return np.stack([np.ones(shape[0] * shape[1]), rows, columns], axis=1)


def _density(values: Numbers, mean: float, deviation: float) -> Numbers:
    return np.asarray(-0.5 * ((values - mean) / deviation) ** 2 - np.log(deviation), np.float64)
