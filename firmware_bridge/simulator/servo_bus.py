"""Feetech servos on a bus as their protocol has it, and the arm that they move over a workshop; with faults.

Its kinematics are its own: every link is a vector that its joint turns, the tip is where they add up to.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, field

from firmware_bridge.simulator.carpentry import Workshop

COUNTS = 4096
SPEED = 3000.0
"""Counts a second."""
STEP_MS = 10
UPRIGHT_Z, AHEAD = 55.0, 30.0
UPPER, FORE, TOOL = 116.0, 135.0, 100.0


@dataclass(slots=True)
class Servo:
    """One servo: where it is, where it is to go, whether it has strength."""

    position: float = 2048.0
    goal: int = 2048
    torque: bool = False
    is_missing: bool = False
    is_limp: bool = False
    """It takes goals and does not move."""
    is_overloaded: bool = False
    errors: int = 0
    """What else it complains of, as bits."""
    volts: int = 74
    """Tenths."""
    degrees: int = 31
    registers: dict[int, int] = field(default_factory=dict)


class ServoBus:
    """Base, shoulder, elbow, wrist (1 to 4) and gripper (6)."""

    def __init__(self, workshop: Workshop, closed_below: int = 2300) -> None:
        self.workshop, self._closed_below = workshop, closed_below
        self.servos = {number: Servo() for number in (1, 2, 3, 4, 6)}
        # Folded back, the tip above the table: how an arm is left.
        for number, degrees in ((2, -40.0), (3, -10.0), (4, 40.0)):
            self.servos[number].position = 2048 + degrees * COUNTS / 360
        self.servos[6].position = 2500.0
        self._in = b""
        self._now = 0
        self.garbled = 0
        """So many answers come with a wrong checksum."""
        self.workshop.tool.at = self.tip()

    def opened(self, now_ms: int) -> bytes:
        """Somebody opened the port: servos do not care."""
        return b""

    def deadline_ms(self) -> int | None:
        """When time has to pass."""
        return self._now + STEP_MS if self.is_moving else None

    @property
    def is_moving(self) -> bool:
        """Whether a joint is on its way."""
        return any(self._is_free(servo) and abs(servo.goal - servo.position) > 0.5 for servo in self.servos.values())

    def tick(self, now_ms: int) -> bytes:
        """Time has passed."""
        while self._now < now_ms:
            passed = min(STEP_MS, now_ms - self._now)
            self._now += passed
            self._turn(SPEED * passed / 1000)
        return b""

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Packets for the servos."""
        self.tick(now_ms)
        self._in += data
        out = b""
        while len(self._in) >= 6:
            if self._in[:2] != b"\xff\xff":
                self._in = self._in[1:]
                continue
            size = self._in[3] + 4
            if len(self._in) < size:
                break
            packet, self._in = self._in[:size], self._in[size:]
            if (sum(packet[2:]) & 0xFF) == 0xFF:
                out += self._obey(packet[2], packet[4], packet[5:-1])
        return out

    def tip(self) -> tuple[float, float, float]:
        """Where the tool's tip is."""
        base, shoulder, elbow, wrist = (self._degrees(number) for number in (1, 2, 3, 4))
        turn = 90.0 - shoulder
        reach = AHEAD + UPRIGHT_Z * 1j + cmath.rect(UPPER, math.radians(turn))
        turn -= 90.0 + elbow
        reach += cmath.rect(FORE, math.radians(turn))
        turn -= 90.0 + wrist
        reach += cmath.rect(TOOL, math.radians(turn))
        flat = cmath.rect(reach.real, math.radians(base))
        return flat.real, flat.imag, reach.imag

    def _degrees(self, number: int) -> float:
        return (self.servos[number].position - 2048) * 360 / COUNTS

    @staticmethod
    def _is_free(servo: Servo) -> bool:
        return servo.torque and not servo.is_limp and not servo.is_missing and not servo.is_overloaded

    def _turn(self, most: float) -> None:
        for servo in self.servos.values():
            if self._is_free(servo):
                servo.position += max(-most, min(most, servo.goal - servo.position))
        self.workshop.go(self.tip())
        is_closed = self.servos[6].position < self._closed_below
        if is_closed and not self.workshop.tool.is_closed:
            self.workshop.close()
        elif not is_closed and self.workshop.tool.is_closed:
            self.workshop.open()

    def _obey(self, number: int, instruction: int, given: bytes) -> bytes:
        if number == 0xFE:
            if instruction == 0x83:
                self._write_all(given)
            return b""
        servo = self.servos.get(number)
        if servo is None or servo.is_missing:
            return b""
        answer = b""
        if instruction == 0x02:
            answer = self._register(servo, given[0]).to_bytes(2, "little")[: given[1]]
        elif instruction == 0x03:
            self._set(servo, given[0], int.from_bytes(given[1:], "little"))
        body = bytes((number, len(answer) + 2, servo.errors | (32 if servo.is_overloaded else 0))) + answer
        checksum = (~sum(body)) & 0xFF
        if self.garbled:
            self.garbled -= 1
            checksum ^= 0x55
        return b"\xff\xff" + body + bytes((checksum,))

    def _write_all(self, given: bytes) -> None:
        address, size = given[0], given[1]
        for at in range(2, len(given), size + 1):
            servo = self.servos.get(given[at])
            if servo is not None and not servo.is_missing:
                self._set(servo, address, int.from_bytes(given[at + 1 : at + 1 + size], "little"))

    def _set(self, servo: Servo, address: int, value: int) -> None:
        if address == 40:
            servo.torque = bool(value)
        elif address == 42:
            servo.goal = value
        else:
            servo.registers[address] = value

    def _register(self, servo: Servo, address: int) -> int:
        if address == 56:
            return round(servo.position)
        if address == 62:
            return servo.volts | servo.degrees << 8
        if address == 63:
            return servo.degrees
        return {3: 777, 40: int(servo.torque), 42: servo.goal}.get(address, servo.registers.get(address, 0))
