"""A talk with one arm, outside a running station: for `dambord doctor` and `dambord calibrate arm`."""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.arm_driver import Failed, Found, Trouble
from firmware_bridge.manipulations import Act
from firmware_bridge.motion import ArmDriver, JobDone, JobFailed, Motion, MotionOutput
from firmware_bridge.serial_port import SerialPort, path_of
from firmware_bridge.workspace import Point, Workspace
from station.arm_config import ArmSetup
from station.runtime.clock import Clock

ANSWER_MS = 8_000
"""An arm that has not answered after this time will not: the slowest controllers take four seconds to start."""
EXAMINE_MS = 500
READ_MS = 20


def open_arm(setup: ArmSetup, driver: ArmDriver) -> SerialPort:
    """The port of an arm; PortLost when it is not there or cannot be opened."""
    return SerialPort(setup.port or path_of(setup.usb_serial), driver.baud)


class ArmTalk:
    """A driver at its open port, through the gate that every order passes."""

    def __init__(self, driver: ArmDriver, workspace: Workspace, port: SerialPort, home_s: float) -> None:
        self.motion = Motion(driver, workspace, home_s)
        self._port, self.clock = port, Clock()
        self._job = 0
        self._ended: dict[int, Failed | None] = {}
        self.found: Found | None = None
        self.failed: Failed | None = None
        """What the machine did by itself last."""

    def begin(self) -> bool:
        """Ask who is there; whether an arm answered."""
        self._take(self.motion.start(self.clock.now_ms()))
        self.run(ANSWER_MS, lambda: self.found is not None or self.failed is not None)
        return self.found is not None

    def run(self, for_ms: int, until: Callable[[], bool] = lambda: False) -> bool:
        """Let arm and driver talk for so long, or until something is so; whether it is."""
        end_ms = self.clock.now_ms() + for_ms
        while not (is_so := until()) and (left_ms := end_ms - self.clock.now_ms()) > 0:
            due = self.motion.deadline_ms()
            wait_ms = READ_MS if due is None else max(0, min(READ_MS, due - self.clock.now_ms()))
            data = self._port.read(min(wait_ms, left_ms))
            now_ms = self.clock.now_ms()
            if data:
                self._take(self.motion.receive(data, now_ms))
            due = self.motion.deadline_ms()
            if due is not None and due <= now_ms:
                self._take(self.motion.tick(now_ms))
        return is_so

    def troubles(self) -> tuple[Trouble, ...]:
        """What the machine says is wrong with it, asked now."""
        self._take(self.motion.examine(self.clock.now_ms()))
        self.run(EXAMINE_MS)
        return self.motion.troubles

    def carry_out(self, *acts: Act) -> Failed | None:
        """Do these acts, one after another; why one was not done, None when all were."""
        for number in range(len(acts)):
            self._job += 1
            failed = self._ended_with(self.motion.begin(self._job, acts[number:], 0, self.clock.now_ms()))
            if failed is not None:
                return failed
        return None

    def go(self, to: Point) -> Failed | None:
        """Go to a point of the machine; why it is not there, None when it is."""
        self._job += 1
        return self._ended_with(self.motion.jog(self._job, to, self.clock.now_ms()))

    def close(self) -> None:
        """Have it stand still."""
        if self.motion.is_moving:
            self._take(self.motion.halt(self.clock.now_ms()))

    def _ended_with(self, output: MotionOutput) -> Failed | None:
        """How the latest job ends: every order of it has a deadline of its own."""
        self._take(output)
        while self._job not in self._ended:
            self.run(1_000, lambda: self._job in self._ended)
        return self._ended.pop(self._job)

    def _take(self, output: MotionOutput) -> None:
        for said in output.told:
            match said:
                case Found():
                    self.found = said
                case JobDone(job=job):
                    self._ended[job] = None
                case JobFailed(job=0, failed=failed):
                    self.failed = failed
                case JobFailed(job=job, failed=failed):
                    self._ended[job] = failed
        if output.send:
            self._port.write(output.send)
