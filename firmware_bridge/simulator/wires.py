"""Pins, wires, switches and diodes as they are on a bench, behind the functions that RPi.GPIO has.

Current flows from a pull-up through a closed contact to a pin that is low. With a diode it flows from the column to the
row only; without one both ways, so that three closed contacts of a rectangle close the fourth: a ghost.
"""

from __future__ import annotations


class Wires:
    """A grid of contacts, some switches to ground, some outputs; what RPi.GPIO's functions see of them."""

    BCM, IN, OUT, LOW, HIGH, PUD_OFF, PUD_UP = 11, 1, 0, 0, 1, 20, 22
    VERSION = "simulated"

    def __init__(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> None:
        self._row_pins, self._column_pins = rows, columns
        self._columns = {pin: column for column, pin in enumerate(columns)}
        self.closed = bytearray(len(rows) * len(columns))
        """For each contact, row by row, 1 while it is closed."""
        self.down: set[int] = set()
        """Pins whose switch to ground is closed."""
        self.bare: set[tuple[int, int]] = set()
        """Contacts (row, column) whose diode is missing."""
        self._broken: set[int] = set()
        self._grounded: set[int] = set()
        self.shorts = 0
        """How often a pin that was high was joined to one that was low: what burns real pins."""
        self._outputs: dict[int, int] = {}
        self._pulled_up: set[int] = set()
        self._mode: int | None = None
        self._low: list[int] = []

    def break_wire(self, pin: int) -> None:
        """From now on the wire of a pin is broken."""
        self._broken.add(pin)
        self._find_low_rows()

    def ground(self, pin: int) -> None:
        """From now on the wire of a pin touches ground."""
        self._grounded.add(pin)
        self._find_low_rows()

    def setmode(self, mode: int) -> None:
        """How pins are numbered."""
        if mode != self.BCM:
            raise ValueError("an invalid mode was passed to setmode()")
        self._mode = mode

    def setwarnings(self, on: bool) -> None:
        """Nothing is warned of here."""

    def setup(self, channel: int, direction: int, pull_up_down: int = PUD_OFF, initial: int = -1) -> None:
        """Make a pin an input or an output."""
        if self._mode is None:
            raise RuntimeError("Please set pin numbering mode using GPIO.setmode(GPIO.BOARD) or GPIO.setmode(GPIO.BCM)")
        self._outputs.pop(channel, None)
        self._pulled_up.discard(channel)
        if direction == self.OUT:
            self._outputs[channel] = max(initial, 0)
            self._look_for_shorts()
        elif pull_up_down == self.PUD_UP:
            self._pulled_up.add(channel)
        self._find_low_rows()

    def input(self, channel: int) -> int:
        """The level of a pin; one that floats is as likely high, and reads so here."""
        if channel in self._outputs:
            return self._outputs[channel]
        if channel not in self._pulled_up:
            raise RuntimeError(f"GPIO {channel} was not set up as an input with a pull-up")
        if channel in self._broken:
            return self.HIGH
        if channel in self._grounded:
            return self.LOW
        if channel not in self._columns:
            return self.LOW if channel in self.down else self.HIGH
        return self.LOW if self._is_drained(self._columns[channel]) else self.HIGH

    def output(self, channel: int, level: int) -> None:
        """Set the level of an output."""
        if channel not in self._outputs:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        self._outputs[channel] = level
        self._find_low_rows()
        self._look_for_shorts()

    def cleanup(self, channel: list[int]) -> None:
        """Make these pins inputs again."""
        for pin in channel:
            self._outputs.pop(pin, None)
            self._pulled_up.discard(pin)
        self._find_low_rows()

    def level(self, channel: int) -> int:
        """What hangs on an output sees: low, when nothing drives it."""
        return self._outputs.get(channel, self.LOW)

    def _find_low_rows(self) -> None:
        outputs, broken, grounded = self._outputs, self._broken, self._grounded
        self._low = [
            row
            for row, pin in enumerate(self._row_pins)
            if pin in grounded or (outputs.get(pin) == self.LOW and pin not in broken)
        ]

    def _is_drained(self, column: int) -> bool:
        """Whether current flows from this column to a row that is low."""
        if not self.bare and not self._broken:
            width = len(self._column_pins)
            return any(self.closed[row * width + column] for row in self._low)
        reached, seen_rows, edge = {column}, set[int](), [column]
        while edge:
            at = edge.pop()
            for row in range(len(self._row_pins)):
                if row in seen_rows or not self._joins(row, at):
                    continue
                if row in self._low:
                    return True
                seen_rows.add(row)
                back = [
                    other
                    for other in range(len(self._column_pins))
                    if other not in reached and (row, other) in self.bare and self._joins(row, other)
                ]
                reached.update(back)
                edge += back
        return False

    def _joins(self, row: int, column: int) -> bool:
        if self._row_pins[row] in self._broken or self._column_pins[column] in self._broken:
            return False
        return bool(self.closed[row * len(self._column_pins) + column])

    def _look_for_shorts(self) -> None:
        driven = [(row, self._outputs[pin]) for row, pin in enumerate(self._row_pins) if pin in self._outputs]
        high = [row for row, level in driven if level == self.HIGH]
        low = [row for row, level in driven if level == self.LOW]
        # Diodes keep rows apart from one another: only where one is missing does current flow from a high row.
        self.shorts += sum(
            any((row, column) in self.bare and self._joins(row, column) for row in high)
            and any(self._joins(row, column) for row in low)
            for column in range(len(self._column_pins) if high and low else 0)
        )
