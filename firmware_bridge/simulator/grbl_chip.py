"""A controller with GRBL 1.1h as recorded from the real one, with a machine in a workshop behind it, and faults.

Written from transcripts of the firmware (order and kind of every line) and its documentation.
"""

from __future__ import annotations

import re
from collections import deque

from firmware_bridge.simulator.carpentry import Place, Workshop
from firmware_bridge.simulator.grbl_axes import Axes, ChipFaults
from firmware_bridge.simulator.grbl_lines import FIRST, Block, read_block

BANNER = "Grbl 1.1h ['$' for help]"
LOCKED = "[MSG:'$H'|'$X' to unlock]"
BOOT_MS = 30
"""From a reset to the banner."""
STEP_MS = 20
"""How finely motion is followed."""
PULL_OFF = 1.0
HOMING_MS = 1500


class GrblChip:
    """What a chip does with bytes, and with time."""

    def __init__(
        self,
        workshop: Workshop,
        travel: Place = (400.0, 400.0, 80.0),
        zero: Place = (0.0, 0.0, 0.0),
        faults: ChipFaults | None = None,
        boots_on_open: bool = True,
        step_ms: int = STEP_MS,
    ) -> None:
        self.workshop, self._axes = workshop, Axes(workshop, zero)
        self._step_ms = step_ms
        """How finely motion is followed where nobody asks; the end of a move is never missed."""
        self.faults = faults or ChipFaults()
        self._boots_on_open = boots_on_open
        self._settings: dict[int, float] = {
            0: 10,
            1: 255,
            10: 3,
            20: 1,
            21: 1,
            22: 1,
            24: 1000,
            25: 5000,
            27: 1,
            30: 1000,
            32: 0,
        }
        self._settings |= {110: 6000, 111: 6000, 112: 6000, 130: travel[0], 131: travel[1], 132: travel[2]}
        self._in = b""
        self._line: deque[str] = deque()
        self._out: list[str] = []
        self.moves = 0
        self._state = "off"
        self._substate = ""
        self._busy_until: int | None = None
        self._then = ""
        self._relative = False
        self._flood = False
        self._banner_ms: int | None = None
        self._was_locked = True
        self._now = 0
        self._is_homed = False
        self._deaf = False
        self._gone = False
        self._reports = 0
        self._pins = ""

    # --- the world

    @property
    def is_moving(self) -> bool:
        """Whether anything is in motion."""
        return self._state in ("Run", "Home", "Jog") or (self._state == "Hold" and self._substate == "1")

    def power(self, now_ms: int) -> None:
        """The supply comes back, or somebody opened the port."""
        self._gone = False
        self._start(now_ms, locked=True)

    def fresh(self, now_ms: int) -> bytes:
        """A chip that was never used finds nothing in its memory: it says so, and tells the settings it takes."""
        self._settings = {number: float(text) for number, text in FIRST.items()}
        self._out += ["error:7", *(f"${number}={text}" for number, text in FIRST.items())]
        self._start(now_ms, locked=False)
        self._was_locked = False
        self._advance(now_ms + BOOT_MS)
        self._out += [">:error:7", ">:error:7"]
        return self._flush()

    def pin(self, name: str, is_open: bool, now_ms: int) -> bytes:
        """A contact opens or closes: `limit`, `hold`, `reset`; while it is open, reports name it."""
        self._advance(now_ms)
        letter = {"limit": "X", "hold": "H", "reset": "R"}[name]
        self._pins = "".join(sorted({*self._pins} - {letter} | ({letter} if is_open else set())))
        if not is_open:
            return self._flush()
        if name == "limit" and self._state in ("Run", "Jog"):
            self._alarm(1)
        elif name == "hold":
            self._at_once(b"!", now_ms)
        elif name == "reset":
            self._reset(now_ms)
            self._was_locked = True
        return self._flush()

    def opened(self, now_ms: int) -> bytes:
        """Somebody opened the port: most boards start anew by that."""
        if self._boots_on_open or self._state == "off":
            self._gone = False
            self._start(now_ms, locked=True)
        return self._flush()

    def deadline_ms(self) -> int | None:
        """When time has to pass for something to happen."""
        times = [time for time in (self._banner_ms, self._busy_until) if time is not None]
        if self._axes.queue and self._state in ("Run", "Hold", "Jog"):
            times.append(self._now + max(1, min(self._step_ms, self._axes.left_ms())))
        return min(times, default=None)

    def tick(self, now_ms: int) -> bytes:
        """Time has passed."""
        self._advance(now_ms)
        return self._flush()

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Bytes from the host: some act at once, the others wait for the end of their line."""
        self._advance(now_ms)
        for number in data:
            byte = bytes((number,))
            if byte in b"?!~\x18\x84\x85":
                self._at_once(byte, now_ms)
            elif byte in b"\r\n":
                self._line.append(self._in.decode("ascii", "replace"))
                self._in = b""
            else:
                self._in += byte
        self._work(now_ms)
        return self._flush()

    def _flush(self) -> bytes:
        out, self._out = self._out, []
        return b"" if self._gone else b"".join(line.encode() + b"\r\n" for line in out)

    # --- realtime

    def _at_once(self, byte: bytes, now_ms: int) -> None:
        if byte == b"\x18":
            self._reset(now_ms)
        elif self._deaf or self._banner_ms is not None:
            return
        elif byte == b"?":
            self._report()
        elif byte == b"!" and self._state == "Run":
            self._state, self._substate = "Hold", "1"
            self._busy_until, self._then = now_ms + 40, "held"
        elif byte == b"~" and self._state == "Hold" and self._substate == "0":
            self._state, self._substate = "Run" if self._axes.queue else "Idle", ""
        elif byte == b"\x84":
            self._out.append("[MSG:Check Door]")
            self._state, self._substate = "Door", "0"
        elif byte == b"~" and self._state == "Door":
            self._substate = "3"
        elif byte == b"\x85" and self._state == "Jog":
            self._axes.queue.clear()
            self._state = "Idle"

    def _report(self) -> None:
        state = self._state + (f":{self._substate}" if self._substate else "")
        place = ",".join(f"{value:.3f}" for value in self._axes.position)
        blocks = 15 - len(self._axes.queue)
        more = "" if self._reports % 10 else "|WCO:0.000,0.000,0.000"
        if self._reports % 10 == 1:
            more = "|Ov:100,100,100" + ("|A:F" if self._flood else "")
        self._reports += 1
        pins = f"|Pn:{self._pins}" if self._pins else ""
        self._out.append(f"<{state}|MPos:{place}|Bf:{blocks},128|FS:0,0{pins}{more}>")

    def _reset(self, now_ms: int) -> None:
        was_moving, was_homing = self._state == "Run", self._state == "Home"
        if was_moving and self.faults.quiet_reset:
            self.faults.quiet_reset = was_moving = False
        if was_homing:
            self._out += ["ALARM:6", "ok"]
        elif was_moving:
            self._out.append("ALARM:3")
        if self._deaf and self._then == "refused":
            self._out.append("ok")
        locked = was_moving or was_homing or self._deaf or self._state == "Alarm"
        homed = self._is_homed and not locked
        self._start(now_ms, locked=locked)
        self._was_locked, self._is_homed = locked, homed

    def _start(self, now_ms: int, *, locked: bool) -> None:
        self._axes.queue.clear()
        self._line.clear()
        self._in = b""
        self._state, self._substate, self._busy_until, self._deaf = "booting", "", None, False
        self._then, self._relative, self._was_locked = "", False, locked or not self._is_homed
        self._banner_ms, self._reports = now_ms + BOOT_MS, 0
        self._set_flood(False)

    def _set_flood(self, on: bool) -> None:
        self._flood = on
        if on:
            self.workshop.close()
        else:
            self.workshop.open()

    # --- time

    def _advance(self, now_ms: int) -> None:
        if self._banner_ms is not None and now_ms >= self._banner_ms:
            self._banner_ms = None
            self._out.append(BANNER)
            if self._was_locked:
                self._out.append(LOCKED)
            self._state = "Alarm" if self._was_locked else "Idle"
        self._move(now_ms)
        if self._busy_until is not None and now_ms >= self._busy_until:
            self._busy_until = None
            self._finish(now_ms)
        self._now = now_ms
        self._work(now_ms)

    def _finish(self, now_ms: int) -> None:
        then, self._then = self._then, ""
        match then:
            case "held":
                self._substate = "0"
            case "homed":
                if self.faults.switch_never:
                    self._alarm(9)
                    return
                self._is_homed = True
                self._axes.jump((-PULL_OFF, -PULL_OFF, -PULL_OFF))
                self._state = "Idle"
                self._out.append("ok")
            case "dwelt":
                self._state = "Idle"
                self._out.append("ok")

    def _move(self, now_ms: int) -> None:
        if self._state in ("Run", "Jog") or self._substate == "1":
            self._axes.follow(now_ms - self._now)
        if not self._axes.queue and self._state in ("Run", "Jog"):
            self._state = "Idle"

    # --- lines

    def _work(self, now_ms: int) -> None:
        while self._line and not self._deaf and self._banner_ms is None:
            if self._state in ("Home",) or self._then == "dwelt":
                return
            line = self._line[0]
            if line.upper().startswith("G4") and self._axes.queue:
                return  # a dwell waits for the queue
            self._line.popleft()
            self._obey(re.sub(r"\(.*?\)|\s", "", line).upper(), now_ms)

    def _obey(self, line: str, now_ms: int) -> None:
        if len(line) > 80:
            self._out.append("error:11")
        elif not line:
            self._out.append("ok")
        elif line.startswith("$"):
            self._system(line, now_ms)
        elif self._state in ("Alarm", "Jog"):
            self._out.append("error:9")
        else:
            self._gcode(line, now_ms)

    def _system(self, line: str, now_ms: int) -> None:
        if line.startswith("$J="):
            self._jog(line[3:], now_ms)
        elif self._axes.queue and line != "$X":
            self._out.append("error:8")
        elif line == "$C":
            self._check(now_ms)
        elif line == "$$":
            self._out += [f"${key}={value}" for key, value in sorted(self._settings.items())] + ["ok"]
        elif line == "$X":
            if self._state == "Alarm":
                self._out.append("[MSG:Caution: Unlocked]")
                self._state = "Idle"
            self._out.append("ok")
        elif line == "$H" and not self._settings[22]:
            self._out.append("error:5")
        elif line == "$20=1" and not self._settings[22]:
            self._out.append("error:10")
        elif line == "$H":
            self._state, self._busy_until, self._then = "Home", now_ms + HOMING_MS, "homed"
        elif "=" in line:
            key, _, value = line[1:].partition("=")
            self._settings[int(key)] = float(value)
            self._out.append("ok")
        else:
            self._out.append("error:3")

    def _check(self, now_ms: int) -> None:
        """Check mode: lines are looked at and nothing moves; leaving it starts the chip anew."""
        if self._state != "Check":
            self._out += ["[MSG:Enabled]", "ok"]
            self._state = "Check"
            return
        self._out += ["[MSG:Disabled]", "ok"]
        was_homed = self._is_homed
        self._start(now_ms, locked=False)
        self._was_locked, self._is_homed = False, was_homed

    def _jog(self, line: str, now_ms: int) -> None:
        block = read_block(line)
        if isinstance(block, int):
            self._out.append(f"error:{block}")
            return
        values = block.values
        x, y, z = (place + values.get(axis, 0.0) for axis, place in zip("XYZ", self._axes.position, strict=True))
        if self._settings[20] and self._is_outside((x, y, z)):
            self._out.append("error:15")
            return
        self._axes.queue.append(((x, y, z), values["F"]))
        self._state = "Jog"
        self._out.append("ok")

    def _is_outside(self, place: Place) -> bool:
        travel = (self._settings[130], self._settings[131], self._settings[132])
        return any(not -length - 1e-6 <= at <= 1e-6 for at, length in zip(place, travel, strict=True))

    def _gcode(self, line: str, now_ms: int) -> None:
        block = read_block(line)
        if isinstance(block, int):
            self._out.append(f"error:{block}")
            return
        if "G91" in block.codes or "G90" in block.codes:
            self._relative = "G91" in block.codes
        if "M8" in block.codes or "M9" in block.codes:
            self._set_flood("M8" in block.codes)
        if "G4" in block.codes:
            self._busy_until, self._then = now_ms + max(1, round(block.values.get("P", 0) * 1000)), "dwelt"
            return
        if block.moves:
            self._start_move(block)
            return
        self._out.append("ok")

    def _start_move(self, block: Block) -> None:
        faults, values, codes = self.faults, block.values, block.codes
        self.moves += 1
        start = self._axes.end
        relative = self._relative and "G53" not in codes
        x, y, z = (
            (place + values.get(axis, 0.0)) if relative else values.get(axis, place)
            for axis, place in zip("XYZ", start, strict=True)
        )
        if faults.error_at_move == self.moves:
            faults.error_at_move = None
            self._out.append("error:20")
            return
        if self._settings[20] and self._is_outside((x, y, z)):
            self._alarm(2)
            self._then = "refused"
            return
        if self._state == "Check":
            self._out.append("ok")
            return
        if faults.lost_steps_at_move == self.moves:
            faults.lost_steps_at_move = None
            self._axes.slip(5.0)
        if faults.silent_at_move == self.moves:
            faults.silent_at_move = None
            self._gone = True
        self._axes.queue.append(((x, y, z), values.get("F", 6000.0) if "G0" not in codes else 6000.0))
        if self._state == "Idle":
            self._state = "Run"
        self._out.append("k" if faults.garbled_at_move == self.moves else "ok")
        if faults.reset_at_move == self.moves:
            faults.reset_at_move = None
            self._is_homed = False
            self._start(self._now, locked=True)
        if faults.alarm_at_move == self.moves:
            faults.alarm_at_move = None
            self._alarm(faults.alarm)

    def _alarm(self, number: int) -> None:
        self._out += [f"ALARM:{number}", *(("[MSG:Reset to continue]",) if number in (1, 2) else ())]
        self._axes.queue.clear()
        self._busy_until, self._deaf, self._state, self._is_homed = None, True, "Alarm", False
