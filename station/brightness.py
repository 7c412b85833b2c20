"""How brightly a board's lamps are lit at which time of day."""

from __future__ import annotations

import re

DAY_MINUTES = 24 * 60
HOURS_EXPECTED = 'hours as "22:00-07:00"'


def percent_at(minute: int, day: int, night: int, hours: tuple[int, int] | None) -> int:
    """The brightness at a minute of the day (0 to 1439): `night` in the hours of the night, else `day`."""
    if hours is None:
        return day
    start, end = hours
    return night if (minute - start) % DAY_MINUTES < (end - start) % DAY_MINUTES else day


def read_hours(text: str) -> tuple[int, int] | None:
    """From when until when, in minutes of the day, as "22:00-07:00" states it; None when it states no such thing."""
    found = re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)", text)
    if found is None:
        return None
    start, end = int(found[1]) * 60 + int(found[2]), int(found[3]) * 60 + int(found[4])
    return None if start == end else (start, end)
