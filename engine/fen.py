"""FEN: positions as text, with the variant's own squares; reading and writing are a round trip."""

from __future__ import annotations

import re

from engine.errors import NotationError
from engine.geometry import Square
from engine.notation import read_square, square_name, square_names
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Piece, Position, Side, Towers
from engine.ruleset import Ruleset

_SERVER_COUNTERS = re.compile(r"[HFhf][0-9]{1,6}|(?:\+[0-9]{1,3}){1,2}")
"""Parts that game servers add: half-moves without progress, move number, king moves. They are no squares."""

_NUMBER_ALONE = re.compile(r"(?::(?:[Ww]{1,2}|[Bb])?|[,;\s][Ww]?)(?:[Pp]?K?[0-9]|GK?[1-9][0-9])")
_COLUMN_AND_ROW = re.compile(r"(?::[WwBb]|[,;\s])[KkGPp]{0,2}[A-JLa-jl][0-9]")
"""What only a FEN with numbered squares has, and only one with columns and rows."""

_COLOUR_WORD = re.compile(r"white|black|[wb]", re.IGNORECASE)
_BETWEEN_ITEMS = re.compile(r"[,;\s]+")
_RANGE = re.compile(r"([0-9]{1,3})-([0-9]{1,3})")
_TURNS = {"w": "W", "white": "W", "b": "B", "black": "B", "?": "?"}
_COLUMNS_BEFORE_K = 10
_LONGEST = 10_000
"""Characters of a FEN that are read; the highest towers on the widest board do not need half of them."""

_LOOK_ALIKE = str.maketrans("–—−：；，асеАСЕВКк", "---:;,aceACEBKk")
"""Signs and Cyrillic letters that look like those of a FEN, as word processors and keyboards put them there."""

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
    names, contents = square_names(ruleset, by_rows), position.contents
    return ",".join(
        ("K" if contents[square] is king else "") + names[square] + _tower_text(position, square)
        for square in order
        if contents[square] is man or contents[square] is king
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
        raise NotationError(f"FEN {_short(text)}: side to move is unknown ('?'), expected W or B")
    return position


def read_fen_pieces(text: str, ruleset: Ruleset, by_rows: bool = False) -> tuple[Position, Side | None]:
    """The position of a FEN and the side to move, which is None where the text says '?'.

    Squares are numbers, ranges of numbers or column and row. A colour may come twice, or before each square; `K` is a
    king, `G` and `P` are a man and a king that are captured and still stand there: they are left out, as after the
    move. Towers (only in rule sets that keep prisoners) are written after their square, from the bottom upwards:
    `W:Wa3=bw,Kc1:Bb2`, or without colours as `W:a3=bw;c1=W;b2=b`.
    """
    if len(text) > _LONGEST:
        raise NotationError(f"FEN {_short(text)}: {len(text)} characters, expected at most {_LONGEST}")
    plain = text if text.isascii() else text.translate(_LOOK_ALIKE)
    body = plain.strip().strip("\"'").strip().removesuffix(".").strip()
    side, _, rest = body.partition(":")
    turn = _TURNS.get(side.strip().lower())
    if turn is None:
        raise NotationError(f"FEN {_short(text)}: starts with {side[:20]!r}, expected W, B or ? for the side to move")
    reader = _FenReader(plain, ruleset, by_rows)
    reader.take_all(rest)
    if not reader.sides_seen:
        raise NotationError(f"FEN {_short(text)}: ends after the side to move, expected W and B with their squares")
    stated = _SIDES.get(turn)
    return reader.position(stated or ruleset.first), stated


def has_captured_pieces(text: str, ruleset: Ruleset) -> bool:
    """Whether a FEN has pieces that are captured and still stand on the board; False for what is no FEN."""
    if not text or not set("GPp").intersection(text[:_LONGEST]):
        return False
    reader = _FenReader(text, ruleset, by_rows=False)
    try:
        reader.take_all(text[:_LONGEST].strip().strip("\"'").partition(":")[2])
    except NotationError:
        return False
    return reader.ghosts > 0


def _short(text: str) -> str:
    """A text as errors quote it."""
    return repr(text) if len(text) <= 80 else f"{text[:80]!r}..."


class _FenReader:
    """Puts the pieces of one FEN on the board, part by part."""

    def __init__(self, text: str, ruleset: Ruleset, by_rows: bool) -> None:
        self._text = text
        self._ruleset = ruleset
        self._by_rows = by_rows
        self._contents = [EMPTY] * len(ruleset.geometry)
        self._beneath: list[tuple[Piece, ...]] = [()] * len(self._contents)
        self._squares: dict[str, Square] = {}
        says_columns = ruleset.notation == "algebraic" or _COLUMN_AND_ROW.search(text) is not None
        self._numeric = by_rows or not says_columns or _NUMBER_ALONE.search(text) is not None
        self.ghosts = 0
        self.sides_seen: set[str] = set()

    def position(self, turn: Side) -> Position:
        """The position when all parts are taken."""
        prisoners = self._ruleset.prisoners
        towers = None if prisoners == "none" else Towers(tuple(self._beneath), prisoners == "keep rank")
        return Position(tuple(self._contents), turn, towers)

    def take_all(self, parts: str) -> None:
        """Everything behind the side to move."""
        for part in parts.split(":"):
            self.take(part.strip().removesuffix(".").rstrip())

    def take(self, part: str) -> None:
        """One part between colons: a colour and its squares, towers, or what a server counts."""
        if not part or _SERVER_COUNTERS.fullmatch(part) or (len(self.sides_seen) == 2 and part.isdecimal()):
            return
        colour = part[0].upper()
        if "=" in part and part[0] not in _SIDES:
            colour = ""  # towers name their colours themselves; `b2=wb` is a square
        elif colour not in _SIDES:
            raise self._error(f"{part[:20]!r} starts with {part[0]!r}, expected W or B")
        self.sides_seen.add(colour)
        listed = part[len(_COLOUR_WORD.match(part)[0]) :] if colour else part  # type: ignore[index]
        for item in _BETWEEN_ITEMS.split(listed):
            if "=" in item:
                self._place_tower(item)
            elif item:
                colour, named = self._own_colour(colour, item)
                if named:
                    self._place(colour, named)

    def _own_colour(self, colour: str, item: str) -> tuple[str, str]:
        """An item without the colour that it may begin with; `b2` is a square, `B2` too unless squares are numbers."""
        if item[0] in "Ww" or (item[0] == "B" and self._numeric):
            return item[0].upper(), item[1:]
        return colour, item

    def _place(self, colour: str, item: str) -> None:
        if not colour:
            raise self._error(f"{item[:20]!r} stands without a colour, expected W or B before it")
        ghost = (item[0] in "Pp" or (item[0] == "G" and (self._numeric or item[1:2].isalpha()))) and len(item) > 1
        if ghost:
            item = item[1:]
        king = self._is_king(item)
        for square in self._range(item[1:] if king else item):
            if ghost:
                self.ghosts += 1
                continue
            piece = _PIECES[colour, king]
            if self._contents[square] not in (EMPTY, piece) or self._beneath[square]:
                raise self._error(f"square {square_name(square, self._ruleset, self._by_rows)} is named twice")
            self._contents[square] = piece

    def _is_king(self, item: str) -> bool:
        """Whether a K stands before a square; on the widest boards `k4` is a square where squares are not numbers."""
        if item[0] not in "Kk":
            return False
        is_square = item[0] == "k" and not self._numeric and self._ruleset.columns > _COLUMNS_BEFORE_K
        return not (is_square and item[1:].isdecimal())

    def _range(self, item: str) -> list[Square]:
        first, dash, _ = item.partition("-")
        if not dash:
            return [self._square(first)]
        numbers = _RANGE.fullmatch(item)
        if not numbers:
            raise self._error(f"{item[:20]!r}: expected a range of two numbers; of {first[:9]!r} name every square")
        low, high = int(numbers[1]), int(numbers[2])
        if low > high:
            raise self._error(f"{item!r}: expected the smaller number first")
        return [self._square(str(number)) for number in range(low, high + 1)]

    def _square(self, name: str) -> Square:
        found = self._squares.get(name)
        if found is None:
            try:
                found = self._squares[name] = read_square(name[:20], self._ruleset, self._by_rows)
            except NotationError as error:
                raise self._error(str(error)) from error
        return found

    def _place_tower(self, item: str) -> None:
        name, _, letters = item.partition("=")
        square = self._square(name.removeprefix("K"))
        pieces = tuple(_LETTERS[letter] for letter in letters if letter in _LETTERS)
        if len(pieces) != len(letters):
            raise self._error(f"{item[:40]!r}: expected square=tower in letters w W b B, bottom first")
        prisoners = self._ruleset.prisoners
        if not pieces or (len(pieces) > 1 and prisoners == "none"):
            raise self._error(f"{item[:40]!r}: expected one piece on a square in {self._ruleset.title}")
        if prisoners == "men" and any(piece in (WHITE_KING, BLACK_KING) for piece in pieces[:-1]):
            raise self._error(f"{item[:40]!r}: expected a king only on top of a tower")
        if self._contents[square] is not EMPTY:
            raise self._error(f"square {square_name(square, self._ruleset, self._by_rows)} is named twice")
        self._contents[square] = pieces[-1]
        self._beneath[square] = pieces[:-1]

    def _error(self, reason: str) -> NotationError:
        return NotationError(f"FEN {_short(self._text)}: {reason}")
