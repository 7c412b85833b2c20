"""A board of bare contacts wired to the pins of this machine: wood, wires and diodes, read by what reads real pins."""

from __future__ import annotations

from engine.geometry import Cell
from engine.position import Piece
from firmware_bridge.gpio import Scanner
from firmware_bridge.pins import Pins, pins_of
from firmware_bridge.simulator.faults import NONE, Faults
from firmware_bridge.simulator.matrix_board import MatrixBoard
from firmware_bridge.simulator.wires import Wires

PRESS_MS = 120
"""How long a finger stays on a button."""


def pins_for(columns: int, rows: int) -> Pins:
    """A grid with a contact under each cell, and as many buttons and lamps as the 26 pins leave room for."""
    free = iter(range(2, 28))
    grid = tuple(next(free) for _ in range(rows)), tuple(next(free) for _ in range(columns))
    names = ("confirm", "take_back", "new_game", "stop", "lamp")
    rest = ("draw", "resign", "clock_white", "clock_black", "buzzer")
    every = (*names, *rest) if columns + rows + len(names) + len(rest) <= 26 else (*names, "clock")
    single = dict(zip(every, free, strict=False))
    return pins_of({"rows": grid[0], "columns": grid[1], **single})


class GpioBoard:
    """The wood and its wires. It has no lamps of its own; `status_lamp` and `buzzer` are what hangs on the outputs."""

    def __init__(
        self, columns: int, rows: int, *, seed: int = 0, faults: Faults = NONE, pins: Pins | None = None
    ) -> None:
        self.pins = pins_for(columns, rows) if pins is None else pins
        self._size = (columns, rows)
        self._wood = MatrixBoard(columns, rows, seed=seed, faults=faults, debounce_ms=0)
        self._down_until_ms: dict[int, int] = {}
        self._lever = False
        self.wires = Wires(self.pins.rows, self.pins.columns)
        self._cells = self._wired_cells()
        self._look(0)
        self._scanner = self._new_scanner()

    @property
    def status_lamp(self) -> bool:
        """Whether the status lamp is lit."""
        return self.pins.lamp is not None and bool(self.wires.level(self.pins.lamp))

    @property
    def buzzer(self) -> bool:
        """Whether the buzzer sounds."""
        return self.pins.buzzer is not None and bool(self.wires.level(self.pins.buzzer))

    def put(self, cell: Cell, piece: Piece, now_ms: int) -> None:
        """A hand puts a piece on a cell; Piece.EMPTY takes away."""
        self._wood.put(cell, piece, now_ms)

    def take(self, cell: Cell, now_ms: int) -> None:
        """A hand takes away what stands on a cell."""
        self._wood.take(cell, now_ms)

    def contents(self, cell: Cell) -> Piece:
        """What stands on a cell, whatever the sensors say."""
        return self._wood.contents(cell)

    def break_sensor(self, cell: Cell) -> None:
        """From now on the contact of a cell stays open whatever stands there."""
        self._wood.break_sensor(cell)

    def press(self, button: str, now_ms: int) -> None:
        """A hand presses a button, the lever, or the emergency stop; ValueError when the board has no such part."""
        self.hold(button, PRESS_MS, now_ms)

    def hold(self, button: str, for_ms: int, now_ms: int) -> None:
        """A hand presses a button and keeps it down for so long."""
        if self.pins.clock is not None and button in ("clock_white", "clock_black"):
            self._lever = button == "clock_white"
            return
        pin = getattr(self.pins, button, None)
        if not isinstance(pin, int):
            raise ValueError(f"no button {button!r} on this board")
        self._down_until_ms[pin] = now_ms + for_ms

    def lamps(self, now_ms: int) -> dict[Cell, str]:
        """No square has a lamp."""
        return {}

    def power_cycle(self, now_ms: int) -> None:
        """The pins are set up anew."""
        self._wood.power_cycle(now_ms)
        self._scanner.close()
        self._scanner = self._new_scanner()

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Takes bytes from the driver, gives bytes for it."""
        self._look(now_ms)
        return self._scanner.receive(data, now_ms)

    def tick(self, now_ms: int) -> bytes:
        """Gives the bytes that are due at this time."""
        self._look(now_ms)
        return self._scanner.tick(now_ms)

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""
        return self._scanner.deadline_ms()

    def _new_scanner(self) -> Scanner:
        return Scanner(self.pins, self.wires, b"SIMGPIO0")

    def _look(self, now_ms: int) -> None:
        """Closes the contacts and switches that are closed at this time."""
        levels = self._wood.levels(now_ms)
        self.wires.closed[:] = bytes(levels[cell] > 0 for cell in self._cells)
        down = {pin for pin, until_ms in self._down_until_ms.items() if now_ms < until_ms}
        if self.pins.stop is not None:
            down ^= {self.pins.stop}  # closed as long as nobody presses it
        if self._lever and self.pins.clock is not None:
            down.add(self.pins.clock)
        self.wires.down = down

    def _wired_cells(self) -> tuple[int, ...]:
        """The cell of each contact: each one, or where there are fewer columns every second one, the first at a1."""
        columns, rows = self._size
        cells = [(column, row) for row in range(rows) for column in range(columns)]
        if len(self.pins.columns) < columns:
            cells = [(column, row) for column, row in cells if (column + row + rows - 1) % 2 == 0]
        return tuple(row * columns + column for column, row in cells)
