"""An arm lent to the page: stops reach it, and the station has it again whatever happens."""

from __future__ import annotations

import threading
from time import monotonic

import pytest

from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort
from station.events import Requested, StopTold
from station.runtime.running import load
from station.runtime.service import Service
from tests.station.runtime.test_calibrate_arm import FILE, STATION, Gantry

BOARD = "table-1"
WAIT_S = 60.0


class Bench:
    """A station with an arm that was never shown its board."""

    def __init__(self, folder):
        text = STATION.format(folder=folder).replace("/dev/ttyUSB9", str(folder / "board"))
        (folder / "station.toml").write_text(text)
        (folder / "arm.toml").write_text(FILE.format(port=folder / "wire"))
        self.gantry = Gantry(folder / "wire")
        self.board = PtyPort(device_for("matrix", 8, 8, seed=1, colour=True), folder / "board")
        self.service = Service(load(str(folder / "station.toml")), page=False)
        self.service.start()
        self.desk, (self.own,) = self.service.arm_desk, self.service.arms

    def close(self):
        self.service.stop()
        self.board.close()
        self.gantry.wire.close()

    def until(self, is_so):
        """Look again and again, as the page does, until something is so; the last answer."""
        end = monotonic() + WAIT_S
        while not is_so(answer := self.desk.ask(BOARD, "look")):
            assert monotonic() < end, answer
            threading.Event().wait(0.05)
        return answer

    def step(self, name):
        return self.until(lambda answer: answer["step"] == name and not answer["is_busy"])

    def press_stop(self, is_pressed):
        self.service.loop.post(BOARD, StopTold(self.service.clock.now_ms(), is_pressed))


@pytest.fixture
def bench(tmp_path):
    bench = Bench(tmp_path)
    yield bench
    bench.close()


def test_a6_the_stops_contact_ends_it_and_the_stations_own_worker_knows_of_it(bench):
    bench.desk.ask(BOARD, "start")
    bench.step("begin")
    assert bench.desk.ask(BOARD, "next")["is_busy"]
    bench.press_stop(True)
    assert "The arm has stopped" in bench.step("ended")["sentence"]
    assert not bench.gantry.chip.is_moving
    assert bench.own.is_pressed
    bench.press_stop(False)
    assert not bench.own.is_pressed


def test_a_stop_that_is_let_go_meanwhile_does_not_shut_the_station_out(bench):
    bench.press_stop(True)
    bench.desk.ask(BOARD, "start")
    bench.step("begin")
    # Nothing moves while it is pressed.
    bench.desk.ask(BOARD, "next")
    assert "the stop is pressed" in bench.step("ended")["sentence"]
    bench.desk.ask(BOARD, "start")
    bench.step("begin")
    bench.press_stop(False)
    bench.desk.ask(BOARD, "end")
    assert not bench.own.is_pressed
    assert bench.gantry.chip.moves == 0


def test_a_halt_from_afar_ends_it_also_while_the_arm_stands(bench):
    bench.desk.ask(BOARD, "start")
    bench.step("begin")
    bench.desk.ask(BOARD, "next")
    bench.step("touch")
    bench.service.loop.post(BOARD, Requested(bench.service.clock.now_ms(), "mqtt:1", "halt"))
    assert "The arm has stopped" in bench.step("ended")["sentence"]
    moves = bench.gantry.chip.moves
    bench.desk.ask(BOARD, "jog", "left", 1.0)
    assert bench.gantry.chip.moves == moves


def test_the_tool_is_moved_by_known_steps_and_the_box_ends_them(bench):
    bench.desk.ask(BOARD, "start")
    bench.step("begin")
    bench.desk.ask(BOARD, "next")
    x, y, z = bench.step("touch")["at"]
    assert bench.desk.ask(BOARD, "jog", "right", 10.0)["at"] == [x + 10.0, y, z]
    assert bench.desk.ask(BOARD, "jog", "down", 50.0)["at"] == [x + 10.0, y, z - 0.5]
    for way, step_mm in (("sideways", 1.0), ("left", 2.0)):
        with pytest.raises(ValueError, match="expected one of left"):
            bench.desk.ask(BOARD, "jog", way, step_mm)
    for _ in range(12):
        answer = bench.desk.ask(BOARD, "jog", "near", 50.0)
    assert "No farther that way" in answer["said"]
    assert answer["at"][1] >= -400.0
    assert answer["step"] == "touch"


def test_an_arm_that_is_not_there_is_said_and_given_back(bench):
    bench.gantry.wire.unplug()
    bench.desk.ask(BOARD, "start")
    assert "no arm answers at" in bench.step("ended")["sentence"]
    bench.gantry.wire.plug()
    assert bench.service.loop.brakes[BOARD] == bench.own.brake
    bench.desk.ask(BOARD, "start")
    bench.step("begin")
