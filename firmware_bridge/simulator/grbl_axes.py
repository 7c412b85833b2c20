"""The axes of a simulated GRBL machine: where they are by their own count and on the table, what waits, what fails."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from firmware_bridge.simulator.carpentry import Place, Workshop


@dataclass(slots=True)
class ChipFaults:
    """What goes wrong; each happens once and is over, but for `switch_never`."""

    alarm_at_move: int | None = None
    """At this move, counted from 1, a limit switch opens."""
    alarm: int = 1
    reset_at_move: int | None = None
    """At this move the supply breaks down: the chip starts anew."""
    silent_at_move: int | None = None
    """From this move on it says nothing, until it is switched off and on."""
    garbled_at_move: int | None = None
    """The `ok` of this move comes as `k`."""
    lost_steps_at_move: int | None = None
    """At this move the motors lose 5 mm in x, and the chip does not know."""
    error_at_move: int | None = None
    """This move is refused."""
    switch_never: bool = False
    """Homing never finds a switch."""
    quiet_reset: bool = False
    """The next reset in motion raises no alarm: the real chip was seen to do so, once in eight."""


@dataclass(slots=True)
class Axes:
    """What moves, and the straight lines that it still has to go."""

    workshop: Workshop
    zero: Place
    """Where on the table the machine's own 0 is; its space is negative from there."""
    off: Place = (0.0, 0.0, 0.0)
    """How far the table's truth is from what the chip believes."""
    position: Place = (0.0, 0.0, 0.0)
    queue: deque[tuple[Place, float]] = field(default_factory=deque)
    """Targets, and feeds in mm/min."""

    @property
    def end(self) -> Place:
        """Where it stands when all is done."""
        return self.queue[-1][0] if self.queue else self.position

    def jump(self, position: Place) -> None:
        """It has found its end stops: what it believes is so."""
        self.off = (0.0, 0.0, 0.0)
        self.go(position)

    def slip(self, x_mm: float) -> None:
        """The motors lose steps, and nobody knows."""
        self.off = (self.off[0] + x_mm, self.off[1], self.off[2])

    def follow(self, left_ms: float) -> None:
        """Go on for so long."""
        while self.queue and left_ms > 0:
            target, feed = self.queue[0]
            needed_ms = math.dist(self.position, target) / feed * 60_000
            if needed_ms <= left_ms:
                self.go(target)
                self.queue.popleft()
                left_ms -= needed_ms
            else:
                share = left_ms / needed_ms
                x, y, z = (a + share * (b - a) for a, b in zip(self.position, target, strict=True))
                self.go((x, y, z))
                left_ms = 0

    def left_ms(self) -> int:
        """How long the line under way still takes."""
        target, feed = self.queue[0]
        return math.ceil(math.dist(self.position, target) / feed * 60_000)

    def go(self, position: Place) -> None:
        """Be there."""
        self.position = position
        x, y, z = (a + b + c for a, b, c in zip(position, self.zero, self.off, strict=True))
        self.workshop.go((x, y, z))
