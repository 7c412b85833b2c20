"""Players, variant and lamps are changed by request; a game under way is never ended by it."""

from __future__ import annotations

import pytest

from station.announcements import PlayersChanged
from station.effects import Announce, Choose, StopChoosing
from station.guidance import guide
from station.journal import FORMAT, Header, Line, as_read, unfinished_game
from station.phases import Answering, Turn, Waiting
from station.status import players

from .table import Table


def questions(table):
    return [effect.player for effect in table.effects if isinstance(effect, Choose)]


def test_an_engine_takes_over_in_the_middle_of_a_game():
    table = Table()
    table.play("c3-d4")
    assert table.ask("set_players", black="engine:3") is None
    assert isinstance(table.session.phase, Waiting)
    table.choose("f6-g5")
    table.wait(1000)
    assert guide(table.session).sentence == "Play f6-g5 for Black."
    assert players(table.session) == {"white": "person", "black": "engine:3"}


def test_a_person_takes_over_from_an_engine_that_thinks_or_has_answered():
    table = Table(black="engine:3")
    table.play("c3-d4")
    waiting = table.session.phase
    assert table.ask("set_players", black="person") is None
    assert StopChoosing(waiting.request) in table.effects
    table.play("f6-g5")
    assert (table.session.phase, table.session.game.ply) == (Turn(), 2)
    table = Table(black="engine:3")
    table.play("c3-d4")
    table.choose("f6-g5")
    assert isinstance(table.session.phase, Answering)
    table.ask("set_players", black="person")
    table.play("b6-c5")
    assert (table.session.phase, table.session.game.ply) == (Turn(), 2)


def test_in_a_pause_it_holds_from_the_moment_the_game_goes_on():
    table = Table()
    table.ask("pause")
    assert table.ask("set_players", white="engine:2") is None
    assert questions(table) == []
    table.ask("resume")
    assert questions(table) == ["engine:2"]


def test_without_a_board_it_holds_from_the_moment_it_is_back():
    table = Table()
    table.play("c3-d4")
    table.lose()
    table.ask("set_players", black="engine:2")
    table.regain()
    assert questions(table) == ["engine:2"]


def test_the_same_players_change_nothing():
    table = Table(black="engine:3")
    before = len(table.effects)
    assert table.ask("set_players", white="person", black="engine:3") is None
    assert not any(isinstance(effect, Announce) for effect in table.effects[before:])


def test_a_station_that_starts_anew_goes_on_with_the_new_players():
    table = Table(ready=False)
    table.regain()
    table.wait(1000)
    table.play("c3-d4")
    table.ask("set_players", black="engine:4")
    told = [effect for effect in table.effects if isinstance(effect, Announce)]
    assert told[-1].what == PlayersChanged("person", "engine:4")
    header = Header(FORMAT, "test", "boot", "2026-01-01T00:00:00.000Z", table.session.settings, "en")
    kept = unfinished_game(header, [Line(effect=as_read(effect)) for effect in told])
    assert (kept.white, kept.black, kept.game.ply) == ("person", "engine:4", 1)


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("set_players", {}, "found nothing, expected white or black"),
        (
            "set_players",
            {"white": "engine:11"},
            "white = 'engine:11': expected person, person:NAME, engine:1 to engine:10",
        ),
        ("set_players", {"white": "person:"}, "white = 'person:': expected person"),
        ("set_players", {"white": "person: Ann"}, "expected person"),
        ("set_players", {"white": "person:An\nn"}, "expected person"),
        ("set_players", {"white": "person:" + 61 * "a"}, "expected person"),
        ("set_players", {"white": 5}, "white = 5: expected person"),
        ("set_players", {"red": "person"}, "red: no such key, expected white or black"),
        ("set_variant", {}, "found nothing, expected variant"),
        ("set_variant", {"variant": "ludo"}, "variant = 'ludo': expected one of"),
        ("set_variant", {"variant": "international"}, "this board has 32 squares"),
        ("set_variant", {"variant": "pool", "clock": "5"}, "clock: no such key, expected variant"),
        ("lamps", {}, "found nothing, expected on"),
        ("lamps", {"on": "yes"}, "on = 'yes': expected true or false"),
    ],
)
def test_what_is_wrong_is_named_and_changes_nothing(name, arguments, reason):
    table = Table()
    before = table.session
    assert reason in table.ask(name, **arguments)
    assert (table.session.settings, table.session.game, table.session.lamps) == (before.settings, before.game, True)


def test_another_variant_begins_before_the_first_move_and_after_the_last():
    table = Table("russian", fen="W:Wd4:Be5")
    assert table.ask("set_variant", variant="pool") is None
    assert table.session.game.ruleset.name == "pool"
    table = Table("russian", fen="W:Wd4:Be5,a7")
    table.play("d4:f6")
    assert "under way" in table.ask("set_variant", variant="pool")
    assert table.session.game.ruleset.name == "russian"
    table.ask("resign")
    assert table.ask("set_variant", variant="pool") is None
    assert table.session.game.ruleset.name == "pool"


def test_lamps_that_are_out_stay_out_and_come_back():
    table = Table(white="engine:3")
    table.choose("c3-d4")
    table.wait(1000)
    shown = table.session.shown
    assert len(shown) == 2
    assert table.ask("lamps", on=False) is None
    assert (table.session.shown, guide(table.session).cues) == ((), shown)
    assert table.ask("lamps", on=True) is None
    assert table.session.shown == shown
