"""A position is put together by hand: what each step lays, what is wrong with it, and the press that accepts it.

A board that tells no colours is filled kind by kind; one that tells colours asks which pieces are kings; one that
tells men from kings is read as it stands. Nothing is accepted because time has passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.errors import NotationError
from engine.fen import write_fen
from engine.legality import Fault, faults, last_row
from engine.notation import read_square
from engine.position import (
    BLACK_KING,
    BLACK_MAN,
    CONTENTS,
    CROWNED,
    EMPTY,
    KINGS,
    MEN,
    WHITE_KING,
    WHITE_MAN,
    Piece,
    Position,
    Side,
    Towers,
    is_king,
    side_of,
)
from engine.ruleset import Ruleset
from engine.view import BLACK, OCCUPIED, WHITE
from firmware_bridge.driver import Device
from station.announcements import names
from station.phases import Composing
from station.state import Session
from station.tracking.masks import squares_in

KINDS: dict[str, Piece] = {
    "white_man": WHITE_MAN,
    "white_king": WHITE_KING,
    "black_man": BLACK_MAN,
    "black_king": BLACK_KING,
}
"""Steps of a board that tells no colours: what is put on it in each."""

NEXT = ("confirm", "clock_white", "clock_black")
"""Buttons that end a step."""


def steps_for(device: Device | None, ruleset: Ruleset) -> tuple[str, ...]:
    """The steps in which a position is laid, by what the board's sensors tell."""
    has_kings = ruleset.family != "race"
    if device is not None and device.identity:
        return ("pieces", "turn")
    if device is not None and device.colour:
        return ("pieces", "kings", "turn") if has_kings else ("pieces", "turn")
    kinds = tuple(step for step in KINDS if has_kings or not step.endswith("king"))
    return ("clear", *kinds, "turn")


def composed(session: Session, phase: Composing) -> tuple[Piece, ...]:
    """What is known to stand on each square; OCCUPIED where something stands of which no step has told the kind."""
    view = session.memory.view
    if view is None:
        return phase.laid
    lifted = squares_in(lifted_again(session)) if phase.step == "kings" else ()
    return tuple(
        _content(phase, session.game.ruleset, square, view.possible(square), square in lifted)
        for square in range(len(phase.laid))
    )


def lifted_again(session: Session) -> int:
    """Squares whose piece was lifted and put back since the step began."""
    seen = session.memory.seen
    return session.memory.been[0][0] & ~seen[0] if seen else 0


def _content(phase: Composing, ruleset: Ruleset, square: int, possible: Piece, lifted: bool) -> Piece:
    known = phase.laid[square]
    side = side_of(known)
    if possible is EMPTY or not possible & OCCUPIED:
        return EMPTY
    if side is not None and possible & (MEN[side] | KINGS[side]):
        if lifted:
            return MEN[side] if is_king(known) else KINGS[side]
        return known if possible & MEN[side] else KINGS[side]
    if possible & EMPTY:
        return EMPTY
    if possible in CONTENTS:
        return possible
    colour = next((side for side, pieces in ((Side.WHITE, WHITE), (Side.BLACK, BLACK)) if not possible & ~pieces), None)
    if colour is not None:
        crowned = ruleset.geometry.row(square) == last_row(ruleset, colour)
        return CROWNED[MEN[colour]] if crowned else MEN[colour]
    return KINDS.get(phase.step, OCCUPIED)


def position_of(session: Session, phase: Composing) -> Position:
    """The position as it is understood now; squares of which the kind is not known count as empty."""
    contents = tuple(EMPTY if piece is OCCUPIED else piece for piece in composed(session, phase))
    prisoners = session.game.ruleset.prisoners
    towers = None if prisoners == "none" else Towers(((),) * len(contents), prisoners == "keep rank")
    return Position(contents, phase.turn, towers)


def fen_of(session: Session, phase: Composing) -> str:
    """The FEN of the position as it is understood now."""
    return write_fen(position_of(session, phase), session.game.ruleset)


def what_is_wrong(session: Session, phase: Composing) -> tuple[str, tuple[int, ...]] | None:
    """Why the position cannot be accepted, in a sentence, with the squares it is about; None when it can."""
    texts, ruleset = session.texts, session.game.ruleset
    unclear = tuple(square for square, piece in enumerate(composed(session, phase)) if piece is OCCUPIED)
    if unclear:
        return texts.say("fault.unclear", squares=_names(unclear, ruleset)), unclear
    if session.memory.view is not None and session.memory.view.stray:
        return texts.say("fault.beside"), ()
    found = faults(position_of(session, phase), ruleset)
    return (fault_text(session, found[0]), found[0].squares) if found else None


def fault_text(session: Session, fault: Fault) -> str:
    """A fault of a position as a sentence."""
    side = session.texts.say(f"side.{fault.side}")
    squares = _names(fault.squares, session.game.ruleset)
    return session.texts.say(f"fault.{fault.kind}", side=side, squares=squares, most=str(fault.most))


def _names(squares: tuple[int, ...], ruleset: Ruleset) -> str:
    return ", ".join(names(squares, ruleset))


def named(session: Session, phase: Composing, arguments: Mapping[str, str | int | bool]) -> Composing | str:
    """The phase after somebody named what stands on a square, or why that cannot be."""
    try:
        square = read_square(str(arguments["square"]), session.game.ruleset)
    except NotationError as error:
        return str(error)
    piece = KINDS.get(str(arguments.get("piece")))
    if piece is None:
        return f"piece = {arguments.get('piece')!r}: expected one of {', '.join(KINDS)}"
    laid = composed(session, phase)
    if laid[square] is EMPTY:
        return f"square = {arguments['square']!r}: nothing stands there"
    return replace(phase, laid=tuple(_laid(laid, square, piece)))


def _laid(laid: tuple[Piece, ...], square: int, piece: Piece) -> Iterator[Piece]:
    for place, content in enumerate(laid):
        yield piece if place == square else EMPTY if content is OCCUPIED else content
