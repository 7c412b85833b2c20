"""The board's end of a DGT-compatible line (unofficial): a slow scan, a slow wire, no checksum."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import ceil

from engine.geometry import Cell
from engine.position import Piece
from firmware_bridge.simulator.cable import Cable
from firmware_bridge.simulator.dgt_bus_end import BusEnd
from firmware_bridge.simulator.dgt_clock_unit import ClockUnit
from firmware_bridge.simulator.faults import NONE, Faults, Noise
from firmware_bridge.simulator.scan import Scanner

SCAN_MS = 225
BOOT_MS = 500
BYTES_PER_MS = 0.96
COMMAND_MS = 3
INPUT_BYTES = 10
CLOCK_MS = 1000
LOG_BYTES = 0x1F00
PING_SPREAD_MS = 1100
TRADE_MARK = b"DAMBORD SIMULATED BOARD"
WRONG_CODE = 0x0D
CODES: dict[str, dict[Piece, int]] = {
    name: dict(
        zip((Piece.EMPTY, Piece.WHITE_MAN, Piece.BLACK_MAN, Piece.WHITE_KING, Piece.BLACK_KING), codes, strict=True)
    )
    for name, codes in (
        ("draughts-2011", (0, 1, 4, 7, 10)),
        ("draughts-old", (0, 1, 7, 4, 10)),
        ("chess-pawns", (0, 1, 7, 6, 12)),
    )
}
_BUS, _IDLE, _UPDATE, _UPDATE_BOARD, _UPDATE_NICE = "bus", "idle", "update", "update board", "update nice"
_MODES = {0x40: _IDLE, 0x43: _UPDATE, 0x44: _UPDATE_BOARD, 0x4B: _UPDATE_NICE}
_UPDATING = (_UPDATE, _UPDATE_BOARD, _UPDATE_NICE)
_BATTERY, _TO_CLOCK = 0x4C, 0x2B
_CLOCK_BUTTONS = ("clock_white", "clock_black")


class DgtBoard:
    """A board of 64 or 100 fields read one after another; its numbering turns with it when it lies `rotated`."""

    def __init__(  # noqa: PLR0913
        self,
        columns: int,
        rows: int,
        *,
        seed: int = 0,
        faults: Faults = NONE,
        codes: str = "draughts-2011",
        rotated: bool = False,
        serial: int = 10247,
        clock: bool = True,
        dark_only: bool = False,
        battery: int | None = 90,
        shows_text: bool = True,
        cable: Cable | None = None,
        mode_23: bool = True,
    ) -> None:
        """`cable` is one that other boards speak on too; `mode_23`: the clock may be set."""
        self._columns = columns
        self._fields = columns * rows
        self._noise = Noise(faults, seed)
        self._scanner = Scanner(self._fields, SCAN_MS, CODES[codes], self._noise, WRONG_CODE)
        self._cable = cable or Cable(BYTES_PER_MS, self._noise)
        self._bus = BusEnd(serial % 16384)
        self._rotated = rotated
        self._serial = serial
        self._clock = clock
        self.unit = ClockUnit(obeys=mode_23)
        self._now_ms = 0.0
        self._dark_only = dark_only
        self.battery = battery
        """Percent left; None on a board that is fed over its cable and does not answer when asked."""
        self.charging = False
        self._shows_text = shows_text
        self.display = ""
        """What the clock shows instead of its times."""
        self.told: list[bytes] = []
        """The clock commands that have come."""
        self.asked: list[int] = []
        """The bus commands that it has obeyed."""
        self._mode = _BUS
        self._bus_command: tuple[int, int] | None = None
        self._bus_ms: int | None = None
        """When the one bus command that it can hold is obeyed."""
        self._ping_ms: int | None = None
        """When it answers a ping to all boards."""
        self._input: deque[int] = deque()
        self._read_ms = 0
        self._clock_ms: int | None = None
        self._boot_ms = 0
        self._log = bytearray(b"\x6a")
        self._log_ms = 0.0

    def put(self, cell: Cell, piece: Piece, now_ms: int) -> None:
        """A hand puts a piece on a cell; nothing else stands there afterwards."""
        self._scanner.put(self._field(cell), piece, now_ms)

    def take(self, cell: Cell, now_ms: int) -> None:
        """A hand takes away what stands on a cell."""
        self.put(cell, Piece.EMPTY, now_ms)

    def contents(self, cell: Cell) -> Piece:
        """What stands on a cell, whatever the board says."""
        return self._scanner.contents(self._field(cell))

    def break_sensor(self, cell: Cell) -> None:
        """From now on a field reads empty whatever stands there."""
        self._scanner.break_sensor(self._field(cell))

    def press(self, button: str, now_ms: int) -> None:
        """A player pushes the lever of the clock down on his side; ValueError when the board has no such button."""
        if not self._clock or button not in _CLOCK_BUTTONS:
            raise ValueError(f"no button {button!r} on this board, only {', '.join(_CLOCK_BUTTONS)} with a clock")
        self._scan(now_ms)
        left = "clock_black" if self._rotated else "clock_white"
        right_high = button == left
        if right_high != self.unit.right_high:
            self._now_ms = now_ms
            self.unit.lever(right_high, now_ms)
            if self._mode in (_UPDATE, _UPDATE_NICE):
                self._say(0x0D, self._times(), now_ms)

    def lamps(self, now_ms: int) -> dict[Cell, str]:
        """Nothing: this board has no lamps."""
        return {}

    def power_cycle(self, now_ms: int) -> None:
        """The power goes and comes back; what stood on the board still stands there."""
        self._mode = _BUS
        self._boot_ms = now_ms + BOOT_MS
        self._input.clear()
        self._cable.cut(now_ms)
        self._clock_ms = None
        self._log.append(0x6A)
        self._bus.restart()
        self._scanner.restart(now_ms)
        for field, code in enumerate(self._scanner.read):
            if code:
                self._log += bytes((0x40 | code, field))
                self._bus.note(bytes((0x40 | code, field)))

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Takes bytes from the host, gives bytes for it."""
        out = self.tick(now_ms)
        for byte in self._noise.spoil(data) if now_ms >= self._boot_ms else b"":
            command = self._bus.take(byte)
            if command is not None and self._mode != _BUS:
                self._mode = _BUS  # that it does, and no more
            elif command is not None:
                self._bus_ms = now_ms + COMMAND_MS if self._bus_ms is None else self._bus_ms
                self._bus_command = self._bus_command or command
            if self._bus.is_taking:
                continue
            # What is for the clock is passed on as it comes; only commands of the board's own have to wait.
            if len(self._input) < INPUT_BYTES or self._input[0] == _TO_CLOCK:
                self._input.append(byte)
        if self._input:
            self._read_ms = max(self._read_ms, now_ms + 1)
        return out

    def tick(self, now_ms: int) -> bytes:
        """Gives the bytes that have left the board by this time."""
        self._now_ms = max(self._now_ms, now_ms)
        self._scan(now_ms)
        while self._input and self._read_ms <= now_ms:
            self._read_command(self._read_ms)
            self._read_ms += COMMAND_MS
        self._obey_bus(now_ms)
        self._run_clock(now_ms)
        return self._cable.arrived(now_ms)

    def deadline_ms(self) -> int | None:
        """When tick has something to do, None when nothing will happen by itself."""
        due = [self._read_ms if self._input else None, self._clock_ms, self._bus_ms, self._ping_ms]
        moments = (*due, self._cable.deadline_ms(), self._scanner.deadline_ms())
        return min((ceil(moment) for moment in moments if moment is not None), default=None)

    def _field(self, cell: Cell) -> int:
        field = cell[1] * self._columns + cell[0]
        return self._fields - 1 - field if self._rotated else field

    def _scan(self, now_ms: int) -> None:
        for at_ms, field, code in self._scanner.advance(now_ms):
            quick = 0x10 if at_ms - self._log_ms < 250 else 0
            self._log += bytes((0x40 | quick | code, field))
            self._bus.note(bytes((0x40 | quick | code, field)))
            self._log_ms = at_ms
            if self._mode in _UPDATING:
                self._say(0x0E, bytes((field, code)), at_ms)

    def _read_command(self, at_ms: int) -> None:
        command = self._input.popleft()
        if command >= 0x80:
            return
        if command == _TO_CLOCK and self._clock:
            self._tell_clock(self._data(), at_ms)
        elif command in (_TO_CLOCK, 0x60):
            self._data()
        if command in _MODES:
            self._mode = _MODES[command]
            self._clock_ms = at_ms + CLOCK_MS if self._tells_times else None
        elif 0x40 <= command <= 0x60 and self._mode == _BUS:
            self._mode = _IDLE
        if command == 0x4A:
            self._mode = _BUS
        service = _SERVICES.get(command)
        halves = command in (0x50, 0x52)
        absent = (halves and self._fields != 100) or (command == _BATTERY and self.battery is None)
        if service is not None and not absent:
            identifier, payload = service
            self._say(identifier, payload(self), at_ms)

    def _data(self) -> bytes:
        size = self._input.popleft() if self._input else 0
        return bytes(self._input.popleft() for _ in range(min(size, len(self._input))))

    def _tell_clock(self, data: bytes, at_ms: float) -> None:
        """The clock does as it is told, or says that it cannot."""
        self.told.append(data)
        is_text = len(data) == 12 and data[:2] == b"\x03\x0c" and self._shows_text
        if is_text:
            self.display = data[2:10].decode("ascii").rstrip()
        elif data == b"\x03\x03\x00":
            self.display = ""
        is_set = self.unit.set(data, at_ms)
        if is_set and self._tells_times and self._clock_ms is None:
            self._clock_ms = ceil(at_ms) + CLOCK_MS
        done = is_text or is_set or (not self.display and data[1:2] != b"\x0a")
        may = is_set or self._shows_text
        self._say(0x0D, bytes((0x0A, 0x10 if done and may else 0x40, 0, 0x0A, 0, 0, 0)), at_ms)

    def _obey_bus(self, now_ms: int) -> None:
        if self._ping_ms is not None and self._ping_ms <= now_ms:
            self._tell_bus(0x87, b"", self._ping_ms)
            self._ping_ms = None
        if self._bus_ms is None or self._bus_ms > now_ms or self._bus_command is None:
            return
        (command, address), at_ms = self._bus_command, self._bus_ms
        self._bus_command = self._bus_ms = None
        if address not in (0, self._bus.address) or (address == 0 and command not in (0x87, 0x88, 0x89)):
            return
        self.asked.append(command)
        if command == 0x87 and address == 0:
            if not self._bus.leaves_out_ping():
                self._ping_ms = at_ms + self._noise.random.randint(0, PING_SPREAD_MS)
        elif command == 0x88:
            self._mode = _IDLE
        elif command == 0x89:
            self.power_cycle(at_ms)
        elif command in _BUS_SERVICES:
            for kind, data in _BUS_SERVICES[command](self):
                self._tell_bus(kind, data, at_ms)

    def _tell_bus(self, kind: int, data: bytes, at_ms: float) -> None:
        self._transmit(self._bus.message(kind, data), at_ms)

    def _dump(self) -> bytes:
        return self._half(0) + bytes(14) if self._dark_only else bytes(self._scanner.read)

    def _half(self, colour: int) -> bytes:
        """Codes of every second field in each row: 0 the black fields, 1 the white ones."""
        rows = range(self._fields // self._columns)
        return b"".join(
            bytes(self._scanner.read[row * self._columns + (row + 1 + colour) % 2 : (row + 1) * self._columns : 2])
            for row in rows
        )

    def _power(self) -> bytes:
        return bytes((self.battery or 0, 0x7F, 0x7F, 1, 2, 0, 0, 0, 1 if self.charging else 2))

    def _times(self) -> bytes:
        if not self._clock:
            return bytes((0, 0, 0, 0, 0, 0, 0x20))
        return self.unit.told(self._now_ms)

    def _log_payload(self) -> bytes:
        self._log = self._log[-(LOG_BYTES - 1) :]
        return (bytes(self._log) + b"\x6b").rjust(LOG_BYTES, b"\x7f")

    @property
    def _tells_times(self) -> bool:
        """Whether times are told every second: in one mode always, in the other while they change."""
        return self._mode == _UPDATE or (self._mode == _UPDATE_NICE and self.unit.runs is not None)

    def _run_clock(self, now_ms: int) -> None:
        while self._clock_ms is not None and self._clock_ms <= now_ms:
            self._say(0x0D, self._times(), self._clock_ms)
            self._clock_ms = self._clock_ms + CLOCK_MS if self._tells_times else None

    def _say(self, identifier: int, payload: bytes, at_ms: float) -> None:
        total = len(payload) + 3
        self._transmit(bytes((0x80 | identifier, total >> 7, total & 0x7F)) + payload, at_ms)

    def _transmit(self, message: bytes, at_ms: float) -> None:
        if self._noise.happens(self._noise.faults.power_cycle):
            self.power_cycle(ceil(at_ms))
            return
        self._cable.send(message, at_ms)


_SERVICES: dict[int, tuple[int, Callable[[DgtBoard], bytes]]] = {
    0x41: (0x0D, DgtBoard._times),
    0x42: (0x06, DgtBoard._dump),
    0x45: (0x11, lambda board: b"%05d" % board._serial),
    0x46: (0x10, lambda board: bytes((board._serial % 16384 >> 7, board._serial & 0x7F))),
    0x47: (0x12, lambda board: TRADE_MARK),
    0x49: (0x0F, DgtBoard._log_payload),
    _BATTERY: (0x20, DgtBoard._power),
    0x4D: (0x13, lambda board: b"\x01\x02"),
    0x50: (0x14, lambda board: board._half(0)),
    0x52: (0x15, lambda board: board._half(1)),
    0x55: (0x22, lambda board: b"%010d" % board._serial),
}
"""For each command that is answered: identifier and payload of the answer."""
_BUS_SERVICES: dict[int, Callable[[DgtBoard], tuple[tuple[int, bytes], ...]]] = {
    0x81: lambda board: ((0x84, board._times()),),
    0x82: lambda board: ((0x83, board._dump()),),
    0x83: lambda board: ((0x85, board._bus.changes()),),
    0x84: lambda board: ((0x85, board._bus.repeated),),
    0x87: lambda board: ((0x87, b""),),
    0x8A: lambda board: ((0x87, board._bus.hush()),),
    0x8B: lambda board: ((0x89, b"\x01\x02"),),
    0x8C: lambda board: ((0x8A, board._half(0)),) if board._fields == 100 else (),
    0x8D: lambda board: ((0x85, board._bus.changes()), (0x84, board._times()), (0x83, board._dump())),
}
"""For each bus command that is answered: types and data of what it answers."""
