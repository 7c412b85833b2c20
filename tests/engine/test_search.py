"""The search: finds what there is to find, never an illegal move, always the same."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.notation import full_move_text
from engine.rules import rules_for
from engine.ruleset import load_ruleset, read_ruleset
from engine.search import WIN, Search, evaluation_of
from tests.data_files import needs_shared, shared_json
from tests.engine.boards import VARIANTS, games, position_in, positions, rules_of, turned_position


def best(variant, fen, depth=6, history=()):
    rules = rules_of(variant)
    found = Search(rules, position_in(variant, fen), history).best(depth)
    return found, full_move_text(found.line[0], rules.ruleset)


def test_a_shot_two_for_one():
    # 32-28 gives a man that must take it, and takes three back.
    found, move = best(
        "international",
        "W:W26,30,32,33,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,17,18,20,21,23",
        4,
    )
    assert move == "32-28"
    assert found.score >= 80


def test_a_forced_win_is_taken_and_its_distance_known():
    found, _ = best("english", "W:W11,K15:B3", 5)
    assert found.score == WIN - 3


def test_the_last_piece_is_captured():
    found, move = best("russian", "W:Wc3:Bd4")
    assert move == "c3:e5"
    assert found.score == WIN - 1


def test_giveaway_wants_to_lose_its_pieces():
    house = rules_for(read_ruleset('base = "russian"\ntitle = "Giveaway"\ngoal = "inverted"', "house"))
    position = position_in("russian", "W:Wc3,a1:Bf6,h8")
    assert evaluation_of(house.ruleset)(position) == 0
    found = Search(house, position_in("russian", "W:Wc3:Be5,h8")).best(6)
    assert full_move_text(found.line[0], house.ruleset) == "c3-d4"
    assert found.score > WIN - 10


def test_going_back_to_an_earlier_position_is_a_draw():
    rules = rules_of("english")
    position = position_in("english", "W:WK15:BK1,K2,K6")
    back = [position.after(move) for move in rules.legal_moves(position)]
    found = Search(rules, position, back).best(3)
    assert found.score == 0


def test_there_is_no_move_where_the_game_is_over():
    assert Search(rules_of("international"), position_in("international", "W:W:B1")).best() is None


def test_each_iteration_is_deeper_and_counts_on():
    rules = rules_of("brazilian")
    found = list(Search(rules, rules.start()).deepen(4))
    assert [iteration.depth for iteration in found] == [0, 1, 2, 3, 4]
    assert [iteration.nodes for iteration in found] == sorted(iteration.nodes for iteration in found)
    assert found[-1].nodes > found[1].nodes


def test_a_search_that_is_stopped_has_an_answer():
    rules = rules_of("international")
    asked = []

    def stop():
        asked.append(1)
        return len(asked) > 3

    found = Search(rules, rules.start(), should_stop=stop).best()
    assert found.line[0] in rules.legal_moves(rules.start())
    assert found.nodes < 1000


def test_stopped_at_once_it_still_moves():
    rules = rules_of("international")
    found = Search(rules, rules.start(), should_stop=lambda: True).best()
    assert found.line[0] in rules.legal_moves(rules.start())


# Plain search plays all captures out; among towers they need not end, and where they are free they are too many.
PLAINLY_SEARCHED = [
    name for name in VARIANTS if load_ruleset(name).capture == "obligatory" and load_ruleset(name).prisoners == "none"
]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("nodes", [25, 150, 1_000])
def test_it_answers_the_same_within_its_positions(variant, nodes):
    rules = rules_of(variant)
    first, second = (Search(rules, rules.start(), node_limit=nodes).best() for _ in range(2))
    assert first == second
    assert first.nodes <= nodes + 1


def test_a_thousand_positions_take_well_under_a_second():
    rules = rules_of("international")
    started = time.perf_counter()
    Search(rules, rules.start(), node_limit=1_000).best()
    assert time.perf_counter() - started < 10, "a tenth of this alone on a core"


@pytest.mark.parametrize("variant", VARIANTS)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_only_legal_moves_and_legal_lines(variant, data):
    rules = rules_of(variant)
    position = data.draw(positions(variant))
    found = Search(rules, position, node_limit=150).best()
    if found is None:
        assert not rules.legal_moves(position)
        return
    for move in found.line:
        assert move in rules.legal_moves(position)
        position = position.after(move)


@pytest.mark.parametrize("variant", VARIANTS)
@given(data=st.data())
def test_a_position_is_worth_the_same_from_the_other_side(variant, data):
    rules = rules_of(variant)
    evaluate = evaluation_of(rules.ruleset)
    position = data.draw(positions(variant))
    assert evaluate(position) == evaluate(turned_position(position, rules.ruleset))


@pytest.mark.parametrize("variant", PLAINLY_SEARCHED)
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_alpha_beta_finds_what_plain_search_finds(variant, data):
    rules = rules_of(variant)
    position = rules.start()
    for move in data.draw(games(variant)):
        position = position.after(move)
    found = Search(rules, position).best(2)
    if found is not None:
        evaluate = evaluation_of(rules.ruleset)
        assert found.score == _plain(rules, evaluate, position, 2, 0, {position.diagram})


def _plain(rules, evaluate, position, depth, ply, path):
    winner = rules.winner(position)
    if winner is not None:
        return WIN - ply if winner is position.turn else ply - WIN
    moves = rules.legal_moves(position)
    if depth <= 0 and not moves[0].captured:
        return evaluate(position)
    scores = []
    for move in moves:
        after = position.after(move)
        known = after.diagram in path
        scores.append(0 if known else -_plain(rules, evaluate, after, depth - 1, ply + 1, path | {after.diagram}))
    return max(scores)


@needs_shared("problems/gcheckers-puzzles.json")
def test_most_short_puzzles_are_solved():
    solved = 0
    puzzles = [p for p in shared_json("problems/gcheckers-puzzles.json")["positions"] if len(p["line"]) <= 3][:40]
    for puzzle in puzzles:
        rules = rules_of(puzzle["variant"])
        position = position_in(puzzle["variant"], puzzle["fen"])
        found = Search(rules, position, node_limit=6_000).best(6)
        start, *_ = puzzle["line"][0].replace("x", "-").split("-")
        solved += found.line[0].from_square + 1 == int(start)
    assert solved >= 0.8 * len(puzzles)
