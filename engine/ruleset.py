"""Ruleset: the facts of a variant, read from a TOML file in which every key is checked."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from engine.errors import RulesetError
from engine.geometry import Corner, Direction, FirstSquare, Geometry, geometry
from engine.position import Side

Directions = frozenset[Direction]
"""Directions as White plays them; Black's are mirrored."""

_DIRECTIONS: dict[str, Directions] = {
    "forward diagonal": frozenset({Direction.NORTH_WEST, Direction.NORTH_EAST}),
    "backward diagonal": frozenset({Direction.SOUTH_WEST, Direction.SOUTH_EAST}),
    "forward": frozenset({Direction.NORTH}),
    "backward": frozenset({Direction.SOUTH}),
    "sideways": frozenset({Direction.EAST, Direction.WEST}),
}

_CHOICES: dict[str, tuple[str, ...]] = {
    "family": ("capture", "race"),
    "corner": ("left", "right", "all"),
    "first_square": ("top left", "top right", "bottom left", "bottom right"),
    "notation": ("numeric", "algebraic"),
    "king_range": ("flying", "short"),
    "king_landing": ("any", "behind", "behind after last king"),
    "capture": ("obligatory", "optional", "huff"),
    "crowning": ("end", "passing", "stop"),
    "removal": ("end", "now"),
    "goal": ("normal", "inverted", "first king", "occupy corner"),
    "prisoners": ("none", "men", "keep rank"),
    "removal_order": ("any", "as taken", "as taken or reversed", "during the capture"),
}

RULES_WITHOUT_FACT = ("turns", "whole_capture")
"""Rules every variant has, so no key states them: a side moves only its own pieces, a capture is carried through.
Their articles stand among those of the facts."""

ENDINGS = ("agreement", "resignation", "flag")
"""How players end a game themselves; articles may name where the rules say so."""

PRECEDENCES = ("most pieces", "highest value", "with a king", "most kings", "kings first")


@dataclass(frozen=True, slots=True)
class Material:
    """Bounds (least, most) of what one side has; None leaves it open."""

    pieces: tuple[int, int] | None = None
    kings: tuple[int, int] | None = None
    men: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class DrawRule:
    """A counter that ends the game, mostly as drawn: while its condition lasts, each side's own moves are counted.

    `times` is for repetition (the position with the same side to move for the n-th time); otherwise `limit` own
    moves of `counts` (`each` side, or the `stronger` one) since the condition began or one of `resets` happened;
    a limit of 0 ends it at once. `on` says whether it ends by itself or when a player claims it.
    """

    name: str
    article: str
    times: int = 0
    limit: int = 0
    counts: str = "each"
    resets: tuple[str, ...] = ()
    pieces: tuple[int, int] | None = None
    both_have_kings: bool = False
    stronger: Material | None = None
    weaker: Material | None = None
    weaker_on_main_road: bool = False
    stronger_on_main_road: bool = False
    stronger_off_main_road: bool = False
    no_capture: bool = False
    both_at_goal: bool = False
    result: str = "draw"
    on: str = "automatic"


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The facts of a variant. Code asks for facts, never for the variant's name.

    `base` is the rule set that this one is a reading or a house rule of; empty for one that stands alone.
    For the race games: `camp` (columns, rows; else start_fen says where), `home_limit` (own moves, after which a piece
    in its own camp loses; 0: never), `last_reply` (the second side may still answer when the first has arrived).
    """

    name: str
    title: str
    source: str
    base: str = ""
    family: str = "capture"
    columns: int = 8
    rows: int = 8
    corner: Corner = "left"
    first_square: FirstSquare = "top left"
    notation: str = "numeric"
    men_rows: int = 3
    skipped_rows: int = 0
    start_fen: str = ""
    first: Side = Side.WHITE
    man_moves: Directions = _DIRECTIONS["forward diagonal"]
    man_captures: Directions = _DIRECTIONS["forward diagonal"]
    king_moves: Directions = _DIRECTIONS["forward diagonal"] | _DIRECTIONS["backward diagonal"]
    king_captures: Directions = _DIRECTIONS["forward diagonal"] | _DIRECTIONS["backward diagonal"]
    king_range: str = "flying"
    king_landing: str = "any"
    king_move_limit: int = 0
    capture: str = "obligatory"
    precedence: tuple[str, ...] = ()
    man_may_capture_king: bool = True
    crowning: str = "end"
    removal: str = "end"
    turn_back: bool = True
    second_jump: bool = False
    prisoners: str = "none"
    camp: tuple[int, int] = (0, 0)
    home_limit: int = 0
    last_reply: bool = False
    goal: str = "normal"
    touch_move: bool = True
    removal_order: str = "any"
    pdn_type: int = 0
    pdn_game_type: str = ""
    capture_sign: str = "x"
    results: tuple[str, str, str] = ("1-0", "0-1", "1/2-1/2")
    draws: tuple[DrawRule, ...] = ()
    articles: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)

    @property
    def geometry(self) -> Geometry:
        """The board this variant is played on."""
        return geometry(self.columns, self.rows, self.corner, self.first_square)

    def __hash__(self) -> int:
        """Of a few facts; rule sets are keys of caches, and nearly always told apart by their names."""
        return hash((self.name, self.capture, self.precedence, self.crowning, self.removal, self.king_range))

    def article(self, key: str) -> str:
        """The article a fact is taken from; empty when the file names none."""
        return self.articles.get(key, "")


def _fail(where: str, key: str, value: object, expected: str) -> RulesetError:
    return RulesetError(f"{where}: {key} = {value!r}: expected {expected}")


def _text(where: str, key: str, value: object) -> str:
    if not isinstance(value, str):
        raise _fail(where, key, value, "a text")
    if key in _CHOICES and value not in _CHOICES[key]:
        raise _fail(where, key, value, "one of " + ", ".join(_CHOICES[key]))
    return value


def _number(low: int, high: int) -> Callable[[str, str, Any], int]:
    def read(where: str, key: str, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise _fail(where, key, value, f"a whole number from {low} to {high}")
        return value

    return read


def _truth(where: str, key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _fail(where, key, value, "true or false")
    return value


def _texts(allowed: tuple[str, ...]) -> Callable[[str, str, Any], tuple[str, ...]]:
    def read(where: str, key: str, value: object) -> tuple[str, ...]:
        expected = "a list of: " + ", ".join(allowed)
        if not isinstance(value, list) or any(item not in allowed for item in value) or len(set(value)) != len(value):
            raise _fail(where, key, value, expected)
        return tuple(value)

    return read


def _directions(where: str, key: str, value: object) -> Directions:
    names = _texts(tuple(_DIRECTIONS))(where, key, value)
    return frozenset(direction for name in names for direction in _DIRECTIONS[name])


def _side(where: str, key: str, value: object) -> Side:
    if value not in ("white", "black"):
        raise _fail(where, key, value, "white or black")
    return Side(value)


def _bounds(where: str, key: str, value: object) -> tuple[int, int]:
    match value:
        case [int(least), int(most)] if 0 <= least <= most:
            return (least, most)
    raise _fail(where, key, value, "[least, most]")


def _camp(where: str, key: str, value: object) -> tuple[int, int]:
    match value:
        case [int(columns), int(rows)] if 1 <= columns <= 6 and 1 <= rows <= 6:
            return (columns, rows)
    raise _fail(where, key, value, "[columns, rows] of the corner, each from 1 to 6")


def _results(where: str, key: str, value: object) -> tuple[str, str, str]:
    match value:
        case [str(white), str(black), str(draw)]:
            return (white, black, draw)
    raise _fail(where, key, value, "[white wins, black wins, draw] as PDN writes them")


def _articles(where: str, key: str, value: object) -> Mapping[str, str]:
    if not isinstance(value, dict) or not all(isinstance(article, str) for article in value.values()):
        raise _fail(where, key, value, "a table of key = article")
    for name in value:
        if name not in _READERS and name not in RULES_WITHOUT_FACT + ENDINGS:
            known = {**_READERS, **dict.fromkeys(RULES_WITHOUT_FACT + ENDINGS)}
            raise RulesetError(f"{where}: articles.{name}: no such key{_nearest(name, known)}")
    return MappingProxyType(dict(value))


def _record(where: str, table: object, readers: Mapping[str, Callable[[str, str, Any], Any]]) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise RulesetError(f"{where}: expected a table, found {table!r}")
    for key in table:
        if key not in readers:
            raise RulesetError(f"{where}: {key}: no such key{_nearest(key, readers)}")
    return {key: readers[key](where, key, value) for key, value in table.items()}


def _material(where: str, key: str, value: object) -> Material:
    return Material(**_record(f"{where}: {key}", value, {"pieces": _bounds, "kings": _bounds, "men": _bounds}))


_DRAW_READERS: dict[str, Callable[[str, str, Any], Any]] = {
    "name": _text,
    "article": _text,
    "times": _number(2, 9),
    "limit": _number(0, 500),
    "counts": lambda where, key, value: _one_of(where, key, value, ("each", "stronger")),
    "resets": _texts(("capture", "man move", "crowning")),
    "pieces": _bounds,
    "both_have_kings": _truth,
    "stronger": _material,
    "weaker": _material,
    "weaker_on_main_road": _truth,
    "stronger_on_main_road": _truth,
    "stronger_off_main_road": _truth,
    "no_capture": _truth,
    "both_at_goal": _truth,
    "result": lambda where, key, value: _one_of(where, key, value, ("draw", "stronger wins")),
    "on": lambda where, key, value: _one_of(where, key, value, ("automatic", "claim")),
}


def _one_of(where: str, key: str, value: object, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise _fail(where, key, value, "one of " + ", ".join(allowed))
    return str(value)


def _draws(where: str, key: str, value: object) -> tuple[DrawRule, ...]:
    if not isinstance(value, list):
        raise _fail(where, key, value, "a list of tables")
    rules = []
    for number, table in enumerate(value, 1):
        place = f"{where}: draws {number}"
        record = _record(place, table, _DRAW_READERS)
        if "name" not in record or "article" not in record or ("times" in record) == ("limit" in record):
            raise RulesetError(f"{place}: expected name, article and either times or limit, found {sorted(record)}")
        rules.append(DrawRule(**record))
    return tuple(rules)


_READERS: dict[str, Callable[[str, str, Any], Any]] = {
    "title": _text,
    "source": _text,
    "family": _text,
    "columns": _number(6, 12),
    "rows": _number(6, 12),
    "corner": _text,
    "first_square": _text,
    "notation": _text,
    "men_rows": _number(0, 5),
    "skipped_rows": _number(0, 2),
    "start_fen": _text,
    "first": _side,
    "man_moves": _directions,
    "man_captures": _directions,
    "king_moves": _directions,
    "king_captures": _directions,
    "king_range": _text,
    "king_landing": _text,
    "king_move_limit": _number(0, 20),
    "capture": _text,
    "precedence": _texts(PRECEDENCES),
    "man_may_capture_king": _truth,
    "crowning": _text,
    "removal": _text,
    "turn_back": _truth,
    "second_jump": _truth,
    "prisoners": _text,
    "camp": _camp,
    "home_limit": _number(0, 200),
    "last_reply": _truth,
    "goal": _text,
    "touch_move": _truth,
    "removal_order": _text,
    "pdn_type": _number(0, 999),
    "pdn_game_type": _text,
    "capture_sign": _text,
    "results": _results,
    "draws": _draws,
    "articles": _articles,
}


def _nearest(key: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(key, list(known), 1)
    return f"; the nearest is {close[0]}" if close else ""


def read_ruleset(text: str, name: str, where: str = "") -> Ruleset:
    """The rule set that a TOML text states; RulesetError names file, key, value and what was expected."""
    where = where or f"{name}.toml"
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesetError(f"{where}: not TOML: {error}") from error
    base_name = table.pop("base", None)
    stated = _record(where, table, _READERS)
    if base_name is None:
        missing = [key for key in ("title", "source") if key not in stated]
        if missing:
            raise RulesetError(f"{where}: {missing[0]}: missing, expected a text")
        return _consistent(Ruleset(name=name, **stated), where)
    if base_name not in variant_names():
        raise _fail(where, "base", base_name, "one of " + ", ".join(variant_names()))
    base = load_ruleset(base_name)
    inherited = {item.name: getattr(base, item.name) for item in fields(base)}
    articles = {key: article for key, article in base.articles.items() if key not in stated}
    stated["articles"] = MappingProxyType({**articles, **stated.get("articles", {})})
    merged = {**inherited, "name": name, "base": base_name, **_own_game_type(stated), **stated}
    return _consistent(Ruleset(**merged), where)


def write_ruleset(ruleset: Ruleset) -> str:
    """A rule set as TOML that says everything itself; `read_ruleset` gives it back, but for `base`, which is lost."""
    lines = [
        f"{item.name} = {_toml(getattr(ruleset, item.name))}"
        for item in fields(ruleset)
        if item.name in _READERS and item.name not in ("draws", "articles", "camp")
    ]
    if ruleset.camp != (0, 0):
        lines.append(f"camp = {_toml(ruleset.camp)}")
    lines += ["", "[articles]", *(f"{key} = {_toml(article)}" for key, article in ruleset.articles.items())]
    for rule in ruleset.draws:
        lines += ["", "[[draws]]", *_draw_lines(rule)]
    return "\n".join([*lines, ""])


def _draw_lines(rule: DrawRule) -> list[str]:
    limit = "times" if rule.times else "limit"
    stated = [item.name for item in fields(rule) if item.name in ("name", "article", limit)]
    stated += [
        item.name
        for item in fields(rule)
        if item.name not in ("name", "article", "times", "limit") and getattr(rule, item.name) != item.default
    ]
    return [f"{name} = {_toml(getattr(rule, name))}" for name in stated]


def _toml(value: object) -> str:
    """A value of a rule set as TOML."""
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
        case frozenset():
            return _toml(tuple(name for name, directions in _DIRECTIONS.items() if directions <= value))
        case Material():
            bounds = {item.name: getattr(value, item.name) for item in fields(value)}
            return "{ " + ", ".join(f"{key} = {_toml(b)}" for key, b in bounds.items() if b is not None) + " }"
        case tuple():
            return "[" + ", ".join(_toml(item) for item in value) + "]"
    raise TypeError(f"{value!r} is no value of a rule set")


def _own_game_type(stated: Mapping[str, object]) -> dict[str, str]:
    """A long GameType is inherited only by a game with the same board and the same first side."""
    changed = {"first", "columns", "rows", "corner", "first_square", "notation", "pdn_type"} & stated.keys()
    return {"pdn_game_type": ""} if changed else {}


def _consistent(ruleset: Ruleset, where: str) -> Ruleset:
    """The rule set itself, if its facts go together; RulesetError names the first that does not."""
    for key, contradicts, expected in _contradictions(ruleset):
        if contradicts:
            raise RulesetError(f"{where}: {key} = {_toml(getattr(ruleset, key))}: expected {expected}")
    for rule in ruleset.draws:
        if rule.result == "stronger wins" and rule.stronger is None:
            raise RulesetError(f"{where}: draws {rule.name!r}: result = 'stronger wins': expected stronger = {{...}}")
    return ruleset


def _contradictions(ruleset: Ruleset) -> tuple[tuple[str, bool, str], ...]:
    """(key, whether it contradicts the others, what would be expected instead)."""
    is_race = ruleset.family == "race"
    rows = f"rows that leave both sides room on {ruleset.rows} rows"
    diagonal = {direction for direction in Direction if direction < Direction.NORTH}
    orthogonal = set(Direction) - diagonal
    lines = ruleset.man_moves | ruleset.king_moves
    stated = ruleset.pdn_game_type.split(",")
    return (
        ("corner", is_race and ruleset.corner != "all", '"all" with family = "race"'),
        ("men_rows", not _has_start(ruleset, is_race), "rows of men, or start_fen"),
        ("men_rows", 2 * (ruleset.men_rows + ruleset.skipped_rows) > ruleset.rows and not ruleset.start_fen, rows),
        ("man_moves", not ruleset.man_moves, "at least one direction"),
        ("man_captures", not ruleset.man_captures and not is_race, "at least one direction"),
        ("king_moves", not ruleset.king_moves and not is_race, "at least one direction"),
        ("king_captures", not ruleset.king_captures and not is_race, "at least one direction"),
        (
            "man_moves",
            bool(lines & orthogonal) and ruleset.corner != "all",
            'diagonal directions, or corner = "all": on a chequered board a step along a row ends on no square',
        ),
        (
            "king_landing",
            ruleset.king_landing != "any" and ruleset.king_range == "short",
            '"any", or king_range = "flying": a short king always lands right behind',
        ),
        ("king_move_limit", ruleset.king_move_limit > 0 and is_race, '0, or family = "capture"'),
        ("prisoners", ruleset.prisoners != "none" and is_race, '"none", or family = "capture"'),
        (
            "second_jump",
            ruleset.second_jump and ruleset.prisoners == "none",
            "false, or prisoners: without towers no piece is jumped twice",
        ),
        ("precedence", bool(ruleset.precedence) and is_race, 'none, or family = "capture"'),
        ("goal", (ruleset.goal == "occupy corner") != is_race, '"occupy corner" with family = "race", and only there'),
        ("camp", is_race and ruleset.camp == (0, 0) and not ruleset.start_fen, "the corner, or start_fen"),
        ("camp", ruleset.camp != (0, 0) and not is_race, 'none, or family = "race"'),
        (
            "camp",
            2 * ruleset.camp[0] > ruleset.columns or 2 * ruleset.camp[1] > ruleset.rows,
            f"corners that do not touch on {ruleset.columns}x{ruleset.rows}",
        ),
        (
            "pdn_game_type",
            ruleset.pdn_game_type != "" and stated[0] != str(ruleset.pdn_type),
            f"{ruleset.pdn_type},... as pdn_type says",
        ),
        (
            "pdn_game_type",
            len(stated) > 1 and stated[1:4] != _stated_board(ruleset),
            "type," + ",".join(_stated_board(ruleset)) + ",... as first, columns and rows say",
        ),
    )


def _has_start(ruleset: Ruleset, is_race: bool) -> bool:
    return bool(ruleset.men_rows or ruleset.start_fen or is_race)


def _stated_board(ruleset: Ruleset) -> list[str]:
    return ["W" if ruleset.first is Side.WHITE else "B", str(ruleset.columns), str(ruleset.rows)]


@cache
def variant_names() -> tuple[str, ...]:
    """Names of the rule sets that come with the engine, in alphabetical order."""
    files = resources.files("engine.variants").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


@cache
def load_ruleset(name: str) -> Ruleset:
    """A rule set that comes with the engine; RulesetError names the known ones when there is none of this name."""
    if name not in variant_names():
        known = ", ".join(variant_names())
        raise RulesetError(
            f"variant {name!r}: no such rule set; known are {known}{_nearest(name, dict.fromkeys(variant_names()))}"
        )
    text = (resources.files("engine.variants") / f"{name}.toml").read_text(encoding="utf-8")
    return read_ruleset(text, name)
