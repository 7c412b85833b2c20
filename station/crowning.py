"""A king that has just been made is crowned by hand: lifted for it, turned over, changed for another piece."""

from __future__ import annotations

from station.state import Session
from station.tracker import differing, masks_of_position

CROWNING_MS = 10_000
"""A new king may be off its square for so long after its move."""


def crowned_until_ms(session: Session) -> int | None:
    """Until when the king that the last move made may be lifted to be crowned; None when it made none."""
    return None if session.new_king is None else session.turn_began_ms + CROWNING_MS


def is_being_crowned(session: Session) -> bool:
    """Whether nothing but the king just made is off its square: its crowning is no move (FMJD 5.4.15, 5.4.16)."""
    until_ms, seen = crowned_until_ms(session), session.memory.seen
    if session.new_king is None or until_ms is None or seen is None or session.at_ms >= until_ms:
        return False
    king = 1 << session.new_king
    return bool(seen[0] & king) and differing(masks_of_position(session.game.position.contents), seen) == king
