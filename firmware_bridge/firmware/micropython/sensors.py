"""The sensors under the board: one scan gives for each of them what it says, in the order in which they are wired."""

from array import array
from time import sleep_us

import micropython
import wire
from machine import ADC, Pin

CHANNELS = 16
REST = 32768
PRESENT, WEAK, KING = 3000, 5000, 12000
"""Thresholds that a board comes with, of 65536 over the converter's whole range: assumptions, no board was measured."""
IS_KING, IS_WEAK = 1, 2
"""What a scan says of the magnet of a piece."""
_GRAY = (1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 8)
"""Which select line changes from one channel to the next: one at a time, sixteen in a circle."""


class Halls:
    """Linear hall sensors through CD74HC4067 multiplexers: strength and pole of the field above each."""

    def __init__(self, config: object, count: int) -> None:
        self.count = count
        self.values = array("H", [REST] * count)
        self.thresholds = Thresholds(count, config.WHITE_READS == "low", config.TELLS_KINGS)
        self._colours = config.TELLS_COLOURS
        self._settle_us = config.SETTLE_US
        self._lines = [Pin(pin, Pin.OUT, value=0) for pin in config.SELECT_PINS]
        self._banks = []
        converters = {pin: ADC(Pin(pin)) for pin in {pair[0] for pair in config.MULTIPLEXERS}}
        for place, (pin, enable) in enumerate(config.MULTIPLEXERS):
            line = None if enable is None else Pin(enable, Pin.OUT, value=1)
            room = min(CHANNELS, count - CHANNELS * place)
            if room > 0:
                self._banks.append((line, converters[pin].read_u16, CHANNELS * place, room))
        self._steps = _steps(self._lines)

    @micropython.native
    def scan(self, codes: bytearray, marks: bytearray, told: bytearray, told_marks: bytearray) -> None:
        """What each sensor says (a cell's code, and marks of its magnet), given what was told of it before."""
        self._measure()
        values, known = self.values, self.thresholds
        rests, ons, offs, flags = known.rest, known.present, known.off, known.flags
        colours = self._colours
        for sensor in range(self.count):
            distance = values[sensor] - rests[sensor]
            strength = -distance if distance < 0 else distance
            code = 0
            if strength >= offs[sensor]:
                before = told[sensor]
                if strength >= ons[sensor]:
                    code = 1
                    if colours:
                        code = 3 if (distance > 0) == (flags[sensor] & 1 == 1) else 2
                else:
                    code = before
            if code:
                marks[sensor] = known.mark(sensor, strength, told_marks[sensor])
                if flags[sensor] & 2:
                    code = 0
            codes[sensor] = code

    @micropython.native
    def _measure(self) -> None:
        values, settle_us, steps = self.values, self._settle_us, self._steps
        for enable, read, first, room in self._banks:
            if enable is not None:
                enable(0)
            for channel, line, level in steps:
                if channel < room:
                    sleep_us(settle_us)
                    values[first + channel] = read()
                line(level)
            if enable is not None:
                enable(1)


class Switches:
    """Hall switches or reed contacts through chains of 74HC165: one chain for pieces, or one for each colour."""

    def __init__(self, config: object, count: int) -> None:
        self.count = count
        self.thresholds = None
        self._load = Pin(config.LOAD_PIN, Pin.OUT, value=1)
        self._clock = Pin(config.CLOCK_PIN, Pin.OUT, value=0)
        self._chains = [Pin(pin, Pin.IN) for pin in config.DATA_PINS]
        self._closed = config.CLOSED

    @micropython.native
    def scan(self, codes: bytearray, marks: bytearray, told: bytearray, told_marks: bytearray) -> None:
        """What each sensor says: 1 for a piece; with two chains 2 white, 3 black, 1 where both say so."""
        load, clock, closed = self._load, self._clock, self._closed
        load(0)
        load(1)
        first = self._chains[0]
        if len(self._chains) == 1:
            for sensor in range(self.count):
                codes[sensor] = 1 if first() == closed else 0
                clock(1)
                clock(0)
            return
        second = self._chains[1]
        for sensor in range(self.count):
            white, black = first() == closed, second() == closed
            codes[sensor] = (1 if black else 2) if white else (3 if black else 0)
            clock(1)
            clock(0)


class Thresholds:
    """What a reading means, sensor by sensor."""

    def __init__(self, count: int, black_is_high: bool, tells_kings: bool) -> None:
        self._first = (REST, PRESENT, WEAK, KING if tells_kings else 0, wire.BLACK_IS_HIGH if black_is_high else 0)
        self._count = count
        self.rest, self.present, self.off = array("H"), array("H"), array("H")
        self.weak, self.king, self.flags = array("H"), array("H"), bytearray(count)
        for column in (self.rest, self.present, self.off, self.weak, self.king):
            column.extend(array("H", [0] * count))
        self.forget()

    def forget(self) -> None:
        """Those that the board came with."""
        for sensor in range(self._count):
            self.set(sensor, self._first)

    def set(self, sensor: int, fields: tuple[int, int, int, int, int]) -> None:
        """Rest, present, weak, king and flags of a sensor, as in PROTOCOL.md."""
        self.rest[sensor], self.present[sensor], self.weak[sensor], self.king[sensor], self.flags[sensor] = fields
        self.off[sensor] = (3 * self.present[sensor] + 3) // 4

    def get(self, sensor: int) -> tuple[int, int, int, int, int]:
        """What was set."""
        return self.rest[sensor], self.present[sensor], self.weak[sensor], self.king[sensor], self.flags[sensor]

    @micropython.native
    def mark(self, sensor: int, strength: int, told: int) -> int:
        """The marks of a magnet; what was told stands until the strength is an eighth beyond the threshold."""
        weak, king = self.weak[sensor], self.king[sensor]
        if told & 2:
            weak += weak >> 3
        if told & 1:
            king -= king >> 3
        return (1 if king and strength >= king else 0) | (2 if strength < weak else 0)


def _steps(lines: list[Pin]) -> tuple[tuple[int, Pin, int], ...]:
    """Sixteen times (channel now chosen, the line that changes after it, its new level)."""
    channel, steps = 0, []
    for change in _GRAY:
        before, channel = channel, channel ^ change
        steps.append((before, lines[(1, 2, 4, 8).index(change)], 1 if channel & change else 0))
    return tuple(steps)
