"""Cells that report codes of 0 (empty) and more: weak sensors and swinging kinds are held back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.position import EMPTY, Piece, Side, side_of
from engine.view import BLACK, OCCUPIED, WHITE, BoardView, view_of
from firmware_bridge.flicker import Flicker
from firmware_bridge.placement import Placement
from firmware_bridge.swings import Swings

VACANT, WHITE_PIECE, BLACK_PIECE, SOMETHING = range(4)
"""Codes of cells that do not tell kinds: empty, a piece of White's, of Black's, of either."""
_POSSIBLE = (EMPTY, WHITE, BLACK, OCCUPIED)
_SIDES = {None: VACANT, Side.WHITE: WHITE_PIECE, Side.BLACK: BLACK_PIECE}


def sides_of(contents: Iterable[Piece]) -> tuple[int, ...]:
    """The codes of a position, square by square."""
    return tuple(_SIDES[side_of(piece)] for piece in contents)


class Cells:
    """The steady code of each cell, out of what its sensor says; all cells are told at once."""

    def __init__(self) -> None:
        self.codes: tuple[int, ...] = ()
        """What counts as standing there; nothing before the first telling."""
        self._told: tuple[int, ...] = ()
        self._flicker = Flicker()
        self._swings = Swings()

    def take(self, told: Sequence[int], now_ms: int) -> None:
        """Takes what all sensors say at this time."""
        if len(self.codes) != len(told):
            self.clear()
            self.codes = self._told = tuple(told)
        steady = list(self.codes)
        for cell, (before, now) in enumerate(zip(self._told, told, strict=True)):
            if before != now and not self._is_held(cell, before, now, now_ms):
                steady[cell] = now
        self.codes, self._told = tuple(steady), tuple(told)

    def _is_held(self, cell: int, told_before: int, now: int, now_ms: int) -> bool:
        """Whether a cell still counts as what it was, though its sensor says something else than before."""
        stands = self.codes[cell]
        is_swing = False
        if stands and now:
            is_swing = self._swings.note(cell, stands, now, now_ms)
        else:
            self._swings.drop(cell)
        if bool(told_before) == bool(now):
            return is_swing
        return self._flicker.note(cell, stands, stands if is_swing else now, now_ms)

    def expire(self, now_ms: int) -> bool:
        """Whether something counts as gone or changed now that was held back until this time."""
        steady = list(self.codes)
        for cell in self._flicker.expire(now_ms):
            steady[cell] = 0
        for cell, code in self._swings.expire(now_ms):
            steady[cell] = code
        is_changed = tuple(steady) != self.codes
        self.codes = tuple(steady)
        return is_changed

    def view(self, place: Placement, *, firm: bool = True) -> BoardView:
        """What may stand on each square of a board that lies so, by codes that do not tell kinds."""
        flickering = self.weak()
        stray = (cell for index, cell in place.others if self.codes[index])
        weak = (square for square, index in enumerate(place.squares) if index in flickering)
        return view_of((_POSSIBLE[self.codes[index]] for index in place.squares), stray, firm, weak)

    def weak(self) -> frozenset[int]:
        """Cells whose sensor flickers."""
        return self._flicker.weak()

    def deadline_ms(self) -> int | None:
        """When expire has something to do."""
        due = (self._flicker.deadline_ms(), self._swings.deadline_ms())
        return min((at_ms for at_ms in due if at_ms is not None), default=None)

    def clear(self) -> None:
        """Forgets everything."""
        self.codes = self._told = ()
        self._flicker.clear()
        self._swings.clear()
