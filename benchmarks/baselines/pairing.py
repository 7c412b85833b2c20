"""Lift and place pairing: the square that lost a piece is paired with the one that gained one.

As in boards that people build themselves. The first piece of the side to move that is lifted is the mover; where a
piece is put down next is its destination, if a legal move leads there; put back on its square it was only touched. What
else is lifted is taken for captured pieces and ignored. A landing where no legal move ends is a hop on the way.
"""

from __future__ import annotations

from baselines.frames import Frame, frame_of, is_empty
from engine.geometry import Square
from engine.position import Move, Position, side_of
from engine.rules import Rules
from engine.view import BoardView


class Pairing:
    """Reads one board by its lifts and places."""

    def __init__(self, rules: Rules, start: Position) -> None:
        self._rules = rules
        self.positions = [start]
        self.moves: list[Move] = []
        self._frame: Frame | None = None
        self._lifted: Square | None = None

    def see(self, view: BoardView, now_ms: int) -> None:
        """Takes a view: what changed since the last one are lifts and places."""
        frame, before = frame_of(view), self._frame
        self._frame = frame
        if before is None:
            return
        changed = [
            square
            for square, (was, now) in enumerate(zip(before, frame, strict=True))
            if is_empty(was) is not is_empty(now)
        ]
        for square in (square for square in changed if is_empty(frame[square])):
            self._lift(square)
        for square in (square for square in changed if not is_empty(frame[square])):
            self._place(square)

    def deadline_ms(self) -> int | None:
        """Never: every change is decided on at once."""
        return None

    def tick(self, now_ms: int) -> None:
        """Nothing happens by itself."""

    def repair(self, moves: list[Move], positions: list[Position], now_ms: int) -> None:
        """A person puts the record right; what is in the hand is known."""
        self.moves, self.positions = list(moves), list(positions)
        self._lifted = None
        for square in self._own() if self._frame is not None else ():
            if is_empty(self._frame[square]):
                self._lift(square)

    def _own(self) -> list[Square]:
        position = self.positions[-1]
        return [square for square, piece in enumerate(position.contents) if side_of(piece) is position.turn]

    def _lift(self, square: Square) -> None:
        if self._lifted is None and square in self._own():
            self._lifted = square

    def _place(self, square: Square) -> None:
        if self._lifted is None:
            return
        position = self.positions[-1]
        moves = [
            move
            for move in self._rules.legal_moves(position)
            if (move.from_square, move.to_square) == (self._lifted, square)
        ]
        if moves:
            self.moves.append(moves[0])
            self.positions.append(position.after(moves[0]))
        if moves or square == self._lifted:
            self._lifted = None
