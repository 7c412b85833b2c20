"""FEN: positions as text, with the variant's own squares; reading and writing are a round trip."""

from __future__ import annotations

import re

from engine.errors import NotationError
from engine.geometry import Square
from engine.notation import read_square, square_name
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Piece, Position, Side
from engine.ruleset import Ruleset

_SERVER_COUNTERS = re.compile(r"[HF]\d+|\+\d\+\d")
"""Parts that game servers add: half-moves without progress, move number, king moves. They are no squares."""

_SIDES = {"W": Side.WHITE, "B": Side.BLACK}
_PIECES = {("W", False): WHITE_MAN, ("W", True): WHITE_KING, ("B", False): BLACK_MAN, ("B", True): BLACK_KING}


def write_fen(position: Position, ruleset: Ruleset, by_rows: bool = False) -> str:
    """A position as FEN. `by_rows` numbers squares row by row from the top left instead of the variant's way."""
    turn = "W" if position.turn is Side.WHITE else "B"
    white = _squares_text(position, WHITE_MAN, WHITE_KING, ruleset, by_rows)
    black = _squares_text(position, BLACK_MAN, BLACK_KING, ruleset, by_rows)
    return f"{turn}:W{white}:B{black}"


def _squares_text(position: Position, man: Piece, king: Piece, ruleset: Ruleset, by_rows: bool) -> str:
    order = ruleset.geometry.by_rows if by_rows else range(len(position.contents))
    return ",".join(
        ("K" if position.contents[square] is king else "") + square_name(square, ruleset, by_rows)
        for square in order
        if position.contents[square] in (man, king)
    )


def read_fen(text: str, ruleset: Ruleset, by_rows: bool = False) -> Position:
    """The position a FEN states; NotationError says what was found where."""
    position, turn = read_fen_pieces(text, ruleset, by_rows)
    if turn is None:
        raise NotationError(f"FEN {text!r}: side to move is unknown ('?'), expected W or B")
    return Position(position, turn)


def read_fen_pieces(text: str, ruleset: Ruleset, by_rows: bool = False) -> tuple[tuple[Piece, ...], Side | None]:
    """Contents and side to move of a FEN; the side is None where the text says '?'."""
    body = text.strip().strip('"').removesuffix(".").strip()
    side, *parts = [part.strip() for part in body.split(":")]
    if side.upper() not in ("W", "B", "?"):
        raise NotationError(f"FEN {text!r}: starts with {side!r}, expected W, B or ? for the side to move")
    contents = [EMPTY] * len(ruleset.geometry)
    for part in parts:
        if not part or _SERVER_COUNTERS.fullmatch(part):
            continue
        colour = part[0].upper()
        if colour not in _SIDES:
            raise NotationError(f"FEN {text!r}: {part!r} starts with {part[0]!r}, expected W or B")
        for item in re.split(r"[,\s]+", part[1:].removesuffix(".")):
            if item:
                _place(contents, colour, item, ruleset, by_rows, text)
    return tuple(contents), _SIDES.get(side.upper())


def _place(contents: list[Piece], colour: str, item: str, ruleset: Ruleset, by_rows: bool, text: str) -> None:
    king = item[0] in "Kk"
    for square in _range(item[1:] if king else item, ruleset, by_rows, text):
        if contents[square] is not EMPTY:
            raise NotationError(f"FEN {text!r}: square {square_name(square, ruleset, by_rows)} is named twice")
        contents[square] = _PIECES[colour, king]


def _range(item: str, ruleset: Ruleset, by_rows: bool, text: str) -> list[Square]:
    first, dash, last = item.partition("-")
    try:
        if not dash:
            return [read_square(first, ruleset, by_rows)]
        return [read_square(str(number), ruleset, by_rows) for number in range(int(first), int(last) + 1)]
    except ValueError as error:
        raise NotationError(f"FEN {text!r}: {item!r}: {error}") from error
