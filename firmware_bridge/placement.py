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


TURNS = (0, 180, 90, 270)
"""How a board may lie, in degrees clockwise from White's view, the likeliest first."""


def turns(geometry: Geometry, turned: int | None = None) -> tuple[int, ...]:
    """How a board of this size may lie, or does: a quarter turn only where it has as many rows as columns."""
    if turned is not None:
        return (turned,)
    return TURNS if geometry.columns == geometry.rows else TURNS[:2]


def own_cell(geometry: Geometry, turned: int, cell: Cell) -> Cell:
    """The cell in the board's own counting that lies on a cell as White sees it."""
    column, row = cell
    right, bottom = geometry.columns - 1 - column, geometry.rows - 1 - row
    return {0: (column, row), 90: (row, right), 180: (right, bottom), 270: (bottom, column)}[turned]


@cache
def placement(geometry: Geometry, turned: int) -> Placement:
    """The placement on a board that lies turned by so many degrees clockwise as White sees it."""

    def index(cell: Cell) -> int:
        column, row = own_cell(geometry, turned, cell)
        return row * geometry.columns + column

    cells = [(column, row) for row in range(geometry.rows) for column in range(geometry.columns)]
    others = tuple((index(cell), cell) for cell in cells if geometry.square_at(*cell) is None)
    return Placement(tuple(index(cell) for cell in geometry.cells), others)
