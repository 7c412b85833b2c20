"""A session's clocks: whose runs, what stops it, when a flag falls. Functions of the session.

The first move sets them going, or a press before it. In `automatic` play the last touch of a move stops the clock,
however much later the move is believed; with `confirm = "button"` the press does. While captured pieces are left
standing the move is not complete and its maker's clock runs on (FMJD 4.4). While the station shows a move that is to
be carried out, while the board is set up, in a pause, while the board is away and until a game that was kept while the
station was off is gone on with, nobody's clock runs.
"""

from __future__ import annotations

from engine.position import Side
from station.clock import after_change, after_move, after_taking_back, falls_ms, left_at, of, set_right
from station.effects import Clock
from station.phases import Answering, Turn, Waiting
from station.squares import is_blind
from station.state import Session
from station.tracker import Ambiguous, Done, Turned
from station.values import replace


def is_pressed(session: Session) -> bool:
    """Whether turns are ended by hand."""
    return session.settings.confirm == "button"


def waits_for_a_press(session: Session) -> bool:
    """Whether the complete move that stands on the board counts only when a button or the lever is pressed.

    With `when-ambiguous` one that could still go on does, unless it is a reply, which is known.
    One that ends on a dead square always does.
    """
    match session.reading:
        case Done(extendable=True) if session.settings.confirm == "when-ambiguous":
            return not isinstance(session.phase, Answering)
        case Done(story=story) if is_blind(session, story):
            return True
        case _:
            return is_pressed(session)


def with_landing(session: Session) -> Session:
    """The session with when the last touch of a move was that is complete, as far as the board tells."""
    match session.reading:
        case Done() | Ambiguous():
            return replace(session, landed_ms=session.memory.since_ms)
        case Turned():
            landed_ms = session.memory.since_ms if session.landed_ms is None else session.landed_ms
            return replace(session, landed_ms=landed_ms)
        case _:
            return session if session.landed_ms is None else replace(session, landed_ms=None)


def counted_to_ms(session: Session) -> int:
    """Until when the running clock counts now: a move that stands complete is not charged for being looked at."""
    if session.landed_ms is None or is_pressed(session):
        return session.at_ms
    return session.landed_ms


def set_clocks(session: Session) -> Session:
    """The session with the clock running of the side whose time it is."""
    clocks = session.clocks
    if clocks is None:
        return session
    set_to = set_right(clocks, _running_side(session), session.at_ms)
    return session if set_to is clocks else replace(session, clocks=set_to)


def _running_side(session: Session) -> Side | None:
    assert session.clocks is not None
    is_time = isinstance(session.phase, Turn | Waiting) and session.clocks.begun and not session.resumed
    return session.turn if is_time else None


def start_clocks(session: Session) -> Session:
    """The session with its clocks set going by hand, before the first move."""
    if session.clocks is None or not isinstance(session.phase, Turn | Waiting):
        return session
    return replace(session, clocks=replace(session.clocks, begun=True))


def move_made(session: Session, side: Side) -> Session:
    """The session whose clocks know that a side has made its move."""
    control = session.settings.clock
    if session.clocks is None or control is None:
        return session
    return replace(session, clocks=after_move(session.clocks, control, side, counted_to_ms(session)))


def move_changed(session: Session, side: Side) -> Session:
    """The session whose clocks know that a side has changed its last move."""
    control = session.settings.clock
    if session.clocks is None or control is None:
        return session
    return replace(session, clocks=after_change(session.clocks, control, side, counted_to_ms(session)))


def moves_taken_back(session: Session, plies: int) -> Session:
    """The session whose clocks have given back the time of moves that were taken back."""
    return session if session.clocks is None else replace(session, clocks=after_taking_back(session.clocks, plies))


def flag_ms(session: Session) -> int | None:
    """When a flag falls if nothing else happens; None while no clock counts."""
    if session.clocks is None or (session.landed_ms is not None and not is_pressed(session)):
        return None
    return falls_ms(session.clocks)


def fallen(session: Session) -> Side | None:
    """Whose flag has fallen."""
    moment = flag_ms(session)
    return session.clocks.running if session.clocks and moment is not None and moment <= session.at_ms else None


def given(session: Session) -> Clock | None:
    """What the player who is asked for a move may use."""
    if session.clocks is None or session.settings.clock is None:
        return None
    control = session.settings.clock
    left = of(left_at(session.clocks, session.at_ms), session.turn)
    if control.periods:
        # No more than the period that is on: the others are not for one move.
        main_ms = max(0, left - control.periods * control.period_ms)
        return Clock(main_ms, control.period_ms if main_ms else max(0, left - 1) % control.period_ms + 1)
    # A delay that comes back is worth as much as an increment to who plans with it.
    return Clock(max(0, left), control.increment_ms + control.delay_ms)


def left_ms(session: Session) -> dict[str, int] | None:
    """What each side has left now, in ms, never below 0; None without clocks."""
    if session.clocks is None:
        return None
    left = left_at(session.clocks, counted_to_ms(session))
    return {str(side): max(0, of_side) for side, of_side in zip((Side.WHITE, Side.BLACK), left, strict=True)}
