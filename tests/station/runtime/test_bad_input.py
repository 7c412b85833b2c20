"""Random and mutated bytes while a game is played: nothing raises, nothing is recorded that was not played."""

from __future__ import annotations

from random import Random

import pytest

from engine.position import side_of
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from station.runtime.boards import driver_class, misfit
from station.runtime.desk import Desk
from station.runtime.made_games import made_game
from station.runtime.simulate import STATE_PERIOD_MS, Setup, Table, board_with, perform, settings_for
from station.runtime.witness import Witness
from station.session import begin
from station.simulation.habits import PRESETS
from station.texts import load_texts
from tests.station.runtime.storm import Storm

PLIES = 40
CALM_AFTER_MS = 5000
"""A storm is over, and the board is seen as it is, at the latest after this time."""

DRIVERS = [
    pytest.param(Setup("matrix"), id="matrix"),
    pytest.param(Setup("matrix", colour=True), id="matrix-colour"),
    pytest.param(Setup("dgt"), id="dgt"),
]
BOUGHT = [
    pytest.param(Setup("certabo"), id="certabo-magnets"),
    pytest.param(Setup("certabo", colour=True), id="certabo-chips"),
    pytest.param(Setup("millennium"), id="millennium"),
]


def play_in_a_storm(setup: Setup, variant: str, seed: int) -> int:
    """Plays a game while bytes pour into the driver; how many did."""
    ruleset = load_ruleset(variant)
    game = made_game(ruleset, Random(seed))
    moves = game.moves[:PLIES]
    storm = Storm(board_with(game.start, ruleset, setup, seed, STATE_PERIOD_MS), seed)
    driver = driver_class(setup.driver)(ruleset.geometry, rules_for(ruleset).start().contents)
    desk = Desk(begin(settings_for(ruleset, setup, game.start), load_texts("en"), f"seed-{seed}"))
    table = Table(storm, driver, desk, Witness(moves))
    table.until_ready()
    perform(table, game.start, moves, ruleset, PRESETS["clean"], Random(seed))
    storm.raging = False
    table.advance(table.now_ms + CALM_AFTER_MS)
    report = table.witness.report()
    assert report.wrong == 0, (variant, seed)
    assert report.equal, (variant, seed)
    check_the_board_is_seen(table)
    return storm.poured


def check_the_board_is_seen(table: Table) -> None:
    """The latest view rules out nothing that stands on the board."""
    view = table.desk.session.memory.view
    geometry = table.desk.session.game.ruleset.geometry
    assert view is not None
    for square, cell in enumerate(geometry.cells):
        stands = table.board.contents(cell)
        possible = view.possible(square)
        assert any(side_of(piece) is side_of(stands) for piece in type(stands) if piece & possible), square


def pour(setup: Setup, total: int, first_seed: int) -> None:
    poured, seed = 0, first_seed
    other = "italian" if misfit(setup.driver, load_ruleset("international")) else "international"
    while poured < total:
        variant = ("russian", other)[seed % 2]
        poured += play_in_a_storm(setup, variant, seed)
        seed += 1


@pytest.mark.parametrize("setup", DRIVERS)
def test_300_000_bad_bytes_change_nothing(setup):
    pour(setup, 300_000, 1)


@pytest.mark.parametrize("setup", BOUGHT)
def test_60_000_bad_bytes_change_nothing(setup):
    pour(setup, 60_000, 1)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("setup", [*DRIVERS, *BOUGHT])
def test_10_000_000_bad_bytes_change_nothing(setup):
    pour(setup, 10_000_000, 100_000)
