"""Whether something is over the board: the squares that are never played on tell, since nothing stands there."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.features import Cells
from vision.locate import Image
from vision.rectify import MARGIN, SIDE

UNLIKE_LIGHT = 0.45
"""A square is a stranger where its lightness (natural logarithm) is so far from what its surroundings let expect."""
UNLIKE_COLOUR = 16.0
"""The same for its colour, in CIE Lab."""
TOGETHER = 5
"""So many strangers side by side are a hand, a sleeve or an arm; fewer are a shadow, a lamp's spot, a tall piece."""

MANY = 0.28
"""So large a share of strangers, and it is no game of draughts that is seen: chess men, or half the board covered. Of
77 photographs of draughts none has more than 0.19 (a flash); the start position of chess has 0.5."""


def hand_over(board: Image, unplayed: Cells) -> bool:
    """Whether a hand seems to be over the board; `board` as vision.rectify makes it.

    One picture alone can only say that squares look unlike the others; a camera that watches knows more.
    """
    return len(unplayed) > 0 and side_by_side(unplayed, strangers(board, unplayed)) >= TOGETHER


def strangers(board: Image, unplayed: Cells) -> NDArray[np.bool_]:
    """Which of the squares that are never played on look unlike the others. Shape (cells,)."""
    seen = _looks(board, unplayed)
    where = np.array(unplayed, np.float64)
    plane = np.column_stack([np.ones(len(where)), where, where[:, 0] * where[:, 1]])
    weights = np.ones(len(where))
    expected = seen
    for _ in range(6):
        fitted, *_ = np.linalg.lstsq(plane * weights[:, None], seen * weights[:, None], rcond=None)
        expected = plane @ fitted
        unlike = np.maximum(
            np.abs(seen - expected)[:, 0] / UNLIKE_LIGHT,
            np.hypot(*(seen - expected)[:, 1:].T) / UNLIKE_COLOUR,
        )
        weights = 1 / (1 + (2 * unlike) ** 2)
    away = seen - expected
    return np.asarray(
        (np.abs(away[:, 0]) > UNLIKE_LIGHT) | (np.hypot(away[:, 1], away[:, 2]) > UNLIKE_COLOUR), np.bool_
    )


def _looks(board: Image, cells: Cells) -> NDArray[np.float64]:
    """Lightness (logarithm) and colour (CIE Lab a, b) of each cell, medians over its inner part. Shape (cells, 3)."""
    inner = slice(SIDE // 5, -SIDE // 5)
    tops = [(MARGIN + row * SIDE, MARGIN + column * SIDE) for row, column in cells]
    parts = np.array([board[top : top + SIDE, left : left + SIDE][inner, inner] for top, left in tops], np.float32)
    lab = cv2.cvtColor(parts.reshape(len(cells), -1, 3) / 255, cv2.COLOR_BGR2LAB)
    looks = np.asarray(np.median(lab, axis=1), np.float64)
    looks[:, 0] = np.log(looks[:, 0] / 100 + 0.05)
    return looks


def side_by_side(cells: Cells, chosen: NDArray[np.bool_]) -> int:
    """How many chosen cells lie together at the most, each touching another at a side or a corner."""
    left = {cell for cell, is_chosen in zip(cells, chosen, strict=True) if is_chosen}
    largest = 0
    while left:
        group = [left.pop()]
        for row, column in group:
            near = {(row + dy, column + dx) for dy, dx in product((-1, 0, 1), repeat=2)} & left
            left -= near
            group.extend(near)
        largest = max(largest, len(group))
    return largest
