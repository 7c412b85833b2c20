"""A grid of contacts on the pins of the Raspberry Pi itself: no microcontroller, no lamps under the squares.

Debounce is done here (`debounce.py`); what the status lamp and the buzzer say is in `signals.py`.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from engine.geometry import Geometry
from engine.position import EMPTY, Piece
from engine.view import OCCUPIED, BoardView, view_of
from firmware_bridge.debounce import Steady
from firmware_bridge.driver import Counters, Cues, Device, Output
from firmware_bridge.errors import BadPayload
from firmware_bridge.flicker import Flicker
from firmware_bridge.packets import Decoder
from firmware_bridge.pins import INPUTS, OUTPUTS
from firmware_bridge.placement import own_cell, placement
from firmware_bridge.scans import Ask, Asked, Grid, Switch, Told, told, written
from firmware_bridge.signals import Signals

ASK_MS = 2000
SILENCE_MS = 3000
HOLD_MS = 2000
"""How long the button for a new game is to be held for a position set up by hand."""
_LAMP, _BUZZER = (1 << OUTPUTS.index(name) for name in ("lamp", "buzzer"))
_STOP, _CLOCK, _NEW_GAME = (INPUTS.index(name) for name in ("stop", "clock", "new_game"))
_BUTTONS = tuple(bit for bit, name in enumerate(INPUTS) if name not in ("stop", "clock"))


class Driver:
    """Scans to views, cues to the status lamp and the buzzer."""

    baud: ClassVar[int] = 115200
    """Of the pseudo-terminal of a simulated board; the pins of a real one have none."""

    def __init__(self, geometry: Geometry, home: tuple[Piece, ...] | None = None, *, turned: int | None = None) -> None:
        self._geometry = geometry
        self._turned = turned or 0
        self._decoder = Decoder()
        self._drops: Counter[str] = Counter()
        self._sequence = 0
        self._asked_ms: int | None = None
        self._heard_ms = 0
        self._looked_ms = 0
        """The latest time anybody told."""
        self._grid: Grid | None = None
        self._cells: tuple[int, ...] = ()
        """For each contact the index of its cell."""
        self._device: Device | None = None
        self._problem: str | None = None
        self._contacts, self._pushed = Steady(), Steady()
        self._flicker = Flicker()
        self._standing: set[int] = set()
        self._delivered: BoardView | None = None
        self._held_since_ms: int | None = None
        self._signals = Signals()
        self._switched: int | None = None

    @property
    def device(self) -> Device | None:
        """What the pins said of themselves, None before their first answer."""
        return self._device

    @property
    def counters(self) -> Counters:
        """Traffic and faults so far."""
        drops = self._decoder.drops + self._drops
        return Counters(self._decoder.packets, drops.total(), 0, tuple(sorted(drops.items())))

    @property
    def problem(self) -> str | None:
        """Why this grid cannot be used for this game, in one sentence."""
        return self._problem

    def start(self, now_ms: int) -> Output:
        """Begins to read the pins."""
        self._decoder.receive(b"\0")
        self._forget()
        return Output(send=self._ask(now_ms))

    def receive(self, data: bytes, now_ms: int) -> Output:
        """Takes what the pins say."""
        self._looked_ms = now_ms
        output = Output()
        for packet in self._decoder.receive(data):
            try:
                message = told(packet)
            except BadPayload:
                self._drops["bad payload"] += 1
                continue
            if message is None:
                self._drops["unknown type"] += 1
                continue
            self._heard_ms = now_ms
            output = _joined(output, self._take(message, now_ms))
        return output

    def tick(self, now_ms: int) -> Output:
        """Does what is due at this time."""
        self._looked_ms = now_ms
        if self._grid is None:
            is_due = self._asked_ms is not None and now_ms >= self._asked_ms + ASK_MS
            return Output(send=self._ask(now_ms) if is_due else b"")
        if now_ms >= self._heard_ms + SILENCE_MS:
            self._forget()
            return Output(online=False, send=self._ask(now_ms))
        return self._settle(now_ms)

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""
        if self._grid is None:
            return None if self._asked_ms is None else self._asked_ms + ASK_MS
        due = (
            self._heard_ms + SILENCE_MS,
            self._contacts.deadline_ms(),
            self._pushed.deadline_ms(),
            self._flicker.deadline_ms(),
            None if self._held_since_ms is None else self._held_since_ms + HOLD_MS,
            self._signals.next_ms(self._looked_ms) if self._grid.outputs else None,
        )
        return min(at_ms for at_ms in due if at_ms is not None)

    def show(self, cues: Cues, now_ms: int) -> Output:
        """Says by lamp and buzzer that something is to be done; what, only the page can say."""
        self._looked_ms = now_ms
        self._signals.show(cues, now_ms)
        return Output(send=self._switches(now_ms))

    def _take(self, message: Told, now_ms: int) -> Output:
        if isinstance(message, Grid):
            return self._greet(message, now_ms)
        if self._grid is None or self._problem is not None:
            return Output()
        if message.contacts.bit_length() > len(self._cells):
            self._drops["wrong number of contacts"] += 1
            return Output()
        self._contacts.take(message.contacts, now_ms)
        self._pushed.take(message.pushed, now_ms)
        return self._settle(now_ms)

    def _greet(self, grid: Grid, now_ms: int) -> Output:
        is_new = self._grid is None
        self._grid = grid
        self._device = Device("Dambord GPIO matrix", grid.unique_id.hex(), grid.library, False, False, False)
        cells = _cells_of(self._geometry, grid, self._turned)
        self._cells = cells or ()
        self._problem = None if cells is not None else _misfit(self._geometry, grid)
        self._switched = None
        return Output(online=True if is_new else None, send=self._switches(now_ms))

    def _settle(self, now_ms: int) -> Output:
        """Takes over what has been steady for long enough."""
        pressed, stopped = self._press(now_ms)
        changed = self._contacts.settle(now_ms)
        for contact, cell in enumerate(self._cells):
            if changed >> contact & 1:
                self._note(cell, bool(self._contacts.level >> contact & 1), now_ms)
        self._standing.difference_update(self._flicker.expire(now_ms))
        views = self._views() if self._contacts.is_known else ()
        return Output(views, pressed, self._switches(now_ms), stopped=stopped)

    def _note(self, cell: int, stands: bool, now_ms: int) -> None:
        is_first = self._delivered is None
        if is_first or not self._flicker.note(cell, int(cell in self._standing), int(stands), now_ms):
            (self._standing.add if stands else self._standing.discard)(cell)

    def _views(self) -> tuple[BoardView, ...]:
        place = placement(self._geometry, self._turned)
        flickering = self._flicker.weak()
        view = view_of(
            (OCCUPIED if index in self._standing else EMPTY for index in place.squares),
            (cell for index, cell in place.others if index in self._standing),
            weak=(square for square, index in enumerate(place.squares) if index in flickering),
        )
        if view == self._delivered:
            return ()
        self._delivered = view
        return (view,)

    def _press(self, now_ms: int) -> tuple[tuple[str, ...], bool | None]:
        """What went down, and whether the emergency stop was pressed or let go."""
        is_first = not self._pushed.is_settled
        changed = self._pushed.settle(now_ms)
        if not self._pushed.is_settled:
            return (), None
        down = self._pushed.level
        has_stop = self._grid is not None and bool(self._grid.inputs >> _STOP & 1)
        # Closed as long as all is well: pressed, or its wire broken, it is open.
        stopped = not down >> _STOP & 1 if has_stop and (is_first or changed >> _STOP & 1) else None
        if is_first:
            return (), stopped
        pressed = [INPUTS[bit] for bit in _BUTTONS if changed >> bit & 1 and down >> bit & 1]
        if changed >> _CLOCK & 1:
            pressed.append("clock_white" if down >> _CLOCK & 1 else "clock_black")
        return self._with_hold(pressed, bool(down >> _NEW_GAME & 1), now_ms), stopped

    def _with_hold(self, pressed: list[str], is_down: bool, now_ms: int) -> tuple[str, ...]:
        """Buttons pressed, where the one for a new game waits until it is known whether it is a long press."""
        if "new_game" in pressed:
            self._held_since_ms = now_ms
            pressed.remove("new_game")
        if self._held_since_ms is None:
            return tuple(pressed)
        if not is_down:
            self._held_since_ms = None
            return (*pressed, "new_game")
        if now_ms < self._held_since_ms + HOLD_MS:
            return tuple(pressed)
        self._held_since_ms = None
        return (*pressed, "set_up")

    def _switches(self, now_ms: int) -> bytes:
        """What is to be switched on or off now."""
        if self._grid is None or not self._grid.outputs:
            return b""
        lamp, buzzer = self._signals.levels(now_ms)
        on = (lamp * _LAMP | buzzer * _BUZZER) & self._grid.outputs
        if on == self._switched:
            return b""
        self._switched = on
        return self._written(Switch(on))

    def _forget(self) -> None:
        self._grid = None
        self._contacts, self._pushed = Steady(), Steady()
        self._flicker.clear()
        self._standing.clear()
        self._delivered = None
        self._held_since_ms = None

    def _ask(self, now_ms: int) -> bytes:
        self._asked_ms = now_ms
        return self._written(Ask())

    def _written(self, message: Asked) -> bytes:
        self._sequence = (self._sequence + 1) % 256
        return written(message, self._sequence)


def _joined(one: Output, other: Output) -> Output:
    """Two outputs one after the other."""
    return Output(
        one.views + other.views,
        one.pressed + other.pressed,
        one.send + other.send,
        one.online if other.online is None else other.online,
        stopped=one.stopped if other.stopped is None else other.stopped,
    )


def _cells_of(geometry: Geometry, grid: Grid, turned: int) -> tuple[int, ...] | None:
    """For each contact the index of its cell as the board counts them; None where the grid does not fit the board.

    With fewer columns than cells there is one contact a playing square, counted in each row from the left.
    """
    columns, rows = geometry.columns, geometry.rows
    if grid.rows != rows:
        return None
    if grid.columns == columns:
        return tuple(range(columns * rows))
    playing = {own_cell(geometry, turned, cell) for cell in geometry.cells}
    cells = [(column, row) for row in range(rows) for column in range(columns) if (column, row) in playing]
    if [sum(cell[1] == row for cell in cells) for row in range(rows)] != [grid.columns] * rows:
        return None
    return tuple(row * columns + column for column, row in cells)


def _misfit(geometry: Geometry, grid: Grid) -> str:
    return (
        f"The pins make a grid of {grid.columns} columns and {grid.rows} rows, expected {geometry.columns}x"
        f"{geometry.rows}, or {len(geometry) // geometry.rows} columns with a contact under each playing square: "
        "choose a variant that fits it, or put the missing pins into the configuration."
    )
