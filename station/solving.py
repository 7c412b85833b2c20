"""A problem at the board: who solves it is a person, the other side answers by its line, a wrong move is taken back."""

from __future__ import annotations

from engine.game import Outcome
from engine.position import Move
from engine.problem_sets import Problem, count, problem
from station.phases import ActivePhase, Answering, Over, Turn
from station.settings import problem_number
from station.state import Session

SOLVED = "solved"


def problem_of(session: Session) -> Problem | None:
    """The problem that is on the board, if there is one; a game that was kept may be of one that is no more."""
    number, variant = problem_number(session.settings), session.game.ruleset.name
    if not 1 <= number <= count(variant):
        return None
    found = problem(variant, number)
    return found if found.position.diagram == session.game.start.diagram else None


def outcome_of(session: Session) -> Outcome | None:
    """How the game has ended: by its rules, or because the problem is solved."""
    found = problem_of(session)
    if found is not None and len(session.game.moves) == len(found.line) and found.follows(session.game):
        return Outcome(found.solver, SOLVED, on_board=False)
    return session.game.outcome()


def phase_on_line(session: Session, found: Problem) -> ActivePhase:
    """A person's turn, or the line's answer that is to be carried out; a turn, too, where the line was left."""
    outcome = outcome_of(session)
    if outcome is not None:
        return Over(outcome)
    answer = next_move(session, found)
    if answer is None or session.turn is found.solver:
        return Turn()
    return Answering(answer, session.at_ms + session.settings.pace.reply_hold)


def next_move(session: Session, found: Problem) -> Move | None:
    """The line's next move; None where it was left."""
    return found.line[session.game.ply] if found.follows(session.game) else None
