"""The gates of tracking: at least so many moves of five rule sets, and what may go wrong in them.

`DAMBORD_GATE_MOVES` (default 20000) and `DAMBORD_GATE_SEED` (default 5000): seeds from 5000 up are for figures that are
published and never run while developing; a trial takes fewer moves and a seed below 1000.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from engine.pdn import read_pdn_bytes
from engine.ruleset import load_ruleset
from station.runtime.made_games import mixed_games
from station.runtime.measuring import summary_of
from station.runtime.simulate import Setup, play_until
from tests.data_files import shared

MOVES = int(os.environ.get("DAMBORD_GATE_MOVES", "20000"))
SEED = int(os.environ.get("DAMBORD_GATE_SEED", "5000"))
VARIANTS = ("international", "russian", "english", "italian", "turkish")

pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]


def recorded(variant):
    """Recorded games where there are some; Italian and Turkish ones are made."""
    path = shared(f"corpora/{variant}.pdn")
    if not path.exists():
        return ()
    games = read_pdn_bytes(path.read_bytes(), load_ruleset(variant), variant)
    return tuple(game for game in games if game.moves and not game.faults and game.ruleset.name == variant)


def measured(variant, setup, replies=None):
    games = mixed_games(recorded(variant), load_ruleset(variant), SEED)
    reports = list(play_until(MOVES, games, setup, SEED, replies))
    summary = summary_of(reports, 1.0, Path())
    told = {key: summary[key] for key in ("games", "moves", "per_10000_moves", "needless_prompts", "latency_ms")}
    sys.stdout.write(f"{variant} {setup} seed {SEED}: {told}\n")
    return summary


def per_10000(summary, name):
    return 10_000 * summary[name] / summary["moves"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_real_hands_on_a_worn_board(variant):
    summary = measured(variant, Setup("matrix", "real", "worn"), "mixed")
    assert summary["wrong"] == 0
    assert summary["records_equal"] == summary["games"]
    assert per_10000(summary, "withdrawn_shown") <= 5
    assert per_10000(summary, "missed") <= 2
    assert summary["latency_ms"]["p50"] <= 250
    assert summary["latency_ms"]["p95"] <= 1100
    assert summary["needless_prompts"] <= 0.5 * summary["games"]


@pytest.mark.parametrize(("colour", "missed"), [(True, 20), (False, 60)], ids=["colour", "occupancy"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_two_people_at_blitz_pace(variant, colour, missed):
    summary = measured(variant, Setup("matrix", "blitz", "clean", colour=colour))
    assert summary["wrong"] == 0
    assert per_10000(summary, "missed") <= missed
