"""S10, S79, S80: weak squares are named, one dead square is read around, with more of them play waits."""

from __future__ import annotations

import pytest

from engine.position import EMPTY
from station import status
from station.announcements import Prompted

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
