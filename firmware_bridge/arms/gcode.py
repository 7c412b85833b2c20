"""Gantries and arms on a G-code controller: GRBL 1.1, grblHAL, Marlin."""

from __future__ import annotations

from typing import ClassVar

from firmware_bridge.arm_driver import ArmOutput, Machine, Order, Trouble
from firmware_bridge.gcode_grbl import BAUD, Grbl
from firmware_bridge.gcode_marlin import Marlin


class Driver:
    """The controller in the dialect that the machine's table names."""

    baud: ClassVar[int] = BAUD
    has_port: ClassVar[bool] = True

    def __init__(self, machine: Machine) -> None:
        self._controller: Grbl | Marlin = Marlin(machine) if machine.dialect == "marlin" else Grbl(machine)

    def start(self, now_ms: int) -> ArmOutput:
        """The port has been opened."""
        return self._controller.start(now_ms)

    def receive(self, data: bytes, now_ms: int) -> ArmOutput:
        """Bytes have come in."""
        return self._controller.receive(data, now_ms)

    def tick(self, now_ms: int) -> ArmOutput:
        """The deadline has come."""
        return self._controller.tick(now_ms)

    def deadline_ms(self) -> int | None:
        """When `tick` wants to be called."""
        return self._controller.deadline_ms()

    def carry_out(self, order: Order, now_ms: int) -> ArmOutput:
        """Do this."""
        return self._controller.carry_out(order, now_ms)

    def halt(self, now_ms: int) -> ArmOutput:
        """Stand still at once."""
        return self._controller.halt(now_ms)

    def examine(self, now_ms: int) -> ArmOutput:
        """Ask for what `troubles` tells."""
        return self._controller.examine(now_ms)

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """What the controller says is wrong."""
        return self._controller.troubles

    def out_of_reach(self, order: Order) -> str | None:
        """A gantry reaches all of its box."""
        return None
