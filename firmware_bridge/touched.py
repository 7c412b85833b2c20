"""From touched points to where board and tray lie; what does not fit together is refused, and by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from firmware_bridge.manipulations import Slot, Spot
from firmware_bridge.workspace import Point, Workspace

MOST_SKEW_MM = 1.5
"""How far the fourth corner may be from where the three others put it."""
MOST_STRETCH = 0.02
"""By how much, as a share, cells may be longer one way than the other, or a tray than its plan."""
MOST_LEAN_DEGREES = 1.0
MOST_TILT_MM = 1.5
"""How much higher the board may be at one touched place than at another."""
MOST_BEND_MM = 5.0
"""What one of nine touched points may add."""


class CalibrationError(ValueError):
    """What was touched is no board that this arm can play on; `kind` and `words` say why, and by how much."""

    def __init__(self, kind: str, **words: str) -> None:
        super().__init__(f"{kind}: {', '.join(f'{key} {value}' for key, value in words.items())}")
        self.kind, self.words = kind, words


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What a calibration found, in mm of the machine; the fields are those of `Workspace`."""

    columns: int
    rows: int
    near_left: tuple[float, float]
    near_right: tuple[float, float]
    far_left: tuple[float, float]
    board_z: float
    park: Point
    corrections: tuple[tuple[float, float], ...] = ()
    tray: tuple[tuple[float, float], ...] = ()
    tray_z: float = 0.0

    def placed(self, built: Workspace) -> Workspace:
        """The workspace of an arm that is built so, with board and tray where they were touched."""
        return replace(
            built,
            near_left=self.near_left,
            near_right=self.near_right,
            far_left=self.far_left,
            board_z=self.board_z,
            park=self.park,
            corrections=self.corrections,
            tray=self.tray,
            tray_z=self.tray_z,
        )


def calibrated(workspace: Workspace) -> Calibrated:
    """What there is to keep of a workspace."""
    return Calibrated(
        workspace.columns,
        workspace.rows,
        workspace.near_left,
        workspace.near_right,
        workspace.far_left,
        workspace.board_z,
        workspace.park,
        workspace.corrections,
        workspace.tray,
        workspace.tray_z,
    )


def spots(columns: int, rows: int, *, nine: bool = False) -> tuple[Spot, ...]:
    """The places to be touched: the corner cells, White's left first and the proof last; of nine the rest after it."""
    right, down = columns - 1, rows - 1
    corners: tuple[Spot, ...] = ((0, down), (right, down), (0, 0), (right, 0))
    rest = tuple(spot for spot in _nine(columns, rows) if spot not in corners)
    return corners + rest if nine else corners


def _nine(columns: int, rows: int) -> tuple[Spot, ...]:
    """Rows from the far side, left to right, as `Workspace.corrections` has them."""
    return tuple((across * (columns - 1) / 2, down * (rows - 1) / 2) for down in range(3) for across in range(3))


def fitted(workspace: Workspace, touched: Mapping[Spot, Point]) -> Workspace:
    """The workspace whose board lies where `spots` of it were touched; CalibrationError when they are no board."""
    corners = spots(workspace.columns, workspace.rows)
    near_left, near_right, far_left, far_right = (touched[spot][:2] for spot in corners)
    plain = replace(workspace, near_left=near_left, near_right=near_right, far_left=far_left, corrections=())
    check_corners(plain, far_right)
    heights = [point[2] for point in touched.values()]
    if max(heights) - min(heights) > MOST_TILT_MM:
        raise CalibrationError("tilt", off=f"{max(heights) - min(heights):.2f}", most=f"{MOST_TILT_MM:g}")
    nine = _nine(workspace.columns, workspace.rows)
    corrections: tuple[tuple[float, float], ...] = ()
    if all(spot in touched for spot in nine):
        corrections = tuple(_off(plain.xy(spot), touched[spot]) for spot in nine)
        worst = max(math.hypot(*off) for off in corrections)
        if worst > MOST_BEND_MM:
            raise CalibrationError("bend", off=f"{worst:.2f}", most=f"{MOST_BEND_MM:g}")
    return replace(plain, corrections=corrections, board_z=sum(heights) / len(heights))


def off_mm(workspace: Workspace, touched: Mapping[Spot, Point]) -> float:
    """How far the worst of the touched places is from where a workspace has it."""
    return max(math.dist(workspace.xy(spot), point[:2]) for spot, point in touched.items())


def _off(expected: tuple[float, float], found: Point) -> tuple[float, float]:
    return found[0] - expected[0], found[1] - expected[1]


def check_corners(workspace: Workspace, far_right: tuple[float, float]) -> None:
    """CalibrationError when the fourth corner, touched as a proof, is not where three others put it, or cells lean."""
    ends = (workspace.near_right, workspace.near_left, workspace.far_left)
    if len({*ends}) < 3:
        raise CalibrationError("same")
    expected = workspace.xy((workspace.columns - 1, 0))
    skew = math.dist(expected, far_right)
    if skew > MOST_SKEW_MM:
        raise CalibrationError(
            "skew",
            found=f"{far_right[0]:.2f}, {far_right[1]:.2f}",
            expected=f"{expected[0]:.2f}, {expected[1]:.2f}",
            off=f"{skew:.2f}",
            most=f"{MOST_SKEW_MM:g}",
        )
    across = math.dist(workspace.near_left, workspace.near_right) / (workspace.columns - 1)
    along = math.dist(workspace.near_left, workspace.far_left) / (workspace.rows - 1)
    if abs(across - along) > MOST_STRETCH * across:
        raise CalibrationError("cells", across=f"{across:.2f}", along=f"{along:.2f}")
    (ux, uy), (vx, vy) = ((b[0] - a[0], b[1] - a[1]) for a, b in pairwise(ends))
    angle = abs(math.degrees(math.acos((ux * vx + uy * vy) / (math.hypot(ux, uy) * math.hypot(vx, vy)))))
    if abs(angle - 90) > MOST_LEAN_DEGREES:
        raise CalibrationError("lean", angle=f"{angle:.1f}", most=f"{MOST_LEAN_DEGREES:g}")
    if ux * vy - uy * vx > 0:  # from White's right to the left, then away from White: a turn to the right
        raise CalibrationError("mirrored")


def tray_ends(workspace: Workspace) -> tuple[Slot, ...]:
    """The slots to be touched: the first one and the one that is farthest from it."""
    tray = workspace.tray
    if not tray or workspace.is_below:
        return ()
    farthest = max(range(len(tray)), key=lambda slot: math.dist(tray[0], tray[slot]))
    return (0,) if farthest == 0 else (0, farthest)


def tray_placed(workspace: Workspace, touched: Mapping[Slot, Point]) -> Workspace:
    """The workspace whose tray, shifted and turned as planned, lies where its ends were touched; CalibrationError."""
    tray = workspace.tray
    first, last = min(touched), max(touched)
    start, turn = complex(*touched[first][:2]), 1 + 0j
    if first != last:
        planned, found = complex(*tray[last]) - complex(*tray[first]), complex(*touched[last][:2]) - start
        if abs(abs(found) - abs(planned)) > MOST_STRETCH * abs(planned):
            raise CalibrationError("tray", found=f"{abs(found):.2f}", expected=f"{abs(planned):.2f}", slot=str(last))
        turn = found / planned
    slots = (start + (complex(*slot) - complex(*tray[first])) * turn for slot in tray)
    heights = [point[2] for point in touched.values()]
    if max(heights) - min(heights) > MOST_TILT_MM:
        raise CalibrationError("tilt", off=f"{max(heights) - min(heights):.2f}", most=f"{MOST_TILT_MM:g}")
    placed = tuple((slot.real, slot.imag) for slot in slots)
    return replace(workspace, tray=placed, tray_z=sum(heights) / len(heights))
