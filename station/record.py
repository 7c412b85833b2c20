"""Moves go into the record, are changed, withdrawn; a game ends."""

from __future__ import annotations

from functools import partial
from typing import Literal

from engine.game import Game, Outcome
from engine.notation import move_text
from engine.position import Move
from station import announcements as say
from station import endings_by_hand as by_hand
from station import keeping_time
from station.guidance import reason_text
from station.phases import Answering, Over, Turn
from station.solving import outcome_of
from station.state import Session
from station.steps import Step, announce, next_turn, remembered, restored, stop_choosing, then
from station.tracker import Story, after_story
from station.values import replace


def commit(session: Session, story: Story) -> Step:
    """Put a story into the record: change the last move if it withdraws one, then each move it makes."""
    memory = after_story(session.memory, story)
    step_on = restored(replace(session, broken=None))
    if story.back == 1:
        step_on = then(step_on, lambda now: _revise(now, story.moves[0]))
    elif story.back:
        step_on = then(step_on, lambda now: withdraw(now, story.back))
    made = story.moves[1:] if story.back == 1 else story.moves
    for move in made:
        step_on = then(step_on, partial(_make, move=move, together=len(made)))
    hasty_ms = session.at_ms if _is_hasty(session, story) else session.hasty_ms
    return then(step_on, lambda now: _after_move(replace(now, memory=memory, hasty_ms=hasty_ms)))


def _is_hasty(session: Session, story: Story) -> bool:
    """Whether a story was read from single squares of a slow board, and tells of more than one move."""
    is_slow = any(not firm for _, _, firm in session.memory.history)
    return is_slow and (story.back > 0 or len(story.moves) > 1)


def _make(session: Session, move: Move, together: int) -> Step:
    if isinstance(session.phase, Over):
        return session, ()
    told = _tell_of_other_reply(session, move)
    by: Literal["person", "engine"] = "person" if told[1] or session.settings.is_person(session.turn) else "engine"
    session, effects = told
    elapsed = session.at_ms - session.turn_began_ms
    side = session.turn
    session = keeping_time.move_made(_after(session, session.game.play(move)), side)
    session, more = announce(session, say.moved(session.game, by, elapsed, keeping_time.left_ms(session), together))
    made = (session, (*effects, *more))
    return then(then(made, lambda now: carried_out(now, by_hand.moved(now, side))), _end_if_over)


def _after(session: Session, game: Game) -> Session:
    """The session whose game has just got its last move."""
    made = game.moves[-1]
    by_arm = session.arm is not None and session.arm.crowned_ply == session.game.ply
    return replace(remembered(session, game), new_king=made.to_square if made.promotes and not by_arm else None)


def is_other_reply(session: Session, move: Move) -> bool:
    """Whether a move is made for the engine that is not the one shown."""
    if not isinstance(session.phase, Answering) or session.settings.is_person(session.turn):
        return False
    return move.effect != session.phase.move.effect


def _tell_of_other_reply(session: Session, move: Move) -> Step:
    """Nobody is to wonder whose move is in the record."""
    if not isinstance(session.phase, Answering) or not is_other_reply(session, move):
        return session, ()
    legal, ruleset, texts = session.game.legal_moves, session.game.ruleset, session.texts
    made, shown = (move_text(item, legal, ruleset) for item in (move, session.phase.move))
    side = texts.say(f"side.{session.turn}")
    sentence = texts.say("prompt.other_reply", made=made, shown=shown, side=side)
    return announce(session, say.Prompted("other_reply", sentence, say.names((move.to_square,), ruleset)))


def _revise(session: Session, new: Move) -> Step:
    stopped, effects = stop_choosing(session)
    before = stopped.game.back(1)
    legal, ruleset = before.legal_moves, before.ruleset
    old = stopped.game.moves[-1]
    revised = replace(_after(stopped, before.play(new)), phase=Turn(), corrected=True)
    revised = keeping_time.move_changed(revised, before.position.turn)
    what = say.Revised(
        ply=revised.game.ply,
        old=say.move_object(old, legal, ruleset),
        new=say.move_object(new, legal, ruleset),
        fen=say.fen_of(revised.game.position, ruleset),
        clocks_ms=keeping_time.left_ms(revised),
    )
    announced, more = announce(revised, what)
    return then((announced, (*effects, *more)), _end_if_over)


def _end_if_over(session: Session) -> Step:
    outcome = outcome_of(session)
    if outcome is None or (outcome.article and session.settings.draws == "claim"):
        return session, ()
    return end(session, outcome)


def end(session: Session, outcome: Outcome) -> Step:
    """End the game."""
    stopped, effects = stop_choosing(session)
    result = stopped.game.result_text(outcome)
    over = keeping_time.set_clocks(
        replace(stopped, phase=Over(outcome), offer=None, resign_ms=None, ended_ms=stopped.at_ms)
    )
    told, more = announce(over, say.GameOver(result, reason_text(over, outcome), outcome.article))
    return told, (*effects, *more)


def carried_out(session: Session, decision: by_hand.Decision) -> Step:
    """What people said is done: the game ends, or it goes on and the world is told."""
    match decision:
        case Outcome():
            return end(session, decision)
        case by_hand.Said(session=said, whats=whats):
            step_on: Step = (said, ())
            for what in whats:
                step_on = then(step_on, partial(announce, what=what))
            return step_on
        case _:
            return session, ()


def _after_move(session: Session) -> Step:
    return (session, ()) if isinstance(session.phase, Over) else next_turn(session)


def withdraw(session: Session, plies: int) -> Step:
    """Take the last `plies` moves out of the record."""
    return then(restored(replace(session, broken=None)), partial(_withdraw, plies=plies))


def _withdraw(session: Session, plies: int) -> Step:
    phase = Turn() if isinstance(session.phase, Over) else session.phase
    session = replace(remembered(session, session.game.back(plies)), offer=None, phase=phase)
    session = keeping_time.moves_taken_back(session, plies)
    return announce(session, say.TakenBack(plies, say.fen_of(session.game.position, session.game.ruleset)))
