"""The clock at a DGT-compatible board (unofficial): times and lever out of its seven bytes."""

from __future__ import annotations

from dataclasses import dataclass

from engine.position import Side
from firmware_bridge.driver import ClockTimes

RUNS, RIGHT_HIGH, RIGHT_MOVES, LEFT_MOVES, ABSENT = 0x01, 0x02, 0x08, 0x10, 0x20
"""Bits of the status, the last byte."""
TOLERANCE_MS = 1500
"""Times are told in whole seconds, and come late: what differs by no more from what was told before is no news."""


def is_times(payload: bytes) -> bool:
    """Whether a clock message tells times: not an answer to a command, not empty, not of a clock that is not there."""
    is_answer = payload[0] & 0x0F == 0x0A or payload[3] & 0x0F == 0x0A
    return not is_answer and any(payload) and not payload[6] & ABSENT


def times(payload: bytes, rotated: bool) -> ClockTimes | None:
    """What both players have left, and whose clock runs; None when a digit is none.

    The left player is White where the board lies straight.
    """
    right, left = _ms(payload[0:3]), _ms(payload[3:6])
    if right is None or left is None:
        return None
    sides = {LEFT_MOVES: Side.BLACK if rotated else Side.WHITE, RIGHT_MOVES: Side.WHITE if rotated else Side.BLACK}
    moves = payload[6] & (LEFT_MOVES | RIGHT_MOVES)
    running = sides.get(moves) if payload[6] & RUNS else None
    return ClockTimes(right if rotated else left, left if rotated else right, running)


def _ms(digits: bytes) -> int | None:
    """Hours in one decimal digit, minutes and seconds in two each; the rest of the first byte are flags."""
    hours, minutes, seconds = (digits[0] & 0x0F, *digits[1:])
    for two in (minutes, seconds):
        if two & 0x0F > 9 or two >> 4 > 5:
            return None
    if hours > 9:
        return None
    whole = hours * 3600 + (minutes >> 4) * 600 + (minutes & 0x0F) * 60 + (seconds >> 4) * 10 + (seconds & 0x0F)
    return whole * 1000


@dataclass(slots=True)
class ClockNews:
    """What was told of a clock, and when: times that go on as they must are no news."""

    times: ClockTimes | None = None
    at_ms: int = 0
    doubtful: ClockTimes | None = None
    """Times that jumped: believed when the next ones agree, for the line has no checksum."""
    doubtful_ms: int = 0

    def take(self, now: ClockTimes, now_ms: int) -> ClockTimes | None:
        """The times if they are news, None if not."""
        if self.times is not None and agree(self.times, now, now_ms - self.at_ms):
            self.doubtful = None
            return None
        if self.doubtful is None or not agree(self.doubtful, now, now_ms - self.doubtful_ms):
            self.doubtful, self.doubtful_ms = now, now_ms
            return None
        self.times, self.at_ms, self.doubtful = now, now_ms, None
        return now


class ClockReader:
    """Lever and times out of what a clock at the board tells."""

    def __init__(self) -> None:
        self._news = ClockNews()
        self._right_high: bool | None = None
        self._right_high_told: bool | None = None
        self.shown: ClockTimes | None = None
        """What the message that came last told; None where it told no times."""
        self.is_doubtful = False
        """Whether the lever was told to have moved, and not confirmed yet: the clock is to be asked again."""

    @property
    def is_there(self) -> bool:
        """Whether a clock has told its times."""
        return self._right_high_told is not None

    def forget(self) -> None:
        """The conversation begins anew: how the lever stands is not known."""
        self._right_high = self._right_high_told = None
        self.is_doubtful = False

    def take(self, payload: bytes, now_ms: int, *, rotated: bool) -> tuple[ClockTimes | None, str | None]:
        """The times if they are news, and which button a lever amounts to that is told twice to have moved."""
        self.is_doubtful, self.shown = False, None
        if not is_times(payload):
            return None, None
        self.shown = times(payload, rotated)
        news = None if self.shown is None else self._news.take(self.shown, now_ms)
        return news, self._lever(payload, rotated)

    def _lever(self, payload: bytes, rotated: bool) -> str | None:
        right_high = bool(payload[6] & RIGHT_HIGH)
        told, self._right_high_told = self._right_high_told, right_high
        if right_high == self._right_high:
            return None
        if right_high != told:
            self.is_doubtful = True
            return None
        was_known, self._right_high = self._right_high is not None, right_high
        if not was_known:
            return None
        return "clock_white" if right_high != rotated else "clock_black"


def agree(before: ClockTimes, now: ClockTimes, passed_ms: int) -> bool:
    """Whether times are what others have come to after a while; a clock whose time is over shows none left."""
    if before.running is not now.running:
        return False
    runs = (before.running is Side.WHITE, before.running is Side.BLACK)
    expected = (max(0, before.white_ms - passed_ms * runs[0]), max(0, before.black_ms - passed_ms * runs[1]))
    return all(
        abs(one - other) <= TOLERANCE_MS for one, other in zip(expected, (now.white_ms, now.black_ms), strict=True)
    )
