"""An arm plays on a board: whole games by simulated machines, every byte through the real driver."""

from __future__ import annotations

import pytest

from engine.ruleset import load_ruleset
from engine.thinking import Thinker
from station.announcements import ArmStep
from tests.station.arm_games import engine, play_game, table_for
from tests.station.arm_table import ArmTable, printer


def test_the_arm_makes_a_reply():
    table = ArmTable()
    table.play("c3-d4")
    table.until(lambda: len(table.record) == 2)
    assert table.shop.collisions == []
    assert [step.kind for step in table.heard_of(ArmStep)] == ["lift", "place", "park"]
    assert table.session.game.position.contents == tuple(table.stands)


VARIANTS = ("international", "russian", "english", "italian", "turkish", "brazilian")


@pytest.mark.parametrize("variant", VARIANTS)
def test_whole_games_by_arm(variant):
    played = play_game(ArmTable(variant, white="engine:1", black="engine:1", seed=len(variant)), 9)
    assert played.is_good, played
    assert played.plies == 9


def test_a_printers_board_plays():
    table = ArmTable(white="engine:1", black="engine:1", seed=3, machine=printer)
    played = play_game(table, 12)
    assert played.is_good, played
    assert played.plies == 12
    assert table.heard_of(ArmStep)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_thousand_games_by_arm(variant):
    """`python -m pytest -m soak tests/station/test_arm_games.py`: some hours; the seeds were used for nothing else."""
    thinker = Thinker(load_ruleset(variant))
    for seed in range(5000, 6000):
        thinker.forget()
        crown = ("swap", "stack")[seed % 2]
        played = play_game(table_for(variant, seed, crown, engine(thinker, seed)))
        assert played.is_good, (seed, played)
