"""Cells that a simulated board reads one after another, round and round, each with a sensor that may be at fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from math import ceil

from engine.position import Piece
from firmware_bridge.simulator.faults import MARGINAL_SCAN, Noise


class Scanner:
    """The world above the cells, and what has been read of it; `codes` says how each piece is read, 0 for none."""

    def __init__(
        self, cells: int, scan_ms: float, codes: Mapping[Piece, int], noise: Noise, wrong_code: int = 0
    ) -> None:
        self._cells = cells
        self._scan_ms = scan_ms
        self._codes = codes
        self._noise = noise
        self._wrong_code = wrong_code
        """What a piece is read as for one scan when it is read wrongly; 0 where kinds are not told apart."""
        self._world = [Piece.EMPTY] * cells
        self.read = bytearray(cells)
        """The code read last of each cell."""
        self._visits: list[tuple[float, int]] = []
        self._weak: set[int] = set()
        self._wrong: set[int] = set()
        self._marginal: set[int] = set()
        self._dead: set[int] = set()
        self._flipping: set[int] = set()
        self._dropping: set[int] = set()
        self._flip_ms = noise.until_flip_ms()

    def put(self, cell: int, piece: Piece, now_ms: int) -> None:
        """A hand puts a piece above a cell; Piece.EMPTY takes away."""
        self._world[cell] = piece
        for troubled in (self._weak, self._wrong, self._marginal, self._dropping):
            troubled.discard(cell)
        if piece is not Piece.EMPTY:
            faults = self._noise.faults
            if self._noise.happens(faults.weak_piece):
                self._weak.add(cell)
            if self._noise.happens(faults.wrong_code) and self._wrong_code:
                self._wrong.add(cell)
            if self._noise.happens(faults.marginal_piece):
                self._marginal.add(cell)
        heappush(self._visits, (self._next_visit_ms(cell, now_ms), cell))

    def contents(self, cell: int) -> Piece:
        """What stands above a cell, whatever is read."""
        return self._world[cell]

    def break_sensor(self, cell: int) -> None:
        """From now on a cell reads empty whatever stands there."""
        self._dead.add(cell)
        self.read[cell] = 0

    def restart(self, now_ms: int) -> None:
        """Reads every cell at once and begins anew."""
        self._visits = []
        for cell in range(self._cells):
            self.read[cell] = 0 if cell in self._dead else self._codes[self._world[cell]]
            if cell in self._weak or cell in self._marginal:
                heappush(self._visits, (self._next_visit_ms(cell, now_ms), cell))

    def advance(self, now_ms: int) -> Iterator[tuple[float, int, int]]:
        """The cells that are read differently from before, with the time and the code, up to this time."""
        while self._flip_ms is not None and self._flip_ms <= now_ms:
            self._flipping.add(cell := self._noise.random.randrange(self._cells))
            heappush(self._visits, (self._next_visit_ms(cell, self._flip_ms), cell))
            pause_ms = self._noise.until_flip_ms()
            self._flip_ms = None if pause_ms is None else self._flip_ms + pause_ms
        while self._visits and self._visits[0][0] <= now_ms:
            at_ms, cell = heappop(self._visits)
            code = self._visit(cell, at_ms)
            if code != self.read[cell]:
                self.read[cell] = code
                yield at_ms, cell, code

    def deadline_ms(self) -> float | None:
        """When a cell may be read differently, None while nothing changes."""
        due = [at_ms for at_ms, _ in self._visits[:1]]
        if self._flip_ms is not None:
            due.append(self._flip_ms)
        return min(due, default=None)

    def _next_visit_ms(self, cell: int, now_ms: float) -> float:
        phase = cell * self._scan_ms / self._cells
        scans = ceil((now_ms - phase) / self._scan_ms)
        return phase + max(scans, 0) * self._scan_ms

    def _visit(self, cell: int, at_ms: float) -> int:
        """What is read at this visit; plans the next one where it will be something else."""
        code = self._codes[self._world[cell]]
        again = cell in self._weak
        if cell in self._dead or (again and self.read[cell]):
            code = 0
        elif cell in self._flipping:
            self._flipping.discard(cell)
            phantoms = [code for code in dict.fromkeys(self._codes.values()) if code]
            code, again = 0 if code else self._noise.random.choice(phantoms), True
        elif cell in self._dropping:
            self._dropping.discard(cell)
            code, again = 0, True
        elif cell in self._wrong:
            self._wrong.discard(cell)
            code, again = self._wrong_code, True
        elif cell in self._marginal:
            self._dropping.add(cell)
            gone_ms = at_ms + self._scan_ms * self._noise.random.expovariate(MARGINAL_SCAN)
            heappush(self._visits, (self._next_visit_ms(cell, gone_ms), cell))
        if again:
            heappush(self._visits, (at_ms + self._scan_ms, cell))
        return code
