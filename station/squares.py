"""Squares whose sensor is not to be trusted: weak ones flicker, a dead one does not tell what stands on it.

What differs from the game alone and has not changed for a minute is taken for a dead square: it is read as unknown, so
the game goes on around it, and a move that can be seen nowhere else is confirmed by the button. It counts again as soon
as it changes. More than one is never read around: play waits, and they are named.
"""

from __future__ import annotations

from dataclasses import replace

from engine.geometry import Square
from engine.position import Move
from engine.view import ANYTHING, BoardView, evidence_for, possible_by
from station.phases import Answering, Over, SettingUp, Turn, Waiting
from station.state import Session, context_of
from station.tracker import Story, differing, masks_of_position, squares_in

STUCK_MS = 60_000
"""A square that alone differs from the game for so long is dead."""


def without_dead(session: Session, view: BoardView) -> tuple[Session, BoardView]:
    """The session that trusts a dead square again once it has changed, and the view in which dead ones are unknown."""
    alive = session.dead is not None and view.seen[session.dead[0]] != session.dead[1]
    session = replace(session, dead=None) if alive else session
    return session, view if session.dead is None else _unknown(view, session.dead[0])


def _unknown(view: BoardView, square: Square) -> BoardView:
    seen = list(view.seen)
    seen[square] = evidence_for(ANYTHING)
    return replace(view, seen=tuple(seen))


def stuck(session: Session) -> tuple[Square, ...]:
    """Squares that have differed from what should stand there for too long to be anything but their sensors' doing."""
    seen, phase = session.memory.seen, session.phase
    if seen is None or session.quiet_ms() < STUCK_MS:
        return ()
    match phase:
        case SettingUp(target=target):
            position = target
        case Turn() | Waiting() | Answering() | Over():
            position = session.game.position
        case _:
            return ()
    return squares_in(differing(masks_of_position(position.contents), seen))


def with_dead(session: Session, square: Square) -> tuple[Session, BoardView]:
    """The session that reads around a square from now on, and the view in which it is unknown."""
    view = session.memory.view
    assert view is not None
    return replace(session, dead=(square, view.seen[square])), _unknown(view, square)


def hidden(session: Session) -> Move | None:
    """The one move that lacks nothing but to be seen where it ends; None when there is not just one."""
    seen = session.memory.seen
    if seen is None or session.dead is not None:
        return None
    expected = context_of(session).expected.candidates
    found = [item.move for item in expected if differing(item.final, seen) == 1 << item.move.to_square]
    return found[0] if len(found) == 1 else None


def is_blind(session: Session, story: Story) -> bool:
    """Whether the end of a story's last move is on a dead square: it looks the same with the piece in the hand."""
    return story.moves[-1].to_square in silent(session)


def silent(session: Session) -> tuple[Square, ...]:
    """The squares whose sensor tells nothing: found dead in this game, or known to be when the board was calibrated."""
    view = session.memory.view
    return () if view is None else tuple(s for s, evidence in enumerate(view.seen) if possible_by(evidence) == ANYTHING)
