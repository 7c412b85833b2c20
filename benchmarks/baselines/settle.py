"""Fixed settle time: the board has not changed for so long, and shows what one legal move leaves: it is the move.

As in programs for electronic chess boards (picochess: about 250 ms on USB, 500 ms on Bluetooth): every change starts
the time anew; a frame that is an earlier position is a move taken back; any other frame is waited out.
"""

from __future__ import annotations

from baselines.frames import Frame, frame_of, moves_shown, shows
from engine.position import Move, Position
from engine.rules import Rules
from engine.view import BoardView


class Settle:
    """Reads one board with one settle time in ms."""

    def __init__(self, rules: Rules, start: Position, settle_ms: int) -> None:
        self._rules, self._settle_ms = rules, settle_ms
        self.positions = [start]
        self.moves: list[Move] = []
        self._frame: Frame | None = None
        self._due_ms: int | None = None

    def see(self, view: BoardView, now_ms: int) -> None:
        """Takes a view."""
        frame = frame_of(view)
        if frame != self._frame:
            self._frame, self._due_ms = frame, now_ms + self._settle_ms

    def deadline_ms(self) -> int | None:
        """When the frame has settled."""
        return self._due_ms

    def tick(self, now_ms: int) -> None:
        """Decides on a frame that has settled."""
        if self._due_ms is None or now_ms < self._due_ms or self._frame is None:
            return
        self._due_ms = None
        position = self.positions[-1]
        if shows(self._frame, position):
            return
        shown = moves_shown(self._frame, position, self._rules.legal_moves(position))
        if len(shown) == 1:
            self.moves.append(shown[0])
            self.positions.append(position.after(shown[0]))
        elif self.moves and shows(self._frame, self.positions[-2]):
            self.moves.pop()
            self.positions.pop()

    def repair(self, moves: list[Move], positions: list[Position], now_ms: int) -> None:
        """A person puts the record right; the board is looked at again."""
        self.moves, self.positions = list(moves), list(positions)
        self._due_ms = now_ms + self._settle_ms
