"""What is told of a board's health, from what happened there."""

from __future__ import annotations

import dataclasses

from engine.ruleset import load_ruleset
from engine.view import view_of
from firmware_bridge.driver import Counters
from station.announcements import Moved
from station.effects import Announce
from station.events import BoardSeen, TimePassed
from station.runtime.health import RESTLESS, Health, temperature_c
from station.runtime.loop import Outcome
from station.session import begin
from station.settings import Settings
from station.texts import load_texts
from station.tracker import Memory

AT = "2026-01-01T00:00:00.000Z"
EMPTY, OCCUPIED, ANYTHING = 1, 30, 31
MOVED = Moved(1, "white", "person", "c3-d4", "c3", ("d4",), (), "d4", False, "B:Wd4:Bf6", 900)


def session(view=None, since_ms=0):
    fresh = begin(Settings("table", load_ruleset("russian")), load_texts("en"), "1")
    return dataclasses.replace(fresh, memory=Memory(view=view, since_ms=since_ms))


def seen(square=None, contents=EMPTY):
    return view_of([contents if number == square else ANYTHING for number in range(32)], [])


def test_a_square_that_comes_and_goes_faster_than_hands_is_named_as_weak():
    health = Health(Counters)
    for number in range(RESTLESS + 2):
        view = seen(21, EMPTY if number % 2 else OCCUPIED)
        health.hear(Outcome("table", session(view), BoardSeen(number, view), ()))
    assert health.report(30.0, AT)["weak_squares"] == ["c3"]
    assert health.report(60.0, AT)["weak_squares"] == []


def test_traffic_is_told_by_the_second_and_faults_in_all():
    counted = [Counters(10, 0, 0), Counters(1510, 3, 1, (("length", 3),)), Counters(1510, 3, 1, remark="so it is")]
    health = Health(lambda: counted.pop(0))
    report = health.report(30.0, AT)
    assert (report["frames_per_s"], report["frames"], report["dropped_frames"]) == (50.0, 1510, 3)
    assert report["dropped_by_reason"] == {"length": 3}
    assert report["at"] == AT
    assert report["remark"] is None
    report = health.report(60.0, AT)
    assert (report["frames_per_s"], report["remark"]) == (0.0, "so it is")


def test_how_long_moves_take_is_counted_from_the_last_change_of_the_board():
    health = Health(Counters)
    assert health.report(1.0, AT)["latency_ms"] == {"p50": None, "p95": None, "p99": None}
    health.hear(Outcome("table", session(since_ms=1000), TimePassed(1000), ()))
    health.hear(Outcome("table", session(), TimePassed(1130), (Announce(1, "g", MOVED),)))
    assert health.report(2.0, AT)["latency_ms"] == {"p50": 130, "p95": 130, "p99": 130}


def test_a_temperature_that_nobody_tells_is_not_invented(tmp_path):
    assert temperature_c(tmp_path / "none") is None
    (tmp_path / "temp").write_text("48312\n")
    assert temperature_c(tmp_path / "temp") == 48.312
