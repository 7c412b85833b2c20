"""What programs and the page are told of a session."""

from __future__ import annotations

from engine.position import EMPTY
from station.status import snapshot, state

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
