"""The clock at a DGT-compatible board is set to the game's, and again where it shows something else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from wiring import BIG, Wire, agrees, driver_of, home_of, set_up

from engine.position import EMPTY, Side
from firmware_bridge.dgt_setting import command
from firmware_bridge.driver import ClockTimes
from firmware_bridge.simulator import NONE, DgtBoard

FIVE = ClockTimes(300_000, 240_000, Side.WHITE)


def online(**options):
    wire = Wire(driver_of("dgt", BIG, home_of(BIG)), DgtBoard(BIG.columns, BIG.rows, **options))
    set_up(wire, BIG, home_of(BIG))
    return wire.start().run(3000)


def set_clock(wire, times, at_ms=None):
    wire._host(wire.driver.set_clock(times, wire.now_ms if at_ms is None else at_ms, wire.now_ms))


def shown(wire):
    return wire.board.unit.seconds(wire.now_ms)


@pytest.mark.parametrize(
    ("times", "rotated", "expected"),
    [
        (ClockTimes(5_025_000, 59_000, Side.WHITE), False, "2b 0a 03 0a 01 17 2d 00 00 3b 09 00"),
        (ClockTimes(5_025_000, 59_000, Side.BLACK), False, "2b 0a 03 0a 01 17 2d 00 00 3b 0a 00"),
        (ClockTimes(5_025_000, 59_000, Side.WHITE), True, "2b 0a 03 0a 00 00 3b 01 17 2d 0a 00"),
        (ClockTimes(5_025_000, 59_000, Side.BLACK), True, "2b 0a 03 0a 00 00 3b 01 17 2d 09 00"),
        (ClockTimes(1, -5_000, None), False, "2b 0a 03 0a 00 00 01 00 00 00 0c 00"),
        (ClockTimes(40_000_000, 35_999_000, None), False, "2b 0a 03 0a 09 3b 3b 09 3b 3b 0c 00"),
    ],
)
def test_worked_bytes(times, rotated, expected):
    assert command(times, rotated).hex(" ") == expected


def test_no_command_of_a_board_is_in_any_time():
    for seconds in range(0, 36_000, 7):
        for running in (None, *Side):
            sent = command(ClockTimes(1000 * seconds, 1000 * (35_999 - seconds), running), rotated=False)
            assert not any(0x40 <= byte <= 0x60 for byte in sent)


@pytest.mark.parametrize("rotated", [False, True])
def test_a_games_times_are_shown_and_run(rotated):
    wire = online(rotated=rotated)
    set_clock(wire, FIVE, wire.now_ms - 1000)
    wire.run(11_000)
    white, black = shown(wire)[:: -1 if rotated else 1]
    assert abs(white - 288) <= 1
    assert black == 240
    assert len(wire.board.told) == 1
    set_clock(wire, replace(FIVE, running=None, white_ms=288_000))
    wire.run(5000)
    assert shown(wire)[:: -1 if rotated else 1] == (288, 240)
    assert len(wire.board.told) == 2


def test_times_that_are_what_is_shown_are_not_told_again():
    wire = online()
    set_clock(wire, FIVE)
    wire.run(10_000)
    set_clock(wire, replace(FIVE, white_ms=290_000))
    wire.run(30_000)
    assert len(wire.board.told) == 1
    assert wire.is_online


def test_a_lever_pushed_in_vain_is_put_right():
    wire = online()
    set_clock(wire, FIVE)
    wire.run(5000)
    wire.board.press("clock_white", wire.now_ms)
    wire.run(500)
    assert wire.board.unit.runs == 1
    assert wire.pressed == ["clock_white"]
    wire.run(5000)
    assert wire.board.unit.runs == 0
    assert abs(shown(wire)[0] - 290) <= 2


def test_a_lever_that_ends_a_turn_needs_no_command():
    wire = online()
    set_clock(wire, FIVE)
    wire.run(5000)
    wire.board.press("clock_white", wire.now_ms)
    wire.run(400)
    set_clock(wire, ClockTimes(295_000, 240_000, Side.BLACK))
    wire.run(10_000)
    assert abs(shown(wire)[0] - 295) <= 1
    assert abs(shown(wire)[1] - 230) <= 2
    assert len(wire.board.told) == 1


def test_a_clock_that_refuses_is_asked_three_times_and_a_minute_later_again():
    wire = online(mode_23=False)
    set_clock(wire, FIVE)
    wire.run(30_000)
    assert len(wire.board.told) == 3
    wire.board.unit.obeys = True
    wire.run(60_000)
    assert len(wire.board.told) == 4
    assert abs(shown(wire)[0] - 210) <= 2
    assert wire.is_online


def test_a_text_and_times_wait_for_each_other():
    wire = online()
    wire.say("32-28")
    set_clock(wire, FIVE)
    wire.run(2000)
    assert [data[1] for data in wire.board.told] == [0x0C, 0x0A]
    assert wire.board.display == "32-28"
    assert wire.board.unit.runs == 0


def test_without_a_clock_nothing_is_told_and_without_a_games_clock_it_is_left_alone():
    bare = online(clock=False)
    set_clock(bare, FIVE)
    bare.run(10_000)
    assert bare.board.told == []
    wire = online()
    set_clock(wire, None)
    wire.run(10_000)
    assert wire.board.told == []


def test_a_board_that_lost_its_power_has_its_clock_compared_again():
    wire = online()
    set_clock(wire, FIVE)
    wire.run(5000)
    wire.board.power_cycle(wire.now_ms)
    wire.board.unit.runs = None
    wire.run(15_000)
    assert wire.board.unit.runs == 0
    assert abs(shown(wire)[0] - 280) <= 3


def test_a_lossy_line_ends_with_the_right_times_and_moves_are_seen_meanwhile():
    wire = online(faults=replace(NONE, lost_byte=0.01, flipped_bit=0.01), seed=4)
    for turn in range(12):
        running = list(Side)[turn % 2]
        set_clock(wire, ClockTimes(300_000 - 5000 * turn, 300_000 - 4000 * turn, running))
        wire.run(5000)
    wire.board._noise.faults = NONE
    wire.board._noise._clean = True
    set_clock(wire, ClockTimes(100_000, 90_000, Side.BLACK))
    wire.board.put(BIG.cells[0], EMPTY, wire.now_ms)
    wire.run(80_000)
    assert agrees(wire, BIG)
    assert shown(wire)[0] == 100
    assert abs(shown(wire)[1] - 10) <= 2
