"""The oracle against the reference positions, and the engine against the oracle, for every rule set."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.oracle
from engine.fen import read_fen
from engine.rules import rules_for
from engine.ruleset import load_ruleset, variant_names
from tests.data_files import needs_shared, shared_json
from tests.engine.made_up import positions_of, tries
from tests.engine.second_opinion import compare_from
from tests.oracle.captures import ways
from tests.oracle.corners import DIRECTIONS, corner_moves
from tests.oracle.facts import FACTS, cells

every_variant = pytest.mark.parametrize("variant", variant_names())


def _facts(ruleset):
    """The oracle's facts; a reading of a rule set that has none of its own moves like its base."""
    facts = {**FACTS, **DIRECTIONS}
    return facts[ruleset.name if ruleset.name in facts or not ruleset.base else ruleset.base]


def test_the_oracle_shares_no_code_with_the_engine():
    for file in Path(tests.oracle.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] in ("engine", "station", "firmware_bridge") for name in names), file


def _rows(key="positions"):
    return shared_json("rules/positions.json", {}).get(key, [])


@needs_shared("rules/positions.json")
def test_the_oracle_knows_the_reference_positions():
    wrong = [row["id"] for row in _rows() if _told(row) != _expected(row)]
    assert len(_rows()) >= 256
    assert not wrong


def _told(row):
    facts = FACTS[row["variant"]]
    numbers = {cell: number for number, cell in enumerate(_by_rows(facts), 1)}
    return {
        (numbers[way.start], numbers[way.path[-1]], tuple(sorted(numbers[cell] for cell in way.taken)), way.promotes)
        for way in ways(facts, _board(row["fen"], facts), row["side"].lower())
    }


def _expected(row):
    return {
        (*map(int, legal["move"].replace("x", "-").split("-")), tuple(legal["captured"]), legal["promotes"])
        for legal in row["legal"]
    }


def _by_rows(facts):
    return sorted(cells(facts), key=lambda cell: (-cell[1], cell[0]))


def _board(fen, facts):
    squares, board = _by_rows(facts), {}
    for part in fen.split(":")[1:]:
        for item in filter(None, part[1:].split(",")):
            board[squares[int(item.lstrip("K")) - 1]] = part[0].upper() if item[0] == "K" else part[0].lower()
    return board


@needs_shared("rules/positions.json")
@pytest.mark.parametrize(
    ("house_rule", "changed"),
    [
        ("", {}),
        ("king_keeps_rank", {"prisoners": "keep their rank"}),
        ("second_jump_allowed", {"second_jump": True}),
        ("emptied_square_free", {"taken_off_at_once": True}),
    ],
)
def test_the_oracle_knows_the_reference_towers(house_rule, changed):
    facts = replace(FACTS["towers"], **changed)
    assert len(_rows("towers")) >= 8
    for row in _rows("towers"):
        found = {(way.start, way.path[-1], way.after) for way in ways(facts, _stacks(row["towers"]), _side(row))}
        expected = [(legal["alg"], legal["after"]) for legal in row["legal"]]
        if f"other_house_rule_{house_rule}" in row:
            expected = [tuple(text.split(" ")) for text in row[f"other_house_rule_{house_rule}"]]
        assert found == {
            (*map(_cell, move.split("x")), frozenset(_stacks(after).items())) for move, after in expected
        }, row["id"]


@needs_shared("rules/positions.json")
def test_the_oracle_knows_the_reference_corners():
    assert len(_rows("corners")) >= 5
    for row in _rows("corners"):
        board = {_cell(name): colour for colour in ("white", "black") for name in row[colour]}
        found = corner_moves((8, 8), DIRECTIONS["corners"], board, {"w": "white", "b": "black"}[_side(row)])
        assert found == {tuple(map(_cell, text.split("-"))) for text in row["legal"]}, row["id"]


def _side(row):
    return row["side"].lower()


def _cell(name):
    return ord(name[0]) - ord("a"), int(name[1:]) - 1


def _stacks(text):
    return {_cell(square): stack for square, stack in (item.split("=") for item in text.split(";"))}


def _compare(variant, data, most_plies):
    ruleset = load_ruleset(variant)
    start, seed = data.draw(positions_of(ruleset)), data.draw(st.integers(0, 999))
    compare_from(rules_for(ruleset), _facts(ruleset), start, seed, most_plies)


@every_variant
@tries(70)
@given(data=st.data())
def test_the_engine_agrees_with_the_oracle(variant, data):
    _compare(variant, data, most_plies=8)


@every_variant
def test_the_engine_agrees_with_the_oracle_through_games(variant):
    assert sum(_compare_games(variant, range(3), most_plies=70)) > 80


def test_a_king_that_has_moved_three_times_rests():
    ruleset, facts = load_ruleset("frisian"), FACTS["frisian"]
    start = read_fen("B:WK49,K12,27,33,36,42:BK2,8,14,19,23,26", ruleset, by_rows=True)
    rested = []
    for seed in range(8):
        compare_from(rules_for(ruleset), facts, start, seed, most_plies=30)
        without_rest = replace(facts, quiet_moves_of_one_king=0)
        try:
            compare_from(rules_for(ruleset), without_rest, start, seed, most_plies=30)
        except AssertionError:
            rested.append(seed)
    assert rested, "the limit was never met, so nothing was compared"


@pytest.mark.soak
@pytest.mark.timeout(3600)
@every_variant
@tries(1_000, always_the_same=False)
@given(data=st.data())
def test_the_engine_agrees_with_the_oracle_for_long(variant, data):
    _compare(variant, data, most_plies=20)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@every_variant
def test_the_engine_agrees_with_the_oracle_through_many_games(variant):
    _compare_games(variant, range(100, 200), most_plies=150)


def _compare_games(variant, seeds, most_plies):
    ruleset = load_ruleset(variant)
    rules, facts = rules_for(ruleset), _facts(ruleset)
    return [compare_from(rules, facts, rules.start(), seed, most_plies) for seed in seeds]
