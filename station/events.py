"""Everything that can happen to a session. Each carries the time it happened, in ms since the station started."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.position import Move
from engine.view import BoardView
from firmware_bridge.driver import Battery, ClockTimes, Device


class BoardSeen(msgspec.Struct, frozen=True):
    """A board's sensors show this now."""

    at_ms: int
    view: BoardView


class Pressed(msgspec.Struct, frozen=True):
    """A button: `confirm`, `take_back`, `new_game`, `set_up`, `clock_white`, `clock_black`, `draw`, `resign`."""

    at_ms: int
    button: str


class Requested(msgspec.Struct, frozen=True):
    """Somebody asked for something over page or MQTT; `request` is the identity its answer carries."""

    at_ms: int
    request: str
    name: str
    arguments: Mapping[str, str | int | bool] = msgspec.field(default_factory=dict)


class PlayerChose(msgspec.Struct, frozen=True):
    """A player that is not at the board chose a move for the request of this number."""

    at_ms: int
    request: int
    move: Move
    score: int | None = None
    """What it thinks of its own side, in hundredths of a man; None where it does not say."""


class PlayerFailed(msgspec.Struct, frozen=True):
    """A player could not answer the request of this number."""

    at_ms: int
    request: int
    reason: str


class DeviceLost(msgspec.Struct, frozen=True):
    """The board's hardware no longer answers."""

    at_ms: int
    reason: str


class DeviceBack(msgspec.Struct, frozen=True):
    """The board's hardware answers, for the first time or again."""

    at_ms: int
    device: Device


class BatteryTold(msgspec.Struct, frozen=True):
    """The board says how full its battery is."""

    at_ms: int
    battery: Battery


class ClockTold(msgspec.Struct, frozen=True):
    """A clock at the board shows this."""

    at_ms: int
    times: ClockTimes


class StopTold(msgspec.Struct, frozen=True):
    """The emergency stop at the board is pressed (or its wire is broken), or is let go."""

    at_ms: int
    is_pressed: bool


class HandSeen(msgspec.Struct, frozen=True):
    """A hand is over the board, or no longer."""

    at_ms: int
    is_seen: bool


class ArmFound(msgspec.Struct, frozen=True):
    """The arm answers, for the first time or again; where it stands is not known."""

    at_ms: int
    name: str


class ArmLost(msgspec.Struct, frozen=True):
    """The arm no longer answers."""

    at_ms: int
    reason: str


class ArmDone(msgspec.Struct, frozen=True):
    """The job of this number is done, and the arm stands still."""

    at_ms: int
    job: int


class ArmFailed(msgspec.Struct, frozen=True):
    """The job of this number was not carried out; 0: the arm did something by itself."""

    at_ms: int
    job: int
    kind: str
    """As `firmware_bridge.arm_driver.Failed` has it."""
    reason: str
    is_lost: bool
    """Whether it has to look for home before it may move again."""


class TimePassed(msgspec.Struct, frozen=True):
    """Nothing happened until the session's deadline."""

    at_ms: int


Event = (
    BoardSeen
    | Pressed
    | Requested
    | PlayerChose
    | PlayerFailed
    | DeviceLost
    | DeviceBack
    | BatteryTold
    | ClockTold
    | StopTold
    | HandSeen
    | ArmFound
    | ArmLost
    | ArmDone
    | ArmFailed
    | TimePassed
)
