"""Train the weights of a rule set: `python -m training.train VARIANT`. Everything is made from seeds; see README.md."""

from __future__ import annotations

import argparse
import resource
from dataclasses import dataclass
from pathlib import Path

from engine.endings import default_pieces, refusal
from engine.ruleset import Ruleset, load_ruleset
from engine.weights import plain_weights, read_weights, write_weights
from station.runtime.endings import make_tables
from training.fit import Fitted, fit
from training.selfplay import join, load, save, self_play
from training.versus import Score, versus

TRAINED = Path("engine/trained")
ENDINGS = Path("build/endings")
POSITIONS = Path("build/positions")
LOG = Path("benchmarks/strength.md")
MATCH_NODES = 1_000
COLUMNS = (
    "rule set",
    "generation",
    "games of self-play",
    "nodes a move",
    "positions fitted",
    "loss before",
    "loss",
    "match",
    "Elo",
    "kept",
    "CPU s",
)
HEAD = f"""# Strength: the log of generations

Written by `python -m training.train`. A generation is kept only when it wins its match against the weights before it,
both playing with the same number of nodes a move, every random six-ply opening with both colours.

| {" | ".join(COLUMNS)} |
|{"---|" * len(COLUMNS)}
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is played for one generation."""

    games: int
    nodes: int
    share_of_result: float


def main() -> None:
    """Run the generations asked for, each from the best weights so far."""
    options = _options()
    ruleset = load_ruleset(options.variant)
    numbers, generation = _best(ruleset, options.anew)
    endings = endings_of(ruleset)
    for _ in range(options.generations):
        generation += 1
        # The first results come from weights that know little, so their scores are worth nothing as a target.
        plan = Plan(options.games, options.nodes, 1.0 if generation == 1 else options.share)
        cpu = _cpu_s()
        seed = generation * 100 + options.seed
        played = self_play(ruleset, numbers, plan.games, plan.nodes, seed, options.jobs, endings)
        save(played, _file(ruleset, generation))
        earlier = range(max(1, generation - options.window + 1), generation)
        files = [file for number in earlier if (file := _file(ruleset, number)).exists()]
        positions = join([*(load(file) for file in files), played])
        fitted = fit(ruleset, positions, numbers, plan.share_of_result, options.iterations)
        score = versus(ruleset, fitted.numbers, numbers, options.match, MATCH_NODES, seed, endings)
        better = score.won > score.lost
        _log(ruleset, generation, plan, fitted, score, better, _cpu_s() - cpu)
        if better:
            numbers = fitted.numbers
            made = {
                "generation": generation,
                "seed": seed,
                "games": plan.games,
                "nodes": plan.nodes,
                "positions": len(positions),
            }
            TRAINED.mkdir(exist_ok=True)
            (TRAINED / f"{ruleset.name}.weights").write_bytes(write_weights(ruleset.name, made, numbers))


def _cpu_s() -> float:
    """Seconds of processor time so far, of this process and of those it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _file(ruleset: Ruleset, generation: int) -> Path:
    return POSITIONS / f"{ruleset.name}-{generation}.npz"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant")
    parser.add_argument("--generations", type=int, default=3)
    parser.add_argument("--games", type=int, default=6_000, help="games of self-play a generation")
    parser.add_argument("--nodes", type=int, default=600, help="nodes a move in self-play")
    parser.add_argument("--share", type=float, default=0.5, help="of the result in the target; the rest is the score")
    parser.add_argument("--window", type=int, default=4, help="how many generations' positions are fitted together")
    parser.add_argument("--match", type=int, default=300, help="games of the match")
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--anew", action="store_true", help="begin with plain weights, not with the best so far")
    return parser.parse_args()


def endings_of(ruleset: Ruleset) -> Path | None:
    """Where endgame tables lie, made now unless they are there; None for rule sets that have none."""
    if refusal(ruleset):
        return None
    make_tables(ruleset, default_pieces(ruleset), ENDINGS)
    return ENDINGS


def _best(ruleset: Ruleset, anew: bool) -> tuple[tuple[int, ...], int]:
    file = TRAINED / f"{ruleset.name}.weights"
    if anew or not file.exists():
        return plain_weights(ruleset), 0
    learned = read_weights(file.read_bytes(), str(file))
    return learned.numbers, int(str(learned.made["generation"]))


def _log(ruleset: Ruleset, generation: int, plan: Plan, fitted: Fitted, score: Score, better: bool, cpu: float) -> None:
    if not LOG.exists():
        LOG.write_text(HEAD, encoding="utf-8")
    losses = f"{fitted.loss_before:.4f} | {fitted.loss:.4f}"
    result = f"{score.text} | {score.elo_text} | {'yes' if better else 'no'}"
    played = f"{ruleset.name} | {generation} | {plan.games} | {plan.nodes} | {fitted.positions}"
    row = f"| {played} | {losses} | {result} | {cpu:.0f} |\n"
    with LOG.open("a", encoding="utf-8") as log:
        log.write(row)
    print(row, end="", flush=True)


if __name__ == "__main__":
    main()
