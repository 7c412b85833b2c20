"""A small arm of the SO-101's kind: base, shoulder, elbow, wrist, gripper pointing down; closed-form kinematics.

Lengths in mm, angles in degrees. The base's axis is the origin, z is up from the table; all zero: the upper arm
stands upright, the forearm lies level, straight ahead (x).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Angles = tuple[float, float, float, float]
"""Base, shoulder, elbow, wrist."""


@dataclass(frozen=True, slots=True)
class Links:
    """How the arm is built."""

    shoulder_z: float = 55.0
    """Height of the shoulder's axis."""
    shoulder_x: float = 30.0
    """How far it lies ahead of the base's axis."""
    upper: float = 116.0
    fore: float = 135.0
    tool: float = 100.0
    """From the wrist's axis down to the tip."""
    lowest: Angles = (-110.0, -100.0, -100.0, -95.0)
    highest: Angles = (110.0, 100.0, 95.0, 95.0)


def angles_for(links: Links, x: float, y: float, z: float) -> Angles | None:
    """The joints' angles that bring the tip to a point with the tool straight down; None when it is out of reach."""
    out = math.hypot(x, y) - links.shoulder_x
    up = z + links.tool - links.shoulder_z
    reach = math.hypot(out, up)
    if not abs(links.upper - links.fore) < reach < links.upper + links.fore or math.hypot(x, y) < links.shoulder_x:
        return None
    # The elbow bends upwards: the upper arm leans back from the line to the wrist.
    at_shoulder = math.acos((links.upper**2 + reach**2 - links.fore**2) / (2 * links.upper * reach))
    at_elbow = math.acos((links.upper**2 + links.fore**2 - reach**2) / (2 * links.upper * links.fore))
    upper = math.atan2(up, out) + at_shoulder
    fore = upper - math.pi + at_elbow
    base, shoulder, elbow = math.atan2(y, x), math.pi / 2 - upper, upper - math.pi / 2 - fore
    degrees = tuple(math.degrees(angle) for angle in (base, shoulder, elbow, fore))
    found = (degrees[0], degrees[1], degrees[2], degrees[3])
    is_inside = all(low <= angle <= high for low, angle, high in zip(links.lowest, found, links.highest, strict=True))
    return found if is_inside else None


def tip_of(links: Links, angles: Angles) -> tuple[float, float, float]:
    """Where the tip is with these angles and the tool straight down."""
    base, shoulder, elbow = (math.radians(angle) for angle in angles[:3])
    upper = math.pi / 2 - shoulder
    fore = upper - math.pi / 2 - elbow
    out = links.shoulder_x + links.upper * math.cos(upper) + links.fore * math.cos(fore)
    z = links.shoulder_z + links.upper * math.sin(upper) + links.fore * math.sin(fore) - links.tool
    return out * math.cos(base), out * math.sin(base), z
