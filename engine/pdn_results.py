"""Results of games as files write them, whatever the scoring system, and the one form that a variant writes."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.position import Side
from engine.ruleset import Ruleset

RESULTS = ("1-0", "0-1", "1/2-1/2", "2-0", "0-2", "1-1", "0-0")
"""The results that PDN 3.0 knows at the end of the moves."""

_SCORE = re.compile(
    r"""\(? \s* (?P<first>1/2|½|0[.,]5|[0-9]{1,2}(?:[.,]0)?|o) \s* [-:–—−/] \s*
        (?P<second>1/2|½|0[.,]5|[0-9]{1,2}(?:[.,]0)?|o)
        (?: [a-z+#.=!*)]{0,20} | [\s(,;]{1,9} [\w+#.=!*/:½ -]{0,40} ) \)? \s*""",
    re.VERBOSE | re.IGNORECASE,
)
_WORDS = {
    **dict.fromkeys(("1/2", "½", "=", "draw", "drawn", "remise", "remis", "ничья", "patta", "tablas"), "1/2-1/2"),
    **dict.fromkeys(("+:-", "+-", "+/-", "+--", "+ -", "w-l"), "1-0"),
    **dict.fromkeys(("-:+", "-+", "-/+", "--+", "- +", "l-w"), "0-1"),
}

_TEN_AND_TWELVE = (10, 12)
"""What the two scores of a game come to in the point systems in which neither of them has to be 0."""


@lru_cache(maxsize=1024)
def read_result(text: str) -> str:
    """A result as `first-second`, halves written 1/2; `*` for what is none.

    What follows the score (a forfeit's F, a reason in brackets) is left out.
    """
    plain = text.strip().strip("\"'")
    word = _WORDS.get(plain.lower().rstrip(".!"))
    if word:
        return word
    score = _SCORE.fullmatch(plain)
    return f"{_number(score['first'])}-{_number(score['second'])}" if score else "*"


def _number(text: str) -> str:
    if text in ("½", "1/2") or text[1:] in (".5", ",5"):
        return "1/2"
    return "0" if text in "oO" else text.removesuffix(".0").removesuffix(",0").lstrip("0") or "0"


def is_certain(result: str) -> bool:
    """Whether a text in a result's form can be nothing else: equal scores, or a side without a point."""
    first, _, second = result.partition("-")
    return first == second or "0" in (first, second)


def is_point_score(result: str) -> bool:
    """Whether the scores come to what the ten-point and twelve-point systems give for a game."""
    numbers = result.split("-")
    return all(part.isdecimal() for part in numbers) and sum(map(int, numbers)) in _TEN_AND_TWELVE


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
