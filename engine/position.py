"""What stands on the board: pieces, moves, positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntFlag, StrEnum

from engine.geometry import Square


class Side(StrEnum):
    """Whose pieces, whose turn."""

    WHITE = "white"
    BLACK = "black"

    __hash__ = str.__hash__  # that of an Enum is slow, and positions are hashed all the time

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

    __hash__ = int.__hash__


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
    """One whole turn: where from, every landing square, what it takes in order, whether it crowns.

    `huffed` is what the rules let it take off before: a piece that could have captured and did not.
    """

    from_square: Square
    path: tuple[Square, ...]
    captured: tuple[Square, ...] = ()
    promotes: bool = False
    huffed: tuple[Square, ...] = ()

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
        return (self.from_square, self.path[-1], tuple(sorted(self.captured + self.huffed)), self.promotes)


Effect = tuple[Square, Square, tuple[Square, ...], bool]
"""(from, to, captured and huffed in ascending order, promotes)."""


@dataclass(frozen=True, slots=True)
class Towers:
    """What stands beneath the top piece of every square, from the bottom upwards, in the game of towers.

    A captured piece goes in as a man unless `keep_rank`.
    """

    beneath: tuple[tuple[Piece, ...], ...]
    keep_rank: bool = False

    def prisoner(self, piece: Piece) -> Piece:
        """What a captured piece is inside a tower."""
        return piece if self.keep_rank else MEN[SIDES[piece]]


@dataclass(frozen=True, slots=True)
class KingRun:
    """How many quiet moves in a row a side has made with the same king, and where that king stands."""

    square: Square = -1
    moves: int = 0


@dataclass(frozen=True, slots=True)
class Trail:
    """What some rule sets must know of the moves before; each part is None where the rules do not ask for it.

    `king_runs` are White's and Black's; `last` is the last move with the position before it.
    """

    king_runs: tuple[KingRun, KingRun] | None = None
    last: tuple[Position, Move] | None = None
    keeps_last: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """Contents of every square in official order (top pieces, where there are towers), and the side to move."""

    contents: tuple[Piece, ...]
    turn: Side
    towers: Towers | None = None
    trail: Trail | None = None

    @property
    def diagram(self) -> Diagram:
        """What must be equal for a position to be repeated: the pieces and the side to move, not what came before."""
        return (self.contents, self.turn, self.towers)

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
        towers = self.towers and _carry(self.towers, contents, move)
        for square in move.huffed if towers else move.captured + move.huffed:
            contents[square] = EMPTY
        contents[move.to_square] = CROWNED[piece] if move.promotes else piece
        return Position(tuple(contents), self.turn.other, towers, self.trail and _follow(self.trail, self, move))


Diagram = tuple[tuple[Piece, ...], Side, Towers | None]
"""Contents, side to move, towers."""


def _carry(towers: Towers, contents: list[Piece], move: Move) -> Towers:
    """Towers after a move; takes the tops of the captured towers off `contents`. Prisoners go to the very bottom."""
    beneath = list(towers.beneath)
    carried = beneath[move.from_square]
    for square in (move.from_square, *move.huffed):
        beneath[square] = ()
    prisoners: list[Piece] = []
    for square in move.captured:
        prisoners.append(towers.prisoner(contents[square]))
        *rest, contents[square] = beneath[square] or (EMPTY,)
        beneath[square] = tuple(rest)
    beneath[move.to_square] = (*reversed(prisoners), *carried)
    return Towers(tuple(beneath), towers.keep_rank)


def _follow(trail: Trail, before: Position, move: Move) -> Trail:
    """The trail after a move."""
    runs = trail.king_runs
    if runs is not None:
        white, black = runs
        own = white if before.turn is Side.WHITE else black
        other = black if before.turn is Side.WHITE else white
        quiet_king = not move.captured and is_king(before.contents[move.from_square])
        moves = own.moves + 1 if own.square == move.from_square else 1
        own = KingRun(move.to_square, moves) if quiet_king else KingRun()
        # A run ends as well when its king is taken.
        other = KingRun() if other.square in move.captured + move.huffed else other
        runs = (own, other) if before.turn is Side.WHITE else (other, own)
    return Trail(runs, (replace(before, trail=None), move) if trail.keeps_last else None, trail.keeps_last)


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
