"""What the results of a match say about two players' strength: share of points, Elo difference, its interval.

The games of a match come in pairs, one opening with both colours. The two games of a pair are alike (a lopsided
opening gives each player one point), so the interval is taken over pairs, not over games: Wilson's interval for the
share p with as many independent trials as would vary as the n pairs do, n p (1 - p) / v. Their variance v counts one
pair more, with the greatest variance there can be, p (1 - p), since few pairs may be alike by chance. Where a player
made all points or none, each pair is one trial.
An Elo difference d stands for the share of points 1 / (1 + 10 ** (-d / 400)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10, sqrt

CONFIDENCE = 1.959964
"""The normal distribution's quantile for an interval of 95 %."""

METHOD = "95 % Wilson interval over pairs of games (pentanomial)"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share of points from 0 to 1 with its interval, and the same as Elo differences.

    An Elo difference is None where it is without bound: the share is 0 or 1.
    """

    share: float
    low: float
    high: float

    @property
    def elo(self) -> float | None:
        """The Elo difference that fits the share of points."""
        return elo_of(self.share)

    @property
    def elo_low(self) -> float | None:
        """The lower end of the interval; None: as weak as can be."""
        return elo_of(self.low)

    @property
    def elo_high(self) -> float | None:
        """The upper end of the interval; None: as strong as can be."""
        return elo_of(self.high)


def elo_of(share: float) -> float | None:
    """The Elo difference that gives a share of points; None for all or nothing."""
    if not 0 < share < 1:
        return None
    return 400 * log10(share / (1 - share))


def estimate(pairs: Sequence[Sequence[float]]) -> Estimate:
    """The estimate from the points (0, 1/2, 1) one player made in each pair's games; ValueError without a game.

    A pair may lack its second game.
    """
    games = [points for pair in pairs for points in pair]
    if not games:
        raise ValueError("no game was played, expected at least one")
    share = sum(games) / len(games)
    trials = _trials([sum(pair) / len(pair) for pair in pairs if pair], share)
    low, high = _wilson(share, trials)
    return Estimate(share, low, high)


def counts(pairs: Sequence[Sequence[float]]) -> tuple[int, int, int, int, int]:
    """How many whole pairs brought 0, 1/2, 1, 1 1/2 and 2 points."""
    halves = [round(2 * sum(pair)) for pair in pairs if len(pair) == 2]
    zero, half, one, more, two = (halves.count(number) for number in range(5))
    return zero, half, one, more, two


def _trials(shares: Sequence[float], share: float) -> float:
    """As how many independent games, won or lost, the pairs count."""
    number, greatest = len(shares), share * (1 - share)
    if greatest == 0:
        return float(number)
    mean = sum(shares) / number
    squares = sum((one - mean) ** 2 for one in shares)
    return number**2 * greatest / (squares + greatest)


def _wilson(share: float, trials: float) -> tuple[float, float]:
    """Wilson's score interval."""
    z2 = CONFIDENCE**2
    middle = share + z2 / (2 * trials)
    half = CONFIDENCE * sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    low, high = ((middle + sign * half) / (1 + z2 / trials) for sign in (-1, 1))
    return (0.0 if share == 0 else max(0.0, low)), (1.0 if share == 1 else min(1.0, high))
