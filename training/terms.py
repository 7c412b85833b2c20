"""Weigh the terms of towers or of a race game: `python -m training.terms VARIANT`. Everything is made from seeds.

Games of self-play from random openings; logistic regression of their results on the terms of the positions at rest; a
match at equal nodes against the weights before. Prints the table for engine/kernel/towers_tables.py or race_tables.py.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from engine.game import Game
from engine.kernel import race_tables, towers_tables
from engine.kernel.corners import Corners
from engine.kernel.hashing import Table
from engine.kernel.thinking import think
from engine.kernel.towers import Towers
from engine.position import Move, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset

MOST_PLIES = 300
TABLE_BYTES = 1 << 21
PER_MAN = 1_600
"""Sixteenths of hundredths in a man."""


def main() -> None:
    """Play, fit and match once for each generation, each from the better weights so far."""
    options = _options()
    ruleset = load_ruleset(options.variant)
    names = list((race_tables if ruleset.family == "race" else towers_tables).TERMS)
    weights = list(tree_of(ruleset).tables.weights)
    for generation in range(1, options.generations + 1):
        seed = 1_000 * options.seed + generation
        rows, results = self_play(ruleset, weights, options.games, options.nodes, seed)
        fitted, loss_before, loss = fit(rows, results, weights)
        won, drawn, lost = match(ruleset, fitted, weights, options.match, options.nodes, seed)
        print(
            f"generation {generation}: {len(rows)} positions, loss {loss_before:.4f} -> {loss:.4f}, "
            f"match +{won} ={drawn} -{lost}",
            flush=True,
        )
        if won > lost:
            weights = fitted
        for name, weight in zip(names, weights, strict=True):
            print(f'    "{name}": {weight},')


def tree_of(ruleset: Ruleset) -> Towers | Corners:
    """A tree with the weights of the tables."""
    if ruleset.family == "race":
        return Corners(race_tables.race_tables(ruleset))
    return Towers(towers_tables.towers_tables(ruleset))


@dataclass
class Player:
    """One set of weights at play."""

    ruleset: Ruleset
    weights: list[int]
    nodes: int
    keys: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tree = tree_of(self.ruleset)
        self.tree.set_weights(self.weights)
        self.table = Table(TABLE_BYTES)

    def begin(self, game: Game) -> None:
        """Set up the start of a game."""
        self.tree.set(game.start)
        self.keys.clear()
        self.table.clear()

    def choose(self) -> int:
        """The number of the move to play."""
        best = think(self.tree, self.table, nodes=self.nodes, history=self.keys).best
        assert best is not None
        return int(best.index)

    def follow(self, number: int) -> None:
        """Make a move of the game."""
        self.keys.append(self.tree.key_at())
        self.tree.effects()
        self.tree.play(number)


def opening(ruleset: Ruleset, chance: random.Random, plies: int) -> list[Move]:
    """Random moves from the start; fewer where the game ends."""
    game = Game(ruleset, (rules_for(ruleset).start(),))
    while game.ply < plies and game.outcome() is None:
        game = game.play(chance.choice(game.legal_moves))
    return list(game.moves)


def play(ruleset: Ruleset, players: tuple[Player, Player], line: list[Move], rows: list[list[int]] | None) -> float:
    """White's points; what is at rest goes into `rows`, the terms as White sees them."""
    game = Game(ruleset, (rules_for(ruleset).start(),))
    own = set(map(id, players))
    for player in players:
        player.begin(game)
    while game.ply < MOST_PLIES:
        outcome = game.outcome()
        if outcome is not None:
            return 0.5 if outcome.winner is None else float(outcome.winner is Side.WHITE)
        black = game.position.turn is Side.BLACK
        player = players[black]
        effects = player.tree.effects()
        if game.ply < len(line):
            move = line[game.ply]
        else:
            if rows is not None and not player.tree.can_capture_at() and not player.tree.threatened_at():
                sign = -1 if black else 1
                rows.append([sign * value for value in player.tree.features()])
            chosen = effects[player.choose()]
            move = next(legal for legal in game.legal_moves if legal.effect == chosen)
        number = effects.index(move.effect)
        for each in players if len(own) == 2 else players[:1]:
            each.follow(number)
        game = game.play(move)
    return 0.5


def self_play(ruleset: Ruleset, weights: list[int], games: int, nodes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Terms of positions at rest and the points White made from there."""
    chance = random.Random(seed)
    player = Player(ruleset, weights, nodes)
    rows: list[list[int]] = []
    results: list[float] = []
    for _ in range(games):
        points = play(ruleset, (player, player), opening(ruleset, chance, chance.randint(4, 14)), rows)
        results += [points] * (len(rows) - len(results))
    return np.array(rows, dtype=float), np.array(results)


def fit(rows: np.ndarray, results: np.ndarray, before: list[int]) -> tuple[list[int], float, float]:
    """Weights whose sum says best who wins, on the scale of those before; the losses of both on held-out games."""
    held = len(rows) // 10
    train, goal, test, test_goal = rows[:-held], results[:-held], rows[-held:], results[-held:]
    size = np.maximum(train.std(axis=0), 1e-9)

    def loss(weights: np.ndarray, features: np.ndarray, points: np.ndarray) -> float:
        logit = features @ weights
        return float(np.mean(np.logaddexp(0, logit) - points * logit))

    def objective(scaled: np.ndarray) -> tuple[float, np.ndarray]:
        logit = (train / size) @ scaled
        error = 1 / (1 + np.exp(-logit)) - goal
        penalty = 2e-5
        return (
            float(np.mean(np.logaddexp(0, logit) - goal * logit) + penalty * scaled @ scaled),
            (train / size).T @ error / len(train) + 2 * penalty * scaled,
        )

    found = minimize(objective, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x / size
    old = np.array(before, dtype=float)
    # What a man is worth differs by term and stage; the scale is the one on which the old weights fit best.
    scales = [minimize(lambda x: loss(x[0] * old / 10_000, train, goal), [1.0], method="Nelder-Mead").x[0] / 10_000]
    fitted = [round(weight) for weight in found / scales[0]]
    return fitted, loss(scales[0] * old, test, test_goal), loss(found, test, test_goal)


def match(
    ruleset: Ruleset, one: list[int], other: list[int], games: int, nodes: int, seed: int
) -> tuple[int, int, int]:
    """Games won, drawn and lost by `one`; every opening with both colours."""
    chance = random.Random(-seed)
    players = Player(ruleset, one, nodes), Player(ruleset, other, nodes)
    points: list[float] = []
    while len(points) < games:
        line = opening(ruleset, chance, 6)
        points.append(play(ruleset, players, line, None))
        points.append(1 - play(ruleset, players[::-1], line, None))
    return points.count(1.0), points.count(0.5), points.count(0.0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant")
    parser.add_argument("--generations", type=int, default=2)
    parser.add_argument("--games", type=int, default=1_500, help="games of self-play a generation")
    parser.add_argument("--nodes", type=int, default=500, help="positions looked at a move")
    parser.add_argument("--match", type=int, default=200, help="games of the match")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
