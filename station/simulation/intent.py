"""Intent: one turn as its player means to carry it out, slips included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from random import Random

from engine.geometry import Geometry, Square
from engine.position import Move, Position, is_king
from station.simulation.habits import Habits, Removal, Style, pick

NEVER = 1_000


@dataclass(frozen=True, slots=True)
class Intent:
    """What is to be done and how. Moments count contacts of the moving piece: 0 is its lifting, n its n-th landing."""

    position: Position
    way: Move
    legal: Sequence[Move]
    geometry: Geometry
    style: Style
    stops: tuple[Square, ...]
    removal: tuple[Square, ...]
    order: Removal | None
    hesitates_from: int
    bumps_from: int
    forgets: Square | None
    confuses: Square | None

    @property
    def is_king(self) -> bool:
        """Whether a king moves."""
        return is_king(self.position.contents[self.way.from_square])


def intent_of(
    position: Position, way: Move, legal: Sequence[Move], geometry: Geometry, habits: Habits, chance: Random
) -> Intent:
    """How a person of these habits happens to carry out a move this time."""
    style = _style(position, way, habits, chance)
    stops = _stops(way, style, habits, chance)
    order = pick(habits.removals, chance) if way.is_capture else None
    return Intent(
        position=position,
        way=way,
        legal=legal,
        geometry=geometry,
        style=style,
        stops=stops,
        removal=_ordered(way.captured, order, chance),
        order=order,
        hesitates_from=chance.randrange(len(stops)) if chance.random() < habits.hesitation else NEVER,
        bumps_from=chance.randrange(len(stops) + 1) if chance.random() < habits.bump else NEVER,
        forgets=_one_of(way.captured, habits.forgotten, chance),
        confuses=_one_of(way.captured, habits.wrong_removal, chance),
    )


def way_squares(geometry: Geometry, way: Move) -> frozenset[Square]:
    """Every square a piece may touch on its way: landings and what lies between them."""
    squares = set(way.path)
    for here, there in pairwise((way.from_square, *way.path)):
        squares.update(geometry.between(here, there))
    return frozenset(squares)


@cache
def neighbours(geometry: Geometry, square: Square) -> tuple[Square, ...]:
    """Squares whose cells touch the cell of a square."""
    column, row = geometry.cells[square]
    around = [(column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
    return tuple(geometry.squares_by_cell[cell] for cell in around if cell in geometry.squares_by_cell)


def _style(position: Position, way: Move, habits: Habits, chance: Random) -> Style:
    if way.is_capture:
        return pick(habits.captures, chance)
    slides = habits.king_slides if is_king(position.contents[way.from_square]) else habits.man_slides
    return Style.SLID if chance.random() < slides else Style.CARRIED


def _stops(way: Move, style: Style, habits: Habits, chance: Random) -> tuple[Square, ...]:
    goes_straight = style is Style.STRAIGHT or (
        style is Style.CAPTURED_FIRST and chance.random() >= habits.hops_after_removal
    )
    return way.path[-1:] if goes_straight else way.path


def _ordered(captured: tuple[Square, ...], order: Removal | None, chance: Random) -> tuple[Square, ...]:
    if order is Removal.DESCENDING:
        return captured[::-1]
    if order is Removal.RANDOM or order is Removal.AT_ONCE:
        return tuple(chance.sample(captured, len(captured)))
    return captured


def _one_of(squares: tuple[Square, ...], probability: float, chance: Random) -> Square | None:
    return chance.choice(squares) if squares and chance.random() < probability else None
