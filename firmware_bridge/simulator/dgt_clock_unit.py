"""The clock at a simulated DGT-compatible board (unofficial): two times, a lever, and what the host may have it do."""

from __future__ import annotations

SET_BYTES = 10


class ClockUnit:
    """Left and right time; stands at 5:00 until it is set, which it obeys in its mode 23 alone."""

    def __init__(self, *, obeys: bool) -> None:
        self.obeys = obeys
        """Whether it is in mode 23."""
        self._left_ms = [300_000.0, 300_000.0]
        """Left, right."""
        self.runs: int | None = None
        """0 while the left time runs, 1 while the right does."""
        self._toggles = False
        self._since_ms = 0.0
        self.right_high = False
        self.is_set = False

    def set(self, data: bytes, at_ms: float) -> bool:
        """Takes a command to show times and run; whether it does so."""
        if len(data) != SET_BYTES or data[:2] != b"\x03\x0a" or not self.obeys:
            return False
        hours, minutes, seconds = data[2::3][:2], data[3::3][:2], data[4::3][:2]
        self._left_ms = [1000.0 * (hours[n] * 3600 + minutes[n] * 60 + seconds[n]) for n in (0, 1)]
        flags = data[8]
        self.runs = None if flags & 4 else 0 if flags & 1 else 1 if flags & 2 else None
        self._toggles, self._since_ms, self.is_set = bool(flags & 8), at_ms, True
        return True

    def lever(self, right_high: bool, at_ms: float) -> None:
        """A player has pushed the lever."""
        self.right_high = right_high
        if self._toggles and self.runs is not None:
            self._settle(at_ms)
            self.runs = 1 if right_high else 0

    def seconds(self, at_ms: float) -> tuple[int, int]:
        """What it shows, left and right; a second that has begun counts."""
        self._settle(at_ms)
        left, right = (int(-(-ms // 1000)) for ms in self._left_ms)
        return left, right

    def told(self, at_ms: float) -> bytes:
        """The seven bytes of its times."""
        left, right = self.seconds(at_ms)
        status = 0x02 if self.right_high else 0
        if self.is_set:
            status |= 0 if self.runs is None else 0x11 if self.runs == 0 else 0x09
        else:
            status |= 0x09 if self.right_high else 0x11
        return bytes((*_decimal(right), *_decimal(left), status))

    def _settle(self, at_ms: float) -> None:
        if self.runs is not None:
            self._left_ms[self.runs] = max(0.0, self._left_ms[self.runs] - (at_ms - self._since_ms))
        self._since_ms = at_ms


def _decimal(seconds: int) -> tuple[int, int, int]:
    parts = (seconds // 3600, seconds // 60 % 60, seconds % 60)
    hours, minutes, rest = (part // 10 * 16 + part % 10 for part in parts)
    return hours, minutes, rest
