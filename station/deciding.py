"""What a session decides by what its board shows: moves made, changed and taken back, rules broken, games ended."""

from __future__ import annotations

from collections.abc import Callable

from engine.explain import Violation
from engine.game import Outcome
from station import announcements as say
from station import keeping_time
from station.beginning import decide_set_up, home, start_over
from station.breaking import broken_rule
from station.crowning import is_being_crowned
from station.effects import Effect
from station.guidance import illegal_sentence
from station.leading_back import is_bumped
from station.phases import Answering, Composing, Over, Paused, SettingUp
from station.record import commit, is_other_reply
from station.setting_up import begin_composing, decide_composing, was_emptied
from station.squares import is_blind
from station.state import Session, context_of, may_look_again
from station.steps import (
    CONTRADICTED_MS,
    Step,
    announce,
    prompt,
    restored,
    settled,
    shows,
)
from station.swept import SWEPT, asks_to_resume, is_swept
from station.taking_back import decide_back
from station.touching import broken_touch
from station.tracker import (
    Ambiguous,
    Astray,
    Clearing,
    Done,
    Moving,
    Story,
    Turned,
    Untouched,
    is_covered,
    is_still,
    leads_here,
    masks_of_position,
    read,
    read_back,
)
from station.values import replace

ENDED_BY_PERSONS = ("resigned", "agreed")
"""Reasons for which only somebody at the board ends a game."""


def decide(session: Session) -> Step:
    """Read the board and act on it until it has no more to say."""
    effects: tuple[Effect, ...] = ()
    for _ in range(4):
        before = session
        session, more = _decide_once(session)
        effects += more
        if session.game is before.game and session.phase == before.phase:
            break
    return session, effects


def _decide_once(session: Session) -> Step:
    if session.memory.seen is None:
        return session, ()
    match session.phase:
        case Paused():
            return session, ()
        case _ if is_covered(session.memory.seen):
            return replace(session, reading=Untouched()), ()
        case SettingUp() if session.arm is not None and session.arm.is_busy:
            return session, ()
        case SettingUp(target=target):
            return decide_set_up(session, masks_of_position(target.contents))
        case Composing() as phase:
            return decide_composing(replace(session, reading=Untouched()), phase)
    session = _without_idle_question(session)
    session = keeping_time.with_landing(replace(session, reading=read(context_of(session), session.memory)))
    if session.arm is not None and session.arm.is_busy:
        return session, ()
    if was_emptied(session):
        return begin_composing(session, asked=False)
    if isinstance(session.phase, Over):
        return _decide_over(session, session.phase.outcome)
    if may_look_again(session) and isinstance(session.reading, Untouched | Done):
        session = replace(session, hasty_ms=None)
    return _decide_in_play(session)


def _decide_over(session: Session, outcome: Outcome) -> Step:
    if isinstance(session.reading, Done):
        return _decide_in_play(session)
    if isinstance(session.reading, Turned) and outcome.on_board and not keeping_time.is_pressed(session):
        return commit(session, session.reading.story)
    pace, at_home = session.settings.pace, shows(session, masks_of_position(home(session.settings).contents))
    if isinstance(session.reading, Untouched):
        # It was left standing after people ended the game: the result stays in sight for a while.
        is_seen = session.at_ms - session.ended_ms >= pace.start_again
        is_due = at_home and outcome.reason in ENDED_BY_PERSONS and is_seen and settled(session, pace.set_up)
        return start_over(session, session.settings) if is_due else (session, ())
    return start_over(session, session.settings) if at_home and settled(session, pace.set_up) else decide_back(session)


def _decide_in_play(session: Session) -> Step:
    pace, automatic = session.settings.pace, not keeping_time.is_pressed(session)
    match session.reading:
        case Untouched():
            return restored(replace(session, asked=()))
        case Done(story=story) if _is_nearer_back(session, story):
            return decide_back(session)
        case Done(story=story, extendable=extendable, contradicted=contradicted):
            other = not story.back and is_other_reply(session, story.moves[0])
            in_doubt = other or (extendable and not isinstance(session.phase, Answering))
            waits = CONTRADICTED_MS if contradicted else pace.extended if in_doubt else pace.quick
            broken = broken_touch(session, story)
            if broken is not None:
                is_new = session.broken is None and settled(session, waits)
                return _say_broken(session, broken) if is_new else (session, ())
            if is_blind(session, story):
                return prompt(session) if settled(session, pace.extended) else (session, ())
            if not keeping_time.waits_for_a_press(session) and settled(session, waits):
                return commit(session, story)
        case Turned(story=story) if automatic:
            return commit(session, story)
        case Ambiguous(stories=stories) if settled(session, pace.extended):
            lines = stories if len(stories[0].moves) > 1 else ()
            return prompt(replace(session, asked=lines))
        case Clearing():
            return _back_or(session, prompt, pace.forgot)
        case Moving() if session.memory.view and session.memory.view.stray:
            return _back_or(session, _speak_of_stray, pace.illegal)
        case Moving():
            return _back_or(session, prompt, pace.go_on)
        case Astray() if not session.asked:
            return _back_or(session, _speak, pace.illegal)
    return session, ()


def _without_idle_question(session: Session) -> Session:
    """The session that no longer asks which moves were played once the board rests where none of them leads."""
    context = replace(context_of(session), positions=session.game.positions)
    if not session.asked or not is_still(context, session.memory):
        return session
    is_idle = not any(leads_here(story, context, session.memory) for story in session.asked)
    return replace(session, asked=()) if is_idle else session


def _is_nearer_back(session: Session, story: Story) -> bool:
    """Whether an earlier position stands that fewer moves lead back to than a story of several leads on."""
    if len(story.moves) < 2:
        return False
    back = read_back(session.game.positions[session.drawn_plies :], session.memory)
    return back is not None and back.plies < len(story.moves)


def _back_or(session: Session, speak: Callable[[Session], Step], patience_ms: int) -> Step:
    """For a board on which no move is complete: an earlier position may stand again, else people are told in time."""
    back = decide_back(session)
    if back[0].game is not session.game:
        return back
    return speak(session) if settled(session, patience_ms) and not is_being_crowned(session) else (session, ())


def _speak(session: Session) -> Step:
    """Say what is wrong with a board that no story explains: once for each frame, and nothing while it is swept."""
    squares = session.reading.squares if isinstance(session.reading, Astray) else ()
    if asks_to_resume(session):
        return prompt(session)
    if is_swept(session, squares) and not settled(session, session.settings.pace.start_again):
        return session, ()
    session = replace(session, led=max(session.led, len(squares)))
    if "astray" in session.told or not 0 < len(squares) <= SWEPT:
        return session, ()
    broken = broken_rule(session.game.position, session.game.ruleset, session.memory, is_bumped(session))
    if broken is not None:
        return _say_broken(session, broken)
    session = replace(session, told=(*session.told, "astray"), differs=True)
    return announce(session, say.BoardDiffers(say.names(squares, session.game.ruleset)))


def _speak_of_stray(session: Session) -> Step:
    """Say that the piece which seems to be in the hand stands where nothing is played."""
    if session.broken is not None:
        return session, ()
    broken = broken_rule(session.game.position, session.game.ruleset, session.memory)
    if broken is not None:
        return _say_broken(session, broken)
    return prompt(session) if settled(session, session.settings.pace.go_on) else (session, ())


def _say_broken(session: Session, broken: Violation) -> Step:
    session = replace(session, told=(*session.told, "astray"), broken=broken, differs=True, led=max(1, session.led))
    named = say.names(broken.squares, session.game.ruleset)
    return announce(session, say.Illegal(broken.rule, broken.article, illegal_sentence(session), named))
