"""Contacts that bounce: a level counts when it has been steady for long enough."""

from __future__ import annotations

STEADY_MS = 30
"""Reeds bounce for 20 ms and more; below 50 ms nobody notices (PROTOCOL.md, 4)."""


class Steady:
    """The levels of many contacts, one bit each; the first levels ever told count at once."""

    def __init__(self) -> None:
        self.level = 0
        """What counts."""
        self.is_known = False
        """Whether any level was told yet."""
        self.is_settled = False
        """Whether any level has counted yet."""
        self._raw = 0
        self._since: dict[int, int] = {}
        """For each bit whose raw level is not what counts: since when."""

    def take(self, raw: int, now_ms: int) -> None:
        """Takes the levels as they are at this moment."""
        since_ms = now_ms if self.is_known else now_ms - STEADY_MS
        self.is_known = True
        for bit in _bits(raw ^ self._raw):
            if (raw ^ self.level) >> bit & 1:
                self._since[bit] = since_ms
            else:
                del self._since[bit]
        self._raw = raw

    def settle(self, now_ms: int) -> int:
        """The bits that have changed, now that it is so late."""
        self.is_settled = self.is_known
        steady = [bit for bit, since_ms in self._since.items() if now_ms >= since_ms + STEADY_MS]
        for bit in steady:
            del self._since[bit]
        changed = sum(1 << bit for bit in steady)
        self.level ^= changed
        return changed

    def deadline_ms(self) -> int | None:
        """When the next bit may count."""
        return min(self._since.values()) + STEADY_MS if self._since else None


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
