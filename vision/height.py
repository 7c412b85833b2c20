"""Where the camera is above the board, and so where the tops of pieces seem to be: away from the point below it.

A point at height h above a point p of the board is seen where the board has p + (p - nadir) * h / (H - h), when the
camera stands at height H above its nadir; all lengths in sides of a square.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.locate import Points, mapped

MAN = 0.28
"""How high a man is, in sides of its square: 8 mm on 30 mm to 16 mm on 50 mm."""
USUAL_FOCAL = 1.0
"""Focal length of a usual camera, in longer sides of its picture (some 53 degrees across)."""
_FOCAL = (0.6, 2.5)
_SLANTED = 0.02
"""Perspective, from one side of the board to the other per square, from which it tells the focal length."""


@dataclass(frozen=True, slots=True)
class Eye:
    """Where the camera is, in sides of a square: column and row of the point below it, and its height above that."""

    column: float
    row: float
    height: float

    def seen(self, points: Points, above: float = MAN) -> Points:
        """Where on the board points at a height above it seem to be. Shape (n, 2), column and row."""
        away = points - np.array([self.column, self.row])
        return np.asarray(points + away * (above / max(self.height - above, above)), np.float64)


def board_to_picture(corners: Points, columns: int, rows: int) -> Points:
    """The homography from column and row (in squares, 0 at the upper left corner) to pixels. Shape (3, 3)."""
    squares = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(squares, corners.astype(np.float32)), np.float64)


def eye(corners: Points, columns: int, rows: int, width: int, height: int) -> Eye:
    """Where the camera is that sees the board's corners there in a picture of this size."""
    homography = board_to_picture(corners, columns, rows)
    centred = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]]) @ homography
    focal = _focal(centred, float(max(width, height)))
    rays = np.diag([1 / focal, 1 / focal, 1]) @ centred
    scale = (np.linalg.norm(rays[:, 0]) + np.linalg.norm(rays[:, 1])) / 2
    first, second, origin = (rays / scale).T
    turn = np.column_stack([first, second, np.cross(first, second)])
    place = -np.linalg.solve(turn, origin)
    return Eye(float(place[0]), float(place[1]), float(abs(place[2])))


def _focal(centred: Points, longest: float) -> float:
    """The focal length in pixels: what perspective tells, the usual one where the board is seen from straight above."""
    (a, b, _), (c, d, _), (e, f, g) = centred
    if np.hypot(e, f) < _SLANTED * abs(g):
        return USUAL_FOCAL * longest
    # Both axes of the board are at right angles, and equally long.
    known = np.array([a * b + c * d, a * a + c * c - b * b - d * d])
    told = np.array([e * f, e * e - f * f])
    squared = -float(known @ known) / min(float(known @ told), -1e-12)
    return float(np.clip(np.sqrt(max(squared, 0)), _FOCAL[0] * longest, _FOCAL[1] * longest))


def raised(corners: Points, columns: int, rows: int, where: Eye, above: float = MAN / 2) -> Points:
    """The corners, in pixels, of the board as it would lie at a height: pieces are in the middle of its squares."""
    squares = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float64)
    return mapped(board_to_picture(corners, columns, rows), where.seen(squares, above))
