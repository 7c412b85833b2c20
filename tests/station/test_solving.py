"""A problem on the wood: found or not found, led back, hinted at, solved; and an ordinary game afterwards."""

from __future__ import annotations

import pytest

from engine.notation import square_name
from engine.position import Side
from engine.problem_sets import problem
from engine.rules import rules_for
from firmware_bridge.driver import Role
from station.announcements import GameOver, GameStarted, Moved, TakenBack
from station.effects import Announce, Choose
from station.guidance import guide
from station.journal import FORMAT, Header, Line, as_read, unfinished_game
from station.phases import Answering, Over, Turn
from station.session import begin
from station.texts import load_texts

from .table import Table

VARIANT, NUMBER = "russian", 1


@pytest.fixture
def found():
    return problem(VARIANT, NUMBER)


@pytest.fixture
def table(found):
    table = Table(VARIANT)
    assert table.ask("new_game", problem=NUMBER) is None
    table.stand(found.position.contents)
    table.wait(1500)
    return table


def carry_out_all(table, moves):
    for move in moves:
        table.carry_out(move)
        table.wait(1500)


def test_it_is_set_up_and_asks_for_the_shot(table, found):
    assert guide(table.session).sentence == f"Problem {NUMBER}: {str(found.solver).title()} to move and win."
    (started,) = table.heard_of(GameStarted)
    assert {started.white, started.black} == {"person", f"problem:{NUMBER}"}
    assert table.session.phase == Turn()


def test_the_line_is_answered_by_lamps_and_solves_it(table, found):
    for ply, move in enumerate(found.line):
        if ply % 2:
            assert isinstance(table.session.phase, Answering)
            assert guide(table.session).key == "reply"
        table.carry_out(move)
        table.wait(1500)
    assert isinstance(table.session.phase, Over)
    assert "the problem is solved" in guide(table.session).sentence
    broken_off, over = table.heard_of(GameOver)
    assert broken_off.result == "*"
    assert over.result == ("2-0" if found.solver is Side.WHITE else "0-2")
    assert [move.by for move in table.heard_of(Moved)] == ["person", "engine"] * (len(found.line) // 2) + ["person"]
    assert not [effect for effect in table.effects if isinstance(effect, Choose)]


def test_a_wrong_move_is_told_and_led_back_from(table, found):
    wrong = next(move for move in table.session.game.legal_moves if move.effect != found.line[0].effect)
    before = list(table.stands)
    table.carry_out(wrong)
    table.wait(1500)
    guidance = guide(table.session)
    assert guidance.key == "problem_wrong"
    assert dict(guidance.cues) == {wrong.to_square: Role.LIFT, wrong.from_square: Role.PLACE}
    table.stand(before)
    table.wait(3000)
    assert [told.plies for told in table.heard_of(TakenBack)] == [1]
    assert guide(table.session).key == "problem"
    carry_out_all(table, found.line)
    assert isinstance(table.session.phase, Over)


def test_the_button_takes_the_wrong_move_back(table, found):
    wrong = next(move for move in table.session.game.legal_moves if move.effect != found.line[0].effect)
    table.carry_out(wrong)
    table.wait(1500)
    table.press("take_back")
    assert table.session.game.ply == 0
    assert guide(table.session).key == "set_up"


def test_a_hint_shows_the_piece_first_and_then_its_square(table, found):
    move = found.line[0]
    start, end = (square_name(square, table.ruleset) for square in (move.from_square, move.to_square))
    assert table.ask("hint") is None
    assert guide(table.session).sentence == f"A hint: look at the piece on {start}."
    assert guide(table.session).cues == ((move.from_square, Role.HINT),)
    assert table.ask("hint") is None
    assert {square for square, _ in guide(table.session).cues} == {move.from_square, move.to_square}
    assert end in guide(table.session).sentence
    wrong = next(other for other in table.session.game.legal_moves if other.effect != move.effect)
    table.carry_out(wrong)
    table.wait(1500)
    assert "taken back" in table.ask("hint")


def test_the_start_position_begins_an_ordinary_game(table):
    table.stand(rules_for(table.ruleset).start().contents)
    table.wait(6000)
    assert table.session.settings.white == table.session.settings.black == "person"
    assert table.session.game.position.diagram == rules_for(table.ruleset).start().diagram
    assert guide(table.session).key in ("ready", "turn")


def test_a_new_game_asked_for_is_an_ordinary_one(table):
    assert table.ask("new_game", black="engine:2") is None
    assert (table.session.settings.white, table.session.settings.black) == ("person", "engine:2")
    assert table.session.settings.start_fen == ""


def test_a_station_that_starts_anew_goes_on_with_the_problem(table, found):
    carry_out_all(table, found.line[:2])
    told = [Line(effect=as_read(effect)) for effect in table.effects if isinstance(effect, Announce)]
    header = Header(FORMAT, "test", "boot", "2026-01-01T00:00:00.000Z", Table(VARIANT).session.settings, "en")
    kept = unfinished_game(header, told)
    again = begin(header.settings, load_texts("en"), "boot-2", kept)
    assert again.phase.interrupted == Turn()
    assert again.settings.player(found.solver.other) == f"problem:{NUMBER}"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"problem": 0}, "problem = 0: expected 1 to"),
        ({"problem": "today"}, "problem = 'today': expected 1 to"),
        ({"problem": 1, "black": "engine:3"}, "black: expected problem and variant alone"),
        ({"problem": 1, "variant": "checkers-of-mine"}, "variant = 'checkers-of-mine': expected one of"),
        ({"problem": 1, "variant": "giveaway-russian"}, "giveaway-russian: has no problems"),
    ],
)
def test_what_is_wrong_is_named(arguments, reason):
    table = Table(VARIANT)
    before = table.session.game
    assert reason in table.ask("new_game", **arguments)
    assert table.session.game is before


def test_who_changes_the_players_plays_on_from_there_and_the_next_game_from_the_start(table, found):
    other = str(found.solver.other)
    assert table.ask("set_players", **{other: "engine:2"}) is None
    wrong = next(move for move in table.session.game.legal_moves if move.effect != found.line[0].effect)
    table.carry_out(wrong)
    table.wait(1500)
    assert [effect.player for effect in table.effects if isinstance(effect, Choose)] == ["engine:2"]
    assert table.ask("new_game") is None
    assert table.session.game.position.diagram == rules_for(table.ruleset).start().diagram
