"""Scenarios S01 to S15 of `boards/scenarios.md`: moves, slides, hesitation."""

from __future__ import annotations

import pytest

from engine.view import OCCUPIED
from station.announcements import BoardDiffers, Illegal, Moved
from station.config import read_config
from station.effects import Announce
from station.errors import ConfigError
from station.events import BoardSeen
from station.journal import read_journal
from station.settings import BLITZ, PACES
from station.tracker import differing, masks_of_position, masks_of_view

from .scene import BOARDS

SLIDER = "W:WKc1,a1:Bh8,f8,b8"
"""A king of White's that may go from c1 to d2, e3, f4, g5 and h6, and elsewhere."""

on_every_board = pytest.mark.parametrize("board", BOARDS)


@on_every_board
def test_S01_a_slide_that_stops_short_for_a_moment_is_one_move(sit, board):
    scene = sit("russian", SLIDER, board=board, black="engine:3")
    scene.slide("c1", "e3", rest_ms=0)
    scene.wait(400)
    assert scene.record == []
    scene.slide("e3", "f4", "g5")
    scene.expect("c1-g5")
    assert scene.story == ["c1-g5"]
    assert len(scene.questions) == 1


@on_every_board
def test_S01_a_slide_that_stopped_too_long_is_corrected_and_the_engine_is_asked_again(sit, board):
    scene = sit("russian", SLIDER, board=board, black="engine:3")
    scene.slide("c1", "e3", rest_ms=0)
    scene.expect("c1-e3")
    scene.wait(500)
    scene.slide("e3", "f4", "g5")
    scene.expect("c1-g5")
    assert scene.story == ["c1-e3", "c1-e3 -> c1-g5"]
    first, second = scene.questions
    assert scene.withdrawn_questions == [first]
    # What the engine found for the move that no longer stands is not shown.
    before = scene.lamps
    scene.answer("f8-e7", request=first)
    assert (scene.phase, scene.lamps) == ("Waiting", before)
    scene.answer("b8-a7", request=second)
    assert scene.lamps == {"b8": "lift", "a7": "place"}


@on_every_board
def test_S02_O12_the_correction_is_taken_although_the_reply_is_shown_already(sit, board):
    scene = sit("russian", SLIDER, board=board, black="engine:3")
    scene.slide("c1", "e3", rest_ms=0)
    scene.expect("c1-e3")
    scene.answer("f8-g7")
    assert scene.lamps == {"f8": "lift", "g7": "place"}
    scene.slide("e3", "f4", "g5")
    scene.expect("c1-g5")
    scene.wait(300)
    assert scene.story == ["c1-e3", "c1-e3 -> c1-g5"]
    assert (scene.phase, scene.lamps) == ("Waiting", {})
    assert scene.guidance.sentence == "Corrected to c1-g5. Black to move."
    assert len(scene.questions) == 2
    scene.answer("b8-a7")
    assert scene.lamps == {"b8": "lift", "a7": "place"}
    scene.move("b8-a7")
    scene.expect("c1-g5", "b8-a7")


def test_S03_there_are_two_paces_and_no_slider():
    assert set(PACES) == {"calm", "blitz"}
    table = '[[boards]]\nid = "t"\ndriver = "matrix"\nport = "/dev/null"\nvariant = "english"\npace = {}\n'
    station = '[station]\nid = "s"\n'
    for pace in PACES:
        assert read_config(station + table.format(f'"{pace}"'), "c").boards[0].pace == pace
    with pytest.raises(ConfigError, match="calm"):
        read_config(station + table.format("250"), "c")


@pytest.mark.parametrize("variant", ["english", "italian"])
@pytest.mark.parametrize("pace", PACES.values())
def test_S03_where_no_piece_slides_a_move_counts_almost_at_once(sit, variant, pace):
    scene = sit(variant, pace=pace)
    for _ in range(6):
        move = scene.session.game.legal_moves[-1]
        scene.carry_out(move)
        ply = scene.session.game.ply
        # At most 60 ms until the contact is still, 30 ms for the board to believe it, then the short wait.
        assert scene.until(lambda ply=ply: scene.session.game.ply > ply) <= 60 + 30 + pace.quick + 20


@pytest.mark.parametrize("pace", PACES.values())
def test_S03_only_the_move_that_may_go_on_waits_longer(sit, pace):
    scene = sit("russian", SLIDER, pace=pace)
    scene.move("c1-e3")
    assert scene.expect("c1-e3") > pace.extended
    scene.play("f8-g7")
    scene.move("a1-b2")
    assert scene.expect("c1-e3", "f8-g7", "a1-b2") < pace.extended


@on_every_board
@pytest.mark.parametrize("pace_ms", [60, 120, 250])
def test_S04_O04_the_reply_and_the_own_next_move_made_at_once_are_both_taken(sit, board, pace_ms):
    scene = sit("russian", board=board, black="engine:3", pace_ms=pace_ms)
    scene.play("c3-d4")
    scene.answer("f6-g5")
    scene.wait(2000)
    scene.lift("f6")
    scene.put("g5")
    scene.lift("b2")
    scene.put("c3")
    scene.expect("c3-d4", "f6-g5", "b2-c3")
    assert scene.story == ["c3-d4", "f6-g5", "b2-c3"]


@on_every_board
def test_S05_a_second_move_while_the_engine_thinks_changes_nothing_and_is_told(sit, board):
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    scene.lift("g3")
    scene.put("h4")
    scene.wait(3000)
    assert scene.record == ["c3-d4"]
    assert [what.rule for what in scene.heard_of(Illegal)] == ["wrong_side"]
    assert scene.guidance.key == "illegal"
    scene.lift("h4")
    scene.put("g3")
    scene.wait(500)
    assert scene.guidance.key == "thinking"
    scene.answer("f6-g5")
    scene.move("f6-g5")
    scene.expect("c3-d4", "f6-g5")
    assert [what.text for what in scene.heard_of(Moved)] == ["c3-d4", "f6-g5"]


@on_every_board
def test_S05_a_move_made_for_the_thinking_engine_changes_nothing(sit, board):
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    scene.lift("h6")
    scene.put("g5")
    scene.wait(3000)
    assert scene.record == ["c3-d4"]
    assert scene.story[0] == "c3-d4"
    assert not [short for short in scene.story if "->" in short or "back" in short]
    scene.answer("f6-e5")
    scene.until(lambda: scene.guidance.key in ("differs", "illegal", "reply"))
    scene.lift("g5")
    scene.put("h6")
    scene.move("f6-e5")
    scene.expect("c3-d4", "f6-e5")


@on_every_board
def test_S06_O05_a_reply_at_once_leaves_no_takeback_and_no_other_move_in_the_record(sit, board):
    scene = sit("russian", board=board, black="engine:3", pace=BLITZ, pace_ms=100)
    game = ["c3-d4", "f6-g5", "b2-c3", "g5-f4", "g3:e5", "d6:f4", "e3:g5", "h6:f4"]
    for own, reply in zip(game[::2], game[1::2], strict=True):
        scene.move(own)
        ply = scene.session.game.ply
        scene.until(lambda ply=ply: scene.phase == "Waiting" and scene.session.game.ply > ply)
        scene.answer(reply)
        scene.move(reply)
        scene.until(lambda ply=ply: scene.session.game.ply > ply + 1)
    scene.expect(*game)
    assert scene.story == game
    # Each move was announced on a settled frame that shows it.
    seen, ply = None, 0
    for item in scene.happened:
        if isinstance(item, BoardSeen) and item.view.firm:
            seen = masks_of_view(item.view)
        elif isinstance(item, Announce) and isinstance(item.what, Moved):
            ply += 1
            assert not differing(masks_of_position(scene.session.game.positions[ply].contents), seen)
    assert ply == len(game)


@on_every_board
@pytest.mark.parametrize("held_ms", [300, 2000])
def test_S07_a_piece_lifted_for_a_look_and_put_back_is_no_event(sit, board, held_ms):
    scene = sit("russian", board=board)
    scene.lift("c3")
    scene.wait(held_ms)
    scene.put("c3")
    scene.wait(1000)
    assert (scene.story, scene.record, scene.lamps) == ([], [], {})
    assert scene.guidance.key == "turn"
    # The touch is logged: the journal holds a frame without the piece.
    square = scene.square("c3")
    scene.desk.journal.flush()
    _, lines = read_journal(scene.desk.journal.path.read_bytes())
    views = [line.event.view for line in lines if isinstance(line.event, BoardSeen)]
    assert [view for view in views if not view.possible(square) & OCCUPIED]


@on_every_board
@pytest.mark.parametrize("touched", ["f6", "h6", "d4"])
def test_S08_a_piece_lifted_and_put_back_leaves_the_reply_shown(sit, board, touched):
    scene = sit("russian", board=board, black="engine:3")
    scene.play("c3-d4")
    scene.answer("f6-g5")
    scene.lift(touched)
    scene.wait(700)
    scene.put(touched)
    scene.wait(700)
    assert scene.story == ["c3-d4"]
    assert (scene.guidance.key, scene.lamps) == ("reply", {"f6": "lift", "g5": "place"})
    scene.move("f6-g5")
    scene.expect("c3-d4", "f6-g5")


@on_every_board
def test_S09_a_slow_set_up_is_not_taken_for_a_position_before_it_stands(sit, board):
    fen = "W:Wc3,a1:Bh8,Kf8"
    scene = sit("russian", fen, board=board, bare=True, ready=False)
    scene.wait(3000)
    for name, piece in (("c3", "M"), ("a1", "M"), ("h8", "m")):
        scene.put(name, piece)
        scene.wait(6000)
        assert (scene.phase, scene.story) == ("SettingUp", [])
    scene.put("f8", "k")
    scene.until(lambda: scene.phase == "Turn")
    assert scene.story == ["started", "prompt: ready"]


@on_every_board
@pytest.mark.parametrize("off_ms", [80, 250])
def test_S10_O07_a_weak_magnet_makes_no_moves_and_blocks_none(sit, board, off_ms):
    scene = sit("russian", board=board)
    scene.flicker("c3", 8, off_ms=off_ms, on_ms=300)
    scene.flicker("f6", 8, off_ms=off_ms, on_ms=300)
    scene.wait(2000)
    # That a square is weak may be told; nothing else is.
    assert set(scene.story) <= {"prompt: weak"}
    assert scene.record == []
    scene.play("c3-d4", "f6-g5")
    assert [short for short in scene.story if short != "prompt: weak"] == ["c3-d4", "f6-g5"]


@on_every_board
def test_S11_a_board_out_of_step_is_led_back_without_a_restart(sit, board):
    scene = sit("russian", board=board)
    scene.play("c3-d4", "f6-g5")
    scene.lift("e3", "h6", "a1")
    scene.put("e5")
    scene.put("c5")
    scene.put("b4")
    scene.wait(2500)
    assert scene.heard_of(BoardDiffers) or scene.heard_of(Illegal)
    assert set(scene.lamps) <= {"e3", "h6", "a1", "e5", "c5", "b4"}
    assert scene.lamps
    for wrong, right in (("b4", "e3"), ("e5", "a1"), ("c5", "h6")):
        scene.lift(wrong)
        scene.put(right)
        scene.wait(2500)
    assert scene.guidance.key == "turn"
    assert scene.lamps == {}
    scene.play("b2-c3")
    assert scene.record == ["c3-d4", "f6-g5", "b2-c3"]


@on_every_board
def test_S11_a_board_out_of_step_may_go_back_to_an_earlier_position(sit, board):
    scene = sit("russian", board=board)
    scene.play("c3-d4", "f6-g5")
    scene.lift("e3", "g5")
    scene.put("c5")
    scene.wait(2500)
    scene.lift("c5")
    scene.put("f6")
    scene.put("e3")
    scene.expect("c3-d4", within_ms=4000)
    scene.play("f6-e5")
    assert scene.record[:2] == ["c3-d4", "f6-e5"]


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_S12_contacts_that_bounce_while_a_piece_slides_are_not_seen(sit, board):
    scene = sit("russian", board=board)
    for _ in range(20):
        scene.flicker("c3", 1, off_ms=5, on_ms=5)
    scene.wait(500)
    assert not [item for item in scene.happened if isinstance(item, BoardSeen)]
    scene.flicker("c3", 1, off_ms=100, on_ms=100)
    assert [item for item in scene.happened if isinstance(item, BoardSeen)]


@on_every_board
@pytest.mark.parametrize("seed", range(5))
def test_S12_a_slide_over_bouncing_contacts_is_one_move(sit, board, seed):
    scene = sit("russian", SLIDER, board=board, seed=seed)
    scene.slide("c1", "d2", "e3", "f4", "g5", "h6", rest_ms=60)
    scene.expect("c1-h6")
    assert scene.story == ["c1-h6"]


@on_every_board
@pytest.mark.parametrize("pace", PACES.values())
def test_S13_a_piece_moved_too_slowly_is_corrected_without_anything_to_do(sit, board, pace):
    scene = sit("russian", SLIDER, board=board, pace=pace)
    scene.slide("c1", "d2", "e3", "f4", "g5", rest_ms=1400)
    scene.expect("c1-g5")
    scene.wait(500)
    assert scene.record == ["c1-g5"]
    scene.play("f8-e7")
    assert scene.record == ["c1-g5", "f8-e7"]
    assert not scene.heard_of(Illegal)


RICH = "W:WKd4,c3,e3,a3,Kh4:Bc7,g7,h8,a7,d8"


@on_every_board
@pytest.mark.parametrize("number", range(len(RICH)))
def test_S14_each_legal_move_is_read_as_itself(sit, board, number):
    scene = sit("russian", RICH, board=board)
    legal = scene.session.game.legal_moves
    if number >= len(legal):
        return
    scene.carry_out(legal[number])
    scene.until(lambda: scene.session.game.ply == 1)
    assert scene.session.game.moves[0].effect == legal[number].effect


@on_every_board
@pytest.mark.parametrize("apart_ms", [0, 100, 900])
def test_S15_a_piece_put_down_before_its_lift_is_seen_has_moved(sit, board, apart_ms):
    scene = sit("russian", board=board)
    scene.put("d4", "M")
    scene.wait(apart_ms)
    scene.remove("c3")
    scene.expect("c3-d4")
    assert scene.story == ["c3-d4"]


@on_every_board
def test_S15_a_move_whose_every_touch_was_missed_is_taken_when_it_stands(sit, board):
    scene = sit("russian", board=board)
    scene.unplug()
    scene.move("c3-d4")
    scene.plug_in()
    scene.expect("c3-d4", within_ms=4000)
    assert [what.text for what in scene.heard_of(Moved)] == ["c3-d4"]
