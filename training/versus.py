"""Versus: a match between two sets of weights at equal nodes, every opening with both colours."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.ending_files import open_tables
from engine.ruleset import Ruleset
from training.players import Player, play_game, random_opening


@dataclass(frozen=True, slots=True)
class Score:
    """Games won, drawn and lost by the first."""

    won: int
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        """How many were played."""
        return self.won + self.drawn + self.lost

    @property
    def share(self) -> float:
        """Points of the first, from 0 to 1."""
        return (self.won + self.drawn / 2) / self.games

    @property
    def elo(self) -> float:
        """Elo of the first above the second."""
        share = min(max(self.share, 0.5 / self.games), 1 - 0.5 / self.games)
        return -400 * math.log10(1 / share - 1)

    @property
    def text(self) -> str:
        """As `+12 =3 -5`."""
        return f"+{self.won} ={self.drawn} -{self.lost}"


def versus(
    ruleset: Ruleset,
    first: Sequence[int],
    second: Sequence[int],
    games: int,
    nodes: int,
    seed: int,
    endings: Path | None = None,
) -> Score:
    """Play so many games (an even number) from random openings of six plies."""
    chance = random.Random(seed)
    tables = open_tables(endings, ruleset) if endings else None
    one, other = Player(ruleset, first, tables), Player(ruleset, second, tables)
    won = drawn = lost = 0
    for _ in range(games // 2):
        opening = random_opening(ruleset, one, 6, chance)
        for white, black in ((one, other), (other, one)):
            points, _ = play_game(ruleset, white, black, opening, nodes)
            points = points if white is one else 1 - points
            won += points == 1
            drawn += points == 0.5
            lost += points == 0
    return Score(won, drawn, lost)
