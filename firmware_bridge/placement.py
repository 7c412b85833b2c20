"""Where the squares of a game lie in a board's own numbering of its cells, row by row from the top left."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from engine.geometry import Cell, Geometry


@dataclass(frozen=True, slots=True)
class Placement:
    """Indices into the list of cells that a board reports."""

    squares: tuple[int, ...]
    """For each square the index of its cell."""
    others: tuple[tuple[int, Cell], ...]
    """For each cell out of play its index and where it is as White sees it."""


@cache
def placement(geometry: Geometry, rotated: bool) -> Placement:
    """The placement on a board that lies as White sees it, or turned by 180 degrees."""
    last = geometry.columns * geometry.rows - 1

    def index(cell: Cell) -> int:
        straight = cell[1] * geometry.columns + cell[0]
        return last - straight if rotated else straight

    cells = [(column, row) for row in range(geometry.rows) for column in range(geometry.columns)]
    others = tuple((index(cell), cell) for cell in cells if geometry.square_at(*cell) is None)
    return Placement(tuple(index(cell) for cell in geometry.cells), others)
