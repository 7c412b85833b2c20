"""What is measured of each square that is played on: numbers that tell a piece from none, and a white one from a black.

Everything is relative, since boards, pieces and lamps are of every kind: to the squares beside it that are never played
on, which are always empty and stand in the same light; to the corners of the square itself, which no piece covers; and
to the other squares of the board, of which many look alike. Lightness is in natural logarithms, so that a dark man on a
dark square counts as much as a pale one on a pale square.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.locate import Image
from vision.rectify import MARGIN, SIDE

Numbers = NDArray[np.float64]
Cells = tuple[tuple[int, int], ...]
"""Rows and columns of squares, as the board image shows them, row 0 at its top."""

MOST = 5.0
"""No number is larger, nor smaller than its negative."""

_BRIGHT = 0.62
"""The lighter kind of squares is brought to this, of 1."""
_DARKEST = 0.03
_SOFT, _DETAIL = 0.017, 0.042
"""What is smaller is noise, and is texture; in sides of a square."""
_CHROMA = 15.0
_ANGLES = 16
_RADII = (0.20, 0.25, 0.30, 0.35, 0.40, 0.45)
_SLOPE = SIDE / 48 / 32
"""Makes differences of pixels beside each other what they are per 48th of a side."""
_SHIFTS = (-0.14, -0.07, 0.0, 0.07, 0.14)
_GREY = np.array([0.114, 0.587, 0.299], np.float32)
_STEEP = 0.02
"""Slopes that are not steeper point nowhere."""
_MIDDLE, _RING, _CORNERS, _DISC = range(4)
"""Parts of a square, as _masks has them."""


def features(board: Image, cells: Cells, columns: int, rows: int) -> Numbers:
    """One row of numbers for each cell, in their order; `board` as vision.rectify makes it. Shape (cells, COUNT)."""
    played = set(cells)
    unplayed = tuple(cell for cell in product(range(rows), range(columns)) if cell not in played)
    evened, gain = _evened(board, cells, unplayed)
    seen = _seen(evened, cells + unplayed)
    count = len(cells)
    own = _Seen(*(getattr(seen, name)[:count] for name in _Seen.__slots__))
    empty = _Seen(*(getattr(seen, name)[count:] for name in _Seen.__slots__)) if unplayed else own
    columns_of = (
        *_light(own, empty, cells, unplayed),
        *_colour(own, empty, cells, unplayed),
        *_texture(own, empty),
        *_edge(own, empty),
        *_disc(own, empty, cells, unplayed),
        *_picture(own, empty, gain),
    )
    return np.asarray(np.clip(np.nan_to_num(np.stack(columns_of, axis=1)), -MOST, MOST), np.float64)


@dataclass(frozen=True, slots=True)
class _Seen:
    """Measures of squares, one row each: lightness and colour, texture, the round edge of a piece."""

    light: Numbers
    light_ring: Numbers
    light_corner: Numbers
    colour: Numbers
    """CIE Lab, shape (squares, 3)."""
    colour_corner: Numbers
    deviation: Numbers
    grain: Numbers
    edge: Numbers
    edge_sign: Numbers
    edge_coherence: Numbers
    edge_same: Numbers
    edge_radius: Numbers
    edge_shift: Numbers
    round: Numbers
    """How far slopes point towards one place, however weak they are: 1 all of them, -1 all of them away from it."""
    round_radius: Numbers
    round_shift: Numbers
    round_edge: Numbers
    """The strength of that edge."""
    disc: Numbers
    """Lightness within it."""
    disc_colour: Numbers
    """CIE Lab within it, shape (squares, 3)."""


def _evened(board: Image, cells: Cells, unplayed: Cells) -> tuple[NDArray[np.float32], float]:
    """The picture brought to a usual brightness, 0 to 1, and by how much it was multiplied."""
    soft = np.asarray(cv2.GaussianBlur(board, (0, 0), _SOFT * SIDE), np.float32) / np.float32(255)
    grey = _grey(soft)
    own = float(np.median(_under(grey, cells, _CORNERS)))
    others = float(np.median(_under(grey, unplayed, _MIDDLE))) if unplayed else own
    gain = _BRIGHT / max(own, others, 0.02)
    return np.minimum(soft * np.float32(gain), np.float32(1.5)), gain


def _grey(colours: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.transform(colours, _GREY[None]), np.float32)


@cache
def _masks() -> tuple[NDArray[np.bool_], ...]:
    """Parts of a square: its middle, a ring around it, its four corners. Shape (SIDE, SIDE) each."""
    axis = (np.arange(SIDE) + 0.5) / SIDE - 0.5
    distance = np.hypot(axis[:, None], axis[None])
    border = np.maximum(np.abs(axis[:, None]), np.abs(axis[None])) > 0.45
    return distance < 0.24, (distance > 0.29) & (distance < 0.41), (distance > 0.555) & ~border, distance < 0.2


def _under(values: NDArray[np.float32], cells: Cells, part: int) -> NDArray[np.float32]:
    """What is under a part of _masks in each cell. Shape (cells, pixels) or (cells, pixels, 3)."""
    places = _places(cells, values.shape[1], part)
    return np.asarray(values.reshape(-1, *values.shape[2:])[places], np.float32)


def _median(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Medians over the pixels of each cell, as np.median gives them, without its search for what is no number."""
    half, is_odd = divmod(values.shape[1], 2)
    if is_odd:
        return np.asarray(np.partition(values, half, axis=1)[:, half])
    return np.asarray(np.partition(values, (half - 1, half), axis=1)[:, half - 1 : half + 1].mean(axis=1))


@lru_cache(maxsize=64)
def _places(cells: Cells, width: int, part: int) -> NDArray[np.intp]:
    """Where the pixels under a part lie in a picture laid out in one row. Shape (cells, pixels)."""
    y, x = np.nonzero(_masks()[part])
    tops = np.array([(MARGIN + row * SIDE, MARGIN + column * SIDE) for row, column in cells])
    return np.asarray((tops[:, :1] + y) * width + tops[:, 1:] + x, np.intp)


def _seen(evened: NDArray[np.float32], cells: Cells) -> _Seen:
    light = np.asarray(cv2.log(_grey(evened) + np.float32(_DARKEST)), np.float32)
    inside = _under(light, cells, _MIDDLE)
    detail = np.abs(light - np.asarray(cv2.GaussianBlur(light, (0, 0), _DETAIL * SIDE), np.float32))
    return _Seen(
        _median(inside).astype(np.float64),
        _median(_under(light, cells, _RING)).astype(np.float64),
        _median(_under(light, cells, _CORNERS)).astype(np.float64),
        _median(_lab(_under(evened, cells, _MIDDLE))).astype(np.float64),
        _median(_lab(_under(evened, cells, _CORNERS))).astype(np.float64),
        inside.std(axis=1).astype(np.float64),
        _under(detail, cells, _MIDDLE).mean(axis=1).astype(np.float64),
        *_edges(light, evened, cells),
    )


def _lab(colours: NDArray[np.float32]) -> NDArray[np.float32]:
    """CIE Lab of blue, green and red, 0 to 1 each. Shape (cells, pixels, 3), as given."""
    return np.asarray(cv2.cvtColor(np.minimum(colours, np.float32(1)), cv2.COLOR_BGR2LAB), np.float32)


def _light(own: _Seen, empty: _Seen, cells: Cells, unplayed: Cells) -> tuple[Numbers, ...]:
    light = own.light
    beside = _beside(empty.light[:, None], cells, unplayed)[:, 0]
    board = float(np.median(own.light_corner))
    expected = beside + board - float(np.median(empty.light))
    rank = np.argsort(np.argsort(light)) / max(len(light) - 1, 1)
    return (
        light - beside,
        light - expected,
        light - np.median(light),
        rank,
        light - own.light_corner,
        light - board,
        light - own.light_ring,
        own.light_ring - own.light_corner,
        own.light_corner - expected,
    )


def _colour(own: _Seen, empty: _Seen, cells: Cells, unplayed: Cells) -> tuple[Numbers, ...]:
    colour = own.colour[:, 1:]
    beside = _beside(empty.colour[:, 1:], cells, unplayed)
    expected = beside + np.median(own.colour_corner[:, 1:], axis=0) - np.median(empty.colour[:, 1:], axis=0)
    return (
        *((colour - expected) / _CHROMA).T,
        np.hypot(*(colour - expected).T) / _CHROMA,
        *((colour - own.colour_corner[:, 1:]) / _CHROMA).T,
        *((colour - beside) / _CHROMA).T,
        *(colour / 25).T,
        own.colour[:, 0] / 50 - 1,
    )


def _texture(own: _Seen, empty: _Seen) -> tuple[Numbers, ...]:
    deviation, grain = np.log(own.deviation + 0.01), np.log(own.grain + 0.005)
    return (
        deviation - np.log(np.median(empty.deviation) + 0.01),
        deviation - np.log(np.median(own.deviation) + 0.01),
        grain - np.log(np.median(empty.grain) + 0.005),
        grain - np.log(np.median(own.grain) + 0.005),
    )


def _edge(own: _Seen, empty: _Seen) -> tuple[Numbers, ...]:
    edge = np.log(own.edge + 0.02)
    weakest = np.sort(own.edge)[: max(len(own.edge) // 4, 1)].mean()
    return (
        edge - np.log(np.median(empty.edge) + 0.02),
        edge - np.log(weakest + 0.02),
        5 * own.edge,
        own.edge_sign * np.minimum(20 * own.edge, 3),
        own.edge_coherence,
        own.edge_same,
        4 * own.edge_radius,
        4 * own.edge_shift,
        2 * own.round,
        2 * np.abs(own.round),
        2 * (np.abs(own.round) - np.median(np.abs(empty.round))),
        4 * own.round_radius,
        4 * own.round_shift,
        np.clip(20 * own.round_edge, -3, 3),
    )


def _disc(own: _Seen, empty: _Seen, cells: Cells, unplayed: Cells) -> tuple[Numbers, ...]:
    """What is within the roundest edge: a piece may stand beside the middle of its square."""
    beside = _beside(empty.light[:, None], cells, unplayed)[:, 0]
    board, usual = np.median(own.light_corner), np.median(empty.light)
    colour = own.disc_colour[:, 1:] - np.median(own.colour_corner[:, 1:], axis=0)
    return (
        own.disc - beside,
        own.disc - beside - board + usual,
        own.disc - own.light_corner,
        *(colour / _CHROMA).T,
    )


def _picture(own: _Seen, empty: _Seen, gain: float) -> tuple[Numbers, ...]:
    """What holds for the whole picture, and how far each square is from those most like it."""
    same = np.ones(len(own.light))
    board = float(np.median(own.light_corner))
    looks = np.column_stack([60 * own.light, own.colour[:, 1:]])
    apart = np.sort(np.linalg.norm(looks[:, None] - looks[None], axis=2), axis=1)
    nearest = apart[:, 1 : max(len(looks) // 4, 2)].mean(axis=1)
    return (
        np.median(empty.edge_coherence) * same,
        (board - np.median(empty.light)) * same,
        (own.colour[:, 0] > 98).astype(np.float64),
        np.log(gain) * same,
        (np.percentile(own.light, 90) - board) * same,
        (np.percentile(own.light, 10) - board) * same,
        nearest / 20,
    )


def _beside(values: Numbers, cells: Cells, unplayed: Cells) -> Numbers:
    """The mean of the squares beside each cell that are not played on; of all cells where a board has none."""
    if not unplayed:
        return np.broadcast_to(np.median(values, axis=0), (len(cells), values.shape[1]))
    shares = _neighbours(cells, unplayed)
    has_some = shares.sum(axis=1, keepdims=True) > 0
    return np.asarray(np.where(has_some, shares @ values, np.median(values, axis=0)), np.float64)


@lru_cache(maxsize=16)
def _neighbours(cells: Cells, unplayed: Cells) -> Numbers:
    """How much each square that is not played on counts for each cell: equally where they share a side, else not."""
    away = np.abs(np.array(cells)[:, None] - np.array(unplayed)[None]).sum(axis=2)
    beside = (away == 1).astype(np.float64)
    return np.asarray(beside / np.maximum(beside.sum(axis=1, keepdims=True), 1), np.float64)


def _edges(light: NDArray[np.float32], evened: NDArray[np.float32], cells: Cells) -> tuple[Numbers, ...]:
    """The likeliest round edge in each cell, by the strength of slopes and by where they point; lengths in sides."""
    dx = np.asarray(cv2.Scharr(light, cv2.CV_32F, 1, 0, scale=_SLOPE), np.float32)
    dy = np.asarray(cv2.Scharr(light, cv2.CV_32F, 0, 1, scale=_SLOPE), np.float32)
    steepness = np.asarray(cv2.magnitude(dx, dy), np.float32)
    places, outwards, shifts = _rings(cells, light.shape)
    slope = np.take(dx, places) * outwards[:, 0] + np.take(dy, places) * outwards[:, 1]
    points = slope / (np.take(steepness, places) + np.float32(_STEEP))
    mean = np.full(_ANGLES, 1 / _ANGLES, np.float32)
    steady = slope @ mean
    rising = (slope > 0).astype(np.float32) @ mean
    same = 2 * np.maximum(rising, 1 - rising) - 1
    strength = np.abs(steady) * same
    best = strength.argmax(axis=1)
    rows = np.arange(len(cells))
    shift, radius = np.divmod(best, len(_RADII))
    coherence = np.abs(steady[rows, best]) / (np.abs(slope[rows, best]).mean(axis=1) + 0.004)
    pointing = points @ mean
    roundest = np.abs(pointing).argmax(axis=1)
    round_shift, round_radius = np.divmod(roundest, len(_RADII))
    moved = np.rint(shifts[round_shift]).astype(np.intp)
    within = _places(cells, light.shape[1], _DISC) + (moved[:, 1] * light.shape[1] + moved[:, 0])[:, None]
    return (
        strength[rows, best].astype(np.float64),
        np.sign(steady[rows, best]).astype(np.float64),
        coherence.astype(np.float64),
        same[rows, best].astype(np.float64),
        np.array(_RADII)[radius],
        np.hypot(*(shifts[shift] / SIDE).T).astype(np.float64),
        pointing[rows, roundest].astype(np.float64),
        np.array(_RADII)[round_radius],
        np.hypot(*(shifts[round_shift] / SIDE).T).astype(np.float64),
        steady[rows, roundest].astype(np.float64),
        _median(light.ravel()[within]).astype(np.float64),
        _median(_lab(evened.reshape(-1, 3)[within])).astype(np.float64),
    )


@lru_cache(maxsize=16)
def _rings(cells: Cells, shape: tuple[int, int]) -> tuple[NDArray[np.intp], NDArray[np.float32], NDArray[np.float32]]:
    """The pixels on the rings that are looked at in each cell, laid out in one row; which way is outwards; the shifts.

    Shapes (cells, rings, angles), (angles, 2), (shifts, 2); the radii of a shift follow one another.
    """
    angles = 2 * np.pi * np.arange(_ANGLES) / _ANGLES
    outwards = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    middles = np.array([(MARGIN + (c + 0.5) * SIDE, MARGIN + (r + 0.5) * SIDE) for r, c in cells], np.float32) - 0.5
    shifts = np.array(list(product(_SHIFTS, _SHIFTS)), np.float32) * SIDE
    radii = np.array(_RADII, np.float32) * SIDE
    rings = shifts[:, None, None] + radii[None, :, None, None] * outwards
    at = middles[:, None, None, None] + rings[None]
    x = np.clip(np.rint(at[..., 0]).astype(np.intp), 0, shape[1] - 1)
    y = np.clip(np.rint(at[..., 1]).astype(np.intp), 0, shape[0] - 1)
    return (y * shape[1] + x).reshape(len(cells), -1, _ANGLES), outwards, shifts
