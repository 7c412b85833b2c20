"""An arm that is a person, and one that is not moved: what is said, and that the game goes on."""

from __future__ import annotations

import pytest

from engine.notation import square_name
from engine.position import EMPTY
from station.announcements import ArmStopped
from station.effects import Handle
from station.events import ArmDone, ArmFound
from station.handling.arm import ArmSettings
from tests.station.arm_table import ArmTable
from tests.station.table import Table


def answered(driver):
    table = Table("russian", black="engine:1", arm=ArmSettings(driver))
    if driver != "human":
        table.send(ArmFound(table.now, driver))
    table.play("c3-d4")
    table.choose("b6-a5")
    table.wait(2000)
    return table


def test_a_person_is_asked_for_one_act_after_another():
    table = answered("human")
    assert table.guidance.sentence == "Lift the piece on b6."
    table.take("b6")
    assert table.guidance.sentence == "Put it down on a5."
    man = table.session.game.position.contents[table.square("b6")]
    table.put("a5", man)
    table.wait(1500)
    assert table.record == ["c3-d4", "b6-a5"]


@pytest.mark.parametrize("kind", ["occupancy", "colour", "identity"])
@pytest.mark.parametrize("crown", ["stack", "swap"])
def test_c3_a_crown_that_no_sensor_sees_is_no_failure_and_somebody_is_asked_to_look(kind, crown):
    table = ArmTable(fen="W:Wg3,h2:Bb2", crown=crown, kind=kind)
    table.play("g3-h4")
    table.until(lambda: len(table.record) == 2)
    table.wait(15_000)
    assert table.heard_of(ArmStopped) == []
    square = table.session.game.moves[-1].to_square
    assert len(table.shop.on(table.ruleset.geometry.cells[square])) == (2 if crown == "stack" else 1)
    name = square_name(square, table.ruleset)
    look = f" The arm put a second man on {name}: look whether it lies there." if crown == "stack" else ""
    assert table.guidance.sentence == f"White to move.{look}"
    table.play("h4-g5")
    table.until(lambda: len(table.record) == 4)
    assert table.shop.collisions == []
    assert table.guidance.sentence == "White to move."


def test_a_dry_run_works_out_the_whole_move_once_and_the_lamps_lead():
    table = answered("dry-run")
    (handle,) = [effect for effect in table.effects if isinstance(effect, Handle)]
    assert len(handle.acts) == 3
    table.send(ArmDone(table.now, handle.job))
    table.wait(5000)
    assert len([effect for effect in table.effects if isinstance(effect, Handle)]) == 1
    assert table.guidance.key == "reply"
    table.move("b6-a5")
    table.wait(1500)
    assert table.record == ["c3-d4", "b6-a5"]
    assert table.session.game.position.contents[table.square("b6")] is EMPTY
