"""How sure a count is: 95 % intervals of shares and of rates."""

from __future__ import annotations

import math
from collections.abc import Callable

_Z = 1.959964
"""The normal deviate that 2.5 % lie above."""
_TAIL = 0.025


def wilson(count: int, trials: int) -> tuple[float, float]:
    """Wilson's score interval of a share, 0 to 1; (0, 1) when nothing was tried."""
    if not trials:
        return 0.0, 1.0
    share, z2 = count / trials, _Z * _Z
    middle = share + z2 / (2 * trials)
    half = _Z * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    low, high = (middle - half) / (1 + z2 / trials), (middle + half) / (1 + z2 / trials)
    return (max(0.0, low) if count else 0.0), (min(1.0, high) if count < trials else 1.0)


def poisson(count: int) -> tuple[float, float]:
    """The exact interval (Garwood) of the mean of a Poisson count."""
    high = _crossing(lambda mean: _at_most(count, mean) - _TAIL, count)
    if not count:
        return 0.0, high
    return _crossing(lambda mean: _TAIL - (1 - _at_most(count - 1, mean)), count), high


def _at_most(count: int, mean: float) -> float:
    """The probability that a Poisson variable is at most `count`."""
    if mean <= 0:
        return 1.0
    logs = (number * math.log(mean) - mean - math.lgamma(number + 1) for number in range(count + 1))
    return min(1.0, math.fsum(math.exp(log) for log in logs))


def _crossing(falling: Callable[[float], float], count: int) -> float:
    """Where a falling function of the mean crosses zero."""
    low, high = 0.0, count + 10 * math.sqrt(count + 1) + 10
    for _ in range(100):
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
