"""How much sooner several threads (Lazy SMP) reach a depth than one does, and how many more nodes they see a second.

    python benchmarks/threads.py [--threads 2] [--seconds 3]

Each position is searched by one thread for the time given, then by one and by several, in turn, as deep as it came;
both start from an empty table. Wall time: nothing else may want the cores.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time

from search import OURS, Engine, positions_of

from engine.position import Position
from engine.ruleset import load_ruleset

VARIANTS = ("international", "russian", "english")


def timed(engine: Engine, position: Position, depth: int) -> tuple[float, int]:
    """Seconds until the depth is searched, and the nodes it took."""
    began = time.monotonic()
    infos = engine.search(position, f"depth={depth}")
    return time.monotonic() - began, max((info.nodes or 0 for info in infos), default=0)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}; {options.threads} threads against 1, geometric means\n")
    print("| rule set | positions | time to the same depth | nodes a second |\n|---|---|---|---|")
    for variant in VARIANTS:
        one, several = Engine(OURS, variant), Engine(OURS, variant, options.threads)
        sooner, faster = [], []
        for position in positions_of(load_ruleset(variant), 8):
            infos = one.search(position, f"move-time={options.seconds}")
            depth = max(info.depth or 0 for info in infos) - 1
            alone, nodes = timed(one, position, depth)
            together, more = timed(several, position, depth)
            sooner.append(math.log(alone / together))
            faster.append(math.log(more / together / (nodes / alone)))
        one.close()
        several.close()
        times, rates = (math.exp(sum(each) / len(each)) for each in (sooner, faster))
        print(f"| {variant} | {len(sooner)} | {times:.2f} times sooner | {rates:.2f} times as many |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
