"""Answers positions with the moves of the library py-draughts; runs in an environment of its own.

Lines of JSON in: {"variant", "fen" (squares by rows), "own_fen"}; lines of JSON out: [[from, to, [captured]], ...] by
rows from 1, or {"error"}. With `--time` instead: {"microseconds"} for each position, its moves listed once.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import draughts

BOARDS = {
    "international": draughts.StandardBoard,
    "antidraughts": draughts.AntidraughtsBoard,
    "breakthrough": draughts.BreakthroughBoard,
    "english": draughts.AmericanBoard,
    "russian": draughts.RussianBoard,
    "brazilian": draughts.BrazilianBoard,
    "frisian": draughts.FrisianBoard,
    "frysk": draughts.FryskBoard,
}


def moves(variant: str, fen: str) -> list[Any]:
    """Its legal moves as (from, to, captured), squares by rows from 1."""
    board = BOARDS[variant].from_fen(fen)
    return [
        [move.square_list[0] + 1, move.square_list[-1] + 1, sorted(square + 1 for square in move.captured_list)]
        for move in board.legal_moves
    ]


def microseconds(variant: str, fen: str) -> float:
    """How long one position takes it."""
    board = BOARDS[variant].from_fen(fen)
    started = time.perf_counter()
    list(board.legal_moves)
    return (time.perf_counter() - started) * 1e6


def main() -> None:
    """Answer every line of the standard input."""
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if "--time" in sys.argv:
                answer: object = {"microseconds": microseconds(asked["variant"], asked["fen"])}
            else:
                answer = moves(asked["variant"], asked["fen"])
        except Exception as error:  # whatever it raises is its answer
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
