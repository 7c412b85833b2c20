"""What is wrong with a position that somebody set up: the faults that no legal game leads to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.errors import TooManyCapturesError
from engine.geometry import Square
from engine.position import MEN, Position, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its kind (one of `KINDS`), whose it is, the squares it is about, and a bound where one is passed."""

    kind: str
    side: Side
    squares: tuple[Square, ...] = ()
    most: int = 0


KINDS = ("no_pieces", "too_many", "uncrowned", "beyond_counting", "no_move")
"""Kinds of faults, in the order in which they are told."""


def faults(position: Position, ruleset: Ruleset) -> tuple[Fault, ...]:
    """Why no game can be played from a position; empty when one can.

    Each side has a piece, and no more than at the start; no man stands where it would have been crowned; the side to
    move can move.
    """
    return tuple(_of_pieces(position, ruleset)) or tuple(_of_moves(position, ruleset))


def last_row(ruleset: Ruleset, side: Side) -> int:
    """The row on which a side's men are crowned; -1 in games without crowning."""
    if ruleset.family == "race":
        return -1
    return 0 if side is Side.WHITE else ruleset.rows - 1


def _of_pieces(position: Position, ruleset: Ruleset) -> Iterator[Fault]:
    start, geometry = rules_for(ruleset).start(), ruleset.geometry
    for side in Side:
        pieces, most = position.pieces(side), len(start.pieces(side))
        if not pieces:
            yield Fault("no_pieces", side)
        if len(pieces) > most:
            yield Fault("too_many", side, pieces, most)
        men = (square for square in pieces if position.contents[square] is MEN[side])
        uncrowned = tuple(square for square in men if geometry.row(square) == last_row(ruleset, side))
        if uncrowned:
            yield Fault("uncrowned", side, uncrowned)


def _of_moves(position: Position, ruleset: Ruleset) -> Iterator[Fault]:
    rules = rules_for(ruleset)
    try:
        moves = rules.legal_moves(rules.opened(position))
    except TooManyCapturesError:
        yield Fault("beyond_counting", position.turn)
        return
    if not moves:
        yield Fault("no_move", position.turn, position.pieces(position.turn))
