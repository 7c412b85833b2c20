"""The ladder of levels: each against the one below it, as a table in Markdown.

python benchmarks/levels.py [--variants international,russian] [--games 200] [--levels 1-10] [--nodes 60000]

Games begin with six random plies, each opening with both colours and another seed for each game. All levels below the
strongest are bound by positions, not by time, so the table is the same on any computer; the strongest is given --nodes
positions a move. Exit code 1 when a level does not beat the one below it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable

from engine.elo import estimate
from engine.game import Game, new_game
from engine.levels import LEVEL_NAMES, LEVELS, STRONGEST, choose
from engine.position import Move, Side
from engine.ruleset import Ruleset, load_ruleset
from engine.thinking import Thinker, think

MOST_PLIES = 200
OPENING_PLIES = 6
TABLE_BYTES = 4 << 20

Player = Callable[[Game, int], Move]


def main() -> int:
    """Play the matches and print a row after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variants", default="international,russian")
    parser.add_argument("--games", type=int, default=200, help="games of each pair")
    parser.add_argument("--levels", default=f"1-{STRONGEST}", help="the lowest and the highest")
    parser.add_argument("--nodes", type=int, default=60_000, help="positions a move of the strongest level")
    parser.add_argument("--step", type=int, default=1, help="how many levels apart")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    low, high = map(int, options.levels.split("-"))
    print("| rule set | levels | won-drawn-lost | points | Elo [95 %] | CPU ms a move |")
    print("|---|---|---|---|---|---|")
    monotone = True
    for variant in options.variants.split(","):
        for level in range(low + options.step, high + 1):
            monotone &= _match(load_ruleset(variant), level, level - options.step, options)
    return 0 if monotone else 1


def _match(ruleset: Ruleset, stronger: int, weaker: int, options: argparse.Namespace) -> bool:
    chance = random.Random(options.seed)
    players = {level: _player(ruleset, level, options.nodes) for level in (stronger, weaker)}
    pairs: list[list[float]] = []
    began, moves = time.process_time(), 0
    for _ in range(options.games // 2):
        opening = _opening(ruleset, chance)
        pairs.append([])
        for first in (True, False):
            pair = (stronger, weaker) if first else (weaker, stronger)
            game = _play(opening, players[pair[0]], players[pair[1]], chance.randrange(2**31))
            moves += game.ply - opening.ply
            white = _points_of_white(game)
            pairs[-1].append(white if first else 1 - white)
    spent_ms = 1000 * (time.process_time() - began) / max(1, moves)
    points = [each for pair in pairs for each in pair]
    won, drawn, lost = (points.count(each) for each in (1, 0.5, 0))
    found = estimate(pairs)
    bounds = ", ".join("-" if bound is None else f"{bound:+.0f}" for bound in (found.elo_low, found.elo_high))
    elo = "-" if found.elo is None else f"{found.elo:+.0f}"
    names = f"{stronger} {LEVEL_NAMES[stronger - 1]} - {weaker} {LEVEL_NAMES[weaker - 1]}"
    print(
        f"| {ruleset.name} | {names} | {won}-{drawn}-{lost} | {100 * found.share:.1f} % | {elo} [{bounds}] "
        f"| {spent_ms:.1f} |",
        flush=True,
    )
    return won > lost


def _player(ruleset: Ruleset, level: int, nodes: int) -> Player:
    thinker = Thinker(ruleset, TABLE_BYTES)

    def full(game: Game, _: int) -> Move:
        if game.ply <= OPENING_PLIES + 1:
            thinker.forget()
        found = think(thinker, game, nodes=nodes)
        assert found is not None
        return found.line[0]

    def weaker(game: Game, seed: int) -> Move:
        found = choose(thinker, game, thinker.begin(game), LEVELS[level - 1], seed)
        assert found is not None
        return found.line[0]

    return full if level == STRONGEST else weaker


def _opening(ruleset: Ruleset, chance: random.Random) -> Game:
    while True:
        game = new_game(ruleset)
        for _ in range(OPENING_PLIES):
            if game.legal_moves:
                game = game.play(chance.choice(game.legal_moves))
        if game.outcome(claimed=True) is None:
            return game


def _play(opening: Game, white: Player, black: Player, seed: int) -> Game:
    game = opening
    while game.ply < MOST_PLIES and game.outcome(claimed=True) is None:
        legal = game.legal_moves
        player = white if game.position.turn is Side.WHITE else black
        game = game.play(legal[0] if len(legal) == 1 else player(game, seed))
    return game


def _points_of_white(game: Game) -> float:
    outcome = game.outcome(claimed=True)
    return 0.5 if outcome is None or outcome.winner is None else float(outcome.winner is Side.WHITE)


if __name__ == "__main__":
    sys.exit(main())
