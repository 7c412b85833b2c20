"""Takebacks, replies gone wrong, and whole boards set up and swept."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.position import EMPTY, Side, side_of
from station.simulation.hands import PRESETS, Style, set_up, sweep, take_back, world_after, wrong_reply

from .turns import circular_turn, pool, rules_of, sides, stands_after

CALM = PRESETS["calm"]
seeds = st.integers(0, 2**32)
turns = st.integers(0, 10**6).map(lambda number: pool()[number % len(pool())])
presets = st.sampled_from(sorted(PRESETS))


@settings(max_examples=500, deadline=None)
@given(turns, presets, seeds)
def test_a_move_taken_back_leaves_the_position_before_it(turn, preset, seed):
    played = turn.play(PRESETS[preset], seed)
    undone = take_back(turn.position, turn.move, PRESETS[preset], Random(seed), 500, played.world)
    board = stands_after(played.world, undone.touches)
    assert board == list(turn.position.contents)
    assert undone.world == tuple(board)
    assert undone.style is Style.TAKEN_BACK
    assert undone.touches[0].at_ms == 500
    assert undone.touches[-1].at_ms == undone.last_contact_ms


def test_pieces_come_back_before_and_after_the_moving_one():
    turn = circular_turn()
    orders = set()
    for seed in range(60):
        undone = take_back(turn.position, turn.move, CALM, Random(seed), 0)
        orders.add(tuple(touch.square for touch in undone.touches))
    firsts = {order[0] in turn.move.captured for order in orders}
    assert firsts == {True, False}


@settings(max_examples=500, deadline=None)
@given(turns, seeds)
def test_a_wrong_reply_is_wrong_until_it_is_put_right(turn, seed):
    wrong, mending = wrong_reply(turn.position, turn.move, turn.legal, turn.geometry, CALM, Random(seed), 100)
    after = sides(turn.position.after(turn.move).contents)
    board = stands_after(turn.position.contents, wrong)
    assert sides(board) != after
    assert wrong[0].at_ms == 100
    assert mending[0].at_ms - wrong[-1].at_ms >= CALM.told.low_ms
    assert sides(stands_after(board, mending)) == after


def test_wrong_replies_take_the_wrong_square_and_the_wrong_piece():
    kinds = {"square": 0, "piece": 0, "square shown, other piece": 0, "captured gone": 0}
    for seed, turn in enumerate(pool()):
        wrong, _ = wrong_reply(turn.position, turn.move, turn.legal, turn.geometry, CALM, Random(seed), 0)
        kinds["square" if wrong[0].square == turn.move.from_square else "piece"] += 1
        kinds["captured gone"] += len(wrong) > 2
        kinds["square shown, other piece"] += (
            wrong[0].square != turn.move.from_square and wrong[1].square == turn.move.to_square
        )
        assert side_of(wrong[0].piece) is turn.position.turn
    assert min(kinds.values()) > 20, kinds


@settings(deadline=None)
@given(st.sampled_from(["brazilian", "english", "international", "russian"]), seeds)
def test_a_board_is_set_up_and_swept(name, seed):
    rules = rules_of(name)
    contents, geometry = rules.start().contents, rules.ruleset.geometry
    touches = set_up(geometry, contents, Random(seed), 40)
    empty = [EMPTY] * len(geometry)
    assert tuple(stands_after(empty, touches)) == contents == world_after(empty, touches)
    assert (touches[0].at_ms, len(touches)) == (40, sum(piece is not EMPTY for piece in contents))
    swept = sweep(geometry, contents, Random(seed), 7)
    assert stands_after(contents, swept) == empty
    assert swept[-1].at_ms - swept[0].at_ms < 200 * len(swept)


def test_boards_are_set_up_in_several_orders():
    rules = rules_of("russian")
    contents = rules.start().contents
    first_sides = {
        tuple(side_of(touch.piece) is Side.WHITE for touch in set_up(rules.ruleset.geometry, contents, Random(seed), 0))
        for seed in range(30)
    }
    assert len(first_sides) > 5
