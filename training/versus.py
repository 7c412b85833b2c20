"""Versus: a match between two players at equal nodes, every random opening of six plies with both colours."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.elo import Estimate, estimate
from engine.ending_files import open_tables
from engine.ruleset import Ruleset
from training.players import Player, play_game, random_opening


@dataclass(frozen=True, slots=True)
class Score:
    """The points (1, 0.5, 0) of the first player in the two games of every opening."""

    pairs: tuple[tuple[float, float], ...]

    @property
    def games(self) -> int:
        """How many were played."""
        return 2 * len(self.pairs)

    @property
    def won(self) -> int:
        """Games that the first won."""
        return self._count(1.0)

    @property
    def drawn(self) -> int:
        """Games that nobody won."""
        return self._count(0.5)

    @property
    def lost(self) -> int:
        """Games that the second won."""
        return self._count(0.0)

    @property
    def estimate(self) -> Estimate:
        """Share of points and Elo of the first, with their intervals."""
        return estimate(self.pairs)

    @property
    def text(self) -> str:
        """As `+12 =3 -5`."""
        return f"+{self.won} ={self.drawn} -{self.lost}"

    @property
    def elo_text(self) -> str:
        """As `+55 [+13, +99]`; `-` where it is without bound."""
        found = self.estimate
        middle, low, high = (
            "-" if elo is None else f"{elo:+.0f}" for elo in (found.elo, found.elo_low, found.elo_high)
        )
        return f"{middle} [{low}, {high}]"

    def _count(self, points: float) -> int:
        return sum(pair.count(points) for pair in self.pairs)


def versus(
    ruleset: Ruleset,
    first: Sequence[int],
    second: Sequence[int],
    games: int,
    nodes: int,
    seed: int,
    endings: Path | None = None,
) -> Score:
    """Two sets of weights play so many games (an even number)."""
    tables = open_tables(endings, ruleset) if endings else None
    one, other = Player(ruleset, first, tables), Player(ruleset, second, tables)
    return match(ruleset, one, other, games, nodes, seed)


def match(ruleset: Ruleset, one: Player, other: Player, games: int, nodes: int, seed: int) -> Score:
    """Two players play so many games (an even number)."""
    chance = random.Random(seed)
    pairs = []
    for _ in range(games // 2):
        opening = random_opening(ruleset, one, 6, chance)
        with_white, _ = play_game(ruleset, one, other, opening, nodes)
        with_black, _ = play_game(ruleset, other, one, opening, nodes)
        pairs.append((with_white, 1 - with_black))
    return Score(tuple(pairs))
