"""The rules on positions that exercise one fine point each, from the federations' texts and from games."""

from __future__ import annotations

import pytest

from engine.draughts import DraughtsRules
from engine.fen import read_fen, write_fen
from engine.notation import read_move_squares, read_square
from engine.position import Side
from engine.ruleset import load_ruleset
from tests.data_files import needs_shared, shared_json, shared_rows
from tests.engine.boards import VARIANTS, position_in, rules_of


def rows(path, key, name):
    return pytest.mark.parametrize("row", shared_rows(path, key, VARIANTS, name))


def by_rows(ruleset, number):
    return read_square(str(number), ruleset, by_rows=True)


@needs_shared("rules/positions.json")
def test_there_are_positions_for_every_variant():
    found = {row["variant"] for row in shared_json("rules/positions.json")["positions"]}
    assert found >= {"english", "russian", "brazilian", "international"}


@rows("rules/positions.json", "positions", lambda row: row["id"])
def test_legal_moves_are_exactly_these(row):
    ruleset, rules = load_ruleset(row["variant"]), rules_of(row["variant"])
    position = read_fen(row["fen"], ruleset, by_rows=True)
    moves = {
        (move.from_square, move.to_square, tuple(sorted(move.captured)), move.promotes)
        for move in rules.legal_moves(position)
    }
    expected = set()
    for legal in row["legal"]:
        start, *_, end = read_move_squares(legal["move"], ruleset, by_rows=True)
        captured = tuple(sorted(by_rows(ruleset, number) for number in legal["captured"]))
        expected.add((start, end, captured, legal["promotes"]))
    assert moves == expected
    assert len(rules.legal_moves(position)) == row["moves"]


@rows("rules/positions.json", "positions", lambda row: row["id"])
def test_each_move_leaves_this_position_by_these_ways(row):
    ruleset, rules = load_ruleset(row["variant"]), rules_of(row["variant"])
    position = read_fen(row["fen"], ruleset, by_rows=True)
    for legal in row["legal"]:
        start, *_, end = read_move_squares(legal["move"], ruleset, by_rows=True)
        captured = frozenset(by_rows(ruleset, number) for number in legal["captured"])
        ways = rules.ways(position)[start, end, captured, legal["promotes"]]
        after = {position.after(way) for way in ways}
        assert after == {read_fen(legal["after"], ruleset, by_rows=True)}, write_fen(after.pop(), ruleset, by_rows=True)
        if "path_count" in legal:
            assert len({way.path for way in ways}) == legal["path_count"]
            assert len({way.captured for way in ways}) == legal["capture_orders"]
            stated = {tuple(by_rows(ruleset, number) for number in path[1:]) for path in legal["paths"]}
            assert stated <= {way.path for way in ways}


@rows("problems/rule-positions.json", "positions", lambda row: f"{row['variant']}-{row['case']}")
def test_the_federations_own_examples(row):
    ruleset = load_ruleset(row["variant"])
    moves = rules_of(row["variant"]).legal_moves(position_in(row["variant"], row["fen"]))
    found = sorted((move.from_square, move.to_square) for move in moves)
    assert found == sorted(
        (squares[0], squares[-1]) for squares in (read_move_squares(text, ruleset) for text in row["legal"])
    )


@rows("problems/captures-from-games.json", "positions", lambda row: f"{row['variant']}-{row['game']}-{row['ply']}")
def test_captures_met_in_games(row):
    ruleset = load_ruleset(row["variant"])
    rules = rules_of(row["variant"])
    position = read_fen(row["fen"], ruleset, by_rows=True)
    expected = set()
    for capture in row["captures"]:
        path = [by_rows(ruleset, number) for number in capture["path"]]
        expected.add((path[0], path[-1], frozenset(by_rows(ruleset, number) for number in capture["taken"])))
    captures = {(move.from_square, move.to_square, frozenset(move.captured)) for move in rules.legal_moves(position)}
    assert captures == expected


@rows("rules/positions.json", "results", lambda row: f"{row['variant']}-{row['fen']}")
def test_who_has_won(row):
    position = read_fen(row["fen"], load_ruleset(row["variant"]), by_rows=True)
    winner = rules_of(row["variant"]).winner(position)
    assert winner is {"white wins": Side.WHITE, "black wins": Side.BLACK}.get(row["result"])


def test_every_beginning_of_a_capture_when_asked_for():
    rules = rules_of("international")
    assert isinstance(rules, DraughtsRules)
    beginnings = rules.unfinished_captures(position_in("international", "W:W32:B28,19"))
    assert {move.path for move in beginnings} == {(22,), (22, 13)}
