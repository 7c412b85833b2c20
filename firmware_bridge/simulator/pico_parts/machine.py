"""Pins, converter and tone of a Pico that exists only in memory, joined to the wooden board."""

import io
import select
import sys

from wood import WOOD


UART_PINS = {0: ((0, 12, 16), (1, 13, 17)), 1: ((4, 8, 20, 24), (5, 9, 21, 25))}
"""TX and RX of each UART, after the data sheet of the RP2040."""


class Pin:
    IN, OUT, PULL_UP = 0, 1, 2

    def __init__(self, number, mode=-1, pull=-1, value=None):
        self.number = number
        if mode == Pin.OUT:
            WOOD.drive(number, value or 0)

    def __call__(self, level=None):
        if level is None:
            return WOOD.sensed(self.number)
        WOOD.drive(self.number, level)


class ADC:
    def __init__(self, pin):
        self._number = pin.number

    def read_u16(self):
        return WOOD.measured(self._number) & 0xFFF0


class PWM:
    def __init__(self, pin):
        self._duty = 0

    def freq(self, hertz):
        if not 8 <= hertz <= 62500000:
            raise ValueError("freq too small" if hertz < 8 else "freq too large")

    def duty_u16(self, duty):
        if duty:
            WOOD.buzzes += 1
        self._duty = duty


class UART(io.IOBase):
    """The other end of the wire is this program's standard input and output."""

    def __init__(self, number, baudrate, tx, rx, rxbuf, txbuf):
        if number not in UART_PINS or tx.number not in UART_PINS[number][0] or rx.number not in UART_PINS[number][1]:
            raise ValueError("bad TX/RX pin")
        if baudrate != 115200:
            raise ValueError("the other end has 115200 baud")
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)

    def any(self):
        return len(self._poll.poll(0))

    def read(self, most):
        return sys.stdin.buffer.read(1) if self.any() else None

    def write(self, data):
        return sys.stdout.buffer.write(data)

    def ioctl(self, request, flags):
        return (flags & select.POLLIN if self.any() else 0) if request == 3 else 0


def unique_id():
    return bytes(int(sys.argv[1][at : at + 2], 16) for at in range(0, 16, 2))


def reset():
    sys.exit(3)
