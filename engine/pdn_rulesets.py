"""Which rule set a PDN game is played by: what its tags say, and what else could be meant when they are wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from types import MappingProxyType

from engine.geometry import Corner, FirstSquare
from engine.position import Side
from engine.ruleset import Ruleset, load_ruleset, variant_names

_TELLING_TAG = re.compile(r'\[[ \t]{0,9}(?P<name>GameType|Variant)[ \t]{0,99}"(?P<value>[^"\n]{1,100})"', re.IGNORECASE)
_VARIANT_LINE = re.compile(r"^%\s{0,9}variant:(?P<value>[^\n]{0,100})", re.MULTILINE)
FIRST_SQUARES: tuple[FirstSquare, ...] = ("bottom left", "bottom right", "top left", "top right")
"""Where square 1 lies for the side that moves first, by the digit of a GameType's notation."""

_SIDES = {"W": Side.WHITE, "B": Side.BLACK}


_OTHER_NAMES = {
    "english": "american checkers anglaises английские чекерс angielskie",
    "russian": "shashki russes russische ruso rusas russa russas русские шашки rosyjskie rus",
    "international": "internationales internationale internacional internacionales internacionais internazionale"
    " международные стоклеточные stuteckie polish polnische poolse",
    "brazilian": "brasileira brasileiras brasilianisch бразильские brazylijskie brésiliennes braziliaans",
    "italian": "italiana italiano italiennes italienisch итальянские włoskie italiaans",
    "spanish": "española españolas espanola espanolas espagnoles spanisch испанские hiszpańskie spaans",
    "portuguese": "portuguesa portuguesas portugaises португальские portugalskie portugees",
    "turkish": "türk turca turques türkisch турецкие tureckie turks",
    "canadian": "canadiennes канадские kanadyjskie canadees kanadisch",
    "czech": "česká ceska tchèques tschechisch чешские czeskie tsjechisch",
    "frisian": "friese friesisch frisonnes фризские fryzyjskie",
    "giveaway-russian": "поддавки",
    "towers": "столбовые башни",
    "corners": "уголки",
}
"""Words by which servers, programs and other languages name rule sets, besides the names and titles of their files."""

_BY_OTHER_NAME = {word: name for name, words in _OTHER_NAMES.items() for word in words.split()}


def stated_ruleset(text: str) -> Ruleset | None:
    """The rule set that a PDN text itself names, in a `% variant: NAME` line or its first telling tag; else None."""
    line = _VARIANT_LINE.search(text)
    named = variant_in(line["value"]) if line else None
    if named:
        return named
    for tag in _TELLING_TAG.finditer(text):
        name = "GameType" if tag["name"].lower() == "gametype" else "Variant"
        found = named_ruleset({name: tag["value"]}, None)
        if found:
            return found
    return None


def named_ruleset(tags: Mapping[str, str], default: Ruleset | None) -> Ruleset | None:
    """The rule set that a game's tags name, changed where its GameType says so; None when they name none."""
    variant, game_type = tags.get("Variant", "").strip(), tags.get("GameType", "").strip()
    kind, *facts = _parts(game_type)
    if default is not None and variant == default.name:
        return with_facts(default, facts) if kind == str(default.pdn_type) else default
    named = variant_in(variant) if variant else None
    if named:
        return with_facts(named, facts) if kind == str(named.pdn_type) else named
    if not kind.isdecimal():
        return variant_in(game_type) if game_type else None
    plain = default if default is not None and default.pdn_type == int(kind) else None
    ruleset = _with_game_type(game_type) or plain or _of_type(int(kind))
    return ruleset and with_facts(ruleset, facts)


def _parts(game_type: str) -> list[str]:
    """The words of a GameType, its number first; one empty word where there is none."""
    plain = re.sub(r"^\s*game\s*type\b", "", game_type, flags=re.IGNORECASE)
    return [word.lstrip("0") or "0" if word.isdecimal() else word for word in re.findall(r"[^\W_]+", plain)] or [""]


def number_of(game_type: str) -> str:
    """The number that a GameType begins with, or its first word."""
    return _parts(game_type)[0]


def variant_in(text: str) -> Ruleset | None:
    """The rule set whose name a text is, or has the most words of; else the one whose title adds a word in brackets."""
    plain = text.strip().lower()
    if plain in variant_names():
        return load_ruleset(plain)
    words = re.findall(r"[^\W_]+", plain)
    named = [name for name in variant_names() if set(name.split("-")) <= set(words)]
    if named:
        return load_ruleset(max(named, key=lambda name: (name.count("-"), -words.index(name.split("-")[0]))))
    others = {_BY_OTHER_NAME[word] for word in words if word in _BY_OTHER_NAME} & set(variant_names())
    if others:
        return load_ruleset(next(iter(others))) if len(others) == 1 else None
    titled = {_by_title_word()[word] for word in words if word in _by_title_word()}
    return load_ruleset(next(iter(titled))) if len(titled) == 1 else None


@cache
def _by_title_word() -> Mapping[str, str]:
    """Names of rule sets by the other names that their titles give in brackets."""
    owners: dict[str, set[str]] = {}
    for ruleset in _games():
        for inside in re.findall(r"\(([^)]*)\)", ruleset.title.lower()):
            for word in re.findall(r"[a-z]{4,}", inside):
                owners.setdefault(word, set()).add(ruleset.name)
    return MappingProxyType({word: next(iter(names)) for word, names in owners.items() if len(names) == 1})


@cache
def _games() -> tuple[Ruleset, ...]:
    """The rule sets that are no other reading of a game on the same board, the plainest first."""
    known = {name: load_ruleset(name) for name in variant_names()}
    return tuple(
        ruleset
        for ruleset in sorted(known.values(), key=_oddities)
        if not ruleset.name.startswith(f"{ruleset.base}-")
        or (ruleset.columns, ruleset.rows) != (known[ruleset.base].columns, known[ruleset.base].rows)
    )


@cache
def _of_type(pdn_type: int) -> Ruleset | None:
    """The plainest rule set of a GameType number."""
    known = [load_ruleset(name) for name in variant_names()]
    fitting = [ruleset for ruleset in known if ruleset.pdn_type == pdn_type]
    return min(fitting, key=_oddities, default=None)


@cache
def _with_game_type(game_type: str) -> Ruleset | None:
    """The plainest rule set whose own GameType is exactly this one, if it says more than the number."""
    stated = re.sub(r"\s", "", game_type).upper()
    known = [load_ruleset(name) for name in variant_names()]
    fitting = [ruleset for ruleset in known if "," in stated and ruleset.pdn_game_type == stated]
    return min(fitting, key=_oddities, default=None)


def _oddities(ruleset: Ruleset) -> tuple[bool, bool, bool, bool, str]:
    return (
        bool(ruleset.base),
        ruleset.goal != "normal",
        bool(ruleset.start_fen),
        ruleset.king_landing != "any",
        ruleset.name,
    )


def with_facts(ruleset: Ruleset, facts: list[str]) -> Ruleset:
    """The rule set with first side, notation, first square and corner as a GameType states them after its number.

    A GameType for a board of another size changes nothing, nor does one that would take a stated start apart.
    """
    first, width, height, notation, inverted, *_ = [fact.upper() for fact in facts] + [""] * 5
    if first not in _SIDES or (width, height) not in (("", ""), (str(ruleset.columns), str(ruleset.rows))):
        return ruleset
    changed = with_first(ruleset, _SIDES[first])
    kind, digit = notation[:1], notation[1:2]
    if kind in ("A", "N"):
        changed = replace(changed, notation="algebraic" if kind == "A" else "numeric")
    if kind == "N" and digit in ("0", "1", "2", "3"):
        changed = replace(changed, first_square=_seen_by_white(FIRST_SQUARES[int(digit)], changed.first))
    if inverted in ("0", "1") and ruleset.corner != "all" and not ruleset.start_fen:
        corner: Corner = "right" if inverted == "1" else "left"
        changed = replace(changed, corner=corner)
    return ruleset if changed == ruleset else changed


@lru_cache(maxsize=256)
def numbered_from(ruleset: Ruleset, corner: FirstSquare) -> Ruleset:
    """The rule set with numbers for squares, counted from a corner."""
    return replace(ruleset, first_square=corner, notation="numeric")


@lru_cache(maxsize=256)
def with_first(ruleset: Ruleset, first: Side) -> Ruleset:
    """The rule set with another side beginning; the first number of a result belongs to the side that begins."""
    if first is ruleset.first:
        return ruleset
    white, black, draw = ruleset.results
    return replace(ruleset, first=first, results=(black, white, draw))


def _seen_by_white(corner: FirstSquare, side: Side) -> FirstSquare:
    """A corner as White sees it, given as a side sees it."""
    return corner if side is Side.WHITE else FIRST_SQUARES[3 - FIRST_SQUARES.index(corner)]


def game_type(ruleset: Ruleset) -> str:
    """The value of the GameType tag: type, first side, width, height, notation, whether the corner is mirrored."""
    first = "W" if ruleset.first is Side.WHITE else "B"
    mirrored = int(ruleset.corner == "right")
    board = f"{ruleset.pdn_type},{first},{ruleset.columns},{ruleset.rows}"
    if ruleset.notation == "algebraic":
        stated = ruleset.pdn_game_type
        return stated if re.fullmatch(rf"{board},A[0-9],{mirrored}", stated) else f"{board},A0,{mirrored}"
    digit = FIRST_SQUARES.index(_seen_by_white(ruleset.first_square, ruleset.first))
    return f"{board},N{digit},{mirrored}"


@cache
def games_that_move_differently() -> tuple[Ruleset, ...]:
    """The plainest rule set of every way of moving and starting; goals, draws and names make no other way."""
    found: dict[Ruleset, Ruleset] = {}
    for ruleset in _games():
        moves = replace(
            ruleset,
            name="",
            title="",
            source="",
            base="",
            notation="",
            pdn_type=0,
            pdn_game_type="",
            capture_sign="",
            home_limit=0,
            last_reply=False,
            touch_move=False,
            goal="normal",
            removal_order="any",
            results=("", "", ""),
            draws=(),
            articles=MappingProxyType({}),
        )
        found.setdefault(moves, ruleset)
    return tuple(found.values())


@cache
def first_numbered() -> Ruleset:
    """The plainest rule set with the lowest GameType number, for files that say nothing at all."""
    return min((ruleset for ruleset in _games() if ruleset.pdn_type), key=lambda ruleset: ruleset.pdn_type)
