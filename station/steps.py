"""What every part of a session is built of: steps that follow one another, phases entered, things announced."""

from __future__ import annotations

from collections.abc import Callable

from engine.game import Game
from station import announcements as say
from station.effects import Announce, Choose, Effect, StopChoosing
from station.guidance import guide
from station.keeping_time import given, set_clocks
from station.phases import ActivePhase, Over, Paused, Turn, Waiting
from station.settings import PERSON, PROBLEM
from station.solving import phase_on_line, problem_of
from station.state import Session
from station.tracker import Masks, Untouched, differing, forget
from station.values import replace

CONTRADICTED_MS = 7000
"""A move that what was seen speaks against counts after this time: a piece taken off by mistake, or forgotten, has been
noticed by then (measured slips: up to 6 s). The button ends the turn before."""

Step = tuple[Session, tuple[Effect, ...]]
"""A session after something happened, and what it asks for."""


def then(step_on: Step, follow: Callable[[Session], Step]) -> Step:
    """Two steps, one after the other."""
    session, effects = step_on
    session, more = follow(session)
    return session, effects + more


def announce(session: Session, what: say.What) -> Step:
    """Tell the world."""
    seq = session.seq + 1
    return replace(session, seq=seq), (Announce(seq, session.game_id, what),)


def settled(session: Session, wait_ms: int) -> bool:
    """Whether the board has stood firm for so long, and after a blip at least as long as a move takes to count."""
    return session.memory.firm and session.at_ms >= settles_ms(session, wait_ms)


def settles_ms(session: Session, wait_ms: int) -> int:
    """When the board will have stood for so long, if nothing changes."""
    memory = session.memory
    return max(memory.since_ms + wait_ms, memory.changed_ms + min(wait_ms, session.settings.pace.quick))


def shows(session: Session, target: Masks) -> bool:
    """Whether the board shows a target, as far as its sensors can tell."""
    return session.memory.seen is not None and not differing(target, session.memory.seen)


def remembered(session: Session, game: Game) -> Session:
    """The session with another game record; the tracker starts afresh from what it sees now."""
    return replace(
        session,
        game=game,
        claim=game.draw(claimed=True),
        memory=forget(session.memory),
        reading=Untouched(),
        told=(),
        asked=(),
        told_plies=min(session.told_plies, game.ply),
        unwatched_plies=min(session.unwatched_plies, game.ply),
        pointed=0,
        turn_began_ms=session.at_ms,
        corrected=False,
        new_king=None,
        resumed=False,
        resign_ms=None,
        touched=None,
        adjusting=False,
        lifted=False,
        hint=None,
        is_hint_whole=False,
        hint_request=0,
    )


def restored(session: Session) -> Step:
    """The board agrees: a game that was kept goes on; announce it where the board was said to differ."""
    session = replace(session, led=0, resumed=False)
    if not session.differs:
        return session, ()
    return announce(replace(session, differs=False, broken=None), say.BoardRestored())


def phase_of(session: Session) -> ActivePhase:
    """The phase that a game's position calls for."""
    found = problem_of(session)
    if found is not None:
        return phase_on_line(session, found)
    outcome = session.game.outcome()
    if outcome is not None and not (outcome.article and session.settings.draws == "claim"):
        return Over(outcome)
    is_chosen = not session.settings.player(session.turn).startswith((PERSON, PROBLEM))
    return Waiting(session.request) if is_chosen else Turn()


def next_turn(session: Session) -> Step:
    """The phase that the position calls for."""
    return enter(session, phase_of(session))


def enter(session: Session, phase: ActivePhase) -> Step:
    """The session in a phase; a player who is not at the board is asked for a move, under a new number."""
    if isinstance(session.phase, Paused) and session.phase.reason == "device":
        return replace(session, phase=replace(session.phase, interrupted=phase)), ()
    if not isinstance(phase, Waiting):
        return replace(session, phase=phase), ()
    request = session.request + 1
    waiting = set_clocks(replace(session, phase=Waiting(request), request=request))
    choose = Choose(request, session.settings.player(session.turn), session.game, given(waiting))
    return waiting, (choose,)


def pause(session: Session, reason: str) -> Step:
    """Play rests for a reason."""
    if isinstance(session.phase, Paused):
        return replace(session, phase=Paused(session.phase.interrupted, reason, session.phase.reason)), ()
    stopped, effects = stop_choosing(session)
    return replace(stopped, phase=Paused(session.phase, reason)), effects


def resume(session: Session, reason: str) -> Step:
    """Go on with what was interrupted for this reason."""
    if not isinstance(session.phase, Paused) or session.phase.reason != reason:
        return session, ()
    interrupted, before = session.phase.interrupted, session.phase.before
    if before:
        return replace(session, phase=Paused(interrupted, before), problem=""), ()
    return enter(replace(session, phase=interrupted, problem=""), interrupted)


def stop_choosing(session: Session) -> Step:
    """The question to a player is no longer wanted."""
    if isinstance(session.phase, Waiting):
        return session, (StopChoosing(session.phase.request),)
    return session, ()


def prompt(session: Session) -> Step:
    """Announce the prompt that people see, once for each frame."""
    shown = guide(session)
    if shown.key in session.told:
        return session, ()
    session = replace(session, told=(*session.told, shown.key))
    squares = say.names(tuple(square for square, _ in shown.cues), session.game.ruleset)
    return announce(session, say.Prompted(shown.key, shown.sentence, squares))
