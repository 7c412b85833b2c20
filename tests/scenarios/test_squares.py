"""S10, S79, S80: weak squares are named, one dead square is read around, with more of them play waits."""

from __future__ import annotations

import pytest

from engine.position import EMPTY
from firmware_bridge.simulator import Faults
from station import status
from station.announcements import Prompted
from station.guidance import choices

from .scene import BOARDS

MINUTE = 61_000


def told(scene, key):
    return [what for what in scene.heard_of(Prompted) if what.prompt == key]


def kill(scene, name):
    """The sensor of a square no longer tells anything: it says that nothing stands there."""
    scene.board.break_sensor(scene._cell(scene.square(name)))


@pytest.mark.parametrize("board", BOARDS)
def test_S10_a_weak_square_is_named_once(sit, board):
    scene = sit("russian", board=board)
    scene.flicker("c3", 6, off_ms=300, on_ms=300)
    scene.wait(2000)
    assert status.snapshot(scene.session)["sensors"] == {"weak": ["c3"], "dead": []}
    scene.flicker("c3", 6, off_ms=300, on_ms=300)
    scene.wait(2000)
    assert [what.squares for what in told(scene, "weak")] == [("c3",)]
    scene.play("c3-d4", "f6-g5")
    assert scene.record == ["c3-d4", "f6-g5"]


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_S79_play_goes_on_around_one_dead_square(sit, board):
    scene = sit("russian", board=board)
    kill(scene, "h8")
    scene.wait(MINUTE)
    assert [what.squares for what in told(scene, "dead")] == [("h8",)]
    assert status.snapshot(scene.session)["sensors"]["dead"] == ["h8"]
    scene.wait(1000)
    assert (scene.guidance.key, scene.lamps) == ("turn", {})
    scene.play("c3-d4", "f6-g5", "d4-e5", "d6:f4")
    assert scene.record == ["c3-d4", "f6-g5", "d4-e5", "d6:f4"]


@pytest.mark.parametrize("board", ["occupancy", "colour"])
@pytest.mark.parametrize("on_the_page", [False, True])
def test_S79_a_move_that_ends_on_it_is_told_by_the_button(sit, board, on_the_page):
    scene = sit("russian", "W:Wa3,h2:Bb6,h8", board=board)
    kill(scene, "b4")
    scene.move("a3-b4")
    scene.wait(5000)
    assert scene.record == [], "for all the board can tell the piece is in the hand"
    if on_the_page:
        assert scene.ask("confirm") is None
    else:
        scene.press("confirm")
    scene.expect("a3-b4")
    assert status.snapshot(scene.session)["sensors"]["dead"] == ["b4"]
    scene.play("h8-g7", "h2-g3", "g7-h6", "b4-a5")
    assert scene.record == ["a3-b4", "h8-g7", "h2-g3", "g7-h6", "b4-a5"]


@pytest.mark.parametrize("board", ["occupancy", "colour"])
@pytest.mark.parametrize("restarted", [False, True])
def test_S79_a_piece_moved_out_of_sight_leaves_no_dead_square(sit, board, restarted):
    """The square has been empty ever since the board is back; it was not before."""
    scene = sit("russian", "B:WKf6:BKb6", board=board)
    scene.play("b6-a7", "f6-c3")
    scene.unplug()
    scene.lift("a7")
    scene.put("h2")
    if restarted:
        scene.restart_station(ready=False)
    scene.plug_in()
    scene.wait(10_000)
    scene.lift("c3")
    scene.wait(1000)
    scene.put("c3")
    scene.wait(10_000)
    assert told(scene, "dead") == []
    assert status.snapshot(scene.session)["sensors"]["dead"] == []
    scene.lift("h2")
    scene.put("a7")
    scene.play("a7-c5")
    assert scene.record == ["b6-a7", "f6-c3", "a7-c5"]


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_S79_with_two_dead_squares_play_waits_and_both_are_named(sit, board):
    scene = sit("russian", board=board)
    kill(scene, "h8")
    scene.wait(MINUTE)
    kill(scene, "a1")
    scene.wait(MINUTE)
    assert [what.squares for what in told(scene, "several_dead")] == [("h8", "a1")]
    assert status.snapshot(scene.session)["sensors"]["dead"] == ["h8"]
    assert scene.phase == "Turn"
    assert scene.record == []


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_S79_a_square_that_changes_again_is_trusted_again(sit, board):
    """Somebody had only taken the piece off for a while."""
    scene = sit("russian", board=board)
    scene.remove("a1")
    scene.wait(MINUTE)
    assert status.snapshot(scene.session)["sensors"]["dead"] == ["a1"]
    scene.put_back("a1")
    scene.wait(500)
    assert status.snapshot(scene.session)["sensors"]["dead"] == []
    scene.remove("a1")
    scene.wait(5000)
    assert scene.lamps != {} or scene.guidance.key != "turn"


@pytest.mark.parametrize("board", BOARDS)
def test_S80_a_square_that_is_always_on_does_not_keep_a_game_from_beginning(sit, board):
    """Something stands on d4 for the sensor, whatever the hands do; the set-up says so, then plays around it."""
    scene = sit("russian", board=board, ready=False, bare=True)
    for square, piece in enumerate(scene.session.game.position.contents):
        if piece is not EMPTY:
            scene.board.put(scene._cell(square), piece, scene.now)
    scene.put("d4", "m")
    scene.wait(10_000)
    assert (scene.phase, scene.lamps) == ("SettingUp", {"d4": "remove"})
    scene.wait(MINUTE)
    assert scene.phase == "Turn"
    assert [what.squares for what in told(scene, "dead")] == [("d4",)]
    scene.play("e3-f4", "f6-g5")
    assert scene.record == ["e3-f4", "f6-g5"]
    scene.lift("c3")
    scene.wait(3000)
    assert scene.guidance.key == "confirm", "c3-d4 looks the same with the piece in the hand"
    assert scene.record == ["e3-f4", "f6-g5"]
    if board == "dgt":
        assert scene.ask("confirm") is None
    else:
        scene.press("confirm")
    scene.expect("e3-f4", "f6-g5", "c3-d4")


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_S79_a_dead_square_at_sitting_down_is_found_beside_marginal_pieces(sit, board):
    """One sensor always says that nothing stands there, and other pieces drop out for a moment now and then."""
    faults = Faults(marginal_piece=0.08)
    scene = sit("russian", board=board, faults=faults, seed=11, ready=False, bare=True)
    kill(scene, "e3")
    for square, piece in enumerate(scene.session.game.position.contents):
        if piece is not EMPTY:
            scene.board.put(scene._cell(square), piece, scene.now)
    scene.wait(14_000)
    assert scene.phase == "SettingUp"
    scene.wait(5_000)
    assert scene.phase == "Turn"
    assert [what.squares for what in told(scene, "dead")] == [("e3",)]
    scene.play("c3-d4", "f6-g5", "e3-f4")
    assert scene.record == ["c3-d4", "f6-g5", "e3-f4"]


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_S79_two_moves_that_may_end_unseen_are_asked_for_when_the_button_is_pressed(sit, board):
    scene = sit("russian", "W:Wc3,h2:Bb6,h8", board=board)
    kill(scene, "d4")
    scene.move("c3-d4")
    scene.wait(3000)
    assert "button" in scene.guidance.sentence
    scene.press("confirm")
    scene.wait(200)
    assert scene.guidance.key == "which", "b4 has shown nothing either"
    assert scene.record == []
    wanted = next(n for n, text in enumerate(choices(scene.session), 1) if text == "c3-d4")
    assert scene.ask("choose", number=wanted) is None
    assert scene.record == ["c3-d4"]
    assert [what.squares for what in told(scene, "dead")] == [("d4",)]
    scene.play("h8-g7")
    assert scene.record == ["c3-d4", "h8-g7"]


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_S79_a_square_that_never_showed_what_was_moved_there_is_dead(sit, board):
    """Nobody pressed a button: the other side simply went on."""
    scene = sit("russian", "W:Wa3,h2:Bd8,h8", board=board)
    scene.wait(5000)
    kill(scene, "b4")
    mine = scene.legal("a3-b4")
    replies = scene.session.game.rules.legal_moves(scene.session.game.position.after(mine))
    scene.carry_out(mine)
    scene.carry_out(next(move for move in replies if move.from_square == scene.square("h8")))
    scene.expect("a3-b4", "h8-g7", within_ms=4000)
    assert [what.squares for what in told(scene, "dead")] == [("b4",)]
    scene.play("h2-g3", "g7-h6", "b4-a5")
    assert scene.record == ["a3-b4", "h8-g7", "h2-g3", "g7-h6", "b4-a5"]
