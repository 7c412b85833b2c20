"""How a game ends by what people say: draws offered, answered and claimed, resignation, a flag called.

An offer stands until the other side has moved, as the FMJD has it. An engine answers by what its own search told it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.game import Outcome, agreed, flag_fell, resigned
from engine.position import Side
from station import announcements as say
from station.phases import Over, Waiting
from station.state import Session
from station.values import replace

RESIGN_WITHIN_MS = 5000
"""The button resigns when it is pressed twice within this time: a child who leans on it does not lose."""

ENGINE_PLIES = 40
"""An engine takes a draw when so many plies have been played, or when as few pieces are left as below."""
ENGINE_PIECES = 8
ENGINE_SCORE = 0
"""And when it has no more than this, in hundredths of a man, by its own judgement."""

SIDES = ("white", "black")
ANSWERS = ("offer", "accept", "decline")

Arguments = Mapping[str, str | int | bool]


@dataclass(frozen=True, slots=True)
class Said:
    """The game goes on: the session, and what is to be announced."""

    session: Session
    whats: tuple[say.What, ...] = ()


Decision = Outcome | Said | str
"""The game ends, it goes on, or the request is refused with a sentence."""


def decide(session: Session, name: str, arguments: Arguments) -> Decision:
    """What a request `draw`, `resign` or `flag` leads to."""
    if isinstance(session.beneath, Over) or not session.started:
        return "no game is being played"
    side = arguments.get("side", "")
    if side not in ("", *SIDES):
        return f"side = {side!r}: expected white or black"
    if name == "draw":
        return _draw(session, Side(str(side)) if side else None, arguments.get("answer", ""))
    ended = resigned if name == "resign" else flag_fell
    return ended(session.game.ruleset, Side(str(side)) if side else speaker(session))


def _draw(session: Session, side: Side | None, answer: object) -> Decision:
    if answer not in ("", *ANSWERS):
        return f"answer = {answer!r}: expected offer, accept or decline"
    if answer in ("", "offer") and session.claim is not None:
        return session.claim
    offered = session.offer
    if answer in ("accept", "decline") or (offered is not None and side is not offered and answer == ""):
        if offered is None:
            return f"answer = {answer!r}: no draw is offered"
        if side is offered:
            return f"side = {str(side)!r}: who offers a draw cannot answer it"
        return agreed(session.game.ruleset) if answer != "decline" else _declined(session)
    if offered is not None:
        return f"{offered} has offered a draw already" if side in (None, offered) else agreed(session.game.ruleset)
    persons = [one for one in Side if session.settings.is_person(one)]
    if side is None and answer == "" and len(persons) != 1:
        # Two people at one table who ask without a side have agreed; nobody at the table is an arbiter's word.
        return agreed(session.game.ruleset)
    return _offer(session, side or speaker(session))


def speaker(session: Session) -> Side:
    """Who says something without naming a side: the one person who plays, else the side to move."""
    persons = [side for side in Side if session.settings.is_person(side)]
    return persons[0] if len(persons) == 1 else session.turn


def _offer(session: Session, side: Side) -> Decision:
    if not session.settings.is_person(side):
        return f"side = {str(side)!r}: a player who is not at the board does not offer draws"
    offered = Said(replace(session, offer=side), (say.DrawOffered(str(side)),))
    if session.settings.is_person(side.other) or isinstance(session.active, Waiting):
        return offered  # a person answers, or the engine as soon as it has thought
    if accepts(session, session.engine_score):
        return agreed(session.game.ruleset)
    declined = _declined(offered.session)
    return Said(declined.session, (*offered.whats, *declined.whats))


def _declined(session: Session) -> Said:
    assert session.offer is not None
    what = say.DrawDeclined(str(session.offer.other), by_moving=False)
    return Said(replace(session, offer=None), (what,))


def accepts(session: Session, score: int | None) -> bool:
    """Whether an engine takes a draw when it has this score (hundredths of a man, for itself; None: it told none)."""
    pieces = sum(len(session.game.position.pieces(side)) for side in Side)
    is_late = session.game.ply >= ENGINE_PLIES or pieces <= ENGINE_PIECES
    return is_late and score is not None and score <= ENGINE_SCORE


def engine_answers(session: Session, score: int | None) -> Decision:
    """What an engine that was offered a draw says once it has thought."""
    if session.offer is None:
        return Said(session)
    return agreed(session.game.ruleset) if accepts(session, score) else _declined(session)


def moved(session: Session, side: Side) -> Said:
    """A side has moved: an offer of the other's has lapsed."""
    if session.offer is not side.other:
        return Said(session)
    return Said(replace(session, offer=None), (say.DrawDeclined(str(side), by_moving=True),))


# --- buttons on the board -----------------------------------------------------------------------------------------


def press(session: Session, button: str) -> Decision:
    """What a press on the board's button `draw` or `resign` leads to; whoever is to move is taken to press it."""
    if button == "draw":
        # The one button is a side's own: who offered cannot accept with it.
        return decide(session, "draw", {"side": str(speaker(session))})
    resignation = decide(session, "resign", {})
    if isinstance(resignation, str) or is_resigning(session):
        return resignation
    return Said(replace(session, resign_ms=session.at_ms))


def is_resigning(session: Session) -> bool:
    """Whether the button was pressed once, and not so long ago that it is forgotten."""
    until_ms = resign_until_ms(session)
    return until_ms is not None and session.at_ms < until_ms


def resign_until_ms(session: Session) -> int | None:
    """Until when a second press resigns; None when there was no first one."""
    return None if session.resign_ms is None else session.resign_ms + RESIGN_WITHIN_MS
