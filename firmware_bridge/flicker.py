"""Weak pieces: a cell whose sensor keeps losing the piece that stands on it."""

from __future__ import annotations

from dataclasses import dataclass

ABSENCES = 3
"""So many short absences in a row make a cell weak: at blitz one square sees two exchanges, hardly three."""
SHORT_MS = 500
"""How long an absence, or the presence between two, may be to count as the sensor's doing."""
STEADY_MS = 5000
"""A weak cell is trusted again when it has not changed for so long."""
HOLD_MS = 700
"""A weak cell is empty when it has been so for so long: three scans of a slow board."""


@dataclass(slots=True)
class _Cell:
    changed_ms: int = -STEADY_MS
    code: int = 0
    """What stood there last."""
    absences: int = 0
    """Short absences in a row."""


class Flicker:
    """Watches the changes of each cell, and holds back the emptiness of weak ones."""

    def __init__(self) -> None:
        self._cells: dict[int, _Cell] = {}
        self._held: dict[int, tuple[int, int]] = {}

    def note(self, cell: int, before: int, after: int, now_ms: int) -> bool:
        """Takes what a cell reports; True when it still holds what it held, be it that its sensor only flickers."""
        held = self._held.pop(cell, None)
        if held is None and before == after:
            return True
        watched = self._cells.setdefault(cell, _Cell())
        lasted_ms, watched.changed_ms = now_ms - watched.changed_ms, now_ms
        weak = watched.absences >= ABSENCES
        if lasted_ms > (STEADY_MS if weak else SHORT_MS) or (after and watched.code not in (0, after)):
            watched.absences = 0
        elif after:
            watched.absences += 1
        if after:
            watched.code = after
            return held is not None and after == held[1]
        if watched.absences < ABSENCES:
            return False
        self._held[cell] = (now_ms + HOLD_MS, watched.code)
        return True

    def weak(self) -> frozenset[int]:
        """Cells that are not trusted when they say that nothing stands there."""
        return frozenset(cell for cell, watched in self._cells.items() if watched.absences >= ABSENCES)

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
        self._cells.clear()
        self._held.clear()
