"""The board seen from straight above: every square of the same size, row 0 at the top."""

from __future__ import annotations

import cv2
import numpy as np

from vision.locate import Image, Points

SIDE = 48
"""Pixels to a side of a square."""
MARGIN = 24
"""Pixels around the board: pieces stand over its edge."""


def rectified(image: Image, corners: Points, columns: int, rows: int) -> Image:
    """The board of a picture. `corners`: upper left, then clockwise, as the board is to be shown.

    Shape (rows * SIDE + 2 * MARGIN, columns * SIDE + 2 * MARGIN, 3).
    """
    width, height = columns * SIDE, rows * SIDE
    to = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) + np.float32(MARGIN - 0.5)
    homography = cv2.getPerspectiveTransform(corners.astype(np.float32), to)
    size = (width + 2 * MARGIN, height + 2 * MARGIN)
    # Shrinking by much with interpolation alone would pick single pixels; a blur before it does not.
    side = float(np.hypot(*(corners[1] - corners[0]))) / columns
    if side > 1.5 * SIDE:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.35 * side / SIDE), np.uint8)
    board = cv2.warpPerspective(image, homography, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(board, np.uint8)
