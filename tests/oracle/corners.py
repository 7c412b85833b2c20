"""Corners (ugolki) by brute force: steps, and chains of jumps found by going on until nothing new is reached."""

from __future__ import annotations

from collections.abc import Mapping

Cell = tuple[int, int]


def corner_moves(files: int, ranks: int, board: Mapping[Cell, str], side: str) -> frozenset[tuple[Cell, Cell]]:
    """Where the pieces of `side` ("w" or "b") may go: one step along a file or rank, or one jump after another."""
    return frozenset(
        (start, end)
        for start, colour in board.items()
        if colour == side
        for end in _steps(files, ranks, board, start) | _jump_ends(files, ranks, board, start)
        if end != start
    )


def _free(files: int, ranks: int, board: Mapping[Cell, str], cell: Cell) -> bool:
    return 0 <= cell[0] < files and 0 <= cell[1] < ranks and cell not in board


def _steps(files: int, ranks: int, board: Mapping[Cell, str], here: Cell) -> set[Cell]:
    beside = {(here[0] + 1, here[1]), (here[0] - 1, here[1]), (here[0], here[1] + 1), (here[0], here[1] - 1)}
    return {cell for cell in beside if _free(files, ranks, board, cell)}


def _jump_ends(files: int, ranks: int, board: Mapping[Cell, str], start: Cell) -> set[Cell]:
    others = {cell: colour for cell, colour in board.items() if cell != start}
    reached = {start}
    while True:
        further = {
            (file + 2 * across, rank + 2 * up)
            for file, rank in reached
            for across, up in ((1, 0), (-1, 0), (0, 1), (0, -1))
            if (file + across, rank + up) in others
            and _free(files, ranks, others, (file + 2 * across, rank + 2 * up))
        }
        if further <= reached:
            return reached
        reached |= further
