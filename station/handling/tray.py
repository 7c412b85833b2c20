"""What lies in the tray when hands have been at it: they take pieces back to the board and tell nobody."""

from __future__ import annotations

from engine.position import EMPTY, Position, Side, side_of
from station.handling.arm import ArmSettings
from station.handling.plans import Contents, Tool


def fitting(tray: Contents, settings: ArmSettings, start: Position, now: Position) -> Contents:
    """The tray without what must have gone back to the board, as a new game or a take-back has it.

    Pieces of a side that are neither on the board nor spare are in the tray, at most; the latest went back first.
    """
    if now.towers is not None:
        return tray
    slots = list(tray)
    for side in Side:
        spare = sum(side_of(piece) is side for piece in settings.tray)
        allowed = _pieces(start, side, settings.tool) - _pieces(now, side, settings.tool) + spare
        full = [slot for slot, piece in enumerate(slots) if side_of(piece) is side]
        for slot in full[max(allowed, 0) :]:
            slots[slot] = EMPTY
    return tuple(slots)


def _pieces(position: Position, side: Side, tool: Tool) -> int:
    """How many pieces of wood a side has on the board."""
    return sum(tool.height(position, square) for square in position.pieces(side))
