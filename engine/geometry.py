"""Board geometry: squares in official order, the cells they lie on, and lines seen from each square."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Literal

Square = int
"""Index of a playing square, 0.. in the variant's official order."""

Cell = tuple[int, int]
"""(column, row) of any cell of the board, playing or not; column 0 is White's left, row 0 is Black's side."""

Corner = Literal["left", "right", "all"]
FirstSquare = Literal["top left", "top right", "bottom left", "bottom right"]


class Direction(IntEnum):
    """The eight directions as White sees the board; north is towards Black."""

    NORTH_WEST = 0
    NORTH_EAST = 1
    SOUTH_EAST = 2
    SOUTH_WEST = 3
    NORTH = 4
    EAST = 5
    SOUTH = 6
    WEST = 7

    @property
    def opposite(self) -> Direction:
        """The direction a piece would turn to by 180 degrees."""
        return Direction(self ^ 2)


_STEPS: dict[Direction, Cell] = {
    Direction.NORTH_WEST: (-1, -1),
    Direction.NORTH_EAST: (1, -1),
    Direction.SOUTH_EAST: (1, 1),
    Direction.SOUTH_WEST: (-1, 1),
    Direction.NORTH: (0, -1),
    Direction.EAST: (1, 0),
    Direction.SOUTH: (0, 1),
    Direction.WEST: (-1, 0),
}


@dataclass(frozen=True, slots=True)
class Geometry:
    """A board of `columns` x `rows` cells and the order of its playing squares.

    `corner` says which lower corner plays as White sees it: `left` (a1), `right` (h1), or `all` cells play.
    `first_square` is the corner where square 0 lies; squares run along rows from there.
    """

    columns: int
    rows: int
    corner: Corner
    first_square: FirstSquare
    cells: tuple[Cell, ...]
    squares_by_cell: dict[Cell, Square]
    lines: tuple[tuple[tuple[Square, ...], ...], ...]
    """lines[square][direction]: the squares seen from `square` in that direction, nearest first.
    On chequered boards a straight line visits every second cell."""
    by_rows: tuple[Square, ...]
    """Square at each place when playing squares are counted row by row from the top left."""

    def __hash__(self) -> int:
        return hash((self.columns, self.rows, self.corner, self.first_square))

    def __repr__(self) -> str:
        return f"geometry({self.columns}, {self.rows}, {self.corner!r}, {self.first_square!r})"

    def __len__(self) -> int:
        """How many squares play."""
        return len(self.cells)

    def square_at(self, column: int, row: int) -> Square | None:
        """The square on a cell, or None where nothing is played."""
        return self.squares_by_cell.get((column, row))

    def row(self, square: Square) -> int:
        """Row of a square, 0 at Black's side."""
        return self.cells[square][1]

    def between(self, start: Square, end: Square) -> tuple[Square, ...]:
        """Squares strictly between two squares of one line; empty when they share none."""
        for line in self.lines[start]:
            if end in line:
                return line[: line.index(end)]
        return ()


def _plays(column: int, row: int, rows: int, corner: Corner) -> bool:
    if corner == "all":
        return True
    return (column + rows - 1 - row) % 2 == (0 if corner == "left" else 1)


@cache
def geometry(columns: int, rows: int, corner: Corner = "left", first_square: FirstSquare = "top left") -> Geometry:
    """The geometry of a board, made once for each kind of board."""
    top_left = [(c, r) for r in range(rows) for c in range(columns) if _plays(c, r, rows, corner)]
    downwards = first_square.startswith("top")
    rightwards = first_square.endswith("left")
    cells = tuple(
        sorted(top_left, key=lambda cell: (cell[1] * (1 if downwards else -1), cell[0] * (1 if rightwards else -1)))
    )
    squares = {cell: square for square, cell in enumerate(cells)}
    stride = 1 if corner == "all" else 2
    lines = tuple(
        tuple(_line(cell, direction, stride if direction >= Direction.NORTH else 1, squares) for direction in Direction)
        for cell in cells
    )
    return Geometry(
        columns, rows, corner, first_square, cells, squares, lines, tuple(squares[cell] for cell in top_left)
    )


def _line(cell: Cell, direction: Direction, stride: int, squares: dict[Cell, Square]) -> tuple[Square, ...]:
    step_column, step_row = _STEPS[direction]
    line: list[Square] = []
    column, row = cell
    while True:
        column, row = column + step_column * stride, row + step_row * stride
        square = squares.get((column, row))
        if square is None:
            return tuple(line)
        line.append(square)
