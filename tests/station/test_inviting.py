"""A board that nobody touches lights the pieces that may begin."""

from __future__ import annotations

from engine.position import EMPTY, WHITE_MAN
from firmware_bridge.driver import Role
from station.session import deadline_ms

from .table import Table

MINUTE = 60_000


def lit(table):
    return {square for square, role in table.guidance.cues if role is Role.HINT}


def test_the_pieces_that_may_begin_are_lit_until_one_is_lifted():
    table = Table("russian", invite_ms=3 * MINUTE)
    table.wait(3 * MINUTE - 2000)
    assert table.guidance.key == "turn"
    assert not lit(table)
    table.wait(3000)
    assert table.guidance.key == "invite"
    assert lit(table) == {table.square(name) for name in ("a3", "c3", "e3", "g3")}
    table.take("c3")
    assert table.guidance.key != "invite"
    assert not lit(table)
    table.put("d4", WHITE_MAN)
    table.wait(1500)
    assert [move.to_square for move in table.session.game.moves] == [table.square("d4")]
    table.wait(10 * MINUTE)
    assert table.guidance.key == "turn"


def test_it_wakes_once_for_it_and_not_again():
    table = Table("russian", invite_ms=3 * MINUTE)
    table.wait(2 * MINUTE)
    assert deadline_ms(table.session) <= table.session.memory.since_ms + 3 * MINUTE
    table.wait(60 * MINUTE)
    assert table.guidance.key == "invite"
    assert deadline_ms(table.session) is None


def test_a_piece_lifted_and_put_back_begins_the_waiting_anew():
    table = Table("russian", invite_ms=MINUTE)
    table.wait(2 * MINUTE)
    table.take("e3")
    table.wait(800)
    table.put("e3", WHITE_MAN)
    table.wait(MINUTE - 3000)
    assert table.guidance.key == "turn"
    table.wait(4000)
    assert table.guidance.key == "invite"


def test_boards_that_are_not_set_to_invite_nobody():
    table = Table("russian")
    table.wait(60 * MINUTE)
    assert table.guidance.key == "turn"
    assert table.stands.count(EMPTY) == 8
