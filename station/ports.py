"""What the station needs of the world, as protocols; drivers fit them without knowing them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, runtime_checkable

from engine.geometry import Geometry
from engine.position import Piece
from firmware_bridge.driver import Calibration, ClockTimes, Counters, Cues, Device, Output
from firmware_bridge.messages import Thresholds


class Port(Protocol):
    """Where a board is wired to: a serial port, or the pins of this machine; every failure is a PortLost."""

    path: str

    def read(self, wait_ms: int = 50) -> bytes:
        """The bytes that are there, after waiting at most so long for the first one."""
        ...

    def write(self, data: bytes) -> None:
        """Send all of these bytes."""
        ...

    def close(self) -> None:
        """Give the port back; never fails."""
        ...


class BoardDriver(Protocol):
    """A board on a wire: bytes in, views out; cues in, bytes out. No I/O; time is an argument."""

    baud: ClassVar[int]

    def __init__(
        self, geometry: Geometry, home: tuple[Piece, ...] | None = None, *, turned: int | None = None
    ) -> None: ...

    # `turned` is given only where a configuration has it: degrees clockwise as White sees the board.

    @property
    def device(self) -> Device | None:
        """What the device said of itself; None before it answered."""
        ...

    @property
    def counters(self) -> Counters:
        """Traffic and faults since the driver was made."""
        ...

    @property
    def problem(self) -> str | None:
        """Why no views can come although bytes do; None when all is well."""
        ...

    def start(self, now_ms: int) -> Output:
        """The port has been opened, for the first time or again."""
        ...

    def receive(self, data: bytes, now_ms: int) -> Output:
        """Bytes have come in."""
        ...

    def tick(self, now_ms: int) -> Output:
        """The deadline has come."""
        ...

    def deadline_ms(self) -> int | None:
        """When `tick` wants to be called; None for never."""
        ...

    def show(self, cues: Cues, now_ms: int) -> Output:
        """Light these squares and no others."""
        ...


@runtime_checkable
class Troubled(Protocol):
    """A driver that says which kind of problem its board has."""

    @property
    def trouble(self) -> str:
        """`wrong_firmware`, `wrong_board`, `board_reports`, `camera`; empty for none."""
        ...


@runtime_checkable
class Measurer(Protocol):
    """A driver whose board may tell how strong its magnets are, and takes thresholds."""

    @property
    def measures(self) -> bool:
        """Whether this board does."""
        ...

    @property
    def readings(self) -> Mapping[int, tuple[int, ...]]:
        """What the sensors of each row read when they were measured last, by the board's own rows."""
        ...

    @property
    def is_waiting(self) -> bool:
        """Whether a command has not been acknowledged yet."""
        ...

    def measure(self) -> Output:
        """Ask what the sensors read."""
        ...

    def teach(self, row: int, cells: tuple[Thresholds, ...], now_ms: int) -> Output:
        """Have the board use these thresholds for a row, until its next start."""
        ...

    def keep(self, now_ms: int) -> Output:
        """Have the board keep what it was taught."""
        ...


@runtime_checkable
class Dimmer(Protocol):
    """A driver whose board may have lamps that can be dimmed."""

    def dim(self, percent: int, now_ms: int) -> Output:
        """Light them so brightly from now on, 0 to 100 percent; nothing where the board cannot."""
        ...


@runtime_checkable
class Learner(Protocol):
    """A driver that learns at the start position how its board is to be read."""

    @property
    def learned(self) -> Calibration | None:
        """What it has learned of the board that answers now, or was told of it; None for nothing."""
        ...

    def recall(self, unique_id: str, known: Calibration) -> None:
        """Take what was learned of a board at an earlier time."""
        ...


@runtime_checkable
class Historian(Protocol):
    """A driver whose board remembers what was done on it while nobody listened."""

    def recollect(self, contents: tuple[Piece, ...], now_ms: int) -> Output:
        """Ask for all that was done since a position stood there; it is told as views, oldest first, when it comes."""
        ...


class LineTurns(Protocol):
    """Who may speak on a line that several boards share; a driver class has a class of these as its `turns`."""

    def ask(self, member: int, request: bytes) -> None:
        """A member wants to say something."""
        ...

    def leave(self, member: int) -> None:
        """A member has gone."""
        ...

    def hear(self, data: bytes, now_ms: int) -> None:
        """Bytes have come."""
        ...

    def due(self, now_ms: int) -> tuple[int, bytes] | None:
        """Whose turn begins now, and what is sent; None for nobody's."""
        ...

    def deadline_ms(self) -> int | None:
        """When `due` may have something that it has not now; None for not before somebody asks or bytes come."""
        ...


@runtime_checkable
class OneOfMany(Protocol):
    """A driver whose board is on a line with others."""

    def call(self, unique_id: str) -> None:
        """Say which of them it is; ValueError for what is no such id."""
        ...

    def sent(self, now_ms: int) -> None:
        """What was to be sent has gone out only now, in its turn."""
        ...


@runtime_checkable
class Timekeeper(Protocol):
    """A driver whose board may have a clock that can be set."""

    def set_clock(self, times: ClockTimes | None, at_ms: int, now_ms: int) -> Output:
        """Show a game's times from now on, as they were at a moment; None: leave the clock alone."""
        ...


@runtime_checkable
class Speaker(Protocol):
    """A driver whose board may have a display for a few characters."""

    def say(self, text: str, now_ms: int) -> Output:
        """Show up to eight digits, small letters and signs from now on; an empty text: nothing."""
        ...
