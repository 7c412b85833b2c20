"""Everything that can happen to a session. Each carries the time it happened, in ms since the station started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.position import Move
from engine.view import BoardView
from firmware_bridge.driver import Battery, ClockTimes, Device


@dataclass(frozen=True, slots=True)
class BoardSeen:
    """A board's sensors show this now."""

    at_ms: int
    view: BoardView


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button: `confirm`, `take_back`, `new_game`, `set_up`, `clock_white`, `clock_black`, `draw`, `resign`."""

    at_ms: int
    button: str


@dataclass(frozen=True, slots=True)
class Requested:
    """Somebody asked for something over page or MQTT; `request` is the identity its answer carries."""

    at_ms: int
    request: str
    name: str
    arguments: Mapping[str, str | int | bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlayerChose:
    """A player that is not at the board chose a move for the request of this number."""

    at_ms: int
    request: int
    move: Move
    score: int | None = None
    """What it thinks of its own side, in hundredths of a man; None where it does not say."""


@dataclass(frozen=True, slots=True)
class PlayerFailed:
    """A player could not answer the request of this number."""

    at_ms: int
    request: int
    reason: str


@dataclass(frozen=True, slots=True)
class DeviceLost:
    """The board's hardware no longer answers."""

    at_ms: int
    reason: str


@dataclass(frozen=True, slots=True)
class DeviceBack:
    """The board's hardware answers, for the first time or again."""

    at_ms: int
    device: Device


@dataclass(frozen=True, slots=True)
class BatteryTold:
    """The board says how full its battery is."""

    at_ms: int
    battery: Battery


@dataclass(frozen=True, slots=True)
class ClockTold:
    """A clock at the board shows this."""

    at_ms: int
    times: ClockTimes


@dataclass(frozen=True, slots=True)
class StopTold:
    """The emergency stop at the board is pressed (or its wire is broken), or is let go."""

    at_ms: int
    is_pressed: bool


@dataclass(frozen=True, slots=True)
class HandSeen:
    """A hand is over the board, or no longer."""

    at_ms: int
    is_seen: bool


@dataclass(frozen=True, slots=True)
class ArmFound:
    """The arm answers, for the first time or again; where it stands is not known."""

    at_ms: int
    name: str


@dataclass(frozen=True, slots=True)
class ArmLost:
    """The arm no longer answers."""

    at_ms: int
    reason: str


@dataclass(frozen=True, slots=True)
class ArmDone:
    """The job of this number is done, and the arm stands still."""

    at_ms: int
    job: int


@dataclass(frozen=True, slots=True)
class ArmFailed:
    """The job of this number was not carried out; 0: the arm did something by itself."""

    at_ms: int
    job: int
    kind: str
    """As `firmware_bridge.arm_driver.Failed` has it."""
    reason: str
    is_lost: bool
    """Whether it has to look for home before it may move again."""


@dataclass(frozen=True, slots=True)
class TimePassed:
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
