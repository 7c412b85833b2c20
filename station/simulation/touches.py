"""Touches: what hands do to a board, as values, and what stands there afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.geometry import Square
from engine.position import EMPTY, Piece, Position
from station.simulation.errors import ImpossibleTouchError
from station.simulation.habits import Crowning, Removal, Slip, Style

Kind = Literal["take", "put", "change"]

World = tuple[Piece, ...]
"""The physical piece on every square: the pieces of the game, but a king may still look like a man."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One contact: `take` empties a square of `piece`, `put` stands `piece` on it.

    `change`: the top of a tower goes off or on, and `piece` is what shows now.
    """

    at_ms: int
    kind: Kind
    square: Square
    piece: Piece


@dataclass(frozen=True, slots=True)
class Performance:
    """One turn as hands carried it out, in order of time, and the physical board it left."""

    touches: tuple[Touch, ...]
    last_contact_ms: int
    slips: tuple[Slip, ...]
    style: Style
    world: World
    removal: Removal | None = None
    crowning: Crowning | None = None


@dataclass(frozen=True, slots=True)
class GamePerformance:
    """A game as hands carried it out, one performance a move."""

    performances: tuple[Performance, ...]

    @property
    def touches(self) -> tuple[Touch, ...]:
        """Every contact of the game, in order of time."""
        return tuple(touch for performance in self.performances for touch in performance.touches)


def world_after(world: Sequence[Piece], touches: Iterable[Touch]) -> World:
    """The physical board after some touches; ImpossibleTouchError when one of them cannot be."""
    board = list(world)
    for touch in touches:
        apply(board, touch)
    return tuple(board)


def apply(board: list[Piece], touch: Touch) -> None:
    """Carries one touch out on a board; ImpossibleTouchError when it cannot be."""
    stands = board[touch.square]
    if touch.kind == "change":
        if stands is EMPTY or touch.piece is EMPTY:
            raise ImpossibleTouchError(f"{touch}: expected a tower on the square, found {stands!r}")
        board[touch.square] = touch.piece
        return
    expected = touch.piece if touch.kind == "take" else EMPTY
    if stands is not expected or touch.piece is EMPTY:
        raise ImpossibleTouchError(f"{touch}: expected {expected!r} on the square, found {stands!r}")
    board[touch.square] = EMPTY if touch.kind == "take" else touch.piece


def beneath(position: Position) -> dict[Square, tuple[Piece, ...]]:
    """What stands under the top pieces, from the bottom upwards; only squares with towers."""
    towers = position.towers.beneath if position.towers else ()
    return {square: pieces for square, pieces in enumerate(towers) if pieces}


def shifted(touches: Sequence[Touch], start_ms: int) -> tuple[Touch, ...]:
    """The same touches at the same pace, the first of them at `start_ms`."""
    return tuple(replace(touch, at_ms=touch.at_ms - touches[0].at_ms + start_ms) for touch in touches)
