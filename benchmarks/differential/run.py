"""Our legal moves beside those of py-draughts and pydraughts, on positions of random games and on random positions.

python benchmarks/differential/run.py FOLDER [--games 40] [--positions 2000] [--seed 1]

Makes an environment for each of the two in FOLDER (both are imported as `draughts`), asks them for the moves of every
position and prints how often they differ from ours, with examples of each kind. Exit code 0 whatever they say: who is
right is for the rules' texts to decide (ARCHITECTURE.md lists what was found).
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import venv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from engine.fen import write_fen
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Position, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset

PEERS = {
    "py-draughts": (
        "peer_py_draughts.py",
        ("international", "antidraughts", "breakthrough", "english", "russian", "brazilian", "frisian", "frysk"),
    ),
    "pydraughts": (
        "peer_pydraughts.py",
        (
            "international",
            "antidraughts",
            "breakthrough",
            "english",
            "russian",
            "brazilian",
            "italian",
            "turkish",
            "frisian",
            "frysk",
        ),
    ),
}

MoveSet = frozenset[tuple[int, int, tuple[int, ...]]]
"""(from, to, captured), squares by rows from 1."""


def environment(folder: Path, package: str) -> Path:
    """The Python of an environment that has the package, made where it is missing."""
    python = folder / package / "bin" / "python"
    if not python.exists():
        venv.create(folder / package, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", package], check=True)
    return python


def positions(ruleset: Ruleset, games: int, scattered: int, chance: random.Random) -> Iterator[Position]:
    """Every position of random games, then positions of few pieces anywhere."""
    rules = rules_for(ruleset)
    for _ in range(games):
        position = rules.start()
        for _ in range(150):
            yield replace(position, trail=None)  # a FEN does not tell what was played before
            moves = rules.legal_moves(position)
            if not moves or rules.winner(position):
                break
            position = position.after(chance.choice(moves))
    for _ in range(scattered):
        yield scatter(ruleset, chance)


def scatter(ruleset: Ruleset, chance: random.Random) -> Position:
    """A position of 2 to 18 pieces with no man on the row where it is crowned."""
    contents = [EMPTY] * len(ruleset.geometry)
    for square in chance.sample(range(len(contents)), chance.randint(2, 18)):
        piece = chance.choice((WHITE_MAN, BLACK_MAN, WHITE_KING, BLACK_KING))
        if ruleset.geometry.row(square) != {WHITE_MAN: 0, BLACK_MAN: ruleset.rows - 1}.get(piece, -1):
            contents[square] = piece
    return Position(tuple(contents), chance.choice(list(Side)))


def our_moves(ruleset: Ruleset, position: Position) -> MoveSet:
    """Our legal moves, squares by rows from 1."""
    number = {square: place for place, square in enumerate(ruleset.geometry.by_rows, 1)}
    return frozenset(
        (number[move.from_square], number[move.to_square], tuple(sorted(number[square] for square in move.captured)))
        for move in rules_for(ruleset).legal_moves(position)
    )


def their_moves(python: Path, script: str, asked: list[dict[str, str]]) -> Iterator[MoveSet | str]:
    """What a peer answers, in order; a text where it raised an error."""
    text = "".join(json.dumps(each) + "\n" for each in asked)
    command = [python, Path(__file__).with_name(script)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        if isinstance(answer, dict):
            yield answer["error"]
        else:
            yield frozenset((start, end, tuple(captured)) for start, end, captured in answer)


def kind(ours: MoveSet, theirs: MoveSet | str) -> str:
    """How two answers differ; empty where they do not."""
    if isinstance(theirs, str):
        return "raises " + theirs.partition(":")[0]
    if ours == theirs:
        return ""
    quiet = any(not captured for _, _, captured in theirs) and any(captured for _, _, captured in ours)
    if quiet:
        return "quiet moves though captures are there"
    parts = {"misses": ours - theirs, "adds": theirs - ours}
    return " and ".join(
        f"{word} {'captures' if any(captured for _, _, captured in moves) else 'quiet moves'}"
        for word, moves in parts.items()
        if moves
    )


def compare(peer: str, variant: str, python: Path, options: argparse.Namespace) -> None:
    """Print how one peer's moves differ from ours in one variant."""
    ruleset = load_ruleset(variant)
    chance = random.Random(f"{options.seed} {variant}")
    played = list(dict.fromkeys(positions(ruleset, options.games, options.positions, chance)))
    asked = [
        {"variant": variant, "fen": write_fen(each, ruleset, by_rows=True), "own_fen": write_fen(each, ruleset)}
        for each in played
    ]
    found: dict[str, list[str]] = defaultdict(list)
    answers = their_moves(python, PEERS[peer][0], asked)
    for position, question, theirs in zip(played, asked, answers, strict=True):
        ours = our_moves(ruleset, position)
        difference = kind(ours, theirs)
        if difference:
            said = (
                theirs if isinstance(theirs, str) else f"missing {_texts(ours - theirs)}, extra {_texts(theirs - ours)}"
            )
            found[difference].append(f"{question['fen']}: {said}")
    print(f"{peer} {variant}: {len(played)} positions, {sum(map(len, found.values()))} differ")
    for difference, examples in sorted(found.items()):
        print(f"  {difference}: {len(examples)}")
        for example in sorted(examples, key=len)[: options.examples]:
            print(f"    {example}")


def _texts(moves: MoveSet) -> str:
    return ", ".join(_text(*move) for move in sorted(moves)) or "none"


def _text(start: int, end: int, captured: tuple[int, ...]) -> str:
    return f"{start}-{end}" if not captured else f"{start}x{end}({','.join(map(str, captured))})"


def main() -> None:
    """Compare with every peer in every variant it plays."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the two environments are, or will be made")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--examples", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for peer, (_, variants) in PEERS.items():
        python = environment(options.folder, peer)
        for variant in variants:
            compare(peer, variant, python, options)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
