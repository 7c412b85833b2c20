"""Flicker: a piece lifted by a person goes at once, a weak one stays until it has been gone for long."""

from __future__ import annotations

from firmware_bridge.flicker import ABSENCES, HOLD_MS, Flicker


def flickering(every_ms: int, changes: int) -> tuple[Flicker, list[bool], int]:
    flicker, held, now_ms, code = Flicker(), [], 0, 1
    for _ in range(changes):
        now_ms += every_ms
        after = 0 if code else 1
        held.append(flicker.note(7, code, after, now_ms))
        code = code if held[-1] else after
    return flicker, held, now_ms


def test_a_piece_lifted_once_is_gone_at_once():
    assert flickering(200, 3)[1] == [False] * 3


def test_fast_and_repeated_changes_are_held():
    flicker, held, now_ms = flickering(200, 2 * ABSENCES + 1)
    assert held[-1]
    assert flicker.deadline_ms() == now_ms + HOLD_MS
    assert flicker.overlay(bytes(8)) == bytes((0, 0, 0, 0, 0, 0, 0, 1))
    assert flicker.expire(now_ms + HOLD_MS - 1) == ()
    assert flicker.expire(now_ms + HOLD_MS) == (7,)
    assert flicker.overlay(bytes(8)) == bytes(8)
    assert flicker.deadline_ms() is None


def test_slow_changes_are_a_persons():
    assert flickering(2000, 20)[1] == [False] * 20


def test_another_piece_on_the_cell_is_told():
    flicker, _, now_ms = flickering(200, 2 * ABSENCES + 1)
    assert not flicker.note(7, 1, 4, now_ms + 100)


def test_nothing_new_is_nothing():
    assert Flicker().note(3, 1, 1, 0)
