"""Setting up a position by hand: how it begins, goes from step to step, is accepted or given up."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import NotationError, RulesetError
from engine.legality import faults
from engine.position import EMPTY, Piece, Side, side_of
from engine.view import OCCUPIED
from station.beginning import home, start_over
from station.composing import (
    KINDS,
    NEXT,
    composed,
    fault_text,
    fen_of,
    lifted_again,
    named,
    steps_for,
    what_is_wrong,
)
from station.openings import start_position
from station.phases import Composing, Over, Paused, SettingUp
from station.state import Session
from station.steps import Step, enter, next_turn, prompt, settled, shows, stop_choosing, then
from station.swept import is_bare
from station.tracker import Astray, forget, masks_of_position, squares_in
from station.values import replace

STEPS = ("next", "back", "leave")
"""What `set_position` may do with the steps of a set-up by hand."""


def ask_set_position(session: Session, arguments: Mapping[str, str | int | bool]) -> tuple[Step, str | None]:
    """A position by request, and why it was refused if it was.

    With `fen` that position is to be set up; with nothing a set-up by hand begins. In one, `step` goes on, back or
    leaves, `turn` says who is to move, and `square` with `piece` says what stands on a square.
    """
    if "fen" in arguments:
        return _ask_fen(session, str(arguments["fen"]))
    phase = session.active
    if not isinstance(phase, Composing):
        if arguments:
            return (session, ()), f"{next(iter(arguments))}: no position is being set up by hand"
        return begin_composing(session, asked=True), None
    if "step" in arguments:
        return _ask_step(session, phase, str(arguments["step"]))
    changed: Composing | str = phase
    if "square" in arguments:
        changed = named(session, phase, arguments)
    elif arguments.get("turn") in tuple(Side):
        changed = replace(phase, turn=Side(str(arguments["turn"])))
    elif "turn" in arguments:
        changed = f"turn = {arguments['turn']!r}: expected white or black"
    if isinstance(changed, str):
        return (session, ()), changed
    return (_with(session, changed), ()), None


def _with(session: Session, phase: Composing) -> Session:
    """The session with its set-up changed, also behind a pause."""
    paused = session.phase
    return replace(session, phase=replace(paused, interrupted=phase) if isinstance(paused, Paused) else phase)


def _ask_fen(session: Session, fen: str) -> tuple[Step, str | None]:
    ruleset = session.settings.ruleset
    try:
        position = start_position(ruleset, fen)
    except (NotationError, RulesetError) as error:
        return (session, ()), f"fen: {error}"
    found = faults(position, ruleset)
    if found:
        return (session, ()), f"fen: {fault_text(session, found[0])}"
    return start_over(session, session.settings, fen), None


def _ask_step(session: Session, phase: Composing, step: str) -> tuple[Step, str | None]:
    if step not in STEPS:
        return (session, ()), f"step = {step!r}: expected one of {', '.join(STEPS)}"
    if step == "leave":
        return leave(session, phase), None
    if step == "back":
        return _to(session, phase, max(0, phase.at - 1)), None
    wrong = what_is_wrong(session, phase) if phase.step == "turn" else None
    if wrong is not None:
        return (session, ()), wrong[0]
    return _next(session, phase), None


def begin_composing(session: Session, asked: bool) -> Step:
    """A position is to be put together on the board; what went on before it is kept."""
    before = session.active
    if isinstance(before, Composing):
        return session, ()
    stopped, effects = stop_choosing(session)
    phase = Composing(
        before,
        steps_for(session.device, session.settings.ruleset),
        (EMPTY,) * len(session.game.position.contents),
        session.settings.ruleset.first,
        asked=asked,
    )
    entered, more = enter(stopped, phase)
    begun, told = _begin_step(entered) if asked else (_fresh_eyes(entered), ())
    return begun, (*effects, *more, *told)


def pressed(session: Session, phase: Composing, button: str) -> Step:
    """A button in a set-up by hand: go on, a step back, or leave it."""
    if button in NEXT:
        return _next(session, phase)
    if button == "take_back":
        return _to(session, phase, max(0, phase.at - 1))
    return leave(session, phase) if button == "set_up" else (session, ())


def leave(session: Session, phase: Composing) -> Step:
    """Give the set-up up: back to the game that it interrupted."""
    if isinstance(phase.before, Over | SettingUp):
        return enter(_fresh_eyes(session), phase.before)
    return next_turn(_fresh_eyes(session))


def go_on(session: Session) -> Step:
    """A game that was kept while the station was off is gone on with: its position is to be set up."""
    stopped = stop_choosing(replace(_fresh_eyes(session), resumed=False))
    return then(stopped, lambda now: enter(now, SettingUp(now.game.position)))


def decide_composing(session: Session, phase: Composing) -> Step:
    """What the board says in a set-up by hand; only the steps that ask for no more than a gesture go on by it."""
    pace = session.settings.pace
    if not settled(session, pace.set_up):
        return session, ()
    if not phase.asked:
        if shows(session, masks_of_position(session.game.position.contents)):
            return leave(session, phase) if settled(session, pace.back) else (session, ())
        if shows(session, masks_of_position(home(session.settings).contents)):
            return start_over(session, session.settings) if settled(session, pace.start_again) else (session, ())
    if phase.step == "clear" and is_bare(session):
        next_step = _with(session, replace(phase, at=phase.at + 1))
        return _begin_step(next_step) if phase.asked else (_fresh_eyes(next_step), ())
    if phase.step == "turn":
        return _turn_shown(session, phase), ()
    return session, ()


def was_emptied(session: Session) -> bool:
    """Whether somebody took all pieces off in the middle of a game and left it at that."""
    nobody_moves = isinstance(session.reading, Astray) or isinstance(session.phase, Over)
    return nobody_moves and is_bare(session) and settled(session, session.settings.pace.start_again)


def _turn_shown(session: Session, phase: Composing) -> Session:
    """A piece that was lifted and put back shows whose turn it is."""
    sides = {side_of(phase.laid[square]) for square in squares_in(lifted_again(session))} - {None}
    if len(sides) != 1:
        return session
    return replace(session, phase=replace(phase, turn=sides.pop() or phase.turn), memory=forget(session.memory))


def _next(session: Session, phase: Composing) -> Step:
    if phase.step == "clear" and not is_bare(session):
        return session, ()
    if phase.step != "turn":
        return _to(session, replace(phase, laid=_told(session, phase)), phase.at + 1)
    if what_is_wrong(session, phase) is not None:
        return prompt(session)
    return start_over(session, session.settings, fen_of(session, phase))


def _told(session: Session, phase: Composing) -> tuple[Piece, ...]:
    return tuple(EMPTY if piece is OCCUPIED else piece for piece in composed(session, phase))


def _to(session: Session, phase: Composing, at: int) -> Step:
    """Another step. A step back lays its kind anew: what it had laid is forgotten."""
    laid = phase.laid
    if at < phase.at:
        kind = KINDS.get(phase.steps[at])
        laid = tuple(EMPTY if piece is kind else piece for piece in laid)
    return _begin_step(_with(session, replace(phase, at=at, laid=laid)))


def _begin_step(session: Session) -> Step:
    return prompt(_fresh_eyes(session))


def _fresh_eyes(session: Session) -> Session:
    return replace(session, memory=forget(session.memory), told=(), broken=None)
