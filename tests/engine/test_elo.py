"""Elo differences and their intervals, against numbers worked out by hand."""

from __future__ import annotations

from random import Random

import pytest

from engine.elo import counts, elo_of, estimate


@pytest.mark.parametrize(
    ("share", "elo"),
    [(0.5, 0.0), (10 / 11, 400.0), (1 / 11, -400.0), (0.75, 190.848501888), (0.64, 99.950989288)],
)
def test_elo_of_a_share_of_points(share, elo):
    # 400 log10(share / (1 - share)): log10 10 = 1, log10 3 = 0.47712125472, log10 (16/9) = 0.24987747322
    assert elo_of(share) == pytest.approx(elo, abs=1e-6)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_all_or_nothing_has_no_elo(share):
    assert elo_of(share) is None


def test_an_interval_worked_out_by_hand():
    # Four pairs with 2, 1 1/2, 1 and 1/2 points: shares 1, .75, .5, .25, mean 5/8; squares .140625 + .015625 twice =
    # .3125, with one pair more of 5/8 3/8 = .234375 in all .546875; trials 16 * .234375 / .546875 = 48 / 7.
    # Wilson: z2 = 3.8414589; middle .625 + 3.8414589 * 7 / 96 = .9051064; root of .234375 * 7 / 48 + 3.8414589 * 49 /
    # 9216 = .0341797 + .0204244 = .0546041, .2336751; times 1.959964 = .4579948; over 1 + 3.8414589 * 7 / 48.
    found = estimate([(1, 1), (1, 0.5), (0.5, 0.5), (0.5, 0)])
    assert found.share == 0.625
    assert found.low == pytest.approx(0.4471116 / 1.5602128, abs=1e-6)
    assert found.high == pytest.approx(1.3631012 / 1.5602128, abs=1e-6)
    assert found.elo == pytest.approx(400 * 0.22184875, abs=1e-4)  # log10 (5/3)


def test_all_points_or_none_count_one_trial_a_pair():
    # 20 pairs won: Wilson's lower end is n / (n + z2) = 20 / 23.841459; 400 log10 (20 / 3.841459) = 286.58
    found = estimate([(1, 1)] * 20)
    assert found.low == pytest.approx(0.838875, abs=1e-6)
    assert (found.elo, found.elo_high) == (None, None)
    assert found.elo_low == pytest.approx(286.6, abs=0.1)
    lost = estimate([(0, 0)] * 20)
    assert lost.high == pytest.approx(1 - found.low)
    assert lost.elo_low is None


@pytest.mark.parametrize("games", [(0.5, 0.5), (1, 0)])
def test_pairs_that_are_all_even_still_leave_room(games):
    # No squares: trials n * n = 100. Wilson: 1/2 -+ sqrt (.25 / 100 + 3.841459 / 40000) * 1.959964 / 1.0384146
    found = estimate([games] * 10)
    assert (found.low, found.high) == (pytest.approx(0.4038319, abs=1e-6), pytest.approx(0.5961681, abs=1e-6))


@pytest.mark.parametrize("pairs", [2, 5, 20, 60])
@pytest.mark.parametrize("weights", [(5, 20, 50, 20, 5), (0, 5, 90, 5, 0), (0, 2, 8, 20, 70), (20, 10, 40, 10, 20)])
def test_the_interval_holds_the_truth_in_95_of_100_matches(weights, pairs):
    """Made-up matches of players of whom the truth is known; 94 are asked for, chance being what it is."""
    chance = Random(7)
    results = [(0, 0), (0, 0.5), (0.5, 0.5), (1, 0.5), (1, 1)]
    truth = sum(weight * sum(result) / 2 for weight, result in zip(weights, results, strict=True)) / 100
    held = 0
    for _ in range(1500):
        found = estimate(chance.choices(results, weights, k=pairs))
        held += found.low <= truth <= found.high
    assert held >= 0.94 * 1500


def test_a_single_game_says_next_to_nothing():
    found = estimate([(1,)])
    assert found.low == pytest.approx(1 / 4.841459)
    assert found.high == 1


def test_colours_that_decide_all_games_narrow_the_interval():
    """The same 40 games: ten won and lost by colour tell more than ten pairs won and ten lost."""
    by_colour = estimate([(1, 0)] * 18 + [(1, 1), (0, 0)])
    by_player = estimate([(1, 1)] * 10 + [(0, 0)] * 10)
    assert by_colour.share == by_player.share == 0.5
    assert by_colour.high - by_colour.low < 0.5 * (by_player.high - by_player.low)


@pytest.mark.parametrize("pairs", [[(1, 0.5)] * 50 + [(0.5, 0)] * 50, [(1, 1)] * 30 + [(1, 0.5)], [(0.5, 0.5), (1, 0)]])
def test_the_interval_holds_the_share_and_turns_round_with_the_players(pairs):
    found = estimate(pairs)
    turned = estimate([[1 - points for points in pair] for pair in pairs])
    assert 0 <= found.low < found.share < found.high <= 1
    assert turned.low == pytest.approx(1 - found.high)
    assert turned.high == pytest.approx(1 - found.low)


def test_no_game_is_no_estimate():
    with pytest.raises(ValueError, match="no game"):
        estimate([])
    with pytest.raises(ValueError, match="no game"):
        estimate([()])


def test_pairs_are_counted_by_their_points():
    assert counts([(0, 0), (0.5, 0), (0, 1), (1, 0), (0.5, 0.5), (1, 0.5), (1, 1), (1, 1), (1,)]) == (1, 1, 3, 1, 2)
