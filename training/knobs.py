"""Knobs: whether a setting of the search wins, by a match at equal nodes between two settings of `Search`.

python -m training.knobs VARIANT reduce_scale=45 [cut_depth=3 ...] [--against reduce_scale=90] [--nodes N] [--games N]

A setting not named is as `Search` has it. The weights are those of the rule set; endgame tables are made and used.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path

from engine.ending_files import open_tables
from engine.ruleset import load_ruleset
from engine.weights import weights_for
from training.players import Player
from training.train import endings_of
from training.versus import Score, match

Work = tuple[str, Mapping[str, int], Mapping[str, int], int, int, int, Path | None]


def main() -> None:
    """Play the match and print its score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variant")
    parser.add_argument("knobs", nargs="*", metavar="NAME=NUMBER")
    parser.add_argument("--against", nargs="*", default=[], metavar="NAME=NUMBER")
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    one, other = _numbers(options.knobs), _numbers(options.against)
    endings = endings_of(load_ruleset(options.variant))
    share = options.games // options.jobs
    work: list[Work] = [
        (options.variant, one, other, share, options.nodes, 100 * options.seed + job, endings)
        for job in range(options.jobs)
    ]
    started = time.monotonic()
    with get_context("spawn").Pool(options.jobs) as pool:
        score = Score(tuple(pair for part in pool.map(_play, work) for pair in part.pairs))
    print(
        f"{options.variant} {options.nodes} nodes: {one} against {other or 'the usual'}: {score.text} {score.elo_text}"
    )
    print(f"{time.monotonic() - started:.0f} s")


def _play(work: Work) -> Score:
    variant, one, other, games, nodes, seed, endings = work
    ruleset = load_ruleset(variant)
    tables = open_tables(endings, ruleset) if endings else None
    numbers = weights_for(ruleset).numbers
    players = (Player(ruleset, numbers, tables, knobs) for knobs in (one, other))
    return match(ruleset, *players, games, nodes, seed)


def _numbers(texts: Sequence[str]) -> dict[str, int]:
    pairs = (text.partition("=") for text in texts)
    return {name: int(number) for name, _, number in pairs}


if __name__ == "__main__":
    main()
