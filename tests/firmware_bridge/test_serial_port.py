"""Real ports: a simulated board on a pseudo-terminal, opened, read, unplugged and found again."""

from __future__ import annotations

from pathlib import Path
from time import monotonic_ns

import pytest
from wiring import SMALL, driver_of, home_of

from engine.position import EMPTY
from firmware_bridge import serial_port
from firmware_bridge.driver import Role
from firmware_bridge.errors import PortLost
from firmware_bridge.serial_port import SerialPort
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort

LIMIT_MS = 20_000


class Reader:
    """A driver at an open port, with the wall clock."""

    def __init__(self, name: str, path: Path) -> None:
        self.driver = driver_of(name, SMALL, home_of(SMALL))
        self.views, self.pressed, self.online = [], [], []
        self.open(path)

    def open(self, path: Path) -> None:
        self.port = SerialPort(str(path), self.driver.baud)
        self.take(self.driver.start(self.now_ms()))

    @staticmethod
    def now_ms() -> int:
        return monotonic_ns() // 1_000_000

    def take(self, output) -> None:
        self.views += output.views
        self.pressed += output.pressed
        self.online += [] if output.online is None else [output.online]
        self.port.write(output.send)

    def until(self, condition) -> None:
        end = self.now_ms() + LIMIT_MS
        while not condition():
            assert self.now_ms() < end, "nothing happened in time"
            due = self.driver.deadline_ms() or self.now_ms()
            self.take(self.driver.receive(self.port.read(max(0, min(100, due - self.now_ms()))), self.now_ms()))
            if self.driver.deadline_ms() <= self.now_ms():
                self.take(self.driver.tick(self.now_ms()))

    def shows(self, square: int, empty: bool) -> bool:
        return bool(self.views) and self.views[-1].firm and (self.views[-1].possible(square) == EMPTY) == empty


@pytest.mark.parametrize("name", ["matrix", "dgt"])
def test_a_board_on_a_port_is_read_lit_unplugged_and_found_again(name):
    with PtyPort(device_for(name, 8, 8)) as cable:
        for cell, piece in zip(SMALL.cells, home_of(SMALL), strict=True):
            cable.put(cell, piece)
        reader = Reader(name, cable.path)
        reader.until(lambda: reader.shows(0, empty=False) and reader.shows(31, empty=False))
        assert reader.online == [True]
        cable.take(SMALL.cells[0])
        reader.until(lambda: reader.shows(0, empty=True))
        cable.press("clock_white")
        reader.take(reader.driver.show(((5, Role.LIFT),), reader.now_ms()))
        if reader.driver.device.lamps:
            reader.until(lambda: cable.lamps() == {SMALL.cells[5]: "lift"})
        reader.until(lambda: reader.pressed == ["clock_white"])
        cable.unplug()
        with pytest.raises(PortLost) as lost:
            reader.until(lambda: False)
        assert str(cable.path) in str(lost.value)
        reader.port.close()
        with pytest.raises(PortLost):
            SerialPort(str(cable.path), 9600)
        cable.put(SMALL.cells[0], home_of(SMALL)[0])
        cable.plug()
        reader.views.clear()
        reader.open(cable.path)
        reader.until(lambda: reader.shows(0, empty=False))
        reader.port.close()
    assert not cable.path.exists()


def test_O90_an_open_port_is_nobody_elses():
    with PtyPort(device_for("matrix", 8, 8)) as cable:
        port = SerialPort(str(cable.path), 115200)
        with pytest.raises(PortLost):
            SerialPort(str(cable.path), 115200)
        port.close()
        port.close()
        with pytest.raises(PortLost):
            port.read(0)
        SerialPort(str(cable.path), 115200).close()


def test_every_byte_passes_both_ways():
    class Echo:
        """Gives back what it hears."""

        def receive(self, data, now_ms):
            return data

        def tick(self, now_ms):
            return b""

        def deadline_ms(self):
            return None

    with PtyPort(Echo()) as cable:
        port = SerialPort(str(cable.path), 115200)
        port.write(bytes(range(256)))
        heard, end = b"", monotonic_ns() + LIMIT_MS * 1_000_000
        while len(heard) < 256 and monotonic_ns() < end:
            heard += port.read(100)
        assert heard == bytes(range(256))
        assert port.read(0) == b""
        port.close()


def test_a_board_that_nobody_reads_does_not_block():
    with PtyPort(device_for("matrix", 10, 10, period_ms=1)) as cable:
        end = monotonic_ns() + 500_000_000
        while monotonic_ns() < end:
            cable.put((1, 0), home_of(SMALL)[0])
            cable.contents((1, 0))
        port = SerialPort(str(cable.path), 115200)
        assert port.read(5000)
        port.close()


def test_errors_in_the_hand_reach_the_hand():
    with PtyPort(device_for("dgt", 8, 8)) as cable, pytest.raises(ValueError, match="confirm"):
        cable.press("confirm")


def test_a_missing_port_is_lost():
    with pytest.raises(PortLost, match="/dev/no-such-board"):
        SerialPort("/dev/no-such-board", 9600)


class Listed:
    def __init__(self, device: str, serial_number: str | None) -> None:
        self.device, self.serial_number = device, serial_number


def test_ports_are_found_by_their_usb_serial_number():
    found = [Listed("/dev/ttyACM1", "B2"), Listed("/dev/ttyACM0", "A1"), Listed("/dev/ttyS0", None)]
    listing = serial_port.ports_among(found)
    assert listing == (("/dev/ttyACM0", "A1"), ("/dev/ttyACM1", "B2"), ("/dev/ttyS0", ""))
    assert serial_port.path_of("B2", listing) == "/dev/ttyACM1"
    with pytest.raises(PortLost, match="A1, B2"):
        serial_port.path_of("C3", listing)
    assert isinstance(serial_port.ports(), tuple)
