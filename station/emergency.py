"""The emergency stop at a board: told to page and MQTT, and obeyed by an arm; the game goes on."""

from __future__ import annotations

from station import announcements as say
from station.state import Session
from station.steps import Step, announce
from station.values import replace


def take_stop(session: Session, is_pressed: bool) -> Step:
    """The session after the stop was pressed or let go, announced when that is news."""
    if is_pressed == session.is_stopped:
        return session, ()
    return announce(replace(session, is_stopped=is_pressed), say.Halted(is_pressed))


def stop_warning(session: Session) -> str | None:
    """What people are told while the stop is pressed; None while it is not."""
    return session.texts.say("stop.pressed") if session.is_stopped else None
