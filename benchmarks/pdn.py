"""Games a second that are read from PDN, next to what py-draughts reads of the same games.

python benchmarks/pdn.py [FILE.pdn ...]

Without files, the international and English games of the reference data are read. py-draughts is measured only where
it is importable under its name `draughts`; it needs an environment of its own, since another library has that name.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from engine.pdn import PdnGame, read_pdn_bytes, write_pdn, write_pdn_file

ROOT = Path(__file__).parents[1]
T = TypeVar("T")

PROMISED = 300
"""Games a second."""

MEGABYTE = 1_000_000
BAD_FILES = {
    "games of one move": "1. 32-28 *\n",
    "games of one illegal capture": "1. 32x23 19x28 *\n",
    "moves run together": "1. 32-2819-23 *\n",
    "positions with twelve kings": '[FEN "W:WK1,K2,K3,K4,K5,K6:BK45,K46,K47,K48,K49,K50"]\n1. 1-7 *\n',
    "a GameType that does not fit": '[GameType "25"]\n1. 32-28 19-23 *\n',
    "tags that are not closed": "[Event\n",
    "brackets with blanks": "( ",
    "words": "hello ",
}
"""What is repeated to a megabyte; each is promised to be read within a second."""

FILES = ("international.pdn", "english.pdn")
BOARDS = {
    "international": "StandardBoard",
    "english": "AmericanBoard",
    "russian": "RussianBoard",
    "brazilian": "BrazilianBoard",
}
"""What py-draughts plays, by the names of rule sets here."""


def main() -> int:
    """Print games a second for each file; exit code 1 when reading is slower than promised."""
    paths = [Path(name) for name in sys.argv[1:]] or [ROOT.parent / "shared" / "corpora" / name for name in FILES]
    kept = True
    for path in paths:
        if not path.exists():
            print(f"{path}: not found, skipped")
            continue
        data = path.read_bytes()
        games, seconds = _measured(lambda data=data, name=path.stem: read_pdn_bytes(data, file_name=name))
        played = [game for game in games if game.moves]
        plies = sum(len(game.moves) for game in played)
        rate = len(played) / seconds
        kept &= rate >= PROMISED
        print(
            f"{path.name}: {len(played)} games, {plies} half-moves in {seconds:.2f} s: {rate:.0f} games/s, "
            f"{seconds / plies * 1e6:.0f} us a half-move (promised {PROMISED} games/s)"
        )
        _, writing = _measured(lambda played=played: write_pdn_file(played))
        print(f"  written: {len(played) / writing:.0f} games/s")
        print(f"  py-draughts: {_py_draughts(played)}")
    for name, bit in BAD_FILES.items():
        text = (bit * (MEGABYTE // len(bit))).encode()
        _, seconds = _measured(lambda text=text: read_pdn_bytes(text))
        kept &= seconds < 1
        print(f"a megabyte of {name}: {seconds:.2f} s (promised 1 s)")
    return 0 if kept else 1


def _measured(work: Callable[[], T]) -> tuple[T, float]:
    """What some work gives, and the seconds of processor time that it took."""
    began = time.process_time()
    return work(), time.process_time() - began


def _py_draughts(games: list[PdnGame]) -> str:
    """Games a second of py-draughts for those of the games that it plays."""
    if find_spec("draughts") is None:
        return "not installed here"
    import draughts  # noqa: PLC0415

    texts = [
        (getattr(draughts, BOARDS[game.ruleset.name]), write_pdn(game))
        for game in games
        if game.ruleset.name in BOARDS and game.is_legal
    ]
    refused = 0
    began = time.process_time()
    for board, text in texts:
        try:
            board.from_pdn(text)
        except Exception:  # what a foreign library raises is not known
            refused += 1
    seconds = time.process_time() - began
    return (
        f"{len(texts) / seconds:.0f} games/s ({len(texts) - refused} read, {refused} refused)" if texts else "no games"
    )


if __name__ == "__main__":
    sys.exit(main())
