"""Kings among many loose pieces: millions of ways to capture, answered exactly or refused in a clear sentence.

The positions were made by changing boards at random and keeping those that take longest. That the answer comes within
a second is measured by benchmarks/generator.py; here nothing may hang.
"""

from __future__ import annotations

import pytest

from engine.errors import TooManyCapturesError
from engine.fen import read_fen
from engine.rules import rules_for
from engine.ruleset import load_ruleset

# On every second square of every second row, so that there is always room behind.
_BETWEEN_10 = "7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40"
_BETWEEN_12 = "8,9,10,11,12,20,21,22,23,24,32,33,34,35,36,44,45,46,47,48,56,57,58,59,60"
_TURKISH = "3,10,15,17,19,21,23,24,27,30,31,33,39,42,43,45,46,48,51,55,60,63"

POSITIONS = (
    ("international", f"W:WK46:B{_BETWEEN_10}"),
    ("international", f"W:WK46,K47,K48,K49,K50:B{_BETWEEN_10}"),
    ("frisian", "W:WK3,K7,K30:B1,5,9,10,11,14,21,22,23,25,28,31,32,33,39,40,43"),
    ("frisian", "W:WK2,K20,K38,K49:B3,7,11,12,13,14,15,16,21,23,27,30,31,33,41,44,48,50"),
    ("frysk", "W:WK2,K20,K38,K49:B3,7,11,13,14,15,16,21,23,27,30,31,33,41,44,47,48,50"),
    ("canadian", f"W:WK1,K72:B{_BETWEEN_12}"),
    ("canadian", f"W:WK68,K69,K70,K71,K72:B{_BETWEEN_12}"),
    ("srilankan", "W:WK1,K72:B14,15,16,17,18,26,27,28,29,30,38,39,40,41,42,50,51,52,53,54,62,63,64,65,66"),
    ("turkish", f"W:WK13,K36,K37:B{_TURKISH}"),
    ("armenian", "W:WK26,K40:B2,4,9,11,13,15,18,20,23,25,28,30,31,37,39,42,43,44,45,46,47,49,53,56,60"),
    ("armenian-removal-end", "W:WK12,K15,K16,K30,K38:B2,3,4,5,7,9,10,19,21,22,28,29,32,35,39,42,43,45,46,47,48,49,53"),
)

REFUSED = (
    ("turkish", f"W:WK13,K36,K37:B{_TURKISH}"),
    ("armenian", "W:WK26,K40:B2,4,9,11,13,15,18,20,23,25,28,30,31,37,39,42,43,44,45,46,47,49,53,56,60"),
)


def _answer(ask, position):
    """The answer and, where there is none, the sentence that refuses it."""
    try:
        return ask(position), ""
    except TooManyCapturesError as error:
        return None, str(error)


def _is_clear(sentence):
    """Whether it says how many ways were found, and what would be expected instead."""
    return any(character.isdigit() for character in sentence) and "too many" in sentence and "expected" in sentence


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("variant", "fen"), POSITIONS)
def test_the_answer_is_exact_or_refused(variant, fen):
    ruleset = load_ruleset(variant)
    rules, position = rules_for(ruleset), read_fen(fen, ruleset, by_rows=True)
    moves, refused = _answer(rules.legal_moves, position)
    assert _is_clear(refused) if moves is None else moves and all(move.is_capture for move in moves)
    if moves and ruleset.precedence == ("most pieces",):
        assert len({len(move.captured) for move in moves}) == 1
    ways, refused = _answer(rules.ways, position)
    assert _is_clear(refused) if ways is None else ways
    if moves and ways:
        assert list(ways) == [move.effect for move in moves]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("variant", "fen"), REFUSED)
def test_what_has_too_many_ways_is_refused(variant, fen):
    ruleset = load_ruleset(variant)
    with pytest.raises(TooManyCapturesError, match="too many to list"):
        rules_for(ruleset).legal_moves(read_fen(fen, ruleset, by_rows=True))
