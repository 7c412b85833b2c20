"""The board's end of link version 1, written from PROTOCOL.md alone: bouncing contacts, lamps, buttons."""

from __future__ import annotations

from engine.geometry import Cell
from engine.position import Piece
from firmware_bridge.simulator.faults import FLIP_MS, GHOST_MS, MARGINAL_GONE_MS, NONE, Faults, Noise
from firmware_bridge.simulator.field import Field

BOOT_MS = 300
DARK_MS = 5000
WEAK_MS = (60, 600)
BUTTONS = ("confirm", "take_back", "new_game", "clock_white", "clock_black")
KEYS = ("draw", "resign")
ROLES = ("", "lift", "place", "path", "remove", "wrong", "hint")
MAGNETS_MS = 500
_HELLO, _STATE, _ACK, _PONG, _KEYS = 0x01, 0x02, 0x03, 0x04, 0x05
_MAGNETS, _READINGS, _CALIBRATION = 0x06, 0x07, 0x08
_HELLO_REQUEST, _LAMPS, _BUZZER, _PING, _BRIGHTNESS = 0x81, 0x82, 0x83, 0x84, 0x85
_READ, _CALIBRATE, _KEEP = 0x86, 0x87, 0x88
_USUAL_BRIGHTNESS = 100
_WHITE = Piece.WHITE_MAN | Piece.WHITE_KING


def _crc_table() -> tuple[int, ...]:
    table = []
    for high in range(256):
        value = high << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
        table.append(value)
    return tuple(table)


_CRC = _crc_table()


def _crc(data: bytes) -> int:
    value = 0xFFFF
    for byte in data:
        value = (value << 8 & 0xFF00) ^ _CRC[value >> 8 ^ byte]
    return value


def _framed(kind: int, sequence: int, payload: bytes) -> bytes:
    body = bytes((kind, sequence)) + payload
    crc = _crc(body)
    out = bytearray((0,))
    mark = 0
    for byte in body + bytes((crc & 0xFF, crc >> 8)):
        if byte:
            out.append(byte)
            continue
        out[mark] = len(out) - mark
        mark = len(out)
        out.append(0)
    out[mark] = len(out) - mark
    out.append(0)
    return bytes(out)


def _opened(stuffed: bytes) -> tuple[int, int, bytes] | None:
    """(type, sequence, payload) of what stood between two delimiters, None when it is spoilt."""
    body = bytearray()
    rest = stuffed
    while rest:
        length, rest = rest[0], rest[1:]
        if length - 1 > len(rest):
            return None
        body += rest[: length - 1]
        rest = rest[length - 1 :]
        if rest:
            body.append(0)
    if not 4 <= len(body) <= 204 or _crc(bytes(body[:-2])) != body[-2] | body[-1] << 8:
        return None
    return body[0], body[1], bytes(body[2:-2])


class MatrixBoard:
    """A board of `columns` x `rows` cells with a sensor under each; the world is moved by put, take and press."""

    def __init__(  # noqa: PLR0913
        self,
        columns: int,
        rows: int,
        *,
        colour: bool = False,
        seed: int = 0,
        faults: Faults = NONE,
        period_ms: int = 20,
        debounce_ms: int = 30,
        unique_id: bytes = b"SIMBOARD",
        rotated: bool = False,
        quarters: int = 0,
        dims: bool = False,
        link_version: int = 1,
        measures: bool = False,
        kings: bool = False,
    ) -> None:
        self._size = (columns, rows)
        self._link_version = link_version
        self._colour = colour
        self._noise = Noise(faults, seed)
        self._period_ms = period_ms
        self._debounce_ms = debounce_ms
        self._unique_id = unique_id
        self._quarters = 2 if rotated else quarters
        cells = columns * rows
        self._world = [Piece.EMPTY] * cells
        self._levels = bytearray(cells)
        self._coming: dict[int, list[tuple[int, int]]] = {}
        self._weak: set[int] = set()
        self._marginal: set[int] = set()
        self._dead: set[int] = set()
        self._stuck: set[int] = set()
        self._flip_ms = self._noise.until_flip_ms()
        self._restarts = 0
        self._presses = [0] * len(BUTTONS)
        self._held: dict[int, int] = {}
        self._key_presses = [0] * len(KEYS)
        self._input = b""
        self._sequence = 0
        self._acted = 0
        self._lamps: dict[int, str] = {}
        self._lamps_sequence = 0
        self._dims = dims
        self._brightness = _USUAL_BRIGHTNESS
        self._field = Field(columns, rows, seed) if measures else None
        self._kings = kings
        self._faint: set[int] = set()
        self._magnets = b""
        self._magnets_ms = 0
        self._buzzes = 0
        self._host_ms = 0
        self._boot_ms = 0
        self._greeted = False
        self._state_ms = 0
        self._held_back = b""
        self._stalled_until_ms = 0

    @property
    def brightness(self) -> int:
        """How brightly the lamps are lit: 0 (the least that still shows every role) to 100 percent."""
        return self._brightness

    @property
    def buzzes(self) -> int:
        """How often the buzzer has sounded."""
        return self._buzzes

    @property
    def field(self) -> Field:
        """The sensors of a board that measures; ValueError on one that does not."""
        if self._field is None:
            raise ValueError("this board does not measure how strong a magnet is")
        return self._field

    def weaken(self, cell: Cell) -> None:
        """The magnet of the piece on a cell is a weak one."""
        self._faint.add(self._index(cell))

    def put(self, cell: Cell, piece: Piece, now_ms: int) -> None:
        """A hand puts a piece on a cell; nothing else stands there afterwards."""
        index = self._index(cell)
        faults, lifted = self._noise.faults, self._world[index]
        self._world[index] = piece
        self._weak.discard(index)
        self._marginal.discard(index)
        self._faint.discard(index)
        if piece is not Piece.EMPTY and self._noise.happens(faults.weak_piece):
            self._weak.add(index)
        elif piece is not Piece.EMPTY and self._noise.happens(faults.marginal_piece):
            self._marginal.add(index)
        self._chatter(index, now_ms)
        if self._noise.happens(faults.ghost):
            self._haunt(index, piece or lifted, now_ms)

    def take(self, cell: Cell, now_ms: int) -> None:
        """A hand takes away what stands on a cell."""
        self.put(cell, Piece.EMPTY, now_ms)

    def contents(self, cell: Cell) -> Piece:
        """What stands on a cell, whatever the sensors say."""
        return self._world[self._index(cell)]

    def levels(self, now_ms: int) -> bytes:
        """What each sensor tells now: 0 empty, 1 a piece, 2 a white one, 3 a black one; cells as the board counts."""
        self._sense(now_ms)
        return bytes(self._levels)

    def break_sensor(self, cell: Cell) -> None:
        """From now on the sensor of a cell reads empty whatever stands there."""
        index = self._index(cell)
        self._dead.add(index)
        self._coming.pop(index, None)
        self._levels[index] = 0

    def stick_sensor(self, cell: Cell) -> None:
        """From now on the sensor of a cell reads a piece whatever stands there."""
        index = self._index(cell)
        self._stuck.add(index)
        self._coming.pop(index, None)
        self._levels[index] = self._code(index)

    def press(self, button: str, now_ms: int) -> None:
        """A hand presses a button; ValueError when the board has no such button."""
        if button not in (*BUTTONS, *KEYS):
            raise ValueError(f"no button {button!r} on this board, only {', '.join((*BUTTONS, *KEYS))}")
        names, presses = (BUTTONS, self._presses) if button in BUTTONS else (KEYS, self._key_presses)
        index = names.index(button)
        presses[index] = (presses[index] + 1) % 256
        self._state_ms = min(self._state_ms, now_ms)

    def hold(self, button: str, for_ms: int, now_ms: int) -> None:
        """A hand presses a button and keeps it down for so long."""
        self.press(button, now_ms)
        if button in BUTTONS:
            self._held[BUTTONS.index(button)] = now_ms + for_ms

    def release(self, button: str, now_ms: int) -> None:
        """A hand lets go of a button; ValueError when the board has no such button."""
        if button not in (*BUTTONS, *KEYS):
            raise ValueError(f"no button {button!r} on this board, only {', '.join((*BUTTONS, *KEYS))}")
        if button in BUTTONS:
            self._held.pop(BUTTONS.index(button), None)
        self._state_ms = min(self._state_ms, now_ms)

    def lamps(self, now_ms: int) -> dict[Cell, str]:
        """The lit cells with the role each shows."""
        self._darken(now_ms)
        return {self._cell(index): role for index, role in self._lamps.items()}

    def power_cycle(self, now_ms: int) -> None:
        """The power goes and comes back; what stood on the board still stands there."""
        self._boot_ms = now_ms + BOOT_MS
        self._greeted = False
        self._state_ms = self._boot_ms
        self._restarts = (self._restarts + 1) % 256
        self._presses = [0] * len(BUTTONS)
        self._key_presses = [0] * len(KEYS)
        self._input = b""
        self._held_back = b""
        self._sequence = self._acted = 0
        self._brightness = _USUAL_BRIGHTNESS
        self._forget_lamps()
        self._coming.clear()
        if self._field is not None:
            self._field.start()
        for index in range(len(self._world)):
            self._levels[index] = self._code(index)
            if index in self._weak or index in self._marginal:
                self._chatter(index, self._boot_ms)

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Takes bytes from the host, gives bytes for it."""
        out = self._due(now_ms)
        if now_ms < self._boot_ms:
            return self._through(out, now_ms)
        *whole, self._input = (self._input + self._noise.spoil(data)).split(b"\0")
        self._input = self._input[-256:]
        for stuffed in whole:
            opened = _opened(stuffed)
            if opened is not None:
                out += self._answer(*opened, now_ms)
        return self._through(out, now_ms)

    def tick(self, now_ms: int) -> bytes:
        """Gives the bytes that are due at this time."""
        return self._through(self._due(now_ms), now_ms)

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""
        due = min((events[0][0] for events in self._coming.values()), default=self._state_ms)
        if self._flip_ms is not None:
            due = min(due, self._flip_ms)
        due = max(min(due, self._state_ms), self._boot_ms)
        if self._held_back:
            return max(self._stalled_until_ms, 0)
        return max(due, self._stalled_until_ms)

    def _due(self, now_ms: int) -> bytes:
        if now_ms < self._boot_ms:
            return b""
        changed = self._sense(now_ms)
        out = b""
        if not self._greeted:
            self._greeted = True
            out += self._hello()
        return out + self._state(now_ms) if changed or now_ms >= self._state_ms else out

    def _index(self, cell: Cell) -> int:
        column, row = self._turned(cell, self._quarters)
        return row * self._size[0] + column

    def _cell(self, index: int) -> Cell:
        row, column = divmod(index, self._size[0])
        return self._turned((column, row), -self._quarters % 4)

    def _turned(self, cell: Cell, quarters: int) -> Cell:
        """Where a cell as White sees it lies on a board that was turned clockwise by so many quarters."""
        column, row = cell
        if quarters == 2:
            return self._size[0] - 1 - column, self._size[1] - 1 - row
        for _ in range(quarters):
            column, row = row, self._size[1] - 1 - column
        return column, row

    def _code(self, index: int) -> int:
        if self._field is not None:
            reading, before = self._reading(self._field, index), self._levels[index]
            return self._field.code(index, reading, before, tells_colours=self._colour)
        if index in self._stuck:
            return self._told(Piece.WHITE_MAN)
        return 0 if index in self._dead else self._told(self._world[index])

    def _reading(self, field: Field, index: int) -> int:
        is_faint = index in self._faint or index in self._weak or index in self._marginal
        return field.reading(index, self._world[index], is_faint=is_faint, is_dead=index in self._dead)

    def _told(self, piece: Piece) -> int:
        """What a sensor says of a piece above it."""
        if piece is Piece.EMPTY:
            return 0
        if not self._colour:
            return 1
        return 2 if piece & _WHITE else 3

    def _chatter(self, index: int, now_ms: int) -> None:
        """Works out when the debounced level of a contact will change, now that it has begun to bounce."""
        target, other = self._code(index), self._levels[index]
        faults = self._noise.faults
        settled_ms = now_ms + self._noise.random.randint(*faults.bounce_ms)
        edges = [now_ms]
        while edges[-1] < settled_ms:
            edges.append(min(settled_ms, edges[-1] + self._noise.random.randint(1, faults.longest_gap_ms)))
        levels = [target if place % 2 == len(edges) % 2 else other for place in range(1, len(edges) + 1)]
        events = [
            (start + self._debounce_ms, level)
            for start, end, level in zip(edges, edges[1:], levels, strict=False)
            if end - start > self._debounce_ms
        ]
        self._coming[index] = [*events, (settled_ms + self._debounce_ms, target)]

    def _flip(self, index: int, level: int, start_ms: int, lasting_ms: tuple[int, int]) -> None:
        """Has a cell that is at rest show something else for a moment."""
        if index not in self._coming and index not in self._dead:
            until_ms = start_ms + self._noise.random.randint(*lasting_ms)
            self._coming[index] = [(start_ms, level), (until_ms, self._code(index))]

    def _flip_any(self, at_ms: int) -> None:
        index = self._noise.random.randrange(len(self._levels))
        phantom = self._noise.random.choice((Piece.WHITE_MAN, Piece.BLACK_MAN))
        self._flip(index, 0 if self._levels[index] else self._told(phantom), at_ms, FLIP_MS)

    def _haunt(self, index: int, piece: Piece, now_ms: int) -> None:
        """A free cell beside a contact shows the piece that passes above it."""
        row, column = divmod(index, self._size[0])
        beside = [(column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
        cells = [y * self._size[0] + x for x, y in beside if 0 <= x < self._size[0] and 0 <= y < self._size[1]]
        free = [cell for cell in cells if self._world[cell] is Piece.EMPTY]
        if free:
            self._flip(self._noise.random.choice(free), self._told(piece), now_ms + self._debounce_ms, GHOST_MS)

    def _restless(self, index: int, at_ms: int, level: int) -> list[tuple[int, int]]:
        """What the sensor under a badly placed piece will say next, after a change at `at_ms`."""
        if index in self._weak:
            return [(at_ms + self._noise.random.randint(*WEAK_MS), 0 if level else self._code(index))]
        if index in self._marginal:
            gone_ms = at_ms + self._noise.holds_ms()
            return [(gone_ms, 0), (gone_ms + self._noise.random.randint(*MARGINAL_GONE_MS), self._code(index))]
        return []

    def _sense(self, now_ms: int) -> bool:
        while self._flip_ms is not None and self._flip_ms <= now_ms:
            self._flip_any(self._flip_ms)
            pause_ms = self._noise.until_flip_ms()
            self._flip_ms = None if pause_ms is None else self._flip_ms + pause_ms
        changed = False
        for index, events in list(self._coming.items()):
            while events and events[0][0] <= now_ms:
                at_ms, level = events.pop(0)
                changed |= self._levels[index] != level
                self._levels[index] = level
                if not events:
                    events.extend(self._restless(index, at_ms, level))
            if not events:
                del self._coming[index]
        return changed

    def _packet(self, kind: int, payload: bytes) -> bytes:
        self._sequence = (self._sequence + 1) % 256
        packet = _framed(kind, self._sequence, payload)
        return packet * 2 if self._noise.happens(self._noise.faults.duplicated_message) else packet

    def _hello(self) -> bytes:
        strengths = (1 | self._kings << 1) if self._field is not None else 0
        capabilities = 0b111110 | self._colour | self._dims << 6 | strengths << 7
        size = bytes((*self._size, 0))
        return self._packet(
            _HELLO,
            bytes((self._link_version,))
            + capabilities.to_bytes(2, "little")
            + size
            + self._unique_id[:8].ljust(8, b"\0")
            + b"\1\0\0",
        )

    def _state(self, now_ms: int) -> bytes:
        self._state_ms = now_ms + self._period_ms
        cells = bytearray((len(self._levels) + 3) // 4)
        for index, level in enumerate(self._levels):
            if level:
                cells[index // 4] |= level << index % 4 * 2
        clock = ((now_ms - self._boot_ms) % 2**32).to_bytes(4, "little")
        held = sum(1 << index for index, until_ms in self._held.items() if now_ms < until_ms)
        magnets = self._marked(now_ms)
        state = magnets + self._packet(_STATE, clock + bytes((held, *self._presses, self._restarts)) + cells)
        return state + self._packet(_KEYS, bytes((self._restarts, *self._key_presses)))

    def _marked(self, now_ms: int) -> bytes:
        """MAGNETS, where it has changed or is due; nothing on a board that does not measure."""
        if self._field is None:
            return b""
        kings, weak = 0, 0
        for index in filter(self._levels.__getitem__, range(len(self._levels))):
            is_king, is_weak = self._field.marks(index, self._reading(self._field, index))
            kings |= (self._kings and is_king) << index
            weak |= is_weak << index
        size = (len(self._levels) + 7) // 8
        magnets = kings.to_bytes(size, "little") + weak.to_bytes(size, "little")
        if magnets == self._magnets and now_ms < self._magnets_ms + MAGNETS_MS:
            return b""
        self._magnets, self._magnets_ms = magnets, now_ms
        return self._packet(_MAGNETS, magnets)

    def _measured(self, payload: bytes) -> bytes:
        """What a READ is answered with."""
        columns, rows = self._size
        if self._field is None or len(payload) != 2 or payload[0] > 1 or rows <= payload[1] < 255:
            return b""
        asked = range(rows) if payload[1] == 255 else (payload[1],)
        if payload[0] == 1:
            return b"".join(self._packet(_CALIBRATION, self._field.told(row)) for row in asked)
        out = b""
        for row in asked:
            cells = range(row * columns, (row + 1) * columns)
            values = (self._field.noisy(self._reading(self._field, index)) for index in cells)
            out += self._packet(_READINGS, bytes((row,)) + b"".join(n.to_bytes(2, "little") for n in values))
        return out

    def _answer(self, kind: int, sequence: int, payload: bytes, now_ms: int) -> bytes:
        if not self._fits(kind, payload):
            return b""
        self._darken(now_ms)
        self._host_ms = now_ms
        if kind == _READ:
            return self._measured(payload)
        if kind == _HELLO_REQUEST:
            self._acted = self._lamps_sequence = 0
            self._magnets = b""
            return self._hello() + self._state(now_ms)
        if kind == _PING:
            return self._packet(_PONG, bytes((sequence, self._lamps_sequence)))
        return self._obey(kind, sequence, payload, now_ms)

    def _fits(self, kind: int, payload: bytes) -> bool:
        """Whether this is the payload of a message for boards."""
        match kind:
            case 0x81:
                return len(payload) == 1
            case 0x82:
                cells, roles = payload[::2], payload[1::2]
                once = len(set(cells)) == len(cells) == len(roles)
                return once and all(cell < len(self._levels) for cell in cells) and all(0 < role < 7 for role in roles)
            case 0x83:
                return len(payload) == 4
            case 0x84:
                return not payload
            case 0x85:
                return len(payload) == 1 and payload[0] <= 100
            case 0x86:
                return len(payload) == 2
            case 0x87:
                return True  # what fits is the field's to say
            case 0x88:
                return len(payload) == 1 and payload[0] <= 1
        return False

    def _obey(self, kind: int, sequence: int, payload: bytes, now_ms: int) -> bytes:
        if (kind == _BRIGHTNESS and not self._dims) or (kind in (_CALIBRATE, _KEEP) and self._field is None):
            return self._packet(_ACK, bytes((sequence, 1)))
        if kind == _CALIBRATE and not self.field.fits(payload):
            return b""
        if sequence != self._acted:
            self._acted = sequence
            if kind == _BRIGHTNESS:
                self._brightness = payload[0]
            elif kind == _LAMPS:
                self._lamps = {index: ROLES[role] for index, role in zip(payload[::2], payload[1::2], strict=True)}
                self._lamps_sequence = sequence
            elif kind in (_CALIBRATE, _KEEP):
                self._learn(kind, payload, now_ms)
            else:
                self._buzzes += 1
        return self._packet(_ACK, bytes((sequence, 0)))

    def _learn(self, kind: int, payload: bytes, now_ms: int) -> None:
        if kind == _CALIBRATE:
            self.field.use(payload)
        else:
            self.field.keep(payload[0] == 1)
        for index in range(len(self._levels)):
            if index in self._coming:
                self._chatter(index, now_ms)
            else:
                self._levels[index] = self._code(index)

    def _darken(self, now_ms: int) -> None:
        if now_ms > self._host_ms + DARK_MS:
            self._forget_lamps()

    def _forget_lamps(self) -> None:
        self._lamps = {}
        self._lamps_sequence = 0

    def _through(self, out: bytes, now_ms: int) -> bytes:
        """What comes out of the cable: late while the board is stalled, spoilt by noise, cut short by a power cycle."""
        if not out and not self._held_back:
            return b""
        if out and self._noise.happens(self._noise.faults.power_cycle):
            self.power_cycle(now_ms)
            return b""
        if out and now_ms >= self._stalled_until_ms:
            self._stalled_until_ms = now_ms + self._noise.stall_ms()
        self._held_back += self._noise.spoil(out)
        if now_ms < self._stalled_until_ms:
            return b""
        out, self._held_back = self._held_back, b""
        return out
