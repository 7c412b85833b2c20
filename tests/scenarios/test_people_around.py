"""S83 to S90: people around the board who bump, adjust, confirm, lose count of the turn, or turn the board."""

from __future__ import annotations

import pytest

from station import status
from station.announcements import BoardDiffers, BoardRestored, Illegal, Moved
from station.events import BoardSeen

from .scene import BOARDS


@pytest.mark.parametrize("board", BOARDS)
def test_S83_a_spectators_bump_while_the_engine_thinks_is_no_move_and_no_take_back(sit, board):
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    asked = scene.questions[-1]
    scene.lift("b2")
    scene.put("c3")
    scene.wait(1000)
    assert (scene.phase, scene.lamps, scene.story) == ("Waiting", {}, ["c3-d4"])
    scene.until(lambda: bool(scene.lamps), 2000)
    assert set(scene.lamps) == {"b2", "c3"}
    assert len(scene.heard_of(BoardDiffers)) + len(scene.heard_of(Illegal)) == 1
    scene.lift("c3")
    scene.put("b2")
    scene.until(lambda: not scene.lamps)
    assert scene.record == ["c3-d4"]
    assert scene.questions[-1] == asked
    assert not scene.withdrawn_questions
    scene.answer("f6-g5")
    scene.play("f6-g5")


@pytest.mark.parametrize("board", BOARDS)
def test_S83_a_bump_put_right_at_once_is_not_spoken_about(sit, board):
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    scene.lift("b2")
    scene.put("c3")
    scene.wait(400)
    scene.lift("c3")
    scene.put("b2")
    scene.wait(4000)
    assert scene.story == ["c3-d4"]
    assert scene.phase == "Waiting"


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("black", ["person", "engine:3"])
def test_S84_a_piece_put_back_one_square_off_lights_both_squares_and_is_published(sit, board, black):
    scene = sit("russian", board=board, black=black)
    scene.play("c3-d4")
    scene.lift("g3")  # knocked over ...
    scene.wait(2500)
    scene.put("h4")  # ... and put back where it does not belong
    scene.wait(3000)
    assert {"g3", "h4"} == set(scene.lamps)
    assert scene.record == ["c3-d4"]
    told = status.state(scene.session)["guidance"]
    assert told["prompt"] in ("differs", "illegal")
    assert set(told["squares"]) == {"g3", "h4"}
    scene.lift("h4")
    scene.put("g3")
    scene.until(lambda: len(scene.heard_of(BoardRestored)) == 1)
    assert scene.lamps == {}


@pytest.mark.parametrize("board", BOARDS)
def test_S85_nothing_but_moves_made_is_published_while_the_board_is_out_of_step(sit, board):
    scene = sit("russian", board=board)
    scene.play("c3-d4", "b6-a5")
    scene.lift("h8", "a1")
    scene.put("e5")
    scene.wait(4000)
    before = {**status.game(scene.session), "seq": None}
    assert status.state(scene.session)["guidance"]["prompt"] in ("differs", "illegal")
    scene.lift("e3")  # play goes on beside the mess
    scene.put("f4")
    scene.wait(4000)
    assert {**status.game(scene.session), "seq": None} == before
    assert [what.text for what in scene.heard_of(Moved)] == ["c3-d4", "b6-a5"]
    scene.lift("e5")
    scene.put("a1", "M")
    scene.put("h8", "m")
    scene.expect("c3-d4", "b6-a5", "e3-f4", within_ms=4000)
    assert [what.text for what in scene.heard_of(Moved)] == ["c3-d4", "b6-a5", "e3-f4"]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("black", ["person", "engine:3"])
def test_S86_a_piece_adjusted_on_its_square_is_in_the_journal_and_nowhere_else(sit, board, black):
    scene = sit("russian", board=board, black=black)
    scene.play("c3-d4")
    scene.happened.clear()
    for name in ("b2", "f6", "d4", "h8"):
        scene.lift(name)
        scene.wait(300)
        scene.put(name)
        scene.wait(700)
    scene.wait(3000)
    assert (scene.record, scene.story, scene.lamps) == (["c3-d4"], [], {})
    assert not scene.withdrawn_questions
    assert sum(isinstance(event, BoardSeen) for event in scene.happened) >= 8


@pytest.mark.parametrize("board", BOARDS)
def test_S87_automatic_moves_count_by_themselves(sit, board):
    scene = sit("russian", board=board)
    scene.move("c3-d4")
    assert scene.expect("c3-d4") < 1500


@pytest.mark.parametrize("board", BOARDS)
def test_S87_with_the_button_or_clock_a_move_counts_when_it_is_pressed(sit, board):
    scene = sit("russian", board=board, confirm="button")
    press = {"dgt": ("clock_white", "clock_black")}.get(board, ("confirm", "clock_black"))
    for text, button in zip(("c3-d4", "b6-a5"), press, strict=True):
        before = scene.record
        scene.move(text)
        scene.wait(6000)
        assert scene.record == before
        assert scene.guidance.key == "confirm"
        scene.press(button)
        scene.expect(*before, text)


@pytest.mark.parametrize("board", BOARDS)
def test_S87_when_ambiguous_only_what_the_board_cannot_tell_is_asked(sit, board):
    scene = sit("russian", board=board, confirm="when-ambiguous")
    scene.play("c3-d4", "b6-a5", "e3-f4")
    assert scene.story == scene.record


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
@pytest.mark.parametrize(("board", "known"), [("colour", False), ("colour", True), ("occupancy", True)])
def test_S89_all_four_ways_a_board_may_lie_are_found_out_or_configured(sit, board, known, quarters):
    """Sensors and lamps are turned by one mapping (S47); where no colours are told the configuration says it."""
    scene = sit("russian", board=board, quarters=quarters, turned=90 * quarters if known else None, black="engine:3")
    scene.play("c3-d4")
    scene.answer("f6-g5")
    assert scene.lamps == {"f6": "lift", "g5": "place"}
    scene.play("f6-g5")
    assert scene.record == ["c3-d4", "f6-g5"]


@pytest.mark.parametrize("board", ["colour", "dgt"])
@pytest.mark.parametrize("variant", ["russian", "international"])
def test_S89_a_board_turned_by_half_is_noticed_at_the_start_position(sit, board, variant):
    scene = sit(variant, board=board, rotated=True, black="engine:3")
    first, reply = {"russian": ("c3-d4", "f6-g5"), "international": ("32-28", "19-23")}[variant]
    scene.play(first)
    scene.answer(reply)
    start, end = reply.split("-")
    assert scene.lamps == {start: "lift", end: "place"}
    scene.play(reply)
    assert scene.record == [first, reply]


@pytest.mark.parametrize("board", BOARDS)
def test_S90_a_second_move_by_the_same_player_is_not_his_turn_and_the_reply_is_shown_again(sit, board):
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    scene.answer("f6-g5")
    assert scene.lamps == {"f6": "lift", "g5": "place"}
    scene.lift("e3")
    scene.put("f4")
    scene.wait(4000)
    assert scene.record == ["c3-d4"]
    (broken,) = scene.heard_of(Illegal)
    assert broken.rule == "wrong_side"
    scene.lift("f4")
    scene.put("e3")
    scene.until(lambda: scene.lamps == {"f6": "lift", "g5": "place"})
    scene.play("f6-g5")
    assert scene.record == ["c3-d4", "f6-g5"]


@pytest.mark.parametrize("board", BOARDS)
def test_S90_between_two_people_too(sit, board):
    scene = sit("russian", board=board)
    scene.play("c3-d4")
    scene.wait(5000)
    scene.lift("e3")
    scene.put("f4")
    scene.wait(4000)
    assert scene.record == ["c3-d4"]
    (broken,) = scene.heard_of(Illegal)
    assert broken.rule == "wrong_side"


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", ["b6", "b2"])
def test_S88_a_piece_on_a_square_out_of_play_is_shown_where_it_belongs_and_is_no_move(sit, board, name):
    scene = sit("russian", board=board)
    scene.play("c3-d4")
    column, row = scene.ruleset.geometry.cells[scene.square(name)]
    beside = (column, row + 1)
    scene.lift(name)
    scene.wait(scene.pace_ms)
    scene.board.put(beside, scene.in_hand.pop(), scene.now)
    scene.wait(5000)
    assert scene.record == ["c3-d4"]
    assert name in scene.lamps
    assert scene.session.memory.view.stray == (beside,)
    assert f"the inactive square {name[0]}{int(name[1]) - 1} (beside " in scene.guidance.sentence
    scene.in_hand.append(scene.board.contents(beside))
    scene.board.take(beside, scene.now)
    scene.put(name)
    scene.until(lambda: scene.guidance.key == "turn" and not scene.lamps)
    assert scene.session.memory.view.stray == ()
    scene.play("b6-a5")
