"""Draughtsmen as a camera sees them: discs with an edge, rings and grain, one on another where it is a king."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.position import Piece, Side, is_king, side_of
from vision.simulator.lens import Camera, Numbers
from vision.simulator.light import Light
from vision.simulator.looks import Look
from vision.simulator.wood import Colour, Grain, Texture, grain

Mask = NDArray[np.uint8]
"""Height, width: how much of a pixel is covered, 0 to 255."""

_FINE = 4
"""Bits of a pixel's fraction in OpenCV's drawing."""
_ROUND = 32
_ANGLES = 2 * np.pi * np.arange(_ROUND) / _ROUND
_UNIT = np.stack([np.cos(_ANGLES), np.sin(_ANGLES), np.zeros(_ROUND)], axis=1)
_PATTERN = 256


@dataclass(frozen=True, slots=True)
class Standing:
    """A piece somewhere on the table or above it."""

    piece: Piece
    x: float
    y: float
    """Its middle, in squares, as the lens measures space."""
    z: float = 0.0
    """How far its underside is above the board."""
    grain: int = 0
    """Which piece of wood it was turned from."""
    stacked: bool = True
    """Whether a king is two men, one on the other; else a man with a cross carved into it."""


def height(standing: Standing, look: Look) -> float:
    """How high its top is above its underside."""
    return look.thick * (2 if is_king(standing.piece) and standing.stacked else 1)


def circle(middle: Numbers | tuple[float, float, float], radius: float) -> Numbers:
    """Points around a middle, level. Shape (points, 3)."""
    return np.asarray(_UNIT * radius + middle, np.float64)


def fill(drawn: NDArray[np.uint8], outline: Numbers, colour: Colour | float) -> None:
    """A convex outline in pixels, its edge smooth."""
    points = np.rint(outline * (1 << _FINE)).astype(np.int32)
    hull = np.asarray(cv2.convexHull(points), np.int32)
    ink = colour if isinstance(colour, tuple) else (colour,)
    cv2.fillConvexPoly(drawn, hull, ink, cv2.LINE_AA, _FINE)


def draw(drawn: Texture, mask: Mask, standing: Standing, camera: Camera, look: Look, light: Light) -> None:
    """Draw one piece, and into the mask where it is."""
    men = 2 if is_king(standing.piece) and standing.stacked else 1
    colour = look.white if side_of(standing.piece) is Side.WHITE else look.black
    for number in range(men):
        _disc(drawn, mask, standing, number * look.thick, colour, camera, look, light)
    if is_king(standing.piece) and not standing.stacked:
        _cross(drawn, standing, colour, camera, look)


def shadow(mask: Mask, standing: Standing, camera: Camera, look: Look, light: Light) -> None:
    """Where the lamp does not reach the table because of a piece."""
    low = circle((standing.x, standing.y, standing.z), look.radius)
    high = circle((standing.x, standing.y, standing.z + height(standing, look)), look.radius)
    fill(mask, camera.project(np.concatenate([cast(low, light), cast(high, light)])), 255.0)


def cast(points: Numbers, light: Light) -> Numbers:
    """Where the shadows of points fall on the table. Shape (..., 3) as that of the points."""
    lamp = np.array(light.lamp)
    share = points[..., 2:] / (lamp[2] - points[..., 2:])
    flat = points[..., :2] + share * (points[..., :2] - lamp[:2])
    return np.asarray(np.concatenate([flat, np.zeros_like(share)], axis=-1), np.float64)


def _disc(  # noqa: PLR0913, PLR0917 - what is drawn where, and by what it is seen
    drawn: Texture,
    mask: Mask,
    standing: Standing,
    above: float,
    colour: Colour,
    camera: Camera,
    look: Look,
    light: Light,
) -> None:
    x, y, low = standing.x, standing.y, standing.z + above
    high = low + look.thick
    bottom, rim = circle((x, y, low), look.radius), circle((x, y, high), look.radius)
    seen = camera.project(np.concatenate([bottom, rim]))
    fill(drawn, seen, _times(colour, 0.55))
    fill(mask, seen, 255.0)
    lit = np.array(light.lamp[:2]) - (x, y)
    lit = lit / max(float(np.hypot(*lit)), 1e-6)
    _edge(drawn, seen, lit, colour)
    # The rim is rounded: some of it always faces a light, and shows most on dark wood.
    fill(drawn, seen[_ROUND:], _times(colour, 1.1 + 12 / (12 + sum(colour) / 3)))
    fill(drawn, camera.project(circle((x, y, high), look.radius * 0.93)), colour)
    for ring in range(look.rings):
        radius = look.radius * (0.74 - 0.24 * ring)
        width = max(1, round(0.035 * camera.side(x, y, high)))
        for part, by in ((radius, 0.66), (radius * 0.94, 1.12)):
            points = np.rint(camera.project(circle((x, y, high), part)) * (1 << _FINE)).astype(np.int32)
            cv2.polylines(drawn, [points], True, _times(colour, by), width, cv2.LINE_AA, _FINE)
    _fibres(drawn, seen[_ROUND:], standing.grain + int(above > 0), 0.09)


def _edge(drawn: Texture, seen: Numbers, lit: Numbers, colour: Colour) -> None:
    """The side of the disc, lighter where it faces the lamp."""
    bottom, rim = seen[:_ROUND], seen[_ROUND:]
    outline = np.rint(np.stack([bottom, np.roll(bottom, -1, 0), np.roll(rim, -1, 0), rim], axis=1))
    facing = _UNIT[:, :2] @ lit
    for part, towards in zip(outline.astype(np.int32), facing, strict=True):
        cv2.fillConvexPoly(drawn, part, _times(colour, 0.62 + 0.3 * max(0.0, float(towards))))


def _fibres(drawn: Texture, rim: Numbers, number: int, contrast: float) -> None:
    """The grain of the top."""
    left, top = np.maximum(np.floor(rim.min(axis=0)).astype(int), 0)
    right, bottom = np.ceil(rim.max(axis=0)).astype(int) + 1
    part = drawn[top:bottom, left:right]
    if not part.size:
        return
    chance = number * 7919 % 101
    across, down = chance % (_PATTERN - part.shape[1]), (chance * 31) % (_PATTERN - part.shape[0])
    pattern = _pattern()[number % 4][down : down + part.shape[0], across : across + part.shape[1]]
    inside = np.zeros(part.shape[:2], np.uint8)
    fill(inside, rim - (left, top), 1.0)
    part[:] = np.clip(part * (1 + contrast * (pattern * inside)[..., None]), 0, 255)


@cache
def _pattern() -> tuple[Grain, ...]:
    chance = np.random.default_rng(11)
    straight = [grain(chance, _PATTERN, _PATTERN, 7) for _ in range(2)]
    return (*straight, *(np.ascontiguousarray(pattern.T) for pattern in straight))


def _cross(drawn: Texture, standing: Standing, colour: Colour, camera: Camera, look: Look) -> None:
    top, reach = standing.z + look.thick, 0.6 * look.radius
    width = max(2, round(0.08 * camera.side(standing.x, standing.y, top)))
    for dx, dy in ((reach, 0.0), (0.0, reach)):
        ends = np.array([(standing.x - dx, standing.y - dy, top), (standing.x + dx, standing.y + dy, top)])
        first, last = np.rint(camera.project(ends) * (1 << _FINE)).astype(np.int32)
        ink = _times(colour, 0.5 if sum(colour) > 300 else 3.0)
        cv2.line(drawn, tuple(first), tuple(last), ink, width, cv2.LINE_AA, _FINE)


def _times(colour: Colour, by: float) -> Colour:
    blue, green, red = (min(255.0, part * by) for part in colour)
    return blue, green, red
