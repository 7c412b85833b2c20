"""A board on which far more differs than a slip makes: it is being cleared, or shows another game than the one kept."""

from __future__ import annotations

from engine.geometry import Square
from station.phases import Answering, Composing, Turn, Waiting
from station.state import Session
from station.tracker import Astray

SWEPT = 6
"""More differences than this are a board being cleared or knocked over, not a slip."""


def is_swept(session: Session, squares: tuple[Square, ...]) -> bool:
    """Whether a board is being cleared, by the squares that differ; not while people are led back through as many."""
    return len(squares) > max(SWEPT, session.led)


def asks_to_resume(session: Session) -> bool:
    """Whether people are to say if they go on with a game that was kept while the station was off.

    Nobody is asked where the board tells: by the game's position, one near it, one that moves lead to or back to.
    """
    if not session.resumed or session.game.ply == session.drawn_plies:
        return False
    match session.phase:
        case Composing(asked=asked):
            return not asked and is_bare(session)
        case Turn() | Waiting() | Answering():
            return isinstance(session.reading, Astray) and len(session.reading.squares) > SWEPT
        case _:
            return False


def is_bare(session: Session) -> bool:
    """Whether nothing stands on the board."""
    seen = session.memory.seen
    return seen is not None and not any(seen[1:]) and bool(seen[0])
