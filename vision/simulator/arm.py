"""An arm that reaches over the board: sleeve, hand, fingers, and the shadow it throws."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.simulator.lens import Camera, Numbers
from vision.simulator.light import Light
from vision.simulator.pieces import Mask, Standing, cast, circle, fill
from vision.simulator.wood import Colour, Texture

SKINS: tuple[Colour, ...] = ((140, 168, 214), (112, 140, 196), (62, 88, 138), (168, 190, 228))
SLEEVES: tuple[Colour, ...] = ((52, 36, 30), (120, 70, 44), (60, 60, 150), (190, 196, 200), (60, 84, 58))

_ROUNDED = ((1.0, 0.72), (0.8, 0.86), (0.5, 1.0), (0.25, 1.08))
"""A limb is drawn so much thinner and in so much of its colour, one upon the other."""

HAND = 3.1
"""From the wrist to the fingertips, bent as they hold a piece, in squares."""


@dataclass(frozen=True, slots=True)
class Arm:
    """Where an arm is; lengths in squares, as the lens measures space."""

    x: float
    y: float
    z: float
    """Of the fingertips."""
    shoulder: tuple[float, float]
    """From where over the table it comes."""
    holding: Standing | None = None
    """What is between the fingers."""
    speed: tuple[float, float] = (0.0, 0.0)
    """Squares a second."""
    skin: Colour = SKINS[0]
    sleeve: Colour = SLEEVES[0]
    bare: float = 1.6
    """How much of the forearm no sleeve covers."""


@dataclass(frozen=True, slots=True)
class _Limb:
    """A part of an arm: round, from one end to the other."""

    first: tuple[float, float, float]
    last: tuple[float, float, float]
    first_radius: float
    last_radius: float
    cloth: bool = False
    nail: bool = False


def draw_arm(drawn: Texture, mask: Mask, arm: Arm, camera: Camera, light: Light) -> None:
    """Draw the arm without what it holds, and into the mask where it is."""
    limbs = _limbs(arm)
    towards = np.array(light.lamp) - (arm.x, arm.y, arm.z)
    layers = [[_outline(limb, share, towards / np.linalg.norm(towards)) for share, _ in _ROUNDED] for limb in limbs]
    for limb, outlines in zip(limbs, camera.project(np.array(layers)), strict=True):
        colour = arm.sleeve if limb.cloth else arm.skin
        fill(mask, outlines[0], 255.0)
        for outline, (_, by) in zip(outlines, _ROUNDED, strict=True):
            fill(drawn, outline, _times(colour, by))
        if limb.nail:
            x, y, z = limb.last
            fill(drawn, camera.project(circle((x, y, z + 0.1), limb.last_radius * 0.55)), _times(colour, 1.2))
    _soften(drawn, mask, 0.08 * camera.side(arm.x, arm.y, arm.z))


def arm_shadow(mask: Mask, arm: Arm, camera: Camera, light: Light) -> None:
    """Where on the table the lamp does not reach because of the arm; any size of mask of the picture's shape."""
    scale = mask.shape[1] / camera.width
    outlines = np.array([_outline(limb) for limb in _limbs(arm)])
    for outline in camera.project(cast(outlines, light)) * scale:
        fill(mask, outline, 255.0)


def _limbs(arm: Arm) -> list[_Limb]:
    """From the elbow to the fingertips, what is further up last."""
    tip = np.array([arm.x, arm.y])
    back = np.array(arm.shoulder) - tip
    back = back / max(float(np.hypot(*back)), 1e-6)
    across = np.array([-back[1], back[0]])

    def at(behind: float, beside: float, up: float) -> tuple[float, float, float]:
        x, y = tip + behind * back + beside * across
        return float(x), float(y), arm.z + up

    wrist = at(HAND, 0.1, 1.0)
    cuff, elbow = at(HAND + arm.bare, 0.1, 1.3), at(HAND + 9, 0.4, 1.6)
    fingers = []
    for number, (beside, knuckle, reach) in enumerate(((-0.1, -0.45, 0.3), (0.2, -0.05, 0.34), (0.5, 0.35, 0.1))):
        bent = at(0.75, beside * 1.1 + 0.05, 1.0 - 0.05 * number)
        fingers += [
            _Limb(at(1.55, knuckle, 1.0), bent, 0.26, 0.21),
            _Limb(bent, at(-reach, beside, 0.22), 0.21, 0.16, nail=True),
        ]
    little = [_Limb(at(1.5, 0.7, 0.95), at(0.8, 0.85, 0.85), 0.22, 0.18)]
    thumb = [
        _Limb(at(2.2, -0.55, 0.9), at(1.1, -0.75, 0.7), 0.33, 0.24),
        _Limb(at(1.1, -0.75, 0.7), at(0.25, -0.35, 0.22), 0.24, 0.18, nail=True),
    ]
    return [
        _Limb(elbow, cuff, 1.1, 0.82, cloth=True),
        _Limb(cuff, wrist, 0.68, 0.55),
        *little,
        *fingers[4:],
        *thumb,
        *fingers[:4],
        _Limb(wrist, at(1.65, 0.1, 1.0), 0.55, 0.82),
    ]


def _outline(limb: _Limb, share: float = 1.0, towards: Numbers | None = None) -> Numbers:
    """A limb, or what is left of it so much thinner and a little nearer to the lamp. Shape (points, 3)."""
    shift = 0 if towards is None else 0.35 * (1 - share) * towards
    ends = ((limb.first, limb.first_radius), (limb.last, limb.last_radius))
    return np.concatenate([circle(np.array(end) + radius * shift, radius * share) for end, radius in ends])


def _soften(drawn: Texture, mask: Mask, sigma: float) -> None:
    """Skin has no edges between light and shade; what is round is seen at half the resolution as well."""
    x, y, width, height = cv2.boundingRect(mask)
    if min(width, height) < 4:
        return
    part, inside = drawn[y : y + height, x : x + width], mask[y : y + height, x : x + width]
    half = (width // 2, height // 2)
    colours = cv2.GaussianBlur(cv2.resize(part, half, interpolation=cv2.INTER_AREA), (0, 0), sigma / 2)
    weight = cv2.GaussianBlur(cv2.resize(inside, half, interpolation=cv2.INTER_AREA), (0, 0), sigma / 2)
    # Outside the arm nothing is drawn: its share of the blurred colour is taken out again.
    soft = cv2.divide(colours, cv2.merge([np.maximum(weight, 1)] * 3), scale=255.0)
    blended = cv2.addWeighted(part, 0.3, cv2.resize(soft, (width, height)), 0.7, 0.0)
    cv2.copyTo(blended, cv2.threshold(inside, 127, 255, cv2.THRESH_BINARY)[1], part)


def _times(colour: Colour, by: float) -> Colour:
    blue, green, red = (min(255.0, part * by) for part in colour)
    return blue, green, red
