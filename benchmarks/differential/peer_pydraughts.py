"""Answers positions with the moves of the library pydraughts; runs in an environment of its own.

Lines of JSON in: {"variant", "fen" (squares by rows), "own_fen"}; lines of JSON out: [[from, to, [captured]], ...] by
rows from 1, or {"error"}.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import draughts

NAMES = {"international": "standard", "frysk": "frysk!"}
FROM_THE_BOTTOM = {"russian": 4, "brazilian": 4, "turkish": 8}
"""Squares a row of the variants that it counts from White's side upwards."""


def moves(variant: str, fen: str, own_fen: str) -> list[Any]:
    """Its legal moves as (from, to, captured), squares by rows from 1."""
    board = draughts.Board(variant=NAMES.get(variant, variant), fen=own_fen if variant in FROM_THE_BOTTOM else fen)
    paths, captured = board._legal_moves_board()
    return [
        [
            _by_rows(variant, path[0][0]),
            _by_rows(variant, path[-1][-1]),
            sorted(_by_rows(variant, square) for square in taken if square is not None),
        ]
        for path, taken in zip(paths, captured, strict=True)
    ]


def _by_rows(variant: str, square: int) -> int:
    a_row = FROM_THE_BOTTOM.get(variant)
    if a_row is None:
        return square
    row, place = divmod(square - 1, a_row)
    return (7 - row) * a_row + place + 1


def main() -> None:
    """Answer every line of the standard input."""
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer: object = moves(asked["variant"], asked["fen"], asked["own_fen"])
        except Exception as error:  # whatever it raises is its answer
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
