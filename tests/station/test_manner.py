"""How it is played is changed in the middle of a game: from then on it holds; what is wrong changes nothing."""

from __future__ import annotations

import pytest

from station.settings import BLITZ, CALM
from station.status import snapshot

from .table import Table


def test_turns_end_with_the_button_from_now_on():
    table = Table()
    table.play("c3-d4")
    assert table.ask("set_play", confirm="button") is None
    table.move("f6-g5")
    table.wait(3000)
    assert table.session.game.ply == 1
    table.press("confirm")
    assert table.session.game.ply == 2
    assert table.ask("set_play", confirm="automatic") is None
    table.move("d4-e5")
    table.wait(200)
    assert table.session.game.ply == 3


def test_a_move_that_stands_is_taken_when_the_button_is_no_longer_needed():
    table = Table(confirm="button")
    table.move("c3-d4")
    table.wait(3000)
    assert table.session.game.ply == 0
    table.ask("set_play", confirm="automatic")
    table.wait(200)
    assert table.session.game.ply == 1


def test_pace_and_times():
    table = Table()
    assert table.ask("set_play", pace="blitz", quick_ms=300) is None
    pace = table.session.settings.pace
    assert (pace.quick, pace.extended) == (300, BLITZ.extended)
    table.ask("set_play", forgot_ms=5000)
    pace = table.session.settings.pace
    assert (pace.quick, pace.forgot, pace.extended) == (300, 5000, BLITZ.extended), "what is not named stays"
    table.move("c3-d4")
    table.wait(250)
    assert table.session.game.ply == 0
    table.wait(100)
    assert table.session.game.ply == 1
    table.ask("set_play", pace="calm")
    assert table.session.settings.pace == CALM
    assert snapshot(table.session)["play"]["pace"] == "calm"


def test_draws_and_touch_move():
    table = Table()
    assert table.ask("set_play", draws="claim", touch_move=True) is None
    assert (table.session.settings.draws, table.session.settings.touch_move) == ("claim", True)
    assert table.ask("adjust") is None


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "found nothing, expected one of confirm, draws, touch_move, pace, quick_ms"),
        ({"colour": "red"}, "colour: no such key, expected one of confirm"),
        ({"confirm": "never"}, "confirm = 'never': expected one of automatic, button, when-ambiguous"),
        ({"draws": True}, "draws = True: expected one of automatic, claim"),
        ({"pace": "slow"}, "pace = 'slow': expected one of calm, blitz"),
        ({"touch_move": "yes"}, "touch_move = 'yes': expected true or false"),
        ({"quick_ms": 1}, "expected quick_ms from 20 to 5000 ms"),
        ({"quick_ms": True}, "expected quick_ms from 20 to 5000 ms"),
        ({"confirm": "button", "quick_ms": 1000}, "expected quick_ms to be at most extended_ms, which is 900 ms"),
    ],
    ids=lambda value: next(iter(value), "nothing") if isinstance(value, dict) else "",
)
def test_what_is_wrong_changes_nothing(arguments, error):
    table = Table()
    before = table.session.settings
    assert table.ask("set_play", **arguments).startswith(error)
    assert table.session.settings == before
