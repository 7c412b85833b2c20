"""Scenarios S41 to S49 of `boards/scenarios.md`: the computer's reply on the board."""

from __future__ import annotations

import pytest

from engine.position import EMPTY
from station.announcements import BoardDiffers, Illegal, Moved, Prompted, Revised, TakenBack
from station.settings import CALM

from .scene import BOARDS

on_every_board = pytest.mark.parametrize("board", BOARDS)


def replying(sit, board, variant="russian", own="c3-d4", reply="f6-g5", **settings):
    """A scene in which the engine's reply has just been lit."""
    scene = sit(variant, board=board, black="engine:3", **settings)
    scene.play(own)
    scene.answer(reply)
    scene.wait(1000)
    assert scene.guidance.key == "reply"
    return scene


@on_every_board
def test_S41_another_move_than_the_reply_is_shown_as_wrong(sit, board):
    scene = replying(sit, board)
    scene.lift("f6")
    scene.put("e5")
    scene.wait(600)
    assert scene.record == ["c3-d4"]
    scene.wait(1000)
    assert scene.lamps == {"e5": "lift", "g5": "place"}
    scene.lift("e5")
    scene.put("g5")
    scene.expect("c3-d4", "f6-g5")
    scene.wait(300)
    assert scene.lamps == {}


@on_every_board
def test_S41_another_piece_than_the_shown_one_is_shown_as_wrong(sit, board):
    scene = replying(sit, board)
    scene.lift("h6")
    scene.put("g5")
    scene.wait(2500)
    assert scene.record == ["c3-d4"]
    assert set(scene.lamps) & {"h6", "g5"}
    scene.lift("g5")
    scene.put("h6")
    scene.wait(300)
    assert scene.lamps == {"f6": "lift", "g5": "place"}
    scene.move("f6-g5")
    scene.expect("c3-d4", "f6-g5")


LONG = "W:W28,45,40:B22,12,1,2,36"
"""International: the man on 28 takes 22 and 12 by way of 17 and ends on 8."""


@on_every_board
def test_S42_nothing_complains_on_the_way_back_to_an_earlier_position(sit, board):
    scene = sit("international", LONG, board=board)
    scene.play("28x17x8")
    for name, piece in (("22", "m"), ("12", "m")):
        scene.wait(1700)
        scene.put(name, piece)
    scene.wait(1700)
    scene.lift("8")
    scene.wait(1700)
    scene.put("28")
    scene.expect(within_ms=3000)
    assert not [what for what in scene.heard if isinstance(what, Illegal | BoardDiffers)]


@on_every_board
@pytest.mark.parametrize("held_ms", [400, 4000])
def test_S43_a_neighbour_bumped_while_the_reply_is_carried_out(sit, board, held_ms):
    scene = replying(sit, board)
    scene.lift("f6")
    scene.lift("h6")
    scene.in_hand = scene.in_hand[::-1]
    scene.put("g5")
    scene.wait(held_ms)
    assert scene.record == ["c3-d4"]
    scene.put("h6")
    scene.expect("c3-d4", "f6-g5")
    assert scene.phase == "Turn"
    scene.play("b2-c3")


@on_every_board
def test_S43_a_neighbour_bumped_to_another_square_is_put_right_and_the_reply_counts(sit, board):
    scene = replying(sit, board)
    scene.lift("h6")
    scene.put("g5")
    scene.wait(500)
    scene.lift("f6", "g5")
    scene.put("h6")
    scene.put("g5")
    scene.expect("c3-d4", "f6-g5")
    scene.play("b2-c3")


@on_every_board
def test_S44_a_wrong_piece_lifted_leaves_the_right_one_shown(sit, board):
    scene = replying(sit, board)
    scene.lift("b6")
    scene.wait(1500)
    assert scene.phase == "Answering"
    assert scene.lamps.get("f6") == "lift" or scene.lamps.get("b6") == "place"
    scene.put("b6")
    scene.wait(300)
    assert scene.lamps == {"f6": "lift", "g5": "place"}
    scene.move("f6-g5")
    scene.expect("c3-d4", "f6-g5")


@on_every_board
def test_S45_another_reply_than_the_engines_is_not_taken(sit, board):
    scene = replying(sit, board)
    scene.lift("f6")
    scene.put("e5")
    scene.wait(6000)
    assert scene.record == ["c3-d4"]


@on_every_board
def test_S45_another_reply_counts_where_the_board_is_set_up_for_it(sit, board):
    scene = replying(sit, board, replies="any")
    scene.lift("f6")
    scene.put("e5")
    scene.wait(300)
    assert scene.record == ["c3-d4"]
    # The long wait, as for a move that may still go on.
    assert scene.until(lambda: scene.session.game.ply == 2) >= CALM.extended - 300 - 100
    assert scene.record[1] == "f6-e5"
    assert [what.by for what in scene.heard_of(Moved)] == ["person", "person"]
    (told,) = scene.heard_of(Prompted)
    assert (told.prompt, told.sentence) == ("other_reply", "f6-e5 was played for Black instead of f6-g5.")
    scene.play("d4:f6")
    scene.wait(500)
    assert scene.phase == "Waiting"


@on_every_board
def test_S45_the_shown_reply_counts_at_once_all_the_same(sit, board):
    scene = replying(sit, board, replies="any")
    scene.move("f6-g5")
    scene.expect("c3-d4", "f6-g5")
    assert scene.story == ["c3-d4", "f6-g5"]
    assert [what.by for what in scene.heard_of(Moved)] == ["person", "engine"]


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_S46_no_lamp_is_left_on_by_a_corrected_slide(sit, board):
    scene = replying(sit, board, fen="W:WKc1,a1:Bh8,f8,b8", own="c1-e3", reply="f8-g7")
    assert len(scene.lamps) == 2
    scene.slide("e3", "f4", "g5")
    scene.expect("c1-g5")
    scene.wait(300)
    assert scene.lamps == {}
    scene.answer("h8-g7")
    scene.lift("h8")
    scene.wait(300)
    scene.put("h8")
    scene.wait(300)
    assert scene.lamps == {"h8": "lift", "g7": "place"}


@pytest.mark.parametrize(
    ("board", "quarters"),
    [(board, quarters) for board in ("occupancy", "colour") for quarters in range(4)] + [("dgt", 0), ("dgt", 2)],
)
def test_S47_the_lamps_are_under_the_pieces_whichever_way_the_board_lies(sit, board, quarters):
    # A board that tells no colours cannot find out how it lies: somebody has configured it.
    turned = 90 * quarters if board == "occupancy" else None
    rotated = board == "dgt" and quarters == 2
    scene = replying(sit, board, quarters=quarters, turned=turned, rotated=rotated)
    # The scene tells lamps by where they are on the wood, not by the board's own numbers.
    assert scene.lamps == {"f6": "lift", "g5": "place"}
    scene.move("f6-g5")
    scene.expect("c3-d4", "f6-g5")


@on_every_board
def test_S48_the_lamps_show_only_what_is_still_to_be_done(sit, board):
    scene = replying(sit, board, "international", fen="W:W28,34,50:B18,1", own="28-23", reply="18x29x40")
    assert scene.lamps == {"18": "lift", "40": "place", "23": "remove", "34": "remove"}
    scene.lift("18")
    scene.wait(500)
    assert "18" not in scene.lamps
    assert scene.lamps["40"] == "place"
    scene.put("40")
    scene.wait(500)
    assert scene.lamps == {"23": "remove", "34": "remove"}
    scene.remove("34")
    scene.wait(500)
    assert scene.lamps == {"23": "remove"}
    scene.remove("23")
    scene.wait(1000)
    assert (scene.record, scene.lamps) == (["28-23", "18x40"], {})


@on_every_board
@pytest.mark.parametrize("rest_ms", [300, 1700])
def test_S49_O08_no_error_is_lit_while_a_capture_of_several_pieces_goes_on(sit, board, rest_ms):
    scene = sit("international", "W:W21,48:B17,18,27,28,43,1", board=board)
    steps = [
        lambda: scene.lift("21"),
        lambda: scene.put("12"),
        lambda: scene.remove("17"),
        lambda: scene.lift("12"),
        lambda: scene.put("23"),
        lambda: scene.lift("23"),
        lambda: scene.remove("28"),
        lambda: scene.put("32"),
        lambda: scene.remove("18"),
        lambda: scene.lift("32"),
        lambda: scene.put("21"),
        lambda: scene.remove("27"),
    ]
    for do in steps:
        do()
        scene.wait(rest_ms)
        assert scene.lamps == {}
    scene.until(lambda: scene.session.game.ply == 1)
    assert not [
        what for what in scene.heard if isinstance(what, Illegal | BoardDiffers | Prompted | Revised | TakenBack)
    ]
    assert len(scene.heard_of(Moved)) == 1


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_a_reply_is_not_shown_while_another_piece_has_dropped_out(sit, board):
    """A marginal piece is lost just before the reply is due: it may as well be a hand that changes the move."""
    scene = sit("russian", board=board, black="engine:3")
    scene.move("c3-d4")
    scene.until(lambda: scene.record == ["c3-d4"])
    scene.wait(CALM.choice_hold - 300)
    piece = scene._touch("a1", EMPTY)
    scene.wait(100)
    scene.answer("f6-g5")
    scene.wait(300)
    assert scene.session.phase.shown_ms > scene.now
    assert scene.lamps == {}
    scene._touch("a1", piece)
    scene.wait(400)
    assert scene.lamps == {"f6": "lift", "g5": "place"}


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_a_reply_is_shown_in_the_end_although_a_piece_is_missing(sit, board):
    scene = sit("russian", board=board, black="engine:3")
    scene.move("c3-d4")
    scene.until(lambda: scene.record == ["c3-d4"])
    scene.wait(CALM.choice_hold - 300)
    scene._touch("a1", EMPTY)
    scene.answer("f6-g5")
    scene.wait(3000)
    assert scene.session.phase.shown_ms < scene.now
    assert scene.lamps != {}
