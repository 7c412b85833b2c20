"""The way to the computer: the USB cable or a serial line. Both read without waiting longer than they are told to."""

import select
import sys

import micropython

MOST = 256
"""So many bytes are read at once at most: sensors come next."""
BAUD = 115200


class Usb:
    """The USB cable, on which the console is too: no byte of the link may stop the program."""

    def __init__(self) -> None:
        micropython.kbd_intr(-1)
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._in, self._out = sys.stdin.buffer, sys.stdout.buffer

    def read(self, wait_ms: int) -> bytes:
        """The bytes that are there, after waiting at most so long for the first one."""
        ready = self._poll.poll(wait_ms)
        if not ready:
            return b""
        data = bytearray()
        while ready and len(data) < MOST:
            byte = self._in.read(1)
            if not byte:
                break
            data += byte
            ready = self._poll.poll(0)
        return bytes(data)

    def write(self, data: bytes) -> None:
        """Sends all of these bytes; without a listener they are lost."""
        self._out.write(data)


class Serial:
    """A serial line to a computer's pins or to an adapter."""

    def __init__(self, number: int, send: int, receive: int) -> None:
        from machine import UART, Pin

        self._uart = UART(number, BAUD, tx=Pin(send), rx=Pin(receive), rxbuf=2 * MOST, txbuf=2 * MOST)
        self._poll = select.poll()
        self._poll.register(self._uart, select.POLLIN)

    def read(self, wait_ms: int) -> bytes:
        """The bytes that are there, after waiting at most so long for the first one."""
        if not self._uart.any():
            self._poll.poll(wait_ms)
        return self._uart.read(MOST) or b""

    def write(self, data: bytes) -> None:
        """Sends all of these bytes."""
        self._uart.write(data)
