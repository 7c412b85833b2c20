"""A move that a rule forbids is made on a simulated board: the rule is named, its article, and what is legal instead.

Positions and forbidden moves come from the reference data, where each is what other programs' generators give once
exactly one rule is switched off.
"""

from __future__ import annotations

import pytest

from engine.explain import FACT_OF_RULE
from engine.fen import read_fen, write_fen
from engine.notation import full_move_text, read_move_squares, read_square, square_name
from engine.position import EMPTY
from engine.ruleset import load_ruleset, variant_names
from station.announcements import BoardDiffers, Illegal, Prompted
from tests.data_files import shared_rows

POINTS = {
    "turkish-strike": {"taken_pieces_stay"},
    "no-turn-back": {"taken_pieces_stay", "no_turn_back", "must_take_most"},
    "no-180": {"no_turn_back", "must_take_most"},
    "pass-last-row": {"crowned_only_at_end", "must_take_most"},
    "short-king": {"king_range"},
    "men-not-back": {"man_captures_forward"},
    "majority": {"must_take_most"},
    "quantity": {"must_take_most", "must_take_most_kings"},
    "quality": {"must_take_most_kings", "must_take_highest_value"},
    "no-quality": {"must_take_most"},
    "priority-1": {"must_take_most"},
    "priority-2": {"must_take_with_king"},
    "priority-3": {"must_take_most_kings"},
    "priority-3-before-4": {"must_take_most_kings"},
    "priority-4": {"must_take_kings_first"},
    "king-must-capture": {"must_take_with_king"},
    "king-precedence": {"must_take_with_king"},
    "man-x-king": {"man_may_not_capture_king"},
    "value-vs-count": {"must_take_highest_value"},
    "king-lt-2-men": {"must_take_highest_value"},
    "land-behind": {"king_landing"},
    "killer-stop": {"king_landing"},
}
"""The point of a reference position, and the rules that may be named for what it forbids."""

BROKEN = [
    # variant, position, pieces that go (from, to), pieces taken off, the rule named
    ("russian", "", [("b6", "a5")], [], "wrong_side"),
    ("international", "", [("20", "24")], [], "wrong_side"),
    ("russian", "W:Wa1,c3:Bd4,h8", [("a1", "b2")], [], "must_capture"),
    ("english", "W:W22,31:B18,1", [("31", "27")], [], "must_capture"),
    ("turkish", "W:Wa1,d4:Bd5,h8", [("a1", "a2")], [], "must_capture"),
    ("international", "W:W33,35:B17,28,29", [("33", "24")], ["29"], "must_take_most"),
    ("international", "W:W33,35:B17,28,29", [("33", "24")], [], "must_take_most"),
    ("international", "W:W32,50:B7,1", [("32", "37")], [], "man_moves_forward"),
    ("english", "W:W22,31:B1,2", [("22", "26")], [], "man_moves_forward"),
    ("international", "W:W32,50:B7,1", [("32", "23")], [], "man_moves_one_square"),
    ("russian", "W:Wc3,a1:Bh8,a7", [("c3", "e5")], [], "man_moves_one_square"),
    ("international", "W:W32,50:B7,1", [("32", "22")], [], "moves_on_diagonals"),
    ("russian", "W:Wc3,a1:Bh8,a7", [("c3", "c5")], [], "moves_on_diagonals"),
    ("turkish", "W:Wc3,a1:Bh8,a7", [("c3", "d4")], [], "moves_on_files_and_ranks"),
    ("armenian", "W:Wc3,a1:Bh8,a7", [("c3", "d5")], [], "not_in_line"),
    ("russian", "W:Wc3,d4,a1:Bh8,a7", [("c3", "e5")], [], "own_piece_jumped"),
    ("international", "W:W38,33,50:B7,1", [("38", "29")], [], "own_piece_jumped"),
    ("russian", "W:Wb2,h2:Bc3,d4,h8", [("b2", "e5")], ["c3", "d4"], "two_pieces_jumped"),
    ("international", "W:W38,50:B33,29,1", [("38", "24")], ["33", "29"], "two_pieces_jumped"),
    ("russian", "W:Wc3,g1:Bd4,h8,a7", [("c3", "e5")], ["g1", "d4"], "wrong_piece_taken_off"),
    ("international", "W:W32,50:B28,1,6", [("32", "23")], ["6"], "wrong_piece_taken_off"),
    ("english", "W:W22,31:B18,1,4", [("22", "15")], ["31", "18"], "wrong_piece_taken_off"),
    ("russian", "W:Wc3,g1,a1:Bh8,a7", [("c3", "b4"), ("a1", "b2"), ("g1", "f2")], [], "one_piece_moves"),
    ("international", "W:W32,50,46:B7,1", [("32", "28"), ("50", "45")], [], "one_piece_moves"),
]


def made(scene, carried, taken_off):
    """Hands make something of a move, and leave it."""
    scene.lift(*(start for start, _ in carried))
    for _, end in reversed(carried):
        scene.put(end)
    scene.remove(*taken_off)
    scene.wait(3000)


def legal_texts(scene):
    return [full_move_text(move, scene.ruleset) for move in scene.session.game.legal_moves]


@pytest.mark.parametrize("board", ["occupancy", "colour"])
@pytest.mark.parametrize(("variant", "fen", "carried", "taken_off", "rule"), BROKEN)
def test_a_broken_rule_is_named(sit, variant, fen, carried, taken_off, rule, board):
    scene = sit(variant, fen, board=board)
    made(scene, carried, taken_off)
    (said,) = scene.heard_of(Illegal)
    assert (said.rule, said.article) == (rule, scene.ruleset.article(FACT_OF_RULE[rule]))
    assert scene.guidance.key == "illegal"
    assert said.sentence in scene.guidance.sentence
    assert scene.record == []
    if said.article:
        assert f"({scene.ruleset.title}, {said.article})" in said.sentence
    if "instead: " in said.sentence:
        named = said.sentence.split("instead: ")[1].rstrip(".").removesuffix(", and more").split(", ")
        assert named
        assert set(named) <= set(legal_texts(scene))


ROWS = shared_rows(
    "rules/positions.json",
    "positions",
    set(variant_names()),
    lambda row: row["id"],
)


def forbidden(row):
    """The first move that becomes possible without the rule, and what it takes, by rows; None if all are legal too."""
    legal = {(move["move"], tuple(sorted(move["captured"]))) for move in row["legal"]}
    for listed in row["a_generator_without_the_rule_gives"] or ():
        text, *taken = listed.split(",")
        if legal and (text, tuple(sorted(int(number) for number in taken))) not in legal:
            return text, taken
    return None


READ_AS_MOVES = ("international:turkish-strike", "killer:turkish-strike")
"""Rows whose forbidden move leaves what three legal moves leave."""


def rows_of_known_points():
    for parameter in ROWS:
        row = parameter.values[0]
        if row is None or (row["id"].split(":")[1] in POINTS and row["id"] not in READ_AS_MOVES and forbidden(row)):
            yield parameter


@pytest.mark.parametrize("row", list(rows_of_known_points()))
def test_what_only_one_rule_forbids_is_explained_by_that_rule(sit, row):
    ruleset = load_ruleset(row["variant"])
    position = read_fen(row["fen"], ruleset, by_rows=True)
    scene = sit(row["variant"], write_fen(position, ruleset), board="colour")
    text, taken = forbidden(row)
    start, end = (square_name(square, ruleset) for square in read_move_squares(text, ruleset, by_rows=True))
    off = [square_name(read_square(number, ruleset, by_rows=True), ruleset) for number in taken]
    scene.remove(*off)
    made(scene, [(start, end)], [])
    assert [said.rule for said in scene.heard_of(Illegal)], (scene.guidance, scene.session.reading)
    assert {said.rule for said in scene.heard_of(Illegal)} <= POINTS[row["id"].split(":")[1]]
    assert scene.record == []


@pytest.mark.parametrize(
    ("variant", "start", "cell", "place"),
    [
        ("russian", "c3", (2, 4), "the inactive square c4 (beside c5, b4, d4, c3)"),
        ("international", "32", (5, 5), "the inactive square beside 23, 28, 29, 33"),
    ],
)
def test_a_piece_where_nothing_is_played_is_told(sit, variant, start, cell, place):
    scene = sit(variant, board="colour")
    scene.lift(start)
    scene.board.put(cell, scene.in_hand.pop(), scene.now)
    scene.wait(3000)
    (said,) = scene.heard_of(Illegal)
    assert said.rule == "off_the_squares"
    assert place in said.sentence
    assert scene.guidance.sentence.endswith(f"Put the piece on {place} back on {start}.")
    assert scene.lamps == {start: "place"}
    scene.board.put(cell, EMPTY, scene.now)
    scene.put(start, "M")
    scene.wait(1000)
    assert scene.guidance.key == "turn"


@pytest.mark.parametrize(
    ("variant", "pushed"), [("russian", [("h8", "a5")]), ("international", [("5", "25"), ("1", "30")])]
)
def test_what_no_rule_explains_is_not_guessed_at(sit, variant, pushed):
    """A piece of the side that is not to move stands where no move brings it: that it was pushed is all there is."""
    scene = sit(variant, board="colour")
    made(scene, pushed, [])
    assert scene.heard_of(Illegal) == []
    assert len(scene.heard_of(BoardDiffers)) >= 1
    assert scene.guidance.key == "differs"
    assert set(scene.lamps.values()) == {"lift", "place"}


@pytest.mark.parametrize(
    ("variant", "fen", "lifted", "rest"),
    [("russian", "W:Wc3:Bd4,f6,h4", "c3", "e5"), ("international", "W:W32:B28,19,6", "32", "23")],
)
def test_a_capture_that_stops_half_way_is_told_how_it_goes_on(sit, variant, fen, lifted, rest):
    scene = sit(variant, fen, board="colour")
    scene.lift(lifted)
    scene.put(rest)
    scene.wait(4000)
    (said,) = scene.heard_of(Prompted)
    assert said.prompt == "continue"
    assert legal_texts(scene)[0] in said.sentence
    assert scene.heard_of(Illegal) == []


@pytest.mark.parametrize("board", ["occupancy", "colour", "dgt"])
@pytest.mark.parametrize("end", ["4", "9"])
def test_a_capture_that_jumps_a_piece_twice_is_not_taken_for_three_moves(sit, board, end):
    """1x36, 13-18 and 36x9 would leave the same board; but nobody saw a piece come to 36 or to 18."""
    scene = sit("international", "W:WK1:B13,18,33,41", board=board)
    scene.lift("1")
    scene.put(end)
    scene.remove("18", "33", "41", "13")
    scene.wait(6000)
    assert scene.record == []
    assert scene.guidance.key in {"illegal", "differs"}
