"""Intervals against values from textbooks and against their own definition."""

from __future__ import annotations

import pytest
from scipy import stats

from station.runtime.intervals import poisson, wilson


@pytest.mark.parametrize(
    ("count", "trials", "low", "high"),
    # Brown, Cai and DasGupta 2001 give the formula; values by statsmodels 0.14, proportion_confint(method="wilson").
    [(0, 10, 0.0, 0.27753), (1, 10, 0.01788, 0.40415), (5, 10, 0.23659, 0.76341), (10, 10, 0.72247, 1.0)],
)
def test_wilson(count, trials, low, high):
    assert wilson(count, trials) == pytest.approx((low, high), abs=1e-5)


def test_nothing_tried_says_nothing():
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 40, 500])
def test_poisson_is_the_exact_interval(count):
    low = stats.chi2.ppf(0.025, 2 * count) / 2 if count else 0.0
    high = stats.chi2.ppf(0.975, 2 * count + 2) / 2
    assert poisson(count) == pytest.approx((low, high), rel=1e-6)


def test_no_wrong_move_in_twenty_thousand_leaves_room_for_two_in_ten_thousand():
    assert 1.9 < 10_000 * wilson(0, 20_000)[1] < 2.0
