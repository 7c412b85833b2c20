"""A piece that nobody lifted is of another kind only when it has been read so for a while."""

from __future__ import annotations

from firmware_bridge.swings import HOLD_MS, Swings

MAN, KING = 1, 7


def test_a_kind_read_for_one_scan_is_not_taken():
    swings = Swings()
    assert swings.note(5, MAN, KING, 0)
    assert swings.note(5, MAN, MAN, 225)
    assert swings.deadline_ms() is None
    assert swings.expire(10_000) == ()


def test_a_kind_that_stays_is_taken_when_it_has_stood_for_long_enough():
    swings = Swings()
    assert swings.note(5, MAN, KING, 100)
    assert swings.note(5, MAN, KING, 325)
    assert swings.deadline_ms() == 100 + HOLD_MS
    assert swings.expire(100 + HOLD_MS - 1) == ()
    assert swings.expire(100 + HOLD_MS) == ((5, KING),)
    assert swings.deadline_ms() is None


def test_each_other_kind_begins_anew_and_a_touch_ends_it():
    swings = Swings()
    swings.note(5, MAN, KING, 0)
    swings.note(5, MAN, 4, 500)
    assert swings.deadline_ms() == 500 + HOLD_MS
    swings.drop(5)
    assert swings.expire(10_000) == ()
