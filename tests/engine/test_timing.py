"""Time: what a clock allows is never overstepped, and is made use of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hub import Level
from engine.timing import Budget, budget_for, is_enough


def test_no_time_is_no_limit():
    assert budget_for(Level(depth=3, nodes=10)) == Budget()
    assert not is_enough(Budget(), Level(), 1e9, 99)


@pytest.mark.parametrize("ms", [1, 5, 20, 50, 200, 1000, 60_000])
def test_a_time_for_a_move_is_used_but_for_a_reserve(ms):
    budget = budget_for(Level(move_time_ms=ms))
    assert budget.soft_ms == budget.hard_ms
    reserve = ms - budget.hard_ms
    assert min(ms, 2) - 1e-9 <= reserve <= max(15, ms / 2)


@given(st.integers(-5_000, 3_600_000), st.integers(0, 60_000), st.one_of(st.none(), st.integers(0, 80)))
def test_no_move_takes_what_the_clock_does_not_have(time_ms, increment_ms, moves):
    level = Level(time_ms=time_ms, increment_ms=increment_ms, moves=moves)
    budget = budget_for(level)
    available = max(0, time_ms) + increment_ms
    assert 0 <= budget.soft_ms <= budget.hard_ms <= available
    if available:
        assert budget.hard_ms < available


@given(st.integers(1_000, 3_600_000), st.integers(0, 10_000), st.integers(1, 60))
def test_a_whole_control_is_kept_even_when_every_move_takes_all_it_may(time_ms, increment_ms, moves):
    left = time_ms
    for to_go in range(moves, 0, -1):
        left += increment_ms
        left -= budget_for(Level(time_ms=left - increment_ms, increment_ms=increment_ms, moves=to_go)).hard_ms
        assert left > 0


def test_the_increment_is_used():
    assert budget_for(Level(time_ms=1_000, increment_ms=10_000)).soft_ms > 5_000


def test_every_limit_named_holds():
    assert budget_for(Level(move_time_ms=100, time_ms=600_000)).hard_ms < 100


def test_a_clock_is_spared_where_the_answer_stays_the_same():
    level = Level(time_ms=60_000)
    budget = budget_for(level)
    elapsed = 0.95 * budget.soft_ms
    assert is_enough(budget, level, elapsed, stable=8)
    assert not is_enough(budget, level, elapsed, stable=1)
    assert not is_enough(budget, level, 1.2 * budget.soft_ms, stable=0)
    assert is_enough(budget, level, 1.4 * budget.soft_ms, stable=0)
    move_time = Level(move_time_ms=1_000)
    assert not is_enough(budget_for(move_time), move_time, 900, stable=50)
