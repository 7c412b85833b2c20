"""How many puzzles the engine solves at 1 s a move on one core; the promise is 95 of 100.

python benchmarks/tactics.py [PUZZLES.json] [--seconds S] [--limit N]

The file (../shared/problems/gcheckers-puzzles.json unless named) has positions, and for each the line that wins. A
puzzle is solved when the engine plays the first move of the line, or another that a search of ten times as long finds
at least as good as that move (within a third of a man); both numbers are printed, and the puzzles missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from pathlib import Path

from engine.fen import read_fen
from engine.kernel.hashing import Table
from engine.kernel.search import Found, Search
from engine.kernel.thinking import is_proven
from engine.kernel.tree import Tree
from engine.kernel.trees import kernel_tree
from engine.notation import move_text, read_move
from engine.position import Move, Position
from engine.rules import Rules, rules_for
from engine.ruleset import load_ruleset

PROMISED = 0.95
MARGIN = 33
LONGER = 10


def search(tree: Tree, rules: Rules, position: Position, seconds: float) -> tuple[Move, int]:
    """The move found in so many seconds, and its score."""
    tree.set(position)
    searcher = Search(tree, Table(32 << 20))
    searcher.begin()
    timer = threading.Timer(seconds, searcher.stop)
    timer.start()
    found = _deepen(searcher)
    timer.cancel()
    assert found.best is not None
    effect = tree.effect(found.best.index)
    return next(move for move in rules.legal_moves(position) if move.effect == effect), found.score


def _deepen(searcher: Search) -> Found:
    found = searcher.result()
    for depth in range(1, 100):
        found = searcher.iterate(depth)
        if not found.complete or is_proven(found):
            break
    return found


def as_good(tree: Tree, rules: Rules, position: Position, played: Move, line: Move, seconds: float) -> bool:
    """Whether a longer search finds the move played as good as the line's."""
    scores = []
    for move in (played, line):
        after = position.after(move)
        scores.append(-search(tree, rules, after, seconds)[1] if rules.legal_moves(after) else 30_000)
    return scores[0] >= scores[1] - MARGIN or scores[0] > 15_000


def main() -> int:
    """Print the table; 1 when the promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default="../shared/problems/gcheckers-puzzles.json")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--limit", type=int, default=10_000)
    options = parser.parse_args()
    puzzles = json.loads(Path(options.file).read_text(encoding="utf-8"))["positions"][: options.limit]
    trees: dict[str, Tree] = {}
    first = other = 0
    missed = []
    started = time.monotonic()
    for puzzle in puzzles:
        ruleset = load_ruleset(puzzle["variant"])
        rules = rules_for(ruleset)
        tree = trees.setdefault(puzzle["variant"], kernel_tree(ruleset))
        position = rules.opened(read_fen(puzzle["fen"], ruleset))
        ways = [way for same in rules.ways(position).values() for way in same]
        line = read_move(puzzle["line"][0], position, ways, ruleset)
        played, score = search(tree, rules, position, options.seconds)
        if played.effect == line.effect:
            first += 1
        elif as_good(tree, rules, position, played, line, LONGER * options.seconds):
            other += 1
        else:
            text = move_text(played, rules.legal_moves(position), ruleset)
            missed.append(f"{puzzle['id']}: {puzzle['fen']}: {text} ({score / 100:+.2f}) for {puzzle['line'][0]}")
    solved = first + other
    print(f"{len(puzzles)} puzzles, {options.seconds} s each: {solved} solved ({solved / len(puzzles):.1%}),")
    print(f"{first} by the move of the line, {other} by one as good; {time.monotonic() - started:.0f} s in all")
    print("\n".join(missed))
    return 0 if solved >= PROMISED * len(puzzles) else 1


if __name__ == "__main__":
    sys.exit(main())
