"""An arm as a session knows it: how it is set up, what it is doing, what lies in its tray."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from engine.geometry import Square
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Piece
from station.handling.plans import Contents, Plan, Step, Tool

NOT_MOVING = ("leds", "human")
"""Arms that are persons: they are shown what to do."""
DRY_RUN = "dry-run"
"""An arm whose way is worked out, and which is not moved."""

SETTLE_MS = 1000
"""The board has stood still for so long before anything moves."""
WARNING_MS = 1000
"""The lamps show a move for so long before the first motion."""
CHECK_MS = 2000
"""So long after a step the board may take to show what it should."""
SHOWN_MS = 150
"""So long it has to show it."""
ACT_MS = 90_000
"""No act takes longer; the arm itself has a nearer deadline for every waypoint."""
MOST_TRIES = 3
"""A piece that was not gripped is tried for so often, within its own square."""
MOST_STOPS = 3
"""The lamps take over at this stop in a move: two recoveries have failed."""
SET_UP = -2
"""Stands for the ply of a move where the board is set up."""
MOST_ALARMS = 3
"""The lamps take over at this alarm in a game."""


@dataclass(frozen=True, slots=True)
class ArmSettings:
    """How a board's arm is set up."""

    driver: str = DRY_RUN
    tool: Tool = field(default_factory=Tool)
    slots: int = 40
    """Places in its tray."""
    spares: int = 2
    """Pieces of each side that lie in the first slots: kings where men are swapped, men where they are stacked."""

    @property
    def tray(self) -> Contents:
        """What lies in the tray before a game."""
        kinds = {"swap": (WHITE_KING, BLACK_KING), "stack": (WHITE_MAN, BLACK_MAN)}.get(self.tool.crown, ())
        spare = tuple(kind for kind in kinds for _ in range(self.spares))
        return (*spare, *(EMPTY,) * self.slots)[: self.slots]


@dataclass(frozen=True, slots=True)
class Resting:
    """Nothing is under way."""


@dataclass(frozen=True, slots=True)
class Homing:
    """It looks for its end stops, for job number `job`."""

    job: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class Warning:
    """The lamps show what is about to move."""

    until_ms: int


@dataclass(frozen=True, slots=True)
class Acting:
    """A step is carried out."""

    job: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class Checking:
    """A step is done; the board has to show it."""

    since_ms: int


@dataclass(frozen=True, slots=True)
class Asking:
    """A person is asked for something and presses the button: `empty_tray`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """It was stopped; only a press sets it going again, when the board shows a stage of the move."""

    reason: str
    """`hand`, `stop`, `halt`, `board` (it changed), `nothing` (lifted or arrived), `board_lost`, or a driver's kind."""
    detail: str = ""
    squares: tuple[Square, ...] = ()
    holds: bool = False
    """Whether a piece may be in the tool."""


Stage = Resting | Homing | Warning | Acting | Checking | Asking | Stopped


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm at a board."""

    settings: ArmSettings
    tray: Contents
    stage: Stage = field(default_factory=Resting)
    name: str = ""
    """What it said of itself; empty while it does not answer."""
    is_homed: bool = False
    is_armed: bool = False
    """Whether somebody at the table let it move."""
    is_hand_seen: bool = False
    job: int = 0
    """Number of the latest job."""
    plan: Plan | None = None
    ply: int = -1
    """The ply of the move that is planned."""
    at: int = 0
    """The step that is next or under way."""
    tries: int = 0
    stops: int = 0
    """Stops since the last move that it made whole."""
    alarms: int = 0
    """Alarms in this game."""
    by_hand_ply: int = -1
    """The move of this ply is made by a person."""
    off: str = ""
    """Why the lamps have taken over; empty while they have not."""
    sets_up: Contents = ()
    """What somebody asked it to make the board show; empty for nothing."""
    crowned_ply: int = -1
    """The move of this ply was crowned by the arm."""
    stacked_ply: int = -1
    """The move of this ply was crowned by it with a second man, which most boards do not see."""

    @property
    def is_busy(self) -> bool:
        """Whether the board's changes are the arm's own doing, and nothing goes into the record."""
        return isinstance(self.stage, Homing | Warning | Acting | Checking) and self.plan is not None

    @property
    def is_moving(self) -> bool:
        """Whether something may be in motion."""
        return isinstance(self.stage, Homing | Acting)

    @property
    def hides_hands(self) -> bool:
        """Whether the machine itself may be over the board, so that a camera cannot tell it from a hand."""
        is_over = isinstance(self.stage, Homing | Acting | Checking | Stopped) or bool(self.off)
        return self.moves and is_over and not self.settings.tool.slides

    @property
    def moves(self) -> bool:
        """Whether it is a machine, and not a person or a dry run."""
        return self.settings.driver not in (*NOT_MOVING, DRY_RUN)

    @property
    def step(self) -> Step | None:
        """The step that is next or under way."""
        return self.plan.steps[self.at] if self.plan is not None and self.at < len(self.plan.steps) else None

    def at_rest(self) -> Arm:
        """Without a plan."""
        return replace(self, stage=Resting(), plan=None, at=0, tries=0)


def arm_of(settings: ArmSettings | None, tray: Contents | None = None) -> Arm | None:
    """The arm of a board, before it answers; None where there is none."""
    if settings is None or settings.driver == "leds":
        return None
    fits = tray is not None and len(tray) == settings.slots
    return Arm(settings, tray if fits and tray is not None else settings.tray)


def tray_names(tray: Contents) -> tuple[str, ...]:
    """The tray as outsiders read it; a free slot is empty."""
    return tuple("" if piece is EMPTY else str(piece.name).lower() for piece in tray)


def read_tray(names: tuple[str, ...]) -> Contents:
    """The tray that names state; KeyError for a name that is none."""
    return tuple(Piece[name.upper()] if name else EMPTY for name in names)
