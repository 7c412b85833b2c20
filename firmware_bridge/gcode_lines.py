"""What both dialects of G-code have in common: lines out of bytes, one sent at a time, numbers as G-code has them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence

from firmware_bridge.arm_driver import ArmOutput, Failed, Go, Machine, Order, Told

LONGEST = 512
"""Bytes without an end of line that are noise."""


class Lines:
    """Cuts what comes in into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that are complete now, without their ends and without empty ones."""
        *complete, self._rest = (self._rest + data).replace(b"\r", b"\n").split(b"\n")
        if len(self._rest) > LONGEST:
            self._rest = b""
        return [line.decode("ascii", "replace").strip() for line in complete if line.strip()]

    def clear(self) -> None:
        """Forget a line that has begun."""
        self._rest = b""


class Dialogue(ABC):
    """The conversation with one controller: an order is a script of lines, each sent when the last one is answered."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._lines = Lines()
        self._state = "absent"
        self._script: deque[str] = deque()
        self._awaited = ""
        """The line whose answer is to come; empty for none."""
        self._order: Order | None = None
        self._heard_ms = 0

    def receive(self, data: bytes, now_ms: int) -> ArmOutput:
        """Take in what came."""
        send, told = b"", list[Told]()
        for line in self._lines.feed(data):
            output = self._hear(line, now_ms)
            send, told = send + output.send, [*told, *output.told]
        return ArmOutput(send, tuple(told))

    @abstractmethod
    def _hear(self, line: str, now_ms: int) -> ArmOutput:
        """A line has come in."""

    def _forget(self) -> None:
        """Nothing more is to be sent, and no answer is awaited."""
        self._script.clear()
        self._order, self._awaited = None, ""


def straight(order: Go) -> str:
    """The words of a straight line to a point, as both dialects have them."""
    return f"G1 X{number(order.x_mm)} Y{number(order.y_mm)} Z{number(order.z_mm)} F{order.feed:.0f}"


def missed(order: Go, found: Sequence[float] | None, tolerance_mm: float) -> Failed | None:
    """That a machine stands elsewhere than it was sent, or does not say where; None when it is there."""
    wanted = (order.x_mm, order.y_mm, order.z_mm)
    if found is not None and all(abs(a - b) <= tolerance_mm for a, b in zip(found, wanted, strict=True)):
        return None
    where = "nothing" if found is None else ", ".join(map(number, found)) + " mm"
    return Failed("missed", f"found {where}, expected {', '.join(map(number, wanted))} mm")


def number(value: float) -> str:
    """A length to a hundredth of a millimetre; never `-0.00`."""
    return f"{round(value, 2) + 0.0:.2f}"
