"""Squares, moves and positions as text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import AmbiguousMoveError, IllegalMoveError, NotationError
from engine.fen import read_fen, read_fen_pieces, write_fen
from engine.game import new_game
from engine.notation import (
    fitting_moves,
    move_text,
    read_move,
    read_move_squares,
    read_square,
    square_name,
    square_names,
)
from engine.position import Move
from engine.ruleset import load_ruleset, variant_names
from tests.engine.boards import position_in, rules_of


@pytest.mark.parametrize("variant", variant_names())
@pytest.mark.parametrize("by_rows", [False, True])
def test_every_square_has_a_name_of_its_own(variant, by_rows):
    ruleset = load_ruleset(variant)
    names = square_names(ruleset, by_rows)
    assert len(set(names)) == len(ruleset.geometry)
    for square, name in enumerate(names):
        assert square_name(square, ruleset, by_rows) == name
        assert read_square(name, ruleset, by_rows) == square


def test_squares_are_read_in_every_spelling():
    international, russian = load_ruleset("international"), load_ruleset("russian")
    assert read_square("06", international) == read_square(" 6 ", international) == 5
    assert read_square("C3", russian) == read_square("c3", russian)
    assert square_name(read_square("a1", international), international) == "46"
    assert square_name(read_square("a1", load_ruleset("english")), load_ruleset("english")) == "29"


@pytest.mark.parametrize("text", ["", "0", "51", "b1", "k1", "²", "1-", "99999999999999999999"])
def test_what_is_no_square_is_refused_with_the_range(text):
    with pytest.raises(NotationError, match="expected 1 to 50"):
        read_square(text, load_ruleset("international"))


@pytest.mark.parametrize("text", ["32", "32-", "-28", "", "x"])
def test_what_is_no_move_is_refused(text):
    with pytest.raises(NotationError, match="is not a move"):
        read_move_squares(text, load_ruleset("international"))


@pytest.mark.parametrize("text", ["32-28", "32x28", "32 - 28", "32X28", "32:28", "32×28", " 32-28 "])
def test_moves_are_read_with_any_sign(text):
    assert read_move_squares(text, load_ruleset("international")) == (31, 27)


def read(variant, fen, text):
    rules = rules_of(variant)
    position = position_in(variant, fen)
    ways = [way for found in rules.ways(position).values() for way in found]
    return read_move(text, position, ways, rules.ruleset)


def test_a_move_text_is_one_move_or_says_why_not():
    assert read("international", "W:WK4:B13,20,32,37", "4x31x42x15").captured == (12, 36, 19)
    with pytest.raises(AmbiguousMoveError) as doubt:
        read("international", "W:WK4:B13,20,32,37", "4x15")
    assert doubt.value.candidates == ("4x27x38x15", "4x31x42x15")
    with pytest.raises(IllegalMoveError, match="not a legal move for white"):
        read("international", "W:W32:B1", "32-23")


def test_landing_on_exactly_the_squares_listed_wins():
    straight = Move(0, (9,), (5,))
    around = Move(0, (4, 9), (2, 5))
    assert fitting_moves((0, 9), (around, straight)) == (straight,)
    assert fitting_moves((0, 4, 9), (around, straight)) == (around,)
    assert fitting_moves((0, 9), (around,)) == (around,)


@pytest.mark.parametrize(
    ("variant", "text", "canonical"),
    [
        ("international", "W:W48-50:B1-3", "W:W48,49,50:B1,2,3"),
        ("english", "B:W27,19,K13:BK30,12,5.", "B:WK13,19,27:B5,12,K30"),
        ("russian", "w:Bh8,Kb2:Wa1", "W:Wa1:Bh8,Kb2"),
        ("russian", "W:WA1,KC3:BH8", "W:WKc3,a1:Bh8"),
        ("international", "B:W50:B", "B:W50:B"),
        ("international", '"W:W50:B1"', "W:W50:B1"),
        ("international", "W:W50:B1:H0:F1", "W:W50:B1"),
        ("international", "W:W50:B1:+0+1", "W:W50:B1"),
        ("international", "W:W 50 49:B1", "W:W49,50:B1"),
    ],
)
def test_fen_is_read_in_every_spelling_and_written_in_one(variant, text, canonical):
    ruleset = load_ruleset(variant)
    assert write_fen(read_fen(text, ruleset), ruleset) == canonical


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "starts with ''"),
        ("X:W1", "starts with 'X'"),
        ("W:Z1", "expected W or B"),
        ("W:W1:B1", "square 1 is named twice"),
        ("W:W51", "'51' is not a square"),
        ("W:W1-99", "not a square"),
        ("W:WK", "not a square"),
        ("?:W1:B2", "side to move is unknown"),
        ("W:Wa1-c3", "a1-c3"),
    ],
)
def test_a_wrong_fen_is_refused_with_what_was_found(text, part):
    with pytest.raises(NotationError) as refusal:
        read_fen(text, load_ruleset("international"))
    assert part in str(refusal.value)


def test_an_unknown_side_is_kept_unknown():
    position, turn = read_fen_pieces("?:W29,13,11:B22,4,2", load_ruleset("english"))
    assert turn is None
    assert len([piece for piece in position.contents if piece != 1]) == 6


@given(st.text(), st.sampled_from(variant_names()))
def test_no_fen_raises_anything_but_a_notation_error(text, variant):
    for fen in (text, "W:W" + text, "W:W1:B" + text):
        try:
            read_fen(fen, load_ruleset(variant))
        except NotationError:
            continue


def test_a_huffed_piece_follows_after_a_stroke():
    """Black could take on c3 with d4 and moved h6 instead: White takes d4 off, and moves."""
    ruleset = replace(load_ruleset("russian"), name="huffing", capture="huff")
    game = new_game(ruleset, read_fen("B:Wc3,a1:Bd4,h6", ruleset))
    ways = [way for some in game.rules.ways(game.position).values() for way in some]
    game = game.play(read_move("h6-g5", game.position, ways, ruleset))
    texts = {move_text(move, game.legal_moves, ruleset) for move in game.legal_moves}
    assert {"c3:e5", "c3-b4", "c3-b4/d4", "c3-d4/d4", "a1-b2/d4"} <= texts
    for move in game.legal_moves:
        text = move_text(move, game.legal_moves, ruleset)
        ways = [way for some in game.rules.ways(game.position).values() for way in some]
        assert read_move(text, game.position, ways, ruleset).effect == move.effect
    after = game.play(read_move("c3-d4/d4", game.position, ways, ruleset)).position
    assert write_fen(after, ruleset) == "B:Wd4,a1:Bg5"
