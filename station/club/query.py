"""What is asked of the archive: the parameters of an address in, a condition in SQL out; values never become SQL."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.errors import NotationError, RulesetError
from engine.fen import read_fen
from engine.ruleset import load_ruleset
from station.club.line import position_key

MOST_LISTED = 200
USUALLY_LISTED = 50
MOST_WRITTEN = 5000
"""Games in one file of PDN."""
MOST_LETTERS = 400
_DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
OUTCOMES = ("white", "black", "draw", "none")
"""Who won."""


class QueryError(ValueError):
    """A question that cannot be answered: names the parameter, what was found and what was expected."""


@dataclass(frozen=True, slots=True)
class Query:
    """A condition in SQL with its values, and how many games are wanted, the latest first, before a number."""

    conditions: tuple[str, ...] = ("(plies > 0 OR result <> '*')",)
    values: Mapping[str, str | int] = field(default_factory=dict)
    limit: int = USUALLY_LISTED
    before: int | None = None

    @property
    def where(self) -> str:
        """The condition as SQL."""
        return " AND ".join(self.conditions)


def read_query(asked: Mapping[str, str]) -> Query:
    """The question that parameters put; QueryError says what is wrong with one. Empty ones ask nothing.

    `player`, `white`, `black`, `station`, `board`, `variant`, `result`, `opening` (drawn, or first moves), `from`,
    `to` (days), `fen` (a position that stood on the board, by the squares of `variant`), `limit`, `before`.
    """
    given = {name: value.strip() for name, value in asked.items() if value.strip()}
    conditions, values = list(Query().conditions), dict[str, str | int]()
    for name, value in given.items():
        if name not in _PARTS:
            near = difflib.get_close_matches(name, _PARTS, 1)
            raise QueryError(f"{name}: no such parameter{f'; did you mean {near[0]}?' if near else ''}")
        if len(value) > MOST_LETTERS or "\0" in value:
            raise QueryError(f"{name}: expected at most {MOST_LETTERS} letters, none of them NUL")
        condition, more = _PARTS[name](value, given)
        conditions += [condition] if condition else []
        values |= more
    limit = _number("limit", given.get("limit", str(USUALLY_LISTED)), 1, MOST_LISTED)
    before = given.get("before")
    return Query(tuple(conditions), values, limit, None if before is None else _number("before", before, 0, 2**31 - 1))


_Part = tuple[str, dict[str, str | int]]
_Reader = Callable[[str, Mapping[str, str]], _Part]


def _equals(column: str) -> _Reader:
    return lambda value, _: (f"{column} = :{column}", {column: value})


def _holds(column: str, name: str) -> _Reader:
    return lambda value, _: (f"{column} LIKE :{name} ESCAPE '!'", {name: f"%{_literal(value.casefold())}%"})


def _literal(text: str) -> str:
    """A text as LIKE finds it, its own wildcards taken literally."""
    return re.sub(r"[!%_]", r"!\g<0>", text)


def _opening(value: str, _: Mapping[str, str]) -> _Part:
    moves = " ".join(re.sub(r"\d+\.+\s*", " ", value).split())
    return (
        "(opening_key LIKE :opening ESCAPE '!' OR moves || ' ' LIKE :first_moves ESCAPE '!')",
        {"opening": f"%{_literal(value.casefold())}%", "first_moves": f"{_literal(moves)} %"},
    )


def _day(name: str, sign: str) -> _Reader:
    def part(value: str, _: Mapping[str, str]) -> _Part:
        if not _DAY.fullmatch(value):
            raise QueryError(f"{name} = {value!r}: expected a day as 2026-12-31")
        return f"day {sign} :{name}_day", {f"{name}_day": value}

    return part


def _result(value: str, _: Mapping[str, str]) -> _Part:
    if value not in OUTCOMES:
        raise QueryError(f"result = {value!r}: expected one of {', '.join(OUTCOMES)}")
    return "outcome = :outcome", {"outcome": value}


def _position(value: str, given: Mapping[str, str]) -> _Part:
    if "variant" not in given:
        raise QueryError("fen: expected variant too, by whose squares the position is read")
    try:
        ruleset = load_ruleset(given["variant"])
        key = position_key(read_fen(value, ruleset), ruleset)
    except (NotationError, RulesetError) as error:
        raise QueryError(f"fen = {value!r}: {error}") from error
    return "number IN (SELECT game FROM ply WHERE position = :position)", {"position": key}


def _nothing(_: str, __: Mapping[str, str]) -> _Part:
    return "", {}


def _number(name: str, text: str, least: int, most: int) -> int:
    if not re.fullmatch(r"\d{1,10}", text) or not least <= int(text) <= most:
        raise QueryError(f"{name} = {text!r}: expected a whole number from {least} to {most}")
    return int(text)


_PARTS: dict[str, _Reader] = {
    "player": _holds("players", "player"),
    "white": _holds("white_key", "white"),
    "black": _holds("black_key", "black"),
    "station": _equals("station"),
    "board": _equals("board"),
    "variant": _equals("variant"),
    "result": _result,
    "opening": _opening,
    "from": _day("from", ">="),
    "to": _day("to", "<="),
    "fen": _position,
    "limit": _nothing,
    "before": _nothing,
}
