"""Endgame tables: what they cost to make, to keep and to ask, and how many won endings are won with them.

python benchmarks/endings.py [--variants NAME ...] [--pieces N] [--endings N] [--long PLIES] [--nodes N]
    [--ways WAY ...] [--folder DIR]

Makes the tables of each variant (in a folder that is thrown away, unless one is named), then plays won endings of four
pieces against the longest resistance the tables know, by the rules of the game with all their draws: once by the
tables' distances alone, once by a search of so many positions a move that looks results up in the tables and knows no
distances, and once as the engine plays: by the search's own move when it has proven a win, else by the distances.
Endings are drawn at random from all that the side to move wins, or from those that take at least --long plies.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engine.ending_files import open_tables
from engine.endings import EndingTables, Step, default_pieces
from engine.game import Game, new_game
from engine.kernel.hashing import Table
from engine.kernel.search import Search
from engine.kernel.tables import tables_for
from engine.kernel.thinking import deepen
from engine.kernel.trees import kernel_tree
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Move, Position, Side
from engine.ruleset import Ruleset, load_ruleset
from station.runtime.endings import make_tables

VARIANTS = ("english", "russian", "international")
PIECES = (WHITE_MAN, WHITE_KING, BLACK_MAN, BLACK_KING)
SURE = 29_000
PROBES = 10
WAYS = ("distance", "search", "both")


def main() -> int:
    """Print both tables of results."""
    options = _options()
    with tempfile.TemporaryDirectory() as thrown_away:
        folder = options.folder or Path(thrown_away)
        tables = [_made(load_ruleset(name), options.pieces, folder) for name in options.variants]
        for each in tables:
            _play(each, options)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variants", nargs="+", default=VARIANTS, metavar="NAME")
    parser.add_argument("--pieces", type=int, help="up to how many pieces (default: as the program makes them)")
    parser.add_argument("--endings", type=int, default=50, help="won endings to play (default: %(default)s)")
    parser.add_argument("--long", type=int, default=0, metavar="PLIES", help="only endings at least so long")
    parser.add_argument("--nodes", type=int, default=20_000, help="positions a move (default: %(default)s)")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS, help="how the attacker chooses (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where tables are kept")
    return parser.parse_args()


def _made(ruleset: Ruleset, pieces: int | None, folder: Path) -> EndingTables:
    """Make and open the tables of a rule set, and print a line about them."""
    began = time.process_time()
    new = 0

    def count(step: Step, is_new: bool) -> None:
        nonlocal new
        new += is_new

    make_tables(ruleset, pieces or default_pieces(ruleset), folder, count)
    made = time.process_time() - began
    began = time.perf_counter()
    tables = open_tables(folder, ruleset)
    opened = time.perf_counter() - began
    numbers = sum(ending.numbers for ending in tables.endings.values())
    small = sum(len(ending.values) for ending in tables.endings.values())
    distances = sum(len(block) for ending in tables.endings.values() for block in ending.distances)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{ruleset.name}: {numbers:,} positions up to {tables.most_pieces} pieces; made in "
        f"{made:.1f} CPU s ({new} steps); for the search {small / 1e6:.2f} MB ({numbers / 4 / small:.1f}:1 against 2 "
        f"bits), distances {distances / 1e6:.2f} MB; opened in {1000 * opened:.0f} ms; "
        f"a look-up {_look_up_ns(tables):.0f} ns; peak {peak} MB"
    )
    return tables


def _look_up_ns(tables: EndingTables) -> float:
    """How long one look-up takes, of random positions with the most pieces, Python's call included."""
    chance = random.Random(1)
    bits = tables_for(tables.ruleset).bits
    found: Any = tables.for_search()
    boards = [_boards(_scattered(tables.ruleset, tables.most_pieces, chance), bits) for _ in range(20_000)]
    began = time.process_time_ns()
    for each in boards * PROBES:
        found.probe(each)
    return (time.process_time_ns() - began) / len(boards) / PROBES


def _boards(position: Position, bits: tuple[int, ...]) -> tuple[int, ...]:
    contents = position.contents
    sets = [sum(1 << bit for bit, content in zip(bits, contents, strict=True) if content is piece) for piece in PIECES]
    return (*sets, int(position.turn is Side.BLACK))


def _scattered(ruleset: Ruleset, pieces: int, chance: random.Random) -> Position:
    """Random pieces on random squares, both sides having some, no man where it would be crowned."""
    geometry = ruleset.geometry
    while True:
        contents = [EMPTY] * len(geometry)
        for square in chance.sample(range(len(geometry)), pieces):
            contents[square] = chance.choice(PIECES)
        crowned = any(
            geometry.row(square) == (0 if piece is WHITE_MAN else geometry.rows - 1)
            for square, piece in enumerate(contents)
            if piece in (WHITE_MAN, BLACK_MAN)
        )
        position = Position(tuple(contents), chance.choice(tuple(Side)))
        if not crowned and all(position.pieces(side) for side in Side):
            return position


class Mind:
    """The kernel's search with tables of results, placed on the games it is asked about."""

    def __init__(self, tables: EndingTables, nodes: int) -> None:
        self.tables, self.nodes = tables, nodes
        self.tree: Any = kernel_tree(tables.ruleset)
        self.tree.use_endings(tables.for_search())

    def choose(self, game: Game) -> tuple[Move, int]:
        """The move the search finds, and its score."""
        self.tree.set(game.start)
        keys = []
        for move in game.moves:
            keys.append(self.tree.key_at(0))
            self.tree.play(self.tree.effects().index(move.effect))
        effects = self.tree.effects()
        found = deepen(Search(self.tree, Table(4 << 20)), self.nodes, history=keys)
        assert found.best is not None
        return next(move for move in game.legal_moves if move.effect == effects[found.best.index]), found.score

    def by_search(self, game: Game) -> Move:
        """The search's move."""
        return self.choose(game)[0]

    def by_distance(self, game: Game) -> Move:
        """The move that wins soonest."""
        return self.tables.moves(game.position)[0][0]

    def by_both(self, game: Game) -> Move:
        """The search's move when it has proven a win, else the one that wins soonest."""
        move, score = self.choose(game)
        return move if score >= SURE else self.by_distance(game)


def _play(tables: EndingTables, options: argparse.Namespace) -> None:
    """Play won endings in each way, and print how they went."""
    mind = Mind(tables, options.nodes)
    positions = list(_won(tables, options))
    for way in options.ways:
        began = time.process_time()
        ends = Counter(_end(tables, position, getattr(mind, f"by_{way}")) for position in positions)
        lost = ", ".join(f"{count} {reason}" for reason, count in ends.items() if reason != "won")
        print(
            f"  {tables.ruleset.name}, by {way}: {ends['won']} of {len(positions)} won{'; ' if lost else ''}{lost} "
            f"({time.process_time() - began:.0f} CPU s)",
            flush=True,
        )


def _won(tables: EndingTables, options: argparse.Namespace) -> Iterator[Position]:
    """Endings of four pieces that the side to move wins, and in which the game is not over."""
    chance = random.Random(options.seed)
    found = 0
    while found < options.endings:
        position = _scattered(tables.ruleset, min(4, tables.most_pieces), chance)
        verdict = tables.verdict(position)
        if verdict is None or verdict.value < 1 or verdict.plies < options.long:
            continue
        if new_game(tables.ruleset, position).outcome(claimed=True) is None:
            found += 1
            yield position


def _end(tables: EndingTables, position: Position, attack: Callable[[Game], Move]) -> str:
    """`won`, or why not, when `attack` plays against the longest resistance."""
    game = new_game(tables.ruleset, position)
    while game.outcome() is None:
        attacks = game.position.turn is position.turn
        game = game.play(attack(game) if attacks else tables.moves(game.position)[0][0])
    outcome = game.outcome()
    assert outcome is not None
    return "won" if outcome.winner is position.turn else outcome.reason


if __name__ == "__main__":
    sys.exit(main())
