"""One lamp and one buzzer for a board without lamps: they say that something is to be done, the page says what."""

from __future__ import annotations

from firmware_bridge.driver import Cues, Role

TASK_MS, ALARM_MS = 500, 125
"""Half the time of a wink: something is to be done; something is wrong."""
BEEP_MS = 80


class Signals:
    """The lamp is steady while all is well, winks while something is to be done, fast while something is wrong."""

    def __init__(self) -> None:
        self._cues: Cues = ()
        self._since_ms = 0
        self._beeps: tuple[int, ...] = ()
        """When the buzzer goes on and off again, by turns."""

    def show(self, cues: Cues, now_ms: int) -> None:
        """Takes what a board with lamps would light; once for a new task, twice for a new fault, the buzzer sounds."""
        was_wrong, is_wrong = _is_wrong(self._cues), _is_wrong(cues)
        beeps = 2 if is_wrong and not was_wrong else 1 if cues and not self._cues else 0
        if _half_wink_ms(cues) != _half_wink_ms(self._cues):
            self._since_ms = now_ms
        self._cues = cues
        if beeps:
            self._beeps = tuple(now_ms + place * BEEP_MS for place in range(2 * beeps))

    def levels(self, now_ms: int) -> tuple[bool, bool]:
        """Whether lamp and buzzer are on."""
        half_ms = _half_wink_ms(self._cues)
        lit = half_ms is None or (now_ms - self._since_ms) // half_ms % 2 == 0
        return lit, sum(at_ms <= now_ms for at_ms in self._beeps) % 2 == 1

    def next_ms(self, now_ms: int) -> int | None:
        """When they change next, later than now."""
        due = [at_ms for at_ms in self._beeps if at_ms > now_ms]
        half_ms = _half_wink_ms(self._cues)
        if half_ms is not None:
            due.append(self._since_ms + ((now_ms - self._since_ms) // half_ms + 1) * half_ms)
        return min(due, default=None)


def _is_wrong(cues: Cues) -> bool:
    return any(role is Role.WRONG for _, role in cues)


def _half_wink_ms(cues: Cues) -> int | None:
    return None if not cues else ALARM_MS if _is_wrong(cues) else TASK_MS
