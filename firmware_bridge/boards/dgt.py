"""DGT-compatible boards (unofficial): field updates say that something moves, a dump after quiet says what stands.

The clock's left player is White when the board lies straight: players who turn the board keep the clock's cable at it.
A lever that rises on the right was pushed down on the left, so the left player has ended his turn; and the reverse.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from engine.geometry import Geometry
from engine.position import Piece
from engine.view import BoardView
from firmware_bridge.dgt_clock import ClockReader
from firmware_bridge.dgt_codes import Reading
from firmware_bridge.dgt_display import Display
from firmware_bridge.dgt_fields import ONLY_DARK, Fields, wrong_size
from firmware_bridge.dgt_frames import AFTER_DUMP, SPOILT_DUMP, Frame, Message, Parser, spread
from firmware_bridge.dgt_log import Replay, boards
from firmware_bridge.dgt_schedule import QUIET_MS, RESET, Schedule
from firmware_bridge.dgt_setting import ClockSetter
from firmware_bridge.driver import NOTHING, Battery, Calibration, ClockTimes, Counters, Cues, Device, Output

RESET_COMMAND = bytes((RESET,))
CHARGING = 0x01
"""Bit of the battery's status."""
BATTERY_STEP = 5
"""Two answers about the battery that differ by more percent are asked for again: one of them is spoilt."""


class Driver:
    """Field updates to views that are not firm, dumps to views that are.

    A dump is believed at once when it agrees with the field updates before it, else when a second one says the same:
    the line has no checksum.
    """

    baud: ClassVar[int] = 9600
    sizes: ClassVar[tuple[tuple[int, int], ...]] = ((8, 8), (10, 10))

    def __init__(
        self,
        geometry: Geometry,
        home: tuple[Piece, ...] | None = None,
        *,
        quiet_ms: int = QUIET_MS,
        turned: int | None = None,
    ) -> None:
        self._fields = Fields(geometry, home, turned)
        self._schedule = Schedule(quiet_ms)
        self._parser = Parser()
        self._drops: Counter[str] = Counter()
        self._seen_drops = 0
        self._replay = Replay()
        self._version: str | None = None
        self._has_answered = False
        self._serial_heard = ""
        self._problem: str | None = None
        self._is_doubtful = False
        """Whether the last dump had a byte too many: it was shifted, and confirms nothing."""
        self._shifted = 0
        self._looked_for: tuple[Piece, ...] | None = None
        self._unclear: tuple[tuple[Piece, ...], bytes] | None = None
        """The position and the board that its memory was asked about last."""
        self._battery: Battery | None = None
        self._battery_heard: Battery | None = None
        self._clock = ClockReader()
        self._clock_news: ClockTimes | None = None
        self._display = Display()
        self._setter = ClockSetter()

    @property
    def device(self) -> Device | None:
        """What the board said of itself, None before its first answer."""
        if self._version is None:
            return None
        return Device("DGT-compatible (unofficial)", self._fields.serial, self._version, True, True, False)

    @property
    def counters(self) -> Counters:
        """Traffic and faults so far."""
        drops = self._parser.drops + self._drops
        return Counters(self._parser.frames, drops.total(), self._schedule.resent, tuple(sorted(drops.items())))

    @property
    def problem(self) -> str | None:
        """Why this board cannot be used for this game, or only in part, in one sentence."""
        return self._problem

    @property
    def reading(self) -> Reading:
        """The piece codes and the orientation in use for the board with this serial number."""
        return self._fields.reading

    @property
    def learned(self) -> Calibration | None:
        """The piece codes and the orientation learned of the board with this serial number; None for nothing."""
        return self._fields.learned

    def recall(self, unique_id: str, known: Calibration) -> None:
        """Takes what was learned of the board with a serial number at an earlier time, unless codes are not named."""
        self._fields.recall(unique_id, known)

    def start(self, now_ms: int) -> Output:
        """Begins a conversation on a port that has just been opened."""
        self._schedule.open(now_ms)
        self._forget()
        return NOTHING

    def receive(self, data: bytes, now_ms: int) -> Output:
        """Takes bytes from the board."""
        was_online, battery = self._schedule.online, self._battery
        views: list[BoardView] = []
        pressed: list[str] = []
        if data:
            self._schedule.hear(now_ms)
        for frame in self._parser.receive(data, now_ms):
            if frame.message is Message.LOG:
                self._take_log(frame.payload, now_ms)
                continue
            view, button = self._take(frame, now_ms)
            views += () if view is None else (view,)
            pressed += () if button is None else (button,)
        self._notice_drops(now_ms)
        online = True if self._schedule.online and not was_online else None
        told = None if self._battery == battery else self._battery
        shown = self._replay.with_live(tuple(views), now_ms)
        clock, self._clock_news = self._clock_news, None
        return Output(shown, tuple(pressed), self._due(now_ms), online, told, clock=clock)

    def tick(self, now_ms: int) -> Output:
        """Does what is due at this time."""
        self._parser.expire(now_ms)
        if self._fields.expire(now_ms):
            self._schedule.disturb(now_ms)
        self._notice_drops(now_ms)
        is_silent = self._schedule.is_silent(now_ms)
        if is_silent or self._schedule.is_unanswered(now_ms):
            self._schedule.greet(now_ms)
            self._forget()
        shown = self._replay.with_live((), now_ms)
        return Output(shown, send=self._due(now_ms), online=False if is_silent else None)

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""
        watched = (self._fields.deadline_ms(), self._replay.deadline_ms())
        due = (self._schedule.deadline_ms(), self._parser.deadline_ms(), self._speaks_ms(), *watched)
        return min((at_ms for at_ms in due if at_ms is not None), default=None)

    def show(self, cues: Cues, now_ms: int) -> Output:
        """Nothing: these boards have no lamps."""
        return NOTHING

    def say(self, text: str, now_ms: int) -> Output:
        """Shows a text of up to eight characters on the clock, the times for an empty one; where there is a clock."""
        self._display.want(text)
        return Output(send=self._due(now_ms))

    def set_clock(self, times: ClockTimes | None, at_ms: int, now_ms: int) -> Output:
        """Shows a game's times, as they were at a moment, on the clock; None: it is left alone. Where there is one."""
        self._setter.want(times, at_ms)
        return Output(send=self._due(now_ms))

    def recollect(self, contents: tuple[Piece, ...], now_ms: int) -> Output:
        """Asks the board's memory for all that was done since a position stood on it; told once it has been read.

        The answer takes the line for eight seconds, so the same board is asked once.
        """
        unclear = (contents, self._fields.codes or b"")
        if unclear == self._unclear or not self._schedule.online:
            return NOTHING
        self._looked_for, self._unclear = contents, unclear
        self._schedule.ask_log()
        return Output(send=self._due(now_ms))

    def _take_log(self, log: bytes, now_ms: int) -> None:
        """Shows again what stood since the position that was looked for, if it ever did."""
        wanted, self._looked_for = self._looked_for, None
        now = self._fields.codes
        if wanted is None or now is None or not self._schedule.online:
            return
        known = boards(log, now)
        shows = self._fields.shows
        stood = next((at for at in range(len(known) - 1, -1, -1) if shows(known[at].fields, wanted)), len(known))
        views = ((self._fields.seen(board.fields, board.is_still), board.is_still) for board in known[stood:])
        self._replay.begin(views, now_ms)

    def _forget(self) -> None:
        self._has_answered = False
        self._problem = None
        self._fields.forget()
        self._clock.forget()
        self._display.clear()
        self._setter.clear()
        self._replay.clear()

    def _due(self, now_ms: int) -> bytes:
        send = self._schedule.due(now_ms)
        if send == RESET_COMMAND:
            self._parser.reset()
        speaks_ms = self._speaks_ms()
        if send or speaks_ms is None or now_ms < speaks_ms:
            return send
        self._schedule.note_sent(now_ms)
        if self._sets_clock(now_ms):
            return self._setter.send(now_ms, rotated=self.reading.rotated)
        return self._display.send(now_ms)

    def _sets_clock(self, now_ms: int) -> bool:
        """Whether it is the clock's times that are to be told now: one command waits for the other's answer."""
        due_ms = self._setter.due_ms()
        return due_ms is not None and due_ms <= now_ms and not self._display.is_waiting

    def _speaks_ms(self) -> int | None:
        """When the clock is to be told something; None where there is nothing to be told, or no clock."""
        sets_ms = None if self._display.is_waiting else self._setter.due_ms()
        says_ms = None if self._setter.is_waiting else self._display.due_ms()
        due_ms = min((at_ms for at_ms in (sets_ms, says_ms) if at_ms is not None), default=None)
        if due_ms is None or not self._clock.is_there or not self._schedule.online:
            return None
        return max(due_ms, self._schedule.free_ms())

    def _notice_drops(self, now_ms: int) -> None:
        """What was lost may have been a field update; a lost dump was none, and is asked for again when it is late."""
        drops = self._parser.drops.total() + self._drops.total() - self._parser.drops[SPOILT_DUMP]
        if drops != self._seen_drops:
            self._seen_drops = drops
            self._is_doubtful |= self._parser.drops[AFTER_DUMP] != self._shifted
            self._shifted = self._parser.drops[AFTER_DUMP]
            self._schedule.disturb(now_ms)

    def _take(self, frame: Frame, now_ms: int) -> tuple[BoardView | None, str | None]:
        match frame.message:
            case Message.BOARD:
                return self._take_dump(frame.payload, now_ms), None
            case Message.BLACK_SQUARES if self._fields.count == 100:
                return self._take_dump(spread(frame.payload), now_ms), None
            case Message.FIELD:
                return self._take_field(frame.payload[0], frame.payload[1], now_ms), None
            case Message.CLOCK:
                self._display.take(frame.payload)
                self._setter.take(frame.payload, now_ms)
                times, button = self._clock.take(frame.payload, now_ms, rotated=self.reading.rotated)
                if self._clock.shown is not None:
                    self._setter.compare(self._clock.shown, now_ms)
                self._clock_news = times or self._clock_news
                if self._clock.is_doubtful:
                    self._schedule.ask_clock()
                return None, button
            case Message.VERSION:
                self._has_answered = True
                self._version = f"{frame.payload[0]}.{frame.payload[1]:02d}"
            case Message.SERIAL:
                self._take_serial(frame.payload)
            case Message.BATTERY:
                self._take_battery(frame.payload)
            case Message.LONG_SERIAL if not self._fields.serial:
                self._take_serial(frame.payload[-5:])
        return None, None

    def _take_serial(self, payload: bytes) -> None:
        """Believes the first serial number, and another one only when it comes twice: each may be spoilt."""
        heard = payload.decode("ascii")
        if self._fields.serial not in ("", heard) and heard != self._serial_heard:
            self._serial_heard = heard
        else:
            self._serial_heard = heard
            self._fields.meet(heard)

    def _take_battery(self, payload: bytes) -> None:
        """Believes what is said twice in a row, but for a small step: the line has no checksum."""
        percent, status = payload[0], payload[-1]
        if percent > 100:
            self._drops["battery beyond 100 %"] += 1
            return
        heard, before = Battery(percent, bool(status & CHARGING)), self._battery_heard
        self._battery_heard = heard
        if before is None or before.charging != heard.charging or abs(before.percent - percent) > BATTERY_STEP:
            self._schedule.ask_battery()
        else:
            self._battery = heard

    def _take_field(self, field: int, code: int, now_ms: int) -> BoardView | None:
        if field >= self._fields.count:
            self._drops["field off the board"] += 1
            return None
        if not self._fields.change(field, code, now_ms):
            return None
        self._schedule.disturb(now_ms)
        return self._view(firm=False)

    def _take_dump(self, payload: bytes, now_ms: int) -> BoardView | None:
        is_quiet = self._schedule.take_dump()
        if self._has_answered:
            self._schedule.meet(now_ms)
        if len(payload) != self._fields.count:
            self._misfit(len(payload), now_ms)
            return None
        agrees = self._fields.replace(payload, now_ms, is_quiet=is_quiet, is_doubtful=self._is_doubtful)
        self._is_doubtful = False
        if is_quiet and not agrees:
            self._schedule.ask_again(now_ms)
        return self._view(firm=is_quiet and agrees)

    def _misfit(self, found: int, now_ms: int) -> None:
        """A dump of another size: says so, and asks a large board once more for its dark squares alone."""
        if self._fields.count == 100 and not self._schedule.asks_black_squares:
            self._schedule.ask_again(now_ms, black_squares=True)
            self._problem = ONLY_DARK
        elif self._fields.count != 100:
            self._problem = wrong_size(found, self._fields.count)

    def _view(self, *, firm: bool) -> BoardView | None:
        return self._fields.view(firm=firm) if self._schedule.online else None
