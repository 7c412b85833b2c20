"""Kinds that a board reads differently from one scan to the next: a piece that nobody lifted stays what it was."""

from __future__ import annotations

HOLD_MS = 700
"""A piece is of another kind when it has been read so for so long: three scans of a slow board."""


class Swings:
    """Holds back the new kind of a piece that never left its cell until it is read the same for long enough."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[int, int]] = {}

    def note(self, cell: int, before: int, after: int, now_ms: int) -> bool:
        """Takes another code for a piece that stands; True while it still counts as what it was."""
        if before == after:
            return self._held.pop(cell, None) is not None
        until_ms, code = self._held.get(cell, (0, before))
        self._held[cell] = (until_ms if code == after else now_ms + HOLD_MS, after)
        return True

    def drop(self, cell: int) -> None:
        """Something has come or gone on a cell: nothing is held back there."""
        self._held.pop(cell, None)

    def expire(self, now_ms: int) -> tuple[tuple[int, int], ...]:
        """Cells whose piece is of another kind now, with its code."""
        changed = tuple((cell, code) for cell, (until_ms, code) in self._held.items() if until_ms <= now_ms)
        for cell, _ in changed:
            del self._held[cell]
        return changed

    def deadline_ms(self) -> int | None:
        """When expire has something to do."""
        return min((until_ms for until_ms, _ in self._held.values()), default=None)

    def clear(self) -> None:
        """Forgets everything."""
        self._held.clear()
