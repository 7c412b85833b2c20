"""A camera above a board: where points of space come to lie in its picture.

Space is measured in sides of a square: x to the right and y towards White as White sees the board, z upwards, from
the corner at Black's right hand, which White sees at the upper left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole with a lens that bends lines."""

    width: int
    height: int
    focal: float
    """In pixels."""
    at: tuple[float, float, float]
    """Where it hangs."""
    towards: tuple[float, float]
    """The point of the board in the middle of its picture."""
    roll: float = 0.0
    """Degrees by which the picture is turned."""
    bend: float = -0.06
    """The first radial coefficient: negative for a barrel."""
    corner: tuple[int, int] = (0, 0)
    """The pixel that counts as the first: a part of a picture begins there."""

    def project(self, points: Numbers) -> Numbers:
        """Where points of space are seen. Shapes (..., 3), (..., 2): x and y in pixels."""
        seen = (np.asarray(points, np.float64) - np.array(self.at)) @ self._axes().T
        flat = seen[..., :2] / seen[..., 2:]
        bent = flat * (1 + self.bend * (flat**2).sum(axis=-1, keepdims=True))
        return np.asarray(self.focal * bent + self._middle(), np.float64)

    def ground(self) -> NDArray[np.float32]:
        """Which point of the table each pixel shows. Shape (height, width, 2)."""
        x, y = np.meshgrid(np.arange(self.width), np.arange(self.height))
        bent = (np.stack([x, y], axis=-1) - self._middle()) / self.focal
        flat = bent
        for _ in range(8):
            flat = bent / (1 + self.bend * (flat**2).sum(axis=-1, keepdims=True))
        rays = np.concatenate([flat, np.ones((*flat.shape[:2], 1))], axis=-1) @ self._axes()
        at = np.array(self.at)
        # Above the horizon there is no table: what is far away stands for it.
        reach = at[2] / np.maximum(-rays[..., 2], 0.05)
        return np.asarray(at[:2] + rays[..., :2] * reach[..., None], np.float32)

    def corners(self, columns: int, rows: int) -> Numbers:
        """The playing area's corners: upper left as White sees it, then clockwise. Shape (4, 2)."""
        return self.project(np.array([(0, 0, 0), (columns, 0, 0), (columns, rows, 0), (0, rows, 0)], np.float64))

    def side(self, x: float, y: float, z: float = 0.0) -> float:
        """How many pixels the side of a square has there."""
        away = (np.array((x, y, z)) - np.array(self.at)) @ self._axes()[2]
        return float(self.focal / away)

    def bumped(self, x: float, y: float, degrees: float = 0.0) -> Camera:
        """The same camera, pushed along the table and turned."""
        moved = (self.at[0] + x, self.at[1] + y, self.at[2])
        return replace(self, at=moved, towards=(self.towards[0] + x, self.towards[1] + y), roll=self.roll + degrees)

    def _middle(self) -> Numbers:
        return np.array([(self.width - 1) / 2 - self.corner[0], (self.height - 1) / 2 - self.corner[1]])

    def _axes(self) -> Numbers:
        return _axes(self.at, self.towards, self.roll)


@cache
def _axes(at: tuple[float, float, float], towards: tuple[float, float], roll: float) -> Numbers:
    """Right, down and forwards as the picture has them. Shape (3, 3)."""
    forwards = np.array([towards[0] - at[0], towards[1] - at[1], -at[2]])
    forwards = forwards / np.linalg.norm(forwards)
    flat = np.hypot(forwards[0], forwards[1])
    away = forwards[:2] / flat if flat > 1e-9 else np.array([0.0, -1.0])
    right = np.array([-away[1], away[0], 0.0])
    down = np.array([forwards[2] * away[0], forwards[2] * away[1], -flat])
    turn = np.deg2rad(roll)
    return np.array([np.cos(turn) * right + np.sin(turn) * down, np.cos(turn) * down - np.sin(turn) * right, forwards])


def camera_over(  # noqa: PLR0913 - a camera is placed by as many numbers
    columns: int,
    rows: int,
    *,
    tilt: float = 0.0,
    azimuth: float = 0.0,
    roll: float = 0.0,
    bend: float = -0.06,
    fill: float = 0.88,
    width: int = 640,
    height: int = 480,
) -> Camera:
    """A camera that sees the whole board, which fills so much of its picture.

    `tilt`: degrees from straight above; `azimuth`: from which side, in degrees from White's towards the right.
    """
    middle = (columns / 2, rows / 2)
    lean, turn = np.deg2rad(max(tilt, 1e-4)), np.deg2rad(azimuth)
    direction = np.array([np.sin(lean) * np.sin(turn), np.sin(lean) * np.cos(turn), np.cos(lean)])

    def at(away: float) -> Camera:
        x, y, z = np.array([*middle, 0.0]) + away * direction
        return Camera(width, height, 0.95 * width, (float(x), float(y), float(z)), middle, roll, bend)

    near, far = 4.0, 100.0
    for _ in range(40):
        away = (near + far) / 2
        offset = np.abs(at(away).corners(columns, rows) - np.array([(width - 1) / 2, (height - 1) / 2]))
        fits = bool((offset <= fill * np.array([width, height]) / 2).all())
        near, far = (near, away) if fits else (away, far)
    return at(far)
