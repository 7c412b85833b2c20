"""A hint: what the strongest level would play for the person to move, on page and lamps until the game goes on."""

from __future__ import annotations

from engine.levels import STRONGEST
from engine.position import Move
from engine.problem_sets import Problem
from station import announcements as say
from station.effects import Choose, Effect, StopChoosing
from station.phases import Turn
from station.solving import next_move, problem_of
from station.state import Session
from station.steps import Step, announce, prompt
from station.values import replace

ADVISER = f"engine:{STRONGEST}"


def ask_hint(session: Session) -> tuple[Step, str | None]:
    """Ask what to play, once in a position; refused where no person is to move."""
    if not isinstance(session.phase, Turn):
        return (session, ()), "hint: found nobody at the board who is to move, expected a person's turn"
    found = problem_of(session)
    if found is not None:
        return _of_problem(session, found)
    if session.hint is not None or session.hint_request:
        return (session, ()), None
    request = session.request + 1
    asking = replace(session, request=request, hint_request=request)
    return (asking, (Choose(request, ADVISER, session.game),)), None


def _of_problem(session: Session, found: Problem) -> tuple[Step, str | None]:
    """In a problem the piece is shown first, and where it goes when somebody asks again."""
    move = next_move(session, found)
    if move is None:
        return (session, ()), "hint: this move does not solve the problem, expected it to be taken back"
    told = replace(session, told=tuple(key for key in session.told if key != "hint"))
    return prompt(replace(told, hint=move, is_hint_whole=session.hint is not None)), None


def advised(session: Session, move: Move) -> Step:
    """The answer: told at once, and shown as long as the board stands as the game does."""
    session = replace(session, hint_request=0)
    if all(move.effect != legal.effect for legal in session.game.legal_moves):
        return session, ()
    advised_so = replace(session, hint=move, is_hint_whole=True)
    return prompt(advised_so) if isinstance(session.phase, Turn) else (advised_so, ())


def not_advised(session: Session, reason: str) -> Step:
    """No answer will come; whoever asked is told why, and may ask again."""
    sentence = session.texts.say("prompt.no_hint", reason=reason)
    return announce(replace(session, hint_request=0), say.Prompted("no_hint", sentence, ()))


def no_longer_wanted(session: Session, asked: int) -> tuple[Effect, ...]:
    """The adviser is left alone when the game went on before it answered; `asked` is what it was asked before."""
    return (StopChoosing(asked),) if asked and session.hint_request != asked else ()
