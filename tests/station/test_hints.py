"""A hint is asked for once, shown while the board stands as the game does, and gone when the game goes on."""

from __future__ import annotations

import pytest

from engine.notation import square_name
from firmware_bridge.driver import Role
from station.announcements import Prompted
from station.effects import Announce, Choose, StopChoosing
from station.events import PlayerFailed
from station.guidance import guide

from .table import Table


def asked(table):
    return [effect for effect in table.effects if isinstance(effect, Choose)]


def cues(table):
    return {square_name(square, table.ruleset): role for square, role in guide(table.session).cues}


def test_it_is_shown_by_sentence_and_lamps_until_a_piece_is_touched():
    table = Table()
    assert table.ask("hint") is None
    (question,) = asked(table)
    assert (question.player, question.game.ply) == ("engine:10", 0)
    assert guide(table.session).key == "turn"
    table.choose("c3-d4")
    assert guide(table.session).sentence == "White to move. A hint: c3-d4."
    assert cues(table) == {"c3": Role.HINT, "d4": Role.HINT}
    table.move("e3-f4")
    table.wait(1500)
    assert (guide(table.session).key, table.session.game.ply) == ("turn", 1)


def test_it_is_asked_for_once_in_a_position():
    table = Table()
    assert [table.ask("hint"), table.ask("hint")] == [None, None]
    table.choose("c3-d4")
    assert table.ask("hint") is None
    assert len(asked(table)) == 1
    told = [e.what for e in table.effects if isinstance(e, Announce) and isinstance(e.what, Prompted)]
    assert [what.prompt for what in told].count("hint") == 1


def test_an_answer_that_comes_too_late_says_nothing_and_the_adviser_is_stopped():
    table = Table()
    table.ask("hint")
    table.play("c3-d4")
    (question,) = asked(table)
    assert StopChoosing(question.request) in table.effects
    table.choose_move(question.game.legal_moves[0], question.request)
    assert guide(table.session).sentence == "Black to move."
    assert table.session.game.ply == 1


def test_an_engines_reply_is_asked_for_all_the_same():
    table = Table(black="engine:3")
    table.ask("hint")
    table.play("c3-d4")
    hint, question = asked(table)
    assert (hint.player, question.player) == ("engine:10", "engine:3")
    table.choose("f6-g5", question.request)
    table.wait(1000)
    assert guide(table.session).sentence == "Play f6-g5 for Black."


@pytest.mark.parametrize("settings", [{"white": "engine:3"}])
def test_there_is_none_while_nobody_at_the_board_is_to_move(settings):
    table = Table(**settings)
    assert table.ask("hint").startswith("hint: found nobody")
    assert all(question.player == "engine:3" for question in asked(table))
    table = Table()
    table.ask("pause")
    assert table.ask("hint").startswith("hint: found nobody")


def test_an_adviser_that_fails_is_said_and_may_be_asked_again():
    table = Table()
    table.ask("hint")
    table.send(PlayerFailed(table.now, asked(table)[0].request, "it crashed"))
    told = [e.what for e in table.effects if isinstance(e, Announce) and isinstance(e.what, Prompted)]
    assert told[-1].sentence == "No hint can be had now: it crashed."
    table.ask("hint")
    assert len(asked(table)) == 2


def test_it_comes_back_after_a_pause_or_a_lost_board():
    table = Table()
    table.ask("hint")
    table.lose()
    table.choose("c3-d4")
    assert guide(table.session).key == "lost"
    table.regain()
    assert guide(table.session).key == "hint"
