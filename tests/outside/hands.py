"""What hands do at a board, and what stands there afterwards; squares by the names people use."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .dgt_board import DgtBoard

Move = dict[str, Any]
"""A move as `dambord moves --json` writes it."""


def numbers() -> dict[str, int]:
    """Squares 1 to 50 of the board of a hundred fields."""
    fields = {}
    for number in range(1, 51):
        row = (number - 1) // 5
        fields[str(number)] = 10 * row + 2 * ((number - 1) % 5) + (1 if row % 2 == 0 else 0)
    return fields


def letters() -> dict[str, int]:
    """The dark squares of the board of sixty-four fields, a1 among them."""
    return {
        f"{'abcdefgh'[column]}{rank}": 8 * (8 - rank) + column
        for rank in range(1, 9)
        for column in range(8)
        if (column + rank) % 2 == 1
    }


def start_of(variant: str) -> dict[str, str]:
    """What stands where when a game begins."""
    if variant == "international":
        return {str(number): "b" if number <= 20 else "w" for number in range(1, 51) if not 20 < number < 31}
    return {name: "w" if int(name[1]) < 4 else "b" for name in letters() if int(name[1]) not in (4, 5)}


FIELDS = {"international": numbers, "russian": letters}
SIZES = {"international": 10, "russian": 8}


@dataclass(frozen=True, slots=True)
class Pauses:
    """How long hands take, in seconds: from, to."""

    thinking: tuple[float, float] = (0.45, 0.9)
    carrying: tuple[float, float] = (0.15, 0.35)
    taking: tuple[float, float] = (0.12, 0.3)


class Hands:
    """Two people at one board; `standing` is what they have left there."""

    def __init__(self, board: DgtBoard, variant: str, seed: int = 1, pauses: Pauses | None = None) -> None:
        self.board, self.variant = board, variant
        self.standing: dict[str, str] = {}
        self.turn = "W"
        self._fields = FIELDS[variant]()
        self._chance = random.Random(seed)
        self._pauses = pauses or Pauses()
        self._never = threading.Event()

    def set_up(self) -> None:
        """Put everything on its square."""
        for square, piece in start_of(self.variant).items():
            self.put(square, piece)

    def put(self, square: str, piece: str | None) -> None:
        """Put a piece down, or take one away."""
        self.board.put(self._fields[square], piece)
        if piece is None:
            self.standing.pop(square, None)
        else:
            self.standing[square] = piece

    def wait(self, span: tuple[float, float]) -> None:
        """Be busy with something for a while."""
        self._never.wait(self._chance.uniform(*span))

    def play(self, move: Move) -> None:
        """Think, then make a move: the order of lifting, putting down and taking off is never the same."""
        self.wait(self._pauses.thinking)
        piece = self.standing[move["from"]]
        crowned = piece.upper() if move["promotes"] else piece
        order = self._chance.choice(("after", "before", "jumping", "one by one")) if move["captured"] else "after"
        if order == "before":
            self._take_off(move["captured"])
        self._lift(move["from"])
        if order in ("jumping", "one by one"):
            self._jump(move, piece, down=order == "one by one")
        self.put(move["to"], crowned)
        if order == "after":
            left = list(move["captured"])
            self._chance.shuffle(left)
            self.wait(self._pauses.taking)
            self._take_off(left)
        self.turn = "B" if self.turn == "W" else "W"

    def _lift(self, square: str) -> None:
        self.put(square, None)
        self.wait(self._pauses.carrying)

    def _take_off(self, squares: list[str]) -> None:
        for square in squares:
            self.put(square, None)
            self.wait(self._pauses.taking)

    def _jump(self, move: Move, piece: str, down: bool) -> None:
        """Take each piece off while the mover passes it, and perhaps put the mover down on the way."""
        for captured, landing in zip(move["captured"], move["path"], strict=True):
            passing = landing not in (move["from"], move["to"]) and down
            if passing:
                self.put(landing, piece)
                self.wait(self._pauses.taking)
            self._take_off([captured])
            if passing:
                self._lift(landing)


def placement_of(fen: str) -> tuple[str, dict[str, str]]:
    """Side to move and what stands where, as a FEN says it: `W:W31,K32:B1-5`."""
    side, *camps = fen.strip().rstrip(".").split(":")
    standing = {}
    for camp in camps:
        man = camp[0].lower()
        for item in filter(None, camp[1:].split(",")):
            king = item.startswith("K")
            for square in _squares(item.removeprefix("K")):
                standing[square] = man.upper() if king else man
    return side, standing


def _squares(item: str) -> Iterator[str]:
    first, _, last = item.partition("-")
    if last:
        yield from map(str, range(int(first), int(last) + 1))
    else:
        yield first
