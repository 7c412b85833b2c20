"""What programs and the page are told of a session."""

from __future__ import annotations

from engine.pdn import read_pdn
from engine.position import EMPTY
from station.announcements import Moved
from station.status import game, snapshot, state

from .table import Table


def test_moves_that_look_alike_are_listed_in_the_order_in_which_they_are_chosen():
    table = Table()
    assert "choices" not in state(table.session)["guidance"]
    table.unknown = {table.square("b4"), table.square("d4")}
    table.touch(table.square("c3"), EMPTY)
    table.wait(2000)
    guidance = state(table.session)["guidance"]
    assert guidance["prompt"] == "which"
    choices = guidance["choices"]
    assert sorted(choices) == ["c3-b4", "c3-d4"]
    assert table.ask("choose", number=1) is None
    assert table.record == choices[:1]


def test_a_start_that_is_not_the_variants_is_told():
    assert "start_fen" not in snapshot(Table().session)
    table = Table(fen="W:Wc3:Bh8")
    table.play("c3-d4")
    assert snapshot(table.session)["start_fen"] == "W:Wc3:Bh8"


def test_persons_may_have_names_and_the_record_has_them():
    table = Table(white='person:Zoë "Zo" Łuk', black="person:Ωmega")
    table.play("c3-d4")
    told = game(table.session)
    assert told["players"] == {"white": 'person:Zoë "Zo" Łuk', "black": "person:Ωmega"}
    assert [move.by for move in table.heard_of(Moved)] == ["person"]
    read = read_pdn(told["pdn"], table.ruleset)[0]
    assert (read.tags["White"], read.tags["Black"]) == ('Zoë "Zo" Łuk', "Ωmega")
    assert table.ask("set_players", black="engine:4") is None
    assert read_pdn(game(table.session)["pdn"], table.ruleset)[0].tags["Black"] == "engine:4"
