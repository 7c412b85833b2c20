"""One of several DGT-compatible boards (unofficial) on a line: asked for its changes, and for a dump after quiet.

The board is known by its serial number, which is its address; without one, the only board on the line is taken.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from engine.geometry import Geometry
from engine.position import Piece
from engine.view import BoardView
from firmware_bridge.dgt_bus_frames import AFTER_ANSWER, MOST_ADDRESSES, Answer, BusParser, Tell
from firmware_bridge.dgt_bus_roll import Roll
from firmware_bridge.dgt_bus_schedule import CLOCK_MS, BusSchedule
from firmware_bridge.dgt_bus_turns import Turns
from firmware_bridge.dgt_clock import ClockReader
from firmware_bridge.dgt_codes import Reading
from firmware_bridge.dgt_fields import ONLY_DARK, Fields, wrong_size
from firmware_bridge.dgt_frames import spread
from firmware_bridge.dgt_log import Cleared, records
from firmware_bridge.driver import NOTHING, Calibration, ClockTimes, Counters, Cues, Device, Output

OLD_VERSION = "1.02 or older"
"""A board that tells no version when it is asked for it."""
CLOCK_RECORDS = frozenset((*range(0x60, 0x6A), *range(0x70, 0x7A)))
"""Among the changes, these bytes may begin the time at which a clock's lever was pressed."""


class Driver:
    """Changes to views that are not firm, dumps to views that are.

    A dump is believed at once when it agrees with the changes before it, else when a second one says the same: a
    checksum of seven bits lets one spoilt message of 128 pass.
    """

    baud: ClassVar[int] = 9600
    sizes: ClassVar[tuple[tuple[int, int], ...]] = ((8, 8), (10, 10))
    turns: ClassVar[type[Turns]] = Turns

    def __init__(self, geometry: Geometry, home: tuple[Piece, ...] | None = None, *, turned: int | None = None) -> None:
        self._fields = Fields(geometry, home, turned)
        self._schedule = BusSchedule()
        self._roll = Roll()
        self._called = ""
        """Which board it is, as it was said; empty: the only one."""
        self._parser = BusParser()
        self._drops: Counter[str] = Counter()
        self._packets = 0
        self._version: str | None = None
        self._problem: str | None = None
        self._shifted = 0
        self._is_doubtful = False
        """Whether the last dump had a byte too many: it was shifted, and confirms nothing."""
        self._clock = ClockReader()

    def call(self, unique_id: str) -> None:
        """Says which board it is, by its serial number; ValueError when that is none."""
        if not (unique_id.isascii() and unique_id.isdecimal() and 0 < int(unique_id) < MOST_ADDRESSES):
            most = MOST_ADDRESSES - 1
            raise ValueError(f"unique_id = {unique_id!r}: expected the number of a board on the line, 1 to {most}")
        self._called = unique_id
        self._schedule.address = int(unique_id)

    @property
    def device(self) -> Device | None:
        """What the board said of itself, None before its first answer."""
        if self._version is None:
            return None
        return Device("DGT-compatible (unofficial)", self._fields.serial, self._version, True, True, False)

    @property
    def counters(self) -> Counters:
        """Traffic and faults so far; spoilt answers are those of all boards on the line."""
        drops = self._parser.drops + self._drops
        return Counters(self._packets, drops.total(), self._schedule.resent, tuple(sorted(drops.items())))

    @property
    def problem(self) -> str | None:
        """Why this board cannot be used for this game, or only in part, in one sentence."""
        return self._problem

    @property
    def reading(self) -> Reading:
        """The piece codes and the orientation in use for this board."""
        return self._fields.reading

    @property
    def learned(self) -> Calibration | None:
        """The piece codes and the orientation learned of this board; None for nothing."""
        return self._fields.learned

    def recall(self, unique_id: str, known: Calibration) -> None:
        """Takes what was learned of the board with a serial number at an earlier time."""
        self._fields.recall(unique_id, known)

    def start(self, now_ms: int) -> Output:
        """Begins a conversation on a port that has just been opened."""
        if self._called:
            self._schedule.open(now_ms)
        else:
            self._schedule = BusSchedule()
            self._roll.open(now_ms)
        self._parser.reset()
        self._forget()
        return NOTHING

    def sent(self, now_ms: int) -> None:
        """What was to be sent has gone out only now: other boards on the line had their turn before."""
        self._schedule.sent(now_ms)
        self._roll.sent(now_ms)

    def receive(self, data: bytes, now_ms: int) -> Output:
        """Takes bytes from the line, whichever board they are from."""
        was_online = self._schedule.online
        views: list[BoardView] = []
        pressed: list[str] = []
        times: ClockTimes | None = None
        answers = self._parser.receive(data, now_ms)
        self._schedule.hear(now_ms, self._parser.begun)
        for answer in answers:
            if not self._is_mine(answer, now_ms):
                continue
            self._packets += 1
            if not self._schedule.answered(answer.tell, now_ms):
                self._drops["answer to no question"] += 1
                if answer.tell is Tell.CHANGES and answer.data:
                    self._schedule.disturb(now_ms)
                continue
            if answer.tell is Tell.CLOCK:
                news, button = self._take_clock(answer.data, now_ms)
                times = news or times
                pressed += () if button is None else (button,)
            else:
                views += self._take(answer, now_ms)
        self._notice_shift()
        online = True if self._schedule.online and not was_online else None
        return Output(tuple(views), tuple(pressed), self._due(now_ms), online, clock=times)

    def tick(self, now_ms: int) -> Output:
        """Does what is due at this time."""
        self._parser.expire(now_ms)
        if self._fields.expire(now_ms):
            self._schedule.disturb(now_ms)
        is_silent = self._schedule.is_silent(now_ms)
        if is_silent or self._schedule.is_unanswered(now_ms):
            self._schedule.greet(now_ms)
            self._forget()
        return Output(send=self._due(now_ms), online=False if is_silent else None)

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""
        asks = self._roll.deadline_ms() if self._schedule.address is None else self._schedule.deadline_ms()
        due = (asks, self._parser.deadline_ms(), self._fields.deadline_ms())
        return min((at_ms for at_ms in due if at_ms is not None), default=None)

    def show(self, cues: Cues, now_ms: int) -> Output:
        """Nothing: these boards have no lamps."""
        return NOTHING

    def _forget(self) -> None:
        self._problem = None
        self._is_doubtful = False
        self._fields.forget()
        self._clock.forget()

    def _due(self, now_ms: int) -> bytes:
        if self._schedule.address is not None:
            return self._schedule.due(now_ms)
        send = self._roll.due(now_ms)
        if self._roll.is_complete and self._problem is None:
            self._take_roll(now_ms)
        return send

    def _take_roll(self, now_ms: int) -> None:
        """Everybody has answered: the only board there is, or which one has to be said."""
        if len(self._roll.found) == 1:
            self._schedule.address = self._roll.found[0]
            self._schedule.greet(now_ms + 1)
        else:
            numbers = ", ".join(_number(address) for address in sorted(self._roll.found))
            self._problem = f"Several boards answer on this line: {numbers}; say which one by its unique_id."

    def _is_mine(self, answer: Answer, now_ms: int) -> bool:
        if self._schedule.address is None:
            if answer.tell is Tell.PING:
                self._roll.heard(answer.address, now_ms)
            return False
        return answer.address == self._schedule.address

    def _take(self, answer: Answer, now_ms: int) -> list[BoardView]:
        match answer.tell:
            case Tell.VERSION:
                self._take_version(answer.data)
            case Tell.CHANGES:
                return self._take_changes(answer.data, now_ms)
            case Tell.BOARD:
                return self._take_dump(answer.data, now_ms)
            case Tell.BLACK_SQUARES if self._fields.count == 100:
                return self._take_dump(spread(answer.data), now_ms)
        return []

    def _take_version(self, data: bytes) -> None:
        self._version = f"{data[0]}.{data[1]:02d}" if data else OLD_VERSION
        if self._schedule.address is not None:
            self._fields.meet(self._called or _number(self._schedule.address))

    def _take_changes(self, data: bytes, now_ms: int) -> list[BoardView]:
        """Every board that stood there one after another; what it had stored before the first dump is left out."""
        views = []
        for record in records(data):
            if isinstance(record, Cleared):
                self._schedule.ask_board(now_ms)
            elif record.field >= self._fields.count:
                self._drops["field off the board"] += 1
                self._schedule.disturb(now_ms)
            elif self._fields.change(record.field, record.code, now_ms):
                self._schedule.disturb(now_ms)
                views.append(self._view(firm=False))
        if CLOCK_RECORDS & set(data):
            self._schedule.ask_clock(now_ms)
        return [view for view in views if view is not None]

    def _take_dump(self, payload: bytes, now_ms: int) -> list[BoardView]:
        self._schedule.meet()
        if len(payload) != self._fields.count:
            self._misfit(len(payload), now_ms)
            return []
        is_quiet = self._schedule.is_quiet
        agrees = self._fields.replace(payload, now_ms, is_quiet=is_quiet, is_doubtful=self._is_doubtful)
        self._is_doubtful = False
        if is_quiet and not agrees:
            self._schedule.ask_board(now_ms)
        view = self._view(firm=is_quiet and agrees)
        return [] if view is None else [view]

    def _misfit(self, found: int, now_ms: int) -> None:
        """A dump of another size: says so, and asks a large board for its dark squares alone."""
        if self._fields.count == 100 and not self._schedule.asks_black_squares:
            self._schedule.ask_board(now_ms, black_squares=True)
            self._problem = ONLY_DARK
        elif self._fields.count != 100:
            self._problem = wrong_size(found, self._fields.count)

    def _take_clock(self, payload: bytes, now_ms: int) -> tuple[ClockTimes | None, str | None]:
        times, button = self._clock.take(payload, now_ms, rotated=self.reading.rotated)
        if self._clock.is_there:
            self._schedule.ask_clock(now_ms if self._clock.is_doubtful else now_ms + CLOCK_MS)
        return times, button

    def _view(self, *, firm: bool) -> BoardView | None:
        return self._fields.view(firm=firm) if self._schedule.online else None

    def _notice_shift(self) -> None:
        shifted = self._parser.drops[AFTER_ANSWER]
        self._is_doubtful |= shifted != self._shifted
        self._shifted = shifted


def _number(address: int) -> str:
    return f"{address:05d}"
