"""Made-up positions for any rule set, and made-up house rules: the TOML text of one and the oracle's facts of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Piece, Position, Side, Towers
from engine.ruleset import Ruleset, read_ruleset
from tests.oracle import facts as texts
from tests.oracle.facts import Facts, Step

_PIECES = {"w": WHITE_MAN, "W": WHITE_KING, "b": BLACK_MAN, "B": BLACK_KING}
_SINGLE = ("w", "b", "W", "B")
_TOWERS = (*_SINGLE, "bw", "wb", "bW", "wB", "bbw", "wbw", "bwb", "wwB", "bwW")
_TOWERS_OF_RANKS = (*_TOWERS, "Bw", "Wb", "BW", "WwB", "wWB", "WBb")


def tries(count: int, always_the_same: bool = True) -> settings:
    """How often hypothesis tries: the same examples in every run of the suite, new ones in a soak."""
    return settings(
        max_examples=count,
        derandomize=always_the_same,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


@cache
def positions_of(ruleset: Ruleset) -> st.SearchStrategy[Position]:
    """Any position of few pieces without men where they are crowned; half of them with loose pieces to be taken."""
    everywhere = _places(ruleset)
    loose = [
        [place for place in everywhere if _is_loose(ruleset, place, remainder, takers)]
        for takers in ("wW", "bB", "w", "b")
        for remainder in ((0, 0), (0, 1), (1, 0), (1, 1))
    ]
    placed = [_placed(everywhere, 0, 8), _placed(everywhere, 8, 18), *(_placed(places, 5, 16) for places in loose)]
    return st.builds(_position, st.just(ruleset), st.one_of(placed), st.sampled_from(Side))


def _placed(places: list[tuple[int, str]], least: int, most: int) -> st.SearchStrategy[list[tuple[int, str]]]:
    return st.lists(st.sampled_from(places), min_size=least, max_size=most, unique_by=lambda place: place[0])


def _places(ruleset: Ruleset) -> list[tuple[int, str]]:
    """What may stand where."""
    is_race = ruleset.family == "race"
    kinds = {"none": _SINGLE, "men": _TOWERS, "keep rank": _TOWERS_OF_RANKS}[ruleset.prisoners]
    crowned_on = {} if is_race else {"w": 0, "b": ruleset.rows - 1}
    return [
        (square, letters)
        for square in range(len(ruleset.geometry))
        for letters in (("w", "b") if is_race else kinds)
        if ruleset.geometry.row(square) != crowned_on.get(letters[-1])
    ]


def _is_loose(ruleset: Ruleset, place: tuple[int, str], remainder: tuple[int, int], takers: str) -> bool:
    """Whether this keeps the opponent of `takers` on every second column and row, so that there is room behind each.

    Men of the takers are those that may be crowned in one of the next captures.
    """
    square, letters = place
    column, row = ruleset.geometry.cells[square]
    if letters[-1].lower() != takers[0]:
        return (column % 2, row % 2) == remainder
    to_go = row if letters[-1] == "w" else ruleset.rows - 1 - row
    return (column % 2, row % 2) != remainder and letters[-1] in takers and (letters[-1].isupper() or to_go <= 4)


def _position(ruleset: Ruleset, placed: list[tuple[int, str]], turn: Side) -> Position:
    contents: list[Piece] = [EMPTY] * len(ruleset.geometry)
    beneath: list[tuple[Piece, ...]] = [()] * len(contents)
    for square, letters in placed:
        *below, contents[square] = (_PIECES[letter] for letter in letters)
        beneath[square] = tuple(below)
    towers = None if ruleset.prisoners == "none" else Towers(tuple(beneath), ruleset.prisoners == "keep rank")
    return Position(tuple(contents), turn, towers)


@dataclass(frozen=True)
class HouseRules:
    """A house rule file and what it means."""

    text: str
    facts: Facts

    @property
    def ruleset(self) -> Ruleset:
        return read_ruleset(self.text, "house")


_STEPS: dict[str, frozenset[Step]] = {
    "forward diagonal": texts.AHEAD,
    "backward diagonal": texts.BACK,
    "forward": texts.STRAIGHT_AHEAD,
    "backward": texts.STRAIGHT_BACK,
    "sideways": texts.SIDEWAYS,
}
_CHOICE = {
    "most pieces": "most",
    "highest value": "value",
    "with a king": "by a king",
    "most kings": "most kings",
    "kings first": "kings early",
}
_CROWNED = {"end": "at the end", "passing": "in passing", "stop": "and stops"}
_PLAYING = {"left": "a1", "right": "h1", "all": "all"}
_LANDS = {
    "any": "anywhere",
    "behind": "right behind",
    "behind after last king": "right behind after a last king",
}
_PRISONERS = {"none": "", "men": "become men", "keep rank": "keep their rank"}


def _directions(names: list[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(names), min_size=1, unique=True)


def _all_steps(names: list[str]) -> frozenset[Step]:
    return frozenset().union(*(_STEPS[name] for name in names))


@st.composite
def house_rules(draw: st.DrawFn) -> HouseRules:
    """Any combination of the parameters of house rules that does not contradict itself."""
    corner = draw(st.sampled_from(["left", "right", "all"]))
    columns, rows = draw(st.integers(6, 12)), draw(st.integers(6, 12))
    every = list(_STEPS)
    quiet = every if corner == "all" else every[:2]  # along rows no neighbour plays on a chequered board
    flies = draw(st.booleans())
    prisoners = draw(st.sampled_from(["none", "none", "none", "men", "keep rank"]))
    capture = draw(st.sampled_from(["obligatory", "obligatory", "obligatory", "optional", "huff"]))
    keys = {
        "title": "House rules",
        "source": "agreement of the players",
        "columns": columns,
        "rows": rows,
        "corner": corner,
        "first_square": draw(st.sampled_from(["top left", "top right", "bottom left", "bottom right"])),
        "notation": draw(st.sampled_from(["numeric", "algebraic"])),
        "men_rows": draw(st.integers(1, rows // 2 - 1)) if rows < 12 else draw(st.integers(1, 5)),
        "first": draw(st.sampled_from(["white", "black"])),
        "man_moves": draw(_directions(quiet)),
        "man_captures": draw(_directions(every)),
        "king_moves": draw(_directions(quiet)),
        "king_captures": draw(_directions(every)),
        "king_range": "flying" if flies else "short",
        "king_landing": draw(st.sampled_from(list(_LANDS))) if flies else "any",
        "capture": capture,
        "precedence": draw(_precedence()) if capture == "obligatory" else [],
        "man_may_capture_king": draw(st.booleans()),
        "crowning": draw(st.sampled_from(list(_CROWNED))),
        "removal": draw(st.sampled_from(["end", "now"])),
        "turn_back": draw(st.booleans()),
        "king_move_limit": draw(st.sampled_from([0, 0, 3])),
        "prisoners": prisoners,
        "second_jump": prisoners != "none" and draw(st.booleans()),
        "goal": draw(st.sampled_from(["normal", "inverted", "first king"])),
    }
    facts = Facts(
        files=columns,
        ranks=rows,
        playing=_PLAYING[corner],
        man_steps=_all_steps(keys["man_moves"]),
        man_jumps=_all_steps(keys["man_captures"]),
        king_steps=_all_steps(keys["king_moves"]),
        king_jumps=_all_steps(keys["king_captures"]),
        king_flies=flies,
        king_lands=_LANDS[keys["king_landing"]],
        choice=tuple(_CHOICE[name] for name in keys["precedence"]),
        crowned=_CROWNED[keys["crowning"]],
        taken_off_at_once=keys["removal"] == "now",
        may_turn_back=keys["turn_back"],
        man_takes_king=keys["man_may_capture_king"],
        must_capture=capture == "obligatory",
        huffing=capture == "huff",
        prisoners=_PRISONERS[prisoners],
        second_jump=keys["second_jump"],
        quiet_moves_of_one_king=keys["king_move_limit"],
    )
    return HouseRules("".join(f"{key} = {_toml(value)}\n" for key, value in keys.items()), facts)


@st.composite
def _precedence(draw: st.DrawFn) -> list[str]:
    """Rules of choice in some order; "kings first" compares captures of equal length, so "most pieces" goes before."""
    chosen = draw(st.lists(st.sampled_from(list(_CHOICE)), unique=True, max_size=4))
    if "kings first" in chosen and "most pieces" not in chosen[: chosen.index("kings first")]:
        chosen = ["most pieces", *(name for name in chosen if name != "most pieces")]
    return chosen


def _toml(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case list():
            return "[" + ", ".join(_toml(each) for each in value) + "]"
        case str():
            return f'"{value}"'
    return str(value)
