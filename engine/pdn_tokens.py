"""PDN text cut into games: tags, move texts and results with the lines they stand on, before any rule is asked."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

RESULTS = ("1-0", "0-1", "1/2-1/2", "2-0", "0-2", "1-1", "0-0")

_SQUARE = r"(?:[a-lA-L]\d{1,2}|\d{1,2})"
_TOKEN = re.compile(
    rf"""
      (?P<percent>^%[^\n]*)
    | (?P<comment>\{{(?:[^}}\n]+|\n(?!\[\w+\s+"))*\}}?)
    | (?P<remark>;[^\n]*)
    | \[\s*(?P<name>[^\s\]"\[]+(?:[ \t]+[^\s\]"\[]+)*)\s*"(?P<value>(?:\\[^\n]|[^"\\\n]|"(?!\s*\]))*)"\s*\]
    | (?P<bracket>\[[^\]\n]*\]?)
    | (?P<mark>\([!?]+\)|[!?]+|\$\d+)
    | (?P<open>\()
    | (?P<close>\))
    | (?P<result>(?<![\w/-])(?:1/2[ ]?-[ ]?1/2|½-½|1-0|0-1|2-0|0-2|1-1|0-0)(?![\w/:-]))
    | (?P<star>\*)
    | (?P<broken>(?<!\w){_SQUARE}(?:[-x:×X]{_SQUARE})*[-x:×X](?!\S)(?![ \t]+{_SQUARE}))
    | (?P<move>(?<!\w){_SQUARE}(?:[ \t]*[-x:×X][ \t]*{_SQUARE})+(?![\d/.]|[^\W\d_](?![^\W\d_])))
    | (?P<number>\d+\s*\.+|\d+\))
    | (?P<word>[^\s{{}}()\[\];!?$*]+)
    """,
    re.VERBOSE | re.MULTILINE,
)

_TAG_NAMES = {
    name.casefold(): name
    for name in ("Event", "Site", "Date", "Round", "White", "Black", "Result", "GameType", "FEN", "SetUp", "Variant")
} | {
    "bianco": "White",
    "nero": "Black",
    "risultato": "Result",
    "anno": "Date",
    "blanc": "White",
    "noir": "Black",
    "résultat": "Result",
    "wit": "White",
    "zwart": "Black",
    "uitslag": "Result",
}


@dataclass(frozen=True, slots=True)
class MoveToken:
    """Text that stands where a move should, and its line."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Remark:
    """Something skipped or cut off: its line, how many move texts came before it, and what it is."""

    line: int
    tokens_before: int
    reason: str


@dataclass(slots=True)
class RawGame:
    """One game as text, while it is being collected."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    tokens: list[MoveToken] = field(default_factory=list)
    result: str = ""
    notes: list[Remark] = field(default_factory=list)
    broken: list[Remark] = field(default_factory=list)
    has_moves: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing of a game has been seen yet."""
        return not self.tags and not self.tokens

    def note(self, line: int, reason: str) -> None:
        """Remember something that was skipped."""
        self.notes.append(Remark(line, len(self.tokens), reason))

    def breaks(self, line: int, reason: str) -> None:
        """Remember a place where the text breaks off."""
        self.broken.append(Remark(line, len(self.tokens), reason))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int
    name: str = ""


def raw_games(text: str) -> tuple[RawGame, ...]:
    """The games of a PDN text in order; never fails, whatever the text is."""
    games: list[RawGame] = []
    game = RawGame(1)
    tokens = list(_without_variations(_tokens(_plain_lines(text))))
    for place, token in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        if _starts_new_game(game, token):
            games.append(game)
            game = RawGame(token.line)
        elif game.is_empty:
            game.line = token.line
        _take(game, token, following)
    games.append(game)
    return tuple(game for game in games if not game.is_empty)


def _plain_lines(text: str) -> str:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\\r\\n", "\n")
    return re.sub(r"(?:\\r)+(?=\n|\Z)", "", text)


def _tokens(text: str) -> Iterator[_Token]:
    line_starts = [match.end() for match in re.finditer("\n", text)]
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        line = bisect_right(line_starts, match.start()) + 1
        if kind == "value":
            yield _Token("tag", _unescaped(match["value"]), line, html.unescape(match["name"]).strip())
        else:
            yield _Token(kind, match[0], line)


def _unescaped(value: str) -> str:
    return re.sub(r'\\(["\\])', r"\1", value).strip()


def _without_variations(tokens: Iterator[_Token]) -> Iterator[_Token]:
    """The tokens of the main line; a side line that is never closed ends at the next tag."""
    opened: list[int] = []
    for token in tokens:
        if token.kind == "open":
            opened.append(token.line)
        elif token.kind == "close":
            del opened[-1:]
        elif token.kind == "tag" or not opened:
            if opened:
                yield _Token("unclosed", "(", opened[0])
                opened.clear()
            yield token
    if opened:
        yield _Token("unclosed", "(", opened[0])


def _starts_new_game(game: RawGame, token: _Token) -> bool:
    if token.kind == "tag":
        repeats = bool(game.tags) and _tag_name(token.name) == next(iter(game.tags))
        return repeats or bool(game.tokens) or bool(game.result) or game.has_moves
    return bool(game.result) and token.kind in ("move", "number")


def _tag_name(name: str) -> str:
    return _TAG_NAMES.get(name.casefold(), name)


def _take(game: RawGame, token: _Token, following: _Token | None) -> None:
    match token.kind:
        case "tag":
            game.tags.setdefault(_tag_name(token.name), token.text)
        case "move" | "broken":
            game.tokens.append(MoveToken(re.sub(r"\s+", "", token.text), token.line))
        case "result":
            game.result = token.text.replace(" ", "").replace("½", "1/2")
        case "star":
            # A star after a move is also the mark of a forced move; it ends the game only where no move follows.
            if following is None or following.kind not in ("move", "number") or following.text.rstrip(" .") == "1":
                game.result = "*"
        case "number":
            game.has_moves = True
        case "unclosed":
            game.breaks(token.line, "a side line is opened with '(' and never closed")
        case "comment":
            if not token.text.endswith("}"):
                game.breaks(token.line, "a comment is opened with '{' and never closed")
        case "bracket":
            _take_bracket(game, token)
        case "word":
            _take_word(game, token, following)


def _take_bracket(game: RawGame, token: _Token) -> None:
    if token.text.endswith("]"):
        game.note(token.line, f"{token.text[:60]} has no value in quotes")
    else:
        game.breaks(token.line, f"a tag is opened with '[' and never closed: {token.text[:60]}")


def _take_word(game: RawGame, token: _Token, following: _Token | None) -> None:
    text = token.text
    if not any(character.isdigit() for character in text):
        if any(character.isalpha() for character in text):
            game.note(token.line, f"{text[:60]!r} is no move")
    elif text.isdigit() and following is not None and following.kind == "move":
        game.has_moves = True
    else:
        game.tokens.append(MoveToken(text, token.line))
