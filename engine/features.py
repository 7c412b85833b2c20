"""Features: what the evaluation of a capture game sees, as a layout of weights that trainer and kernel share.

Every weight comes twice, for the beginning of a game and for its end; the position's number of pieces mixes the two.
All features are White's minus Black's: a Black feature is White's after turning the board and swapping the colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine.geometry import Geometry, Square
from engine.position import EMPTY
from engine.rules import rules_for
from engine.ruleset import Ruleset

SCALARS = (
    "turn",
    "man moves",
    "king moves",
    "has a king",
    "has two kings",
    "has three kings",
    "balance",
    "main road",
    "free men",
    "king against more",
)
"""Features that are one number each."""

PATTERN = 8
"""Squares in a pattern; each is empty (or a king), an own man or an enemy man."""

CONTENTS: int = 3**PATTERN
"""How many ways a pattern can be filled."""

MOST_TABLES = 26
"""More tables than this the kernel has no room for."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the weights of a rule set lie: scalars, men by square, kings by square, then one table for each pattern.

    `patterns` are the squares of each table as White sees them; Black looks at the turned squares (`turned[square]`).
    """

    squares: int
    turned: tuple[Square, ...]
    patterns: tuple[tuple[Square, ...], ...]
    pieces: int

    @property
    def men(self) -> int:
        """The first weight of men by square."""
        return 2 * len(SCALARS)

    @property
    def kings(self) -> int:
        """The first weight of kings by square."""
        return self.men + 2 * self.squares

    @property
    def tables(self) -> int:
        """The first weight of the patterns."""
        return self.kings + 2 * self.squares

    @property
    def weights(self) -> int:
        """How many weights there are."""
        return self.tables + 2 * CONTENTS * len(self.patterns)


@lru_cache(maxsize=64)
def layout_of(ruleset: Ruleset) -> Layout:
    """The layout of a capture game."""
    geometry = ruleset.geometry
    turned = tuple(
        geometry.squares_by_cell.get((geometry.columns - 1 - column, geometry.rows - 1 - row), square)
        for square, (column, row) in enumerate(geometry.cells)
    )
    patterns: list[tuple[Square, ...]] = []
    for pattern in _windows(geometry):
        # A pattern and the turned one share a table.
        if {turned[square] for square in pattern} not in [set(known) for known in patterns]:
            patterns.append(pattern)
    start = rules_for(ruleset).start()
    pieces = sum(1 for content in start.contents if content is not EMPTY)
    return Layout(len(geometry), turned, tuple(patterns), max(pieces, 2))


def _windows(geometry: Geometry) -> list[tuple[Square, ...]]:
    """Overlapping windows of eight squares: 4 x 4 cells of a chequered board, 4 x 2 where every cell plays.

    Big boards get them further apart, so that no more than MOST_TABLES tables are needed.
    """
    height = 2 if geometry.corner == "all" else 4
    for stride in (1, 2, 3, 4) if geometry.corner == "all" else (2, 4):
        windows = [
            window
            for row in _offsets(geometry.rows, height, stride)
            for column in _offsets(geometry.columns, 4, 2)
            if len(window := _window(geometry, column, row, height)) == PATTERN
        ]
        if len(windows) <= 2 * MOST_TABLES - 20:
            break
    return windows


def _window(geometry: Geometry, column: int, row: int, height: int) -> tuple[Square, ...]:
    squares = (geometry.square_at(column + c, row + r) for r in range(height) for c in range(4))
    return tuple(square for square in squares if square is not None)


def _offsets(length: int, window: int, stride: int) -> list[int]:
    offsets = list(range(0, length - window + 1, stride))
    return offsets if offsets[-1] == length - window or stride < 3 else [*offsets, length - window]
