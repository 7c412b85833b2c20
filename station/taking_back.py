"""Moves are taken back: by request, and by undoing them on the board in any order."""

from __future__ import annotations

from collections.abc import Mapping

from station.beginning import home, start_over
from station.phases import SettingUp
from station.record import withdraw
from station.state import Session
from station.steps import Step, enter, next_turn, settled, shows, stop_choosing, then
from station.tracker import masks_of_position, read_back


def ask_take_back(session: Session, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    """Moves taken back by request, and why that was refused if it was."""
    plies = arguments.get("plies", _usual_take_back(session))
    most = _plies_played(session)
    if isinstance(plies, bool) or not isinstance(plies, int) or not 1 <= plies <= most:
        made = "the moves made so far" if not session.drawn_plies else "the moves made after the drawn opening"
        return (session, ()), f"plies = {plies!r}: expected 1 to {most}, {made}"
    stopped = stop_choosing(session)
    taken = then(stopped, lambda now: withdraw(now, int(plies)))
    return then(taken, lambda now: enter(now, SettingUp(now.game.position))), None


def _usual_take_back(session: Session) -> int:
    """One move; against a player who is not at the board, back to the person's own turn."""
    own_turn = session.settings.is_person(session.turn)
    return 2 if own_turn and not session.settings.is_person(session.turn.other) and _plies_played(session) > 1 else 1


def _plies_played(session: Session) -> int:
    """How many moves the players made themselves: what can be taken back."""
    return session.game.ply - session.drawn_plies


def decide_back(session: Session) -> Step:
    """Take moves back where an earlier position stands; the start position in a long game begins a new one."""
    pace = session.settings.pace
    if not settled(session, pace.back):
        return session, ()
    played = _plies_played(session)
    back = read_back(session.game.positions[session.drawn_plies :], session.memory)
    at_home = shows(session, masks_of_position(home(session.settings).contents))
    if at_home and (back is None or back.plies == played > 4):
        return start_over(session, session.settings) if settled(session, pace.start_again) else (session, ())
    if back is None:
        return session, ()
    if not settled(session, pace.back if back.plies == 1 else pace.further_back):
        return session, ()
    stopped = stop_choosing(session)
    return then(then(stopped, lambda now: withdraw(now, back.plies)), next_turn)
