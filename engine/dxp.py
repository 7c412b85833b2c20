"""DamExchange, the protocol by which two draughts programs play over TCP: bytes <-> messages, for both ends, no I/O.

A message is at most 127 signs of ASCII, its fields of fixed width, and ends with one zero byte. One end (the initiator)
asks for games, the other (the follower) accepts or refuses. Boards are 10x10 only; squares are numbered from 1 in the
official order of international draughts. Which rules are played is not said. Times are whole seconds or minutes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.errors import AmbiguousMoveError, IllegalMoveError
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Move, Piece, Position, Side
from engine.ruleset import Ruleset

PORT = 27531
"""The port that programs listen on unless told otherwise."""

VERSION = 1
"""The version of the protocol that is spoken here."""

MOST_SIGNS = 127
"""The longest message without its zero byte."""

SQUARES = 50
END = b"\0"

ACCEPTED, WRONG_VERSION, REFUSED = 0, 1, 2
"""Codes of GameAccept."""

NO_RESULT, SENDER_LOSES, DRAW, SENDER_WINS = 0, 1, 2, 3
"""Reasons of GameEnd."""

BACK_ACCEPTED, BACK_UNKNOWN, BACK_REFUSED = 0, 1, 2
"""Codes of BackAccept."""


class DxpError(ValueError):
    """Bytes that are no DamExchange message: says what was found and what was expected."""


@dataclass(frozen=True, slots=True)
class GameRequest:
    """The initiator asks for a game: who it is, the follower's colour, each side's minutes and moves for the game.

    `moves` 0 is no limit; `position` None is the usual start.
    """

    name: str
    follower: Side
    minutes: int
    moves: int = 0
    position: Position | None = None
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class GameAccept:
    """The follower's answer: who it is, and ACCEPTED, WRONG_VERSION or REFUSED."""

    name: str
    code: int = ACCEPTED


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A move: the seconds it took, square indices from 0, captured ones in any order."""

    seconds: int
    from_square: int
    to_square: int
    captured: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class GameEnd:
    """The game is over; the other end answers with one of NO_RESULT. `stop`: no more games will follow."""

    reason: int = NO_RESULT
    stop: bool = False


@dataclass(frozen=True, slots=True)
class BackRequest:
    """Asks to go back to where `side` was to make its move of this number."""

    number: int
    side: Side


@dataclass(frozen=True, slots=True)
class BackAccept:
    """The answer to it: BACK_ACCEPTED, BACK_UNKNOWN (going back is not supported) or BACK_REFUSED."""

    code: int


@dataclass(frozen=True, slots=True)
class Chat:
    """A word to whoever sits at the other end."""

    text: str


Message = GameRequest | GameAccept | MoveMade | GameEnd | BackRequest | BackAccept | Chat

_LETTERS: dict[Piece, str] = {EMPTY: "e", WHITE_MAN: "w", WHITE_KING: "W", BLACK_MAN: "z", BLACK_KING: "Z"}
_PIECES = {letter: piece for piece, letter in _LETTERS.items()}
_COLOURS = {Side.WHITE: "W", Side.BLACK: "Z"}
_SIDES = {letter: side for side, letter in _COLOURS.items()}
_NAME_SIGNS = 32


def write_dxp(message: Message) -> bytes:
    """A message with its zero byte; ValueError when a number does not fit its field."""
    match message:
        case GameRequest(name, follower, minutes, moves, position, version):
            start = "A" if position is None else "B" + _position_text(position)
            numbers = _digits(minutes, 3) + _digits(moves, 3)
            text = "R" + _digits(version, 2) + _name(name) + _COLOURS[follower] + numbers + start
        case GameAccept(name, code):
            text = "A" + _name(name) + _digits(code, 1)
        case MoveMade(seconds, start_square, end_square, captured):
            squares = (start_square + 1, end_square + 1, len(captured), *(square + 1 for square in captured))
            text = "M" + _digits(seconds, 4) + "".join(_digits(number, 2) for number in squares)
        case GameEnd(reason, stop):
            text = "E" + _digits(reason, 1) + str(int(stop))
        case BackRequest(number, side):
            text = "B" + _digits(number, 3) + _COLOURS[side]
        case BackAccept(code):
            text = "K" + _digits(code, 1)
        case Chat(words):
            text = "C" + _ascii(words)[: MOST_SIGNS - 1]
    return text.encode("ascii") + END


def _digits(number: int, width: int) -> str:
    text = f"{number:0{width}}"
    if number < 0 or len(text) > width:
        raise ValueError(f"{number}: expected a number of at most {width} digits")
    return text


def _name(name: str) -> str:
    return f"{_ascii(name)[:_NAME_SIGNS]:{_NAME_SIGNS}}"


def _ascii(text: str) -> str:
    """What of a text can be written; everything else is a question mark."""
    return re.sub(r"[^ -~]", "?", text)


def _position_text(position: Position) -> str:
    if len(position.contents) != SQUARES:
        raise ValueError(f"a board of {len(position.contents)} squares, expected one of {SQUARES}")
    return _COLOURS[position.turn] + "".join(_LETTERS[piece] for piece in position.contents)


def read_dxp(data: bytes) -> Message:
    """The message that bytes without the zero byte state; DxpError says what is wrong with them."""
    if len(data) > MOST_SIGNS:
        raise DxpError(f"a message of {len(data)} signs, expected at most {MOST_SIGNS}")
    text = data.decode("latin-1")
    reader = _READERS.get(text[:1])
    if reader is None:
        raise DxpError(f"{_shown(text)}: expected a message that begins with one of {', '.join(_READERS)}")
    return reader(text)


def split_dxp(data: bytes) -> tuple[tuple[bytes, ...], bytes]:
    """The whole messages in bytes that have come so far, without their zero bytes, and what is left over.

    DxpError when what is left over is longer than any message.
    """
    *whole, rest = data.split(END)
    if len(rest) > MOST_SIGNS:
        raise DxpError(
            f"{_shown(rest.decode('latin-1'))}: {len(rest)} signs and no zero byte, expected at most {MOST_SIGNS}"
        )
    return tuple(whole), rest


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:40] + "...")


def _fields(text: str, pattern: str, layout: str) -> re.Match[str]:
    match = re.fullmatch(pattern, text, re.ASCII | re.DOTALL)
    if match is None:
        raise DxpError(f"{_shown(text)}: expected {layout}")
    return match


def _read_request(text: str) -> GameRequest:
    layout = (
        "R, version (2 digits), name (32), W or Z, minutes and moves (3 digits each), A or B with W or Z and squares"
    )
    match = _fields(text, r"R([0-9]{2})(.{32})([WZ])([0-9]{3})([0-9]{3})(A|B([WZ])([wzWZe]{50}))", layout)
    version, name, follower, minutes, moves, _, turn, squares = match.groups()
    contents = tuple(_PIECES[letter] for letter in squares or "")
    position = Position(contents, _SIDES[turn]) if squares else None
    return GameRequest(_read_name(name), _SIDES[follower], int(minutes), int(moves), position, int(version))


def _read_name(text: str) -> str:
    return _ascii(text).rstrip()


def _read_accept(text: str) -> GameAccept:
    match = _fields(text, r"A(.{32})([0-2])", "A, name (32 signs), 0, 1 or 2")
    return GameAccept(_read_name(match[1]), int(match[2]))


def _read_move(text: str) -> MoveMade:
    layout = "M, seconds (4 digits), from, to, number captured and each captured square (2 digits each)"
    match = _fields(text, r"M([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})((?:[0-9]{2})*)", layout)
    seconds, start, end, number, rest = match.groups()
    captured = [int(rest[place : place + 2]) for place in range(0, len(rest), 2)]
    if len(captured) != int(number):
        raise DxpError(f"{_shown(text)}: {len(captured)} captured squares, expected {int(number)} as it says")
    squares = [int(start), int(end), *captured]
    wrong = [square for square in squares if not 1 <= square <= SQUARES]
    if wrong:
        raise DxpError(f"{_shown(text)}: square {wrong[0]}, expected 01 to {SQUARES}")
    return MoveMade(int(seconds), int(start) - 1, int(end) - 1, tuple(square - 1 for square in captured))


def _read_end(text: str) -> GameEnd:
    match = _fields(text, r"E([0-3])([01])", "E, reason 0 to 3, stop code 0 or 1")
    return GameEnd(int(match[1]), match[2] == "1")


def _read_back_request(text: str) -> BackRequest:
    match = _fields(text, r"B([0-9]{3})([WZ])", "B, move number (3 digits), W or Z")
    return BackRequest(int(match[1]), _SIDES[match[2]])


def _read_back_accept(text: str) -> BackAccept:
    return BackAccept(int(_fields(text, r"K([0-2])", "K, then 0, 1 or 2")[1]))


_READERS: dict[str, Callable[[str], Message]] = {
    "R": _read_request,
    "A": _read_accept,
    "M": _read_move,
    "E": _read_end,
    "B": _read_back_request,
    "K": _read_back_accept,
    "C": lambda text: Chat(_ascii(text[1:])),
}


def can_be_played(ruleset: Ruleset) -> bool:
    """Whether a game by these rules can be told in this protocol: 50 squares of a board 10x10, no towers."""
    fifty = (ruleset.columns, ruleset.rows, len(ruleset.geometry)) == (10, 10, SQUARES)
    return fifty and ruleset.family == "capture" and ruleset.prisoners == "none"


def dxp_move(move: Move, seconds: int) -> MoveMade:
    """A move as a message; a huffed piece stands among the captured ones."""
    return MoveMade(min(9999, seconds), move.from_square, move.to_square, tuple(sorted(move.captured + move.huffed)))


def read_dxp_move(message: MoveMade, legal: Iterable[Move]) -> Move:
    """The one legal move that a message means; captured squares may come in any order.

    IllegalMoveError: none fits; AmbiguousMoveError: more than one does.
    """
    captured = sorted(message.captured)
    fitting = {
        move.effect: move
        for move in legal
        if (move.from_square, move.to_square) == (message.from_square, message.to_square)
        and sorted(move.captured + move.huffed) == captured
    }
    squares = (message.from_square, message.to_square, *captured)
    text = ("x" if captured else "-").join(str(square + 1) for square in squares)
    if not fitting:
        raise IllegalMoveError(f"{text} is not a legal move here")
    if len(fitting) > 1:
        raise AmbiguousMoveError(f"{text} fits {len(fitting)} legal moves", (text,) * len(fitting))
    return next(iter(fitting.values()))
