"""The clock of a DGT-compatible board shows the reply, one acknowledged command at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from wiring import BIG, Wire, driver_of, home_of, set_up

from firmware_bridge.dgt_display import command
from firmware_bridge.simulator import NONE, DgtBoard

TIMES = b"\x03\x03\x00"


def online(**options):
    wire = Wire(driver_of("dgt", BIG, home_of(BIG)), DgtBoard(BIG.columns, BIG.rows, **options))
    set_up(wire, BIG, home_of(BIG))
    return wire.start().run(3000)


def test_worked_bytes_of_a_text_and_of_its_end():
    assert command("32-28").hex(" ") == "2b 0c 03 0c 33 32 2d 32 38 20 20 20 00 00"
    assert command("").hex(" ") == "2b 03 03 03 00"


@pytest.mark.parametrize("text", ["123456789", "A1-B2", "\u2192", "`"])
def test_a_text_that_a_board_could_take_for_commands_is_refused(text):
    with pytest.raises(ValueError, match="expected up to 8 digits"):
        command(text)


def test_no_command_of_a_board_is_in_the_moves_of_any_square():
    for one in ("a1", "h8", "46", "50"):
        assert not any(0x40 <= byte <= 0x60 for sign in "-x:" for byte in command(f"{one}{sign}{one}"))


def test_a_text_is_shown_replaced_and_taken_away():
    wire = online()
    for text in ("32-28", "19x28", ""):
        wire.say(text)
        wire.run(500)
        assert wire.board.display == text
    assert len(wire.board.told) == 3
    wire.run(20_000)
    assert len(wire.board.told) == 3
    assert wire.is_online


def test_a_text_that_comes_before_the_last_one_is_acknowledged_waits_for_that():
    wire = online()
    wire.say("32-28")
    wire.say("33-28")
    wire.run(1000)
    assert [data[2:10].decode().strip() for data in wire.board.told] == ["32-28", "33-28"]
    assert wire.board.display == "33-28"


def test_a_clock_that_refuses_texts_is_told_three_times_two_seconds_apart_and_no_more():
    wire = online(shows_text=False)
    wire.say("32-28")
    wire.run(1900)
    assert len(wire.board.told) == 1
    wire.run(10_000)
    assert len(wire.board.told) == 3
    wire.say("33-28")
    wire.run(5000)
    assert len(wire.board.told) == 3


def test_nothing_is_sent_to_a_clock_that_is_not_there():
    wire = online(clock=False)
    wire.say("32-28")
    wire.run(5000)
    assert wire.board.told == []


def test_a_text_comes_back_after_the_board_was_without_power():
    wire = online()
    wire.say("32-28")
    wire.run(500)
    wire.connected = False
    wire.board.power_cycle(wire.now_ms)
    wire.board.display = ""
    wire.run(5000)
    wire.connected = True
    wire.run(6000)
    assert wire.board.display == "32-28"


def test_a_text_gets_through_a_line_that_loses_bytes():
    wire = online(seed=5, faults=replace(NONE, lost_byte=0.02))
    wire.say("32-28")
    wire.run(8000)
    assert wire.board.display == "32-28"
