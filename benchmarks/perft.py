"""Million leaves a CPU second of our compiled generator, beside other programs in the same run.

python benchmarks/perft.py [--dame COMMAND] [--py-draughts PYTHON] [--seed N]

`--dame` is dame-rs' command line (`dame`), `--py-draughts` the Python of an environment that has py-draughts; what is
not given is left out. The last ply is counted, not played, unless it says "leaf by leaf". Each program counts to a
depth that takes it some seconds at most; its leaves are checked. Promised: International depth 9 at least 100 times
py-draughts' internal generator and 8 times dame-rs; a house rule file within 15 % of the built-in rule set it
resembles. Exit code 1 when a promise is broken.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from engine.fen import read_fen, write_fen
from engine.kernel.counting import counting_tree
from engine.position import Position
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset, read_ruleset, write_ruleset

PROMISED_DAME, PROMISED_PY_DRAUGHTS = 8, 100
MOST_SLOWER = 0.15
REPEATS = 5
WRAPPER = Path(__file__).parent / "peers" / "py_draughts_perft.py"

RANDOM178 = "B:BK17,K24:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46"
ALL_KINGS = f"W:W{','.join(f'K{n}' for n in range(31, 51))}:B{','.join(f'K{n}' for n in range(1, 21))}"


@dataclass(frozen=True, slots=True)
class Row:
    """A position to count from: our depth and its leaves, dame-rs' depth, py-draughts' kind of generator and depth."""

    variant: str
    name: str
    fen: str
    depth: int
    leaves: int
    bulk: bool = True
    dame_depth: int = 0
    peer: str = ""
    peer_depth: int = 0


ROWS = (
    Row("international", "start", "", 9, 41_022_423, True, 9, "internal", 8),
    Row("international", "start, leaf by leaf", "", 8, 6_483_961, False),
    Row("international", "random178", RANDOM178, 8, 86_724_219, True, 8, "internal", 6),
    Row("international", "all kings", ALL_KINGS, 9, 8_558_321, True, 9, "internal", 7),
    Row("russian", "start", "", 10, 22_444_032, True, 0, "board", 7),
    Row("brazilian", "start", "", 10, 21_560_022, True, 0, "board", 7),
    Row("frisian", "start", "", 8, 2_825_779, True, 0, "board", 5),
    Row("english", "start", "", 11, 85_242_128),
    Row("italian", "start", "", 10, 17_761_384),
    Row("turkish", "start", "", 7, 10_782_308),
    Row("canadian (128 bits)", "start", "", 8, 31_839_056),
)


def position_of(ruleset: Ruleset, fen: str) -> Position:
    """The position of a FEN, or the start, without what the rules remember: the counts do not know it."""
    position = read_fen(fen, ruleset, by_rows=True) if fen else rules_for(ruleset).start()
    return replace(position, trail=None)


def ours(ruleset: Ruleset, position: Position, depth: int, bulk: bool = True) -> tuple[int, float]:
    """Leaves, and the CPU seconds of the best of some runs."""
    tree = counting_tree(ruleset)
    tree.set(position)
    leaves, best = 0, float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        leaves = tree.perft(depth, bulk)
        best = min(best, time.process_time() - began)
    return leaves, best


def dame(command: str, fen: str, depth: int) -> tuple[int, float]:
    """The same of dame-rs; its process starts in a millisecond or two."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def run() -> tuple[int, float]:
        before = spent()
        asked = [*shlex.split(command), "perft", str(depth), *(["--fen", fen] if fen else [])]
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        return int(said.split("=")[1].split()[0]), spent() - before

    return best_of(run, 3)


def py_draughts(python: str, row: Row, fen: str) -> tuple[int, float]:
    """The same of py-draughts."""
    asked = [python, str(WRAPPER), row.peer, row.variant, str(row.peer_depth), fen]

    def run() -> tuple[int, float]:
        leaves, seconds = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
        return int(leaves), float(seconds)

    return best_of(run, 2)


def best_of(run: Callable[[], tuple[int, float]], times: int) -> tuple[int, float]:
    """The fastest of some runs."""
    return min((run() for _ in range(times)), key=lambda counted: counted[1])


def beside_others(options: argparse.Namespace) -> bool:
    """Print the table; whether the promises are kept."""
    print(
        "| rule set | position | depth | ours, M/s | dame-rs, M/s | ratio "
        "| py-draughts, M/s (depth, generator) | ratio |"
    )
    print("|---|---|---|---|---|---|---|---|")
    kept = True
    for row in ROWS:
        ruleset = load_ruleset(row.variant.split()[0])
        position = position_of(ruleset, row.fen)
        leaves, seconds = ours(ruleset, position, row.depth, row.bulk)
        assert leaves == row.leaves, f"{row}: {leaves}"
        speed = leaves / seconds / 1e6
        cells = [row.variant, row.name, str(row.depth), f"{speed:.1f}"]
        first = row is ROWS[0]
        if options.dame and row.dame_depth:
            theirs, took = dame(options.dame, row.fen, row.dame_depth)
            check(ruleset, position, row.dame_depth, theirs)
            ratio = speed / (theirs / took / 1e6)
            kept &= not first or ratio >= PROMISED_DAME
            cells += [f"{theirs / took / 1e6:.1f}", f"{ratio:.1f}"]
        else:
            cells += ["", ""]
        if options.py_draughts and row.peer:
            theirs, took = py_draughts(options.py_draughts, row, write_fen(position, ruleset, by_rows=True))
            check(ruleset, position, row.peer_depth, theirs, every_order=row.variant == "frisian")
            ratio = speed / (theirs / took / 1e6)
            kept &= not first or ratio >= PROMISED_PY_DRAUGHTS
            cells += [f"{theirs / took / 1e6:.2f} ({row.peer_depth}, {row.peer})", f"{ratio:.0f}"]
        else:
            cells += ["", ""]
        print("| " + " | ".join(cells) + " |", flush=True)
    return kept


def check(ruleset: Ruleset, position: Position, depth: int, leaves: int, every_order: bool = False) -> None:
    """A count that is not ours says that not the same thing was measured."""
    tree = counting_tree(ruleset, every_order)
    tree.set(position)
    assert tree.perft(depth) == leaves, f"{ruleset.name} depth {depth}: they count {leaves}, we {tree.perft(depth)}"


RESEMBLED = (
    ("international", 9),
    ("russian", 10),
    ("brazilian", 10),
    ("english", 10),
    ("italian", 10),
    ("spanish", 10),
)


def house_rules(base: Ruleset, chance: random.Random) -> Ruleset:
    """A house rule file made at random that leaves the tree's shape: another name, side, board, and other draws.

    It is written as TOML and read again, as a club's file would be.
    """
    draws = tuple(replace(rule, limit=rule.limit and chance.randint(5, 60)) for rule in base.draws)
    made = replace(
        base,
        name="house",
        title="House rules",
        source="agreement of the players",
        base="",
        first=base.first.other if chance.random() < 0.5 else base.first,
        corner="right" if base.corner == "left" else "left",
        first_square=chance.choice(("top left", "top right", "bottom left", "bottom right")),
        draws=tuple(chance.sample(draws, len(draws))),
        pdn_type=0,
        pdn_game_type="",
    )
    return read_ruleset(write_ruleset(made), "house")


def beside_house_rules(seed: int) -> bool:
    """Print how house rules compare; whether each is within the promise."""
    chance = random.Random(seed)
    print(f"\nHouse rules made at random (seed {seed}) beside the rule set they resemble")
    print("| rule set | depth | leaves | built in, M/s | house rules, M/s | slower by |")
    print("|---|---|---|---|---|---|")
    kept = True
    for name, depth in RESEMBLED:
        base = load_ruleset(name)
        house = house_rules(base, chance)
        leaves, plain, changed = 0, float("inf"), float("inf")
        for _ in range(3):  # turn by turn, so that a busy moment does not hit one of them alone
            leaves, seconds = ours(base, position_of(base, ""), depth)
            plain = min(plain, seconds)
            theirs, seconds = ours(house, position_of(house, ""), depth)
            changed = min(changed, seconds)
            assert leaves == theirs, f"{name} depth {depth}: {leaves}, as house rules {theirs}"
        slower = changed / plain - 1
        kept &= slower <= MOST_SLOWER
        speeds = f"{leaves / plain / 1e6:.1f} | {leaves / changed / 1e6:.1f}"
        print(f"| {name} | {depth} | {leaves} | {speeds} | {slower:+.0%} |")
    return kept


def main() -> int:
    """Print the tables; 1 when a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dame", default="", help="dame-rs' command")
    parser.add_argument("--py-draughts", default="", metavar="PYTHON", help="a Python that has py-draughts")
    parser.add_argument("--seed", type=int, default=1, help="which house rules (default: %(default)s)")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}\n")
    kept = beside_others(options)
    kept &= beside_house_rules(options.seed)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
