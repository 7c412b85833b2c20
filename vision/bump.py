"""A camera or a board that was pushed: where the board is now, from a small picture of it and what it was before."""

from __future__ import annotations

import cv2
import numpy as np

from vision.ground import EDGE, PIXELS, Places, shifted
from vision.height import board_to_picture
from vision.locate import Image, Points, locate, mapped

HALF = 0.5
"""A shift by less, in sides of a square, goes by itself; what is pushed further may lie a square off."""
_STEPS = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-4)
_LEAST_FIT = 0.6


def followed(before: Image, now: Image, where: Places, corners: Points, columns: int, rows: int) -> Points | None:
    """The corners in the picture that `now` was made of with the old ones; None where it cannot be told.

    `before` and `now` are small pictures as vision.ground makes them; moves of less than half a square are found.
    """
    one, other = (np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32) for image in (before, now))
    shift, sure = shifted(before, now)
    warp = np.eye(2, 3, dtype=np.float32)
    if sure > 0.1 and np.abs(shift).max() < HALF:
        warp[:, 2] = shift * PIXELS
    mask = np.asarray(where.free, np.uint8)
    try:
        fit, warp_found = cv2.findTransformECC(one, other, warp, cv2.MOTION_AFFINE, _STEPS, mask, 5)
    except cv2.error:  # it does not converge
        return None
    if fit < _LEAST_FIT:
        return None
    outer = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float64)
    at = (outer * PIXELS + EDGE - 0.5) @ np.asarray(warp_found[:, :2], np.float64).T + warp_found[:, 2]
    moved = (at + 0.5 - EDGE) / PIXELS
    if np.abs(moved - outer).max() >= HALF:
        return None
    return mapped(board_to_picture(corners, columns, rows), moved)


def found_again(image: Image, corners: Points, columns: int, rows: int) -> tuple[Points, float] | None:
    """The corners of the board sought anew, and how far they have moved, in sides of a square; None if none is found.

    They come in the order that is nearest to that of the old ones.
    """
    located = locate(image)
    if located is None or {located.columns, located.rows} != {columns, rows}:
        return None
    side = np.sqrt(abs(cv2.contourArea(corners.astype(np.float32))) / (columns * rows))
    ways = [np.roll(located.corners, -turn, axis=0) for turn in range(4)]
    away = [float(np.hypot(*(way - corners).T).max() / side) for way in ways]
    best = int(np.argmin(away))
    return ways[best], away[best]
