"""How bright lamps are by day and by night."""

from __future__ import annotations

import pytest

from station.brightness import percent_at, read_hours

NOON = 12 * 60


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("22:00-07:00", (22 * 60, 7 * 60)),
        ("00:00-06:30", (0, 390)),
        ("23:59-00:00", (23 * 60 + 59, 0)),
        ("7:00-22:00", None),
        ("24:00-07:00", None),
        ("22:00-22:00", None),
        ("22:00", None),
        ("", None),
    ],
)
def test_hours_are_read_or_refused(text, hours):
    assert read_hours(text) == hours


def test_S76_the_night_may_pass_midnight_and_ends_on_the_minute():
    hours = read_hours("22:00-07:00")
    shown = [percent_at(minute, 80, 10, hours) for minute in range(24 * 60)]
    assert [minute for minute in range(24 * 60) if shown[minute] != shown[minute - 1]] == [7 * 60, 22 * 60]
    assert (shown[0], shown[NOON], shown[23 * 60]) == (10, 80, 10)
    hours = read_hours("13:00-14:00")
    assert [percent_at(minute, 80, 10, hours) for minute in (NOON, 13 * 60, 14 * 60 - 1, 14 * 60)] == [80, 10, 10, 80]
    assert percent_at(0, 80, 10, None) == 80
