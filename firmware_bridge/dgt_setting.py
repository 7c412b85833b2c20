"""Sets the clock at a DGT-compatible board (unofficial) to a game's: one command at a time, until acknowledged.

The game's clock is the one that counts; the one at the board shows it. It is set when the game's times are not what
those set before have come to, and again when it goes on showing something else. One that refuses (it obeys in its
mode 23 alone) is asked again a minute later.
"""

from __future__ import annotations

from engine.position import Side
from firmware_bridge.dgt_clock import agree
from firmware_bridge.dgt_display import ACK_MS, BEGIN, DONE, END, MESSAGE, TRIES, acknowledged
from firmware_bridge.driver import ClockTimes

SET_AND_RUN = 0x0A
LEFT_RUNS, RIGHT_RUNS, PAUSES, LEVER_TOGGLES = 0x01, 0x02, 0x04, 0x08
MOST_S = 9 * 3600 + 59 * 60 + 59
"""A display has one digit for hours."""
REFUSED_MS = 60_000
"""A clock that refused is asked again after so long."""
TAKES_MS = 2000
"""For so long after a command a clock may still tell what was before, and a lever may be ahead of the game."""


def command(times: ClockTimes, rotated: bool) -> bytes:
    """The clock command that shows these times and has the right one run; no byte of it is from 0x40 to 0x60."""
    left, right = (times.black_ms, times.white_ms) if rotated else (times.white_ms, times.black_ms)
    runs = {None: PAUSES, Side.WHITE: RIGHT_RUNS if rotated else LEFT_RUNS}.get(
        times.running, LEFT_RUNS if rotated else RIGHT_RUNS
    )
    body = bytes((BEGIN, SET_AND_RUN, *_digits(left), *_digits(right), runs | LEVER_TOGGLES, END))
    return bytes((MESSAGE, len(body))) + body


def _digits(left_ms: int) -> tuple[int, int, int]:
    """Hours, minutes and seconds; a second that has begun is shown."""
    seconds = min(max(0, -(-left_ms // 1000)), MOST_S)
    return seconds // 3600, seconds // 60 % 60, seconds % 60


class ClockSetter:
    """The times that a clock is to show, and whether it does."""

    def __init__(self) -> None:
        self._wanted: ClockTimes | None = None
        self._wanted_ms = 0
        """When the wanted times were so."""
        self._is_set = False
        self._set_ms = 0
        self._sent_ms: int | None = None
        self._tries = 0
        self._off_ms: int | None = None
        """Since when it shows something else; None while it shows what it is to."""
        self._shown: ClockTimes | None = None
        self._shown_ms = 0

    @property
    def is_waiting(self) -> bool:
        """Whether a command has not been acknowledged yet."""
        return self._sent_ms is not None and self._tries < TRIES

    def want(self, times: ClockTimes | None, at_ms: int) -> None:
        """These were a game's times at a moment; None: it has none, and the clock is left alone."""
        told = [(self._wanted, self._wanted_ms)] if self._is_set else []
        if self._sent_ms is None:
            told.append((self._shown, self._shown_ms))
        known = [(was, at_ms - was_ms) for was, was_ms in told if was is not None]
        self._is_set = times is not None and any(agree(was, times, passed_ms) for was, passed_ms in known)
        self._wanted, self._wanted_ms, self._off_ms = times, at_ms, None

    def clear(self) -> None:
        """The board may have started anew: its clock is set again."""
        self._is_set, self._sent_ms, self._tries, self._off_ms, self._shown = False, None, 0, None, None

    def due_ms(self) -> int | None:
        """When the next command is due; None for never."""
        if self._wanted is None or self._is_set:
            return None
        if self._sent_ms is None:
            return 0
        return self._sent_ms + (REFUSED_MS if self._tries >= TRIES else ACK_MS)

    def send(self, now_ms: int, *, rotated: bool) -> bytes:
        """The command that is due."""
        assert self._wanted is not None
        self._tries = 1 if self._tries >= TRIES else self._tries + 1
        self._sent_ms = now_ms
        return command(_at(self._wanted, now_ms - self._wanted_ms), rotated)

    def take(self, payload: bytes, now_ms: int) -> None:
        """Takes a clock message that may be an acknowledgement."""
        if self._sent_ms is not None and acknowledged(payload) == DONE:
            self._is_set, self._set_ms, self._sent_ms, self._tries, self._off_ms = True, now_ms, None, 0, None

    def compare(self, shown: ClockTimes, now_ms: int) -> None:
        """The clock shows this: it is set again where that goes on being something else than the game's times."""
        self._shown, self._shown_ms = shown, now_ms
        if self._wanted is None or not self._is_set or now_ms < self._set_ms + TAKES_MS:
            return
        if agree(self._wanted, shown, now_ms - self._wanted_ms):
            self._off_ms = None
        elif self._off_ms is None:
            self._off_ms = now_ms
        elif now_ms >= self._off_ms + TAKES_MS:
            self._is_set, self._off_ms = False, None


def _at(times: ClockTimes, passed_ms: int) -> ClockTimes:
    """What times have come to after a while."""
    white, black = times.white_ms, times.black_ms
    if times.running is Side.WHITE:
        white -= passed_ms
    if times.running is Side.BLACK:
        black -= passed_ms
    return ClockTimes(white, black, times.running)
