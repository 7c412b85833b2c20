"""Marlin: numbered lines with a checksum, `ok` for every line taken, M400 for a machine that stands.

Sources: MarlinFirmware/MarlinDocumentation (M110, M112, M114, M400, M410), MarlinFirmware/Marlin (queue.cpp).
An `ok` is no acceptance (an unknown word gets one too), and its soft end stops clip without a word: where it stands is
compared with where it was sent.
"""

from __future__ import annotations

import re
from collections import deque

from firmware_bridge.arm_driver import (
    NOTHING,
    ArmOutput,
    Done,
    Failed,
    FindHome,
    Found,
    Go,
    Grip,
    Machine,
    Order,
    Trouble,
)
from firmware_bridge.gcode_lines import Dialogue, missed, straight

QUIET_MS = 1_000
"""So long nothing comes after a start until the board listens: it has no prompt."""
BOOT_MS = 4_000
"""A board that opening the port did not start anew is spoken to after so long."""
SILENT_MS = 6_000
"""It says every two seconds that it is busy; without a word for three times that it is gone."""
MOST_RESENDS = 5
RESEND_MS = 100
"""So long after it asks for a line again an `ok` may come that answers nothing: some versions send one, some do not."""

_RESEND = re.compile(r"^(?:Resend|rs):?\s*(\d+)")
_PLACE = re.compile(r"^X:(-?[\d.]+) Y:(-?[\d.]+) Z:(-?[\d.]+)")

WHERE = "M114"
CAPABILITIES = "M115"


class Marlin(Dialogue):
    """The conversation with one board.

    Its state is `absent`, `booting`, `ready`, `halted` (told to stop at once: it does not know where it is) or
    `killed`.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self._name = "Marlin"
        self._has_emergency_parser = False
        self._number = 0
        self._last = b""
        self._resends = 0
        self._resend_ms: int | None = None
        """When the line is to be sent again."""
        self._place: tuple[float, ...] | None = None

    def start(self, now_ms: int) -> ArmOutput:
        """The port has been opened: most boards start anew by that."""
        self._lines.clear()
        self._forget()
        self._state, self._heard_ms = "absent", now_ms
        # Ends a line that somebody else began; an empty one has no answer.
        return ArmOutput(b"\n")

    def carry_out(self, order: Order, now_ms: int) -> ArmOutput:
        """Do this."""
        if self._state == "booting" and isinstance(order, FindHome):
            self._order = order  # it has started anew by itself, and goes home once it listens
            return NOTHING
        if self._state not in ("ready", "halted") or (self._state == "halted" and not isinstance(order, FindHome)):
            kind = "killed" if self._state == "killed" else "silent" if self._state != "halted" else "alarm"
            return ArmOutput(told=(Failed(kind, f"the controller is {self._state}"),))
        self._order, self._place, self._state = order, None, "ready"
        match order:
            case FindHome():
                return self._run(self._homing, now_ms)
            case Go():
                return self._run((straight(order), "M400", WHERE), now_ms)
            case Grip(is_closed=is_closed):
                switch = self._machine.grip_on if is_closed else self._machine.grip_off
                return self._run((switch, f"G4 P{self._machine.grip_s * 1000:.0f}", "M400"), now_ms)

    @property
    def _homing(self) -> tuple[str, ...]:
        """The end stops first upwards, then sideways; idle motors would let the tool sink."""
        return (self._machine.grip_off, "M84 S0", "G21", "G90", "G28 Z", "G28 X Y", "M400")

    def halt(self, now_ms: int) -> ArmOutput:
        """Stop without a ramp; where it is then is not known."""
        self._forget()
        self._resend_ms = None
        if self._state == "ready":
            self._state = "halted"
        # Without a number: it is read before the lines that wait, where the board has an emergency parser.
        return ArmOutput(b"M410\n")

    def examine(self, now_ms: int) -> ArmOutput:
        """It has no word for a stop that is pressed."""
        return NOTHING

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """None that it could tell of."""
        return ()

    def deadline_ms(self) -> int | None:
        """When `tick` wants to be called."""
        match self._state:
            case "absent":
                return self._heard_ms + BOOT_MS
            case "booting":
                return self._heard_ms + QUIET_MS
            case "ready" if self._resend_ms is not None:
                return self._resend_ms
            case "ready" if self._awaited:
                return self._heard_ms + SILENT_MS
            case _:
                return None

    def tick(self, now_ms: int) -> ArmOutput:
        """Greet a board that has started, or give up."""
        deadline = self.deadline_ms()
        if deadline is None or now_ms < deadline:
            return NOTHING
        if self._state in ("absent", "booting"):
            if self._state == "absent":
                self._heard_ms = now_ms
            # The line that sets the number is number 0 itself.
            self._state, self._number = "ready", -1
            return self._run(("M110 N0", CAPABILITIES), now_ms)
        if self._resend_ms is not None:
            self._resend_ms = None
            return ArmOutput(self._last)
        return self._fail(Failed("silent", f"for {SILENT_MS / 1000:g} s"))

    def _hear(self, line: str, now_ms: int) -> ArmOutput:
        self._heard_ms = now_ms
        if line == "start":
            return self._started()
        if self._state in ("absent", "booting"):
            return NOTHING
        if "kill() called" in line or "Printer halted" in line:
            failed = self._fail(Failed("killed", line))
            self._state = "killed"
            return failed
        resend = _RESEND.match(line)
        if resend is not None:
            return self._again(int(resend[1]))
        place = _PLACE.match(line)
        if place is not None:
            self._place = tuple(float(place[axis]) for axis in (1, 2, 3))
        elif line.startswith("Cap:EMERGENCY_PARSER:"):
            self._has_emergency_parser = line.endswith("1")
        elif line.startswith("FIRMWARE_NAME:"):
            self._name = line.removeprefix("FIRMWARE_NAME:").split(" (")[0]
        elif "Unknown command" in line and self._awaited:
            return self._fail(Failed("error", line, is_lost=False))
        elif line == "ok" or line.startswith("ok "):
            return self._answered()
        return NOTHING

    def _started(self) -> ArmOutput:
        """The board has started: on opening the port, or by itself."""
        was_awaited = self._state in ("absent", "booting")
        self._state, self._awaited = "booting", ""
        self._script.clear()
        if not was_awaited:
            self._order = None
        return NOTHING if was_awaited else ArmOutput(told=(Failed("reset", ""),))

    def _again(self, wanted: int) -> ArmOutput:
        """A line did not arrive whole; the `ok` that some versions send with this is no answer to it."""
        if not self._awaited:
            return NOTHING
        self._resends += 1
        if self._resends > MOST_RESENDS or wanted != self._number:
            return self._fail(Failed("error", f"line {self._number}: it asks for {wanted} again and again"))
        self._resend_ms = self._heard_ms + RESEND_MS
        return NOTHING

    def _run(self, lines: tuple[str, ...], now_ms: int) -> ArmOutput:
        self._script, self._heard_ms = deque(lines), now_ms
        return self._send()

    def _send(self) -> ArmOutput:
        self._awaited = self._script.popleft()
        self._number += 1
        self._resends = 0
        self._last = _numbered(self._number, self._awaited)
        return ArmOutput(self._last)

    def _answered(self) -> ArmOutput:
        if not self._awaited or self._resend_ms is not None:
            return NOTHING
        answered, self._awaited = self._awaited, ""
        if self._script:
            return self._send()
        if answered == CAPABILITIES and isinstance(self._order, FindHome):
            return self._run(self._homing, self._heard_ms)
        if answered == CAPABILITIES:
            warning = "no EMERGENCY_PARSER: a stop waits behind what it has taken already"
            return ArmOutput(told=(Found(self._name, () if self._has_emergency_parser else (warning,)),))
        order = self._order
        if isinstance(order, Go):
            failed = missed(order, self._place, self._machine.tolerance_mm)
            if failed is not None:
                return self._fail(failed)
        self._order = None
        return ArmOutput(told=(Done(),)) if order is not None else NOTHING

    def _fail(self, failed: Failed) -> ArmOutput:
        self._forget()
        self._resend_ms = None
        return ArmOutput(told=(failed,))


def _numbered(line_number: int, text: str) -> bytes:
    body = f"N{line_number} {text}".encode()
    checksum = 0
    for byte in body:
        checksum ^= byte
    return body + b"*%d\n" % checksum
