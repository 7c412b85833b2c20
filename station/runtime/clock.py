"""The clocks: milliseconds since the station started, and the wall clock, which is read here alone."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


class Clock:
    """Counts milliseconds from its making; knows what the wall clock said then."""

    def __init__(self) -> None:
        self._started_ns = time.monotonic_ns()
        self.began = datetime.now(UTC)  # noqa: TID251 - the one place

    @property
    def boot(self) -> str:
        """Names this start of the station: lower-case letters and digits, later starts sort later."""
        return f"{round(self.began.timestamp() * 1000):012x}"

    def minute_of_day(self) -> int:
        """What the clock on the wall says here, 0 to 1439."""
        local = self.wall().astimezone()
        return local.hour * 60 + local.minute

    def wall(self) -> datetime:
        """What the wall clock says now, in UTC; a Pi wakes up without the time, and has it set later."""
        return datetime.now(UTC)  # noqa: TID251 - the one place

    def now_ms(self) -> int:
        """Milliseconds since the station started."""
        return (time.monotonic_ns() - self._started_ns) // 1_000_000


def wall_text(began: datetime, at_ms: int = 0) -> str:
    """UTC, ISO 8601 with milliseconds."""
    moment = began + timedelta(milliseconds=at_ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def read_wall(text: str) -> datetime:
    """The moment that a wall text states; ValueError when it states none."""
    return datetime.fromisoformat(text)
