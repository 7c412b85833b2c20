"""Four printed markers at the corners of a board: they show where it lies, whatever it looks like and stands on it.

Each is a white square with a code that lies outside the playing area, one of its corners at a corner of that, whichever
way it is turned. `python -m vision.markers > docs/markers.svg` makes the sheet to print.
"""

from __future__ import annotations

import sys

import cv2
import numpy as np

from vision.height import board_to_picture
from vision.locate import Image, Points, mapped

IDS = (0, 1, 2, 3)
MODULES, QUIET = 6, 1
"""Modules to a side of a code with its black border, and white ones around it."""
PAPER = MODULES + 2 * QUIET
"""Modules to a side of the white square."""
_CODES = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
_MODULE_MM, _GAP_MM = 6, 10
"""On the sheet, A4."""


def marked(image: Image) -> Points | None:
    """The playing area's corners, clockwise in the picture; None where not each of the markers is seen once."""
    how = cv2.aruco.DetectorParameters()
    how.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    codes, ids, _ = cv2.aruco.ArucoDetector(_CODES, how).detectMarkers(image)
    if ids is None or sorted(int(number) for number in np.ravel(ids) if number in IDS) != list(IDS):
        return None
    papers = [
        _paper(np.reshape(code, (4, 2))) for code, number in zip(codes, np.ravel(ids), strict=True) if number in IDS
    ]
    middle = np.mean(papers, axis=(0, 1))
    corners = np.array([paper[np.hypot(*(paper - middle).T).argmin()] for paper in papers])
    away = corners - middle
    return np.asarray(corners[np.arctan2(away[:, 1], away[:, 0]).argsort()], np.float64)


def _paper(code: Points) -> Points:
    """The corners of the white square around a code. Shapes (4, 2)."""
    low, high = -QUIET, MODULES + QUIET
    around = np.array([(low, low), (high, low), (high, high), (low, high)], np.float64)
    return mapped(board_to_picture(np.asarray(code, np.float64), MODULES, MODULES), around)


def printed(number: int) -> Image:
    """A marker as it is printed, a pixel to a module. Shape (PAPER, PAPER)."""
    code = cv2.aruco.generateImageMarker(_CODES, number, MODULES)
    return np.asarray(np.pad(np.asarray(code, np.uint8), QUIET, constant_values=255), np.uint8)


def sheet() -> str:
    """The sheet of all four, to be cut along its lines, as SVG; lengths in millimetres."""
    side = PAPER * _MODULE_MM
    drawn = []
    for number in IDS:
        left, top = (_GAP_MM + place * (side + _GAP_MM) for place in (number % 2, number // 2))
        drawn.append(f'<rect x="{left}" y="{top}" width="{side}" height="{side}" fill="white" stroke="silver"/>')
        drawn += [
            f'<rect x="{left + column * _MODULE_MM}" y="{top + row * _MODULE_MM}" width="{_MODULE_MM}"'
            f' height="{_MODULE_MM}"/>'
            for row, column in np.argwhere(printed(number) == 0)
        ]
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="297mm" viewBox="0 0 210 297"'
    lines = "\n".join(drawn)
    return f'{head} stroke-width="0.2" shape-rendering="crispEdges">\n{lines}\n</svg>\n'


if __name__ == "__main__":
    sys.stdout.write(sheet())
