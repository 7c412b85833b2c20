"""What is changed by request while a game is on: who plays, what is played, whether the lamps are lit."""

from __future__ import annotations

from collections.abc import Mapping

from station import announcements as say
from station.beginning import ask_new_game
from station.new_game import PLAYER_EXPECTED, is_player
from station.phases import Answering, Over, Paused, Turn, Waiting
from station.settings import without_problem
from station.state import Session
from station.steps import Step, announce, next_turn, phase_of, stop_choosing, then
from station.values import replace

Arguments = Mapping[str, str | int | bool]


def ask_set_players(session: Session, arguments: Arguments) -> tuple[Step, str | None]:
    """Other players from now on, in this game and in those to come: `white`, `black` or both."""
    fault = _fault(arguments, ("white", "black"))
    wrong = next((side for side, player in arguments.items() if not is_player(str(player))), None)
    if fault is None and wrong is not None:
        fault = f"{wrong} = {arguments[wrong]!r}: expected {PLAYER_EXPECTED}"
    if fault is None and session.arm is not None and session.arm.is_busy:
        fault = "the arm is moving a piece: expected it to be at rest"
    if fault is not None:
        return (session, ()), fault
    now = without_problem(session.settings)  # who plays on from a problem plays a game
    white, black = (str(arguments.get(side, getattr(now, side))) for side in ("white", "black"))
    settings = replace(now, white=white, black=black)
    if settings == session.settings:
        return (session, ()), None
    stopped, effects = stop_choosing(session)
    changed = replace(stopped, settings=settings, results=(), engine_score=None, problem="")
    told = announce(changed, say.PlayersChanged(settings.white, settings.black)) if changed.started else (changed, ())
    return then((told[0], effects + told[1]), _with_new_players), None


def _with_new_players(session: Session) -> Step:
    """The turn is the new player's; what rests goes on with it."""
    match session.phase:
        case Turn() | Waiting() | Answering():
            return next_turn(session)
        case Paused(interrupted=Turn() | Waiting() | Answering()):
            return replace(session, phase=replace(session.phase, interrupted=phase_of(session))), ()
    return session, ()


def ask_set_variant(session: Session, arguments: Arguments) -> tuple[Step, str | None]:
    """Another game from now on; one that is under way is never ended by it."""
    fault = _fault(arguments, ("variant",))
    if fault is None and session.game.ply > session.drawn_plies and not isinstance(session.beneath, Over):
        fault = "variant: found a game under way, expected none; `new_game` with this variant ends it"
    return ((session, ()), fault) if fault is not None else ask_new_game(session, arguments)


def ask_lamps(session: Session, arguments: Arguments) -> tuple[Step, str | None]:
    """Light the board's lamps as they are wanted, or none: `on` true or false."""
    fault = _fault(arguments, ("on",))
    is_on = arguments.get("on")
    if fault is None and not isinstance(is_on, bool):
        fault = f"on = {is_on!r}: expected true or false"
    return ((session, ()), fault) if fault is not None else ((replace(session, lamps=bool(is_on)), ()), None)


def _fault(arguments: Arguments, keys: tuple[str, ...]) -> str | None:
    if not arguments:
        return f"found nothing, expected {' or '.join(keys)}"
    unknown = next((key for key in arguments if key not in keys), None)
    return None if unknown is None else f"{unknown}: no such key, expected {' or '.join(keys)}"
