"""Squares whose sensor is not to be trusted: weak ones flicker, a dead one does not tell what stands on it.

What differs from the game alone and has not changed for a minute is taken for a dead square: it is read as unknown, so
the game goes on around it, and a move that can be seen nowhere else is confirmed by the button. Before the first move
a quarter of a minute is enough, for the pieces are set up by then; and a square that has always been empty, also when
a move went there before everybody's eyes and the other side has answered it, is dead as soon as the board rests. A dead
square counts again as soon as it changes. More than one is never read around: play waits, and they are named.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.geometry import Square
from engine.position import Move
from engine.view import ANYTHING, BoardView, evidence_for, possible_by
from station.phases import Answering, Over, SettingUp, Turn, Waiting
from station.state import Session, context_of
from station.tracker import (
    Astray,
    Masks,
    Story,
    differing,
    expect,
    masks_of_position,
    not_told_by,
    squares_in,
)
from station.values import replace

STUCK_MS = 60_000
"""A square that alone differs from the game for so long is dead."""


STUCK_SET_UP_MS = 15_000
"""The same while the board is set up, when all other squares stand right but for blips."""

FEW = 3
"""No more squares than this are wrong for a moment on a board that has been set up."""

SILENT_MS = 5000
"""A square that never showed anything must have been watched for so long."""


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
    seen, phase, pace = session.memory.seen, session.phase, session.settings.pace
    if seen is None:
        return ()
    match phase:
        case SettingUp(target=target):
            return _stuck_at_set_up(session, seen, masks_of_position(target.contents))
        case Turn() | Waiting() | Answering() | Over():
            squares = squares_in(differing(masks_of_position(session.game.position.contents), seen))
        case _:
            return ()
    if session.quiet_ms() >= STUCK_MS:
        return squares
    if session.dead is not None or session.quiet_ms() < pace.extended or not isinstance(session.reading, Astray):
        return ()
    silent = {square for square in squares if _is_silent(session, square) and _was_target(session, square)}
    found = silent | set(_passed_over(session, seen))
    return tuple(found) if len(found) == 1 else ()


def _was_target(session: Session, square: Square) -> bool:
    watched = session.game.moves[session.unwatched_plies :]
    return square in [move.to_square for move in watched[-4:]]


def _passed_over(session: Session, seen: Masks) -> Iterator[Square]:
    """Silent squares on which a move ends that the other side has answered: all else shows both."""
    for first in context_of(session).expected.candidates:
        target = first.move.to_square
        if not first.home & seen[0] or not _is_silent(session, target):
            continue
        following = expect(session.game.position.after(first.move), session.game.ruleset)
        if any(differing(second.final, seen) == 1 << target for second in following.candidates):
            yield target


def _stuck_at_set_up(session: Session, seen: Masks, target: Masks) -> tuple[Square, ...]:
    """The one square that is wrong, and was all the time while little else was; after a minute all that are."""
    wrong = differing(target, seen)
    if session.quiet_ms() >= STUCK_MS:
        return squares_in(wrong)
    if wrong.bit_count() != 1 or session.dead is not None or session.quiet_ms() < session.settings.pace.set_up:
        return ()
    since_ms = session.memory.since_ms
    for at_ms, before, _ in reversed(session.memory.log):
        amiss = differing(target, before)
        if not amiss & wrong or amiss.bit_count() > FEW:
            break
        since_ms = at_ms
    return squares_in(wrong) if session.at_ms - since_ms >= STUCK_SET_UP_MS else ()


def _is_silent(session: Session, square: Square) -> bool:
    """Whether a square has been empty all the time, as far back as is remembered."""
    log = session.memory.log
    if not log or session.at_ms - log[0][0] < SILENT_MS:
        return False
    return all(seen[0] >> square & 1 and not seen[1] >> square & 1 for _, seen, _ in log)


def with_dead(session: Session, square: Square) -> tuple[Session, BoardView]:
    """The session that reads around a square from now on, and the view in which it is unknown."""
    view = session.memory.view
    assert view is not None
    memory = not_told_by(session.memory, square)
    return replace(session, dead=(square, view.seen[square]), memory=memory), _unknown(view, square)


def hidden(session: Session) -> tuple[Move, ...]:
    """The moves that lack nothing but to be seen where they end."""
    seen = session.memory.seen
    if seen is None or session.dead is not None:
        return ()
    expected = context_of(session).expected.candidates
    return tuple(item.move for item in expected if differing(item.final, seen) == 1 << item.move.to_square)


def is_blind(session: Session, story: Story) -> bool:
    """Whether the end of a story's last move is on a dead square: it looks the same with the piece in the hand."""
    return story.moves[-1].to_square in silent(session)


def silent(session: Session) -> tuple[Square, ...]:
    """The squares whose sensor tells nothing: found dead in this game, or known to be when the board was calibrated."""
    view = session.memory.view
    return () if view is None else tuple(s for s, evidence in enumerate(view.seen) if possible_by(evidence) == ANYTHING)
