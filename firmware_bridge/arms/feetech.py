"""Arms of Feetech STS/SMS bus servos, built as the SO-101: straight lines in small steps, positions read back.

Registers: 40 torque, 42 goal position, 56 position, 62 tenths of a volt, 63 degrees Celsius; 4096 counts a turn. A
servo that has no torque takes goals without a word, so where the joints are is compared with where they were sent.
Nothing is written to their lasting memory.
"""

from __future__ import annotations

import math
from collections import deque
from itertools import islice
from typing import ClassVar

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
from firmware_bridge.feetech_bus import Replies, Reply, ping, read, sync_write, write
from firmware_bridge.joints import Angles, Links, angles_for, tip_of

TORQUE, GOAL, POSITION, VOLTS = 40, 42, 56, 62
COUNTS_PER_DEGREE = 4096 / 360
STEP_MM = 4.0
"""A line is gone in steps of this length, so that the joints draw it straight."""
RISE_MM, RISE_FEED = 30.0, 600.0
"""The first motion is slow and upwards."""
ANSWER_MS = 20
MOST_TRIES = 3
FOLLOW_DEGREES = 3.0
"""A joint this near its goal is there."""
FOLLOW_MS = 1_500
"""So long after the last step a joint may take."""
VOLTAGE, HEAT, CURRENT, OVERLOAD = 0x01, 0x04, 0x08, 0x20
"""Bits of a servo's errors."""
HOT_DEGREES = 65
"""Five degrees below where these servos give up."""
JOINTS = ("base", "shoulder", "elbow", "wrist", "gripper")


class Driver:
    """The bus: one question at a time, one step after another."""

    baud: ClassVar[int] = 1_000_000
    has_port: ClassVar[bool] = True

    def __init__(self, machine: Machine) -> None:
        self._machine, self._links = machine, Links()
        self._replies = Replies()
        self._questions: deque[tuple[int, bytes, bool]] = deque()
        """Servo, packet, and whether its answer is a position."""
        self._tries = 0
        self._due_ms: int | None = None
        self._is_found = self._has_torque = False
        self._order: Order | None = None
        self._steps: deque[Angles] = deque()
        self._step_ms = 0
        self._goal: Angles | None = None
        self._read: dict[int, int] = {}
        self._is_examining = False
        self._health: dict[int, tuple[int, int, int]] = {}
        """Errors, tenths of a volt and degrees of each servo."""
        self._until_ms = 0

    # --- what is asked for

    def start(self, now_ms: int) -> ArmOutput:
        """The port has been opened: look whether every servo is there."""
        self._replies.clear()
        self._is_found = self._has_torque = self._is_examining = False
        self._order, self._goal = None, None
        self._steps.clear()
        return self._ask([(servo, ping(servo), False) for servo in self._machine.servos], now_ms)

    def carry_out(self, order: Order, now_ms: int) -> ArmOutput:
        """Do this."""
        if not self._is_found:
            return ArmOutput(told=(Failed("silent", "not every servo answers"),))
        if not self._has_torque and not isinstance(order, FindHome):
            return ArmOutput(told=(Failed("limp", "it has to look for home first"),))
        self._order = order
        match order:
            case FindHome():
                self._read.clear()
                return self._ask([(servo, read(servo, POSITION, 2), True) for servo in self._machine.servos], now_ms)
            case Go(feed=feed):
                return self._go((order.x_mm, order.y_mm, order.z_mm), feed, now_ms)
            case Grip(is_closed=is_closed):
                target = self._machine.grip_closed if is_closed else self._machine.grip_open
                self._due_ms = now_ms + round(self._machine.grip_s * 1000)
                return ArmOutput(sync_write(GOAL, ((self._machine.servos[4], target),)))

    def halt(self, now_ms: int) -> ArmOutput:
        """Stay where the last step has led; the gripper keeps what it holds."""
        self._steps.clear()
        self._questions.clear()
        self._order, self._due_ms = None, None
        return NOTHING if self._goal is None or not self._has_torque else self._send(self._goal)

    def out_of_reach(self, order: Order) -> str | None:
        """Why the joints do not get there."""
        if not isinstance(order, Go) or self._angles(order.x_mm, order.y_mm, order.z_mm) is not None:
            return None
        return f"{order.x_mm:.1f}, {order.y_mm:.1f}, {order.z_mm:.1f} mm: no angles of the joints lead there"

    def examine(self, now_ms: int) -> ArmOutput:
        """Ask each servo for its errors, its voltage and how hot it is."""
        self._health.clear()
        self._is_examining = True
        return self._ask([(servo, read(servo, VOLTS, 2), False) for servo in self._machine.servos], now_ms)

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """What the servos complain of, joint by joint."""
        found = []
        for servo, (errors, volts, degrees) in self._health.items():
            joint = self._joint(servo)
            if errors & VOLTAGE:
                found.append(Trouble("voltage", f"{joint} {volts / 10:.1f} V"))
            if errors & HEAT or degrees >= HOT_DEGREES:
                found.append(Trouble("heat", f"{joint} {degrees} °C"))
            if errors & (CURRENT | OVERLOAD):
                found.append(Trouble("overload", joint))
        return tuple(found)

    # --- time and answers

    def deadline_ms(self) -> int | None:
        """When `tick` wants to be called."""
        return self._due_ms

    def tick(self, now_ms: int) -> ArmOutput:
        """The next step, the next try, or the end."""
        if self._due_ms is None or now_ms < self._due_ms:
            return NOTHING
        if self._questions:
            return self._again(now_ms)
        if self._steps:
            return self._step(now_ms)
        self._due_ms = None
        if isinstance(self._order, Grip):
            return self._done()
        return self._look(now_ms) if self._order is not None else NOTHING

    def receive(self, data: bytes, now_ms: int) -> ArmOutput:
        """Take in what came."""
        send, told = b"", list[Found | Done | Failed]()
        for reply in self._replies.feed(data):
            output = self._hear(reply, now_ms)
            send, told = send + output.send, [*told, *output.told]
        return ArmOutput(send, tuple(told))

    def _hear(self, reply: Reply, now_ms: int) -> ArmOutput:
        if not self._questions or reply.servo != self._questions[0][0]:
            return NOTHING
        _, _, is_position = self._questions[0]
        if is_position and len(reply.parameters) != 2:
            return NOTHING
        self._questions.popleft()
        self._tries = 0
        if self._is_examining:
            volts, degrees = (*reply.parameters, 0, 0)[:2]
            self._health[reply.servo] = (reply.errors, volts, degrees)
        elif reply.errors & OVERLOAD:
            return self._fail("overload", f"the {self._joint(reply.servo)}")
        if is_position:
            self._read[reply.servo] = reply.word
        if self._questions:
            return self._next_question(now_ms)
        self._due_ms = None
        return self._all_answered(now_ms)

    def _all_answered(self, now_ms: int) -> ArmOutput:
        if self._is_examining:
            self._is_examining = False
            return NOTHING
        if not self._is_found:
            self._is_found = True
            return ArmOutput(told=(Found("Feetech servos"),))
        if isinstance(self._order, FindHome) and not self._has_torque:
            return self._stiffen(now_ms)
        if isinstance(self._order, FindHome) and self._goal is None:
            return self._rise(now_ms)
        return self._compare(now_ms)

    # --- questions

    def _ask(self, questions: list[tuple[int, bytes, bool]], now_ms: int) -> ArmOutput:
        self._questions, self._tries = deque(questions), 0
        return self._next_question(now_ms)

    def _next_question(self, now_ms: int) -> ArmOutput:
        self._due_ms = now_ms + ANSWER_MS
        return ArmOutput(self._questions[0][1])

    def _again(self, now_ms: int) -> ArmOutput:
        self._tries += 1
        if self._tries < MOST_TRIES:
            return self._next_question(now_ms)
        joint = self._joint(self._questions[0][0])
        self._questions.clear()
        self._due_ms = None
        if self._is_found:
            return self._fail("silent", f"the {joint}")
        return ArmOutput(told=(Failed("silent", f"the {joint} (servo not found)"),))

    def _joint(self, servo: int) -> str:
        return JOINTS[self._machine.servos.index(servo)]

    # --- motion

    def _stiffen(self, now_ms: int) -> ArmOutput:
        """Goals first, where the joints are: else the arm jumps when it gets its strength."""
        self._goal, self._has_torque = None, True
        writes = [(servo, write(servo, GOAL, self._read[servo], 2), False) for servo in self._machine.servos]
        writes += [(servo, write(servo, TORQUE, 1), False) for servo in self._machine.servos]
        return self._ask(writes, now_ms)

    def _rise(self, now_ms: int) -> ArmOutput:
        """Slowly upwards, as far as the joints allow."""
        present = self._present()
        self._goal = present
        x, y, z = tip_of(self._links, present)
        higher = (z + RISE_MM * share / 4 for share in (4, 3, 2, 1))
        target = next((up for up in higher if self._angles(x, y, up) is not None), None)
        return self._done() if target is None else self._go((x, y, target), RISE_FEED, now_ms)

    def _go(self, target: tuple[float, float, float], feed: float, now_ms: int) -> ArmOutput:
        start = tip_of(self._links, self._goal or self._present())
        length = math.dist(start, target)
        count = max(1, math.ceil(length / STEP_MM))
        shares = (number / count for number in range(1, count + 1))
        ways = [self._angles(*(a + share * (b - a) for a, b in zip(start, target, strict=True))) for share in shares]
        steps = [angles for angles in ways if angles is not None]
        if len(steps) < count:
            self._order = None
            return ArmOutput(told=(Failed("unreachable", "the way there leaves the joints' reach", is_lost=False),))
        self._steps, self._step_ms = deque(steps), max(5, round(length / count / feed * 60_000))
        return self._step(now_ms)

    def _step(self, now_ms: int) -> ArmOutput:
        self._goal = self._steps.popleft()
        self._due_ms = now_ms + self._step_ms
        self._until_ms = now_ms + self._step_ms + FOLLOW_MS
        return self._send(self._goal)

    def _send(self, angles: Angles) -> ArmOutput:
        return ArmOutput(sync_write(GOAL, tuple(zip(self._machine.servos, self._counts(angles), strict=False))))

    def _look(self, now_ms: int) -> ArmOutput:
        servos = islice(self._machine.servos, 4)
        return self._ask([(servo, read(servo, POSITION, 2), True) for servo in servos], now_ms)

    def _compare(self, now_ms: int) -> ArmOutput:
        """Look whether the joints are where they were sent."""
        assert self._goal is not None
        present = self._present()
        behind = [n for n in range(4) if abs(present[n] - self._goal[n]) > FOLLOW_DEGREES]
        if not behind:
            return self._done()
        if now_ms >= self._until_ms:
            off = abs(present[behind[0]] - self._goal[behind[0]])
            return self._fail("limp", f"the {JOINTS[behind[0]]} is {off:.0f} degrees from where it was sent")
        self._due_ms = now_ms + ANSWER_MS
        return NOTHING

    def _done(self) -> ArmOutput:
        self._order = None
        return ArmOutput(told=(Done(),))

    def _fail(self, kind: str, reason: str) -> ArmOutput:
        self._steps.clear()
        self._questions.clear()
        self._order, self._due_ms, self._has_torque, self._goal = None, None, False, None
        self._is_examining = False
        return ArmOutput(told=(Failed(kind, reason),))

    # --- angles and counts

    def _angles(self, x: float, y: float, z: float) -> Angles | None:
        return angles_for(self._links, x, y, z)

    def _counts(self, angles: Angles) -> tuple[int, ...]:
        joints = zip(angles, self._machine.zeros, self._machine.signs, strict=True)
        return tuple(round(zero + sign * angle * COUNTS_PER_DEGREE) for angle, zero, sign in joints)

    def _present(self) -> Angles:
        joints = zip(self._machine.servos, self._machine.zeros, self._machine.signs, strict=False)
        read_now = [sign * (self._read[servo] - zero) / COUNTS_PER_DEGREE for servo, zero, sign in joints]
        return read_now[0], read_now[1], read_now[2], read_now[3]
