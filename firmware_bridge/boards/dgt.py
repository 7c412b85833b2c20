"""DGT-compatible boards (unofficial): field updates say that something moves, a dump after quiet says what stands.

The clock's left player is White when the board lies straight: players who turn the board keep the clock's cable at it.
A lever that rises on the right was pushed down on the left, so the left player has ended his turn; and the reverse.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import ClassVar

from engine.geometry import Geometry
from engine.position import Piece
from engine.view import BoardView, view_of
from firmware_bridge.dgt_codes import UNTAUGHT, Reading, learn
from firmware_bridge.dgt_frames import SPOILT_DUMP, Frame, Message, Parser
from firmware_bridge.driver import NOTHING, Counters, Cues, Device, Output
from firmware_bridge.flicker import Flicker
from firmware_bridge.placement import placement

RESET, SEND_BOARD, SEND_SERIAL, UPDATE_NICE, SEND_VERSION, SEND_BLACK, SEND_LONG_SERIAL = (
    0x40,
    0x42,
    0x45,
    0x4B,
    0x4D,
    0x50,
    0x55,
)

OPEN_MS = 500
"""A board behind a USB adapter hears nothing right after the port opens."""
PACE_MS = 100
"""Between two commands: the board's input buffer holds ten bytes."""
QUIET_MS = 250
"""After the last field update, before the board is asked for a dump: longer than one scan."""
DUMP_MS = 500
"""A dump of which no byte has come for so long is asked for again."""
ASK_MS = 2000
POLL_MS = 1000
SILENCE_MS = 3000
POLLS_PER_CHECK = 3
"""Every so many polls the whole board is looked at: a board that lost its power has also lost its update mode."""


class Driver:
    """Field updates to views that are not firm, dumps to views that are.

    A dump is believed at once when it agrees with the field updates before it, else when a second one says the same:
    the line has no checksum.
    """

    baud: ClassVar[int] = 9600

    def __init__(self, geometry: Geometry, home: tuple[Piece, ...] | None = None, *, quiet_ms: int = QUIET_MS) -> None:
        self._geometry = geometry
        self._home = home
        self._quiet_ms = quiet_ms
        self._count = geometry.columns * geometry.rows
        self._parser = Parser()
        self._drops: Counter[str] = Counter()
        self._seen_drops = 0
        self._resent = 0
        self._readings: dict[str, Reading] = {}
        self._version: str | None = None
        self._serial = ""
        self._serial_heard = ""
        self._problem: str | None = None
        self._online = False
        self._started = False
        self._commands: deque[int] = deque()
        self._command_ms = 0
        self._ask_ms = 0
        self._byte_ms = 0
        self._poll_ms = 0
        self._polls = 0
        self._answered = True
        self._fields: bytearray | None = None
        self._dump: bytes | None = None
        self._dump_due_ms: int | None = None
        self._dump_asked_ms: int | None = None
        self._dump_command = SEND_BOARD
        self._disturbed = False
        self._right_high: bool | None = None
        self._delivered: BoardView | None = None
        self._flicker = Flicker()

    @property
    def device(self) -> Device | None:
        """What the board said of itself, None before its first answer."""
        if self._version is None:
            return None
        return Device("DGT-compatible (unofficial)", self._serial, self._version, True, True, False)

    @property
    def counters(self) -> Counters:
        """Traffic and faults so far."""
        drops = self._parser.drops + self._drops
        return Counters(self._parser.frames, drops.total(), self._resent, tuple(sorted(drops.items())))

    @property
    def problem(self) -> str | None:
        """Why this board cannot be used for this game, or only in part, in one sentence."""
        return self._problem

    @property
    def reading(self) -> Reading:
        """The piece codes and the orientation in use for the board with this serial number."""
        return self._readings.get(self._serial, UNTAUGHT)

    def start(self, now_ms: int) -> Output:
        """Begins a conversation on a port that has just been opened."""
        self._started = True
        self._online = False
        self._command_ms = now_ms + OPEN_MS - PACE_MS
        self._greet(now_ms + OPEN_MS)
        return NOTHING

    def receive(self, data: bytes, now_ms: int) -> Output:
        """Takes bytes from the board."""
        if not data or not self._started:
            return NOTHING
        was_online = self._online
        self._byte_ms = now_ms
        self._heal(now_ms)
        views: list[BoardView] = []
        pressed: list[str] = []
        for frame in self._parser.receive(data, now_ms):
            view, button = self._take(frame, now_ms)
            views += () if view is None else (view,)
            pressed += () if button is None else (button,)
        self._notice_drops(now_ms)
        online = True if self._online and not was_online else None
        return Output(tuple(views), tuple(pressed), self._due(now_ms), online)

    def tick(self, now_ms: int) -> Output:
        """Does what is due at this time."""
        if not self._started:
            return NOTHING
        self._parser.expire(now_ms)
        self._take_flicker(now_ms)
        self._notice_drops(now_ms)
        if self._online and now_ms >= self._byte_ms + SILENCE_MS:
            self._online = False
            self._greet(now_ms)
            return Output(send=self._due(now_ms), online=False)
        if not self._online and now_ms >= self._ask_ms + ASK_MS:
            self._resent += 1
            self._greet(now_ms)
        return Output(send=self._due(now_ms))

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""
        if not self._started:
            return None
        due = [self._byte_ms + SILENCE_MS, self._next_poll_ms()] if self._online else [self._ask_ms + ASK_MS]
        due += [at_ms for at_ms in (self._parser.deadline_ms(), self._flicker.deadline_ms()) if at_ms is not None]
        if self._commands:
            due.append(self._command_ms + PACE_MS)
        if self._dump_asked_ms is not None:
            due.append(self._dump_late_ms(self._dump_asked_ms))
        elif self._dump_due_ms is not None:
            due.append(max(self._dump_due_ms, self._command_ms + PACE_MS))
        return min(due)

    def show(self, cues: Cues, now_ms: int) -> Output:
        """Nothing: these boards have no lamps."""
        return NOTHING

    # Sending

    def _greet(self, now_ms: int) -> None:
        self._ask_ms = now_ms
        self._commands = deque((RESET, SEND_VERSION, SEND_SERIAL, SEND_LONG_SERIAL, UPDATE_NICE))
        self._version = None
        self._problem = None
        self._fields = None
        self._dump = None
        self._dump_command = SEND_BOARD
        self._dump_asked_ms = None
        self._dump_due_ms = now_ms
        self._right_high = None
        self._delivered = None
        self._answered = True
        self._flicker.clear()

    def _due(self, now_ms: int) -> bytes:
        """The command to be sent now, if there is one: never two at a time."""
        if self._dump_asked_ms is not None and now_ms >= self._dump_late_ms(self._dump_asked_ms):
            self._dump_asked_ms = None
            self._dump_due_ms = now_ms
            self._resent += 1
        if self._online and now_ms >= self._next_poll_ms():
            self._poll(now_ms)
        if now_ms < self._command_ms + PACE_MS:
            return b""
        if self._commands:
            return self._sent(self._commands.popleft(), now_ms)
        if self._dump_due_ms is not None and self._dump_asked_ms is None and now_ms >= self._dump_due_ms:
            self._dump_due_ms = None
            self._dump_asked_ms = now_ms
            self._disturbed = False
            return self._sent(self._dump_command, now_ms)
        return b""

    def _sent(self, command: int, now_ms: int) -> bytes:
        if command == RESET:
            self._parser.reset()
        self._command_ms = now_ms
        return bytes((command,))

    def _next_poll_ms(self) -> int:
        """When to ask whether the board is there; while a dump is on its way or near, that is the better question."""
        due = self._poll_ms + POLL_MS
        if self._dump_asked_ms is not None:
            return max(due, self._dump_late_ms(self._dump_asked_ms))
        return due if self._dump_due_ms is None else max(due, self._dump_due_ms + 1)

    def _dump_late_ms(self, asked_ms: int) -> int:
        """When to ask again; not while bytes come, for the board's log takes 8 s and a dump waits behind it."""
        return max(asked_ms, self._byte_ms) + DUMP_MS

    def _poll(self, now_ms: int) -> None:
        self._poll_ms = now_ms
        self._polls += 1
        self._answered = self._byte_ms >= now_ms - POLL_MS
        self._commands.append(SEND_SERIAL)
        if self._polls % POLLS_PER_CHECK == 0:
            self._commands.append(UPDATE_NICE)
            self._ask_dump(now_ms)

    def _heal(self, now_ms: int) -> None:
        """After an unanswered poll the board may have restarted: its update mode is set anew and it is read anew."""
        if self._online and not self._answered:
            self._answered = True
            self._commands.append(UPDATE_NICE)
            self._ask_dump(now_ms)

    def _ask_dump(self, at_ms: int) -> None:
        if self._dump_due_ms is None and self._dump_asked_ms is None:
            self._dump_due_ms = at_ms

    def _notice_drops(self, now_ms: int) -> None:
        """What was lost may have been a field update; a lost dump was none, and is asked for again when it is late."""
        drops = self._parser.drops.total() + self._drops.total() - self._parser.drops[SPOILT_DUMP]
        if drops != self._seen_drops:
            self._seen_drops = drops
            self._disturb(now_ms)

    def _disturb(self, now_ms: int) -> None:
        """Something changes, or may have changed unheard: a dump on its way is not firm, another one follows."""
        self._disturbed = True
        self._dump_due_ms = now_ms + self._quiet_ms

    # Taking

    def _take(self, frame: Frame, now_ms: int) -> tuple[BoardView | None, str | None]:
        match frame.message:
            case Message.BOARD:
                return self._take_dump(frame.payload, now_ms), None
            case Message.BLACK_SQUARES if self._count == 100:
                return self._take_dump(_spread(frame.payload), now_ms), None
            case Message.FIELD:
                return self._take_field(frame.payload[0], frame.payload[1], now_ms), None
            case Message.CLOCK:
                return None, self._take_clock(frame.payload)
            case Message.VERSION:
                self._version = f"{frame.payload[0]}.{frame.payload[1]:02d}"
            case Message.SERIAL:
                self._take_serial(frame.payload)
            case Message.LONG_SERIAL if not self._serial:
                self._take_serial(frame.payload[-5:])
        return None, None

    def _take_serial(self, payload: bytes) -> None:
        """Believes the first serial number, and another one only when it comes twice: each may be spoilt."""
        heard = payload.decode("ascii")
        if self._serial not in ("", heard) and heard != self._serial_heard:
            self._serial_heard = heard
        else:
            self._readings.setdefault(heard, self.reading)
            self._serial = self._serial_heard = heard

    def _take_field(self, field: int, code: int, now_ms: int) -> BoardView | None:
        if field >= self._count:
            self._drops["field off the board"] += 1
            return None
        if self._fields is None:
            self._disturb(now_ms)
            return None
        before, after = self._fields[field], code & 0x0F
        if before == after or self._flicker.note(field, before, after, now_ms):
            return None
        self._fields[field] = after
        self._disturb(now_ms)
        return self._view(firm=False)

    def _take_flicker(self, now_ms: int) -> None:
        for field in self._flicker.expire(now_ms):
            if self._fields is not None:
                self._fields[field] = 0
                self._disturb(now_ms)

    def _take_dump(self, payload: bytes, now_ms: int) -> BoardView | None:
        self._dump_asked_ms = None
        if len(payload) != self._count:
            self._misfit(len(payload), now_ms)
            return None
        fields = self._flicker.overlay(bytes(code & 0x0F for code in payload))
        agrees = fields in (self._fields, self._dump)
        self._dump = fields
        self._fields = bytearray(fields)
        if self._version is not None:
            self._online = True
        if self._disturbed:
            return self._view(firm=False)
        if not agrees:
            self._dump_due_ms = now_ms
            return self._view(firm=False)
        self._learn(fields)
        return self._view(firm=True)

    def _misfit(self, found: int, now_ms: int) -> None:
        """A dump of another size: says so, and asks a large board once more for its dark squares alone."""
        if self._version is not None:
            self._online = True
        if self._count == 100 and self._dump_command == SEND_BOARD:
            self._dump_command = SEND_BLACK
            self._dump_due_ms = now_ms
            self._problem = (
                "The board answered with 64 fields, expected 100: it scans only its dark squares or is an 8x8 board; "
                "set it to scan all squares or choose a variant that fits it."
            )
        elif self._count != 100:
            self._problem = (
                f"The board has {found} fields, expected {self._count}: "
                "choose a variant that fits it or connect another board."
            )

    def _learn(self, fields: bytes) -> None:
        if self._home is not None:
            learned = learn(fields, self._geometry, self._home, self.reading)
            if learned is not None:
                self._readings[self._serial] = learned

    def _view(self, *, firm: bool) -> BoardView | None:
        if self._fields is None or not self._online:
            return None
        reading = self.reading
        fields = self._fields
        place = placement(self._geometry, reading.rotated)
        stray = (cell for index, cell in place.others if fields[index])
        view = view_of((reading.possible(fields[index]) for index in place.squares), stray, firm)
        if view == self._delivered:
            return None
        self._delivered = view
        return view

    def _take_clock(self, payload: bytes) -> str | None:
        status = payload[6]
        is_ack = payload[0] & 0x0F == 0x0A or payload[3] & 0x0F == 0x0A
        if is_ack or not any(payload) or status & 0x20:
            return None
        before, self._right_high = self._right_high, bool(status & 0x02)
        if before is None or before == self._right_high:
            return None
        left_pressed = self._right_high
        return "clock_white" if left_pressed != self.reading.rotated else "clock_black"


def _spread(black_squares: bytes) -> bytes:
    """The codes of the 50 dark squares on a board of 100 fields."""
    fields = bytearray(100)
    for place, code in enumerate(black_squares):
        row, pair = divmod(place, 5)
        fields[10 * row + 2 * pair + (row + 1) % 2] = code
    return bytes(fields)
