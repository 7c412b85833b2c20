"""A strip of WS2812 lamps that exists only in memory."""

from wood import WOOD


class NeoPixel:
    def __init__(self, pin, count):
        self._coming = [(0, 0, 0)] * count
        WOOD.pixels = list(self._coming)

    def __setitem__(self, place, colour):
        if not all(0 <= part <= 255 for part in colour):
            raise ValueError(colour)
        self._coming[place] = colour

    def fill(self, colour):
        self._coming = [colour] * len(self._coming)

    def write(self):
        if WOOD.fails:
            raise OSError(5)
        WOOD.pixels = list(self._coming)
