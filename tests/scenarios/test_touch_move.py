"""Touch-move, where a table plays by it; the scenario S86 is that elsewhere nobody minds."""

from __future__ import annotations

import pytest

from station.announcements import Illegal

from .scene import BOARDS


def settle(scene):
    scene.wait(1500 if scene.kind == "dgt" else 600)


def touch(scene, name):
    scene.lift(name)
    settle(scene)
    scene.put(name)
    settle(scene)


@pytest.mark.parametrize("board", BOARDS)
def test_another_piece_than_the_touched_one_is_refused_by_rule(sit, board):
    scene = sit("russian", board=board, touch_move=True)
    touch(scene, "c3")
    scene.lift("e3")
    scene.put("f4")
    scene.until(lambda: bool(scene.heard_of(Illegal)))
    (told,) = scene.heard_of(Illegal)
    assert (told.rule, told.article, told.squares) == ("touch_move", "1.4.7", ("c3",))
    assert "touched" in told.sentence
    scene.wait(5000)
    assert (scene.record, scene.guidance.key) == ([], "illegal")
    scene.lift("f4")
    scene.put("e3")
    settle(scene)
    scene.play("c3-d4")
    assert scene.record == ["c3-d4"]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("how", ["button", "page"])
def test_who_says_so_before_may_adjust(sit, board, how):
    scene = sit("russian", board=board, touch_move=True)
    if how == "page" or board == "dgt":
        assert scene.ask("adjust") is None
    else:
        scene.press("confirm")
        scene.wait(100)
    touch(scene, "c3")
    scene.play("e3-f4")
    assert scene.record == ["e3-f4"]
    touch(scene, "f6")
    scene.lift("d6")
    scene.put("e5")
    scene.until(lambda: bool(scene.heard_of(Illegal)))
    assert scene.record == ["e3-f4"], "an adjustment is for once"


def test_a_piece_that_cannot_move_costs_nothing_and_without_the_rule_no_touch_does(sit):
    scene = sit("russian", touch_move=True)
    touch(scene, "a1")
    scene.play("c3-d4")
    free = sit("russian")
    touch(free, "c3")
    free.play("e3-f4")
    assert free.ask("adjust") == "touch-move is not played here, or a piece was touched already"
