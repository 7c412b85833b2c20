"""DGT-compatible boards (unofficial) on one line: all hear the host; who speaks at once spoils both messages."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from engine.geometry import Cell
from engine.position import Piece
from firmware_bridge.simulator.cable import Cable
from firmware_bridge.simulator.dgt_board import BYTES_PER_MS, DgtBoard
from firmware_bridge.simulator.faults import NONE, Faults, Noise

SERIAL = 10247
"""Of the first board; the others follow."""


class SharedCable(Cable):
    """A wire on which a message that begins before another has ended makes noise of both."""

    def __init__(self, bytes_per_ms: float, noise: Noise) -> None:
        super().__init__(bytes_per_ms, noise)
        self._dice = noise.random
        self.collisions = 0

    def send(self, message: bytes, at_ms: float) -> None:
        """Sends a message; two at once are both lost."""
        if at_ms < self.free_ms:
            self.collisions += 1
            self.garble()
            longer_ms = at_ms + len(message) / self._bytes_per_ms - self.free_ms
            message = self._dice.randbytes(max(0, ceil(longer_ms * self._bytes_per_ms)))
        super().send(message, at_ms)


class DgtBus:
    """A line with boards on it; hands that know of one board only are at the first."""

    def __init__(
        self,
        sizes: Sequence[tuple[int, int]],
        *,
        seed: int = 0,
        faults: Faults = NONE,
        codes: str = "draughts-2011",
        rotated: bool = False,
        serials: Sequence[int] = (),
    ) -> None:
        """One board of each size (columns and rows), numbered from `SERIAL` unless `serials` are given."""
        self.cable = SharedCable(BYTES_PER_MS, Noise(faults, seed))
        numbers = serials or range(SERIAL, SERIAL + len(sizes))
        self.boards = tuple(
            DgtBoard(
                *size,
                seed=seed + place,
                faults=faults,
                codes=codes,
                rotated=rotated,
                serial=number,
                cable=self.cable,
            )
            for place, (size, number) in enumerate(zip(sizes, numbers, strict=True))
        )
        self._first = self.boards[0]
        self.dark: set[int] = set()
        """Places of the boards that have no power."""

    def put(self, cell: Cell, piece: Piece, now_ms: int) -> None:
        """A hand puts a piece on a cell of the first board; nothing else stands there afterwards."""
        self._first.put(cell, piece, now_ms)

    def take(self, cell: Cell, now_ms: int) -> None:
        """A hand takes away what stands on a cell of the first board."""
        self._first.take(cell, now_ms)

    def contents(self, cell: Cell) -> Piece:
        """What stands on a cell of the first board, whatever it says."""
        return self._first.contents(cell)

    def break_sensor(self, cell: Cell) -> None:
        """From now on a field of the first board reads empty whatever stands there."""
        self._first.break_sensor(cell)

    def press(self, button: str, now_ms: int) -> None:
        """A player pushes the lever of the first board's clock down on his side; ValueError for other buttons."""
        self._first.press(button, now_ms)

    def lamps(self, now_ms: int) -> dict[Cell, str]:
        """Nothing: these boards have no lamps."""
        return {}

    def power_cycle(self, now_ms: int) -> None:
        """The power of the first board goes and comes back."""
        self._first.power_cycle(now_ms)

    def cut(self, place: int) -> None:
        """A board loses its power."""
        self.dark.add(place)

    def restore(self, place: int, now_ms: int) -> None:
        """A board gets its power back."""
        self.dark.discard(place)
        self.boards[place].power_cycle(now_ms)

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Takes bytes from the host, which all boards hear; gives bytes for it."""
        return b"".join(board.receive(data, now_ms) for board in self._live())

    def tick(self, now_ms: int) -> bytes:
        """Gives the bytes that have come out at the host's end by this time."""
        return b"".join(board.tick(now_ms) for board in self._live())

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""
        return min((due for board in self._live() if (due := board.deadline_ms()) is not None), default=None)

    def _live(self) -> list[DgtBoard]:
        return [board for place, board in enumerate(self.boards) if place not in self.dark]
