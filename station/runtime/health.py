"""What the `health` topic tells of a board: traffic, faults, restless squares, how long moves take to be recorded."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.notation import square_name
from engine.position import EMPTY
from firmware_bridge.driver import Counters
from station.announcements import Moved
from station.effects import Announce
from station.events import BoardSeen
from station.runtime.loop import Outcome
from station.state import Session
from station.status import sensors

PERIOD_S = 30.0
RESTLESS = 12
"""A square that comes and goes more often than this between two reports is weak: no hand is so quick."""
LATENCIES = 200
TEMPERATURE = Path("/sys/class/thermal/thermal_zone0/temp")
"""Of the processor, in thousandths of a degree Celsius."""


class Health:
    """Counts what happens at one board from report to report."""

    def __init__(self, counters: Callable[[], Counters]) -> None:
        self._counters = counters
        self._before = counters()
        self._before_s = 0.0
        self._session: Session | None = None
        self._changes: Counter[int] = Counter()
        self._latencies_ms: deque[int] = deque(maxlen=LATENCIES)

    def hear(self, outcome: Outcome) -> None:
        """Take note of what happened."""
        before, self._session = self._session, outcome.session
        if before is None:
            return
        if isinstance(outcome.event, BoardSeen):
            self._compare(before, outcome.session)
        for effect in outcome.effects:
            if isinstance(effect, Announce) and isinstance(effect.what, Moved):
                self._latencies_ms.append(max(0, outcome.event.at_ms - before.memory.since_ms))

    def _compare(self, before: Session, after: Session) -> None:
        then, now = before.memory.view, after.memory.view
        if then is not None and now is not None and len(then.seen) == len(now.seen):
            self._changes.update(
                square
                for square, (old, new) in enumerate(zip(then.seen, now.seen, strict=True))
                if old is not new and bool(then.possible(square) & EMPTY) != bool(now.possible(square) & EMPTY)
            )

    def report(self, now_s: float, at: str) -> dict[str, Any]:
        """The payload for the time since the last one. Null: not measured."""
        counters, before = self._counters(), self._before
        elapsed_s = max(now_s - self._before_s, 0.001)
        restless = {square for square, changes in self._changes.items() if changes > RESTLESS}
        weak = sorted({*restless, *(self._session.weak if self._session else ())})
        self._before, self._before_s = counters, now_s
        self._changes.clear()
        ordered = sorted(self._latencies_ms)
        return {
            "frames_per_s": round(max(0, counters.packets - before.packets) / elapsed_s, 1),
            "frames": counters.packets,
            "dropped_frames": counters.dropped,
            "dropped_by_reason": dict(counters.by_reason),
            "remark": counters.remark or None,
            "resent": counters.resent,
            "restarts": counters.restarts,
            "reopened": counters.reopened,
            "weak_squares": [square_name(square, self._session.game.ruleset) for square in weak if self._session],
            "dead_squares": sensors(self._session)["dead"] if self._session else [],
            "latency_ms": {f"p{share}": _quantile(ordered, share) for share in (50, 95, 99)},
            "temperature_c": temperature_c(),
            "at": at,
        }


def _quantile(ordered: list[int], share: int) -> int | None:
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)] if ordered else None


def temperature_c(file: Path = TEMPERATURE) -> float | None:
    """The processor's temperature, None where the system does not tell."""
    try:
        return int(file.read_text()) / 1000
    except (OSError, ValueError):
        return None
