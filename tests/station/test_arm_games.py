"""An arm plays on a board: whole games by simulated machines, every byte through the real driver."""

from __future__ import annotations

import pytest

from engine.position import EMPTY
from station.announcements import ArmStep, ArmStopped, Moved
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


VARIANTS = ("international", "russian", "english", "italian", "turkish", "brazilian")
LONGEST = 200
"""Plies after which a game of random moves is long enough."""


def play(table, plies):
    """Have the arm play both sides, to the end or for so many plies."""
    table.until(lambda: table.phase == "Over" or table.session.game.ply >= plies, 20_000_000)
    assert table.shop.collisions == []
    assert table.heard_of(ArmStopped) == []
    assert free(table.stands) == free(table.session.game.position.contents)
    assert table.sent_shut == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_whole_games_by_arm(variant):
    table = ArmTable(variant, white="engine:1", black="engine:1", seed=len(variant))
    play(table, 9)
    assert len(table.heard_of(Moved)) > 8 or table.phase == "Over"


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_thousand_games_by_arm(variant):
    """`python -m pytest -m soak tests/station/test_arm_games.py`: some hours; the seeds were used for nothing else."""
    for seed in range(5000, 6000):
        table = ArmTable(variant, white="engine:1", black="engine:1", seed=seed, crown=("swap", "stack")[seed % 2])
        play(table, LONGEST)
