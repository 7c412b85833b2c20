"""Whatever happens on its line, the driver sends a DGT-compatible board nothing that is kept in the board's memory."""

from __future__ import annotations

import pytest
from wiring import BIG, Wire, driver_of, home_of, set_up

from engine.position import EMPTY, WHITE_MAN, Side
from firmware_bridge.driver import ClockTimes
from firmware_bridge.simulator import PRESETS, DgtBoard

HARMLESS = frozenset((0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x49, 0x4B, 0x4C, 0x4D, 0x50, 0x52, 0x55))
"""Commands that ask, or choose what is told.

0x4E calls the boot loader, 0x51, 0x53 and 0x54 are kept in the EEPROM, 0x47 would have a trade mark sent over the line.
"""
CLOCK = 0x2B


def commands(sent: bytes) -> set[int]:
    """The board's own commands in what was sent to it; a message to the clock states its size."""
    found, at = set(), 0
    while at < len(sent):
        found.add(sent[at])
        at += 2 + sent[at + 1] if sent[at] == CLOCK else 1
    return found


@pytest.mark.parametrize("options", [{}, {"dark_only": True}, {"clock": False}, {"faults": PRESETS["bad"]}], ids=str)
def test_nothing_is_sent_that_a_board_keeps(options):
    sent = bytearray()

    def noted(data):
        sent.extend(data)
        return (data,)

    wire = Wire(driver_of("dgt", BIG, home_of(BIG)), DgtBoard(BIG.columns, BIG.rows, seed=3, **options), to_board=noted)
    set_up(wire, BIG, home_of(BIG))
    wire.start().run(5000)
    wire.say("32-28")
    wire._host(wire.driver.set_clock(ClockTimes(35_999_000, 59_000, Side.WHITE), wire.now_ms, wire.now_ms))
    for place, piece in ((31, EMPTY), (27, WHITE_MAN), (18, EMPTY)):
        wire.board.put(BIG.cells[place], piece, wire.now_ms)
        wire.run(1500)
    wire.recollect(home_of(BIG))
    wire.run(12_000)
    wire.connected = False
    wire.run(8000)
    wire.connected = True
    wire.say("")
    wire.run(70_000)
    assert commands(bytes(sent)) <= HARMLESS | {CLOCK}
    assert {0x42, 0x45, 0x49, 0x4C, 0x4D} <= commands(bytes(sent))
