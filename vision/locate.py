"""Where the board is: the lattice of the points at which four squares meet.

Half of the squares are never played on and always empty, so at every inner crossing two opposite quadrants look alike
and differ from the other two, however many pieces stand there. Such crossings are sought as saddles of brightness (or
of a colour channel), neighbours turn the pattern by 90 degrees, and from one of them the lattice grows over the whole
board; which window of it is the board, and of which size, is decided by what is seen at each of its crossings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crossings import Crossings, Grid, crossings_of, grid, sampled

Image = NDArray[np.uint8]
"""Height, width, 3: blue, green, red."""
Points = NDArray[np.float64]
"""Rows of x and y, in pixels."""

SIZES = ((8, 8), (10, 10), (10, 8), (8, 10))
"""Columns and rows of the boards that are looked for, as the picture shows them."""
SIDES = (800, 1280)
"""The longer side to which a picture is scaled before it is looked at, one after the other."""
ENOUGH = 0.55
"""A board this well supported is believed without looking at further channels; 1 is a drawn chequer."""
LEAST = 0.34
"""Below this nothing is reported."""
OUTSIDE = 0.25
"""So much of a square may lie outside the picture."""

_COARSE = 4
_SEEDS = 24
_FEWEST = 12
_BEGUN = 4
"""A lattice goes on only where its first crossing has three neighbours; another one begins better."""
_QUADRANT = (0.1, 0.15)
_NOT_THERE = 0.3
"""A crossing less pronounced than this speaks against a window that holds it."""


@dataclass(frozen=True, slots=True)
class Located:
    """A board in a picture."""

    corners: Points
    """Its four corners in pixels: the one nearest the picture's top left, then clockwise. Shape (4, 2)."""
    columns: int
    """Squares from the first corner to the second."""
    rows: int
    score: float
    """How well the crossings support it, 0 to 1."""
    parity: int
    """(row + column) % 2 of the darker squares, as the picture shows them."""
    residual: float
    """Median distance of the crossings from the lattice, in sides of a square."""


def locate(image: Image, sizes: Sequence[tuple[int, int]] = SIZES) -> Located | None:
    """The board in a picture; None where none is supported well enough, or more than a quarter of a square is outside.

    `sizes` are columns and rows as the picture shows them. Corners come within 0.15 of a square's side or not at all.
    """
    best: Located | None = None
    for side in SIDES:
        scale = min(1.0, side / max(image.shape[:2]))
        small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        for channel in _channels(small):
            found = _in_channel(channel, sizes)
            if found is not None and _is_inside(found, small) and (best is None or found.score > best.score):
                best = _rescaled(found, scale)
            if best is not None and best.score >= ENOUGH:
                return best
        if scale == 1:
            break
    return best


def _is_inside(found: Located, image: Image) -> bool:
    """Whether at most a quarter of a square is outside the picture: what lies there cannot be known."""
    height, width = image.shape[:2]
    side = np.hypot(*(found.corners[1] - found.corners[0])) / found.columns
    outside = np.maximum(-found.corners, found.corners - np.array([width - 1, height - 1]))
    return bool(outside.max() <= OUTSIDE * side)


def _rescaled(found: Located, scale: float) -> Located:
    corners = (found.corners + 0.5) / scale - 0.5
    return Located(corners, found.columns, found.rows, found.score, found.parity, found.residual)


def _channels(image: Image) -> Iterator[Grid]:
    """Brightness, then what tells squares apart that are equally bright."""
    blurred = cv2.GaussianBlur(image, (0, 0), 0.8)
    lab = cv2.cvtColor(blurred, cv2.COLOR_BGR2LAB).astype(np.float32)
    yield _evened(lab[..., 0])
    yield _evened(blurred[..., 2].astype(np.float32))
    yield _evened(lab[..., 2])
    yield _evened(lab[..., 1])
    yield _evened(blurred[..., 0].astype(np.float32))


def _evened(channel: Grid) -> Grid:
    """Local mean 0, local deviation 1, so that shade and lamp weigh alike."""
    mean = _around(channel)
    deviation = np.sqrt(np.maximum(_around(channel * channel) - mean * mean, 0))
    return grid((channel - mean) / (deviation + 4))


def _around(values: Grid) -> Grid:
    """The mean around each pixel; it varies so slowly that a part of the pixels tells it."""
    height, width = values.shape
    few = cv2.resize(values, (-(-width // _COARSE), -(-height // _COARSE)), interpolation=cv2.INTER_AREA)
    return grid(cv2.resize(cv2.GaussianBlur(few, (0, 0), max(few.shape) / 25), (width, height)))


def _in_channel(channel: Grid, sizes: Sequence[tuple[int, int]]) -> Located | None:
    crossings = crossings_of(channel)
    lattice = _lattice(crossings)
    if lattice is None:
        return None
    return _window(channel, crossings, lattice, sizes)


def _lattice(crossings: Crossings) -> Points | None:
    """Homography (3, 3) from lattice (column, row) to pixels that most crossings fit, None where fewer than 12 do."""
    best: dict[tuple[int, int], int] = {}
    tried = np.zeros(len(crossings.at), bool)
    unlike = _unlike(crossings)
    for seed in range(min(_SEEDS, len(crossings.at))):
        if tried[seed]:
            continue
        for first in _first_steps(crossings, seed):
            grown = _grow(crossings, unlike, seed, *first)
            if len(grown) > len(best):
                best = grown
            if len(grown) >= _FEWEST:
                tried[list(grown.values())] = True
        if len(best) >= 45:
            break
    if len(best) < _FEWEST:
        return None
    return _fitted(crossings, best)


def _first_steps(crossings: Crossings, seed: int) -> list[tuple[Points, Points]]:
    """Pairs of steps from a crossing to its likely neighbours, along the two edges that cross there."""
    away = crossings.at - crossings.at[seed]
    distance = np.hypot(away[:, 0], away[:, 1])
    opposite = np.real(crossings.pattern * np.conj(crossings.pattern[seed])) < -0.5
    near = np.nonzero(opposite & (distance > 10) & (distance < 160))[0]
    if len(near) == 0:
        return []
    # The harmonic's angle is twice that of the bright quadrants; edges lie halfway between.
    edge = -np.angle(crossings.pattern[seed]) / 2 + np.pi / 4
    turn = np.angle(np.exp(2j * (np.arctan2(away[near, 1], away[near, 0]) - edge))) / 2
    along = near[np.abs(turn) < np.pi / 7]
    across = near[np.abs(turn) > np.pi / 2 - np.pi / 7]
    along, across = (side[np.argsort(distance[side])][:3] for side in (along, across))
    return [
        (away[a], away[b])
        for a, b in product(along, across)
        if 0.4 < distance[a] / distance[b] < 2.5 and abs(_cross(away[a], away[b])) > 0.5 * distance[a] * distance[b]
    ]


def _unlike(crossings: Crossings) -> NDArray[np.float64]:
    """0 where two crossings may be neighbours, as their patterns are opposite; infinite where not."""
    parts = np.stack([crossings.pattern.real, crossings.pattern.imag])
    return np.where(parts.T @ parts > -0.5, np.inf, 0.0)


def _grow(
    crossings: Crossings, unlike: NDArray[np.float64], seed: int, right: Points, down: Points
) -> dict[tuple[int, int], int]:
    """Crossings by (column, row) of the lattice that begins at a seed with these steps."""
    at, (x, y) = crossings.at, crossings.at.T.copy()
    found = {(0, 0): seed}
    steps = {(0, 0): (right, down)}
    used = {seed}
    waiting = [here := (0, 0)]
    while waiting and (len(found) >= _BEGUN or here == (0, 0)):
        here = waiting.pop(0)
        right, down = steps[here]
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            place = (here[0] + dx, here[1] + dy)
            if place in found or abs(place[0]) > 12 or abs(place[1]) > 12:
                continue
            step = dx * right + dy * down
            expected = at[found[here]] + step
            squared = (x - expected[0]) ** 2 + (y - expected[1]) ** 2 + unlike[found[here]]
            number = int(squared.argmin())
            if squared[number] > 0.22**2 * (step @ step) or number in used:
                continue
            found[place] = number
            used.add(number)
            made = at[number] - at[found[here]]
            side = made if dx + dy > 0 else -made
            steps[place] = (0.5 * (right + side), down) if dx else (right, 0.5 * (down + side))
            waiting.append(place)
    return found


def _fitted(crossings: Crossings, grown: dict[tuple[int, int], int]) -> Points | None:
    """The homography through a lattice, fitted again to all crossings near it."""
    places = np.array(list(grown), np.float64)
    seen = crossings.at[list(grown.values())]
    step = np.median(np.hypot(*(seen - np.roll(seen, 1, axis=0)).T))
    homography: Points | None = None
    for _ in range(4):
        found, inside = cv2.findHomography(places, seen, cv2.RANSAC, max(2.0, 0.06 * float(step)))
        if found is None or int(np.sum(inside)) < _FEWEST:
            return None
        homography = np.asarray(found, np.float64)
        fitting = places[np.ravel(inside) > 0]
        low, high = fitting.min(axis=0) - 2, fitting.max(axis=0) + 2
        nodes = np.array(list(product(np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1))))
        expected = mapped(homography, nodes)
        sides = _sides(homography, nodes)
        nearest, away = _nearest(crossings, expected)
        fits = away < 0.12 * sides
        sign = _signs(crossings.pattern[nearest], nodes)
        fits &= sign * np.sign(sign[fits].sum() or 1) > 0
        if int(fits.sum()) < _FEWEST:
            return homography
        places, seen = nodes[fits], crossings.at[nearest[fits]]
    return homography


def _nearest(crossings: Crossings, points: Points) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The crossing nearest to each point, and how far away it is."""
    (x, y), (to_x, to_y) = crossings.at.T, points.T[..., None]
    squared = (x - to_x) ** 2 + (y - to_y) ** 2
    nearest = squared.argmin(axis=1)
    return nearest, np.sqrt(squared[np.arange(len(points)), nearest])


def _signs(pattern: NDArray[np.complex128], nodes: Points) -> NDArray[np.float64]:
    """1 or -1 for each node, all equal where the pattern turns from neighbour to neighbour."""
    even = np.where((nodes.sum(axis=1) % 2) == 0, 1, -1)
    turned = pattern * even
    mean = turned.sum()
    return np.asarray(np.sign(np.real(turned * np.conj(mean))), np.float64)


def _cross(a: Points, b: Points) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def mapped(homography: Points, points: Points) -> Points:
    """Points moved by a homography. Shapes (3, 3), (n, 2)."""
    moved = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return np.asarray(moved[:, :2] / moved[:, 2:], np.float64)


def _sides(homography: Points, nodes: Points) -> NDArray[np.float64]:
    """How long a step to the next column is at each node, in pixels."""
    steps = mapped(homography, nodes + np.array([1, 0])) - mapped(homography, nodes)
    return np.asarray(np.hypot(steps[:, 0], steps[:, 1]), np.float64)


# The window


def _window(
    channel: Grid, crossings: Crossings, homography: Points, sizes: Sequence[tuple[int, int]]
) -> Located | None:
    """The part of the lattice that is the board."""
    reach = 12
    axis = np.arange(-reach, reach + 1)
    nodes = np.array(list(product(axis, axis)), np.float64)
    depth = np.column_stack([nodes, np.ones(len(nodes))]) @ homography[2]
    origin = float(homography[2, 2])
    height, width = channel.shape
    places = mapped(homography, nodes)
    margin = 2
    inside = (places >= margin).all(axis=1) & (places[:, 0] < width - margin) & (places[:, 1] < height - margin)
    seen = (inside & (depth * np.sign(origin) > 0.15 * abs(origin))).reshape(len(axis), len(axis))
    support, sign = _support(channel, homography, nodes)
    support = np.where(seen, support.reshape(len(axis), len(axis)), 0.0)
    best: tuple[float, int, int, int, int] | None = None
    for columns, rows in sizes:
        windows = np.lib.stride_tricks.sliding_window_view(support[1:-1, 1:-1] - _NOT_THERE, (columns - 1, rows - 1))
        scores = windows.sum(axis=(2, 3))
        left, top = (int(place) for place in np.unravel_index(scores.argmax(), scores.shape))
        if best is None or scores[left, top] > best[0]:
            best = (float(scores[left, top]), left, top, columns, rows)
    if best is None or best[0] <= 0:
        return None
    _, left, top, columns, rows = best
    within = support[left + 1 : left + columns, top + 1 : top + rows]
    score = float(np.clip(within, 0, 1).mean()) * _stands_out(support, left, top, columns, rows)
    if score < LEAST:
        return None
    first = axis[left], axis[top]
    homography, residual = _refitted(crossings, homography, first, columns, rows)
    corners = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float64) + first
    odd = (first[0] + first[1]) % 2
    # `sign` is 1 where the square to the lower right of an even node is dark.
    parity = (0 if sign > 0 else 1) ^ int(odd)
    return _turned(mapped(homography, corners), columns, rows, score, parity, residual)


def _support(channel: Grid, homography: Points, nodes: Points) -> tuple[NDArray[np.float64], float]:
    """How much each node looks like a crossing, about 1 for a good one, and which squares are dark."""
    smooth = grid(cv2.GaussianBlur(channel, (0, 0), 1.0))
    quadrants = []
    for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        samples = [
            sampled(smooth, mapped(homography, nodes + np.array([dx * a, dy * b])))
            for a, b in product(_QUADRANT, _QUADRANT)
        ]
        quadrants.append(np.mean(samples, axis=0))
    upper_left, upper_right, lower_right, lower_left = quadrants
    even = np.where(nodes.sum(axis=1) % 2 == 0, 1.0, -1.0)
    differences = even * np.array(
        [upper_right - upper_left, lower_left - lower_right, lower_left - upper_left, upper_right - lower_right]
    )
    middle = np.abs(nodes).max(axis=1) <= 5
    sign = float(np.sign(np.median(differences[:, middle].mean(axis=0)) or 1))
    weakest = (sign * differences).min(axis=0)
    strongest = np.sort(weakest)[-30:]
    contrast = max(float(np.median(strongest)), 0.15)
    return np.clip(weakest / contrast, -0.5, 1.0), sign


def _stands_out(support: NDArray[np.float64], left: int, top: int, columns: int, rows: int) -> float:
    """1 where the crossings end with the window, less where they go on: then it may be a row or two off."""
    around = support[max(left, 0) : left + columns + 1, max(top, 0) : top + rows + 1].copy()
    inner = around[1:columns, 1:rows].mean()
    ring = (around.sum() - around[1:columns, 1:rows].sum()) / (around.size - (columns - 1) * (rows - 1))
    return float(np.clip(1 - max(ring, 0) / max(inner, 1e-6), 0, 1))


def _refitted(
    crossings: Crossings, homography: Points, first: tuple[int, int], columns: int, rows: int
) -> tuple[Points, float]:
    """The homography through the crossings of the board alone, and the median of what is left, in squares."""
    nodes = np.array(list(product(range(1, columns), range(1, rows))), np.float64) + first
    expected = mapped(homography, nodes)
    sides = _sides(homography, nodes)
    nearest, away = _nearest(crossings, expected)
    error = away / sides
    fits = error < 0.15
    if int(fits.sum()) < _FEWEST:
        return homography, 1.0
    found, _ = cv2.findHomography(nodes[fits], crossings.at[nearest[fits]], cv2.LMEDS)
    if found is None:
        return homography, float(np.median(error[fits]))
    again = np.asarray(found, np.float64)
    left = np.hypot(*(mapped(again, nodes[fits]) - crossings.at[nearest[fits]]).T) / sides[fits]
    return again, float(np.median(left))


def _turned(corners: Points, columns: int, rows: int, score: float, parity: int, residual: float) -> Located:
    """The same board, its corners clockwise from the one nearest the picture's top left."""
    area = _cross(corners[1] - corners[0], corners[2] - corners[0])
    if area < 0:
        corners = corners[[0, 3, 2, 1]]
        columns, rows = rows, columns
    first = int(np.argmin(corners.sum(axis=1)))
    for _ in range(first):
        # A quarter turn: what was the left edge becomes the top; a square's row and column change places.
        corners = np.roll(corners, -1, axis=0)
        parity = (parity + columns - 1) % 2
        columns, rows = rows, columns
    return Located(corners, columns, rows, score, parity, residual)
