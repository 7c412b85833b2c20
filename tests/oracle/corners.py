"""Corners (ugolki) by brute force: steps, and chains of jumps found by going on until nothing new is reached."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.facts import EIGHT, ORTHOGONAL, Cell, Step

DIRECTIONS: dict[str, frozenset[Step]] = {"corners": ORTHOGONAL, "corners-eight-directions": EIGHT}
"""Steps and jumps by the name of the rule set."""


def corner_moves(
    size: tuple[int, int], directions: frozenset[Step], board: Mapping[Cell, str], side: str
) -> frozenset[tuple[Cell, Cell]]:
    """Where pieces of `side` ("w" or "b") may go on a board of size (files, ranks): one step, or a chain of jumps."""
    free = {(file, rank) for file in range(size[0]) for rank in range(size[1])} - set(board)
    return frozenset(
        (start, end)
        for start, colour in board.items()
        if colour == side
        for end in (_beside(start, directions) & free) | _jumped_to(start, directions, free, set(board) - {start})
    )


def _beside(here: Cell, directions: frozenset[Step]) -> set[Cell]:
    return {(here[0] + files, here[1] + ranks) for files, ranks in directions}


def _jumped_to(start: Cell, directions: frozenset[Step], free: set[Cell], others: set[Cell]) -> set[Cell]:
    reached = {start}
    while True:
        further = {
            (file + 2 * files, rank + 2 * ranks)
            for file, rank in reached
            for files, ranks in directions
            if (file + files, rank + ranks) in others
        }
        if further & (free | {start}) <= reached:
            return reached - {start}
        reached |= further & (free | {start})
