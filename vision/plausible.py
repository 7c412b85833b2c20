"""Readings that no position of draughts can have, sorted out: the squares of a picture have three looks at the most.

Networks that never saw pieces or squares of such colours may take all of one look for something else, and are sure of
it. The looks themselves are plain to see, and which of them is which, the rules tell: so many squares are empty, no
colour has more pieces than it begins with, and White's are the lighter ones.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from vision.features import Numbers

LOOKS = (0, 9, 10)
"""Places of the measures that tell how a square looks: lightness and colour against its neighbours."""
LIGHT = 2
"""Place of the lightness against all other squares, a natural logarithm."""
LIGHTER = 0.25
"""Pieces that differ by less in that are told apart by the networks, not by their lightness."""
TOO_FULL, TOO_MANY = 0.5, 1.25
"""A reading is impossible with fewer empty squares than this share of those that must be, or so many times the pieces
of a colour that there are."""
_SURE, _DOUBTFUL = 0.9, 0.05
"""What a square is that was sorted, and what it is not; networks in error are not believed further than that."""
_ROUNDS = 20


def plausible(likely: Numbers, numbers: Numbers, most: int) -> Numbers:
    """The same probabilities, unless they are impossible: then those of the squares sorted by looks.

    `most` pieces of a colour at the most. Shapes (squares, 3), (squares, measures), (squares, 3).
    """
    empty, *colours = likely.sum(axis=0)
    if empty >= TOO_FULL * (len(likely) - 2 * most) and max(colours) <= TOO_MANY * most:
        return likely
    kinds = _sorted(likely, numbers, most)
    return likely if kinds is None else np.where(np.eye(3)[kinds] > 0, _SURE, _DOUBTFUL)


def _sorted(likely: Numbers, numbers: Numbers, most: int) -> NDArray[np.int64] | None:
    """What stands on each square where squares of one look have one kind; None where nothing of the sort is possible.

    Which looks are empty squares is what the networks say, taken together; which of two others is White, their light.
    """
    of = groups(numbers)
    is_empty = np.clip(likely[:, 0], _DOUBTFUL, 1 - _DOUBTFUL)
    best, best_fit = None, -np.inf
    for empty in product((True, False), repeat=3):
        if not any(empty):
            continue
        pieces = [group for group in np.unique(of) if not empty[group]]
        kinds = np.zeros(3, np.int64)
        for group, kind in zip(pieces, _colours(likely, numbers, [of == group for group in pieces]), strict=True):
            kinds[group] = kind
        now = kinds[of]
        fit = float(np.log(np.where(now == 0, is_empty, 1 - is_empty)).sum())
        if max((now == 1).sum(), (now == 2).sum()) <= most and fit > best_fit:
            best, best_fit = now, fit
    return best


def _colours(likely: Numbers, numbers: Numbers, pieces: list[NDArray[np.bool_]]) -> list[int]:
    """1 for White's or 2 for Black's, for each of up to two groups of squares with pieces."""
    whiter = [float((likely[group, 1] - likely[group, 2]).mean()) for group in pieces]
    if len(pieces) < 2:
        return [1 if white >= 0 else 2 for white in whiter]
    light = [float(numbers[group, LIGHT].mean()) for group in pieces]
    first, second = light if abs(light[0] - light[1]) >= LIGHTER else whiter
    return [1, 2] if first >= second else [2, 1]


def groups(numbers: Numbers) -> NDArray[np.int64]:
    """Squares by their looks: the number, 0 to 2, of the group to which each belongs. Shape (squares,)."""
    looks = np.asarray(numbers[:, list(LOOKS)], np.float64)
    order = np.argsort(looks[:, 0])
    darkest, lightest = looks[order[0]], looks[order[-1]]
    away = np.minimum(np.linalg.norm(looks - darkest, axis=1), np.linalg.norm(looks - lightest, axis=1))
    middles = np.array([darkest, lightest, looks[away.argmax()]])
    of = np.zeros(len(looks), np.int64)
    for _ in range(_ROUNDS):
        of = np.linalg.norm(looks[:, None] - middles, axis=2).argmin(axis=1)
        middles = np.array([looks[of == k].mean(axis=0) if (of == k).any() else middles[k] for k in range(3)])
    return of
