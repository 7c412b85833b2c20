"""Setting: the whole board set up from the box, or swept back into it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from engine.geometry import Geometry, Square
from engine.position import EMPTY, Piece
from station.simulation.habits import SET_UP_GAP, SWEEP_GAP, Habits
from station.simulation.pair import Pair
from station.simulation.touches import Touch


def set_up(geometry: Geometry, contents: Sequence[Piece], chance: Random, start_ms: int) -> tuple[Touch, ...]:
    """Every piece put on an empty board: row by row, kind by kind, or as the pieces come."""
    pair = Pair([EMPTY] * len(geometry), Habits(), chance, start_ms)
    for square in _order(geometry, contents, chance):
        pair.linger(SET_UP_GAP)
        pair.put(square, contents[square])
    return pair.touches


def sweep(geometry: Geometry, contents: Sequence[Piece], chance: Random, start_ms: int) -> tuple[Touch, ...]:
    """Every piece swept off the board, quickly and row by row or as it comes."""
    pair = Pair(contents, Habits(), chance, start_ms)
    for square in _order(geometry, contents, chance):
        pair.linger(SWEEP_GAP)
        pair.take(square)
    return pair.touches


def _order(geometry: Geometry, contents: Sequence[Piece], chance: Random) -> list[Square]:
    squares = [square for square, piece in enumerate(contents) if piece is not EMPTY]
    chance.shuffle(squares)
    arrangement = chance.randrange(3)
    if arrangement == 0:
        squares.sort(key=geometry.row)
    elif arrangement == 1:
        squares.sort(key=lambda square: (contents[square], geometry.row(square)))
    return squares
