"""How often something may happen, as a value."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Rate:
    """A token bucket: `per_s` in the long run, `burst` at once. Times are seconds of any one clock."""

    per_s: float
    burst: float
    spent: float = 0.0
    at_s: float = 0.0

    def once(self, now_s: float, cost: float = 1.0) -> Rate | None:
        """The rate after it has happened once more; None when that is too often."""
        left = max(0.0, self.spent - max(0.0, now_s - self.at_s) * self.per_s)
        return replace(self, spent=left + cost, at_s=now_s) if left + cost <= self.burst else None

    def is_idle(self, now_s: float) -> bool:
        """Whether it is as if it had never happened."""
        return self.spent <= (now_s - self.at_s) * self.per_s
