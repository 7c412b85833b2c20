"""An arm is shown its board: the steps as a value, for the command line and the page alike.

Each stage asks something of a person; some have the arm do something once that is done. What was touched comes
together to a workspace; what does not fit is a CalibrationError whose kind is a key of the texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from engine.geometry import Cell, Square
from engine.ruleset import Ruleset
from firmware_bridge.manipulations import Act, Fetch, Home, Lift, Park, Place, Slide, Slot, Spot
from firmware_bridge.touched import CalibrationError, fitted, off_mm, spots, tray_ends, tray_placed
from firmware_bridge.workspace import Point, Workspace
from station import announcements as say

STEPS_MM = (0.1, 1.0, 10.0, 50.0)
DOWN_MM = 0.5
"""Nobody breaks a gripper by steps of this size."""
RISE_MM = 10.0
"""The tool leaves a touched place upwards by so much."""
WAYS = {
    **{"left": (-1, 0, 0), "right": (1, 0, 0), "away": (0, 1, 0), "near": (0, -1, 0)},
    **{"up": (0, 0, 1), "down": (0, 0, -1)},
}
"""Where a tool is moved to: along x, y, z of the machine."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Everything comes off the board; then the arm looks for its home."""


@dataclass(frozen=True, slots=True)
class TouchSpot:
    """The tool is brought to a place of the board."""

    spot: Spot


@dataclass(frozen=True, slots=True)
class TouchSlot:
    """The tool is brought into a slot of the tray."""

    slot: Slot


@dataclass(frozen=True, slots=True)
class TouchPark:
    """The tool is brought to where it is to wait."""


@dataclass(frozen=True, slots=True)
class Try:
    """A piece is put on a square; then the arm lifts it and puts it back."""

    square: Square


@dataclass(frozen=True, slots=True)
class Judge:
    """Somebody looks whether the piece stands as before."""

    square: Square


Touch = TouchSpot | TouchSlot | TouchPark
Stage = Begin | Touch | Try | Judge
Asked = tuple[str, Mapping[str, str]]
"""A key of the texts, and the words for it."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """How far it has come."""

    name: str
    """Of the board."""
    arm: str
    ruleset: Ruleset
    space: Workspace
    """As the arm is built, and with what was touched so far."""
    stages: tuple[Stage, ...]
    at: int = 0
    spots: tuple[tuple[Spot, Point], ...] = ()
    slots: tuple[tuple[Slot, Point], ...] = ()

    @property
    def stage(self) -> Stage | None:
        """What is to be done now; None when all is."""
        return self.stages[self.at] if self.at < len(self.stages) else None

    @property
    def asked(self) -> Asked:
        """What the person is asked for."""
        match self.stage:
            case TouchSpot(spot=(column, row)):
                words = {"column": _between(column + 1), "row": _between(self.space.rows - row)}
                return "touch", {"number": str(self.at), **words}
            case TouchSlot(slot=slot):
                return "slot", {"number": str(self.at), "slot": str(slot)}
            case TouchPark():
                return "park", {"number": str(self.at)}
            case Try(square=square):
                return "trial", {"square": self._named(square)}
            case Judge(square=square):
                return "stands", {"square": self._named(square)}
            case _:
                return "begin", {"name": self.name, "arm": self.arm}

    @property
    def acts(self) -> tuple[Act, ...]:
        """What the arm does once the person has done what is asked for."""
        match self.stage:
            case Begin():
                return Home(), Park()
            case Try(square=square):
                return *trial(self.ruleset.geometry.cells[square], self.space), Park()
            case _:
                return ()

    @property
    def hover(self) -> tuple[float, float] | None:
        """Where the place to be touched must be about, by what was touched already; None while that is not known."""
        stage, corners = self.stage, spots(self.space.columns, self.space.rows)
        if not isinstance(stage, TouchSpot) or len(self.spots) < len(corners) - 1:
            return None
        near_left, near_right, far_left = (point[:2] for _, point in self.spots[: len(corners) - 1])
        corner = replace(self.space, near_left=near_left, near_right=near_right, far_left=far_left, corrections=())
        return corner.xy(stage.spot)

    def rises(self, at: Point) -> Point | None:
        """Where the tool goes from a place that it touches; None where it stays."""
        if self.space.is_below or not isinstance(self.stage, TouchSpot | TouchSlot):
            return None
        return at[0], at[1], min(at[2] + RISE_MM, self.space.highest[2])

    def touched(self, at: Point) -> Lesson:
        """The lesson after the tool was brought where it was wanted; CalibrationError when that does not fit."""
        match self.stage:
            case TouchSpot(spot=spot):
                lesson = replace(self, at=self.at + 1, spots=(*self.spots, (spot, at)))
                is_last = not isinstance(lesson.stage, TouchSpot)
                return replace(lesson, space=fitted(self.space, dict(lesson.spots))) if is_last else lesson
            case TouchSlot(slot=slot):
                lesson = replace(self, at=self.at + 1, slots=(*self.slots, (slot, at)))
                is_last = not isinstance(lesson.stage, TouchSlot)
                return replace(lesson, space=tray_placed(self.space, dict(lesson.slots))) if is_last else lesson
            case _:
                return replace(self, at=self.at + 1, space=replace(self.space, park=at))

    def done(self) -> Lesson:
        """The lesson after what the arm had to do."""
        return replace(self, at=self.at + 1)

    def judged(self, stands: bool) -> Lesson:
        """The lesson after somebody has looked at a piece; CalibrationError when it stands elsewhere."""
        assert isinstance(self.stage, Judge)
        if not stands:
            raise CalibrationError("off", square=self._named(self.stage.square))
        return self.done()

    @property
    def fits(self) -> Asked | None:
        """What there is to say of a board whose last place was touched just now."""
        if not self.spots or not isinstance(self.stages[self.at - 1], TouchSpot) or isinstance(self.stage, TouchSpot):
            return None
        heights = [point[2] for _, point in self.spots]
        words = {"off": off_mm(self.space, dict(self.spots)), "pitch": self.space.pitch_mm}
        words["height"] = max(heights) - min(heights)
        return "fits", {key: f"{value:.2f}" for key, value in words.items()}

    def check_reach(self, out_of_reach: Callable[[Act], str | None]) -> None:
        """CalibrationError for the first square or slot that the arm does not reach."""
        cells = self.ruleset.geometry.cells
        slots = () if self.space.is_below else range(len(self.space.tray))
        acts: list[tuple[str, Act]] = [("", Park()), *((f"slot {slot}", Fetch(slot, cells[0])) for slot in slots)]
        for square, cell in enumerate(cells):
            acts.append((self._named(square), Slide((cell,)) if self.space.is_below else Lift(cell)))
        for place, act in acts:
            out = out_of_reach(act)
            if out is not None:
                raise CalibrationError("reach", place=place or str(act), reason=out)

    def _named(self, square: Square) -> str:
        (name,) = say.names((square,), self.ruleset)
        return name


def begun(name: str, arm: str, ruleset: Ruleset, built: Workspace, *, nine: bool = False) -> Lesson:
    """A lesson before its first step."""
    board = tuple(TouchSpot(spot) for spot in spots(built.columns, built.rows, nine=nine))
    tray = tuple(TouchSlot(slot) for slot in tray_ends(built))
    tried: list[Stage] = [stage for square in trial_squares(ruleset) for stage in (Try(square), Judge(square))]
    return Lesson(name, arm, ruleset, built, (Begin(), *board, *tray, TouchPark(), *tried))


def jogged(at: Point, way: str, step_mm: float) -> Point:
    """Where a step brings the tool; downwards it is a small one."""
    x, y, z = WAYS[way]
    length = min(step_mm, DOWN_MM) if z < 0 else step_mm
    return at[0] + x * length, at[1] + y * length, at[2] + z * length


def trial(cell: Cell, space: Workspace) -> tuple[Act, ...]:
    """What is done to a piece on a cell so that it stands there again."""
    if not space.is_below:
        return Lift(cell), Place(cell)
    column, row = cell
    aside = (column + (0.5 if column < space.columns / 2 else -0.5), row + (0.5 if row < space.rows / 2 else -0.5))
    return (Slide((cell, aside, cell)),)


def trial_squares(ruleset: Ruleset) -> tuple[Square, ...]:
    """Five squares: near each corner, and in the middle."""
    geometry, right, down = ruleset.geometry, ruleset.columns - 1, ruleset.rows - 1
    wanted = ((0, down), (right, down), (right, 0), (0, 0), (right / 2, down / 2))
    found = []
    for place in wanted:
        nearest = min(
            range(len(geometry)),
            key=lambda s: (geometry.cells[s][0] - place[0]) ** 2 + (geometry.cells[s][1] - place[1]) ** 2,
        )
        found.append(nearest)
    return tuple(found)


def _between(number: float) -> str:
    """A column or row as people count it; `4-5` where two meet."""
    return str(int(number)) if number == int(number) else f"{int(number)}-{int(number) + 1}"
