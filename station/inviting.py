"""A board that nobody touches invites: the pieces that may begin are lit until one of them is lifted."""

from __future__ import annotations

from engine.geometry import Square
from station.phases import Turn
from station.state import Session


def moments(session: Session) -> tuple[int, ...]:
    """When a board that stays as it is begins to invite."""
    wait_ms = session.settings.invite_ms
    return (session.memory.since_ms + wait_ms,) if wait_ms and _may_begin(session) else ()


def invited(session: Session) -> tuple[Square, ...]:
    """The pieces that may make the game's first move, once nobody has touched the board for long enough."""
    if not any(moment <= session.at_ms for moment in moments(session)):
        return ()
    return tuple(sorted({move.from_square for move in session.game.legal_moves}))


def _may_begin(session: Session) -> bool:
    return isinstance(session.phase, Turn) and session.game.ply == session.drawn_plies
