"""Self-play: games at a fixed number of nodes a move from random openings, as arrays to fit weights to."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from engine.ending_files import open_tables
from engine.ruleset import Ruleset, read_ruleset, write_ruleset
from training.players import Player, Record, play_game, random_opening

_BYTES = 18
"""Bytes of one set of squares, at most 144 bits."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions of n moments of games.

    `boards` (n, 4, 18) uint8: white men, white kings, black men, black kings as sets of bits; `side` to move (n,), 0 or
    1; White's `points` of the game (n,); the search's `score` for White (n,), in hundredths of a man.
    """

    boards: np.ndarray
    side: np.ndarray
    points: np.ndarray
    score: np.ndarray

    def __len__(self) -> int:
        return len(self.side)


def self_play(
    ruleset: Ruleset,
    numbers: Sequence[int],
    games: int,
    nodes: int,
    seed: int,
    jobs: int = 1,
    endings: Path | None = None,
) -> Positions:
    """Positions at rest of so many games, played by these weights against themselves; `endings`: where tables lie."""
    share = -(-games // jobs)
    # A rule set cannot be sent to another process as it is; as TOML it can.
    rules = write_ruleset(ruleset)
    work = [(rules, tuple(numbers), share, nodes, seed * 1000 + job, endings) for job in range(jobs)]
    if jobs == 1:
        parts = [_play_some(work[0])]
    else:
        with get_context("spawn").Pool(jobs) as pool:
            parts = pool.map(_play_some, work)
    return join(parts)


def join(parts: Sequence[Positions]) -> Positions:
    """Several sets of positions as one."""
    return Positions(*(np.concatenate([getattr(part, name) for part in parts]) for name in Positions.__slots__))


def save(positions: Positions, file: Path) -> None:
    """Keep positions in a file, compressed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(file, **{name: getattr(positions, name) for name in Positions.__slots__})


def load(file: Path) -> Positions:
    """The positions of a file."""
    with np.load(file) as arrays:
        return Positions(*(arrays[name] for name in Positions.__slots__))


def _play_some(work: tuple[str, tuple[int, ...], int, int, int, Path | None]) -> Positions:
    rules, numbers, games, nodes, seed, endings = work
    ruleset = read_ruleset(rules, "training")
    chance = random.Random(seed)
    player = Player(ruleset, numbers, open_tables(endings, ruleset) if endings else None)
    rows: list[bytes] = []
    facts: list[tuple[int, float, int]] = []
    for _ in range(games):
        opening = random_opening(ruleset, player, chance.randint(4, 12), chance)
        # Some games are played with fewer nodes, so that weak moves are seen and punished too.
        points, records = play_game(ruleset, player, player, opening, chance.choice((nodes // 4, nodes, nodes)))
        for record in records:
            if record.quiet and abs(record.score) < 20_000:
                rows.append(_row(record))
                facts.append((record.boards[4], points, record.score))
    sides, points_, scores = zip(*facts, strict=True)
    return Positions(
        np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), 4, _BYTES),
        np.array(sides, dtype=np.int8),
        np.array(points_, dtype=np.float32),
        np.array(scores, dtype=np.int32),
    )


def _row(record: Record) -> bytes:
    return b"".join(board.to_bytes(_BYTES, "little") for board in record.boards[:4])
