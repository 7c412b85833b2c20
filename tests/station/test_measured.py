"""Simulated hands play recorded games on simulated boards: what the record says of them is measured."""

from __future__ import annotations

from functools import cache
from statistics import median

import pytest

from engine.pdn import read_pdn
from engine.position import Side
from engine.ruleset import load_ruleset
from station.runtime.simulate import Setup, play
from tests.data_files import needs_shared, shared

VARIANTS = ("international", "english", "brazilian", "russian")
CORPORA = tuple(f"corpora/{variant}.pdn" for variant in VARIANTS)
SLOWEST_MS = {"matrix": 350, "dgt": 600}
"""The median time from the last contact of a calm move until it is in the record."""
SEED = 31_000
GAMES = 1

pytestmark = needs_shared(*CORPORA)


@cache
def games_of(variant):
    games = read_pdn(shared(f"corpora/{variant}.pdn").read_text(encoding="utf-8"), load_ruleset(variant))
    return tuple(game for game in games if game.moves and not game.faults)[:GAMES]


def measure(variant, setup):
    return [play(game.start, game.moves, game.ruleset, setup, SEED + n) for n, game in enumerate(games_of(variant))]


@pytest.mark.parametrize("driver", ["matrix", "dgt"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_calm_hands_are_recorded_move_for_move(variant, driver):
    reports = measure(variant, Setup(driver, "calm"))
    assert len(reports) == GAMES
    assert all(report.equal for report in reports)
    assert sum(report.wrong for report in reports) == 0
    assert sum(report.missed for report in reports) == 0
    assert median(latency for report in reports for latency in report.latencies_ms) <= SLOWEST_MS[driver]


@pytest.mark.parametrize(
    "setup", [Setup("matrix", "blitz"), Setup("matrix", "blitz", colour=True), Setup("dgt", "blitz")]
)
@pytest.mark.parametrize("variant", VARIANTS)
def test_blitz_leaves_no_wrong_move_in_the_record(variant, setup):
    reports = measure(variant, setup)
    assert len(reports) == GAMES
    assert sum(report.wrong for report in reports) == 0


@pytest.mark.parametrize("driver", ["matrix", "dgt"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_replies_carried_out_by_hand_are_recorded(variant, driver):
    reports = measure(variant, Setup(driver, "calm", replies=Side.BLACK))
    assert all(report.equal for report in reports)
    assert sum(report.missed for report in reports) == 0
