"""Scenarios S16 to S32 of `boards/scenarios.md`: captures, their order, forgotten pieces."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

from engine.errors import TooManyCapturesError
from engine.position import EMPTY, WHITE_KING, WHITE_MAN
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from station.announcements import BoardDiffers, Illegal, Moved, Prompted
from tests.engine.random_positions import scattered

from .scene import BOARDS

on_every_board = pytest.mark.parametrize("board", BOARDS)

CHOICE = "W:Wc3,h2:Bb4,d4,b8,h8"
"""Russian: the man on c3 takes b4 or d4."""

TWINS = "W:WK4,45:B9,20,19,28,36"
"""International: the king on 4 goes to 15 and takes 9, 19 and 20, or 9, 28 and 20."""

ROUND = "W:W21,48:B17,18,27,28,43,1"
"""International: the man on 21 takes 17, 18, 28 and 27, either way round, and is back on 21."""

LONG = "W:W28,45:B22,12,1,2"
"""International: the man on 28 takes 22 and 12 by way of 17 and ends on 8."""


def complaints(scene):
    return [what for what in scene.heard if isinstance(what, Illegal | BoardDiffers | Prompted)]


@on_every_board
def test_S16_the_captured_piece_may_be_lifted_first(sit, board):
    scene = sit("russian", CHOICE, board=board)
    scene.remove("d4")
    scene.wait(1800)
    assert complaints(scene) == []
    scene.lift("c3")
    scene.put("e5")
    scene.expect("c3:e5")
    assert scene.story == ["c3:e5"]


@on_every_board
def test_S16_a_piece_that_nothing_captures_is_asked_for_again(sit, board):
    scene = sit("russian", CHOICE, board=board)
    scene.remove("b8")
    scene.wait(1000)
    assert (complaints(scene), scene.lamps) == ([], {})
    scene.wait(1000)
    assert "b8" in scene.lamps
    assert complaints(scene)
    scene.put_back("b8")
    scene.wait(600)
    assert "b8" not in scene.lamps
    scene.play("c3:a5")
    assert scene.record == ["c3:a5"]


@on_every_board
def test_S17_a_capture_is_not_complete_while_the_captured_piece_stands(sit, board):
    scene = sit("russian", CHOICE, board=board)
    scene.lift("c3")
    scene.put("e5")
    scene.wait(2800)
    assert scene.record == []
    assert (scene.guidance.key, scene.lamps) == ("remove", {"d4": "remove"})
    assert "d4" in scene.guidance.sentence
    scene.remove("d4")
    scene.expect("c3:e5")
    scene.wait(200)
    assert scene.lamps == {}


@on_every_board
@pytest.mark.parametrize("text", ["c3:a5", "c3:e5"])
@pytest.mark.parametrize("removed_first", [False, True])
def test_S18_of_two_captures_the_one_that_is_made_is_taken(sit, board, text, removed_first):
    scene = sit("russian", CHOICE, board=board)
    end, captured = text[-2:], {"c3:a5": "b4", "c3:e5": "d4"}[text]
    scene.lift("c3")
    scene.wait(600)
    assert {move.to_square for move in scene.session.reading.moves} == {scene.square("a5"), scene.square("e5")}
    assert (scene.guidance.key, scene.lamps) == ("capturing", {})
    assert scene.guidance.sentence == "White is capturing. Still open: c3:a5, c3:e5."
    if removed_first:
        scene.remove(captured)
        scene.wait(300)
        assert scene.guidance.sentence == "White is moving.", "only one capture is still open"
        scene.put(end)
    else:
        scene.put(end)
        scene.remove(captured)
    scene.expect(text)
    assert scene.story == [text]


@on_every_board
def test_S18_two_captures_that_both_remain_are_both_shown(sit, board):
    scene = sit("russian", CHOICE, board=board)
    scene.lift("c3")
    scene.wait(3500)
    assert scene.record == []
    assert "c3" in scene.lamps
    assert not scene.heard_of(Illegal)
    assert not scene.heard_of(BoardDiffers)


@on_every_board
@pytest.mark.parametrize("taken", [("9", "19", "20"), ("9", "28", "20")])
def test_S19_the_first_piece_taken_off_decides_between_captures_with_the_same_ends(sit, board, taken):
    scene = sit("international", TWINS, board=board)
    scene.lift("4")
    scene.put("15")
    scene.wait(3000)
    assert scene.record == []
    # Nothing is taken off yet: what one of them takes is lit in one colour, what the other takes in another.
    assert not scene.heard_of(Illegal)
    assert not scene.heard_of(BoardDiffers)
    assert scene.lamps == {"19": "remove", "28": "hint"}
    assert scene.guidance.key == "which_taken"
    for name in taken[1:]:
        scene.remove(name)
    scene.wait(2500)
    assert scene.lamps == {"9": "remove"}
    scene.remove("9")
    scene.until(lambda: scene.session.game.ply == 1)
    path = {"19": "4x13x24x15", "28": "4x22x33x15"}[taken[1]]
    assert scene.record == [path]
    assert [what.path for what in scene.heard_of(Moved)] == [tuple(path.split("x")[1:])]


@on_every_board
@pytest.mark.parametrize("way", [("12", "23", "32"), ("32", "23", "12")])
def test_S20_the_same_pieces_taken_in_another_order_are_one_move(sit, board, way):
    scene = sit("international", ROUND, board=board)
    assert len(scene.session.game.legal_moves) == 1
    scene.lift("21")
    for name in way:
        scene.put(name)
        scene.lift(name)
    scene.put("21")
    scene.remove("17", "18", "27", "28")
    scene.until(lambda: scene.session.game.ply == 1)
    assert complaints(scene) == []


@on_every_board
def test_S21_a_captured_piece_that_was_forgotten_is_asked_for_and_the_turn_waits(sit, board):
    scene = sit("international", LONG, board=board, black="engine:3")
    scene.lift("28")
    scene.put("8")
    scene.remove("22")
    scene.wait(1500)
    assert (complaints(scene), scene.lamps) == ([], {})
    scene.wait(1300)
    assert scene.lamps == {"12": "remove"}
    assert [what.prompt for what in scene.heard_of(Prompted)] == ["remove"]
    assert "12" in scene.guidance.sentence
    assert (str(scene.session.turn), scene.questions) == ("white", [])
    scene.remove("12")
    scene.expect("28x8")
    assert len(scene.questions) == 1


@on_every_board
@pytest.mark.parametrize("surplus", ["1", "45"])
@pytest.mark.parametrize("pace_ms", [60, 250])
def test_S22_a_piece_that_was_not_captured_is_asked_back(sit, board, surplus, pace_ms):
    scene = sit("international", LONG, board=board, pace_ms=pace_ms)
    scene.lift("28")
    scene.put("8")
    scene.remove("22", "12", surplus)
    scene.wait(2500)
    assert scene.record in ([], ["28x8"])
    assert scene.lamps == {surplus: "place"}
    # Where the capture is not in the record yet, the rule is named.
    rules = [(what.rule, what.squares) for what in scene.heard_of(Illegal)]
    assert rules == ([] if scene.record else [("wrong_piece_taken_off", (surplus,))])
    assert all(what.article for what in scene.heard_of(Illegal))
    scene.put_back(surplus)
    scene.expect("28x8")
    scene.wait(500)
    assert [short for short in scene.story if "x" in short] == ["28x8"]
    scene.carry_out(scene.session.game.legal_moves[0])
    scene.until(lambda: scene.session.game.ply == 2)


@on_every_board
def test_S23_a_capture_that_stops_half_way_is_not_taken_and_is_led_on(sit, board):
    scene = sit("international", LONG, board=board)
    scene.lift("28")
    scene.put("17")
    scene.remove("22")
    scene.wait(2000)
    assert (complaints(scene), scene.lamps) == ([], {})
    scene.wait(1500)
    assert scene.record == []
    assert (scene.guidance.key, scene.lamps) == ("continue", {"8": "path"})
    assert "28x17x8" in scene.guidance.sentence
    scene.lift("17")
    scene.put("8")
    scene.remove("12")
    scene.expect("28x8")


MAJORITY = "W:W28,32,45:B22,12,27,1,2"
"""International: 28 takes 22 and 12; 32 takes only 27."""


@on_every_board
def test_S24_fewer_pieces_than_the_rules_ask_for_is_explained(sit, board):
    scene = sit("international", MAJORITY, board=board)
    scene.lift("32")
    scene.put("21")
    scene.remove("27")
    scene.wait(2500)
    assert scene.record == []
    assert [what.rule for what in scene.heard_of(Illegal)] == ["must_take_most"]
    assert scene.heard_of(Illegal)[0].article
    assert scene.guidance.key == "illegal"
    assert "2 of them" in scene.guidance.sentence
    assert "28x17x8" in scene.guidance.sentence
    # What is to be taken back is lit.
    assert scene.lamps.get("21") in ("lift", "remove")
    scene.lift("21")
    scene.put("32")
    scene.put_back("27")
    scene.wait(1000)
    assert scene.record == []
    scene.play("28x17x8")
    assert scene.record == ["28x8"]


@on_every_board
def test_S25_a_quiet_move_although_there_is_a_capture_is_explained(sit, board):
    scene = sit("russian", CHOICE, board=board)
    scene.lift("h2")
    scene.put("g3")
    scene.wait(2500)
    assert scene.record == []
    assert [what.rule for what in scene.heard_of(Illegal)] == ["must_capture"]
    assert scene.lamps.get("c3") == "hint"
    assert "c3:a5, c3:e5" in scene.guidance.sentence
    scene.lift("g3")
    scene.put("h2")
    scene.wait(1000)
    assert scene.lamps == {}
    scene.play("c3:a5")


@on_every_board
def test_S26_one_hand_moves_while_the_other_collects(sit, board):
    scene = sit("international", LONG, board=board, pace_ms=200)
    scene.lift("28")
    scene.put("17")
    scene.remove("22")
    scene.lift("17")
    scene.remove("12")
    scene.put("8")
    scene.expect("28x8")
    assert scene.story == ["28x8"]


@on_every_board
@pytest.mark.parametrize("order", list(permutations(("17", "18", "27", "28")))[::5])
def test_S27_captured_pieces_are_taken_off_in_any_order(sit, board, order):
    scene = sit("international", ROUND.replace("21", "21,47"), board=board)
    scene.lift("21")
    for name in ("12", "23", "32"):
        scene.put(name)
        scene.lift(name)
    scene.put("21")
    scene.remove(*order)
    scene.until(lambda: scene.session.game.ply == 1)
    assert complaints(scene) == []
    (made,) = scene.heard_of(Moved)
    assert set(made.captured) == set(order)


TURKISH = "W:Wd3,a1:Bd4,d6,e7,h8,g8"
"""Turkish: the man on d3 takes d4, d6 and e7: to d5, d7, f7."""


@on_every_board
def test_S28_each_taken_piece_goes_off_at_once(sit, board):
    scene = sit("turkish", TURKISH, board=board)
    scene.lift("d3")
    scene.put("d5")
    scene.remove("d4")
    scene.wait(1200)
    scene.lift("d5")
    scene.put("d7")
    scene.remove("d6")
    scene.wait(1200)
    assert (complaints(scene), scene.lamps) == ([], {})
    scene.lift("d7")
    scene.put("f7")
    scene.remove("e7")
    scene.until(lambda: scene.session.game.ply == 1)
    assert [what.captured for what in scene.heard_of(Moved)] == [("d4", "d6", "e7")]


REVISITING = "W:WKa8,Kd3:BKc8,c7,Kf4,Ka1,Kd1"
"""Turkish: the king on a8 takes c8, f4, d1 and c7, by way of f8, f1 and c1, and ends on c8."""


@on_every_board
@pytest.mark.parametrize("rest_ms", [0, 1000])
def test_S28_the_mover_may_stand_where_a_taken_piece_stood(sit, board, rest_ms):
    scene = sit("turkish", REVISITING, board=board)
    scene.lift("a8")
    for landing, taken in (("f8", "c8"), ("f1", "f4"), ("c1", "d1")):
        scene.put(landing)
        scene.remove(taken)
        scene.wait(rest_ms)
        assert (scene.record, scene.lamps) == ([], {})
        scene.lift(landing)
    scene.put("c8")
    scene.remove("c7")
    scene.until(lambda: scene.session.game.ply == 1)
    assert complaints(scene) == []
    assert [(what.to, set(what.captured)) for what in scene.heard_of(Moved)] == [("c8", {"c8", "f4", "d1", "c7"})]


@on_every_board
def test_S28_the_pieces_may_all_go_before_the_mover_is_put_down(sit, board):
    scene = sit("turkish", REVISITING, board=board)
    scene.lift("a8")
    scene.remove("c8", "f4", "d1", "c7")
    scene.put("c8")
    scene.until(lambda: scene.session.game.ply == 1)
    assert complaints(scene) == []


def test_S28_no_two_legal_moves_leave_the_same_squares_occupied():
    """A mover lands on a square of the enemy's only by taking it: the final frame tells what was captured."""
    rules, chance = rules_for(load_ruleset("turkish")), Random(28)
    captures = 0
    for _ in range(400):
        position = scattered(rules.ruleset, chance)
        try:
            moves = rules.legal_moves(position)
        except TooManyCapturesError:
            continue
        captures += len(moves) > 1 and moves[0].is_capture
        frames = {tuple(piece is EMPTY for piece in position.after(move).contents) for move in moves}
        assert len(frames) == len(moves)
    assert captures > 50


@on_every_board
def test_S29_a_capture_that_ends_where_it_began_needs_its_piece_to_have_moved(sit, board):
    scene = sit("international", ROUND, board=board)
    scene.remove("17", "18", "27", "28")
    scene.wait(4000)
    assert scene.record == []
    scene.lift("21")
    scene.put("21")
    scene.until(lambda: scene.session.game.ply == 1)


@on_every_board
def test_S29_or_the_button(sit, board):
    scene = sit("international", ROUND, board=board)
    scene.remove("17", "18", "27", "28")
    scene.wait(3500)
    assert scene.record == []
    assert (scene.guidance.key, scene.lamps) == ("confirm", {})
    scene.press("clock_white" if board == "dgt" else "confirm")
    scene.until(lambda: scene.session.game.ply == 1)
    scene.wait(500)
    assert [what.captured for what in scene.heard_of(Moved)]


@on_every_board
@pytest.mark.parametrize("order", list(permutations(("mover", "22", "12"))))
def test_S30_a_capture_is_taken_back_in_any_order(sit, board, order):
    scene = sit("international", LONG, board=board)
    scene.play("28x17x8")
    for what in order:
        if what == "mover":
            scene.lift("8")
            scene.put("28")
        else:
            scene.put(what, "m")
    scene.expect(within_ms=3000)
    assert scene.story == ["28x8", "back 1"]


@on_every_board
def test_S31_the_capturing_piece_put_back_first_is_a_takeback_while_the_engine_thinks(sit, board):
    scene = sit("international", LONG, board=board, black="engine:3")
    scene.play("28x17x8")
    scene.lift("8")
    scene.put("28")
    scene.wait(1500)
    scene.put("22", "m")
    scene.put("12", "m")
    scene.expect(within_ms=3000)
    assert scene.story[-1] == "back 1"
    assert not scene.heard_of(Illegal)
    assert scene.withdrawn_questions == scene.questions
    scene.play("28x17x8")


@on_every_board
@pytest.mark.parametrize("crowned_by_hand", [False, True])
def test_S32_a_man_that_goes_on_from_the_last_row_is_crowned_by_the_rules_alone(sit, board, crowned_by_hand):
    scene = sit("russian", "W:Wh6,h4:Bg7,b8,a5,c5", board=board)
    scene.lift("h6")
    scene.put("f8")
    scene.remove("g7")
    scene.lift("f8")
    if crowned_by_hand:
        scene.in_hand[-1] = WHITE_KING
    scene.put("b4")
    scene.remove("c5")
    scene.until(lambda: scene.session.game.ply == 1)
    assert scene.session.game.position.contents[scene.square("b4")] is WHITE_KING
    assert not scene.heard_of(Illegal)
    if not crowned_by_hand:
        scene.wait(1000)
        assert scene.guidance.key == "crown" or scene.session.game.outcome()


@on_every_board
def test_S32_a_man_that_only_passes_the_last_row_stays_a_man(sit, board):
    scene = sit("international", "W:W13,48:B9,10,28,29,41", board=board)
    assert scene.session.game.legal_moves[0].path == (3, 14)
    scene.lift("13")
    scene.put("4")
    scene.lift("4")
    scene.put("15")
    scene.remove("9", "10")
    scene.expect("13x15")
    assert scene.session.game.position.contents[scene.square("15")] is WHITE_MAN
    scene.wait(1000)
    assert (scene.guidance.key, complaints(scene)) == ("turn", [])
