"""The clock at a board is shown where the game has none, and decides nothing."""

from __future__ import annotations

from dataclasses import replace

from engine.position import Side
from engine.ruleset import load_ruleset
from firmware_bridge.driver import ClockTimes
from station.clock import read_control
from station.events import ClockTold, TimePassed
from station.phases import Over
from station.session import begin, step
from station.settings import Settings
from station.status import state
from station.texts import load_texts

SHOWN = ClockTimes(300_000, 4_000, Side.BLACK)


def session(**settings):
    return begin(Settings("table", load_ruleset("russian"), **settings), load_texts("en"), "boot")


def test_it_runs_on_from_what_was_told_and_no_flag_falls():
    told, effects = step(session(), ClockTold(10_000, SHOWN))
    assert effects == ()
    assert state(told)["clocks_ms"] == {"white": 300_000, "black": 4_000}
    assert state(told)["clock"] == {"control": "", "running": "black"}
    later, _ = step(told, TimePassed(12_500))
    assert state(later)["clocks_ms"] == {"white": 300_000, "black": 1_500}
    later, _ = step(later, TimePassed(30_000))
    assert state(later)["clocks_ms"] == {"white": 300_000, "black": 0}
    assert not isinstance(later.phase, Over)


def test_a_clock_that_stands_stands():
    told, _ = step(session(), ClockTold(10_000, replace(SHOWN, running=None)))
    later, _ = step(told, TimePassed(50_000))
    assert state(later)["clocks_ms"] == {"white": 300_000, "black": 4_000}
    assert state(later)["clock"] == {"control": "", "running": None}


def test_the_games_own_clock_goes_before():
    told, _ = step(session(clock=read_control("5+3")), ClockTold(10_000, SHOWN))
    assert state(told)["clocks_ms"] == {"white": 300_000, "black": 300_000}
    assert state(told)["clock"]["control"] == "5+3"


def test_without_either_nothing_is_shown():
    assert (state(session())["clocks_ms"], state(session())["clock"]) == (None, None)
