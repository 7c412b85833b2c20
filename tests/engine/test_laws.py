"""Laws that hold in every position and every game, for every rule set and for house rules nobody has played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fen import read_fen, write_fen
from engine.geometry import Square
from engine.notation import full_move_text, move_text, read_move
from engine.pdn import PdnGame, read_pdn, write_pdn
from engine.position import CROWNED, EMPTY, KINGS, MEN, SIDES, Move, Piece, Position, Side, Towers
from engine.rules import Rules, rules_for
from engine.ruleset import Ruleset, load_ruleset, variant_names
from tests.engine.made_up import house_rules, positions_of, tries

Law = Callable[[Rules, Position], None]


def turning_board_and_colours_turns_the_moves(rules, position):
    ruleset = rules.ruleset
    if not _sides_are_alike(ruleset):
        return
    there = {_turned_effect(move, ruleset) for move in rules.legal_moves(position)}
    here = {move.effect for move in rules.legal_moves(_turned_position(position, ruleset))}
    assert there == here


def fen_is_read_back(rules, position):
    for by_rows in (False, True):
        text = write_fen(position, rules.ruleset, by_rows)
        assert read_fen(text, rules.ruleset, by_rows) == position, text


def the_text_of_a_move_means_that_move_only(rules, position):
    legal = rules.legal_moves(position)
    ways = [way for found in rules.ways(position).values() for way in found]
    for move in legal:
        for text in (move_text(move, legal, rules.ruleset), full_move_text(move, rules.ruleset)):
            assert read_move(text, position, ways, rules.ruleset).effect == move.effect, text


def each_effect_is_one_move_and_each_move_a_way(rules, position):
    legal = rules.legal_moves(position)
    assert len({move.effect for move in legal}) == len(legal)
    ways = rules.ways(position)
    assert list(ways) == [move.effect for move in legal]
    assert all(move in ways[move.effect] for move in legal)
    assert all(len(set(found)) == len(found) for found in ways.values())
    assert all(way.effect == effect for effect, found in ways.items() for way in found)


def all_ways_of_a_move_leave_the_same(rules, position):
    # In a tower that keeps ranks the order of capture shows.
    if rules.ruleset.prisoners != "keep rank":
        for found in rules.ways(position).values():
            assert len({position.after(way) for way in found}) == 1


def the_moves_do_not_depend_on_what_was_asked_before(rules, position):
    afresh = rules_for.__wrapped__(rules.ruleset)
    assert afresh.legal_moves(position) == rules.legal_moves(position) == rules.legal_moves(position)


def a_move_takes_enemies_and_lands_on_free_squares(rules, position):
    own, enemies = set(position.pieces(position.turn)), set(position.pieces(position.turn.other))
    for move in rules.legal_moves(position):
        assert move.from_square in own
        assert set(move.captured) <= enemies
        if move.captured:
            assert len(move.path) == len(move.captured)
        if rules.ruleset.removal == "end":
            assert all(position.contents[square] is EMPTY or square == move.from_square for square in move.path)


def no_piece_is_jumped_twice(rules, position):
    if rules.ruleset.second_jump:
        return
    for found in rules.ways(position).values():
        assert all(len(set(way.captured)) == len(way.captured) for way in found)


def a_move_leaves_itself_and_takes_off_what_it_captured(rules, position):
    if position.towers is not None:
        return
    for move in rules.legal_moves(position):
        after, piece = position.after(move), position.contents[move.from_square]
        expected = list(position.contents)
        for square in (move.from_square, *move.captured, *move.huffed):
            expected[square] = EMPTY
        expected[move.to_square] = CROWNED[piece] if move.promotes else piece
        assert after.contents == tuple(expected)
        assert after.turn is position.turn.other


def towers_gain_and_lose_no_piece(rules, position):
    if position.towers is None:
        return
    for move in rules.legal_moves(position):
        after = position.after(move)
        assert _colours(after) == _colours(position)
        assert len(_stack(after, move.to_square)) == len(_stack(position, move.from_square)) + len(move.captured)
        assert _stack(after, move.from_square) == () or move.to_square == move.from_square


def nobody_gains_men_or_loses_kings_by_his_own_move(rules, position):
    if position.towers is not None:
        return
    for move in rules.legal_moves(position):
        after = position.after(move)
        assert after.count(MEN[position.turn]) == position.count(MEN[position.turn]) - move.promotes
        assert after.count(KINGS[position.turn]) == position.count(KINGS[position.turn]) + move.promotes
        lost = len(position.pieces(after.turn)) - len(after.pieces(after.turn))
        assert lost == len(move.captured)


def only_men_that_reached_the_last_row_are_crowned(rules, position):
    ruleset = rules.ruleset
    last = 0 if position.turn is Side.WHITE else ruleset.rows - 1
    for move in rules.legal_moves(position):
        rows = [ruleset.geometry.row(square) for square in move.path]
        is_man = position.contents[move.from_square] is MEN[position.turn]
        if ruleset.family == "race":
            assert not move.promotes
        elif ruleset.crowning == "passing":
            assert move.promotes == (is_man and last in rows)
        else:
            assert move.promotes == (is_man and rows[-1] == last)
            assert ruleset.crowning == "end" or not is_man or last not in rows[:-1]


def captures_are_as_many_as_the_choice_says(rules, position):
    if not rules.ruleset.precedence:
        return
    loosened = rules_for(replace(rules.ruleset, precedence=()))
    legal, freely = rules.legal_moves(position), loosened.legal_moves(position)
    assert {move.effect for move in legal} <= {move.effect for move in freely}
    assert bool(legal) == bool(freely)
    if rules.ruleset.precedence[0] == "most pieces" and rules.ruleset.king_landing != "behind after last king":
        longest = max((len(move.captured) for move in freely), default=0)
        assert {len(move.captured) for move in legal} <= {longest}


def who_must_capture_does_nothing_else(rules, position):
    if rules.ruleset.capture != "obligatory":
        return
    assert len({move.is_capture for move in rules.legal_moves(position)}) <= 1


def who_need_not_capture_may_do_all_the_rest(rules, position):
    if rules.ruleset.capture == "obligatory" or rules.ruleset.family == "race":
        return
    obliged = rules_for(replace(rules.ruleset, capture="obligatory"))
    legal = {move.effect for move in rules.legal_moves(position)}
    assert {move.effect for move in obliged.legal_moves(position)} <= legal


def who_cannot_move_has_lost_or_won(rules, position):
    goal, winner = rules.ruleset.goal, rules.winner(position)
    if not rules.legal_moves(position):
        assert winner is (position.turn if goal == "inverted" else position.turn.other) or goal == "first king"
        assert winner is not None
    elif goal in ("normal", "inverted"):
        assert winner is None


LAWS: tuple[Law, ...] = (
    turning_board_and_colours_turns_the_moves,
    fen_is_read_back,
    the_text_of_a_move_means_that_move_only,
    each_effect_is_one_move_and_each_move_a_way,
    all_ways_of_a_move_leave_the_same,
    the_moves_do_not_depend_on_what_was_asked_before,
    a_move_takes_enemies_and_lands_on_free_squares,
    no_piece_is_jumped_twice,
    a_move_leaves_itself_and_takes_off_what_it_captured,
    towers_gain_and_lose_no_piece,
    nobody_gains_men_or_loses_kings_by_his_own_move,
    only_men_that_reached_the_last_row_are_crowned,
    captures_are_as_many_as_the_choice_says,
    who_must_capture_does_nothing_else,
    who_need_not_capture_may_do_all_the_rest,
    who_cannot_move_has_lost_or_won,
)


def _turned(square: Square, ruleset: Ruleset) -> Square:
    """Where Black sees what White sees here: turned half round, or mirrored where the turned board plays elsewhere."""
    geometry = ruleset.geometry
    column, row = geometry.cells[square]
    turned = geometry.square_at(geometry.columns - 1 - column, geometry.rows - 1 - row)
    return geometry.squares_by_cell[column, geometry.rows - 1 - row] if turned is None else turned


def _sides_are_alike(ruleset: Ruleset) -> bool:
    """Not so on a chequered board with an odd number of columns and an even one of rows."""
    return ruleset.corner == "all" or ruleset.columns % 2 == 0 or ruleset.rows % 2 == 1


def _turned_effect(move: Move, ruleset: Ruleset) -> tuple[Square, Square, tuple[Square, ...], bool]:
    off = sorted(_turned(square, ruleset) for square in (*move.captured, *move.huffed))
    return _turned(move.from_square, ruleset), _turned(move.to_square, ruleset), tuple(off), move.promotes


def _turned_position(position: Position, ruleset: Ruleset) -> Position:
    contents, beneath = [EMPTY] * len(position.contents), [()] * len(position.contents)
    for square, piece in enumerate(position.contents):
        contents[_turned(square, ruleset)] = _other_colour(piece)
        if position.towers:
            below = position.towers.beneath[square]
            beneath[_turned(square, ruleset)] = tuple(_other_colour(each) for each in below)
    towers = position.towers and Towers(tuple(beneath), position.towers.keep_rank)
    return Position(tuple(contents), position.turn.other, towers)


def _other_colour(piece: Piece) -> Piece:
    if piece is EMPTY:
        return EMPTY
    other = SIDES[piece].other
    return MEN[other] if piece in MEN.values() else KINGS[other]


def _stack(position: Position, square: Square) -> tuple[Piece, ...]:
    assert position.towers is not None
    top = position.contents[square]
    return () if top is EMPTY else (*position.towers.beneath[square], top)


def _colours(position: Position) -> dict[Side, int]:
    pieces = [piece for square in range(len(position.contents)) for piece in _stack(position, square)]
    return {side: sum(SIDES[piece] is side for piece in pieces) for side in Side}


def _game(rules: Rules, seed: int, most_plies: int) -> PdnGame:
    chance, moves = Random(seed), []
    start = position = rules.opened(rules.start())
    for _ in range(chance.randrange(most_plies + 1)):
        legal = rules.legal_moves(position)
        if not legal or rules.winner(position):
            break
        moves.append(chance.choice(legal))
        position = position.after(moves[-1])
    return PdnGame({"White": "W", "Black": "B"}, rules.ruleset, start, tuple(moves))


def _assert_pdn_is_read_back(game: PdnGame) -> None:
    text = write_pdn(game)
    (read,) = read_pdn(text, game.ruleset)
    assert not read.faults, f"{read.faults}\n{text}"
    assert [move.effect for move in read.moves] == [move.effect for move in game.moves], text
    assert read.start.diagram == game.start.diagram
    assert write_pdn(replace(read, ruleset=game.ruleset)) == text


def _hold_all(rules: Rules, position: Position) -> None:
    for law in LAWS:
        law(rules, position)


every_variant = pytest.mark.parametrize("variant", variant_names())


@every_variant
@tries(12)
@given(data=st.data())
def test_laws_of_positions(variant, data):
    _hold_all(rules_for(load_ruleset(variant)), data.draw(positions_of(load_ruleset(variant))))


@tries(250)
@given(house=house_rules(), data=st.data())
def test_laws_of_positions_under_house_rules(house, data):
    _hold_all(rules_for(house.ruleset), data.draw(positions_of(house.ruleset)))


@every_variant
def test_games_in_pdn_are_read_back(variant):
    for seed in range(3):
        _assert_pdn_is_read_back(_game(rules_for(load_ruleset(variant)), seed, 60))


@tries(50)
@given(house=house_rules(), seed=st.integers(0, 2**32))
def test_games_in_pdn_are_read_back_under_house_rules(house, seed):
    _assert_pdn_is_read_back(_game(rules_for(house.ruleset), seed, 40))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@every_variant
@tries(500, always_the_same=False)
@given(data=st.data())
def test_laws_of_positions_for_long(variant, data):
    _hold_all(rules_for(load_ruleset(variant)), data.draw(positions_of(load_ruleset(variant))))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@tries(5_000, always_the_same=False)
@given(house=house_rules(), data=st.data())
def test_laws_of_positions_under_house_rules_for_long(house, data):
    _hold_all(rules_for(house.ruleset), data.draw(positions_of(house.ruleset)))
