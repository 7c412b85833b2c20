"""The pins of a Raspberry Pi; the only import of RPi.GPIO, which is RPi.GPIO itself or rpi-lgpio (Raspberry Pi 5).

A row is made an output that is low, every other row an input: two rows never drive against each other through pieces
that stand in one column, whatever diodes are missing.
"""

from __future__ import annotations

import hashlib
import select
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic_ns
from typing import Any, Protocol

from firmware_bridge.errors import PortLost
from firmware_bridge.packets import Decoder
from firmware_bridge.pins import Pins
from firmware_bridge.scans import ID_BYTES, Ask, Grid, Scan, Switch, Told, asked, written

NAME = "GPIO"
"""What stands where another board has the path of its port."""
SCAN_MS = 10
REPEAT_MS = 500
"""An unchanged scan is told again so often: silence means that nobody reads the pins."""
SETTLE_S = 50e-6
"""How long a column is given to rise after a row was let go: five times 50 kOhm (the Pi's pull-up) and 200 pF."""
INSTALL = (
    "RPi.GPIO is not installed; install it with `pip install RPi.GPIO`, on a Raspberry Pi 5 `pip install rpi-lgpio`"
)
_SERIAL_NUMBERS = ("/proc/device-tree/serial-number", "/etc/machine-id")


class Library(Protocol):
    """What of RPi.GPIO is used; rpi-lgpio and simulated wires have it too."""

    BCM: Any
    IN: Any
    OUT: Any
    LOW: Any
    HIGH: Any
    PUD_OFF: Any
    PUD_UP: Any
    VERSION: str

    def setmode(self, mode: Any) -> None:  # noqa: ANN401
        """How pins are numbered."""

    def setwarnings(self, on: bool) -> None:
        """Whether it warns of pins in use."""

    def setup(self, channel: int, direction: Any, pull_up_down: Any = ..., initial: Any = ...) -> None:  # noqa: ANN401
        """Make a pin an input or an output."""

    def input(self, channel: int) -> int:
        """The level of a pin."""

    def output(self, channel: int, level: Any) -> None:  # noqa: ANN401
        """Set the level of an output."""

    def cleanup(self, channel: list[int]) -> None:
        """Make these pins inputs again."""


def library() -> Library:
    """RPi.GPIO as it is installed here; PortLost says in one sentence why there is none."""
    try:
        import RPi.GPIO as found
    except ImportError as error:
        raise PortLost(NAME, INSTALL) from error
    except Exception as error:  # both libraries raise what they like on a machine that is no Pi
        raise PortLost(NAME, f"RPi.GPIO does not work here ({_said(error)}); connect a board by USB instead") from error
    return found  # type: ignore[no-any-return]


def machine_id() -> bytes:
    """A number of this machine's own: the Pi's serial number, else that of its installation."""
    for path in _SERIAL_NUMBERS:
        with suppress(OSError):
            text = Path(path).read_text(encoding="ascii", errors="replace").strip("\0\n ")
            if text:
                return hashlib.sha256(text.encode()).digest()[:ID_BYTES]
    return b"GPIO".ljust(ID_BYTES, b"\0")


class Scanner:
    """The device's side of the pins: bytes in, bytes out; time is an argument. PortLost when a pin cannot be used."""

    def __init__(self, pins: Pins, gpio: Library, unique_id: bytes, settle: Callable[[], None] = lambda: None) -> None:
        self._pins, self._gpio, self._settle = pins, gpio, settle
        self._grid = _grid_of(pins, unique_id, f"RPi.GPIO {gpio.VERSION}")
        self._decoder = Decoder()
        self._sequence = 0
        self._scan: Scan | None = None
        self._told_ms = 0
        self._due_ms = 0
        self._guard(self._set_up)

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Takes bytes from the driver, gives bytes for it."""
        out = b""
        for packet in self._decoder.receive(data):
            match asked(packet):
                case Ask():
                    self._scan = None
                    self._due_ms = now_ms
                    out += self._written(self._grid)
                case Switch(on=on):
                    self._guard(partial(self._switch, on))
        return out + self.tick(now_ms)

    def tick(self, now_ms: int) -> bytes:
        """Scans when it is time; a scan that tells nothing new is told again only now and then."""
        if now_ms < self._due_ms:
            return b""
        self._due_ms = now_ms + SCAN_MS
        scan = self._guard(self.scan)
        if scan == self._scan and now_ms < self._told_ms + REPEAT_MS:
            return b""
        self._scan, self._told_ms = scan, now_ms
        return self._written(scan)

    def deadline_ms(self) -> int:
        """When the next scan is due."""
        return self._due_ms

    def scan(self) -> Scan:
        """Which contacts are closed at this moment, and what is pushed."""
        gpio, contacts, bit = self._gpio, 0, 1
        read, columns = gpio.input, self._pins.columns
        for row in self._pins.rows:
            gpio.setup(row, gpio.OUT, initial=gpio.LOW)
            self._settle()
            for column in columns:
                if not read(column):
                    contacts |= bit
                bit <<= 1
            gpio.setup(row, gpio.IN, pull_up_down=gpio.PUD_OFF)
        pushed = sum(1 << place for place, pin in self._pins.inputs if not gpio.input(pin))
        return Scan(contacts, pushed)

    def close(self) -> None:
        """Switches everything off and lets go of the pins; never fails."""
        with suppress(Exception):
            self._switch(0)
        with suppress(Exception):
            self._gpio.cleanup([pin for pin, _ in self._pins.uses])

    def _set_up(self) -> None:
        gpio = self._gpio
        gpio.setwarnings(False)
        gpio.setmode(gpio.BCM)
        for pin in self._pins.rows:
            gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_OFF)
        for pin in (*self._pins.columns, *(pin for _, pin in self._pins.inputs)):
            gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_UP)
        for _, pin in self._pins.outputs:
            gpio.setup(pin, gpio.OUT, initial=gpio.LOW)

    def _switch(self, on: int) -> None:
        for bit, pin in self._pins.outputs:
            self._gpio.output(pin, self._gpio.HIGH if on >> bit & 1 else self._gpio.LOW)

    def _written(self, message: Told) -> bytes:
        self._sequence = (self._sequence + 1) % 256
        return written(message, self._sequence)

    def _guard(self, act: Callable[[], Any]) -> Any:  # noqa: ANN401
        try:
            return act()
        except Exception as error:  # lgpio's own errors derive from nothing narrower
            raise PortLost(NAME, f"its pins cannot be used: {_said(error)}{_advice(error)}") from error


def _said(error: Exception) -> str:
    return str(error).strip("'\"!. ") or type(error).__name__


def _advice(error: Exception) -> str:
    text = str(error).lower()
    if "access" in text or "permission" in text:
        return "; add the station's user to the group gpio (`sudo usermod -aG gpio NAME`) and log in again"
    if "peripheral base" in text or "soc" in text:
        return "; on a Raspberry Pi 5 install rpi-lgpio instead of RPi.GPIO"
    if "busy" in text:
        return "; another program uses them"
    return ""


def _grid_of(pins: Pins, unique_id: bytes, name: str) -> Grid:
    inputs = sum(1 << bit for bit, _ in pins.inputs)
    outputs = sum(1 << bit for bit, _ in pins.outputs)
    return Grid(len(pins.rows), len(pins.columns), inputs, outputs, unique_id, name)


class GpioPort:
    """Stands where another board has its serial port; every failure is a PortLost."""

    path = NAME

    def __init__(self, pins: Pins, gpio: Library | None = None) -> None:
        found = library() if gpio is None else gpio
        self._scanner = Scanner(pins, found, machine_id(), _settle)
        self._waiting = b""

    def read(self, wait_ms: int = 50) -> bytes:
        """The bytes that are there, after waiting at most so long for the first one."""
        out, self._waiting = self._waiting, b""
        end_ms = _now_ms() + wait_ms
        while not out:
            now_ms = _now_ms()
            out = self._scanner.tick(now_ms)
            if out or now_ms >= end_ms:
                break
            _wait(max(0, min(end_ms, self._scanner.deadline_ms()) - now_ms) / 1000)
        return out

    def write(self, data: bytes) -> None:
        """Hands these bytes to the pins."""
        self._waiting += self._scanner.receive(data, _now_ms())

    def close(self) -> None:
        """Lets go of the pins; never fails."""
        self._scanner.close()


def _now_ms() -> int:
    return monotonic_ns() // 1_000_000


def _settle() -> None:
    _wait(SETTLE_S)


def _wait(seconds: float) -> None:
    select.select((), (), (), seconds)
