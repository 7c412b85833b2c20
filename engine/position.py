"""What stands on the board: pieces, moves, positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag, StrEnum

from engine.geometry import Square


class Side(StrEnum):
    """Whose pieces, whose turn."""

    WHITE = "white"
    BLACK = "black"

    @property
    def other(self) -> Side:
        """The opponent."""
        return Side.BLACK if self is Side.WHITE else Side.WHITE


class Piece(IntFlag):
    """Contents of a square, one bit each, so that a set of contents is an `or`."""

    EMPTY = 1
    WHITE_MAN = 2
    WHITE_KING = 4
    BLACK_MAN = 8
    BLACK_KING = 16


EMPTY = Piece.EMPTY
WHITE_MAN = Piece.WHITE_MAN
WHITE_KING = Piece.WHITE_KING
BLACK_MAN = Piece.BLACK_MAN
BLACK_KING = Piece.BLACK_KING

CONTENTS: tuple[Piece, ...] = (EMPTY, WHITE_MAN, WHITE_KING, BLACK_MAN, BLACK_KING)
"""The five contents, in the order in which evidence lists them."""

MEN = {Side.WHITE: WHITE_MAN, Side.BLACK: BLACK_MAN}
KINGS = {Side.WHITE: WHITE_KING, Side.BLACK: BLACK_KING}
SIDES = {WHITE_MAN: Side.WHITE, WHITE_KING: Side.WHITE, BLACK_MAN: Side.BLACK, BLACK_KING: Side.BLACK}
CROWNED = {WHITE_MAN: WHITE_KING, BLACK_MAN: BLACK_KING, WHITE_KING: WHITE_KING, BLACK_KING: BLACK_KING}


def side_of(piece: Piece) -> Side | None:
    """Whose piece this is; None for an empty square."""
    return SIDES.get(piece)


def is_king(piece: Piece) -> bool:
    """Whether a single content is a king."""
    return piece is WHITE_KING or piece is BLACK_KING


@dataclass(frozen=True, slots=True)
class Move:
    """One whole turn: where from, every landing square, what it takes in order, whether it crowns."""

    from_square: Square
    path: tuple[Square, ...]
    captured: tuple[Square, ...] = ()
    promotes: bool = False

    @property
    def to_square(self) -> Square:
        """The destination."""
        return self.path[-1]

    @property
    def is_capture(self) -> bool:
        """Whether pieces are taken."""
        return bool(self.captured)

    @property
    def effect(self) -> Effect:
        """What the move leaves on the board, whatever way it went."""
        return (self.from_square, self.path[-1], frozenset(self.captured), self.promotes)


Effect = tuple[Square, Square, frozenset[Square], bool]
"""(from, to, captured as a set, promotes)."""


@dataclass(frozen=True, slots=True)
class Position:
    """Contents of every square in official order, and the side to move; no history."""

    contents: tuple[Piece, ...]
    turn: Side

    def pieces(self, side: Side) -> tuple[Square, ...]:
        """Squares of one side's pieces."""
        man, king = MEN[side], KINGS[side]
        return tuple(square for square, piece in enumerate(self.contents) if piece is man or piece is king)

    def count(self, piece: Piece) -> int:
        """How many of one kind stand on the board."""
        return sum(1 for content in self.contents if content is piece)

    def after(self, move: Move) -> Position:
        """The position that a move leaves: captured pieces off, crowned if it promotes, the other side to move."""
        contents = list(self.contents)
        piece = contents[move.from_square]
        contents[move.from_square] = EMPTY
        for square in move.captured:
            contents[square] = EMPTY
        contents[move.to_square] = CROWNED[piece] if move.promotes else piece
        return Position(tuple(contents), self.turn.other)


def position_of(
    squares: int,
    turn: Side,
    white_men: Iterable[Square] = (),
    white_kings: Iterable[Square] = (),
    black_men: Iterable[Square] = (),
    black_kings: Iterable[Square] = (),
) -> Position:
    """A position from lists of squares; ValueError when two pieces share a square or one is off the board."""
    contents = [EMPTY] * squares
    for piece, places in (
        (WHITE_MAN, white_men),
        (WHITE_KING, white_kings),
        (BLACK_MAN, black_men),
        (BLACK_KING, black_kings),
    ):
        for square in places:
            if not 0 <= square < squares:
                raise ValueError(f"square index {square} is not on a board of {squares} squares")
            if contents[square] is not EMPTY:
                raise ValueError(f"two pieces on square index {square}")
            contents[square] = piece
    return Position(tuple(contents), turn)
