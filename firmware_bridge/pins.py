"""Which pin of a Raspberry Pi's header leads to what, by BCM numbers: a grid of contacts, buttons, lamp, buzzer."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields

FREE = range(2, 28)
"""BCM numbers that a 40-pin header leaves to us: 0 and 1 belong to the identification of add-on boards."""
INPUTS = ("confirm", "take_back", "new_game", "draw", "resign", "clock_white", "clock_black", "clock", "stop")
"""What can be pushed, in the order of its bit in a scan."""
OUTPUTS = ("lamp", "buzzer")
"""What can be switched on, in the order of its bit."""
MOST_WIRES = 16


@dataclass(frozen=True, slots=True)
class Pins:
    """BCM numbers. Rows are driven low one after another, columns are read; a contact joins them through a diode."""

    rows: tuple[int, ...]
    """From Black's side to White's."""
    columns: tuple[int, ...]
    """From White's left; half as many as the board has where only the playing squares have a contact."""
    confirm: int | None = None
    take_back: int | None = None
    new_game: int | None = None
    draw: int | None = None
    resign: int | None = None
    clock_white: int | None = None
    """A button that White pushes at the end of a turn."""
    clock_black: int | None = None
    clock: int | None = None
    """Instead of those two a lever that stays: closed while it is pushed down on White's side."""
    stop: int | None = None
    """Emergency stop, closed as long as all is well: a broken wire stops too."""
    lamp: int | None = None
    buzzer: int | None = None

    @property
    def inputs(self) -> tuple[tuple[int, int], ...]:
        """(bit in a scan, pin) of everything that can be pushed."""
        return _wired(self, INPUTS)

    @property
    def outputs(self) -> tuple[tuple[int, int], ...]:
        """(bit, pin) of everything that can be switched on."""
        return _wired(self, OUTPUTS)

    @property
    def uses(self) -> tuple[tuple[int, str], ...]:
        """(pin, what it is for) of every pin that is used, in the order of the keys."""
        rows = [(pin, f"rows {number}") for number, pin in enumerate(self.rows, 1)]
        columns = [(pin, f"columns {number}") for number, pin in enumerate(self.columns, 1)]
        single = [(pin, name) for name in (*INPUTS, *OUTPUTS) if (pin := getattr(self, name)) is not None]
        return (*rows, *columns, *single)


def _wired(pins: Pins, names: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    return tuple((bit, pin) for bit, name in enumerate(names) if (pin := getattr(pins, name)) is not None)


KEYS = tuple(item.name for item in fields(Pins))


def pins_fault(table: object) -> str | None:
    """What was expected of a table of pins, None when it is right."""
    if not isinstance(table, Mapping):
        return "a table of pins with rows and columns"
    for key, value in table.items():
        if key not in KEYS:
            close = difflib.get_close_matches(str(key), KEYS, 1)
            return f"no key {key}, " + (f"the nearest is {close[0]}" if close else f"but some of {', '.join(KEYS)}")
        if key in ("rows", "columns") and not (isinstance(value, list | tuple) and 1 <= len(value) <= MOST_WIRES):
            return f"{key} to be a list of 1 to {MOST_WIRES} pins"
        for pin in value if isinstance(value, list | tuple) else (value,):
            if type(pin) is not int or pin not in FREE:
                return f"{key} to name GPIO numbers (BCM) from {FREE[0]} to {FREE[-1]}, found {pin!r}"
    missing = [key for key in ("rows", "columns") if key not in table]
    return f"{missing[0]} too" if missing else _clash(pins_of(table))


def _clash(pins: Pins) -> str | None:
    if pins.clock is not None and (pins.clock_white is not None or pins.clock_black is not None):
        return "either clock (a lever) or clock_white and clock_black (buttons)"
    seen: dict[int, str] = {}
    for pin, use in pins.uses:
        if pin in seen:
            return f"each pin once, found GPIO {pin} for {seen[pin]} and {use}"
        seen[pin] = use
    return None


def pins_of(table: Mapping[str, object]) -> Pins:
    """The pins that a table without fault states."""
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return Pins(**values)  # type: ignore[arg-type]


def fits(pins: Pins, columns: int, rows: int, playing: int) -> bool:
    """Whether the grid has a contact under each cell of a board, or under each of its playing squares."""
    return len(pins.rows) == rows and len(pins.columns) in (columns, playing // rows)
