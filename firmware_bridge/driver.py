"""What every board driver takes and gives: values only, no I/O; time is an argument."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from engine.geometry import Cell, Square
from engine.position import Side
from engine.view import BoardView


class Role(StrEnum):
    """What a lit square tells the person to do."""

    LIFT = "lift"
    """Take this piece up: it moves."""
    PLACE = "place"
    """Put the piece down here."""
    PATH = "path"
    """The piece passes here."""
    REMOVE = "remove"
    """Take this piece off the board."""
    WRONG = "wrong"
    """What stands here, or the lack of it, does not agree with the game."""
    HINT = "hint"
    """Worth a look; nothing has to be done."""


Cues = tuple[tuple[Square, Role], ...]
"""Lit squares, at most one role a square. Levels, not edges: what is not named is dark."""


@dataclass(frozen=True, slots=True)
class Device:
    """What a device said of itself when it answered."""

    name: str
    unique_id: str
    firmware: str
    colour: bool
    """Tells white pieces from black ones."""
    identity: bool
    """Tells men from kings."""
    lamps: bool


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learned of one board, known by its unique id; cells as the board itself counts them."""

    turned: int | None = None
    """How it lies, in degrees clockwise as White sees it; None: not known."""
    swapped: bool = False
    """Whether it takes white pieces for black ones: their magnets are glued in the other way round."""
    dead: tuple[Cell, ...] = ()
    """Cells whose sensor does not see a piece."""
    stuck: tuple[Cell, ...] = ()
    """Cells whose sensor sees a piece where none stands."""
    pieces: tuple[tuple[str, str], ...] = ()
    """What its codes or chips stand for, learned at the start position: code (as the board's driver writes it) and
    `white_man`, `white_king`, `black_man`, `black_king`, or `white`, `black` where the kind is not told."""
    lay: int | None = None
    """How it lay when its pieces were learned, as `turned`; it is found out anew at the next start position."""


@dataclass(frozen=True, slots=True)
class Battery:
    """What a board says of its battery."""

    percent: int
    """0 to 100."""
    charging: bool


@dataclass(frozen=True, slots=True)
class ClockTimes:
    """What a clock at the board shows."""

    white_ms: int
    black_ms: int
    running: Side | None
    """Whose time runs; None while it stands."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a driver has to say after bytes came in or time went by."""

    views: tuple[BoardView, ...] = ()
    """Whole views, oldest first."""
    pressed: tuple[str, ...] = ()
    """Buttons pressed: `confirm`, `take_back`, `new_game`, `set_up` (a long press of it), `clock_white`, `clock_black`
    (that side ended its turn),
    `draw`, `resign`."""
    send: bytes = b""
    """Bytes for the wire, in order."""
    online: bool | None = None
    """True when the device has just been found or came back, False when it has just gone silent."""
    battery: Battery | None = None
    """When it is not what was said before."""
    stopped: bool | None = None
    """True when the emergency stop was pressed, False when it was let go; the first time it is known it is told too."""
    clock: ClockTimes | None = None
    """The times of a clock at the board, when they are not what those told before have come to."""
    hand: bool | None = None
    """True when a hand has come over the board, False when it is gone; only some boards see hands."""


NOTHING = Output()


@dataclass(frozen=True, slots=True)
class Counters:
    """Faults and traffic of a link since it was opened."""

    packets: int = 0
    dropped: int = 0
    """Packets or bytes thrown away: bad checksum, bad length, garbage between packets."""
    resent: int = 0
    by_reason: tuple[tuple[str, int], ...] = field(default=())
    restarts: int = 0
    """How often the board has lost its power or started anew while it was in use."""
    reopened: int = 0
    """How often the port was opened again because the board had gone silent."""
    remark: str = ""
    """What is to be known of a board that works, in one sentence; empty for nothing."""
