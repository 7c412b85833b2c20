"""Frames as the baselines see them: for each square the colours that may stand there."""

from __future__ import annotations

from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Move, Piece, Position
from engine.view import BoardView

Frame = tuple[Piece, ...]
"""For each square what the sensor does not rule out."""

_LIKE = {
    EMPTY: EMPTY,
    WHITE_MAN: WHITE_MAN | WHITE_KING,
    WHITE_KING: WHITE_MAN | WHITE_KING,
    BLACK_MAN: BLACK_MAN | BLACK_KING,
    BLACK_KING: BLACK_MAN | BLACK_KING,
}
"""A king may stand there unmarked, as a man."""


def frame_of(view: BoardView) -> Frame:
    """What a view leaves possible on each square."""
    return tuple(view.possible(square) for square in range(len(view.seen)))


def shows(frame: Frame, position: Position) -> bool:
    """Whether a frame agrees with a position on every square."""
    return all(possible & _LIKE[piece] for possible, piece in zip(frame, position.contents, strict=True))


def is_empty(possible: Piece) -> bool:
    """Whether nothing stands on a square."""
    return possible is EMPTY


def moves_shown(frame: Frame, position: Position, legal: tuple[Move, ...]) -> list[Move]:
    """The legal moves after which a frame would look as it does."""
    return [move for move in legal if shows(frame, position.after(move))]
