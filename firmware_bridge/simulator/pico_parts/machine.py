"""Pins, converter and tone of a Pico that exists only in memory, joined to the wooden board."""

import sys

from wood import WOOD


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


def unique_id():
    return bytes(int(sys.argv[1][at : at + 2], 16) for at in range(0, 16, 2))


def reset():
    sys.exit(3)
