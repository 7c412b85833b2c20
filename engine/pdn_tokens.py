"""PDN text cut into games: tags, move texts and results with their places, before any rule is asked.

Every step is linear in the length of the text: what has been searched in vain is remembered, never searched again.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.pdn_results import is_certain, read_result
from engine.pdn_tags import tag_name

_LEXEME = re.compile(
    r"""
      (?P<chunk>[^\s{}()\[\];!?$"%<>]+)
    | \{[^{}\n]*\} | ;[^\n]* | ^%[^\n]* | \$[ ]?[0-9]{1,3} | <[A-Za-z/!][^<>\n]{0,200}> | \(\s{0,9}\)  # skipped
    | (?P<special>\{|\[(?:\s{0,99}\[)*|\(+|\)+)
    """,
    re.VERBOSE | re.MULTILINE,
)
_MARK = re.compile(r"\(\s{0,3}[!?]{1,9}\s{0,3}\)")
_BRACE_OR_TAG = re.compile(r'[{}]|\n(?=\[[\w-]{1,40}[ \t]{1,9}")')

_SQUARE = r"(?:[a-lA-L][0-9]{1,2}|[0-9]{1,3})"
_SIGN = r"[-x:X*]{1,2}"
_MOVE = rf"{_SQUARE}(?:{_SIGN}{_SQUARE})+"
_SHORT = r"[a-lA-L](?:[-x:X]?[a-lA-L]){0,9}[-x:X]?[a-lA-L][0-9]{1,2}"
_TENTHS = "(?:0[.,]5|[01][.,]0)"
_CHUNK = re.compile(
    rf"""
      (?P<score>(?:1/2|[0-9]{{1,2}})[-:](?:1/2|[0-9]{{1,2}})[A-Za-z]{{0,2}}|1/2|{_TENTHS}[-:]{_TENTHS}|1-[oO]|[oO]-1)\.*\Z
    | (?P<move>{_MOVE}|{_SHORT}|[a-lA-L][0-9]{{1,2}}[a-lA-L][0-9]{{1,2}})[kKqQ]?\Z
    | (?P<number>[0-9]{{1,4}})(?P<dots>\.+)(?P<rest>.*)\Z
    | (?P<dotted>\.+)(?P<after>.*)\Z
    | (?P<remarked>{_MOVE})(?P<remark>[^\W\d_]{{2,}}\D*)\Z
    | (?P<operand>[0-9]{{1,3}}|[a-lA-L][0-9]{{1,2}})\Z
    | (?P<open>{_SQUARE}(?:{_SIGN}{_SQUARE})*{_SIGN})\Z
    | (?P<sign>{_SIGN})\Z
    | (?P<tail>{_SIGN}{_SQUARE}(?:{_SIGN}{_SQUARE})*)\Z
    """,
    re.VERBOSE,
)
_FIRST_MOVE = re.compile(r"1\.(?!\.)")
_MOST_REMARKS = 20
_MOST_TAGS = 400
_LONGEST_CHUNK = 5000
_LONGEST_HELD = 60
_LONGEST_RESULT = 20
_MOST_KINDS = 20_000
"""What no real file has more of, so that a broken one costs no more than a real one: remarks and tags of a game,
characters without a blank, characters of a move with blanks in it or of a word for a result, different texts."""

_USUAL = re.compile(rf"(?:[0-9]{{1,4}}\.+)?{_MOVE}\Z")
_JOINED = re.compile(rf"{_SQUARE}[-x:X*]{{0,2}}{_SQUARE}")
"""What a text that may be several moves run together holds at least once."""

_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?\Z")

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—−→", "-"),
        **dict.fromkeys("∶：", ":"),
        **{sign: chr(ord(sign) - 0xFEE0) for sign in map(chr, range(0xFF01, 0xFF5F))},  # as wide as Chinese signs
        **dict.fromkeys("×✕⨯хХ", "x"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\xad", None),
        "½": "1/2",
        "…": "...",
        # Letters of columns as they look, or are called, on a Cyrillic keyboard.
        **dict(zip("абвсцдефгнАБВСЦДЕФГН", "abbccdefghABBCCDEFGH", strict=True)),
    }
)
_LINE_ENDS = str.maketrans({"\r": "\n", "\v": "\n", "\f": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n"})
_ENTITIES = re.compile(r"&(?:nbsp|ndash|mdash|minus|times|frac12|hellip|lt|gt|#[0-9]{1,5}|#[xX][0-9a-fA-F]{1,4});")
_STRUCTURE = frozenset('"[]{}();%&\\\n')


_CAPTURES = frozenset("x:X")
_MARKS_WITH_DASH = ("+/-", "-/+", "+-", "-+", "+/=", "=/+")
_MARKS = "+#=~^,"


class MoveToken(NamedTuple):
    """Text that stands where a move should, and where it begins in the file."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Remark:
    """Something skipped or cut off: its line, how many move texts came before it, and what it is."""

    line: int
    tokens_before: int
    reason: str


@dataclass(slots=True)
class RawGame:
    """One game as text, while it is being collected. `line_starts` are those of the whole file."""

    line: int
    line_starts: list[int]
    tags: dict[str, str] = field(default_factory=dict)
    tokens: list[MoveToken] = field(default_factory=list)
    result: str = ""
    notes: tuple[Remark, ...] = ()
    broken: tuple[Remark, ...] = ()
    has_moves: bool = False
    ending: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing of a game has been seen yet."""
        return not self.tags and not self.tokens and not self.broken

    def note(self, line: int, reason: str) -> None:
        """Remember something that was skipped."""
        self.notes += (Remark(line, len(self.tokens), reason),)

    def line_of(self, token: MoveToken) -> int:
        """The line a move text stands on."""
        return bisect_right(self.line_starts, token.at) + 1


def raw_games(text: str) -> tuple[RawGame, ...]:
    """The games of a PDN text in order; never fails, whatever the text is."""
    return _Collector(plain_text(text)).games()


def plain_text(text: str) -> str:
    """The text with one kind of line end, without NULs, byte order marks and what a web page made of signs."""
    text = text.replace("\x00", "").removeprefix("\ufeff").replace("\r\r\n", "\n").replace("\r\n", "\n")
    text = text.translate(_LINE_ENDS).replace("\x1a", " ") if not text.isascii() or "\r" in text else text
    text = text.replace("\x1a", " ").replace("\v", "\n").replace("\f", "\n").replace("\\r\\n", "\n")
    if "\\r\n" in text or text.endswith("\\r"):
        text = re.sub(r"(?:\\r){1,9}(?=\n|\Z)", "", text)
    if "\n" not in text and "\\n" in text:
        text = text.replace("\\n", "\n")
    if "&" in text:
        text = _ENTITIES.sub(_entity, text)
    return re.sub(r"(?<=[0-9])[ \t]?><[ \t]?(?=[0-9])", "x", text) if "><" in text else text


def _entity(match: re.Match[str]) -> str:
    """The sign an HTML entity stands for, unless it would mean something to PDN."""
    sign = html.unescape(match[0]).replace("\xa0", " ")
    return match[0] if sign in _STRUCTURE or not sign.isprintable() else sign


class _Piece(NamedTuple):
    """What a chunk of text turns out to be."""

    kind: str
    text: str
    number: int = 0


def _pieces_of(chunk: str, after_number: bool = False) -> tuple[_Piece, ...]:
    """What a run of characters between blanks is; several pieces where a number or a star stands at a move."""
    plain = (chunk if chunk.isascii() else _in_ascii(chunk)).strip(",'`|_")
    stars = plain.endswith("*")
    plain = _without_mark(plain.rstrip("*"))
    star = (_Piece("star", "*"),) if stars else ()
    if not plain:
        return star
    match = _CHUNK.match(plain)
    kind = match.lastgroup if match else None
    if match is None or kind is None:
        return (*_other(chunk, plain), *star)
    match kind:
        case "score":
            return (*_score(match["score"]), *star)
        case "rest" | "after" if after_number:
            return (*_other(chunk, plain), *star)
        case "rest":
            number = _Piece("number", match["dots"], int(match["number"]))
            return (number, *_pieces_of(match["rest"], after_number=True), *star)
        case "after":
            return (_Piece("dots", match["dotted"]), *_pieces_of(match["after"], after_number=True), *star)
        case "remark":
            return (_Piece("move", match["remarked"]), _Piece("word", match["remark"]), *star)
        case _:
            return (_Piece(kind, match[kind]), *star)


def _in_ascii(chunk: str) -> str:
    """The chunk with signs and digits as PDN has them, and without what is no letter: pictures, notes, directions."""
    plain = chunk.translate(_SIGNS)
    return "".join(c if c.isascii() or c.isalpha() else str(int(c)) if c.isdecimal() else "" for c in plain)


def _without_mark(text: str) -> str:
    """A move text without the sign behind it that says how good the move or the position is."""
    for mark in _MARKS_WITH_DASH:
        text = text.removesuffix(mark)
    return text.rstrip(_MARKS)


def _score(text: str) -> tuple[_Piece, ...]:
    result = read_result(text)
    if ":" in text and _CLOCK.match(text) and "0" in (text[0], text[-2]):
        return (_Piece("odd", text),)
    first, _, second = result.partition("-")
    few = all(part == "1/2" or int(part) <= 12 for part in (first, second) if part)
    few |= "-" in text and "0" in (first, second)
    if result != "*" and is_certain(result) and few:
        return (_Piece("result", result),)
    return (_Piece("move", text),)


def _other(chunk: str, plain: str) -> tuple[_Piece, ...]:
    if not any(character.isdigit() for character in plain):
        return (_Piece("word", chunk),) if any(character.isalpha() for character in plain) else ()
    is_year = plain[-1] == ":" and plain[:-1].isdecimal()
    if not is_year and not _CLOCK.match(plain) and _JOINED.search(plain):
        return (_Piece("move", plain),)
    return (_Piece("odd", plain),)


class _Collector:
    """Goes through a text once and collects its games."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_starts = [match.end() for match in re.finditer("\n", text)]
        self._pieces: dict[str, tuple[_Piece, ...]] = {}
        self._finder = _Finder(text)
        self._finished: list[RawGame] = []
        self._game = RawGame(1, self._line_starts)
        self._held: MoveToken | None = None
        self._depth = 0
        self._opened_at = 0
        self._last_end = 0

    def games(self) -> tuple[RawGame, ...]:
        """All games of the text."""
        at = 0
        while at < len(self._text):
            at = self._chunks_from(at)
        self._flush()
        self._close_side_line()
        self._settle_ending()
        self._finished.append(self._game)
        return tuple(game for game in self._finished if not game.is_empty)

    def _chunks_from(self, start: int) -> int:
        """Takes plain chunks up to something special, and that; returns where to go on."""
        pieces = self._pieces
        for match in _LEXEME.finditer(self._text, start):
            kind = match.lastgroup
            if kind == "special":
                return self._special(match[0], match.start())
            if kind is None or (self._depth and not self._begins_after_blank_line(match)):
                continue
            chunk = match[0]
            found = pieces.get(chunk)
            if found is None:
                found = self._pieces_of(chunk)
            at = match.start()
            for piece in found:
                self._take(piece, at)
            self._last_end = at + len(chunk)
        return len(self._text)

    def _begins_after_blank_line(self, match: re.Match[str]) -> bool:
        """Whether a first move stands after a blank line, which ends a side line that nobody closed."""
        at = match.start()
        if not _FIRST_MOVE.match(match[0]) or self._text[max(0, at - 2) : at] != "\n\n":
            return False
        self._close_side_line()
        return True

    def _pieces_of(self, chunk: str) -> tuple[_Piece, ...]:
        if len(chunk) > _LONGEST_CHUNK:
            return (_Piece("odd", chunk[:60]),)
        if len(self._pieces) > _MOST_KINDS and not _USUAL.match(chunk):
            return (_Piece("odd" if any(map(str.isdigit, chunk)) else "word", chunk[:60]),)
        found = self._pieces[chunk] = _pieces_of(chunk)
        return found

    def _special(self, sign: str, at: int) -> int:
        if sign == "{":
            return self._comment(at)
        if sign[0] == "[":
            return self._bracket(at + len(sign) - 1)
        if sign[0] == ")":
            self._close_bracket(len(sign))
            return at + len(sign)
        mark = _MARK.match(self._text, at + len(sign) - 1)
        opened = len(sign) - 1 if mark else len(sign)
        if opened and not self._depth:
            self._opened_at = at
        self._depth += opened
        return mark.end() if mark else at + len(sign)

    def _close_bracket(self, closed: int) -> None:
        if not self._depth and self._held:
            self._take(_Piece("dots", "."), self._held.at)
        self._depth = max(0, self._depth - closed)

    def _line(self, at: int) -> int:
        return bisect_right(self._line_starts, at) + 1

    def _note(self, at: int, reason: str) -> None:
        if len(self._game.notes) < _MOST_REMARKS:
            self._flush()
            self._game.notes += (Remark(self._line(at), len(self._game.tokens), reason),)

    def _breaks(self, at: int, reason: str) -> None:
        """Remember something cut off: of this game or, where it has its result already, of the next."""
        self._flush()
        if self._game.result:
            self._next_game(at)
        if len(self._game.broken) < _MOST_REMARKS:
            self._game.broken += (Remark(self._line(at), len(self._game.tokens), reason),)

    # Comments and brackets

    def _comment(self, at: int) -> int:
        end, closed = self._finder.comment_end(at)
        if not closed and not self._depth:
            self._breaks(at, "a comment is opened with '{' and never closed")
        return end

    def _bracket(self, at: int) -> int:
        tag = self._finder.tag(at)
        if tag.name:
            self._close_side_line()
            self._flush()
            self._tag(tag, at)
            if tag.remark:
                self._note(at, tag.remark)
        elif tag.cut and not self._depth:
            if self._game.ending and self._text[max(0, at - 1) : at] in ("", "\n"):
                self._next_game(at)
            self._breaks(at, f"a tag is opened with '[' and never closed: {tag.value[:60]}")
        elif not self._depth:
            self._note(at, f"{tag.value[:60]} has no value in quotes")
        return tag.end

    def _close_side_line(self) -> None:
        if self._depth:
            self._depth = 0
            self._breaks(self._opened_at, "a side line is opened with '(' and never closed")

    def _tag(self, tag: _Tag, at: int) -> None:
        game, name = self._game, tag_name(tag.name, self._game.tags)
        if game.tokens and not game.tags and not game.result and not any(map(_may_be_move, game.tokens)):
            for token in game.tokens:
                self._note(token.at, f"{token.text[:60]!r} is no move")
            game.tokens.clear()
            game.has_moves = False
        if game.tokens or game.result or game.has_moves or game.ending or self._repeats(name, at):
            self._next_game(at)
        elif game.is_empty:
            game.line = self._line(at)
        if name in self._game.tags:
            self._note(at, f"tag {name} is given twice, the first one counts")
        if name == "FEN" and tag.value in _NO_FEN:
            self._note(at, f"the FEN {tag.value!r} says nothing")
        elif len(self._game.tags) < _MOST_TAGS:
            self._game.tags.setdefault(name, tag.value)
        self._last_end = tag.end

    def _repeats(self, name: str, at: int) -> bool:
        """Whether a tag that the game already has begins another game, one without moves having ended."""
        tags = self._game.tags
        if name not in tags:
            return False
        return self._blank_line_before(at) or (name == next(iter(tags)) and len(tags) > 1)

    def _blank_line_before(self, at: int) -> bool:
        return re.search(r"\n[ \t]*\n", self._text[self._last_end : at]) is not None

    def _next_game(self, at: int) -> None:
        self._settle_ending()
        if not self._game.is_empty:
            self._finished.append(self._game)
        self._game = RawGame(self._line(at), self._line_starts)

    # Moves

    def _take(self, piece: _Piece, at: int) -> None:
        kind, text = piece.kind, piece.text
        if kind == "move":
            self._move(self._with_held(text) if self._held else text, at)
        elif kind == "number":
            self._flush()
            self._number(piece.number, len(text), at)
        elif kind in ("operand", "open", "sign", "tail"):
            self._operand(kind, text, at)
        elif kind == "word":
            self._note(at, f"{text[:60]!r} is no move")
            said = read_result(text.strip(".,!")) if len(text) < _LONGEST_RESULT else "*"
            self._game.ending = self._game.ending if said == "*" else said
        elif kind == "dots":
            if self._held and self._held.text.isdecimal():
                number, self._held = int(self._held.text), None
                self._number(number, len(text), at)
        else:
            if kind == "result" and self._held and self._held.text == str(len(self._game.tokens) // 2 + 1):
                self._held = None  # the number of a move that was not made
            self._flush()
            self._other(kind, text, at)

    def _other(self, kind: str, text: str, at: int) -> None:
        game = self._game
        if kind == "result":
            if game.is_empty and not game.has_moves:
                game.line = self._line(at)
            if not game.result:
                game.result = text
            game.ending = ""
        elif kind == "star":
            game.ending = game.ending or "*"
        elif game.result:
            self._note(at, f"{text[:60]!r} is no move")
        elif kind == "odd":
            self._move(text, at)

    def _move(self, text: str, at: int) -> None:
        game = self._game
        if game.result:
            self._next_game(at)
            game = self._game
        elif game.is_empty and not game.has_moves:
            game.line = self._line(at)
        game.ending = ""
        game.tokens.append(MoveToken(text, at))

    def _number(self, number: int, dots: int, at: int) -> None:
        game = self._game
        again = number == 1 and dots < 3
        nothing_played = not game.has_moves and not (game.tags and game.result)
        if again and nothing_played and not any(map(_may_be_move, game.tokens)):
            self._drop_heading()
        if game.result or (again and (game.ending or self._begins_anew(at))):
            self._next_game(at)
            game = self._game
        elif game.is_empty and not game.has_moves:
            game.line = self._line(at)
        game.ending = ""
        game.has_moves = True

    def _drop_heading(self) -> None:
        """Forgets what stands before the first move: names, a round, a score."""
        for token in self._game.tokens:
            self._note(token.at, f"{token.text[:60]!r} is no move")
        self._game.tokens.clear()
        self._game.result = ""

    def _begins_anew(self, at: int) -> bool:
        """Whether a number 1 in the middle of moves is that of another game."""
        played = len(self._game.tokens)
        return played > 1 or (played == 1 and self._blank_line_before(at))

    def _operand(self, kind: str, text: str, at: int) -> None:
        """Half a move: written with blanks around its sign, or cut off."""
        held = self._held
        if held is None and kind in ("sign", "tail") and self._goes_on_capturing(text):
            held = self._game.tokens.pop()
        open_ = held is not None and held.text[-1] in "-x:X*"
        if held is None:
            if kind != "sign":  # a sign alone stands for a move that is not known
                self._held = MoveToken(text, at)
        elif open_ == (kind in ("operand", "open")) and len(held.text) < _LONGEST_HELD:
            self._held = MoveToken(held.text + text, held.at)
            if kind in ("operand", "tail"):
                joined, self._held = self._held, None
                for piece in _pieces_of(joined.text):
                    self._take(piece, joined.at)
        elif kind != "sign":
            self._flush()
            self._held = MoveToken(text, at)

    def _goes_on_capturing(self, text: str) -> bool:
        """Whether a sign of capture with blanks around it stands behind a capture."""
        game = self._game
        return text[0] in _CAPTURES and bool(game.tokens and not game.result and _CAPTURES & set(game.tokens[-1].text))

    def _with_held(self, text: str) -> str:
        """A move text with what was held before it: the first half of a capture, a number, or something cut off."""
        held, self._held = self._held, None
        assert held is not None
        if held.text[-1] in "x:X":
            return held.text + text
        if held.text.isdecimal() and not self._completes_squares(held.text):
            self._number(int(held.text), 1, held.at)
        else:
            self._move(held.text, held.at)
        return text

    def _completes_squares(self, text: str) -> bool:
        """Whether a number is the second of two squares with a blank between them, not the number of a move."""
        tokens = self._game.tokens
        last = [token.text for token in reversed(tokens[-9:])]
        alone = next((place for place, other in enumerate(last) if not other.isdecimal()), len(last))
        return alone % 2 == 1 and text != str(len(tokens) // 2 + 1)

    def _flush(self) -> None:
        if self._held:
            held, self._held = self._held, None
            if not self._game.result:
                self._move(held.text, held.at)

    def _settle_ending(self) -> None:
        """A star or a word like `remise` ends the game only where no move follows; a star also marks forced moves."""
        if self._game.ending and not self._game.result:
            self._game.result = self._game.ending


def _may_be_move(token: MoveToken) -> bool:
    return not token.text.strip(".:,").isdecimal() and _JOINED.search(token.text) is not None


@dataclass(frozen=True, slots=True)
class _Tag:
    """A bracket: the name (empty when it is no tag), the value or text, where it ends, what was odd, whether cut."""

    name: str
    value: str
    end: int
    remark: str = ""
    cut: bool = False


_TAG_BEGINS = re.compile(r'\[\s{0,99}(?P<name>[^\s\]"\[][^\]"\[\n]{0,80}?)[ \t]{0,99}[:=]?[ \t]{0,99}"')
_TAG_ENDS = re.compile(r'(?<!\\)(?:\\\\)*(?P<end>"\s*\])')
_ANY_QUOTE_AND_BRACKET = re.compile(r'"\s{0,99}\]')
_TAG_WITHOUT_QUOTES = re.compile(
    r"\[\s{0,99}(?P<name>[^\W\d_]\w{0,40}(?:[ \t]\w{1,40}){0,2}?)[ \t]{0,99}[:= \t][ \t]{0,99}"
    r"(?P<open>[“”„«»‘’'`]{0,2})(?P<value>[^\[\]\n\"]{1,400})\]"
)
_LONGEST_UNCLOSED = 500
"""How far the end of a tag is looked for on other lines, and how long a line may be to count as one unclosed tag."""

_NO_FEN = ("", "?", "-", "*")
_TYPED_QUOTES = "“”„«»‘’'`"


class _Finder:
    """Finds ends of lines, comments and tags from places that only go forward; each part is searched once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_end = -1
        self._tag_end: tuple[int, int] = (-1, -1)
        self._no_balance_before = -1
        self._brace: tuple[int, str] = (-1, "")

    def line_end(self, at: int) -> int:
        """Where the line of a place ends."""
        if self._line_end < at:
            found = self._text.find("\n", at)
            self._line_end = len(self._text) if found < 0 else found
        return self._line_end

    def comment_end(self, at: int) -> tuple[int, bool]:
        """Where the comment that opens at a place ends, and whether it is closed; comments inside it count."""
        first_close, boundary = -1, len(self._text)
        depth = 1
        for match in _BRACE_OR_TAG.finditer(self._text, at + 1):
            place = match.start()
            if match[0] == "}":
                depth -= 1
                first_close = place if first_close < 0 else first_close
                if depth == 0 or place < self._no_balance_before:
                    return place + 1, True
            elif match[0] == "{":
                depth += 1
            elif self._next_brace(place) != "}":
                boundary = place
                break
        if first_close >= 0:
            self._no_balance_before = boundary
            return first_close + 1, True
        first_move = self._text.find("\n\n1. ", at, boundary)
        return (boundary if first_move < 0 else first_move), False

    def _next_brace(self, at: int) -> str:
        if self._brace[0] < at:
            found = re.compile(r"[{}]").search(self._text, at)
            self._brace = (found.start(), found[0]) if found else (len(self._text), "")
        return self._brace[1]

    def tag(self, at: int) -> _Tag:
        """The bracket that opens at a place."""
        begins = _TAG_BEGINS.match(self._text, at)
        if begins:
            tag = self._quoted(begins, is_first=not self._text[max(0, at - 20) : at].rpartition("\n")[2].strip())
            if tag:
                return tag
        line_end = self.line_end(at)
        close = self._text.find("]", at, min(line_end, at + 2000))
        if close < 0:
            return _Tag("", self._text[at : min(line_end, at + 80)], line_end, cut=True)
        without = _TAG_WITHOUT_QUOTES.match(self._text, at)
        if without and (without["open"] or tag_name(without["name"], {}) != without["name"] or _is_known(without)):
            value = without["value"].strip().strip(_TYPED_QUOTES)
            return _Tag(without["name"], _value(value), without.end(), "a tag without proper quotes")
        return _Tag("", self._text[at : min(close + 1, at + 80)], close + 1)

    def _quoted(self, begins: re.Match[str], is_first: bool) -> _Tag | None:
        """The tag whose value opens where `begins` ends; None when its quotes are not closed near by.

        Only one that is first on its line may be closed nowhere on it.
        """
        start = begins.end()
        name = html.unescape(begins["name"]).strip()
        line_end = self.line_end(start)
        if self._tag_end[0] < start:
            found = _TAG_ENDS.search(self._text, start)
            self._tag_end = found.span("end") if found else (len(self._text), len(self._text))
        close, end = self._tag_end
        if close <= line_end and close < len(self._text):
            return _Tag(name, _value(self._text[start:close]), end)
        if line_end - start <= _LONGEST_UNCLOSED:
            escaped = _ANY_QUOTE_AND_BRACKET.search(self._text, start, line_end)
            if escaped:
                return _Tag(name, _value(self._text[start : escaped.start()]), escaped.end())
        if not is_first:
            return None
        if close < len(self._text) and close - start <= _LONGEST_UNCLOSED:
            inside = self._text[start:close]
            if "\n[" not in inside and "\n\n" not in inside:
                return _Tag(name, _value(inside), end, "a tag over several lines")
        if line_end >= len(self._text) or line_end - start > _LONGEST_UNCLOSED:
            return None
        value = self._text[start:line_end].rstrip().removesuffix("]").rstrip().removesuffix('"')
        return None if '"]' in value else _Tag(name, _value(value), line_end, "a tag that is not closed")


def _is_known(match: re.Match[str]) -> bool:
    return tag_name(match["name"].lower(), {}) != match["name"].lower()


def _value(text: str) -> str:
    if "\n" in text or "\t" in text:
        text = re.sub(r"\s+", " ", text)
    if "\\" in text:
        text = re.sub(r'\\(["\\])', r"\1", text)
    text = text.strip()
    return html.unescape(text) if "&" in text else text
