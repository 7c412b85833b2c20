"""Pictures from files: the one place where vision reads them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from vision.locate import Image

LARGEST_BYTES = 64 << 20
"""A picture's file is no larger."""
LONGEST = 12_000
"""Pixels to the longer side of a picture."""


def read_picture(file: Path) -> Image:
    """The picture in a file, as height, width, 3 (blue, green, red).

    OSError when it cannot be read; ValueError, with a sentence, when it is no picture, torn or much too large.
    """
    with file.open("rb") as opened:
        return decoded(opened.read(LARGEST_BYTES + 1))


def decoded(data: bytes) -> Image:
    """The picture in the bytes of a file; ValueError, with a sentence, when it is no picture, torn or too large."""
    if len(data) > LARGEST_BYTES:
        raise ValueError(f"the file is larger than {LARGEST_BYTES >> 20} MB: expected a photograph")
    if data[:2] == b"\xff\xd8" and b"\xff\xd9" not in data[-1024:]:
        raise ValueError("the JPEG is torn: its end is missing")
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    except cv2.error:
        image = None
    if image is None:
        raise ValueError("no picture: expected JPEG, PNG or another common format, and whole")
    if max(image.shape[:2]) > LONGEST:
        raise ValueError(f"the picture has {image.shape[1]}x{image.shape[0]} pixels: expected {LONGEST} a side at most")
    return np.asarray(image, np.uint8)
