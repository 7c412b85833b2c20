"""An arm plays on a board: whole games by simulated machines, every byte through the real driver."""

from __future__ import annotations

import pytest

from engine.position import EMPTY
from station.announcements import ArmStep, ArmStopped, GameOver, Moved
from tests.station.arm_table import ArmTable


def free(contents):
    """Which squares are empty."""
    return [piece is EMPTY for piece in contents]


def test_the_arm_makes_a_reply():
    table = ArmTable()
    table.play("c3-d4")
    table.until(lambda: len(table.record) == 2)
    assert table.shop.collisions == []
    assert [step.kind for step in table.heard_of(ArmStep)] == ["lift", "place", "park"]
    assert table.session.game.position.contents == tuple(table.stands)


@pytest.mark.parametrize("variant", ["international", "russian", "english", "italian", "turkish", "brazilian"])
def test_whole_games_by_arm(variant):
    table = ArmTable(variant, white="engine:1", black="engine:1", seed=len(variant))
    table.until(lambda: table.heard_of(GameOver) or len(table.record) > 8, 3_000_000)
    assert table.shop.collisions == []
    assert table.heard_of(ArmStopped) == []
    assert free(table.stands) == free(table.session.game.position.contents)
    assert len(table.heard_of(Moved)) > 8 or table.heard_of(GameOver)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("variant", ["international", "russian", "english", "italian", "turkish", "brazilian"])
def test_a_thousand_games_by_arm(variant):
    for seed in range(5000, 6000):
        table = ArmTable(variant, white="engine:1", black="engine:1", seed=seed, crown=("swap", "stack")[seed % 2])
        table.until(lambda table=table: table.heard_of(GameOver) or len(table.record) > 200, 20_000_000)
        assert table.shop.collisions == [], seed
        assert table.heard_of(ArmStopped) == [], seed
        assert free(table.stands) == free(table.session.game.position.contents), seed
