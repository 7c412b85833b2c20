"""Weak pieces: a cell whose sensor keeps losing the piece that stands on it."""

from __future__ import annotations

from collections import deque

CHANGES = 4
"""So many changes between one piece and nothing make a cell weak: a person lifts a piece for a look once or twice."""
WINDOW_MS = 2500
HOLD_MS = 700
"""A weak cell is empty when it has been so for so long: three scans of a slow board."""


class Flicker:
    """Watches the changes of each cell, and holds back the emptiness of weak ones."""

    def __init__(self) -> None:
        self._changes: dict[int, deque[tuple[int, int]]] = {}
        self._held: dict[int, tuple[int, int]] = {}

    def note(self, cell: int, before: int, after: int, now_ms: int) -> bool:
        """Takes a change of a cell's code; True when it is only flicker and the cell still holds what it held."""
        held = self._held.pop(cell, None)
        if held is not None and after == held[1]:
            return True
        if held is not None:
            return False
        changes = self._changes.setdefault(cell, deque(maxlen=CHANGES))
        changes.append((now_ms, before or after))
        if after or not self._is_weak(changes, now_ms):
            return False
        self._held[cell] = (now_ms + HOLD_MS, before)
        return True

    def overlay(self, codes: bytes) -> bytes:
        """The codes of all cells with those put back that are held."""
        if not self._held:
            return codes
        filled = bytearray(codes)
        for cell, (_, code) in self._held.items():
            filled[cell] = filled[cell] or code
        return bytes(filled)

    def expire(self, now_ms: int) -> tuple[int, ...]:
        """Cells that have been empty for long enough; they are empty now."""
        gone = tuple(cell for cell, (until_ms, _) in self._held.items() if until_ms <= now_ms)
        for cell in gone:
            del self._held[cell]
        return gone

    def deadline_ms(self) -> int | None:
        """When expire has something to do."""
        return min((until_ms for until_ms, _ in self._held.values()), default=None)

    def clear(self) -> None:
        """Forgets everything."""
        self._changes.clear()
        self._held.clear()

    @staticmethod
    def _is_weak(changes: deque[tuple[int, int]], now_ms: int) -> bool:
        recent = len(changes) == CHANGES and changes[0][0] >= now_ms - WINDOW_MS
        return recent and len({code for _, code in changes}) == 1
