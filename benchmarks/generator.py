"""Milliseconds in which the reference generator lists the legal moves of a position; the promise is 0.3 ms (median).

python benchmarks/generator.py [GAMES.pdn] [--peer PYTHON]

Takes the positions of the first 50 games of the file (../shared/corpora/international.pdn unless named), each once.
`--peer` is the Python of an environment that has py-draughts (benchmarks/differential/run.py makes one): its time on
the same positions is printed beside, with the ratio. Then come the positions with the most ways to capture.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from engine.errors import TooManyCapturesError
from engine.fen import read_fen, write_fen
from engine.pdn import PdnGame, read_pdn_bytes
from engine.position import Position
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset

PROMISED_MS = 0.3
GAMES = 50
REPEATS = 3

LOOSE_PIECES = (
    ("frisian", "W:WK3,K7,K30:B1,5,8,9,10,11,14,21,23,25,28,31,32,33,39,40,43"),
    ("frisian", "W:WK2,K20,K38,K49:B3,7,11,12,13,14,15,16,21,23,27,30,31,33,41,44,48,50"),
    ("international", "W:WK46,K47,K48,K49,K50:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40"),
    ("canadian", "W:WK1,K72:B8,9,10,11,12,20,21,22,23,24,32,33,34,35,36,44,45,46,47,48,56,57,58,59,60"),
    ("turkish", "W:WK13,K36,K37:B3,10,15,17,19,21,23,24,27,30,31,33,39,42,43,45,46,48,51,55,60,63"),
    ("armenian", "W:WK26,K40:B2,4,9,11,13,15,18,20,23,25,28,30,31,37,39,42,43,44,45,46,47,49,53,56,60"),
)
"""Kings among many loose pieces, squares by rows; found by changing positions at random and keeping the slowest."""


def positions_of(games: tuple[PdnGame, ...]) -> list[Position]:
    """Every position of the games, each once, in the order met."""
    found: dict[Position, None] = {}
    for game in games:
        position = game.start
        found[position] = None
        for move in game.moves:
            position = position.after(move)
            found[position] = None
    return list(found)


def milliseconds(ruleset: Ruleset, position: Position) -> float:
    """The best of some runs on one position; nothing is remembered from one to the next."""
    best = float("inf")
    for _ in range(REPEATS):
        rules = rules_for.__wrapped__(ruleset)
        started = time.perf_counter()
        rules.legal_moves(position)
        best = min(best, time.perf_counter() - started)
    return best * 1000


def peer_milliseconds(python: str, ruleset: Ruleset, positions: list[Position]) -> list[float]:
    """The same of py-draughts, asked in an environment of its own; the best of as many runs."""
    script = Path(__file__).parent / "differential" / "peer_py_draughts.py"
    asked = [json.dumps({"variant": ruleset.name, "fen": write_fen(each, ruleset, by_rows=True)}) for each in positions]
    runs = []
    for _ in range(REPEATS):
        done = subprocess.run(
            [python, script, "--time"], input="\n".join(asked), capture_output=True, text=True, check=True
        )
        runs.append([json.loads(line)["microseconds"] / 1000 for line in done.stdout.splitlines()])
    return [min(each) for each in zip(*runs, strict=True)]


def main() -> int:
    """Print medians and the worst; exit code 1 when the promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    shared = Path(__file__).parents[2] / "shared" / "corpora" / "international.pdn"
    parser.add_argument("games", type=Path, nargs="?", default=shared)
    parser.add_argument("--peer", help="the Python of an environment that has py-draughts")
    options = parser.parse_args()
    kept = True
    if options.games.exists():
        kept = _games(options.games, options.peer)
    else:
        print(f"{options.games} is not there: no positions of games measured")
    for variant, fen in LOOSE_PIECES:
        _loose(load_ruleset(variant), fen)
    return 0 if kept else 1


def _games(file: Path, peer: str | None) -> bool:
    ruleset = load_ruleset("international")
    positions = positions_of(read_pdn_bytes(file.read_bytes(), ruleset)[:GAMES])
    taken = sorted(milliseconds(ruleset, position) for position in positions)
    median = statistics.median(taken)
    print(
        f"{len(positions)} positions of {GAMES} games: median {median:.3f} ms, 95 of 100 within "
        f"{taken[len(taken) * 95 // 100]:.3f} ms, at most {taken[-1]:.2f} ms (promised median {PROMISED_MS})"
    )
    if peer:
        theirs = statistics.median(peer_milliseconds(peer, ruleset, positions))
        print(f"py-draughts on the same positions: median {theirs:.3f} ms; ours takes {median / theirs:.1f} times that")
    return median <= PROMISED_MS


def _loose(ruleset: Ruleset, fen: str) -> None:
    position, rules = read_fen(fen, ruleset, by_rows=True), rules_for.__wrapped__(ruleset)
    started = time.perf_counter()
    try:
        answer = f"{len(rules.legal_moves(position))} moves"
    except TooManyCapturesError as error:
        answer = f"refused: {error}"
    print(f"{ruleset.name} {fen}: {time.perf_counter() - started:.2f} s, {answer}")


if __name__ == "__main__":
    sys.exit(main())
