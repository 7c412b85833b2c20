"""FEN: positions as text, with the variant's own squares; reading and writing are a round trip."""

from __future__ import annotations

import re

from engine.errors import NotationError
from engine.geometry import Square
from engine.notation import read_square, square_name
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Piece, Position, Side, Towers
from engine.ruleset import Ruleset

_SERVER_COUNTERS = re.compile(r"[HF]\d+|\+\d\+\d")
"""Parts that game servers add: half-moves without progress, move number, king moves. They are no squares."""

_SIDES = {"W": Side.WHITE, "B": Side.BLACK}
_PIECES = {("W", False): WHITE_MAN, ("W", True): WHITE_KING, ("B", False): BLACK_MAN, ("B", True): BLACK_KING}


_LETTERS = {"w": WHITE_MAN, "W": WHITE_KING, "b": BLACK_MAN, "B": BLACK_KING}
"""One letter a piece in a tower, which is written from the bottom upwards."""

_LETTER_OF = {piece: letter for letter, piece in _LETTERS.items()}


def write_fen(position: Position, ruleset: Ruleset, by_rows: bool = False) -> str:
    """A position as FEN. `by_rows` numbers squares row by row from the top left instead of the variant's way."""
    turn = "W" if position.turn is Side.WHITE else "B"
    white = _squares_text(position, WHITE_MAN, WHITE_KING, ruleset, by_rows)
    black = _squares_text(position, BLACK_MAN, BLACK_KING, ruleset, by_rows)
    return f"{turn}:W{white}:B{black}"


def _squares_text(position: Position, man: Piece, king: Piece, ruleset: Ruleset, by_rows: bool) -> str:
    order = ruleset.geometry.by_rows if by_rows else range(len(position.contents))
    return ",".join(
        ("K" if position.contents[square] is king else "")
        + square_name(square, ruleset, by_rows)
        + _tower_text(position, square)
        for square in order
        if position.contents[square] in (man, king)
    )


def _tower_text(position: Position, square: Square) -> str:
    """A tower's pieces after its square, as in `e5=wwB`; nothing for a single piece."""
    beneath = position.towers.beneath[square] if position.towers else ()
    if not beneath:
        return ""
    return "=" + "".join(_LETTER_OF[piece] for piece in (*beneath, position.contents[square]))


def read_fen(text: str, ruleset: Ruleset, by_rows: bool = False) -> Position:
    """The position a FEN states; NotationError says what was found where."""
    position, turn = read_fen_pieces(text, ruleset, by_rows)
    if turn is None:
        raise NotationError(f"FEN {text!r}: side to move is unknown ('?'), expected W or B")
    return position


def read_fen_pieces(text: str, ruleset: Ruleset, by_rows: bool = False) -> tuple[Position, Side | None]:
    """The position of a FEN and the side to move, which is None where the text says '?'.

    Towers (only in rule sets that keep prisoners) are written after their square, from the bottom upwards:
    `W:Wa3=bw,Kc1:Bb2`, or without colours as `W:a3=bw;c1=W;b2=b`.
    """
    body = text.strip().strip('"').removesuffix(".").strip()
    side, *parts = [part.strip() for part in body.split(":")]
    if side.upper() not in ("W", "B", "?"):
        raise NotationError(f"FEN {text!r}: starts with {side!r}, expected W, B or ? for the side to move")
    contents = [EMPTY] * len(ruleset.geometry)
    beneath: list[tuple[Piece, ...]] = [()] * len(contents)
    for part in parts:
        if not part or _SERVER_COUNTERS.fullmatch(part):
            continue
        colour = part[0].upper()
        if "=" in part and part[0] not in _SIDES:
            colour = ""  # towers name their colours themselves; `b2=wb` is a square
        elif colour not in _SIDES:
            raise NotationError(f"FEN {text!r}: {part!r} starts with {part[0]!r}, expected W or B")
        for item in re.split(r"[,;\s]+", part[len(colour) :].removesuffix(".")):
            if "=" in item:
                _place_tower(contents, beneath, item, ruleset, by_rows, text)
            elif item:
                _place(contents, colour, item, ruleset, by_rows, text)
    turn = _SIDES.get(side.upper())
    towers = None if ruleset.prisoners == "none" else Towers(tuple(beneath), ruleset.prisoners == "keep rank")
    return Position(tuple(contents), turn or ruleset.first, towers), turn


def _place_tower(
    contents: list[Piece],
    beneath: list[tuple[Piece, ...]],
    item: str,
    ruleset: Ruleset,
    by_rows: bool,
    text: str,
) -> None:
    name, _, letters = item.partition("=")
    try:
        square = read_square(name.removeprefix("K"), ruleset, by_rows)
        pieces = tuple(_LETTERS[letter] for letter in letters)
    except (NotationError, KeyError) as error:
        raise NotationError(
            f"FEN {text!r}: {item!r}: expected square=tower in letters w W b B, bottom first"
        ) from error
    if not pieces or (len(pieces) > 1 and ruleset.prisoners == "none"):
        raise NotationError(f"FEN {text!r}: {item!r}: expected one piece on a square in {ruleset.title}")
    if ruleset.prisoners == "men" and any(piece in (WHITE_KING, BLACK_KING) for piece in pieces[:-1]):
        raise NotationError(f"FEN {text!r}: {item!r}: expected a king only on top of a tower")
    if contents[square] is not EMPTY:
        raise NotationError(f"FEN {text!r}: square {square_name(square, ruleset, by_rows)} is named twice")
    contents[square] = pieces[-1]
    beneath[square] = pieces[:-1]


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
