"""An arm that is not there: every order takes its time on paper, and nothing moves. The default until calibrated."""

from __future__ import annotations

from typing import ClassVar

from firmware_bridge.arm_driver import NOTHING, ArmOutput, Done, Found, Machine, Order


class Driver:
    """Says `Done` to everything."""

    baud: ClassVar[int] = 0
    has_port: ClassVar[bool] = False

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def start(self, now_ms: int) -> ArmOutput:
        """It answers at once."""
        return ArmOutput(told=(Found("dry run"),))

    def receive(self, data: bytes, now_ms: int) -> ArmOutput:
        """Nothing comes from it."""
        return NOTHING

    def tick(self, now_ms: int) -> ArmOutput:
        """It waits for nothing."""
        return NOTHING

    def deadline_ms(self) -> int | None:
        """It waits for nothing."""
        return None

    def carry_out(self, order: Order, now_ms: int) -> ArmOutput:
        """It is done."""
        return ArmOutput(told=(Done(),))

    def halt(self, now_ms: int) -> ArmOutput:
        """It stands."""
        return NOTHING

    def out_of_reach(self, order: Order) -> str | None:
        """Nothing is."""
        return None
