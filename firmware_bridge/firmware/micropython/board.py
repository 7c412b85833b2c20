"""The board that config.py describes: its parts, and what they say, cell by cell."""

import struct

import settings
import store
import wire
from debounce import Debounced
from machine import unique_id
from parts import Buttons, Buzzer, Lamps
from sensors import Halls, Switches

VERSION = (1, 0, 0)
_WITHOUT_SENSOR = (0, 1, 0, 0, wire.IS_DEAD)
_SENSORS = {"every": wire.EVERY_CELL, "left": wire.LEFT_CELLS, "right": wire.RIGHT_CELLS}


class Board:
    """All parts of one board."""

    def __init__(self, config: object) -> None:
        self.columns, self.rows = config.COLUMNS, config.ROWS
        self._cell_of = settings.sensors(config)
        self._sensor_of = {cell: sensor for sensor, cell in enumerate(self._cell_of)}
        self.sensors = (Halls if config.SENSING == "hall" else Switches)(config, len(self._cell_of))
        self.thresholds = self.sensors.thresholds
        self.steady = Debounced(len(self._cell_of))
        self.buttons = Buttons(config.BUTTONS)
        lamps = settings.lamps(config)
        self.lamps = None if config.LAMP_PIN is None else Lamps(config.LAMP_PIN, lamps, config.LAMP_MILLIAMPERES)
        self.buzzer = None if config.BUZZER_PIN is None else Buzzer(config.BUZZER_PIN)
        self.restarts = store.count_start()
        self.cells = bytearray((self.columns * self.rows + 3) // 4)
        """Two bits a cell, as in STATE."""
        self.magnets = bytearray(2 * ((self.columns * self.rows + 7) // 8))
        """Kings, then weak ones, as in MAGNETS."""
        self.has_keys = bool(set(wire.KEY_NAMES) & set(config.BUTTONS))
        self.hello = _hello(config, self)
        self._use_kept()
        self.scan(0)
        self.steady.begin()
        self._pack()

    def scan(self, now_ms: int) -> tuple[bool, bool]:
        """Looks at all sensors and buttons; whether something has changed, and whether it was the magnets."""
        steady = self.steady
        self.sensors.scan(steady.codes, steady.marks, steady.told, steady.told_marks)
        steady.settle(now_ms)
        if steady.changed or steady.marks_changed:
            self._pack()
        pressed = self.buttons.scan(now_ms)
        return steady.changed or pressed, steady.marks_changed

    def readings(self, row: int) -> bytes:
        """The payload of READINGS."""
        values = self.sensors.values
        found = [self._sensor_of.get(cell) for cell in self._row(row)]
        return bytes((row,)) + b"".join(struct.pack("<H", 0 if one is None else values[one]) for one in found)

    def calibration(self, row: int) -> bytes:
        """The payload of CALIBRATION."""
        known = self.thresholds
        found = [self._sensor_of.get(cell) for cell in self._row(row)]
        fields = (_WITHOUT_SENSOR if one is None else known.get(one) for one in found)
        return bytes((row,)) + b"".join(struct.pack(wire.THRESHOLDS_FORMAT, *five) for five in fields)

    def calibrate(self, payload: bytes) -> None:
        """Uses the thresholds of a CALIBRATE from now on."""
        for place, cell in enumerate(self._row(payload[0])):
            if cell in self._sensor_of:
                fields = struct.unpack_from(wire.THRESHOLDS_FORMAT, payload, 1 + wire.THRESHOLDS_BYTES * place)
                self.thresholds.set(self._sensor_of[cell], fields)

    def keep(self, is_kept: bool) -> None:
        """Has the thresholds in use outlive a start, or goes back to those it came with."""
        if is_kept:
            store.write_calibration(b"".join(self.calibration(row) for row in range(self.rows)))
        else:
            self.thresholds.forget()
            store.write_calibration(b"")

    def _use_kept(self) -> None:
        if self.thresholds is None:
            return
        size = 1 + wire.THRESHOLDS_BYTES * self.columns
        kept = store.read_calibration(size * self.rows)
        if kept is not None:
            for row in range(self.rows):
                self.calibrate(kept[row * size : (row + 1) * size])

    def _row(self, row: int) -> range:
        return range(row * self.columns, (row + 1) * self.columns)

    def _pack(self) -> None:
        cells, magnets = self.cells, self.magnets
        told, marks, half = self.steady.told, self.steady.told_marks, len(magnets) // 2
        for place in range(len(cells)):
            cells[place] = 0
        for place in range(len(magnets)):
            magnets[place] = 0
        for sensor, cell in enumerate(self._cell_of):
            code = told[sensor]
            if code:
                cells[cell >> 2] |= code << 2 * (cell & 3)
                mark = marks[sensor]
                magnets[cell >> 3] |= (mark & 1) << (cell & 7)
                magnets[half + (cell >> 3)] |= (mark >> 1) << (cell & 7)


def _hello(config: object, board: Board) -> bytes:
    can = wire.COLOUR if config.TELLS_COLOURS else 0
    can |= 0 if board.lamps is None else wire.HAS_LAMPS | wire.DIMMER
    can |= wire.BUTTONS if {"confirm", "take_back", "new_game"} & set(config.BUTTONS) else 0
    can |= wire.CLOCK_LEVER if {"clock_white", "clock_black"} <= set(config.BUTTONS) else 0
    can |= 0 if board.buzzer is None else wire.HAS_BUZZER
    can |= wire.FURTHER_BUTTONS if board.has_keys else 0
    can |= 0 if board.thresholds is None else wire.STRENGTHS
    can |= wire.KINGS if config.TELLS_KINGS else 0
    number = (unique_id() + bytes(8))[:8]
    size = (board.columns, board.rows, _SENSORS[config.SENSORS])
    return struct.pack(wire.HELLO_FORMAT, wire.VERSION, can, *size, number, *VERSION)
