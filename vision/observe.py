"""One picture read: where the board is, how it lies, and what stands on each square, as probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np

from engine.geometry import Geometry
from vision.features import Cells, Numbers, features
from vision.gate import MANY, TOGETHER, side_by_side, strangers
from vision.height import board_to_picture
from vision.locate import SIZES, Image, Located, Points, locate, mapped
from vision.reader import Reading, judged, trained
from vision.rectify import rectified

SMALLEST = 64
"""A picture with a shorter side shows no board."""
DARK = 6.0
"""A picture whose brighter parts are below this, of 255, is too dark."""

DRAWN = 0.4
"""Every photograph varies by more within a square, by noise alone, in brightness of 255: 1.1 at the least in 77."""
_BLACK, _WHITE = 5, 245
_PATCH = 0.15
"""How far around the middle of a square that is looked at, in its sides."""

_SURER = 3.0
"""So many pieces more on the lighter squares, and they are taken for those played on."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A board that was read."""

    corners: Points
    """The playing area's corners in pixels: Black's left and right as White sees it, White's right, White's left."""
    probabilities: Numbers
    """Empty, white, black for each square in official order. Shape (squares, 3)."""
    numbers: Numbers
    """The measures of the squares, for vision.appearance. Shape (squares, measures)."""
    hand: bool
    """Whether something seems to be over the board."""
    strange: bool
    """Whether so much stands on squares that are never played on that this is no game of draughts."""
    located: Located | None
    """How it was found; None where the corners were given."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a picture was not read: `small`, `dark`, `no_board`, `other_size` or `screen`."""

    reason: str
    found: Located | None = None


def observe(
    image: Image,
    geometry: Geometry,
    most: int,
    corners: Points | None = None,
    expected: Numbers | None = None,
    networks: Sequence[Reading] | None = None,
) -> Observed | Unread:
    """Read one picture of a board; `most` pieces of a colour at the most.

    Corners may be given, in the order of `Observed.corners`; otherwise the board is sought, and how it lies is decided
    by `expected` (what stands there, in the form of `Observed.probabilities`) or, failing that, by the squares that
    hold pieces and the side that has more of its own: at the start of a game that is sure, later it is a guess.
    """
    if min(image.shape[:2]) < SMALLEST:
        return Unread("small")
    if float(np.percentile(image[::8, ::8].max(axis=2), 95)) < DARK:
        return Unread("dark")
    networks = networks or trained()
    if corners is not None:
        return _read(image, corners, geometry, most, networks, None)
    size = (geometry.columns, geometry.rows)
    # All sizes are weighed: a part of a larger board looks like a smaller one.
    found = locate(image, tuple({*SIZES, size, size[::-1]}))
    if found is None:
        return Unread("no_board")
    if {found.columns, found.rows} != set(size):
        return Unread("other_size", found)
    if is_drawn(image, found.corners, found.columns, found.rows):
        return Unread("screen", found)
    read = [_read(image, turned, geometry, most, networks, found) for turned in _ways_to_lie(found, size)]
    return max(read, key=lambda seen: _fit(seen, found, geometry, expected))


def is_drawn(image: Image, corners: Points, columns: int, rows: int) -> bool:
    """Whether half of the squares are of exactly one colour each, as on a diagram from a screen: no camera sees that.

    A screen that a camera has photographed is as noisy as all else it sees, and is not told by this.
    """
    to_picture = board_to_picture(corners, columns, rows)
    middles = np.array(list(product(range(columns), range(rows))), np.float64) + 0.5
    side = np.sqrt(abs(cv2.contourArea(corners.astype(np.float32))) / (columns * rows))
    reach = max(int(_PATCH * side), 2)
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)
    varies = []
    for x, y in np.rint(mapped(to_picture, middles)).astype(int):
        patch = grey[max(y - reach, 0) : max(y + reach, 0), max(x - reach, 0) : max(x + reach, 0)]
        # What is washed out or black is flat in photographs as well.
        if patch.size and _BLACK < patch.mean() < _WHITE:
            varies.append(float(patch.std()))
    return len(varies) * 4 >= columns * rows and float(np.median(varies)) < DRAWN


def _ways_to_lie(found: Located, size: tuple[int, int]) -> list[Points]:
    """The corners in each order in which the board may lie."""
    return [
        np.roll(found.corners, -turns, axis=0)
        for turns in range(4)
        if (found.columns, found.rows) == (size if turns % 2 == 0 else size[::-1])
    ]


def _read(
    image: Image, corners: Points, geometry: Geometry, most: int, networks: Sequence[Reading], found: Located | None
) -> Observed:
    board = rectified(image, corners, geometry.columns, geometry.rows)
    cells: Cells = tuple((row, column) for column, row in geometry.cells)
    numbers = features(board, cells, geometry.columns, geometry.rows)
    played = set(cells)
    unplayed = tuple(cell for cell in product(range(geometry.rows), range(geometry.columns)) if cell not in played)
    strange = strangers(board, unplayed) if unplayed else np.zeros(0, np.bool_)
    hand = side_by_side(unplayed, strange) >= TOGETHER
    return Observed(
        corners, judged(networks, numbers, most), numbers, hand, int(strange.sum()) > MANY * len(unplayed), found
    )


def _fit(seen: Observed, found: Located, geometry: Geometry, expected: Numbers | None) -> float:
    """How well a way to lie suits what is expected, or what is usual."""
    likely = seen.probabilities
    if expected is not None:
        return float((expected * np.log(np.maximum(likely, 1e-4))).sum())
    pieces = float(1 - likely[:, 0].mean()) * len(likely)
    rows = np.array([row for _, row in geometry.cells]) / (geometry.rows - 1) - 0.5
    own_side = float((likely[:, 1] * rows).sum() - (likely[:, 2] * rows).sum())
    return pieces + (_SURER if _plays_dark(seen, found, geometry) else 0.0) + 0.1 * float(np.tanh(own_side))


def _plays_dark(seen: Observed, found: Located, geometry: Geometry) -> bool:
    """Whether in this way to lie the darker squares are those played on."""
    turns = next(k for k in range(4) if np.allclose(np.roll(found.corners, -k, axis=0), seen.corners))
    column, row = geometry.cells[0]
    columns, rows = geometry.columns, geometry.rows
    for _ in range(turns):
        # A quarter turn back towards the picture.
        column, row, columns, rows = rows - 1 - row, column, rows, columns
    return (column + row) % 2 == found.parity
