"""From acts to waypoints: one gate that every order passes, one order at a time, a deadline on every wait; no I/O.

A driver knows bytes and millimetres, a session knows squares; this stands between them. It moves only for a job that
was given after the gate was opened last, and only when all of the job's acts are in reach.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from firmware_bridge.arm_driver import ArmOutput, Done, Failed, FindHome, Found, Go, Grip, Machine, Order, Told, Trouble
from firmware_bridge.manipulations import Act
from firmware_bridge.workspace import Point, Workspace, in_short_lines, length_mm

SPARE_MS = 2_000
"""A wait ends after twice the time that was planned, and this."""


class ArmDriver(Protocol):
    """A machine on a wire: orders in, bytes out; bytes in, what became of the order out."""

    baud: ClassVar[int]
    has_port: ClassVar[bool]
    """Whether there is a wire."""

    def __init__(self, machine: Machine) -> None: ...

    def start(self, now_ms: int) -> ArmOutput:
        """The port has been opened, for the first time or again."""
        ...

    def receive(self, data: bytes, now_ms: int) -> ArmOutput:
        """Bytes have come in."""
        ...

    def tick(self, now_ms: int) -> ArmOutput:
        """The deadline has come."""
        ...

    def deadline_ms(self) -> int | None:
        """When `tick` wants to be called; None for never."""
        ...

    def carry_out(self, order: Order, now_ms: int) -> ArmOutput:
        """Do this; the next order comes after `Done` or `Failed`."""
        ...

    def halt(self, now_ms: int) -> ArmOutput:
        """Stand still at once, from whatever state; the order under way is not done any more."""
        ...

    def out_of_reach(self, order: Order) -> str | None:
        """Why the machine cannot get there, though it is inside the box; None when it can."""
        ...


@runtime_checkable
class SelfExaminer(Protocol):
    """A driver whose machine can say what is wrong with it."""

    def examine(self, now_ms: int) -> ArmOutput:
        """Ask for what `troubles` tells, of a machine that stands; nothing moves."""
        ...

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """What the latest answers say."""
        ...


@dataclass(frozen=True, slots=True)
class JobDone:
    """The job of this number is done."""

    job: int


@dataclass(frozen=True, slots=True)
class JobFailed:
    """The job of this number is not done; 0: the machine did something by itself."""

    job: int
    failed: Failed


@dataclass(frozen=True, slots=True)
class MotionOutput:
    """Bytes for the wire, and what happened."""

    send: bytes = b""
    told: tuple[Found | JobDone | JobFailed, ...] = ()


class Motion:
    """One arm: its driver, its workspace, the orders that are left of a job."""

    def __init__(self, driver: ArmDriver, workspace: Workspace, home_s: float = 60.0) -> None:
        self._driver, self._workspace, self._home_ms = driver, workspace, round(home_s * 1000)
        self._orders: deque[Order] = deque()
        self._job = 0
        self._at: Point | None = None
        """Where the tool is, as far as is known."""
        self._until_ms: int | None = None
        self._doing: Order = FindHome()
        self._is_shut = False
        self.holds = False
        """Whether the tool was closed last."""

    @property
    def is_moving(self) -> bool:
        """Whether an order is under way."""
        return bool(self._job)

    @property
    def at(self) -> Point | None:
        """Where the tool is, in mm of the machine; None while that is not known."""
        return self._at

    def examine(self, now_ms: int) -> MotionOutput:
        """Ask a machine that can say what is wrong with it; `troubles` tells when it has answered."""
        driver = self._driver
        return self._after(driver.examine(now_ms), now_ms) if isinstance(driver, SelfExaminer) else MotionOutput()

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """What the machine says is wrong with it; nothing of one that cannot tell."""
        return self._driver.troubles if isinstance(self._driver, SelfExaminer) else ()

    def use(self, workspace: Workspace) -> None:
        """Board and tray lie here from the next job on."""
        self._workspace = workspace

    def start(self, now_ms: int) -> MotionOutput:
        """The port has been opened: nothing is known of the machine."""
        self._orders.clear()
        self._job, self._at, self._until_ms = 0, None, None
        return self._after(self._driver.start(now_ms), now_ms)

    def begin(self, job: int, acts: tuple[Act, ...], attempt: int, now_ms: int) -> MotionOutput:
        """Do the first of these acts, if all of them are in reach, nothing is under way, and the gate is open."""
        fault = self._fault(acts)
        if fault is not None:
            return MotionOutput(told=(JobFailed(job, fault),))
        self._job = job
        for order in self._workspace.orders(acts[0], attempt):
            self._orders.append(order)
        return self._next(now_ms)

    def jog(self, job: int, to: Point, now_ms: int) -> MotionOutput:
        """Go to a point of the machine, as somebody wants who calibrates it; through the same gate as every act."""
        order = Go(*to, self._workspace.plunge)
        fault = self._shut_or_busy() or self._unreachable((order,))
        if fault is not None:
            return MotionOutput(told=(JobFailed(job, fault),))
        self._job = job
        self._orders.append(order)
        return self._next(now_ms)

    def receive(self, data: bytes, now_ms: int) -> MotionOutput:
        """Bytes have come in."""
        return self._after(self._driver.receive(data, now_ms), now_ms)

    def tick(self, now_ms: int) -> MotionOutput:
        """The deadline has come."""
        ticked = self._after(self._driver.tick(now_ms), now_ms)
        if self._until_ms is None or now_ms < self._until_ms:
            return ticked
        late = Failed("silent", "it took more than twice the time that it should")
        halted = self.halt(now_ms, late)
        return MotionOutput(ticked.send + halted.send, ticked.told + halted.told)

    def deadline_ms(self) -> int | None:
        """When `tick` wants to be called; None for never."""
        times = [time for time in (self._driver.deadline_ms(), self._until_ms) if time is not None]
        return min(times, default=None)

    def halt(self, now_ms: int, why: Failed | None = None) -> MotionOutput:
        """Stand still at once; the job under way has failed."""
        job, self._job, self._until_ms, self._at = self._job, 0, None, None
        self._orders.clear()
        output = self._driver.halt(now_ms)
        failed = why or Failed("stopped", "")
        return MotionOutput(output.send, (JobFailed(job, failed),) if job else ())

    def shut(self, now_ms: int) -> MotionOutput:
        """The stop is pressed: stand still, and carry out nothing until the gate is opened."""
        self._is_shut = True
        return self.halt(now_ms)

    def open(self) -> None:
        """The stop is let go; nothing moves by that."""
        self._is_shut = False

    def out_of_reach(self, act: Act) -> str | None:
        """Why an act cannot be carried out, by the box or the joints; None when it can."""
        return self._workspace.out_of_reach(act) or self._no_way(self._workspace.orders(act))

    def _fault(self, acts: tuple[Act, ...]) -> Failed | None:
        fault = self._shut_or_busy()
        outs = (self.out_of_reach(act) for act in acts) if fault is None else ()
        return fault or next((Failed("unreachable", out, is_lost=False) for out in outs if out is not None), None)

    def _shut_or_busy(self) -> Failed | None:
        if self._is_shut:
            return Failed("stopped", "the stop is pressed", is_lost=False)
        return Failed("error", f"job {self._job} is still under way", is_lost=False) if self._job else None

    def _unreachable(self, orders: tuple[Order, ...]) -> Failed | None:
        outside = next((out for order in orders if (out := self._workspace.outside(order)) is not None), None)
        out = outside or self._no_way(orders)
        return None if out is None else Failed("unreachable", out, is_lost=False)

    def _no_way(self, orders: Iterable[Order]) -> str | None:
        return next((out for order in orders if (out := self._driver.out_of_reach(order)) is not None), None)

    def _next(self, now_ms: int) -> MotionOutput:
        """The gate: every order to a driver goes out here."""
        if self._is_shut:
            return self.halt(now_ms)
        if not self._orders:
            job, self._job, self._until_ms = self._job, 0, None
            return MotionOutput(told=(JobDone(job),))
        first, *rest = in_short_lines(self._at, self._orders.popleft())
        self._orders.extendleft(reversed(rest))
        self._until_ms = now_ms + self._longest_ms(first)
        self._doing = first
        return self._after(self._driver.carry_out(first, now_ms), now_ms)

    def _longest_ms(self, order: Order) -> int:
        match order:
            case Go():
                return round(2 * length_mm(self._at, order) / order.feed * 60_000) + SPARE_MS
            case FindHome():
                return self._home_ms + SPARE_MS
            case Grip():
                return 2 * SPARE_MS

    def _after(self, output: ArmOutput, now_ms: int) -> MotionOutput:
        send = output.send
        told: list[Found | JobDone | JobFailed] = []
        for said in output.told:
            more = self._take(said, now_ms)
            send, told = send + more.send, [*told, *more.told]
        return MotionOutput(send, tuple(told))

    def _take(self, said: Told, now_ms: int) -> MotionOutput:
        match said:
            case Found():
                lost = self._failed(Failed("reset", "")) if self._job else MotionOutput()
                self._at = None
                return MotionOutput(told=(*lost.told, said))
            case Failed():
                return self._failed(said)
            case Done() if self._job:
                return self._done(now_ms)
            case _:
                return MotionOutput()

    def _failed(self, failed: Failed) -> MotionOutput:
        job, self._job, self._until_ms = self._job, 0, None
        self._orders.clear()
        if failed.is_lost:
            self._at = None
        return MotionOutput(told=(JobFailed(job, failed),))

    def _done(self, now_ms: int) -> MotionOutput:
        match self._doing:
            case Go(x_mm=x, y_mm=y, z_mm=z):
                self._at = (x, y, z)
            case FindHome():
                self._at = None
            case Grip(is_closed=is_closed):
                self.holds = is_closed
        return self._next(now_ms)
