"""Serial ports of this machine; the only import of pyserial."""

from __future__ import annotations

import os
import select
import termios
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Protocol, TypeVar

import serial
from serial.tools import list_ports

from firmware_bridge.errors import PortLost

_READ_BYTES = 4096
_WRITE_S = 1.0
_T = TypeVar("_T")


class _Listed(Protocol):
    device: str
    serial_number: str | None


Listing = tuple[tuple[str, str], ...]
"""(path, USB serial number or empty) of ports."""


def ports() -> Listing:
    """Every serial port there is."""
    return ports_among(list_ports.comports())


def ports_among(found: Iterable[_Listed]) -> Listing:
    """The listing of ports that the system found, by path."""
    return tuple(sorted((port.device, port.serial_number or "") for port in found))


def path_of(usb_serial: str, listing: Listing | None = None) -> str:
    """The path of the port with this USB serial number; PortLost when there is none."""
    found = {serial_number: path for path, serial_number in (ports() if listing is None else listing)}
    if usb_serial in found:
        return found[usb_serial]
    known = ", ".join(sorted(filter(None, found))) or "none"
    raise PortLost(f"usb_serial {usb_serial}", f"no such USB serial number; connected now: {known}")


def is_pattern(port: str) -> bool:
    """Whether a port is named by a pattern (`/dev/ttyUSB*`): its adapter has no USB serial number to be found by."""
    return any(sign in port for sign in "*?[")


def paths_like(pattern: str, listing: Listing | None = None) -> tuple[str, ...]:
    """The ports of a pattern, by path, without those that have a USB serial number; PortLost when there is none.

    What has a number may be named by it, so a pattern leaves it alone: it may be anything.
    """
    found = ports() if listing is None else listing
    paths = tuple(path for path, serial_number in found if not serial_number and fnmatchcase(path, pattern))
    if not paths:
        known = ", ".join(path for path, serial_number in found if not serial_number) or "none"
        raise PortLost(f"port {pattern}", f"no such port without a USB serial number; connected now: {known}")
    return paths


class SerialPort:
    """An open port that nobody else can open; every failure is a PortLost."""

    def __init__(self, path: str, baud: int) -> None:
        self.path = path
        self._serial = self._guard(lambda: serial.Serial(path, baud, timeout=0, write_timeout=_WRITE_S, exclusive=True))

    def fileno(self) -> int:
        """The file descriptor, for waiting on several things at once."""
        return self._guard(self._serial.fileno)

    def read(self, wait_ms: int = 50) -> bytes:
        """The bytes that are there, after waiting at most so long for the first one."""
        return self._guard(lambda: self._read(wait_ms))

    def write(self, data: bytes) -> None:
        """Sends all of these bytes."""
        if data:
            self._guard(lambda: self._serial.write(data))

    def close(self) -> None:
        """Gives the port back; never fails."""
        try:
            self._serial.close()
        except (OSError, termios.error):
            return

    def _read(self, wait_ms: int) -> bytes:
        ready, _, _ = select.select([self._serial], [], [], wait_ms / 1000)
        return bytes(self._serial.read(_READ_BYTES)) if ready else b""

    def _guard(self, act: Callable[[], _T]) -> _T:
        try:
            return act()
        except (OSError, termios.error, ValueError, TypeError) as error:
            raise PortLost(self.path, _reason(error), getattr(error, "errno", None)) from error


def _reason(error: Exception) -> str:
    """What the system says, once: pyserial wraps it in the path and the number, and repeats both."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error) or type(error).__name__
