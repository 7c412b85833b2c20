"""Which position a board is led back to, and the one next thing that brings it nearer, in cues and in words."""

from __future__ import annotations

from functools import reduce
from operator import or_

from engine.geometry import Square
from engine.notation import square_name
from engine.position import (
    BLACK_KING,
    BLACK_MAN,
    WHITE_KING,
    WHITE_MAN,
    Move,
    Piece,
    Position,
)
from firmware_bridge.driver import Cues, Role
from station.breaking import place_name
from station.phases import Answering, Turn
from station.repairs import Act, Carry, Fetch, PutOn, Swap, TakeOff, mess_of, next_act, pieces_amiss
from station.state import Session
from station.tracker import (
    Candidate,
    Masks,
    differing,
    expect,
    masks_of_position,
    squares_in,
)

BUMPED = 2
"""At most so many squares are wrong when one piece was pushed aside."""


def nearest_target(session: Session) -> Position:
    """The position fewest pieces away that the board is led back to: the game's, unless more of another is done.

    A reply that is shown, a legal move that is made or the last move taken back on all its squares, with at most
    `BUMPED` others wrong: what a person has done is not undone because a sleeve has touched another piece.
    """
    seen, position = session.memory.seen, session.game.position
    if seen is None:
        return position
    if isinstance(session.phase, Answering):
        meant = [position.after(session.phase.move)]
    else:
        meant = _made_but_for_a_bump(session, seen)
    geometry = session.game.ruleset.geometry
    return min((*meant, position), key=lambda target: pieces_amiss(mess_of(target.contents, seen, geometry)))


def is_bumped(session: Session) -> bool:
    """Whether the board shows a move made, or the last one taken back, but for a piece that was pushed aside."""
    seen = session.memory.seen
    return seen is not None and bool(_made_but_for_a_bump(session, seen))


def _made_but_for_a_bump(session: Session, seen: Masks) -> list[Position]:
    """What the one move made, or the last one taken back, leaves; nothing where that may be told in two ways."""
    game = session.game
    steps = [(item.move, game.position.after(item.move)) for item in _expected_moves(session)]
    if game.ply > session.drawn_plies:
        steps.append((game.moves[-1], game.positions[-2]))
    done = [target for move, target in steps if 0 < distance(target, seen) <= BUMPED and _is_done(move, target, seen)]
    return done if len(done) == 1 else []


def _expected_moves(session: Session) -> tuple[Candidate, ...]:
    if not isinstance(session.phase, Turn):
        return ()
    return expect(session.game.position, session.game.ruleset).candidates


def _is_done(move: Move, target: Position, seen: Masks) -> bool:
    """Whether every square that a move changes shows what it leaves."""
    wrong = differing(masks_of_position(target.contents), seen)
    return not any(wrong >> square & 1 for square in (move.from_square, move.to_square, *move.captured, *move.huffed))


def distance(target: Position, seen: Masks) -> int:
    """On how many squares a board differs from a position."""
    return differing(masks_of_position(target.contents), seen).bit_count()


def next_thing(session: Session, target: Position) -> tuple[Cues, str]:
    """The one next thing to do until the board shows a position: its cues, and in words."""
    seen, before = session.memory.seen, session.memory.before
    if seen is None:
        return (), session.texts.say("do.nothing")
    geometry = session.game.ruleset.geometry
    asked = next_act(mess_of(target.contents, before, geometry)) if before else None
    if before and isinstance(asked, Carry | Fetch) and _is_in_hand(asked, before, seen):
        (cues, words), lit = _told(session, target, asked), asked.end
        return tuple((square, role) for square, role in cues if square == lit), words
    return _told(session, target, next_act(mess_of(target.contents, seen, geometry)))


def _is_in_hand(asked: Carry | Fetch, before: Masks, seen: Masks) -> bool:
    """Whether a piece that was to be carried has just been lifted, and nothing else has changed: it stays asked for."""
    starts = (asked.start,) if isinstance(asked, Carry) else asked.starts
    changed = squares_in(reduce(or_, (now ^ then for now, then in zip(seen, before, strict=True))))
    return len(changed) == 1 and changed[0] in starts and bool(seen[0] >> changed[0] & 1)


def _told(session: Session, target: Position, act: Act | None) -> tuple[Cues, str]:
    """The cues of an act, and the act in words."""
    texts = session.texts
    match act:
        case None:
            return (), texts.say("do.nothing")
        case Carry(start=start, end=end):
            names = {"from": names_of(session, start), "to": names_of(session, end)}
            return ((start, Role.LIFT), (end, Role.PLACE)), texts.say("do.move", **names)
        case Fetch(piece=piece, end=end, starts=starts):
            names = {"from": names_of(session, *starts), "to": names_of(session, end)}
            lifts = tuple((start, Role.LIFT) for start in starts)
            words = texts.say("do.fetch", piece=_piece_words(session, target, piece, end), **names)
            return ((end, Role.PLACE), *lifts), words
        case Swap(one=one, other=other):
            names = {"one": names_of(session, one), "other": names_of(session, other)}
            return ((one, Role.WRONG), (other, Role.WRONG)), texts.say("do.swap", **names)
        case TakeOff(squares=squares):
            words = texts.say("do.remove", square=names_of(session, *squares))
            return tuple((square, Role.REMOVE) for square in squares), words
        case PutOn() as put:
            return _put_on(session, target, put)


def _put_on(session: Session, target: Position, act: PutOn) -> tuple[Cues, str]:
    """Towers are named one by one: each has its own pieces beneath it."""
    stray = session.memory.view.stray if session.memory.view else ()
    if stray and not act.instead:
        place = place_name(session.texts, stray[0], session.game.ruleset)
        words = session.texts.say("do.stray", place=place, square=names_of(session, act.squares[0]))
        return ((act.squares[0], Role.PLACE),), words
    squares = act.squares[:1] if target.towers else act.squares
    words = _piece_words(session, target, act.piece, squares[0])
    cues = tuple((square, Role.WRONG if act.instead else Role.PLACE) for square in squares)
    key = "do.replace" if act.instead else "do.place"
    return cues, session.texts.say(key, piece=words, square=names_of(session, *squares))


def _piece_words(session: Session, target: Position, piece: Piece, square: Square) -> str:
    """The piece that is to stand on a square; where a whole tower is to be set up, what is beneath it too."""
    texts, words = session.texts, session.texts.say(f"piece.{_piece_key(piece)}")
    beneath = target.towers.beneath[square] if target.towers else ()
    if not beneath:
        return words
    return texts.say(
        "piece.tower", piece=words, beneath=", ".join(texts.say(f"piece.{_piece_key(p)}") for p in beneath)
    )


def _piece_key(piece: Piece) -> str:
    return {WHITE_MAN: "white_man", WHITE_KING: "white_king", BLACK_MAN: "black_man", BLACK_KING: "black_king"}[piece]


def names_of(session: Session, *squares: Square) -> str:
    """Squares as the variant writes them, in one text."""
    return ", ".join(square_name(square, session.game.ruleset) for square in squares)
