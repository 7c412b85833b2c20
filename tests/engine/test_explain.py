"""Why a move is not legal."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.explain import FACT_OF_RULE, RULES, violations, why_not
from engine.notation import full_move_text, read_move_squares
from engine.rules import rules_for
from engine.ruleset import RULES_WITHOUT_FACT, load_ruleset, read_ruleset, variant_names
from tests.engine.boards import VARIANTS, position_in, positions, rules_of

CASES = [
    # variant, position, move, rule, legal moves shown instead
    ("international", "W:W33,35:B17,28,29", "33x24", "must_take_most", ["33x22x11"]),
    ("international", "W:W32,50:B28", "50-44", "must_capture", ["32x23"]),
    ("international", "W:W32,50:B28", "50-45", "must_capture", ["32x23"]),
    ("international", "W:W32,50:B28", "32-27", "must_capture", ["32x23"]),
    ("international", "W:W32:B28,19", "32x23", "capture_unfinished", ["32x23x14"]),
    ("international", "W:W32:B7", "32-37", "man_moves_forward", ["32-28", "32-27"]),
    ("international", "W:W32:B7", "32-23", "man_moves_one_square", ["32-28", "32-27"]),
    ("international", "W:W32:B7", "7-11", "wrong_side", []),
    ("international", "W:W32:B7", "7-16", "not_your_piece", []),
    ("international", "W:W32:B7", "31-27", "no_piece_there", []),
    ("international", "W:W32,28:B7", "32-28", "square_occupied", ["32-27"]),
    ("international", "W:W32:B7", "32-29", "not_in_line", ["32-28", "32-27"]),
    ("international", "W:WK46,37:B7", "46-32", "own_piece_jumped", ["46-41"]),
    ("international", "W:WK46:B41,37", "46-32", "two_pieces_jumped", []),
    ("international", "W:W38,32:B7", "38x27", "own_piece_jumped", ["38-33"]),
    ("international", "W:W38:B33,29", "38x24", "two_pieces_jumped", ["38-32"]),
    ("international", "W:W33:B7", "33-23", "moves_on_diagonals", ["33-29", "33-28"]),
    ("frisian", "W:W33:B7", "33-23", "moves_on_diagonals", ["33-29", "33-28"]),
    ("turkish", "W:We3:Ba7", "e3-f4", "moves_on_files_and_ranks", ["e3-e4", "e3-d3", "e3-f3"]),
    ("russian", "W:Wc3,Kh8:Ba7", "c3-c5", "moves_on_diagonals", ["c3-b4", "c3-d4"]),
    ("russian", "W:Wc3,Kh8:Ba7", "c3-f4", "not_in_line", ["c3-b4", "c3-d4"]),
    ("international", "W:W12:B8,20", "12x3x25", "crowned_only_at_end", ["12x3"]),
    ("english", "W:W22:B18,17,25", "22x29", "man_captures_forward", None),
    ("english", "W:WK32,31:B1", "32-23", "king_range", ["32-28", "32-27"]),
    ("english", "W:W10:B7,8,1", "10x3x12", "crowning_ends_move", ["10x3"]),
    ("english", "B:W21:B17,3", "3-7", None, None),
    ("russian", "W:Wa1,c3:Bd4", "a1-b2", "must_capture", ["c3:e5"]),
    ("russian", "W:Wc3:Bd4,d6", "c3:e5", "capture_unfinished", ["c3:e5:c7"]),
    ("russian", "W:Wd6:Be7,b6,g7", "d6:f8", "capture_unfinished", ["d6:f8:h6"]),
]


@pytest.mark.parametrize(("variant", "fen", "text", "rule", "legal"), CASES)
def test_the_rule_that_forbids_a_move(variant, fen, text, rule, legal):
    rules = rules_of(variant)
    position = position_in(variant, fen)
    violation = why_not(rules, position, read_move_squares(text, rules.ruleset))
    assert (violation.rule if violation else None) == rule
    if violation and legal is not None:
        assert sorted(full_move_text(move, rules.ruleset) for move in violation.legal) == sorted(legal)
    if violation:
        assert violation.article == rules.ruleset.article(FACT_OF_RULE[violation.rule])


def test_too_few_taken_names_the_capture_that_takes_most():
    rules = rules_of("international")
    position = position_in("international", "W:W33,35:B17,28,29")
    violation = why_not(rules, position, read_move_squares("33x24", rules.ruleset))
    assert violation is not None
    assert violation.article == "4.13"
    assert violation.squares == (32,)
    assert [len(move.captured) for move in violation.legal] == [2]


def test_a_quiet_move_beside_a_capture_shows_the_pieces_that_can_capture():
    rules = rules_of("english")
    position = position_in("english", "W:W22,23,31,30:B18,19")
    violation = why_not(rules, position, read_move_squares("31-27", rules.ruleset))
    assert violation is not None
    assert violation.rule == "must_capture"
    assert set(violation.squares) == {21, 22}


def test_rules_of_choice_are_told_apart():
    house = read_ruleset('base = "international"\nprecedence = ["most pieces", "with a king"]', "house")
    rules = rules_for(house)
    position = position_in("international", "W:W32,K46:B28,41")
    rule = {full_move_text(item.move, house): item.rule for item in violations(rules, position)}
    assert rule["32x23"] == "must_take_with_king"


def test_every_rule_is_listed_with_a_known_fact():
    facts = set(load_ruleset("russian").__dataclass_fields__) | set(RULES_WITHOUT_FACT) | {""}
    assert set(FACT_OF_RULE.values()) <= facts
    assert tuple(FACT_OF_RULE) == RULES


@pytest.mark.parametrize("variant", VARIANTS)
@given(data=st.data())
@settings(max_examples=60)
def test_a_violation_is_never_legal_and_each_effect_is_named_once(variant, data):
    rules = rules_of(variant)
    position = data.draw(positions(variant))
    legal = {move.effect for move in rules.legal_moves(position)}
    found = violations(rules, position)
    effects = [violation.move.effect for violation in found]
    assert not legal & set(effects)
    assert len(set(effects)) == len(effects)
    for violation in found:
        assert violation.rule in RULES
        assert {move.effect for move in violation.legal} <= legal
        position.after(violation.move)


@pytest.mark.parametrize("variant", VARIANTS)
@given(data=st.data())
@settings(max_examples=60)
def test_why_not_answers_for_any_squares(variant, data):
    rules = rules_of(variant)
    position = data.draw(positions(variant))
    squares = tuple(data.draw(st.lists(st.integers(0, len(position.contents) - 1), min_size=1, max_size=4)))
    violation = why_not(rules, position, squares)
    assert violation is None or violation.rule in RULES
    for move in rules.legal_moves(position):
        assert why_not(rules, position, (move.from_square, *move.path)) is None


@pytest.mark.parametrize("variant", variant_names())
def test_an_ordinary_position_is_quick(variant):
    rules = rules_of(variant)
    position = rules.start()
    for _ in range(6):
        position = position.after(rules.legal_moves(position)[0])
    violations(rules, rules.start())
    started = time.perf_counter()
    violations(rules, position)
    assert time.perf_counter() - started < 0.5
