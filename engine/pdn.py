"""PDN: games of draughts as text, read with every oddity that real files have and written in one canonical form."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from engine.errors import NotationError
from engine.explain import why_not
from engine.fen import read_fen_pieces, write_fen
from engine.geometry import Square
from engine.notation import fitting_moves, full_move_text, move_text, read_move_squares
from engine.pdn_tokens import RESULTS, MoveToken, RawGame, raw_games
from engine.position import Effect, Move, Position, Side
from engine.rules import Rules, rules_for
from engine.ruleset import Ruleset, load_ruleset, variant_names

SEVEN_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
"""The tags every written game has, in this order."""

_LOOK_AHEAD = 20_000
"""How many positions one game's ambiguous captures may cost; what is beyond counts as not read."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a game: its place in the file from 1, the line, the half-move from 1 (0: before the moves)."""

    game: int
    line: int
    ply: int
    reason: str


@dataclass(frozen=True, slots=True)
class PdnGame:
    """A game as far as it is legal: `faults` say where it breaks off, `notes` what was skipped without harm.

    `turn_known` is False when the FEN leaves the side to move open; then no moves are read.
    """

    tags: Mapping[str, str]
    ruleset: Ruleset
    start: Position
    moves: tuple[Move, ...] = ()
    result: str = "*"
    faults: tuple[Fault, ...] = ()
    notes: tuple[Fault, ...] = ()
    line: int = 1
    turn_known: bool = True

    @property
    def is_legal(self) -> bool:
        """Whether every half-move of the text was read."""
        return not self.faults


@dataclass(frozen=True, slots=True)
class _Option:
    """One reading of the next token or tokens: the move, whether every landing square is named, the token after."""

    move: Move
    exact: bool
    following: int


@dataclass(frozen=True, slots=True)
class _Stop:
    """Where reading the moves of a game ended, and why it did not go on; no reason at the end."""

    moves: tuple[Move, ...]
    token: int
    reason: str = ""


def read_pdn(text: str, default_ruleset: Ruleset) -> tuple[PdnGame, ...]:
    """The games of a PDN text; never raises. `default_ruleset` is for games that do not say what is played."""
    return tuple(_read_game(raw, default_ruleset, number) for number, raw in enumerate(raw_games(text), 1))


def stated_ruleset(text: str) -> Ruleset | None:
    """The rule set that a PDN text itself names, in a `% variant: NAME` line or its first telling tag; else None."""
    line = re.search(r"^%\s*variant:(.*)", text, re.MULTILINE)
    if line and _variant_in(line[1]):
        return _variant_in(line[1])
    for raw in raw_games(text):
        ruleset = _named_ruleset(raw.tags, None)
        if ruleset:
            return ruleset
    return None


def _read_game(raw: RawGame, default: Ruleset, number: int) -> PdnGame:
    ruleset = _named_ruleset(raw.tags, default) or default
    rules = rules_for(ruleset)
    game = PdnGame(
        tags=raw.tags,
        ruleset=ruleset,
        start=rules.start(),
        result=_result(raw),
        notes=_notes(raw, ruleset, number),
        line=raw.line,
    )
    try:
        game = _with_start(game, raw)
    except NotationError as error:
        return replace(game, faults=(Fault(number, raw.line, 0, str(error)),))
    if not game.turn_known:
        reason = "the FEN does not say which side is to move"
        return replace(game, faults=(Fault(number, raw.line, 0, reason),) if raw.tokens else ())
    return _with_moves(game, raw, rules, number)


def _notes(raw: RawGame, ruleset: Ruleset, number: int) -> tuple[Fault, ...]:
    notes = [Fault(number, note.line, note.tokens_before + 1, note.reason) for note in raw.notes]
    game_type_tag = raw.tags.get("GameType", "")
    if game_type_tag and game_type_tag.split(",")[0].strip() != str(ruleset.pdn_type):
        reason = f"GameType {game_type_tag[:60]!r} is not known here; read as {ruleset.name}"
        notes.insert(0, Fault(number, raw.line, 0, reason))
    return tuple(notes)


def _with_start(game: PdnGame, raw: RawGame) -> PdnGame:
    """The game with the start that its FEN states or its first move tells."""
    if raw.tags.get("FEN"):
        position, turn = read_fen_pieces(raw.tags["FEN"], game.ruleset)
        return replace(game, start=position, turn_known=turn is not None)
    if raw.tokens and "GameType" not in raw.tags:
        reader = _MoveReader(rules_for(game.ruleset), raw.tokens)
        other = replace(game.start, turn=game.start.turn.other)
        if not reader.options(0, game.start) and reader.options(0, other):
            return replace(game, start=other)
    return game


def _with_moves(game: PdnGame, raw: RawGame, rules: Rules, number: int) -> PdnGame:
    stop = _MoveReader(rules, raw.tokens).read(game.start)
    left = raw.tokens[stop.token :]
    faults = [
        Fault(number, broken.line, len(stop.moves) + 1, broken.reason)
        for broken in raw.broken
        if broken.tokens_before <= stop.token
    ]
    if left and not (len(left) == 1 and left[0].text == raw.tags.get("Result", "").replace(" ", "")):
        faults.append(Fault(number, left[0].line, len(stop.moves) + 1, stop.reason))
    elif left and game.result == "*":
        game = replace(game, result=left[0].text)
    return replace(game, moves=stop.moves, faults=tuple(faults))


def _result(raw: RawGame) -> str:
    """The terminator after the moves, or what the Result tag says where there is none."""
    tag = raw.tags.get("Result", "").replace(" ", "").replace("½", "1/2")
    if raw.result and raw.result != "*":
        return raw.result
    return tag if re.fullmatch(r"\d+(/2)?-\d+(/2)?", tag) else "*"


class _MoveReader:
    """Reads the move texts of one game, looking ahead where a text fits more than one capture."""

    def __init__(self, rules: Rules, tokens: list[MoveToken]) -> None:
        self._rules = rules
        self._tokens = tokens
        self._squares = [self._squares_of(token) for token in tokens]
        self._reached: dict[tuple[int, Position], int] = {}
        self._looked_at = 0

    def read(self, position: Position) -> _Stop:
        """All moves from a position on, up to the end or to the first text that cannot be read."""
        moves: list[Move] = []
        token = 0
        while token < len(self._tokens):
            options = self.options(token, position)
            if not options:
                return _Stop(tuple(moves), token, self._illegal(token, position))
            chosen = self._choose(options, position)
            if chosen is None:
                return _Stop(tuple(moves), token, self._ambiguous(token, options))
            moves.append(chosen.move)
            position = position.after(chosen.move)
            token = chosen.following
        return _Stop(tuple(moves), token)

    def options(self, token: int, position: Position) -> tuple[_Option, ...]:
        """Readings of the text at `token`: of it alone, or, where it is the first jump of a capture, of the jumps."""
        squares = self._squares[token]
        if squares is None:
            return ()
        alone = self._fitting(squares, position, token + 1)
        if alone:
            return alone
        found: list[_Option] = []
        for following in range(token + 1, len(self._tokens)):
            further = self._squares[following]
            if further is None or further[0] != squares[-1]:
                break
            squares = (*squares, *further[1:])
            found.extend(self._fitting(squares, position, following + 1))
        return tuple(found)

    def _fitting(self, squares: tuple[Square, ...], position: Position, following: int) -> tuple[_Option, ...]:
        ends = [
            move
            for move in self._rules.legal_moves(position)
            if move.from_square == squares[0] and move.to_square == squares[-1]
        ]
        if not ends or (len(ends) == 1 and len(squares) == 2):
            return tuple(_Option(move, False, following) for move in ends)
        ways = self._rules.ways(position)
        by_effect: dict[Effect, _Option] = {}
        for move in ends:
            fitting = fitting_moves(squares, ways[move.effect])
            if fitting:
                by_effect[move.effect] = _Option(fitting[0], fitting[0].path == squares[1:], following)
        return tuple(by_effect.values())

    def _choose(self, options: tuple[_Option, ...], position: Position) -> _Option | None:
        """The reading with which the rest of the game gets furthest; None when that leaves several."""
        if len(options) == 1:
            return options[0]
        reached = [self._reach(option.following, position.after(option.move)) for option in options]
        furthest = [option for option, token in zip(options, reached, strict=True) if token == max(reached)]
        exact = [option for option in furthest if option.exact]
        return exact[0] if exact else furthest[0] if len(furthest) == 1 else None

    def _reach(self, token: int, position: Position) -> int:
        """The furthest token that can be read from here."""
        key = (token, position)
        if key not in self._reached:
            self._reached[key] = self._look_ahead(token, position)
        return self._reached[key]

    def _look_ahead(self, token: int, position: Position) -> int:
        while token < len(self._tokens) and self._looked_at < _LOOK_AHEAD:
            self._looked_at += 1
            options = self.options(token, position)
            if len(options) > 1:
                return max(self._reach(option.following, position.after(option.move)) for option in options)
            if not options:
                break
            position = position.after(options[0].move)
            token = options[0].following
        return token

    def _squares_of(self, token: MoveToken) -> tuple[Square, ...] | None:
        try:
            return read_move_squares(token.text, self._rules.ruleset)
        except NotationError:
            return None

    def _illegal(self, token: int, position: Position) -> str:
        text = self._tokens[token].text[:60]
        squares = self._squares[token]
        if squares is None:
            try:
                read_move_squares(text, self._rules.ruleset)
            except NotationError as error:
                return str(error)
        if not self._rules.legal_moves(position):
            return f"illegal move {text}: the game is over, {position.turn} has no move"
        violation = why_not(self._rules, position, squares or ())
        rule = violation.rule.replace("_", " ") if violation else "no such move"
        return f"illegal move {text} for {position.turn}: {rule}"

    def _ambiguous(self, token: int, options: tuple[_Option, ...]) -> str:
        texts = sorted(full_move_text(option.move, self._rules.ruleset) for option in options)
        return f"ambiguous move {self._tokens[token].text}: fits {', '.join(texts)}"


def _named_ruleset(tags: Mapping[str, str], default: Ruleset | None) -> Ruleset | None:
    """The rule set that a game's tags name, changed where its GameType says so; None when they name none."""
    variant = tags.get("Variant", "")
    if default is not None and variant == default.name:
        return default
    named = _variant_in(variant)
    if named:
        return named
    kind, *facts = [part.strip() for part in tags.get("GameType", "").split(",")]
    if not re.fullmatch(r"[0-9]{1,3}", kind):
        return None
    ruleset = default if default is not None and default.pdn_type == int(kind) else _ruleset_of_type(int(kind))
    return ruleset and _with_game_type(ruleset, facts)


def _variant_in(text: str) -> Ruleset | None:
    """The rule set whose name is this text or one of its words."""
    words = [text.strip().lower(), *re.findall(r"[a-z0-9]+", text.lower())]
    return next((load_ruleset(word) for word in words if word in variant_names()), None)


@cache
def _ruleset_of_type(pdn_type: int) -> Ruleset | None:
    """The plainest rule set of a GameType number."""
    known = [load_ruleset(name) for name in variant_names()]
    fitting = [ruleset for ruleset in known if ruleset.pdn_type == pdn_type]
    return min(fitting, key=_oddities, default=None)


def _oddities(ruleset: Ruleset) -> tuple[bool, bool, bool, str]:
    return (ruleset.goal != "normal", bool(ruleset.start_fen), ruleset.king_landing != "any", ruleset.name)


def _with_game_type(ruleset: Ruleset, facts: list[str]) -> Ruleset:
    """The rule set with first side and notation as a long GameType states them for a board of the same size."""
    match [fact.upper() for fact in facts]:
        case [("W" | "B") as first, width, height, notation, *_] if (width, height) == (
            str(ruleset.columns),
            str(ruleset.rows),
        ):
            written = {"A": "algebraic", "N": "numeric"}.get(notation[:1], ruleset.notation)
            side = Side.WHITE if first == "W" else Side.BLACK
            if (side, written) != (ruleset.first, ruleset.notation):
                return replace(ruleset, first=side, notation=written)
    return ruleset


def canonical_result(result: str, ruleset: Ruleset) -> str:
    """A result in the form the variant writes (1-0 and 2-0 are the same); unchanged when it is no result of a game."""
    white, black, draw = ruleset.results
    match _points(result):
        case None:
            return result
        case 0, 0:
            return result
        case first, second:
            if first == second:
                return draw
            return next(form for form in (white, black) if (form > form[::-1]) == (first > second))


def winner_of(result: str, ruleset: Ruleset) -> Side | None:
    """Who has won by a PDN result; None when it is drawn or open."""
    return {ruleset.results[0]: Side.WHITE, ruleset.results[1]: Side.BLACK}.get(canonical_result(result, ruleset))


def _points(result: str) -> tuple[int, int] | None:
    if result not in RESULTS:
        return None
    first, second = result.replace("1/2", "1").split("-")
    return int(first), int(second)


def write_pdn(game: PdnGame) -> str:
    """A game as canonical PDN 3.0: tags, an empty line, moves in lines of at most 80 characters."""
    return "\n".join([*_tag_lines(game), "", *_move_lines(game), ""])


def write_pdn_file(games: Iterable[PdnGame]) -> str:
    """Games one after the other, an empty line between them."""
    return "\n".join(write_pdn(game) for game in games)


def game_type(ruleset: Ruleset) -> str:
    """The value of the GameType tag: type, first side, width, height, notation, whether the corner is mirrored."""
    first = "W" if ruleset.first is Side.WHITE else "B"
    notation = "A" if ruleset.notation == "algebraic" else "N"
    stated = ruleset.pdn_game_type
    if stated.startswith(f"{ruleset.pdn_type},{first},{ruleset.columns},{ruleset.rows},{notation}"):
        return stated
    mirrored = int(ruleset.corner == "right")
    corner = "0" if notation == "A" else _first_square_digit(ruleset)
    return f"{ruleset.pdn_type},{first},{ruleset.columns},{ruleset.rows},{notation}{corner},{mirrored}"


def _first_square_digit(ruleset: Ruleset) -> str:
    """Which corner holds square 1 as the side that moves first sees it: 0 near left, 1 near right, 2, 3 far."""
    top, right = ruleset.first_square.startswith("top"), ruleset.first_square.endswith("right")
    turned = ruleset.first is Side.BLACK
    return str(2 * (top != turned) + (right != turned))


def _tag_lines(game: PdnGame) -> list[str]:
    ruleset = game.ruleset
    tags = {name: game.tags.get(name) or "?" for name in SEVEN_TAGS}
    tags["Date"] = game.tags.get("Date") or "????.??.??"
    tags["Result"] = canonical_result(game.result, ruleset)
    if ruleset.pdn_type:
        tags["GameType"] = game_type(ruleset)
    if _named_ruleset(tags, None) != ruleset:
        tags["Variant"] = ruleset.name
    if not game.turn_known or game.start != rules_for(ruleset).start():
        fen = write_fen(game.start, ruleset)
        tags |= {"SetUp": "1", "FEN": fen if game.turn_known else "?" + fen[1:]}
    own = {*tags, "GameType", "Variant", "SetUp", "FEN"}
    tags |= {name: value for name, value in game.tags.items() if name not in own}
    return [f'[{_tag_word(name)} "{_escaped(value)}"]' for name, value in tags.items()]


def _tag_word(name: str) -> str:
    return re.sub(r"\W+", "_", name) or "_"


def _escaped(value: str) -> str:
    return re.sub(r"\s+", " ", value).strip().replace("\\", "\\\\").replace('"', '\\"')


def _move_lines(game: PdnGame) -> list[str]:
    rules = rules_for(game.ruleset)
    position = game.start
    words: list[str] = []
    number = 1
    for place, move in enumerate(game.moves):
        is_first = position.turn is game.ruleset.first
        if is_first or place == 0:
            words.append(f"{number}." if is_first else f"{number}...")
        words.append(move_text(move, rules.legal_moves(position), game.ruleset))
        number += not is_first
        position = position.after(move)
    result = canonical_result(game.result, game.ruleset)
    words.append(result if result in RESULTS else "*")
    return textwrap.wrap(" ".join(words), 80, break_long_words=False, break_on_hyphens=False)
