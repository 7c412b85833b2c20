"""The clock at a board that has one of its own: shown where the game has none; it decides nothing."""

from __future__ import annotations

from typing import Any

from engine.position import Side
from station.state import Session


def board_clock_ms(session: Session) -> dict[str, int] | None:
    """What each side has left on the board's own clock, in ms; None where there is none, or the game has clocks."""
    told = session.board_clock
    if told is None or session.clocks is not None:
        return None
    passed_ms = session.at_ms - session.board_clock_ms
    left = {Side.WHITE: told.white_ms, Side.BLACK: told.black_ms}
    return {str(side): max(0, ms - (passed_ms if side is told.running else 0)) for side, ms in left.items()}


def board_clock(session: Session) -> dict[str, Any] | None:
    """Whose side of the board's own clock runs; None as `board_clock_ms`. It has no control that is known."""
    if session.board_clock is None or session.clocks is not None:
        return None
    running = session.board_clock.running
    return {"control": "", "running": None if running is None else str(running)}
