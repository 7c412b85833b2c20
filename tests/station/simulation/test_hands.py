"""Whatever people's habits, a move that hands carried out has been carried out, and nothing impossible happened."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import station.simulation
from engine.position import BLACK_KING, CROWNED, EMPTY, MEN, Side, is_king, position_of
from station.simulation.habits import clean
from station.simulation.hands import (
    PRESETS,
    Crowning,
    ImpossibleTouchError,
    Removal,
    Slip,
    Style,
    Touch,
    follow,
    performances,
    play_game,
    shifted,
    world_after,
)

from .turns import VARIANTS, circular_turn, pool, random_moves, rules_of, sides, stands_after, turn_of

CALM = PRESETS["calm"]
CLUMSY = replace(CALM, hesitation=0.7, bump=0.7, forgotten=0.5, wrong_removal=0.5, adjust=0.5, look=0.5, leg_slides=0.5)
seeds = st.integers(0, 2**32)
turns = st.integers(0, 10**6).map(lambda number: pool()[number % len(pool())])
captures = turns.filter(lambda turn: turn.move.is_capture)
habits = st.sampled_from([*PRESETS.values(), CLUMSY])


@settings(max_examples=1500, deadline=None)
@given(turns, habits, seeds)
def test_a_performance_leaves_what_the_game_has(turn, habits, seed):
    performance = turn.play(habits, seed)
    board = stands_after(turn.position.contents, performance.touches)
    after = turn.position.after(turn.move).contents
    assert sides(board) == sides(after)
    different = [square for square in range(len(board)) if board[square] is not after[square]]
    if turn.move.promotes and performance.crowning is Crowning.NOTHING:
        assert different == [turn.move.to_square]
    else:
        assert different == []
    assert tuple(board) == performance.world


def test_every_turn_of_the_pool_can_be_carried_out_clumsily():
    for number, turn in enumerate(pool()):
        performance = turn.play(CLUMSY, number)
        board = stands_after(turn.position.contents, performance.touches)
        assert sides(board) == sides(turn.position.after(turn.move).contents)


def test_the_pool_has_big_and_circular_captures_landings_on_taken_squares_and_crownings():
    moves = [turn.move for turn in pool()]
    assert sum(len(move.captured) >= 4 for move in moves) > 50
    assert sum(turn.is_circular for turn in pool()) > 5
    assert sum(bool(set(move.path) & set(move.captured)) for move in moves) > 5
    assert sum(move.promotes for move in moves) > 30
    assert sum(len(turn.ways) > 1 for turn in pool()) > 20


@settings(deadline=None)
@given(turns, habits, seeds, st.integers(0, 10**7))
def test_the_first_touch_is_at_the_start_and_the_last_one_is_told(turn, habits, seed, start_ms):
    performance = turn.play(habits, seed, start_ms)
    assert performance.touches[0].at_ms == start_ms
    assert performance.touches[-1].at_ms == performance.last_contact_ms
    assert shifted(turn.play(habits, seed).touches, start_ms) == performance.touches


@settings(deadline=None)
@given(turns, habits, seeds)
def test_the_same_seed_gives_the_same_touches(turn, habits, seed):
    assert turn.play(habits, seed) == turn.play(habits, seed)


@settings(deadline=None)
@given(turns, seeds)
def test_clean_hands_never_slip_and_touch_only_what_the_move_touches(turn, seed):
    performance = turn.play(PRESETS["clean"], seed)
    assert performance.slips == ()
    way_pieces = {turn.position.contents[square] for square in (turn.move.from_square, *turn.move.captured)}
    way_pieces |= {CROWNED[piece] for piece in way_pieces}
    assert {touch.piece for touch in performance.touches} <= way_pieces
    taken = Counter(touch.square for touch in performance.touches if touch.kind == "take")
    bystanders = {square for square, piece in enumerate(turn.position.contents) if piece is not EMPTY}
    assert not set(taken) & bystanders - {
        turn.move.from_square,
        turn.move.to_square,
        *turn.move.captured,
        *turn.move.path,
    }


@settings(deadline=None)
@given(captures, habits, seeds)
def test_the_moving_piece_leaves_its_square_and_every_captured_piece_goes_off(turn, habits, seed):
    taken = {touch.square for touch in turn.play(habits, seed).touches if touch.kind == "take"}
    assert {turn.move.from_square, *turn.move.captured} <= taken


@pytest.mark.parametrize(
    "style", [Style.HOPS, Style.STRAIGHT, Style.WHILE_HOPPING, Style.CAPTURED_FIRST, Style.TWO_HANDS]
)
def test_a_circular_capture_comes_home_in_every_style(style):
    turn = circular_turn()
    for seed in range(50):
        performance = turn.play(replace(CALM, captures=((style, 1.0),)), seed)
        assert performance.style is style
        own = [touch for touch in performance.touches if touch.square == turn.move.from_square]
        assert [own[0].kind, own[-1].kind] == ["take", "put"]
        assert performance.world == turn.position.after(turn.move).contents


def _first(performance, kind, square):
    return next(i for i, t in enumerate(performance.touches) if t.kind == kind and t.square == square)


@settings(deadline=None)
@given(captures, seeds)
def test_each_style_does_what_it_says(turn, seed):
    if set(turn.move.path) & set(turn.move.captured) or turn.is_circular or turn.move.promotes:
        return
    performance = turn.play(replace(PRESETS["clean"], leg_slides=0.0), seed)
    took_mover = _first(performance, "take", turn.move.from_square)
    takes = [_first(performance, "take", square) for square in turn.move.captured]
    puts = [touch.square for touch in performance.touches if touch.kind == "put"]
    match performance.style:
        case Style.STRAIGHT:
            assert puts == [turn.move.to_square]
            assert took_mover < min(takes)
        case Style.CAPTURED_FIRST:
            assert max(takes) < took_mover
        case Style.HOPS:
            assert tuple(puts) in {way.path for way in turn.ways}
            assert min(takes) > len(puts) * 2 - 1
        case Style.WHILE_HOPPING:
            assert tuple(puts) in {way.path for way in turn.ways}
            landings = [i for i, t in enumerate(performance.touches) if t.kind == "put"]
            assert all(landing < take for landing, take in zip(landings, sorted(takes), strict=True))
        case Style.TWO_HANDS:
            assert tuple(puts) in {way.path for way in turn.ways}


def test_two_hands_interleave():
    two_hands = replace(PRESETS["clean"], captures=((Style.TWO_HANDS, 1.0),))
    turn = circular_turn()
    interleaved = 0
    for seed in range(100):
        kinds = [touch.square in turn.move.captured for touch in turn.play(two_hands, seed).touches]
        interleaved += any(now and not later for now, later in pairwise(kinds))
    assert interleaved > 90


def test_removal_orders_are_orders_of_capture():
    turn = circular_turn()
    straight = replace(PRESETS["clean"], captures=((Style.STRAIGHT, 1.0),))
    for order in Removal:
        for seed in range(40):
            performance = turn.play(replace(straight, removals=((order, 1.0),)), seed)
            takes = [touch for touch in performance.touches if touch.kind == "take"][1:]
            taken = tuple(touch.square for touch in takes)
            captured = {way.captured for way in turn.ways}
            assert performance.removal is order
            if order is Removal.ASCENDING:
                assert taken in captured
            if order is Removal.DESCENDING:
                assert taken[::-1] in captured
            if order is Removal.AT_ONCE:
                assert takes[-1].at_ms - takes[0].at_ms <= 60 * 3


def test_slides_touch_the_squares_between():
    rules = rules_of("russian")
    geometry = rules.ruleset.geometry
    corner, far = geometry.squares_by_cell[0, 7], geometry.squares_by_cell[7, 0]
    black = geometry.squares_by_cell[0, 1]
    position = position_of(len(geometry), Side.WHITE, white_kings=[corner], black_kings=[black])
    move = next(move for move in rules.legal_moves(position) if move.to_square == far)
    turn = turn_of(rules, position, move)
    performance = turn.play(replace(PRESETS["clean"], king_slides=1.0), 1)
    assert performance.style is Style.SLID
    puts = tuple(touch.square for touch in performance.touches if touch.kind == "put")
    assert puts == (*geometry.between(corner, far), far)
    gaps = [b.at_ms - a.at_ms for a, b in pairwise(performance.touches)]
    assert all(30 <= gap <= 120 for gap in gaps)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("preset", PRESETS)
def test_whole_games_go_on_from_what_stands(name, preset):
    rules = rules_of(name)
    moves = random_moves(rules, Random(3), 60)
    board, position, ended_ms = rules.start().contents, rules.start(), None
    thinking = PRESETS[preset].thinking
    game = list(performances(position, moves, rules, PRESETS[preset], Random(4)))
    assert len(game) == len(moves)
    for move, performance in zip(moves, game, strict=True):
        board = tuple(stands_after(board, performance.touches))
        position = position.after(move)
        assert sides(board) == sides(position.contents)
        if ended_ms is not None:
            assert thinking.low_ms <= performance.touches[0].at_ms - ended_ms <= thinking.high_ms
        ended_ms = performance.last_contact_ms
    played = play_game(rules.start(), moves, rules, PRESETS[preset], Random(4))
    assert played.performances == tuple(game)
    assert world_after(rules.start().contents, played.touches) == board


def test_in_blitz_the_opponent_lifts_within_70_to_700_ms():
    thinking = PRESETS["blitz"].thinking
    assert (thinking.low_ms, thinking.high_ms) == (70, 700)


def test_a_king_nobody_crowned_stays_a_man_and_may_be_captured_or_move_on():
    never = replace(PRESETS["clean"], crownings=((Crowning.NOTHING, 1.0),))
    rules = rules_of("russian")
    men_as_kings = 0
    for seed in range(20):
        position, board = rules.start(), rules.start().contents
        moves = random_moves(rules, Random(seed), 90)
        for move, performance in zip(moves, performances(position, moves, rules, never, Random(seed)), strict=True):
            board = tuple(stands_after(board, performance.touches))
            position = position.after(move)
        assert not any(is_king(piece) for piece in board)
        men_as_kings += sum(is_king(piece) for piece in position.contents)
    assert men_as_kings > 5


def test_following_lamps_is_a_move_too_and_a_forgotten_piece_is_noticed_at_once():
    always = replace(clean(CALM), forgotten=1.0)
    turn = circular_turn()
    args = (turn.position, turn.move, turn.ways, turn.legal, turn.geometry, always, Random(1), 0)
    performance = follow(*args)
    assert performance == follow(*args[:-2], Random(1), 0)
    assert performance.slips == (Slip.FORGOTTEN,)
    assert 600 <= performance.touches[-1].at_ms - performance.touches[-2].at_ms <= 1500
    assert performance.world == turn.position.after(turn.move).contents


def test_a_board_that_is_not_the_position_is_refused():
    turn = circular_turn()
    world = list(turn.position.contents)
    world[turn.move.from_square] = BLACK_KING
    with pytest.raises(ImpossibleTouchError, match="something else"):
        turn.play(CALM, 0, 0, world)


def test_impossible_touches_are_refused():
    start = rules_of("russian").start().contents
    man, free = MEN[Side.WHITE], start.index(EMPTY)
    occupied = start.index(man)
    for touch in (Touch(0, "take", free, man), Touch(0, "put", occupied, man), Touch(0, "put", free, EMPTY)):
        with pytest.raises(ImpossibleTouchError):
            world_after(start, [touch])


def test_hands_know_only_the_game_and_draw_no_chance_of_their_own():
    library = {"collections", "dataclasses", "enum", "functools", "heapq", "itertools", "random", "typing"}
    for source in Path(station.simulation.__file__).parent.glob("*.py"):
        tree = ast.parse(source.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert [alias.name for alias in node.names] == ["math"]
            if isinstance(node, ast.ImportFrom) and node.module != "__future__":
                assert node.module.split(".")[0] in library | {"engine"} or node.module.startswith("station.simulation")
                assert node.module != "random" or [alias.name for alias in node.names] == ["Random"]
            assert not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Random")
