"""Clocks, draws, resignation, the ways to end a turn, and paces, at a simulated board: every byte is real."""

from __future__ import annotations

from dataclasses import replace

import pytest

from station.announcements import DrawDeclined, DrawOffered, GameOver, Moved
from station.clock import TimeControl
from station.keeping_time import left_ms
from station.settings import BLITZ, CALM

MINUTE = TimeControl(60_000)
SENSED_MS = 1000
"""Within so long even a slow board has told of a touch and is sure of it."""


def clocks(scene):
    left = left_ms(replace(scene.session, at_ms=scene.now))
    return left["white"], left["black"]


def result(scene):
    ends = scene.heard_of(GameOver)
    return (ends[-1].result, ends[-1].reason) if ends else None


# --- clocks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", ["occupancy", "colour", "dgt"])
def test_the_last_touch_stops_a_clock(sit, board):
    """A king's move that could go on counts after 900 ms, or when a slow board is sure; nobody pays for that."""
    scene = sit("russian", "W:WKa1,h2:Bb8,d8", board=board, clock=MINUTE)
    scene.play("h2-g3", "b8-a7")
    scene.move("a1-c3")
    touched, before = scene.now, clocks(scene)
    scene.until(lambda: scene.session.game.ply == 3)
    assert scene.now - touched > CALM.extended
    white, black = clocks(scene)
    assert before[0] - white <= SENSED_MS / 2
    assert 0 < before[1] - black <= scene.now - touched


@pytest.mark.parametrize("board", ["occupancy", "dgt"])
def test_S21_while_a_captured_piece_is_forgotten_its_capturers_time_runs(sit, board):
    scene = sit("russian", "W:Wa1,g3:Bd4,f6,h8", board=board, clock=MINUTE)
    scene.play("a1-b2", "f6-g5", "g3-f4")
    white = clocks(scene)[0]
    scene.lift("g5")
    scene.put("e3")
    scene.wait(10_000)
    assert scene.guidance.key == "remove"
    assert white - clocks(scene)[0] <= 0
    assert clocks(scene)[1] <= 60_000 - 10_000
    scene.remove("f4")
    scene.until(lambda: scene.session.game.ply == 4)
    assert clocks(scene)[0] > white - SENSED_MS


@pytest.mark.parametrize("board", ["occupancy", "colour", "dgt"])
def test_a_flag_falls_while_nobody_touches_anything(sit, board):
    scene = sit(board=board, clock=TimeControl(5_000))
    scene.play("c3-d4")
    scene.wait(5_000)
    assert result(scene) == ("2-0", "the time is over")
    assert clocks(scene)[1] == 0


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_levers_end_turns_and_stop_clocks(sit, board):
    scene = sit(board=board, clock=MINUTE, confirm="button")
    scene.move("c3-d4")
    scene.wait(3000)
    assert scene.record == []
    scene.press("clock_white")
    scene.wait(200)
    assert scene.record == ["c3-d4"]
    before = clocks(scene)
    scene.move("b6-a5")
    scene.wait(3000)
    assert clocks(scene)[1] < before[1] - 3000
    scene.press("clock_black")
    scene.wait(200)
    assert scene.record == ["c3-d4", "b6-a5"]


def test_S50_taken_back_while_the_engine_thinks_the_clocks_are_as_before(sit):
    scene = sit(black="engine:3", clock=MINUTE)
    scene.play("c3-d4")
    scene.wait(4000)
    assert clocks(scene)[1] < 57_000
    scene.press("take_back")
    scene.wait(200)
    assert scene.record == []
    assert clocks(scene) == (60_000, 60_000)
    scene.lift("d4")
    scene.put("c3")
    scene.until(lambda: scene.phase == "Turn")
    scene.play("c3-b4")
    scene.wait(1000)
    assert clocks(scene)[1] < 60_000


def test_after_a_power_failure_the_clocks_are_as_the_last_move_left_them(sit):
    scene = sit(clock=TimeControl(60_000, 2_000))
    scene.play("c3-d4", "b6-a5", "d2-c3")
    told = scene.heard_of(Moved)[-1].clocks_ms
    scene.wait(7000)
    scene.restart_station()
    scene.restart_station()
    white, black = clocks(scene)
    assert white == told["white"]
    assert told["black"] - 2000 < black <= told["black"]
    second = scene.session.clocks.turns[2]
    assert scene.ask("take_back") is None
    assert clocks(scene) == second


def test_O16_a_board_that_is_unplugged_stops_the_clock(sit):
    scene = sit(clock=MINUTE)
    scene.play("c3-d4")
    scene.unplug()
    scene.until(lambda: scene.phase == "Paused")
    left = clocks(scene)
    scene.wait(30_000)
    assert clocks(scene) == left


# --- words ---------------------------------------------------------------------------------------------------------


def test_a_draw_offered_and_taken_with_the_boards_button(sit):
    scene = sit()
    scene.press("draw")
    scene.wait(200)
    assert scene.heard_of(DrawOffered) == [DrawOffered("white")]
    scene.play("c3-d4")
    scene.press("draw")
    scene.wait(200)
    assert result(scene) == ("1-1", "agreed")


def test_an_offer_lapses_when_the_other_side_moves_on_the_board(sit):
    scene = sit()
    scene.press("draw")
    scene.play("c3-d4", "b6-a5")
    assert scene.heard_of(DrawDeclined) == [DrawDeclined("black", by_moving=True)]


def test_the_boards_button_resigns_only_twice(sit):
    scene = sit()
    scene.play("c3-d4")
    scene.press("resign")
    scene.wait(200)
    assert scene.guidance.key == "resign_again"
    scene.wait(5000)
    assert scene.guidance.key == "turn"
    scene.press("resign")
    scene.press("resign")
    scene.wait(200)
    assert result(scene) == ("2-0", "resigned")


# --- how a turn ends -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", ["occupancy", "colour", "dgt"])
def test_S87_when_ambiguous_a_move_that_could_go_on_waits_for_a_word(sit, board):
    scene = sit("russian", "W:WKa1,h2:Bb8,d8", board=board, confirm="when-ambiguous")
    scene.play("h2-g3", "b8-a7")
    scene.move("a1-c3")
    scene.wait(5000)
    assert scene.record == ["h2-g3", "b8-a7"]
    assert scene.guidance.key == "confirm"
    if board == "dgt":  # it has no button: the other side goes on
        scene.lift("a7")
    else:
        scene.press("confirm")
    scene.until(lambda: scene.session.game.ply == 3)
    assert scene.record[2] == "a1-c3"


@pytest.mark.parametrize(("pace", "quick_ms"), [(CALM, 120), (BLITZ, 80)], ids=["calm", "blitz"])
def test_a_pace_is_how_soon_a_move_counts(sit, pace, quick_ms):
    scene = sit("english", pace=pace)
    scene.move("11-15")
    touched = scene.now
    scene.until(lambda: scene.session.game.ply == 1)
    # The contact bounces for up to 60 ms and is debounced for 30 ms.
    assert quick_ms <= scene.now - touched <= quick_ms + 120
