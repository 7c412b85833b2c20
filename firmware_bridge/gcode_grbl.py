"""GRBL 1.1 and grblHAL: one line at a time, status reports, realtime bytes (gnea/grbl doc/markdown/interface.md).

`ok` means taken, not done: a dwell of no length is answered when the machine stands, and the status has to say so. An
`ok` after an ALARM answers nothing. Where the machine is is not known after any reset while it moved.
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

BAUD = 115200
RESET, HOLD, STATUS = b"\x18", b"!", b"?"
QUIET_MS = 200
"""So long nothing comes after a banner until the chip listens."""
BOOT_MS = 3_000
"""A chip that opening the port did not start anew is reset after so long."""
DEAF_MS = 2 * BOOT_MS
"""One that has not started for so long, though it was reset once more, is gone."""
POLL_MS = 200
"""How often it is asked for its status while something is awaited: at most ten times a second."""
SILENT_MS = 1_500
"""Without a status for so long it is gone."""
GARBLED_MS = 500
"""An answer that is missing while the machine stands was garbled."""

_BANNER = re.compile(r"^Grbl(HAL)? \S+", re.IGNORECASE)
_STATUS = re.compile(r"^<([A-Za-z]+)(?::(\d+))?\|.*>$")
_PLACE = re.compile(r"\|([MW])Pos:(-?[\d.]+),(-?[\d.]+),(-?[\d.]+)")
_OFFSET = re.compile(r"\|WCO:(-?[\d.]+),(-?[\d.]+),(-?[\d.]+)")
_PINS = re.compile(r"\|Pn:([A-Z]+)")
_SETTING = re.compile(r"^\$(\d+)=(-?[\d.]+)")

SYNC = "G4 P0.01"
SETTINGS = "$$"
MODES = "G21 G90 G94"


class Grbl(Dialogue):
    """The conversation with one controller.

    Its state is `absent`, `booting`, `quiet` (after a banner), `ready`, `stopping`, `held` or `alarm` (deaf until a
    reset).
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self._name = ""
        self._settings: dict[int, float] = {}
        self._sent_ms = self._asked_ms = 0
        self._offset = (0.0, 0.0, 0.0)
        self._closed = False
        self._pins = ""
        """The inputs that are active, by letter."""
        self.unknown = 0
        """Lines that nobody understood."""

    # --- what is asked for

    def start(self, now_ms: int) -> ArmOutput:
        """The port has been opened: most chips start anew by that."""
        self._lines.clear()
        return self._boot(now_ms, b"")

    def carry_out(self, order: Order, now_ms: int) -> ArmOutput:
        """Do this."""
        if self._state in ("booting", "quiet") and isinstance(order, FindHome):
            self._order, self._heard_ms = order, now_ms  # reset to stop it, it goes home once it listens again
            return NOTHING
        if self._state not in ("ready", "held", "alarm", "stopping"):
            return ArmOutput(told=(Failed("silent", f"the controller is {self._state}"),))
        self._order, self._heard_ms = order, now_ms
        match order:
            case FindHome():
                if self._state != "ready":
                    return self._boot(now_ms, RESET)
                return self._run(self._homing, now_ms)
            case _ if self._state != "ready":
                self._order = None
                return ArmOutput(told=(Failed("alarm", "it has to look for home first"),))
            case Go():
                return self._run((f"G53 {straight(order)}", SYNC), now_ms)
            case Grip(is_closed=is_closed):
                self._closed = is_closed
                switch = self._machine.grip_on if is_closed else self._machine.grip_off
                return self._run((switch, f"G4 P{self._machine.grip_s:.2f}"), now_ms)

    def halt(self, now_ms: int) -> ArmOutput:
        """Hold at once; when it stands, a reset forgets the rest. What is gripped stays gripped: it holds on."""
        was_homing = isinstance(self._order, FindHome)
        self._forget()
        if self._state in ("absent", "booting", "quiet"):
            return ArmOutput(HOLD + RESET)
        if self._state == "alarm":
            return ArmOutput(HOLD)
        if was_homing:  # homing does not hear a hold
            return ArmOutput(HOLD + self._boot(now_ms, RESET).send)
        self._state, self._asked_ms, self._heard_ms, self._sent_ms = "stopping", now_ms, now_ms, now_ms
        return ArmOutput(HOLD + STATUS)

    def examine(self, now_ms: int) -> ArmOutput:
        """Ask for the status, which names the inputs that are active."""
        self._asked_ms = now_ms
        return ArmOutput(STATUS)

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """The stop, where it is wired to reset, door or hold, and end stops that are pressed."""
        stop, limit = ("".join(pin for pin in self._pins if pin in pins) for pins in ("RDH", "XYZ"))
        return tuple(Trouble(kind, pins) for kind, pins in (("stop", stop), ("limit", limit)) if pins)

    # --- time

    def deadline_ms(self) -> int | None:
        """When `tick` wants to be called."""
        match self._state:
            case "booting":
                return self._sent_ms + BOOT_MS
            case "quiet":
                return self._heard_ms + QUIET_MS
            case "stopping":
                return self._asked_ms + POLL_MS
            case "ready" if self._order is not None or self._awaited:
                return self._asked_ms + POLL_MS
            case _:
                return None

    def tick(self, now_ms: int) -> ArmOutput:
        """Ask for the status, or give up."""
        deadline = self.deadline_ms()
        if deadline is None or now_ms < deadline:
            return NOTHING
        match self._state:
            case "booting" if self._order is not None and now_ms >= self._heard_ms + DEAF_MS:
                return self._fail(Failed("silent", f"for {DEAF_MS / 1000:g} s"), "alarm")
            case "booting":
                return self._boot(now_ms, RESET)
            case "quiet":
                return self._greet(now_ms)
            case _ if now_ms >= self._heard_ms + SILENT_MS and not isinstance(self._order, FindHome):
                return self._fail(Failed("silent", f"for {SILENT_MS / 1000:g} s"), "alarm")
            case _:
                self._asked_ms = now_ms
                return ArmOutput(STATUS)

    # --- what is heard

    def _hear(self, line: str, now_ms: int) -> ArmOutput:
        if _BANNER.match(line):
            return self._banner(line, now_ms)
        if self._state in ("absent", "booting"):
            return NOTHING
        if self._state == "quiet":
            self._heard_ms = now_ms
            return NOTHING
        if line.startswith("ALARM:"):
            return self._fail(Failed("alarm", line), "alarm")
        if self._state == "alarm":
            return NOTHING
        if line == "ok":
            return self._answered(now_ms)
        if line.startswith("error:") and line[6:].isdecimal():
            return self._refused(line)
        setting = _SETTING.match(line)
        if setting is not None:
            self._settings[int(setting[1])] = float(setting[2])
            return NOTHING
        status = _STATUS.match(line)
        if status is not None:
            return self._status(status[1], status[2] or "", line, now_ms)
        if not line.startswith(("[", ">", "$")):
            self.unknown += 1
        return NOTHING

    def _banner(self, line: str, now_ms: int) -> ArmOutput:
        """The chip has started: on our request, or by itself."""
        was_asked = self._state in ("absent", "booting", "alarm", "quiet")
        self._name, self._state, self._heard_ms = line.split(" [", maxsplit=1)[0], "quiet", now_ms
        if was_asked:
            return NOTHING
        self._forget()
        return ArmOutput(told=(Failed("reset", ""),))

    def _boot(self, now_ms: int, send: bytes) -> ArmOutput:
        self._state, self._sent_ms, self._awaited = "booting", now_ms, ""
        self._script.clear()
        return ArmOutput(send)

    def _greet(self, now_ms: int) -> ArmOutput:
        """The chip listens: go on with what it was reset for, or ask how it is set up."""
        self._state, self._asked_ms, self._heard_ms = "ready", now_ms, now_ms
        if isinstance(self._order, FindHome):
            return self._run(self._homing, now_ms)
        return self._run((SETTINGS,), now_ms)

    @property
    def _homing(self) -> tuple[str, ...]:
        self._closed = False
        return ("$H", MODES, self._machine.grip_off)

    def _run(self, lines: tuple[str, ...], now_ms: int) -> ArmOutput:
        self._script = deque(lines)
        self._asked_ms = now_ms
        return self._send(now_ms)

    def _send(self, now_ms: int) -> ArmOutput:
        self._awaited, self._sent_ms = self._script.popleft(), now_ms
        return ArmOutput(self._awaited.encode() + b"\n")

    def _answered(self, now_ms: int) -> ArmOutput:
        if not self._awaited:
            return NOTHING
        answered, self._awaited = self._awaited, ""
        self._heard_ms = now_ms
        if self._script:
            return self._send(now_ms)
        if answered == SETTINGS:
            return ArmOutput(told=(Found(self._name, self._warnings()),))
        if isinstance(self._order, Go | FindHome):
            self._asked_ms = now_ms
            return ArmOutput(STATUS)
        return self._done()

    def _refused(self, line: str) -> ArmOutput:
        """The line had no effect."""
        if self._awaited == SETTINGS or not self._awaited:
            return NOTHING
        return self._fail(Failed("error", f"{line} to {self._awaited}", is_lost=False), "ready")

    def _status(self, state: str, substate: str, line: str, now_ms: int) -> ArmOutput:
        self._heard_ms = now_ms
        pins = _PINS.search(line)
        self._pins = pins[1] if pins is not None else ""
        offset = _OFFSET.search(line)
        if offset is not None:
            self._offset = (float(offset[1]), float(offset[2]), float(offset[3]))
        if self._state == "stopping":
            return self._standing(state, substate, now_ms)
        if state == "Alarm" and self._order is not None and not isinstance(self._order, FindHome):
            return self._fail(Failed("alarm", "it is locked"), "held")
        if state != "Idle" or self._order is None:
            return NOTHING
        if self._awaited and now_ms < self._sent_ms + GARBLED_MS:
            return NOTHING
        return self._stands(line)

    def _standing(self, state: str, substate: str, now_ms: int) -> ArmOutput:
        """The machine is being held; once it stands, an empty tool's controller is reset."""
        if state == "Hold" and substate != "0":
            return NOTHING
        if state == "Run":
            self._asked_ms = now_ms
            return ArmOutput(HOLD + STATUS)
        if self._closed:
            self._state = "held"
            return NOTHING
        return self._boot(now_ms, RESET)

    def _stands(self, line: str) -> ArmOutput:
        """It stands: where it was sent, or elsewhere."""
        order, place = self._order, _PLACE.search(line)
        if isinstance(order, FindHome):
            return NOTHING if self._awaited else self._done()
        if isinstance(order, Grip):
            return self._fail(Failed("error", f"no answer to {self._awaited}", is_lost=False), "ready")
        if place is None or not isinstance(order, Go):
            return NOTHING
        shift = (0.0, 0.0, 0.0) if place[1] == "M" else self._offset
        found = tuple(float(place[axis + 2]) + shift[axis] for axis in range(3))
        failed = missed(order, found, self._machine.tolerance_mm)
        return self._done() if failed is None else self._fail(failed, "ready")

    def _done(self) -> ArmOutput:
        self._forget()
        return ArmOutput(told=(Done(),))

    def _fail(self, failed: Failed, state: str) -> ArmOutput:
        self._forget()
        self._state = state
        return ArmOutput(told=(failed,))

    def _warnings(self) -> tuple[str, ...]:
        """What of the controller's settings is no good for an arm."""
        found = []
        if self._settings.get(22) == 0:
            found.append("$22 = 0: expected 1: it cannot look for home")
        if self._settings.get(20) == 0:
            found.append("$20 = 0: expected 1: its own limits are off")
        if self._settings.get(1) not in (255, None):
            found.append(f"$1 = {self._settings[1]:g}: expected 255: its motors go limp when it stands")
        return tuple(found)
