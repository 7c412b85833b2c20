"""The trainer: its features are the kernel's, it finds weights that are there to be found, its games are legal."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from engine.features import layout_of
from engine.kernel.trees import judged_tree
from engine.position import EMPTY, SIDES, Side
from engine.ruleset import load_ruleset
from engine.weights import plain_weights, trained, weights_for
from training.fit import features_of, fit, model_of
from training.selfplay import Positions, load, save, self_play
from training.versus import Score, versus


@pytest.fixture(scope="module", params=["russian", "turkish", "international-80", "canadian"])
def played(request):
    ruleset = load_ruleset(request.param)
    return ruleset, self_play(ruleset, plain_weights(ruleset), games=3, nodes=20, seed=4)


@cache
def reading_tree(ruleset):
    return judged_tree(ruleset, plain_weights(ruleset))


def position_in(ruleset, positions, row):
    """What the tree makes of a row of the arrays."""
    tree = reading_tree(ruleset)
    boards = [int.from_bytes(positions.boards[row, kind].tobytes(), "little") for kind in range(4)]
    tree.scalars_at(*boards, int(positions.side[row]))
    return tree.position()


def test_positions_are_at_rest_and_their_points_those_of_the_game(played):
    ruleset, positions = played
    assert len(positions) > 20
    assert set(positions.points.tolist()) <= {0.0, 0.5, 1.0}
    tree = judged_tree(ruleset, plain_weights(ruleset))
    for row in range(0, len(positions), 5):
        tree.set(position_in(ruleset, positions, row))
        assert tree.is_quiet()
        assert not any(captured for _, _, captured, _ in tree.effects())


def test_the_same_seed_plays_the_same_games():
    ruleset = load_ruleset("english")
    one, other = (self_play(ruleset, plain_weights(ruleset), 2, 30, 9) for _ in range(2))
    another = self_play(ruleset, plain_weights(ruleset), 2, 30, 10)
    assert np.array_equal(one.boards, other.boards)
    assert not np.array_equal(one.boards[:20], another.boards[:20])


def test_positions_are_loaded_as_saved(played, tmp_path):
    _, positions = played
    save(positions, tmp_path / "some" / "positions.npz")
    again = load(tmp_path / "some" / "positions.npz")
    for name in Positions.__slots__:
        assert np.array_equal(getattr(positions, name), getattr(again, name))


def test_processes_side_by_side_play_what_one_after_the_other_does():
    ruleset = load_ruleset("english")
    numbers = plain_weights(ruleset)
    together = self_play(ruleset, numbers, games=4, nodes=20, seed=6, jobs=2)
    alone = self_play(ruleset, numbers, games=2, nodes=20, seed=6)
    assert len(together) > len(alone)
    assert np.array_equal(together.boards[: len(alone)], alone.boards)


def test_the_model_judges_as_the_kernel_does(played):
    """The trainer's sum over its own features is the kernel's evaluation, for weights drawn at random."""
    ruleset, positions = played
    layout = layout_of(ruleset)
    chance = np.random.default_rng(3)
    weights = chance.integers(-3000, 3000, layout.weights)
    tree = judged_tree(ruleset, [int(weight) for weight in weights])
    features = features_of(ruleset, positions)
    # The kernel mixes beginning and end in 256 steps.
    features = replace(features, phase=np.floor(256 * features.phase + 1e-9) / 256)
    tenths = model_of(ruleset).logits(features, weights.astype(np.float64))
    for row in range(0, len(positions), 3):
        tree.set(position_in(ruleset, positions, row))
        worth = tree.worth() * (1 if positions.side[row] == 0 else -1)
        # It rounds towards nought.
        assert worth == int(tenths[row] / 10 + (1e-6 if tenths[row] > 0 else -1e-6))


def test_fitting_finds_a_value_that_is_there():
    """Results made from a known rule: only kings count. The fit sees that kings are worth more than men."""
    ruleset = load_ruleset("russian")
    chance = random.Random(1)
    layout = layout_of(ruleset)
    bits = judged_tree(ruleset, plain_weights(ruleset)).tables.bits
    rows, sides, points = [], [], []
    for _ in range(3000):
        squares = chance.sample(range(32), 12)
        boards = [sum(1 << bits[square] for square in squares[3 * kind : 3 * kind + 3]) for kind in range(4)]
        more = chance.choice((-2, -1, 0, 1, 2))
        for _ in range(abs(more)):
            kind = 1 if more < 0 else 3
            boards[kind] &= boards[kind] - 1
        rows.append(b"".join(board.to_bytes(18, "little") for board in boards))
        sides.append(chance.randrange(2))
        points.append(0.5 + more / 4)
    positions = Positions(
        np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(-1, 4, 18),
        np.array(sides, dtype=np.int8),
        np.array(points, dtype=np.float32),
        np.zeros(len(points), dtype=np.int32),
    )
    before = plain_weights(ruleset)
    fitted = fit(ruleset, positions, before, 1.0, 40)
    assert fitted.loss < fitted.loss_before
    men = np.mean(fitted.numbers[layout.men : layout.kings])
    kings = np.mean(fitted.numbers[layout.kings : layout.tables])
    assert kings > 2 * abs(men)


def test_a_match_of_equals_is_even_and_the_score_counts_points():
    ruleset = load_ruleset("russian")
    weights = plain_weights(ruleset)
    score = versus(ruleset, weights, weights, 4, 40, 2)
    assert score.games == 4
    assert score.won == score.lost
    known = Score(((1.0, 0.5), (1.0, 0.5), (1.0, 0.0)))
    assert (known.won, known.drawn, known.lost, known.games) == (3, 2, 1, 6)
    assert known.estimate.share == pytest.approx(4 / 6)
    assert known.estimate.elo == pytest.approx(120.4, abs=0.1)


def test_better_weights_win():
    """Weights that hold men for worthless lose to plain ones, or the match measures nothing."""
    ruleset = load_ruleset("english")
    layout = layout_of(ruleset)
    careless = [0] * layout.weights
    score = versus(ruleset, plain_weights(ruleset), careless, 10, 100, 3)
    assert score.estimate.share > 0.8


OFTEN = ("international", "russian", "english", "turkish")
"""Whose weights are tried in every run; the others in a longer one."""


@pytest.mark.parametrize(
    "name", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.soak) for name in trained()]
)
def test_what_was_learned_wins(name):
    """Trained weights beat plain ones, who know what pieces are worth and that men should go forward."""
    ruleset = load_ruleset(name)
    score = versus(ruleset, weights_for(ruleset).numbers, plain_weights(ruleset), 60, 1000, 8)
    assert score.estimate.share > 0.5


def test_pieces_of_both_sides_are_in_the_arrays(played):
    ruleset, positions = played
    position = position_in(ruleset, positions, 0)
    sides = {SIDES[piece] for piece in position.contents if piece is not EMPTY}
    assert sides == set(Side)
