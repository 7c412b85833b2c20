"""Whole games and mishaps of an arm beside a simulated table, as many as fit into a time, evenly over their kinds.

python -m benchmarks.arms games [--seconds 3600] [--each 1000] [--first 6000]
python -m benchmarks.arms mishaps [--seconds 3600] [--each 200] [--first 6000]

In the checkout's root. Seeds count up from `--first`, one more after all kinds had theirs; of the games every second
crowns with a second man, the others with a king from the tray. Session, motion, driver and bytes are those of a
station; the machine is the twin of the tests. What went wrong is told at once, with the seed that shows it again.
Exit code 1 when anything did.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence

from engine.ruleset import load_ruleset
from engine.thinking import Thinker
from tests.station.arm_games import Played, engine, play_game, table_for
from tests.station.arm_mishaps import MISHAPS, mishap

VARIANTS = ("international", "russian", "english", "italian", "turkish", "brazilian")
MISHAP_VARIANTS = ("russian", "international", "english", "italian", "brazilian")
TOLD_S = 60.0
"""How often the table is written."""


class Games:
    """Games of each rule set."""

    kinds = VARIANTS
    head = "games | over | plies | collisions | wrong final boards | motion bytes while shut | stops"

    def __init__(self) -> None:
        self._thinkers = {variant: Thinker(load_ruleset(variant)) for variant in VARIANTS}
        self.counts = {variant: Counter[str]() for variant in VARIANTS}

    def run(self, variant: str, seed: int) -> str:
        """One game; what was wrong with it."""
        thinker = self._thinkers[variant]
        thinker.forget()
        crown = ("swap", "stack")[seed % 2]
        played = play_game(table_for(variant, seed, crown, engine(thinker, seed)))
        self._count(self.counts[variant], played)
        return "" if played.is_good else str(played)

    @staticmethod
    def _count(counts: Counter[str], played: Played) -> None:
        counts["games"] += 1
        counts["over"] += played.is_over
        counts["plies"] += played.plies
        counts["collisions"] += len(played.collisions)
        counts["wrong final boards"] += not played.is_board_right
        counts["motion bytes while shut"] += sum(map(len, played.sent_shut))
        counts["stops"] += len(played.stops)


class Mishaps:
    """Mishaps of each kind, each in another rule set than the one before."""

    kinds = MISHAPS
    head = "runs | bad | things a person did"

    def __init__(self) -> None:
        self.counts = {kind: Counter[str]() for kind in MISHAPS}

    def run(self, kind: str, seed: int) -> str:
        """One mishap; what was wrong with how it ended."""
        counts, variant = self.counts[kind], MISHAP_VARIANTS[seed % len(MISHAP_VARIANTS)]
        counts["runs"] += 1
        try:
            counts["things a person did"] += len(mishap(kind, seed, variant).said)
        except Exception as error:
            counts["bad"] += 1
            return f"{variant}: {type(error).__name__}: {error}"
        return ""


def _run(what: Games | Mishaps, seconds: float, each: int, first: int) -> bool:
    """Run until the time is up; whether nothing went wrong."""
    end, told = time.monotonic() + seconds, time.monotonic()
    is_good = True
    for seed in range(first, first + each):
        for kind in what.kinds:
            wrong = _guarded(what.run, kind, seed)
            is_good &= not wrong
            if wrong:
                print(f"{kind}, seed {seed}: {wrong}", flush=True)
            if time.monotonic() >= told + TOLD_S:
                told = time.monotonic()
                _tell(what)
            if time.monotonic() >= end:
                return is_good
    return is_good


def _guarded(run: Callable[[str, int], str], kind: str, seed: int) -> str:
    try:
        return run(kind, seed)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _tell(what: Games | Mishaps) -> None:
    columns = what.head.split(" | ")
    print(f"\n| | {what.head} |\n|---{'|---:' * len(columns)}|")
    for kind, counts in what.counts.items():
        print(f"| {kind} | {' | '.join(str(counts[column]) for column in columns)} |")
    total = sum(what.counts.values(), Counter[str]())
    print(f"| all | {' | '.join(str(total[column]) for column in columns)} |", flush=True)


def main(arguments: Sequence[str]) -> int:
    """Run games or mishaps and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("games", "mishaps"))
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long to go on (3600)")
    parser.add_argument("--each", type=int, default=200, help="at most so many of each kind (200)")
    parser.add_argument("--first", type=int, default=6000, help="the first seed (6000)")
    options = parser.parse_args(arguments)
    what = Games() if options.what == "games" else Mishaps()
    is_good = _run(what, options.seconds, options.each, options.first)
    _tell(what)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
