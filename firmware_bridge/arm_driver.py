"""What every arm's driver takes and gives: orders in millimetres, bytes, and what became of an order; no I/O."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec


class Go(msgspec.Struct, frozen=True):
    """A straight line to a point of the machine, in mm, at a feed in mm/min."""

    x_mm: float
    y_mm: float
    z_mm: float
    feed: float


class Grip(msgspec.Struct, frozen=True):
    """Close the gripper or switch magnet or pump on; or open it, switch it off."""

    is_closed: bool


class FindHome(msgspec.Struct, frozen=True):
    """Look for the end stops; the tool's place is known afterwards."""


Order = Go | Grip | FindHome


class Found(msgspec.Struct, frozen=True):
    """The machine answers; where its tool is is not known."""

    name: str
    warnings: tuple[str, ...] = ()


class Done(msgspec.Struct, frozen=True):
    """The order is carried out, and the machine stands still."""


class Failed(msgspec.Struct, frozen=True):
    """The order was not carried out, or not to its end; without an order: the machine has done something by itself."""

    kind: str
    """`alarm`, `error` (refused, nothing moved), `reset`, `silent`, `missed` (it stands elsewhere), `limp` (no torque),
    `overload`, `unreachable`, `stopped`, `killed` (only its switch brings it back)."""
    reason: str
    is_lost: bool = True
    """Whether it has to look for home before it may move again."""


Told = Found | Done | Failed


class Trouble(msgspec.Struct, frozen=True):
    """What a machine that stands says is wrong with it."""

    kind: str
    """`stop` (pressed, or its wire is broken), `limit` (an end stop is), `voltage`, `heat`, `overload`."""
    detail: str


class ArmOutput(msgspec.Struct, frozen=True):
    """What a driver has to say after bytes came in or time went by."""

    send: bytes = b""
    told: tuple[Told, ...] = ()


NOTHING = ArmOutput()


@dataclass(frozen=True, slots=True)
class Machine:
    """How the machine is built, as far as its driver must know."""

    dialect: str = "grbl"
    """Of a `gcode` machine: `grbl` (grblHAL too) or `marlin`."""
    grip_on: str = "M8"
    grip_off: str = "M9"
    grip_s: float = 0.3
    """How long the tool takes to grip or to let go."""
    home_s: float = 60.0
    """The longest time in which it finds home."""
    tolerance_mm: float = 0.1
    """How far it may stand from where it was sent."""
    servos: tuple[int, ...] = (1, 2, 3, 4, 6)
    """Of an arm of bus servos: the ids of base, shoulder, elbow, wrist and gripper."""
    zeros: tuple[int, ...] = (2048, 2048, 2048, 2048)
    """What the joints' servos read (0 to 4095) with the upper arm upright and the forearm level, straight ahead."""
    signs: tuple[int, ...] = (1, 1, 1, 1)
    """-1 for a joint whose servo counts the other way round."""
    grip_closed: int = 2100
    grip_open: int = 2500
    """What the gripper's servo is sent to."""
