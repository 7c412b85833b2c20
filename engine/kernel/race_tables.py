"""The race games as numbers: what the kernel's generator and its judgement of positions run on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine.corners import camp
from engine.geometry import Cell, Direction, Geometry, Square
from engine.kernel.mailbox_tables import Mailbox, mailbox_of
from engine.kernel.tables import Counter, side_number
from engine.position import Side
from engine.ruleset import Ruleset

TERMS: dict[str, int] = {
    "steps to the goal": -161,
    "pieces at the goal": 110,
    "pieces at home": 6,
    "steps of the farthest piece": -249,
    "squares of steps": -1,
    "pieces at home, the more the fewer moves are left for leaving it": -262,
    "jumps towards the goal": 88,
    "pieces without a way forward": -62,
    "steps off the line between the corners": -101,
    "to move": 185,
}
"""What is counted, the other side's off ours, and its weight: sixteenths of a hundredth of a man.

Fitted to 600 games of corners by self-play at 400 positions a move (55,257 positions); +156 =0 -44 against the weights
that played those games, 400 positions a move, 200 games.
"""


@dataclass(frozen=True, slots=True)
class RaceTables:
    """A race game. Sides are 0 (White) and 1 (Black); what depends on the side is a pair.

    `homes` are squares as 0 or 1 and the other side's goal; `goals` the squares of the goal, those to be filled first
    in front. `to_go[side][square]` are steps to the nearest square of the goal, `off_line` steps from the line
    between the two corners, `ahead[side]` the directions that lead towards the goal.
    """

    mailbox: Mailbox
    homes: tuple[tuple[int, ...], tuple[int, ...]]
    goals: tuple[tuple[Square, ...], tuple[Square, ...]]
    to_go: tuple[tuple[int, ...], tuple[int, ...]]
    off_line: tuple[int, ...]
    ahead: tuple[tuple[int, ...], tuple[int, ...]]
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    first: int
    home_limit: int
    last_reply: bool
    weights: tuple[int, ...] = tuple(TERMS.values())
    no_move_wins: bool = False

    @property
    def counters(self) -> tuple[Counter, ...]:
        """The draw rules that count moves."""
        return self.mailbox.counters


@lru_cache(maxsize=64)
def race_tables(ruleset: Ruleset) -> RaceTables:
    """The tables of a race game; ValueError for other games."""
    if ruleset.family != "race":
        raise ValueError(f"{ruleset.name}: family = {ruleset.family!r}: expected a race game")
    geometry = ruleset.geometry
    camps = [sorted(camp(ruleset, side)) for side in Side]
    goals = _farthest_first(geometry, camps[1], camps[0]), _farthest_first(geometry, camps[0], camps[1])
    centres = [_mean(geometry, squares) for squares in camps]
    way = centres[1][0] - centres[0][0], centres[1][1] - centres[0][1]
    return RaceTables(
        mailbox=mailbox_of(ruleset, lambda direction: direction.opposite),
        homes=(_marks(geometry, camps[0]), _marks(geometry, camps[1])),
        goals=goals,
        to_go=(_steps_to(geometry, camps[1]), _steps_to(geometry, camps[0])),
        off_line=_off_line(geometry, centres[0], way),
        ahead=(_towards(geometry, way), _towards(geometry, (-way[0], -way[1]))),
        columns=tuple(column for column, _ in geometry.cells),
        rows=tuple(row for _, row in geometry.cells),
        first=side_number(ruleset.first),
        home_limit=ruleset.home_limit,
        last_reply=ruleset.last_reply,
    )


_Vector = tuple[float, float]


def _mean(geometry: Geometry, squares: list[Square]) -> _Vector:
    cells = [geometry.cells[square] for square in squares] or [(0, 0)]
    return sum(column for column, _ in cells) / len(cells), sum(row for _, row in cells) / len(cells)


def _marks(geometry: Geometry, squares: list[Square]) -> tuple[int, ...]:
    return tuple(int(square in squares) for square in range(len(geometry)))


def _farthest_first(geometry: Geometry, squares: list[Square], start: list[Square]) -> tuple[Square, ...]:
    """Squares of a corner, the farthest from another corner first."""
    steps = _steps_to(geometry, start)
    return tuple(sorted(squares, key=lambda square: -steps[square]))


def _steps_to(geometry: Geometry, squares: list[Square]) -> tuple[int, ...]:
    """Steps along rows and columns from every square to the nearest of some squares."""
    cells = [geometry.cells[square] for square in squares]
    return tuple(min((_steps(cell, other) for other in cells), default=0) for cell in geometry.cells)


def _steps(cell: Cell, other: Cell) -> int:
    return abs(cell[0] - other[0]) + abs(cell[1] - other[1])


def _off_line(geometry: Geometry, start: _Vector, way: _Vector) -> tuple[int, ...]:
    """How many steps each square lies beside the line from `start` along `way`."""
    length = (way[0] ** 2 + way[1] ** 2) ** 0.5 or 1.0
    return tuple(
        round(abs((column - start[0]) * way[1] - (row - start[1]) * way[0]) / length) for column, row in geometry.cells
    )


def _towards(geometry: Geometry, way: _Vector) -> tuple[int, ...]:
    """The directions of which some part leads along `way`."""
    middle = geometry.square_at(geometry.columns // 2, geometry.rows // 2) or 0
    column, row = geometry.cells[middle]
    found: list[int] = []
    for direction in Direction:
        line = geometry.lines[middle][direction]
        if line:
            next_column, next_row = geometry.cells[line[0]]
            if (next_column - column) * way[0] + (next_row - row) * way[1] > 0:
                found.append(int(direction))
    return tuple(found)
