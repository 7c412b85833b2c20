"""The board seen from straight above: every square of the same size, row 0 at the top."""

from __future__ import annotations

import cv2
import numpy as np

from vision.locate import Image, Points

SIDE = 32
"""Pixels to a side of a square."""
MARGIN = 16
"""Pixels around the board: pieces stand over its edge."""


def rectified(image: Image, corners: Points, columns: int, rows: int) -> Image:
    """The board of a picture. `corners`: upper left, then clockwise, as the board is to be shown.

    Shape (rows * SIDE + 2 * MARGIN, columns * SIDE + 2 * MARGIN, 3).
    """
    image, corners = shrunk(image, corners, columns)
    width, height = columns * SIDE, rows * SIDE
    to = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) + np.float32(MARGIN - 0.5)
    homography = cv2.getPerspectiveTransform(corners.astype(np.float32), to)
    size = (width + 2 * MARGIN, height + 2 * MARGIN)
    board = cv2.warpPerspective(image, homography, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(board, np.uint8)


def shrunk(image: Image, corners: Points, columns: int) -> tuple[Image, Points]:
    """What is around the board, halved until squares are less than twice as wide as wanted, and the corners in it.

    Shrinking by much with interpolation alone would pick single pixels.
    """
    side = float(np.hypot(*(corners[1] - corners[0]))) / columns
    by = 2 ** int(np.log2(max(side / SIDE, 1)))
    low = np.maximum(np.floor((corners.min(axis=0) - side) / by).astype(int), 0) * by
    high = np.ceil((corners.max(axis=0) + side) / by).astype(int) * by
    part = image[low[1] : max(high[1], 0), low[0] : max(high[0], 0)]
    height, width = part.shape[0] // by, part.shape[1] // by
    if not height or not width:
        return image, corners
    if by > 1:  # whole blocks of pixels are averaged quickly
        area = part[: height * by, : width * by]
        part = np.asarray(cv2.resize(area, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    return part, (corners - low + 0.5) / by - 0.5
