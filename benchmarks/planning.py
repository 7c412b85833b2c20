"""What an arm's plans cost, and how often a magnet under the board finds a way, in the positions of recorded games.

    python benchmarks/planning.py [FILE.pdn ...] [--games 500]

For each file (../shared/corpora/international.pdn and english.pdn unless named) every move of the first games is
planned: with a tool that lifts, timed, and with a magnet below that draws pieces of 0.75 of a square's width. Moves
that a magnet cannot make are left to a person. Each begins with an empty tray. The time told is that of the moves that
take off most pieces, the shortest of five. Exit code 1 when such a plan takes 2 ms, or a magnet finds ways for less
than 98 % of the moves.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from engine.pdn import read_pdn_bytes
from engine.position import BLACK_MAN, EMPTY, WHITE_KING, Move, Position, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset
from station.handling.moves import plan_move
from station.handling.plans import Tool
from station.handling.routes import RIM

LIFTS, SLIDES = Tool(crown="swap"), Tool(slides=True, crown="ask", diameter=0.75)
MOST_MS, LEAST_SHARE = 2.0, 0.98
TIMED = 20
"""So many of the largest captures are timed."""
FILES = ("international.pdn", "english.pdn")


def turns(path: Path, games: int) -> Iterator[tuple[Ruleset, Position, Move]]:
    """The moves of a file's first games, each with the position before it."""
    for read in read_pdn_bytes(path.read_bytes(), file_name=path.name)[:games]:
        position = read.start
        for move in read.moves:
            yield read.ruleset, position, move
            position = position.after(move)


def longest() -> tuple[Ruleset, Position, Move]:
    """The longest capture of a king among men that stand in rows and columns with a gap between each two."""
    ruleset = load_ruleset("international")
    cells = ruleset.geometry.squares_by_cell
    contents = [EMPTY] * len(ruleset.geometry)
    for cell in product((1, 3, 5, 7), (2, 4, 6, 8)):
        contents[cells[cell]] = BLACK_MAN
    contents[cells[0, 1]] = WHITE_KING
    position = Position(tuple(contents), Side.WHITE)
    return ruleset, position, rules_for(ruleset).legal_moves(position)[0]


def planned_ms(ruleset: Ruleset, position: Position, move: Move) -> float:
    """How long a plan for a tool that lifts takes, the shortest of five."""
    best, tray = 1e9, (EMPTY,) * 40
    for _ in range(5):
        began = time.perf_counter()
        plan = plan_move(position, move, ruleset, tray, LIFTS)
        best = min(best, 1000 * (time.perf_counter() - began))
        assert plan.is_whole, "a tool that lifts can make every move"
    return best


def measure(path: Path, games: int) -> bool:
    """Print a file's line; whether both aims are met."""
    made = list(turns(path, games))
    largest = sorted(made, key=lambda turn: -len(turn[2].captured))[:TIMED]
    slowest = max(planned_ms(*turn) for turn in largest)
    ways = sum(
        plan_move(position, move, ruleset, (EMPTY,) * RIM * ruleset.rows, SLIDES).is_whole
        for ruleset, position, move in made
    )
    share = ways / len(made)
    print(
        f"{path.name}: {len(made)} moves, {len(largest[0][2].captured)} pieces taken off at most; slowest plan of the "
        f"{len(largest)} largest captures {slowest:.2f} ms; a magnet below finds ways for {100 * share:.2f} %",
        flush=True,
    )
    return slowest < MOST_MS and share >= LEAST_SHARE


def main() -> None:
    """Measure each file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--games", type=int, default=500)
    options = parser.parse_args()
    shared = Path(__file__).parents[2] / "shared" / "corpora"
    files = options.files or [shared / name for name in FILES]
    turn = longest()
    slowest = planned_ms(*turn)
    print(f"a capture of {len(turn[2].captured)} men: {slowest:.2f} ms")
    is_met = [measure(path, options.games) for path in files]
    sys.exit(slowest >= MOST_MS or not all(is_met))


if __name__ == "__main__":
    main()
