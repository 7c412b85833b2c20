"""Packets to typed messages and back: one table for link version 1. The fields are in PROTOCOL.md."""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import IntEnum, IntFlag

import msgspec

from engine.geometry import Cell
from firmware_bridge import wire
from firmware_bridge.driver import Role
from firmware_bridge.errors import BadPayload

VERSION = wire.VERSION
BUTTONS = wire.BUTTON_NAMES
KEY_BUTTONS = wire.KEY_NAMES
ROLE_NUMBERS = {Role(name): number for number, name in enumerate(wire.ROLE_NAMES) if name}
_ROLES = {number: role for role, number in ROLE_NUMBERS.items()}

MAX_LAMPS = wire.MAX_PAYLOAD // 2


class Capability(IntFlag):
    """What a board can do."""

    COLOUR = wire.COLOUR
    LAMPS = wire.HAS_LAMPS
    BUTTONS = wire.BUTTONS
    CLOCK_LEVER = wire.CLOCK_LEVER
    BUZZER = wire.HAS_BUZZER
    KEYS = wire.FURTHER_BUTTONS
    DIMMER = wire.DIMMER
    STRENGTHS = wire.STRENGTHS
    KINGS = wire.KINGS


class Sensors(IntEnum):
    """Which cells have a sensor."""

    ALL = wire.EVERY_CELL
    LEFT = wire.LEFT_CELLS
    """Every second cell, White's lower left corner among them."""
    RIGHT = wire.RIGHT_CELLS
    """Every second cell, White's lower right corner among them."""

    def covers(self, cell: Cell, rows: int) -> bool:
        """Whether this cell has a sensor on a board of so many rows."""
        if self is Sensors.ALL:
            return True
        return (cell[0] + rows - 1 - cell[1]) % 2 == (0 if self is Sensors.LEFT else 1)


class CellState(IntEnum):
    """What a sensor says of its cell."""

    EMPTY = wire.EMPTY
    OCCUPIED = wire.OCCUPIED
    WHITE = wire.WHITE
    BLACK = wire.BLACK


class Hello(msgspec.Struct, frozen=True):
    """Board: who it is and what it can do."""

    version: int
    capabilities: Capability
    columns: int
    rows: int
    sensors: Sensors
    unique_id: bytes
    firmware: tuple[int, int, int]


class State(msgspec.Struct, frozen=True):
    """Board: everything it senses, at one moment of its own clock."""

    time_ms: int
    held: int
    """Bit n set: button n is down."""
    presses: tuple[int, ...]
    """How often each button went down since the start of the board, modulo 256."""
    restarts: int
    """How often the board has started, modulo 256."""
    packed: bytes
    """Two bits a cell, row by row from the top left as White sees it, lowest bits first."""

    def cells(self, count: int) -> tuple[CellState, ...]:
        """The state of each of so many cells."""
        return tuple(_CELL_STATES[self.packed[cell >> 2] >> 2 * (cell & 3) & 3] for cell in range(count))


_CELL_STATES = tuple(CellState)


class Ack(msgspec.Struct, frozen=True):
    """Board: the command of this sequence has arrived."""

    sequence: int
    done: bool


class Pong(msgspec.Struct, frozen=True):
    """Board: answer to the ping of this sequence, and which lamp command is being shown (0: none)."""

    sequence: int
    lamps_sequence: int


class Keys(msgspec.Struct, frozen=True):
    """Board: how often each further button went down since its start, modulo 256, in which `restarts`."""

    restarts: int
    presses: tuple[int, ...]


class Magnets(msgspec.Struct, frozen=True):
    """Board: which cells of the next STATE hold a king, and which a magnet that is nearly too weak."""

    kings: bytes
    """One bit a cell, row by row from the top left as White sees it, lowest bits first."""
    weak: bytes
    """In the same form."""


def cells_of(bits: bytes) -> frozenset[int]:
    """The cells whose bit is set."""
    return frozenset(8 * place + bit for place, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1)


class Readings(msgspec.Struct, frozen=True):
    """Board: what the sensors of a row read just now, 0..65535 each."""

    row: int
    values: tuple[int, ...]


class Thresholds(msgspec.Struct, frozen=True):
    """What the readings of one cell mean; numbers are 0..65535, all but `rest` are distances from `rest`."""

    rest: int
    """The reading without a magnet."""
    present: int
    """From here on a piece stands on the cell; at least 1."""
    weak: int
    """Below this a piece's magnet is nearly too weak."""
    king: int = 0
    """From here on it is two magnets, one on the other; 0: never."""
    black_is_high: bool = False
    """Readings above `rest` are black pieces, otherwise white ones."""
    is_dead: bool = False
    """The sensor is not to be believed: its cell is always empty."""


class Calibration(msgspec.Struct, frozen=True):
    """Board: the thresholds in use for each cell of a row."""

    row: int
    cells: tuple[Thresholds, ...]


class Problem(msgspec.Struct, frozen=True):
    """Board: it cannot work as it was put together; one sentence for people."""

    text: str


class HelloRequest(msgspec.Struct, frozen=True):
    """Host: who are you; a new conversation begins."""

    version: int = VERSION


class Lamps(msgspec.Struct, frozen=True):
    """Host: these cells are lit, all others are dark."""

    lit: tuple[tuple[int, Role], ...] = ()
    """(index of the cell, counted as in State; role)."""


class Buzzer(msgspec.Struct, frozen=True):
    """Host: sound this pitch (Hz) for so long."""

    pitch_hz: int
    duration_ms: int


class Brightness(msgspec.Struct, frozen=True):
    """Host: light all lamps so brightly, 0 (the least that still shows every role) to 100 percent."""

    percent: int


class Ping(msgspec.Struct, frozen=True):
    """Host: I am alive."""


class Table(IntEnum):
    """What can be read of the sensors."""

    READINGS = 0
    CALIBRATION = 1


class Read(msgspec.Struct, frozen=True):
    """Host: tell me this of the sensors of a row; None: of every row."""

    what: Table
    row: int | None = None


class Calibrate(msgspec.Struct, frozen=True):
    """Host: use these thresholds for a row from now on."""

    row: int
    cells: tuple[Thresholds, ...]


class Keep(msgspec.Struct, frozen=True):
    """Host: keep the calibration in use over a start; `is_kept` False: use and keep the one you came with."""

    is_kept: bool = True


Command = Lamps | Buzzer | Brightness | Calibrate | Keep
"""What the board acknowledges and the host repeats."""

ToHost = Hello | State | Ack | Pong | Keys | Magnets | Readings | Calibration | Problem
ToBoard = HelloRequest | Lamps | Buzzer | Ping | Brightness | Read | Calibrate | Keep
Message = ToHost | ToBoard


class Kind(msgspec.Struct, frozen=True):
    """One row of the table: type byte, name in PROTOCOL.md, and both directions between payload and message."""

    number: int
    name: str
    message: type[Message]
    write: Callable[[Message], bytes]
    read: Callable[[bytes], Message]


_HELLO = struct.Struct(wire.HELLO_FORMAT)
_STATE = struct.Struct(wire.STATE_FORMAT)
_THRESHOLDS = struct.Struct(wire.THRESHOLDS_FORMAT)
_BUZZER = struct.Struct(wire.BUZZER_FORMAT)


def _write_hello(message: Message) -> bytes:
    assert isinstance(message, Hello)
    size = (message.columns, message.rows, message.sensors)
    return _HELLO.pack(message.version, message.capabilities, *size, message.unique_id, *message.firmware)


def _read_hello(payload: bytes) -> Hello:
    version, capabilities, columns, rows, sensors, unique_id, *firmware = _HELLO.unpack_from(payload)
    known = Capability(capabilities & sum(Capability))
    return Hello(version, known, columns, rows, Sensors(sensors), unique_id, (firmware[0], firmware[1], firmware[2]))


def _write_state(message: Message) -> bytes:
    assert isinstance(message, State)
    return _STATE.pack(message.time_ms, message.held, *message.presses, message.restarts) + message.packed


def _read_state(payload: bytes) -> State:
    time_ms, held, *presses, restarts = _STATE.unpack_from(payload)
    return State(time_ms, held, tuple(presses), restarts, payload[_STATE.size :])


def _write_ack(message: Message) -> bytes:
    assert isinstance(message, Ack)
    return bytes((message.sequence, 0 if message.done else 1))


def _read_ack(payload: bytes) -> Ack:
    sequence, result = payload
    return Ack(sequence, result == 0)


def _write_pong(message: Message) -> bytes:
    assert isinstance(message, Pong)
    return bytes((message.sequence, message.lamps_sequence))


def _read_pong(payload: bytes) -> Pong:
    sequence, lamps_sequence = payload
    return Pong(sequence, lamps_sequence)


def _write_keys(message: Message) -> bytes:
    assert isinstance(message, Keys)
    return bytes((message.restarts, *message.presses))


def _read_keys(payload: bytes) -> Keys:
    restarts, *presses = payload
    return Keys(restarts, tuple(presses))


def _write_hello_request(message: Message) -> bytes:
    assert isinstance(message, HelloRequest)
    return bytes((message.version,))


def _read_hello_request(payload: bytes) -> HelloRequest:
    (version,) = payload
    return HelloRequest(version)


def _write_lamps(message: Message) -> bytes:
    assert isinstance(message, Lamps)
    return b"".join(bytes((cell, ROLE_NUMBERS[role])) for cell, role in message.lit)


def _read_lamps(payload: bytes) -> Lamps:
    return Lamps(tuple((cell, _ROLES[role]) for cell, role in zip(payload[::2], payload[1::2], strict=True)))


def _write_buzzer(message: Message) -> bytes:
    assert isinstance(message, Buzzer)
    return _BUZZER.pack(message.pitch_hz, message.duration_ms)


def _read_buzzer(payload: bytes) -> Buzzer:
    return Buzzer(*_BUZZER.unpack(payload))


def _write_brightness(message: Message) -> bytes:
    assert isinstance(message, Brightness)
    return bytes((message.percent,))


def _read_brightness(payload: bytes) -> Brightness:
    (percent,) = payload
    if percent > 100:
        raise ValueError(f"a brightness of {percent} percent")
    return Brightness(percent)


def _write_ping(message: Message) -> bytes:
    return b""


def _read_ping(payload: bytes) -> Ping:
    if payload:
        raise ValueError("a ping carries nothing")
    return Ping()


def _write_magnets(message: Message) -> bytes:
    assert isinstance(message, Magnets)
    return message.kings + message.weak


def _read_magnets(payload: bytes) -> Magnets:
    half, odd = divmod(len(payload), 2)
    if odd:
        raise ValueError("kings and weak of different sizes")
    return Magnets(payload[:half], payload[half:])


def _write_readings(message: Message) -> bytes:
    assert isinstance(message, Readings)
    return struct.pack(f"<B{len(message.values)}H", message.row, *message.values)


def _read_readings(payload: bytes) -> Readings:
    row, *values = struct.unpack(f"<B{(len(payload) - 1) // 2}H", payload)
    return Readings(row, tuple(values))


def _written_thresholds(cell: Thresholds) -> bytes:
    flags = wire.BLACK_IS_HIGH * cell.black_is_high | wire.IS_DEAD * cell.is_dead
    return _THRESHOLDS.pack(cell.rest, cell.present, cell.weak, cell.king, flags)


def _read_thresholds(fields: tuple[int, int, int, int, int]) -> Thresholds:
    rest, present, weak, king, flags = fields
    if present == 0 or flags & ~(wire.BLACK_IS_HIGH | wire.IS_DEAD):
        raise ValueError(f"a threshold of {present} and flags of {flags}")
    return Thresholds(rest, present, weak, king, bool(flags & wire.BLACK_IS_HIGH), bool(flags & wire.IS_DEAD))


def _write_row(message: Message) -> bytes:
    assert isinstance(message, Calibration | Calibrate)
    return bytes((message.row,)) + b"".join(map(_written_thresholds, message.cells))


def _read_row(payload: bytes) -> tuple[int, tuple[Thresholds, ...]]:
    return payload[0], tuple(map(_read_thresholds, _THRESHOLDS.iter_unpack(payload[1:])))


def _read_calibration(payload: bytes) -> Calibration:
    return Calibration(*_read_row(payload))


def _read_calibrate(payload: bytes) -> Calibrate:
    return Calibrate(*_read_row(payload))


def _write_problem(message: Message) -> bytes:
    assert isinstance(message, Problem)
    return message.text.encode()


def _read_problem(payload: bytes) -> Problem:
    if not payload:
        raise ValueError("a problem without words")
    return Problem(payload.decode())


def _write_read(message: Message) -> bytes:
    assert isinstance(message, Read)
    return bytes((message.what, wire.EVERY_ROW if message.row is None else message.row))


def _read_read(payload: bytes) -> Read:
    what, row = payload
    return Read(Table(what), None if row == wire.EVERY_ROW else row)


def _write_keep(message: Message) -> bytes:
    assert isinstance(message, Keep)
    return bytes((message.is_kept,))


def _read_keep(payload: bytes) -> Keep:
    (kept,) = payload
    if kept > 1:
        raise ValueError(f"keep {kept}, neither 0 nor 1")
    return Keep(bool(kept))


KINDS: tuple[Kind, ...] = (
    Kind(wire.HELLO, "HELLO", Hello, _write_hello, _read_hello),
    Kind(wire.STATE, "STATE", State, _write_state, _read_state),
    Kind(wire.ACK, "ACK", Ack, _write_ack, _read_ack),
    Kind(wire.PONG, "PONG", Pong, _write_pong, _read_pong),
    Kind(wire.KEYS, "KEYS", Keys, _write_keys, _read_keys),
    Kind(wire.MAGNETS, "MAGNETS", Magnets, _write_magnets, _read_magnets),
    Kind(wire.READINGS, "READINGS", Readings, _write_readings, _read_readings),
    Kind(wire.CALIBRATION, "CALIBRATION", Calibration, _write_row, _read_calibration),
    Kind(wire.PROBLEM, "PROBLEM", Problem, _write_problem, _read_problem),
    Kind(wire.HELLO_REQUEST, "HELLO_REQUEST", HelloRequest, _write_hello_request, _read_hello_request),
    Kind(wire.LAMPS, "LAMPS", Lamps, _write_lamps, _read_lamps),
    Kind(wire.BUZZER, "BUZZER", Buzzer, _write_buzzer, _read_buzzer),
    Kind(wire.PING, "PING", Ping, _write_ping, _read_ping),
    Kind(wire.BRIGHTNESS, "BRIGHTNESS", Brightness, _write_brightness, _read_brightness),
    Kind(wire.READ, "READ", Read, _write_read, _read_read),
    Kind(wire.CALIBRATE, "CALIBRATE", Calibrate, _write_row, _read_calibrate),
    Kind(wire.KEEP, "KEEP", Keep, _write_keep, _read_keep),
)
"""Every message of link version 1."""

_BY_TYPE = {kind.number: kind for kind in KINDS}
_BY_MESSAGE = {kind.message: kind for kind in KINDS}


def payload_of(message: Message) -> tuple[int, bytes]:
    """Type byte and payload of a message."""
    kind = _BY_MESSAGE[type(message)]
    return kind.number, kind.write(message)


def message_of(type_: int, payload: bytes) -> Message | None:
    """The message of a payload, None for a type this version does not know; BadPayload when it does not fit."""
    kind = _BY_TYPE.get(type_)
    if kind is None:
        return None
    try:
        return kind.read(payload)
    except (ValueError, KeyError, IndexError, struct.error) as error:
        raise BadPayload(f"{kind.name} with a payload of {len(payload)} bytes: {error}") from error
