"""Laws that hold in every position of every variant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.draughts import DraughtsRules
from engine.fen import read_fen, write_fen
from engine.notation import full_move_text, move_text, read_move
from engine.position import CROWNED, EMPTY, MEN, Position
from engine.ruleset import load_ruleset
from tests.engine.boards import VARIANTS, games, positions, rules_of, turned_move, turned_position

every_variant = pytest.mark.parametrize("variant", VARIANTS)


@every_variant
@given(data=st.data())
def test_turning_board_and_colours_turns_the_moves(variant, data):
    ruleset, rules = load_ruleset(variant), rules_of(variant)
    position = data.draw(positions(variant))
    there = {turned_move(move, ruleset).effect for move in rules.legal_moves(position)}
    here = {move.effect for move in rules.legal_moves(turned_position(position, ruleset))}
    assert there == here


@every_variant
@given(data=st.data())
def test_fen_round_trip(variant, data):
    ruleset = load_ruleset(variant)
    position = data.draw(positions(variant))
    for by_rows in (False, True):
        assert read_fen(write_fen(position, ruleset, by_rows), ruleset, by_rows) == position


@every_variant
@given(data=st.data())
def test_move_text_means_that_move_only(variant, data):
    ruleset, rules = load_ruleset(variant), rules_of(variant)
    position = data.draw(positions(variant))
    legal = rules.legal_moves(position)
    ways = [way for found in rules.ways(position).values() for way in found]
    for move in legal:
        for text in (move_text(move, legal, ruleset), full_move_text(move, ruleset)):
            assert read_move(text, position, ways, ruleset).effect == move.effect


@every_variant
@given(data=st.data())
def test_each_effect_is_one_move_and_each_move_a_way(variant, data):
    rules = rules_of(variant)
    position = data.draw(positions(variant))
    legal = rules.legal_moves(position)
    assert len({move.effect for move in legal}) == len(legal)
    ways = rules.ways(position)
    assert list(ways) == [move.effect for move in legal]
    assert all(move in ways[move.effect] for move in legal)
    assert all(len(set(found)) == len(found) for found in ways.values())


@every_variant
@given(data=st.data())
def test_a_move_takes_enemies_and_lands_on_free_squares(variant, data):
    rules = rules_of(variant)
    position = data.draw(positions(variant))
    own = set(position.pieces(position.turn))
    enemies = set(position.pieces(position.turn.other))
    for move in rules.legal_moves(position):
        assert move.from_square in own
        assert set(move.captured) <= enemies
        assert len(set(move.captured)) == len(move.captured)
        assert len(move.path) == max(1, len(move.captured))
        assert all(position.contents[square] is EMPTY or square == move.from_square for square in move.path)


@every_variant
@given(data=st.data())
def test_what_a_move_leaves(variant, data):
    rules = rules_of(variant)
    position = data.draw(positions(variant))
    for move in rules.legal_moves(position):
        after = position.after(move)
        piece = position.contents[move.from_square]
        assert after.turn is position.turn.other
        assert after.contents[move.to_square] is (CROWNED[piece] if move.promotes else piece)
        assert not move.promotes or piece is MEN[position.turn]
        gone = set(move.captured) | ({move.from_square} - {move.to_square})
        assert all(after.contents[square] is EMPTY for square in gone)
        touched = gone | {move.from_square, move.to_square}
        assert all(
            after.contents[square] is content
            for square, content in enumerate(position.contents)
            if square not in touched
        )


@every_variant
@given(data=st.data())
def test_capturing_is_obligatory_and_follows_the_rules_of_choice(variant, data):
    rules = rules_of(variant)
    assert isinstance(rules, DraughtsRules)
    position = data.draw(positions(variant))
    beginnings = rules.unfinished_captures(position)
    legal = rules.legal_moves(position)
    assert all(move.is_capture == bool(beginnings) for move in legal)
    if "most pieces" in rules.ruleset.precedence:
        longest = max((len(move.captured) for move in beginnings), default=0)
        assert {len(move.captured) for move in legal} <= {longest}


@every_variant
@given(data=st.data())
def test_there_is_a_winner_exactly_when_there_is_no_move(variant, data):
    rules = rules_of(variant)
    position = data.draw(positions(variant))
    assert (rules.winner(position) is None) == bool(rules.legal_moves(position))


@every_variant
@given(data=st.data())
@settings(max_examples=25)
def test_pieces_never_come_back_in_a_game(variant, data):
    rules = rules_of(variant)
    position: Position = rules.start()
    for move in data.draw(games(variant)):
        after = position.after(move)
        lost = len(position.pieces(after.turn)) - len(after.pieces(after.turn))
        assert lost == len(move.captured)
        assert len(after.pieces(position.turn)) == len(position.pieces(position.turn))
        position = after
