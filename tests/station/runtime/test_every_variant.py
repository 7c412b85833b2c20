"""Hands play games of every rule set on every kind of board: the record is what they played."""

from __future__ import annotations

import zlib
from random import Random

import pytest

from engine.game import Game, new_game
from engine.ruleset import Ruleset, load_ruleset, variant_names
from station.runtime.boards import misfit
from station.runtime.cli import main
from station.runtime.simulate import Setup, play

PLIES = 50


def random_game(ruleset: Ruleset, seed: int, plies: int = PLIES) -> Game:
    """A game of legal moves by chance, as long as it goes on."""
    chance, game = Random(seed), new_game(ruleset)
    while game.ply < plies and game.outcome() is None:
        game = game.play(chance.choice(game.legal_moves))
    return game


def seed_for(variant: str, driver: str) -> int:
    return zlib.crc32(f"{variant} on {driver}".encode()) % 1000


@pytest.mark.parametrize("driver", ["matrix", "dgt"])
@pytest.mark.parametrize("variant", variant_names())
def test_the_record_of_any_variant_is_what_was_played(variant, driver):
    ruleset = load_ruleset(variant)
    if misfit(driver, ruleset):
        assert driver == "dgt"
        assert (ruleset.columns, ruleset.rows) not in ((8, 8), (10, 10))
        return
    seed = seed_for(variant, driver)
    game = random_game(ruleset, seed)
    report = play(game.start, game.moves, ruleset, Setup(driver=driver, hands="calm", colour=True), seed)
    assert report.moves == game.ply >= 5
    assert report.equal
    assert (report.wrong, report.missed) == (0, 0)


@pytest.mark.parametrize("variant", ["towers", "russian-huff", "corners", "turkish", "canadian"])
def test_replies_of_every_kind_are_made_on_the_board(variant):
    """The lamps show one side's moves, towers to be uncovered and pieces to be huffed among them."""
    ruleset = load_ruleset(variant)
    game = random_game(ruleset, 3)
    side = ruleset.first.other
    report = play(game.start, game.moves, ruleset, Setup(hands="calm", colour=True, replies=side), 3)
    assert report.equal
    assert (report.wrong, report.missed) == (0, 0)


def test_games_of_the_tested_kinds_hold_what_makes_them_different():
    """Towers are captured and uncovered, pieces huffed, chains of jumps made: else the tests above prove nothing."""
    towers = random_game(load_ruleset("towers"), seed_for("towers", "matrix"))
    assert any(
        before.towers.beneath[square]
        for before, move in zip(towers.positions, towers.moves, strict=False)
        for square in move.captured
    )
    assert any(move.huffed for move in random_game(load_ruleset("russian-huff"), 3).moves)
    assert any(len(move.path) > 1 for move in random_game(load_ruleset("corners"), 3).moves)


def test_simulating_a_board_that_nobody_makes_is_refused(tmp_path, capsys):
    file = tmp_path / "games.pdn"
    file.write_text('[GameType "27,W,12,12,N2,0"]\n[Variant "canadian"]\n\n1. 43-37 *\n')
    assert main(["simulate", str(file), "--driver", "dgt", "--record", str(tmp_path / "recordings")]) == 2
    assert "12x12" in capsys.readouterr().err
