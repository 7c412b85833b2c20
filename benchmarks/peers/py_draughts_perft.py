"""Counts leaves with the library py-draughts; runs in an environment of its own.

python py_draughts_perft.py KIND VARIANT DEPTH FEN: KIND is `internal` (the generator of its fastest engine,
international only) or `board` (its public boards: legal_moves, push, pop). Prints the leaves and the CPU seconds.
"""

from __future__ import annotations

import sys
import time

import draughts
from draughts.engines.turbo import perft_from_board

BOARDS = {
    "international": draughts.StandardBoard,
    "russian": draughts.RussianBoard,
    "brazilian": draughts.BrazilianBoard,
    "frisian": draughts.FrisianBoard,
}


def board_perft(board: draughts.boards.base.BaseBoard, depth: int) -> int:
    """Leaves by the public board; the last ply is counted and not played."""
    moves = list(board.legal_moves)
    if depth == 1:
        return len(moves)
    leaves = 0
    for move in moves:
        board.push(move)
        leaves += board_perft(board, depth - 1)
        board.pop()
    return leaves


def main() -> None:
    """Count once."""
    kind, variant, depth, fen = sys.argv[1:]
    board = BOARDS[variant].from_fen(fen)
    count = perft_from_board if kind == "internal" else board_perft
    began = time.process_time()
    leaves = count(board, int(depth))
    print(leaves, time.process_time() - began)


if __name__ == "__main__":
    main()
