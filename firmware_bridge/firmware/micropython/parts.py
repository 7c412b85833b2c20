"""Buttons, lamps and buzzer of the board."""

import wire
from machine import PWM, Pin
from neopixel import NeoPixel

from debounce import Debounced

COLOURS = (
    (0, 0, 0),
    (255, 150, 0),  # lift: yellow
    (0, 255, 0),  # place: green
    (0, 60, 255),  # path: blue
    (255, 0, 0),  # remove: red
    (255, 0, 150),  # wrong: pink
    (130, 130, 130),  # hint: white
)
"""Red, green, blue of each role by its number, where it is brightest."""
DIMMEST = 12
"""The brightest colour of a lamp at 0 percent, of 255: every part of every colour is at least 1 then."""
MILLIAMPERES = 20
"""What one colour of one lamp draws at 255, after the data sheet of the WS2812B."""


class Buttons:
    """Contacts to ground: which are down, and how often each went down; what is down at the start is not counted."""

    def __init__(self, pins: dict[str, int]) -> None:
        names = wire.BUTTON_NAMES + wire.KEY_NAMES
        self._pins = [(names.index(name), Pin(pin, Pin.IN, Pin.PULL_UP)) for name, pin in sorted(pins.items())]
        self._steady = Debounced(len(names))
        self.presses = bytearray(len(names))
        self._look()
        self._steady.begin()

    def scan(self, now_ms: int) -> bool:
        """Looks at all of them; whether one has just gone down or up."""
        steady = self._steady
        self._look()
        before = bytes(steady.told)
        steady.settle(now_ms)
        if not steady.changed:
            return False
        for place, down in enumerate(steady.told):
            if down and not before[place]:
                self.presses[place] = (self.presses[place] + 1) & 0xFF
        return True

    def _look(self) -> None:
        for place, pin in self._pins:
            self._steady.codes[place] = 1 - pin()

    @property
    def held(self) -> int:
        """Bit n set: button n of STATE is down."""
        return sum(down << place for place, down in enumerate(self._steady.told[: len(wire.BUTTON_NAMES)]))


class Lamps:
    """WS2812 lamps under cells; what is not lit is dark."""

    def __init__(self, pin: int, cells: list[int], most_milliamperes: int) -> None:
        self._strip = NeoPixel(Pin(pin, Pin.OUT), len(cells))
        self._places = {cell: place for place, cell in enumerate(cells)}
        self._most = most_milliamperes
        self._percent = 100
        self._lit = b""
        self.show(b"")

    def show(self, lit: bytes) -> None:
        """Lights cells: index and role of each, as in LAMPS."""
        self._lit = lit
        strip, level = self._strip, self._level()
        strip.fill((0, 0, 0))
        for at in range(0, len(lit), 2):
            place = self._places.get(lit[at])
            if place is not None:
                red, green, blue = COLOURS[lit[at + 1]]
                strip[place] = (_scaled(red, level), _scaled(green, level), _scaled(blue, level))
        strip.write()

    def dim(self, percent: int) -> None:
        """Lights them so brightly from now on, 0 to 100."""
        self._percent = percent
        self.show(self._lit)

    def _level(self) -> int:
        """What 255 becomes: as bright as wanted, but no brighter than the current allows."""
        wanted = DIMMEST + (255 - DIMMEST) * self._percent // 100
        lit = self._lit
        colours = sum(sum(COLOURS[lit[at]]) for at in range(1, len(lit), 2))
        return max(DIMMEST, min(wanted, 255 * 255 * self._most // (MILLIAMPERES * colours))) if colours else wanted


class Buzzer:
    """A passive buzzer: one tone at a time, a new one replaces the old."""

    def __init__(self, pin: int) -> None:
        self._tone = PWM(Pin(pin))
        self._tone.freq(1000)
        self._tone.duty_u16(0)
        self._until_ms = None

    def sound(self, pitch_hz: int, duration_ms: int, now_ms: int) -> None:
        """Sounds a pitch for so long; what no buzzer can (below 10 Hz) is silence."""
        self._until_ms = now_ms + duration_ms
        if pitch_hz >= 10 and duration_ms:
            self._tone.freq(pitch_hz)
            self._tone.duty_u16(32768)
        else:
            self._tone.duty_u16(0)

    def tick(self, now_ms: int) -> None:
        """Ends the tone that has sounded long enough."""
        if self._until_ms is not None and now_ms >= self._until_ms:
            self._until_ms = None
            self._tone.duty_u16(0)


def _scaled(part: int, level: int) -> int:
    return (part * level + 254) // 255
