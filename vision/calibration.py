"""From a picture of the empty board and one of the start position to a model of the board, or why not.

How the board lies and which pieces are White's is told by the start position alone, never guessed later.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Geometry, Square
from engine.position import Piece
from vision.bump import found_again
from vision.evidence import SATURATED, washed_out
from vision.features import Numbers
from vision.frame import UNTOLD, Frame, Metadata
from vision.ground import EDGE, PIXELS, small
from vision.known import kinds_of, measured, most_of_a_colour, read_frame, taught, watching
from vision.locate import SIZES, Image, Points, locate
from vision.markers import marked
from vision.model import BoardModel, Sample
from vision.observe import DARK, SMALLEST, is_drawn
from vision.reader import judged, trained
from vision.rectify import rectified

LEAST_SIDE = 16.0
"""A square must be so many pixels wide, or its piece cannot be told."""
LEAST_SHARP = 2.0
"""A picture whose board varies by less from pixel to pixel, in brightness of 255, is out of focus."""
LEAST_AGREEING = 0.85
"""So large a share of the squares must be read as the start position has them before the board has taught anything."""
_CHANGED = 12.0
"""What changes less, in CIE Lab of 255 each, is no piece that was put down."""
TURNED = np.pi / 5
"""A board that is shown again may be turned by less than this, in radians: by a quarter turn more it looks alike."""
FURTHEST = 0.15
"""The board may lie so far, in sides of a square, from where it lay in the picture of it empty."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a board cannot be used: the reason's name, and the squares it is about.

    `small` (picture), `dark`, `no_board`, `other_size`, `screen`, `outside`, `far` (squares too small), `soft`,
    `glare`, `pushed`, `not_empty`, `not_start`.
    """

    reason: str
    squares: tuple[Square, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Aim:
    """How a camera is aimed at a board."""

    corners: Points
    """Of the playing area, in pixels, clockwise."""
    side_px: float
    """The shortest side of a square."""
    sharpness: float
    """Brightness, of 255, by which the board varies from pixel to pixel; soft below LEAST_SHARP."""
    glare: float
    """The share of the board that is saturated, 0 to 1."""


def aimed(image: Image, geometry: Geometry, corners: Points | None = None) -> Aim | Refused:
    """How well a picture shows a board of this size; corners where they are given by hand, else by markers."""
    if min(image.shape[:2]) < SMALLEST:
        return Refused("small")
    if float(np.percentile(image[::4, ::4].max(axis=2), 95)) < DARK:
        return Refused("dark")
    if corners is None:
        corners = marked(image)
    if corners is None:
        size = (geometry.columns, geometry.rows)
        found = locate(image, tuple({*SIZES, size, size[::-1]}))
        if found is None:
            return Refused("no_board")
        if {found.columns, found.rows} != set(size):
            return Refused("other_size")
        if is_drawn(image, found.corners, found.columns, found.rows):
            return Refused("screen")
        corners = found.corners
    return _aim(image, corners, geometry)


def _aim(image: Image, corners: Points, geometry: Geometry) -> Aim | Refused:
    sides = np.hypot(*(corners - np.roll(corners, -1, axis=0)).T)
    shortest = float(sides.min() / max(geometry.columns, geometry.rows))
    height, width = image.shape[:2]
    outside = np.maximum(-corners, corners - np.array([width - 1, height - 1])).max()
    area = abs(cv2.contourArea(corners.astype(np.float32)))
    if not cv2.isContourConvex(corners.astype(np.float32)) or area < 1:
        return Refused("no_board")
    if outside > 0.25 * shortest:
        return Refused("outside")
    if shortest < LEAST_SIDE:
        return Refused("far")
    board = rectified(image, corners, geometry.columns, geometry.rows)
    grey = cv2.cvtColor(board, cv2.COLOR_BGR2GRAY)
    sharpness = float(np.percentile(np.abs(cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 1), cv2.CV_32F)), 95))
    bright = float((board.min(axis=2) >= SATURATED).mean())
    if sharpness < LEAST_SHARP:
        return Refused("soft")
    return Aim(corners, shortest, sharpness, bright)


def shown_again(
    model: BoardModel, image: Image, geometry: Geometry, corners: Points | None = None
) -> BoardModel | Refused:
    """The model of a board that lies elsewhere in the picture now, found there or at corners given by hand."""
    if (image.shape[1], image.shape[0]) != model.size:
        return Refused("pushed")
    aim = aimed(image, geometry, corners)
    if isinstance(aim, Refused):
        return aim
    ways = [np.roll(aim.corners, -turns, axis=0) for turns in range(4)]
    if geometry.columns != geometry.rows:
        ways = [way for way in ways if _is_wide(way) == (geometry.columns > geometry.rows)]
    turned = [_turned(model.corners, way) for way in ways]
    nearest = int(np.argmin(turned))
    return Refused("pushed") if turned[nearest] > TURNED else model.moved(ways[nearest])


def _turned(before: Points, now: Points) -> float:
    """By how much corners were turned in the picture as a whole, in radians, whichever way."""
    one, other = (np.asarray((points - points.mean(axis=0)) @ np.array([1, 1j])) for points in (before, now))
    return float(abs(np.angle((one.conj() * other).sum())))


def model_from(
    empty: Frame | None,
    start: Frame,
    geometry: Geometry,
    home: tuple[Piece, ...],
    corners: Points | None = None,
    locked: Metadata = UNTOLD,
) -> BoardModel | Refused:
    """What is known of a board after its start position was seen, and before that, if it was, the empty board.

    `corners` are given by hand, clockwise in the picture, whichever comes first.
    """
    aim = aimed(start.image, geometry, corners)
    if isinstance(aim, Refused) and aim.reason == "no_board" and corners is None and empty is not None:
        aim = aimed(empty.image, geometry)
    if isinstance(aim, Refused):
        return aim
    if empty is not None and corners is None:
        before = found_again(empty.image, aim.corners, geometry.columns, geometry.rows)
        if before is not None and before[1] > FURTHEST:
            return Refused("pushed")
    kinds = kinds_of(home)
    lies = _lies(start, empty, aim.corners, geometry, kinds, most_of_a_colour(home))
    if isinstance(lies, Refused):
        return lies
    model = _model(start, empty, lies, geometry, kinds, locked)
    return _checked(model, start, empty, geometry, home, kinds)


def _model(
    start: Frame, empty: Frame | None, corners: Points, geometry: Geometry, kinds: NDArray[np.int64], locked: Metadata
) -> BoardModel:
    height, width = start.image.shape[:2]
    bare = None if empty is None else small(rectified(empty.image, corners, geometry.columns, geometry.rows))
    laid = small(rectified(start.image, corners, geometry.columns, geometry.rows))
    columns, rows = geometry.columns, geometry.rows
    model = BoardModel(start.camera, width, height, columns, rows, corners, bare, laid, (), locked)
    if empty is not None:
        model = model.with_sample(Sample(measured(model, geometry, corners, empty.image), np.zeros_like(kinds)))
    return model.with_sample(Sample(measured(model, geometry, corners, start.image), kinds))


def _lies(
    start: Frame, empty: Frame | None, corners: Points, geometry: Geometry, kinds: NDArray[np.int64], most: int
) -> Points | Refused:
    """The corners in the order in which the start position is read best."""
    ways = [
        way
        for way in (np.roll(corners, -turns, axis=0) for turns in range(4))
        if geometry.columns == geometry.rows or _is_wide(way) == (geometry.columns > geometry.rows)
    ]
    read = _by_reading if empty is None else _by_difference
    fits = [read(start, empty, way, geometry, kinds, most) for way in ways]
    best = max(range(len(ways)), key=lambda number: fits[number][0])
    wrong = fits[best][1]
    if 1 - len(wrong) / len(kinds) < LEAST_AGREEING:
        return Refused("not_start", wrong)
    return ways[best]


_Fit = tuple[float, tuple[Square, ...]]
"""How well a way to lie suits the start position, and the squares that do not suit it."""


def _by_reading(
    start: Frame, empty: Frame | None, corners: Points, geometry: Geometry, kinds: NDArray[np.int64], most: int
) -> _Fit:
    """By what the networks read, which have not seen this board before."""
    model = _model(start, empty, corners, geometry, kinds, UNTOLD)
    likely = judged(trained(), measured(model, geometry, corners, start.image), most)
    fit = float(np.log(np.maximum(likely[np.arange(len(kinds)), kinds], 1e-3)).sum())
    return fit, _numbers(likely.argmax(axis=1) != kinds)


def _by_difference(
    start: Frame, empty: Frame | None, corners: Points, geometry: Geometry, kinds: NDArray[np.int64], most: int
) -> _Fit:
    """By what has changed since the board was empty: where pieces stand, and the lighter of them are White's."""
    assert empty is not None
    columns, rows = geometry.columns, geometry.rows
    before, now = (
        np.asarray(cv2.cvtColor(small(rectified(frame.image, corners, columns, rows)), cv2.COLOR_BGR2LAB), np.float64)
        for frame in (empty, start)
    )
    middles = [(EDGE + row * PIXELS, EDGE + column * PIXELS) for column, row in geometry.cells]
    inner = slice(PIXELS // 4, -PIXELS // 4)

    def looks(picture: Numbers) -> Numbers:
        return np.array([picture[y : y + PIXELS, x : x + PIXELS][inner, inner].mean(axis=(0, 1)) for y, x in middles])

    light = looks(now)[:, 0]
    change = np.abs(looks(np.abs(now - before))).sum(axis=1)
    # As many squares as have pieces are those that have changed most.
    occupied = np.zeros(len(kinds), bool)
    occupied[np.argsort(change)[::-1][: int((kinds > 0).sum())]] = True
    agreeing = (occupied == (kinds > 0)) & ((change > _CHANGED) == occupied)
    white, black = light[kinds == 1].mean(), light[kinds == 2].mean()
    return float(agreeing.sum() + np.sign(white - black)), _numbers(~agreeing)


def _numbers(squares: NDArray[np.bool_]) -> tuple[Square, ...]:
    return tuple(int(square) for square in np.nonzero(squares)[0])


def _is_wide(corners: Points) -> bool:
    return bool(np.hypot(*(corners[1] - corners[0])) > np.hypot(*(corners[2] - corners[1])))


def _checked(
    model: BoardModel,
    start: Frame,
    empty: Frame | None,
    geometry: Geometry,
    home: tuple[Piece, ...],
    kinds: NDArray[np.int64],
) -> BoardModel | Refused:
    """The model, if it reads both pictures right now that it has learned from them."""
    # The empty board shows glare best.
    glare = _numbers(washed_out(model.start if model.empty is None else model.empty, geometry))
    if glare:
        return Refused("glare", glare)
    # Whether it is the start position that stands there is what is asked: it must not be learned by force.
    known = replace(watching(model, geometry, home), networks=taught(model, insists=False))
    for frame, expected, reason in ((empty, np.zeros_like(kinds), "not_empty"), (start, kinds, "not_start")):
        if frame is None:
            continue
        picture = small(rectified(frame.image, model.corners, geometry.columns, geometry.rows))
        read = read_frame(known, measured(model, geometry, model.corners, frame.image), picture).argmax(axis=1)
        wrong = np.nonzero(read != expected)[0]
        if len(wrong):
            return Refused(reason, tuple(int(square) for square in wrong))
    return model
