"""Timing: how long a move may take by what the GUI allows. Functions of values; whoever has a clock calls them."""

from __future__ import annotations

from dataclasses import dataclass

from engine.hub import Level

MOVES_TO_GO = 30
"""How many moves a clock without a number of moves is shared over."""

LONGEST_RESERVE_MS = 15.0
"""What is kept back of a long time, for the answer to get out."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a move may take, in ms: no iteration begins after `soft`, none runs beyond `hard`; None: no limit."""

    soft_ms: float | None = None
    hard_ms: float | None = None


def budget_for(level: Level) -> Budget:
    """What the times that a Level names allow for the next move; every one of them holds."""
    budgets = [_by_clock(level)] if level.time_ms is not None else []
    if level.move_time_ms is not None:
        whole_ms = _less_reserve(level.move_time_ms)
        budgets.append(Budget(whole_ms, whole_ms))
    if not budgets:
        return Budget()
    return Budget(min(b.soft_ms or 0.0 for b in budgets), min(b.hard_ms or 0.0 for b in budgets))


def _by_clock(level: Level) -> Budget:
    """A share of the clock; an iteration that has begun may take twice as much."""
    increment_ms = max(0, level.increment_ms or 0)
    # The increment is added before the move, so it is there to be used.
    left_ms = _less_reserve(max(0, level.time_ms or 0) + increment_ms)
    to_go = max(1, level.moves or MOVES_TO_GO)
    share_ms = left_ms if to_go == 1 else min(0.8 * left_ms, left_ms / to_go + increment_ms * (to_go - 1) / to_go)
    return Budget(share_ms, share_ms if to_go == 1 else min(2 * share_ms, 0.8 * left_ms))


def _less_reserve(time_ms: float) -> float:
    """A time without what the answer needs to get out: under 50 ms a larger share of it."""
    return max(0.0, time_ms - min(LONGEST_RESERVE_MS, 2 + 0.3 * time_ms))


def is_enough(budget: Budget, level: Level, elapsed_ms: float, stable: int) -> bool:
    """Whether no further iteration is worth its time; `stable` is how many iterations kept the best move.

    A time for a single move is used up; of a clock more is taken while the best move changes, less once it is sure.
    """
    if budget.soft_ms is None:
        return False
    if level.time_ms is None:
        return elapsed_ms >= budget.soft_ms
    return elapsed_ms >= budget.soft_ms * (0.9 if stable >= 5 else 1.0 if stable else 1.3)
