"""The board's end of the link of PROTOCOL.md: what it sends and when, what it answers, what it throws away."""

import struct

import wire

STATE_MS = 20
MAGNETS_MS = 500
DARK_MS = 5000
_ROLES = len(wire.ROLE_NAMES)


class Talk:
    """One conversation with whoever is at the other end of a port; times in milliseconds since the start."""

    def __init__(self, board: object, port: object) -> None:
        self._board, self._port = board, port
        self._decoder = wire.Decoder()
        self._out = memoryview(bytearray(wire.MAX_WIRE))
        self._state = bytearray(struct.calcsize(wire.STATE_FORMAT) + len(board.cells))
        self._keys = bytearray((board.restarts,) + (0,) * len(wire.KEY_NAMES))
        self._sequence = 0
        self._acted = 0
        self._lamps_sequence = 0
        self._is_lit = False
        self._heard_ms = 0
        self.due_ms = 0
        """When the next STATE is due."""
        self._magnets_ms = 0

    def start(self, now_ms: int) -> None:
        """Says who the board is, without being asked."""
        self._port.write(b"\0")
        self._greet(now_ms)

    def receive(self, data: bytes, now_ms: int) -> None:
        """Takes bytes of the host."""
        for kind, sequence, payload in self._decoder.receive(data):
            if fits(kind, payload, self._board.columns, self._board.rows):
                self._heard_ms = now_ms
                self._answer(kind, sequence, payload, now_ms)
            else:
                self._decoder.drop("bad payload")

    def tick(self, now_ms: int, changed: bool, magnets_changed: bool) -> None:
        """Sends what is due, at once when something has changed; darkens the lamps of a host that has gone."""
        if self._is_lit and now_ms - self._heard_ms >= DARK_MS:
            self._board.lamps.show(b"")
            self._is_lit = False
            self._lamps_sequence = 0
        if changed or magnets_changed or now_ms >= self.due_ms:
            self._tell(now_ms, magnets_changed)

    def _greet(self, now_ms: int) -> None:
        self._send(wire.HELLO, self._board.hello)
        self._tell(now_ms, True)

    def _tell(self, now_ms: int, magnets_changed: bool) -> None:
        """STATE, with MAGNETS in front of it and KEYS behind it."""
        board, presses = self._board, self._board.buttons.presses
        late_ms = now_ms - self.due_ms
        self.due_ms = now_ms + STATE_MS - (late_ms if 0 < late_ms < STATE_MS else 0)
        if board.thresholds is not None and (magnets_changed or now_ms >= self._magnets_ms):
            self._magnets_ms = now_ms + MAGNETS_MS
            self._send(wire.MAGNETS, board.magnets)
        state, names = self._state, len(wire.BUTTON_NAMES)
        struct.pack_into("<IB", state, 0, now_ms & 0xFFFFFFFF, board.buttons.held)
        state[5 : 5 + names] = presses[:names]
        state[5 + names] = board.restarts
        state[6 + names :] = board.cells
        self._send(wire.STATE, state)
        if board.has_keys:
            self._keys[1:] = presses[names:]
            self._send(wire.KEYS, self._keys)

    def _send(self, kind: int, payload: bytes) -> None:
        self._sequence = (self._sequence + 1) & 0xFF
        size = wire.write(self._out, kind, self._sequence, payload)
        self._port.write(self._out[:size])

    def _answer(self, kind: int, sequence: int, payload: bytes, now_ms: int) -> None:
        if kind == wire.HELLO_REQUEST:
            self._acted = self._lamps_sequence = 0
            self._greet(now_ms)
        elif kind == wire.PING:
            self._send(wire.PONG, bytes((sequence, self._lamps_sequence)))
        elif kind == wire.READ:
            self._read(payload)
        elif not self._can(kind):
            self._send(wire.ACK, bytes((sequence, 1)))
        else:
            if sequence != self._acted:
                self._acted = sequence
                self._act(kind, sequence, payload, now_ms)
            self._send(wire.ACK, bytes((sequence, 0)))

    def _can(self, kind: int) -> bool:
        board = self._board
        if kind in (wire.LAMPS, wire.BRIGHTNESS):
            return board.lamps is not None
        return board.buzzer is not None if kind == wire.BUZZER else board.thresholds is not None

    def _act(self, kind: int, sequence: int, payload: bytes, now_ms: int) -> None:
        board = self._board
        if kind == wire.LAMPS:
            board.lamps.show(payload)
            self._is_lit = True
            self._lamps_sequence = sequence
        elif kind == wire.BRIGHTNESS:
            board.lamps.dim(payload[0])
        elif kind == wire.BUZZER:
            pitch_hz, duration_ms = struct.unpack(wire.BUZZER_FORMAT, payload)
            board.buzzer.sound(pitch_hz, duration_ms, now_ms)
        elif kind == wire.CALIBRATE:
            board.calibrate(payload)
        else:
            board.keep(payload[0] == 1)

    def _read(self, payload: bytes) -> None:
        board = self._board
        if board.thresholds is None:
            return
        what, row = payload
        for one in range(board.rows) if row == wire.EVERY_ROW else (row,):
            if what:
                self._send(wire.CALIBRATION, board.calibration(one))
            else:
                self._send(wire.READINGS, board.readings(one))


class Complaint:
    """A board that cannot work: it says why, and nothing else."""

    def __init__(self, sentence: str, port: object) -> None:
        self._sentence = sentence.encode()[: wire.MAX_PAYLOAD]
        self._port = port
        self._decoder = wire.Decoder()
        self._out = memoryview(bytearray(wire.MAX_WIRE))
        self._sequence = 0

    def say(self) -> None:
        """Sends PROBLEM, apart from what the console printed before."""
        self._port.write(b"\0")
        self._sequence = (self._sequence + 1) & 0xFF
        size = wire.write(self._out, wire.PROBLEM, self._sequence, self._sentence)
        self._port.write(self._out[:size])

    def receive(self, data: bytes) -> None:
        """Takes bytes of the host; who asks is told."""
        for kind, _, payload in self._decoder.receive(data):
            if kind == wire.HELLO_REQUEST and len(payload) == 1:
                self.say()


def fits(kind: int, payload: bytes, columns: int, rows: int) -> bool:
    """Whether this is what a host may send to a board of this size."""
    size = len(payload)
    if kind == wire.HELLO_REQUEST:
        return size == 1
    if kind == wire.LAMPS:
        return size % 2 == 0 and _are_lamps(payload, columns * rows)
    if kind == wire.BUZZER:
        return size == 4
    if kind == wire.PING:
        return size == 0
    if kind == wire.BRIGHTNESS:
        return size == 1 and payload[0] <= 100
    if kind == wire.READ:
        return size == 2 and payload[0] <= 1 and (payload[1] < rows or payload[1] == wire.EVERY_ROW)
    if kind == wire.CALIBRATE:
        return size == 1 + wire.THRESHOLDS_BYTES * columns and payload[0] < rows and _make_sense(payload)
    return kind == wire.KEEP and size == 1 and payload[0] <= 1


def _are_lamps(payload: bytes, count: int) -> bool:
    """Whether cells are on the board, each at most once, and roles are known."""
    seen = set()
    for at in range(0, len(payload), 2):
        cell, role = payload[at], payload[at + 1]
        if cell >= count or cell in seen or not 0 < role < _ROLES:
            return False
        seen.add(cell)
    return True


def _make_sense(payload: bytes) -> bool:
    """Whether each cell's threshold is above 0 and its flags are known."""
    for at in range(1, len(payload), wire.THRESHOLDS_BYTES):
        _, present, _, _, flags = struct.unpack_from(wire.THRESHOLDS_FORMAT, payload, at)
        if present == 0 or flags > wire.BLACK_IS_HIGH + wire.IS_DEAD:
            return False
    return True
