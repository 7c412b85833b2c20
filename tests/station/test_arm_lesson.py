"""How an arm is shown its board, as a value: what is asked for in which order, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.ruleset import load_ruleset
from firmware_bridge.manipulations import Home, Lift, Park, Place, Slide
from firmware_bridge.touched import CalibrationError
from firmware_bridge.workspace import Workspace
from station.arm_lesson import Begin, Judge, TouchPark, TouchSlot, TouchSpot, Try, begun, jogged

RUSSIAN = load_ruleset("russian")
BUILT = Workspace(
    8,
    8,
    lowest=(0.0, 0.0, 0.0),
    highest=(400.0, 400.0, 100.0),
    park=(10.0, 10.0, 90.0),
    tray=((350.0, 40.0), (350.0, 80.0), (350.0, 120.0)),
)


def place(spot, skew_mm=0.0):
    """Where a spot of a board of 36 mm lies, and by how much its fourth corner is off."""
    column, row = spot
    return (30.0 + 36.0 * column + (skew_mm if spot == (7, 0) else 0.0), 30.0 + 36.0 * (7 - row), 5.0)


def taught(lesson, skew_mm=0.0):
    """The lesson once all places were touched."""
    lesson = lesson.done()
    while isinstance(lesson.stage, TouchSpot):
        lesson = lesson.touched(place(lesson.stage.spot, skew_mm))
    for slot in ((352.0, 41.0, 4.0), (352.0, 121.0, 4.0)):
        lesson = lesson.touched(slot)
    return lesson.touched((20.0, 20.0, 80.0))


def test_it_goes_from_home_over_corners_tray_and_park_to_five_trials():
    kinds = [type(stage) for stage in begun("t", "Grbl 1.1h", RUSSIAN, BUILT).stages]
    assert kinds == [Begin, *[TouchSpot] * 4, *[TouchSlot] * 2, TouchPark, *[Try, Judge] * 5]
    nine = begun("t", "Grbl 1.1h", RUSSIAN, BUILT, nine=True).stages
    assert len({stage.spot for stage in nine if isinstance(stage, TouchSpot)}) == 9


def test_what_was_touched_comes_together_to_a_workspace():
    lesson = taught(begun("t", "Grbl 1.1h", RUSSIAN, BUILT))
    assert lesson.space.xy((7, 0)) == pytest.approx(place((7, 0))[:2])
    assert lesson.space.board_z == 5.0
    assert lesson.space.tray == ((352.0, 41.0), (352.0, 81.0), (352.0, 121.0))
    assert lesson.space.park == (20.0, 20.0, 80.0)
    while isinstance(lesson.stage, Try):
        lesson = lesson.done().judged(True)
    assert lesson.stage is None


def test_the_fourth_corner_is_the_proof_and_the_tool_waits_near_it():
    lesson = begun("t", "Grbl 1.1h", RUSSIAN, BUILT).done()
    for _ in range(3):
        assert lesson.hover is None
        lesson = lesson.touched(place(lesson.stage.spot))
    assert lesson.hover == pytest.approx(place((7, 0))[:2])
    with pytest.raises(CalibrationError, match="skew") as refused:
        lesson.touched(place((7, 0), skew_mm=5.0))
    assert refused.value.words["off"] == "5.00"
    assert lesson.touched(place((7, 0))).fits == ("fits", {"off": "0.00", "pitch": "36.00", "height": "0.00"})


def test_a_piece_that_stands_elsewhere_ends_it_by_name():
    lesson = taught(begun("t", "Grbl 1.1h", RUSSIAN, BUILT))
    assert lesson.asked == ("trial", {"square": "a1"})
    with pytest.raises(CalibrationError, match="a1"):
        lesson.done().judged(False)


def test_a_square_out_of_reach_is_named():
    lesson = taught(begun("t", "Grbl 1.1h", RUSSIAN, BUILT))
    lesson.check_reach(lambda act: None)
    with pytest.raises(CalibrationError) as refused:
        lesson.check_reach(lambda act: "too far" if act == Lift((7, 0)) else None)
    assert refused.value.words == {"place": "h8", "reason": "too far"}


def test_what_the_arm_does_at_each_stage():
    lesson = begun("t", "Grbl 1.1h", RUSSIAN, BUILT)
    assert lesson.acts == (Home(), Park())
    assert taught(lesson).acts == (Lift((0, 7)), Place((0, 7)), Park())
    below = replace(lesson, space=replace(BUILT, is_below=True), at=len(lesson.stages) - 2)
    assert [type(act) for act in below.acts] == [Slide, Park]
    assert lesson.done().rises((1.0, 2.0, 95.0)) == (1.0, 2.0, 100.0)
    assert replace(lesson.done(), space=below.space).rises((1.0, 2.0, 3.0)) is None


def test_downwards_a_step_is_a_small_one():
    assert jogged((1.0, 1.0, 50.0), "down", 50.0) == (1.0, 1.0, 49.5)
    assert jogged((1.0, 1.0, 50.0), "down", 0.1) == pytest.approx((1.0, 1.0, 49.9))
    assert jogged((1.0, 1.0, 50.0), "left", 10.0) == (-9.0, 1.0, 50.0)
