"""Boards that measure how strong a magnet is: kings, weak magnets, thresholds; simulated board, link and driver."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from wiring import SMALL, Wire, driver_of, home_of

from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN
from engine.view import WHITE
from firmware_bridge.link import Link
from firmware_bridge.messages import (
    Ack,
    Calibrate,
    Calibration,
    Capability,
    Hello,
    Keep,
    Magnets,
    Problem,
    Read,
    Readings,
    Sensors,
    State,
    Table,
    Thresholds,
    cells_of,
    payload_of,
)
from firmware_bridge.packets import Packet, encode
from firmware_bridge.simulator import MatrixBoard

CALIBRATED = Thresholds(32768, 3000, 5000, 12000)


def measuring(**options):
    return MatrixBoard(8, 8, colour=True, measures=True, **options)


def wired(**options):
    return Wire(driver_of("matrix", SMALL, home_of(SMALL)), measuring(**options))


class Talk:
    """A link and a board that speak with each other at once."""

    def __init__(self, board):
        self.board, self.link, self.heard, self.now_ms = board, Link(), [], 0
        self._carry(self.link.start(0).send)

    def _carry(self, data):
        while data:
            heard = self.link.receive(self.board.receive(data, self.now_ms), self.now_ms)
            self.heard += heard.messages
            data = heard.send

    def run(self, for_ms):
        for _ in range(for_ms // 10):
            self.now_ms += 10
            heard = self.link.receive(self.board.tick(self.now_ms), self.now_ms)
            self.heard += heard.messages
            self._carry(heard.send + self.link.tick(self.now_ms).send)

    def ask(self, question):
        self.heard.clear()
        self._carry(self.link.read(question))
        return [message for message in self.heard if isinstance(message, Readings | Calibration)]

    def do(self, command):
        self.heard.clear()
        self._carry(self.link.command(command, self.now_ms))
        return [message for message in self.heard if isinstance(message, Ack)]

    def cells(self):
        self.heard.clear()
        self.run(100)
        return [message for message in self.heard if isinstance(message, State)][-1].cells(64)


def test_the_driver_tells_kings_from_men():
    wire = wired(kings=True)
    pieces = (WHITE_MAN, WHITE_KING, BLACK_MAN, BLACK_KING, EMPTY)
    for square, piece in enumerate(pieces):
        wire.board.put(SMALL.cells[square], piece, 0)
    wire.start().run(200)
    assert tuple(wire.view.possible(square) for square in range(5)) == pieces
    assert wire.driver.device.identity


def test_a_king_and_its_kind_come_in_one_view():
    """No view shows a king that was put down as a man for a moment."""
    wire = wired(kings=True).start().run(200)
    wire.board.put(SMALL.cells[3], WHITE_KING, wire.now_ms)
    wire.run(2000)
    assert {view.possible(3) for _, view in wire.views} == {EMPTY, WHITE_KING}


def test_without_the_capability_a_king_is_any_piece_of_its_colour():
    wire = wired()
    wire.board.put(SMALL.cells[3], WHITE_KING, 0)
    wire.start().run(200)
    assert wire.view.possible(3) == WHITE
    assert not wire.driver.device.identity


def test_a_weak_magnet_is_named_although_nothing_flickers():
    wire = wired(kings=True)
    for square in (3, 4):
        wire.board.put(SMALL.cells[square], WHITE_MAN, 0)
    wire.start().run(200)
    assert wire.view.weak == ()
    wire.board.weaken(SMALL.cells[4])
    wire.run(200)
    assert wire.view.weak == (4,)
    assert wire.view.possible(4) == WHITE_MAN


def test_kinds_survive_a_lost_packet():
    """MAGNETS comes again within half a second."""
    wire = wired(kings=True).start().run(200)
    wire.connected = False
    wire.board.put(SMALL.cells[3], WHITE_KING, wire.now_ms)
    wire.run(100)
    wire.connected = True
    wire.run(520)
    assert wire.view.possible(3) == WHITE_KING


def test_readings_are_asked_for_by_the_row_or_all_at_once():
    talk = Talk(measuring())
    talk.board.put((2, 3), WHITE_MAN, 0)
    talk.board.put((3, 3), BLACK_MAN, 0)
    (readings,) = talk.ask(Read(Table.READINGS, 3))
    assert readings.row == 3
    assert [reading - 32768 > 4000 for reading in readings.values] == [False, False, True, *[False] * 5]
    assert [reading - 32768 < -4000 for reading in readings.values] == [False] * 3 + [True] + [False] * 4
    assert [reading.row for reading in talk.ask(Read(Table.READINGS))] == list(range(8))


def test_thresholds_count_at_once_and_outlive_a_start_only_when_kept():
    talk = Talk(measuring())
    (before,) = talk.ask(Read(Table.CALIBRATION, 0))
    turned = tuple(replace(cell, black_is_high=True) for cell in before.cells)
    talk.board.put((1, 0), WHITE_MAN, talk.now_ms)
    assert talk.cells()[1] == 2
    assert talk.do(Calibrate(0, turned))[0].done
    assert talk.cells()[1] == 3
    assert talk.ask(Read(Table.CALIBRATION, 0)) == [Calibration(0, turned)]
    talk.board.power_cycle(talk.now_ms)
    talk.run(4000)
    assert talk.cells()[1] == 2
    talk.do(Calibrate(0, turned))
    assert talk.do(Keep())[0].done
    talk.board.power_cycle(talk.now_ms)
    talk.run(4000)
    assert talk.cells()[1] == 3
    assert talk.do(Keep(False))[0].done
    assert talk.ask(Read(Table.CALIBRATION, 0)) == [before]


def test_a_dead_sensor_reads_empty_and_a_threshold_decides():
    talk = Talk(measuring())
    for column in range(3):
        talk.board.put((column, 0), WHITE_MAN, talk.now_ms)
    cells = (replace(CALIBRATED, is_dead=True), replace(CALIBRATED, present=12000), *[CALIBRATED] * 6)
    talk.do(Calibrate(0, cells))
    assert talk.cells()[:3] == (0, 0, 2)


@pytest.mark.parametrize("command", [Calibrate(0, (CALIBRATED,) * 8), Keep()])
def test_a_board_that_measures_nothing_refuses(command):
    talk = Talk(MatrixBoard(8, 8))
    (ack,) = talk.do(command)
    assert not ack.done
    assert talk.ask(Read(Table.READINGS)) == []


def test_what_does_not_fit_the_board_is_thrown_away():
    talk = Talk(measuring())
    for command in (Calibrate(8, (CALIBRATED,) * 8), Calibrate(0, (CALIBRATED,) * 7)):
        assert talk.do(command) == []
        talk.run(2000)
    assert talk.ask(Read(Table.READINGS, 8)) == []


def test_magnets_tell_of_the_state_behind_them():
    talk = Talk(measuring(kings=True))
    talk.board.put((1, 0), WHITE_KING, talk.now_ms)
    talk.run(300)
    told = [message for message in talk.heard if isinstance(message, State | Magnets)]
    first = next(place for place, message in enumerate(told) if isinstance(message, State) and message.cells(64)[1])
    assert cells_of(told[first - 1].kings) == {1}


def told(*messages):
    return b"".join(encode(Packet(*payload_of_numbered(number, message))) for number, message in enumerate(messages, 1))


def payload_of_numbered(number, message):
    type_, payload = payload_of(message)
    return type_, number, payload


def test_a_board_that_cannot_work_says_why_until_it_can():
    driver = driver_of("matrix", SMALL)
    driver.start(0)
    sentence = "LAMP_PIN uses pin 40: a Pico has 0 to 22 and 26 to 28."
    output = driver.receive(told(Problem(sentence)), 10)
    assert driver.problem == sentence
    assert output.online is None
    hello = Hello(1, Capability.COLOUR, 8, 8, Sensors.ALL, b"ONEBOARD", (1, 0, 0))
    assert driver.receive(told(hello), 20).online
    assert driver.problem is None


def test_magnets_of_another_size_are_thrown_away():
    wire = wired(kings=True)
    wire.board.put(SMALL.cells[3], WHITE_KING, 0)
    wire.start().run(200)
    views = len(wire.views)
    wire.driver.receive(told(Magnets(bytes(13), bytes(13))), wire.now_ms)
    wire.run(100)
    assert len(wire.views) == views
    assert dict(wire.driver.counters.by_reason) == {"wrong number of cells": 1}
