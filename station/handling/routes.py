"""Ways over the board for a piece drawn by a magnet from below: clear of every other piece, as wide as can be."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from functools import lru_cache

from engine.geometry import Cell, Geometry
from firmware_bridge.manipulations import Slot, Spot

GRID = 4
"""Places per pitch on which a way is looked for."""
WIDER = (1.3, 1.12, 1.0)
"""A way keeps as far from other pieces as it can: so many diameters from centre to centre are tried, widest first."""
BEYOND = 1.0
"""How far outside the outermost cells a piece may be drawn, in pitches."""
RIM = 2
"""Columns of cells beside the board, right of it as White sees it, that are the tray of a magnet."""

_Node = tuple[int, int]
_DIRECTIONS: tuple[_Node, ...] = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


def tray_cell(slot: Slot, geometry: Geometry) -> Cell:
    """Where a slot beside the board is: the column farther away is filled first, so that none is shut in."""
    column, row = divmod(slot, geometry.rows)
    return geometry.columns + RIM - column, row


def route(
    start: Cell, goal: Cell, others: tuple[Cell, ...], diameter: float, geometry: Geometry
) -> tuple[Spot, ...] | None:
    """The corners of a way from cell to cell, both included, that keeps clear of pieces on the other cells.

    `diameter` is a piece's, in pitches: so far apart two centres stay at least. None when there is no way.
    """
    for wider in WIDER:
        clearance = diameter * wider
        if _is_clear(start, goal, others, clearance):
            return (start, goal)
        way = _search(start, goal, others, clearance, geometry)
        if way is not None:
            return _straightened(way, others, clearance)
    return None


def _search(
    start: Cell, goal: Cell, others: tuple[Cell, ...], clearance: float, geometry: Geometry
) -> tuple[Spot, ...] | None:
    """A shortest way over the grid (A*)."""
    shut = _shut(others, clearance)
    low, right = -int(BEYOND * GRID), int((geometry.columns + RIM + BEYOND) * GRID)
    down = int((geometry.rows - 1 + BEYOND) * GRID)
    first, last = (start[0] * GRID, start[1] * GRID), (goal[0] * GRID, goal[1] * GRID)
    best: dict[_Node, float] = {first: 0.0}
    came: dict[_Node, _Node] = {}
    queue = [(math.dist(first, last), first)]
    while queue:
        _, node = heapq.heappop(queue)
        if node == last:
            return tuple(reversed([*_back(last, came)]))
        walls, length = shut.get(node, 0), best[node]
        for number, (across, along) in enumerate(_DIRECTIONS):
            if walls >> number & 1:
                continue
            after = (node[0] + across, node[1] + along)
            if not (low <= after[0] <= right and low <= after[1] <= down):
                continue
            cost = length + (math.sqrt(2) if across and along else 1.0)
            if cost < best.get(after, math.inf) - 1e-9:
                best[after], came[after] = cost, node
                heapq.heappush(queue, (cost + math.dist(after, last), after))
    return None


def _back(node: _Node, came: dict[_Node, _Node]) -> Iterator[Spot]:
    while True:
        yield node[0] / GRID, node[1] / GRID
        if node not in came:
            return
        node = came[node]


def _shut(others: tuple[Cell, ...], clearance: float) -> dict[_Node, int]:
    """For each place of the grid near a piece, in which directions its neighbour is too near that piece."""
    shut: dict[_Node, int] = {}
    for column, row in others:
        for (across, along), walls in _around(clearance):
            node = (column * GRID + across, row * GRID + along)
            shut[node] = shut.get(node, 0) | walls
    return shut


@lru_cache(maxsize=16)
def _around(clearance: float) -> tuple[tuple[_Node, int], ...]:
    reach = math.ceil(clearance * GRID) + 1
    found = []
    for across in range(-reach, reach + 1):
        for along in range(-reach, reach + 1):
            start = (across / GRID, along / GRID)
            walls = 0
            for number, (right, down) in enumerate(_DIRECTIONS):
                end = ((across + right) / GRID, (along + down) / GRID)
                if distance((0.0, 0.0), start, end) < clearance - 1e-9:
                    walls |= 1 << number
            if walls:
                found.append(((across, along), walls))
    return tuple(found)


def _straightened(way: tuple[Spot, ...], others: tuple[Cell, ...], clearance: float) -> tuple[Spot, ...]:
    """The same way with as few corners as its clearance allows."""
    corners = [way[0]]
    at = 0
    while at < len(way) - 1:
        ahead = len(way) - 1
        while ahead > at + 1 and not _is_clear(way[at], way[ahead], others, clearance):
            ahead -= 1
        corners.append(way[ahead])
        at = ahead
    return tuple(corners)


def _is_clear(start: Spot, end: Spot, others: tuple[Cell, ...], clearance: float) -> bool:
    return all(distance(cell, start, end) >= clearance - 1e-9 for cell in others)


def distance(point: Spot, start: Spot, end: Spot) -> float:
    """From a point to a line that ends."""
    right, down = end[0] - start[0], end[1] - start[1]
    square = right * right + down * down
    share = ((point[0] - start[0]) * right + (point[1] - start[1]) * down) / square if square else 0.0
    share = min(1.0, max(0.0, share))
    return math.hypot(point[0] - start[0] - share * right, point[1] - start[1] - share * down)
