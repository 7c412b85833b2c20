"""With `adapt`, the engine's level follows a person's results: pure, and told as the next game's players."""

from __future__ import annotations

import pytest

from tests.station.table import Table


def finish(table, loser=None):
    """End the game, which nobody has won where no loser is named; then ask for another."""
    if loser is None:
        table.ask("new_game", start_fen="W:Wc3,a1:Bb6,h8")
        set_up(table)
        table.play("c3-d4")
        assert table.ask("draw") is None
        table.choose("b6-a5", score=0)
    else:
        assert table.ask("resign", side=loser) is None
    assert table.phase == "Over"
    assert table.ask("new_game") is None
    set_up(table)


def set_up(table):
    table.stand(table.session.game.position.contents)
    table.wait(1000)


def levels(table, *losers):
    """What the engine's level is after each game."""
    found = []
    for loser in losers:
        finish(table, loser)
        found.append(table.session.settings.black)
    return found


def test_a_win_is_one_up_and_two_losses_are_one_down():
    table = Table(black="engine:5", adapt=True)
    assert levels(table, "black", "white", "white", "white", "black") == [
        "engine:6",
        "engine:6",
        "engine:5",
        "engine:5",
        "engine:6",
    ]


def test_a_draw_leaves_the_level():
    assert levels(Table(black="engine:5", adapt=True), None, "white", None, "white") == ["engine:5"] * 4


def test_it_stays_from_1_to_10():
    assert levels(Table(black="engine:10", adapt=True), "black") == ["engine:10"]
    assert levels(Table(black="engine:1", adapt=True), "white", "white") == ["engine:1"] * 2


def test_an_engine_with_the_white_pieces_adapts_as_well():
    table = Table(white="engine:3", adapt=True)
    finish(table, "white")
    assert (table.session.settings.white, table.session.settings.black) == ("engine:4", "person")


@pytest.mark.parametrize(
    "settings",
    [
        {"black": "engine:5"},
        {"black": "person", "adapt": True},
        {"white": "engine:2", "black": "engine:5", "adapt": True},
        {"black": "hub:program", "adapt": True},
    ],
)
def test_nothing_else_changes(settings):
    table = Table(**settings)
    before = table.session.settings
    finish(table, "black")
    assert table.session.settings == before


def test_a_game_that_is_broken_off_counts_for_nothing():
    table = Table(black="engine:5", adapt=True)
    finish(table, "white")
    assert table.ask("new_game") is None
    table.wait(1000)
    assert table.session.settings.black == "engine:5"
    finish(table, "white")
    assert table.session.settings.black == "engine:4"


def test_who_chooses_a_level_begins_anew_there():
    table = Table(black="engine:5", adapt=True)
    finish(table, "white")
    assert table.ask("resign", side="white") is None
    assert table.ask("new_game", black="engine:8") is None
    table.wait(1000)
    finish(table, "white")
    assert table.session.settings.black == "engine:8"
