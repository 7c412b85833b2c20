"""A worker for each arm: owns its port, turns jobs into bytes; a halt overtakes everything that waits."""

from __future__ import annotations

import importlib
import os
import pkgutil
import selectors
import sys
import threading
import traceback
from collections import deque
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Protocol

from firmware_bridge import arms
from firmware_bridge.arm_driver import Failed, Found
from firmware_bridge.errors import PortLost
from firmware_bridge.motion import ArmDriver, JobDone, JobFailed, Motion, MotionOutput
from firmware_bridge.serial_port import SerialPort, path_of
from firmware_bridge.workspace import Point
from station.arm_config import ArmSetup
from station.config import BoardTable
from station.effects import Halt, Handle
from station.errors import ConfigError
from station.events import ArmDone, ArmFailed, ArmFound, ArmLost, Event
from station.handling.arm import DRY_RUN, NOT_MOVING
from station.runtime.clock import Clock
from station.runtime.loop import Outcome

ARMS = tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(arms.__path__)))
"""The drivers that come with the program."""
REOPEN_S = 1.0
"""How long a worker waits before it looks for a lost port again."""
IDLE_MS = 1_000
"""How long it sleeps at most when nothing is to be done."""


def arm_class(name: str) -> type[ArmDriver]:
    """The driver of a name: a module of `firmware_bridge.arms`, or a foreign module's dotted name."""
    try:
        module = importlib.import_module(name if "." in name else f"firmware_bridge.arms.{name.replace('-', '_')}")
        driver: type[ArmDriver] = module.Driver
    except (ImportError, AttributeError, TypeError, ValueError, SyntaxError) as error:
        raise ConfigError(
            f"arm = {name!r}: expected {', '.join((*NOT_MOVING, *ARMS))} or a module with a class Driver: {error}"
        ) from error
    return driver


def moves(table: BoardTable) -> bool:
    """Whether a board has an arm that is a machine, calibrated or not."""
    return table.arm not in ("", DRY_RUN, *NOT_MOVING)


def can_be_shown(table: BoardTable) -> bool:
    """Whether a board has an arm that can be shown where the board lies: its file says how it is built."""
    return moves(table) and table.arm_setup is not None and table.arm_setup.built is not None


@dataclass(frozen=True, slots=True)
class Jog:
    """Bring the tool to a point of the machine, in mm: a job that no session gives."""

    job: int
    to: Point


class Listener(Protocol):
    """Whom a worker tells what happens, and whose time it has: the loop, or who shows an arm its board."""

    @property
    def clock(self) -> Clock:
        """The station's time."""
        ...

    def post(self, board: str, event: Event) -> None:
        """Leave an event for a board."""
        ...


class ArmWorker:
    """One thread for one arm. A port that is lost is looked for until it is back."""

    def __init__(self, board: str, setup: ArmSetup, loop: Listener) -> None:
        self.board, self._setup, self._loop = board, setup, loop
        self._driver = arm_class(setup.settings.driver)(setup.machine)
        self.motion = Motion(self._driver, setup.workspace, setup.machine.home_s)
        self._jobs: deque[Handle | Jog] = deque()
        self._lock = threading.Lock()
        self._is_halted = False
        self._is_pressed = False
        """Whether the stop is pressed."""
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        self._stopped = threading.Event()
        self._said = ""
        self._thread: threading.Thread | None = None

    @property
    def is_pressed(self) -> bool:
        """Whether the stop was pressed when it was last heard of."""
        return self._is_pressed

    def start(self) -> None:
        """Begin to look for the arm, for the first time or again."""
        with self._lock:
            self._jobs.clear()
        # Of its own: a thread that hung while it was told to end still does.
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._stopped,), name=f"arm {self.board}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Have it stand still, and let go of the port."""
        self._stopped.set()
        self._wake()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def let_go(self, reason: str) -> None:
        """Let go of the port until `start`: for so long the session has no arm."""
        self.stop()
        self._post(ArmLost(self._now(), reason))

    def hear(self, outcome: Outcome) -> None:
        """Take the jobs for this arm."""
        if outcome.board != self.board:
            return
        for effect in outcome.effects:
            if isinstance(effect, Handle):
                self.do(effect)
            elif isinstance(effect, Halt):
                self.brake()

    def do(self, job: Handle | Jog) -> None:
        """Carry this out after what was asked for before; from any thread."""
        with self._lock:
            self._jobs.append(job)
        self._wake()

    def brake(self, is_pressed: bool | None = None) -> None:
        """Stand still at once; from any thread. `is_pressed` is what the stop says, when it has something to say."""
        with self._lock:
            if is_pressed is not False:
                self._is_halted = True
                self._jobs.clear()
            if is_pressed is not None:
                self._is_pressed = is_pressed
        self._wake()

    def _wake(self) -> None:
        with suppress(BlockingIOError):
            os.write(self._wake_write, b"w")

    def _run(self, stopped: threading.Event) -> None:
        while not stopped.is_set():
            try:
                if self._driver.has_port:
                    with closing(self._open()) as port:
                        self._serve(port, stopped)
                else:
                    self._serve(None, stopped)
            except PortLost as lost:
                self._lose(str(lost))
            except Exception as error:
                traceback.print_exc()
                self._lose(f"the driver {self._setup.settings.driver} failed: {error!r}")
            stopped.wait(REOPEN_S)

    def _open(self) -> SerialPort:
        path = self._setup.port or path_of(self._setup.usb_serial)
        return SerialPort(path, self._driver.baud)

    def _lose(self, reason: str) -> None:
        self._post(ArmLost(self._now(), reason))
        if reason != self._said:
            self._said = reason
            print(f"arm of {self.board}: {reason}", file=sys.stderr)

    def _serve(self, port: SerialPort | None, stopped: threading.Event) -> None:
        self._carry(self.motion.start(self._now()), port)
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake_read, selectors.EVENT_READ)
            if port is not None:
                selector.register(port.fileno(), selectors.EVENT_READ)
            while not stopped.is_set():
                ready = selector.select(self._wait_ms() / 1000)
                self._mind_brake(port)
                if any(key.fd == self._wake_read for key, _ in ready):
                    os.read(self._wake_read, 4096)
                if port is not None and any(key.fd != self._wake_read for key, _ in ready):
                    self._carry(self.motion.receive(_heard(port), self._now()), port)
                self._begin(port)
                deadline = self.motion.deadline_ms()
                if deadline is not None and deadline <= self._now():
                    self._carry(self.motion.tick(self._now()), port)
        if self.motion.is_moving:
            self._carry(self.motion.halt(self._now()), port)

    def _mind_brake(self, port: SerialPort | None) -> None:
        with self._lock:
            is_halted, self._is_halted, is_pressed = self._is_halted, False, self._is_pressed
        if is_pressed and is_halted:
            self._carry(self.motion.shut(self._now()), port)
        elif is_halted:
            self._carry(self.motion.halt(self._now()), port)
        if not is_pressed:
            self.motion.open()

    def _begin(self, port: SerialPort | None) -> None:
        with self._lock:
            job = self._jobs.popleft() if self._jobs and not self._is_halted else None
        match job:
            case Handle():
                self._carry(self.motion.begin(job.job, job.acts, job.attempt, self._now()), port)
            case Jog():
                self._carry(self.motion.jog(job.job, job.to, self._now()), port)

    def _wait_ms(self) -> int:
        deadline = self.motion.deadline_ms()
        return IDLE_MS if deadline is None else max(0, min(IDLE_MS, deadline - self._now()))

    def _carry(self, output: MotionOutput, port: SerialPort | None) -> None:
        if output.send and port is not None:
            port.write(output.send)
        for said in output.told:
            self._post(self._event(said))

    def _event(self, said: Found | JobDone | JobFailed) -> Event:
        now_ms = self._now()
        match said:
            case Found(name=name, warnings=warnings):
                self._said = ""
                for warning in warnings:
                    print(f"arm of {self.board}: {warning}", file=sys.stderr)
                return ArmFound(now_ms, name)
            case JobDone(job=job):
                return ArmDone(now_ms, job)
            case JobFailed(job=job, failed=Failed(kind=kind, reason=reason, is_lost=is_lost)):
                return ArmFailed(now_ms, job, kind, reason, is_lost)

    def _now(self) -> int:
        return self._loop.clock.now_ms()

    def _post(self, event: Event) -> None:
        self._loop.post(self.board, event)


def _heard(port: SerialPort) -> bytes:
    """What has come in; PortLost when the port says that it is ready and has nothing: its other end is gone."""
    data = port.read(0)
    if not data:
        raise PortLost(port.path, "hung up")
    return data
