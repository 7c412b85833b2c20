"""FEN as real files write it, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import NotationError
from engine.fen import has_captured_pieces, read_fen, read_fen_pieces, write_fen
from engine.position import BLACK_KING, WHITE_MAN, Side, Towers
from engine.rules import rules_for
from engine.ruleset import load_ruleset, read_ruleset, variant_names
from tests.engine.boards import VARIANTS, games, positions, rules_of

SPELLINGS = [
    # variant, as it is met, canonical
    ("international", "W:W31-33:BK1-3", "W:W31,32,33:BK1,K2,K3"),
    ("international", "B:BK1:WK50", "B:WK50:BK1"),
    ("international", "W:W31:B", "W:W31:B"),
    ("international", "W:W:B1", "W:W:B1"),
    ("international", "B:W:B", "B:W:B"),
    ("international", "W:W31,K32:B1,K2.", "W:W31,K32:B1,K2"),
    ("international", "W:W31.:B1.", "W:W31:B1"),
    ("international", "W:W:W31,32:B1", "W:W31,32:B1"),
    ("international", "W:WW31,32:BB1", "W:W31,32:B1"),
    ("international", "W:W31:W32:B1:B2", "W:W31,32:B1,2"),
    ("international", "W:W31,32:W31,32:B1", "W:W31,32:B1"),
    ("international", "W:W31,W32,B1,BK2", "W:W31,32:B1,K2"),
    ("international", "W:W31;32:B1;2", "W:W31,32:B1,2"),
    ("international", "W:W31,,32,:B,1", "W:W31,32:B1"),
    ("international", "w:w31,k32:b1,k2", "W:W31,K32:B1,K2"),
    ("international", "  W : W 31 , K32 : B 1 2 ", "W:W31,K32:B1,2"),
    ("international", "'W:W31:B1'", "W:W31:B1"),
    ("international", '"W:W31:B1."', "W:W31:B1"),
    ("international", "W:W031:B01", "W:W31:B1"),
    ("international", "white:White31:Black1", "W:W31:B1"),
    ("international", "W:W31:B1:H0:F1", "W:W31:B1"),
    ("international", "W:W31:B1:H0:F1:+0+2", "W:W31:B1"),
    ("international", "W:W31:B1:+1+0", "W:W31:B1"),
    ("international", "W:W31:B1:0:1", "W:W31:B1"),
    ("international", "W:W31\n,32:B1", "W:W31,32:B1"),
    ("international", "W:Wa1:Bb8", "W:W46:B11"),
    ("international", "W:WG31,32:BP1,GK2,3", "W:W32:B3"),
    ("canadian", "W:WK72,71:BK1", "W:W71,K72:BK1"),
    ("russian", "W:Wa1,Kg3,c3:Bb6,b2,Kh8", "W:Wc3,Kg3,a1:BKh8,b6,b2"),
    ("russian", "W:WA1,KG3:BB6,B2", "W:WKg3,a1:Bb6,b2"),
    ("russian", "W:BB6:WA1", "W:Wa1:Bb6"),
    ("russian", "W:W29,K24:BK4,B10", "W:WKg3,a1:Bd6,Kh8"),
    ("russian", "W:WGa1,c3:BPb6,b2", "W:Wc3:Bb2"),
    ("russian", "W:Wg3:B", "W:Wg3:B"),
    ("turkish", "W:Wa2,Kb3:Bh7", "W:WKb3,a2:Bh7"),
    ("english", "B:W27,19,K13:BK30,12,5.", "B:WK13,19,27:B5,12,K30"),
    ("international", "W:W31–33:B1", "W:W31,32,33:B1"),
    ("international", "W：W31，32：B1", "W:W31,32:B1"),
    ("russian", "W:Wс3,Ке1:Ве5", "W:Wc3,Ke1:Be5"),  # Cyrillic letters that look the same
]


@pytest.mark.parametrize(("variant", "text", "canonical"), SPELLINGS)
def test_every_spelling_becomes_one(variant, text, canonical):
    ruleset = load_ruleset(variant)
    assert _same(write_fen(read_fen(text, ruleset), ruleset), canonical)


def _same(one, other):
    """Whether two FENs name the same pieces, in whatever order."""
    return [sorted(part[1:].split(",")) for part in one.split(":")[1:]] == [
        sorted(part[1:].split(",")) for part in other.split(":")[1:]
    ] and one[0] == other[0]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "starts with ''"),
        ("W31:B1", "starts with 'W31'"),
        ("W", "ends after the side to move"),
        ("B::", "ends after the side to move"),
        ("X:W1", "expected W, B or ?"),
        ("W:31:B1", "expected W or B"),
        ("W:X31:B1", "'X31' starts with 'X'"),
        ("W:W31:B31", "square 31 is named twice"),
        ("W:W31,K31:B1", "square 31 is named twice"),
        ("W:W51:B1", "'51' is not a square of this board, expected 1 to 50"),
        ("W:W0:B1", "'0' is not a square"),
        ("W:Wb1:B1", "'b1' is not a square"),
        ("W:WKK31:B1", "'K31' is not a square"),
        ("W:Wa1-e1:B", "'a1-e1': expected a range of two numbers"),
        ("W:W-5:B", "'-5': expected a range of two numbers"),
        ("W:W40-31:B", "expected the smaller number first"),
        ("W:W1-999:B", "'51' is not a square"),
        ("W:W1-99999999999:B", "expected a range of two numbers"),
        ("W:W²:B", "not a square"),
        ("W:W31=wb:B", "one piece on a square"),
        ("?:W31:B1", "side to move is unknown"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text, part):
    with pytest.raises(NotationError) as refusal:
        read_fen(text, load_ruleset("international"))
    assert part in str(refusal.value)
    assert repr(text) in str(refusal.value)


def test_a_long_wrong_text_is_not_quoted_whole():
    with pytest.raises(NotationError) as refusal:
        read_fen("W:W" + "x" * 5000, load_ruleset("international"))
    assert len(str(refusal.value)) < 300


def test_an_unknown_side_is_kept_unknown():
    position, turn = read_fen_pieces("?:W31:BK1", load_ruleset("international"))
    assert turn is None
    assert position.contents[30] is WHITE_MAN
    assert position.contents[0] is BLACK_KING


def test_captured_pieces_that_still_stand_are_told():
    international, russian = load_ruleset("international"), load_ruleset("russian")
    assert has_captured_pieces("W:W31:BG12,13", international)
    assert has_captured_pieces("W:Wa3:Bb6,Pc5", russian)
    assert has_captured_pieces("W:Wa3:Bb6,Gc5", russian)
    assert not has_captured_pieces("W:Wg3,G5:Bb6", russian)
    assert not has_captured_pieces("W:W31:B1", international)
    assert not has_captured_pieces("PGX", international)


def test_on_the_widest_board_k_is_a_column_where_squares_have_columns():
    text = 'base = "canadian"\ntitle = "H"\nnotation = "algebraic"\npdn_type = 0\npdn_game_type = ""'
    ruleset = read_ruleset(text, "house")
    position = read_fen("W:Wk3,Kk1:Ba3", ruleset)
    assert write_fen(position, ruleset) == "W:Wk3,Kk1:Ba3"


def test_towers_stand_behind_their_square():
    ruleset = load_ruleset("towers")
    position = read_fen("W:Wa3=bw,Kc1:Bb2", ruleset)
    assert isinstance(position.towers, Towers)
    assert write_fen(position, ruleset) == "W:Wa3=bw,Kc1:Bb2"
    assert read_fen("W:a3=bw;c1=W;b2=b", ruleset) == position


@pytest.mark.parametrize("variant", variant_names())
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_what_is_written_is_read_back(variant, data):
    ruleset = load_ruleset(variant)
    rules = rules_for(ruleset)
    position = rules.start()
    for move in data.draw(games(variant)) if variant in VARIANTS else ():
        position = position.after(move)
    if variant in VARIANTS and data.draw(st.booleans()):
        position = data.draw(positions(variant))
    for by_rows in (False, True):
        again = read_fen(write_fen(position, ruleset, by_rows), ruleset, by_rows)
        assert again.contents == position.contents
        assert again.turn is position.turn
        assert position.towers in (None, again.towers)


@given(st.text(), st.sampled_from(variant_names()), st.sampled_from(["", "W:W", "B:WK1:B", "?:"]))
@settings(max_examples=300, deadline=None)
def test_no_text_raises_anything_else(text, variant, begin):
    try:
        position, turn = read_fen_pieces(begin + text, load_ruleset(variant))
    except NotationError:
        return
    assert turn in (Side.WHITE, Side.BLACK, None)
    assert len(position.contents) == len(rules_of(variant).ruleset.geometry)
