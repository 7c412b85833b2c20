"""What is said aloud at a board: the moves as they are read, what to do next, and how the game ended."""

from __future__ import annotations

import re
from collections.abc import Iterable

from station.announcements import Moved, MoveObject, Revised
from station.effects import Announce, Effect
from station.guidance import guide
from station.state import Session

SILENT = frozenset({"turn", "invite", "thinking", "moving", "capturing", "settling", "continue", "arm_moving"})
"""Prompts of a game that goes its way: whoever sits there knows, and words would only disturb."""

_BETWEEN_SQUARES = re.compile(r"(?<=\d)[-x:](?=\w)")


def said_of_moves(session: Session, effects: Iterable[Effect]) -> list[str]:
    """A sentence for each move that a person made or changed; an answer was said when it was to be played."""
    said = []
    for effect in effects:
        what = effect.what if isinstance(effect, Announce) else None
        if isinstance(what, Moved) and what.by == "person":
            said.append(_move(session, what.side, what))
        elif isinstance(what, Revised):
            said.append(session.texts.say("speech.corrected", move=_squares(session, what.new)))
    return said


def said_of_guidance(session: Session) -> str:
    """What to do next, or the result; empty where the game goes its way."""
    guidance = guide(session)
    return "" if guidance.key in SILENT else aloud(guidance.sentence)


def aloud(sentence: str) -> str:
    """A sentence without the signs between squares, which a voice would read as minus or times."""
    return _BETWEEN_SQUARES.sub(" ", sentence)


def _move(session: Session, side: str, move: Moved) -> str:
    values = {"side": session.texts.say(f"side.{side}"), "move": _squares(session, move)}
    return session.texts.say("speech.captures" if move.captured else "speech.moves", **values)


def _squares(session: Session, move: Moved | MoveObject) -> str:
    return f"{move.from_square} {move.to}"
