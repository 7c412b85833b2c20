"""A 3D printer's board with Marlin as recorded from the real one, with a machine in a workshop behind it.

Written from transcripts of Marlin 1.1.9.1. Differs on purpose: time runs as fast as the machine.
"""

from __future__ import annotations

import math
import re
from collections import deque

from firmware_bridge.simulator.carpentry import Place, Workshop

START = (
    "start",
    "echo:PowerUp",
    "Marlin 1.1.9.1",
    "echo: Last Updated: 2020-11-01 | Author: (none)",
    "echo:Hardcoded Default Settings Loaded",
)
CAPABILITIES = ("Cap:EEPROM:0", "Cap:AUTOREPORT_TEMP:1", "Cap:EMERGENCY_PARSER:1", "Cap:THERMAL_PROTECTION:0")
BUSY_MS = 2_000
STEP_MS = 20
HOMING_MS = 1_500
KNOWN = {"G0", "G1", "G4", "G21", "G28", "G90", "G91", "G92"}
KNOWN |= {"M17", "M18", "M42", "M84", "M106", "M107", "M110", "M114", "M115", "M211", "M280", "M400"}
_WORD = re.compile(r"([A-Z])(-?[\d.]*)")


class MarlinBoard:
    """What a board does with lines, and with time."""

    def __init__(self, workshop: Workshop, lowest: Place = (-5, 0, 0), highest: Place = (215.0, 215.0, 205.0)) -> None:
        self.workshop, self._lowest, self._highest = workshop, lowest, highest
        self._in = b""
        self._lines: deque[str] = deque()
        self._out: list[str] = []
        self._queue: deque[tuple[Place, float]] = deque()
        self._position: Place = (0.0, 0.0, 0.0)
        """Where the motors are."""
        self._shift: Place = (0.0, 0.0, 0.0)
        """What G92 added to it."""
        self._end: Place = (0.0, 0.0, 0.0)
        """Where the queue ends."""
        self._relative = False
        self._number = 0
        self._waits = ""
        """What the line under way waits for: `queue`, `dwell`, `home`."""
        self._until_ms = 0
        self._busy_ms = 0
        self._is_dead = False
        self._now = 0
        self.moves = 0
        self.spoilt: set[int] = set()
        """Lines, by number, that come with a wrong byte, once."""
        self.ok_with_resend = True
        """As 1.1 does, and 2.0 does not."""
        self.clips = True

    @property
    def is_moving(self) -> bool:
        """Whether anything is in motion."""
        return bool(self._queue) or self._waits == "home"

    def opened(self, now_ms: int) -> bytes:
        """The port is opened, or the power comes: it starts anew."""
        self._queue.clear()
        self._lines.clear()
        self._in, self._waits, self._is_dead, self._number, self._now = b"", "", False, 0, now_ms
        self._out += START
        return self._flush()

    def deadline_ms(self) -> int | None:
        """When time has to pass for something to happen."""
        if self._queue:
            return self._now + STEP_MS
        return min(self._until_ms, self._busy_ms) if self._waits in ("dwell", "home") else None

    def tick(self, now_ms: int) -> bytes:
        """Time has passed."""
        self._move(now_ms)
        is_over = self._waits in ("dwell", "home") and now_ms >= self._until_ms
        if self._waits and now_ms >= self._busy_ms and not is_over:
            self._out.append("echo:busy: processing")
            self._busy_ms = now_ms + BUSY_MS
        self._now = now_ms
        self._work(now_ms)
        return self._flush()

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Bytes from the host. M112 and M410 are seen before the lines that wait."""
        self._move(now_ms)
        self._now = now_ms
        for byte in data:
            if byte not in b"\r\n":
                self._in += bytes((byte,))
                continue
            line, self._in = self._in.decode("ascii", "replace").strip(), b""
            if line == "M112":
                self._out.append("Error:Printer halted. kill() called!")
                self._is_dead = True
            elif line == "M410":
                self._queue.clear()
                self._end, self._waits = self._position, ""
                self._lines.clear()
                self._out.append("ok")
            elif line:
                self._lines.append(line)
        self._work(now_ms)
        return self._flush()

    def _flush(self) -> bytes:
        out, self._out = self._out, []
        return b"".join(line.encode() + b"\n" for line in out)

    def _work(self, now_ms: int) -> None:
        while not self._is_dead:
            is_late = self._waits in ("dwell", "home") and now_ms >= self._until_ms
            if is_late or (self._waits == "queue" and not self._queue):
                self._finish()
            elif self._waits or not self._lines:
                return
            else:
                self._take(self._lines.popleft(), now_ms)

    def _finish(self) -> None:
        if self._waits == "home":
            self._position = self._end = (0.0, 0.0, 0.0)
            self._shift = (0.0, 0.0, 0.0)
            self.workshop.go(self._position)
        self._waits = ""
        self._out.append("ok")

    def _take(self, line: str, now_ms: int) -> None:
        body, star, checksum = line.partition("*")
        if line.startswith("N"):
            number = int(re.match(r"N(\d+)", line)[1])  # type: ignore[index]
            if number in self.spoilt:
                self.spoilt.discard(number)
                body += "?"
            fault = self._fault(number, body, star, checksum)
            if fault is not None:
                self._out += [f"Error:{fault}, Last Line: {self._number}", f"Resend: {self._number + 1}"]
                self._out += ["ok"] if self.ok_with_resend else []
                return
            self._number = number
            body = re.sub(r"^N\d+ ?", "", body)
        self._obey(body, now_ms)

    def _fault(self, number: int, body: str, star: str, checksum: str) -> str | None:
        if not star:
            return "No Checksum with line number"
        found = 0
        for letter in body.encode():
            found ^= letter
        if found != int(checksum):
            return "checksum mismatch"
        if number != self._number + 1 and "M110" not in body:
            return "Line Number is not Last Line Number+1"
        return None

    def _obey(self, line: str, now_ms: int) -> None:
        words = _WORD.findall(line)
        code = "".join(words[0]) if words else ""
        values = {letter: float(value or 0) for letter, value in words[1:]}
        self._busy_ms = now_ms + BUSY_MS
        if code not in KNOWN:
            self._out += [f'echo:Unknown command: "{line}"', "ok"]
            return
        match code:
            case "G0" | "G1":
                self._start(values)
            case "G4":
                self._wait("dwell", now_ms + round(values.get("P", 0) + 1000 * values.get("S", 0)))
                return
            case "G28":
                self._wait("home", now_ms + HOMING_MS)
                return
            case "M400":
                self._waits = "queue"
                return
            case "G90" | "G91":
                self._relative = code == "G91"
            case "G92":
                x, y, z = (values.get(axis, at + off) - at for axis, at, off in self._axes())
                self._shift = (x, y, z)
                self._out.append(self._where())
            case "M106" | "M107":
                (self.workshop.close if code == "M106" else self.workshop.open)()
            case "M114":
                self._out.append(self._where())
            case "M115":
                self._out += ["FIRMWARE_NAME:Marlin 1.1.9.1 (Github) PROTOCOL_VERSION:1.0", *CAPABILITIES]
            case "M211":
                low, high = ("{:.2f} Y{:.2f} Z{:.2f}".format(*place) for place in (self._lowest, self._highest))
                self._out.append(f"echo:Soft endstops: On   Min: X{low}  Max: X{high}")
        self._out.append("ok")

    def _wait(self, what: str, until_ms: int) -> None:
        self._waits, self._until_ms = what, until_ms

    def _axes(self) -> zip[tuple[str, float, float]]:
        return zip("XYZ", self._end, self._shift, strict=True)

    def _where(self) -> str:
        x, y, z = (at + off for _, at, off in self._axes())
        steps = " ".join(f"{axis}:{round(at * 80)}" for axis, at, _ in self._axes())
        return f"X:{x:.2f} Y:{y:.2f} Z:{z:.2f} E:0.00 Count {steps}"

    def _start(self, values: dict[str, float]) -> None:
        """Queue a move; what leaves the soft end stops is clipped, and nobody is told."""
        self.moves += 1
        wanted = [
            at + values.get(axis, 0.0) if self._relative else values.get(axis, at + off) - off
            for axis, at, off in self._axes()
        ]
        clipped = zip(wanted, self._lowest, self._highest, strict=True)
        x, y, z = (min(max(place, low), high) for place, low, high in clipped) if self.clips else wanted
        self._end = (x, y, z)
        self._queue.append((self._end, values.get("F", 1200.0)))

    def _move(self, now_ms: int) -> None:
        left_ms = float(now_ms - self._now)
        while self._queue and left_ms > 0:
            target, feed = self._queue[0]
            needed_ms = math.dist(self._position, target) / feed * 60_000
            share = min(1.0, left_ms / needed_ms) if needed_ms else 1.0
            x, y, z = (a + share * (b - a) for a, b in zip(self._position, target, strict=True))
            self._position = (x, y, z)
            self.workshop.go(self._position)
            left_ms = left_ms - needed_ms if share >= 1.0 else 0.0
            if share >= 1.0:
                self._queue.popleft()
