"""What of a board no piece covers: the places where squares meet, looked at in a small picture of it.

Whether such a place looks as it did before tells of hands, sleeves and cloths (they cover it) and of a camera that was
pushed (all of them are gone), and tells nothing of shadows and lamps: what is compared is the pattern, not the light.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Geometry
from vision.height import MAN, Eye
from vision.locate import Image
from vision.rectify import MARGIN, SIDE

PIXELS = 16
"""Pixels to a side of a square in the small picture."""
EDGE = MARGIN * PIXELS // SIDE
"""Pixels around the board in it."""
REACH = 7
"""How far around a place is looked, in pixels of the small picture."""
ALIKE = 0.5
"""A place whose pattern correlates with what it was by less is covered."""
CLEAR = 0.8
"""One that correlates by less is touched."""
HAND = 3
"""So many touched places side by side are a hand, a sleeve or an arm; fewer are a piece, or its shadow."""
HIDDEN = 1.6
"""Unless less of their patterns is gone than this, in whole places: then it is a light shadow."""
COLOUR = 22.0
"""Or one whose colour (CIE Lab a, b) is so far from what it was, against all others."""
LIGHT = 0.4
"""Or one without a pattern whose lightness (natural logarithm) is."""
FOOT = 0.42
"""No man is wider than this to either side, in sides of a square."""

_LEAST_PIXELS = 24
_FLAT = 0.05
"""Where a pattern deviates by less (natural logarithm of brightness) it tells nothing."""
_NOISE = 0.02


def small(board: Image) -> Image:
    """A board as vision.rectify makes it, PIXELS to a side of a square."""
    height, width = board.shape[0] * PIXELS // SIDE, board.shape[1] * PIXELS // SIDE
    return np.asarray(cv2.resize(board, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The places of a board that are looked at."""

    at: NDArray[np.int64]
    """Column and row of each crossing, 0 at the upper left corner of the board. Shape (places, 2).

    Those beside the board, from -1 to one more than it has, lie on its edge."""
    pixels: NDArray[np.int64]
    """For each place the pixels around it, as places in a small picture laid out in one row. Shape (places, pixels)."""
    counts: NDArray[np.float32]
    """1 for each of these pixels that belongs to the board and that no piece covers, 0 for others. Same shape."""
    free: NDArray[np.bool_]
    """The small picture's pixels that belong to the board and that no piece covers."""

    inside: NDArray[np.bool_]
    """Which of the places are crossings of the board itself. Shape (places,)."""

    def hand(self, same: NDArray[np.float64]) -> int | None:
        """How many places inside are covered by what lies over the board like a hand; None where nothing does.

        A hand covers some places side by side, others beside them in part. What covers places on the edge alone is
        none: captured pieces lie there.
        """
        left = {(int(column), int(row)): place for place, (column, row) in enumerate(self.at) if same[place] < CLEAR}
        most: int | None = None
        while left:
            group = [left.popitem()]
            for (column, row), _ in group:
                near = [(column + dx, row + dy) for dx, dy in product((-1, 0, 1), repeat=2)]
                group.extend((at, left.pop(at)) for at in near if at in left)
            found = np.array([place for _, place in group])
            hidden = float((1 - same[found]).sum())
            if len(found) >= HAND and hidden >= HIDDEN and self.inside[found].any():
                most = max(most or 0, int(((same[found] < ALIKE) & self.inside[found]).sum()))
        return most


@lru_cache(maxsize=16)
def places(geometry: Geometry, eye: Eye) -> Places:
    """The places of a board under a camera that are not hidden by pieces, wherever they stand."""
    columns, rows = geometry.columns, geometry.rows
    free = _free(geometry, eye)
    is_board = np.zeros(free.shape, bool)
    is_board[EDGE:-EDGE, EDGE:-EDGE] = True
    offsets = np.array(list(product(range(-REACH, REACH), repeat=2)))
    at, pixels, counts, inside = [], [], [], []
    height, width = free.shape
    for row, column in product(range(-1, rows + 2), range(-1, columns + 2)):
        is_inside = 0 <= row <= rows and 0 <= column <= columns
        middle = np.clip(np.array([row, column]) * PIXELS + EDGE, EDGE // 2, [height - EDGE // 2, width - EDGE // 2])
        y, x = np.clip((middle + offsets).T, 0, [[height - 1], [width - 1]])
        counted = free[y, x] & (is_board[y, x] == is_inside)
        if counted.sum() >= _LEAST_PIXELS:
            at.append((column, row))
            pixels.append(y * width + x)
            counts.append(counted)
            inside.append(is_inside)
    return Places(np.array(at), np.array(pixels), np.array(counts, np.float32), free & is_board, np.array(inside))


def _free(geometry: Geometry, eye: Eye) -> NDArray[np.bool_]:
    """Pixels that neither the foot nor the top of a man on the board covers, nor what is between."""
    shape = geometry.rows * PIXELS + 2 * EDGE, geometry.columns * PIXELS + 2 * EDGE
    hidden = np.zeros(shape, np.uint8)
    middles = np.array(geometry.cells, np.float64) + 0.5
    tops = eye.seen(middles, MAN)
    for step in np.linspace(0, 1, 4):
        for column, row in middles + step * (tops - middles):
            centre = (round(EDGE + column * PIXELS - 0.5), round(EDGE + row * PIXELS - 0.5))
            cv2.circle(hidden, centre, round(FOOT * PIXELS), 1, -1)
    return np.asarray(hidden == 0, np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """How the places of a board look in one picture, made comparable."""

    light: NDArray[np.float32]
    """Lightness (natural logarithm) of each place's pixels against their mean, 0 where a pixel does not count."""
    deviation: NDArray[np.float32]
    brightness: NDArray[np.float32]
    """Mean lightness of each place."""
    colour: NDArray[np.float32]
    """Mean a and b of CIE Lab. Shape (places, 2)."""


def looks(picture: Image, where: Places) -> Looks:
    """How the places look in a small picture."""
    lab = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB), np.float32).reshape(-1, 3)
    light = np.log(lab[:, 0] / 255 + 0.05)[where.pixels]
    counts = where.counts
    total = counts.sum(axis=1)
    brightness = (light * counts).sum(axis=1) / total
    centred = (light - brightness[:, None]) * counts
    deviation = np.sqrt((centred * centred).sum(axis=1) / total)
    colour = np.stack([(lab[:, place][where.pixels] * counts).sum(axis=1) / total for place in (1, 2)], axis=1)
    return Looks(*(np.asarray(told, np.float32) for told in (centred, deviation, brightness, colour)))


def alike(before: Looks, now: Looks, where: Places) -> NDArray[np.float64]:
    """How far the pattern of each place is what it was: 1 the same, 0 nothing of it. Shape (places,)."""
    total = where.counts.sum(axis=1)
    product_of = (before.light * now.light).sum(axis=1) / total
    # Noise alone must not count as another pattern where there is hardly any.
    scale = before.deviation * now.deviation + _NOISE * _NOISE
    same = np.clip(product_of / scale, -1, 1)
    shift, brighter = now.colour - before.colour, now.brightness - before.brightness
    apart = np.hypot(*(shift - np.median(shift, axis=0)).T) / COLOUR
    away = np.abs(brighter - np.median(brighter)) / LIGHT
    flat = (before.deviation < _FLAT) & (now.deviation < 2 * _FLAT)
    same = np.where(flat, np.clip(1.5 - away, 0, 1), same)
    return np.asarray(np.where(apart > 1, 0.0, same), np.float64)


@cache
def _window(shape: tuple[int, int]) -> NDArray[np.float32]:
    return np.asarray(cv2.createHanningWindow(shape[::-1], cv2.CV_32F), np.float32)


def shifted(before: Image, now: Image) -> tuple[NDArray[np.float64], float]:
    """By how much a small picture was moved as a whole, in sides of a square, and how sure that is, 0 to 1."""
    one, other = (np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32) for image in (before, now))
    (dx, dy), sure = cv2.phaseCorrelate(one, other, _window((one.shape[0], one.shape[1])))
    return np.array([dx, dy]) / PIXELS, float(sure)
