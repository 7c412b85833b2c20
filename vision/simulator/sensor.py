"""What a sensor makes of light: blur, noise, a curve, JPEG."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.simulator.wood import Texture

Brightness = NDArray[np.float32]
"""Height, width, 3: blue, green, red; 1 is as bright as can be told."""

_ROOM = 64
"""Pixels by which the sheet of noise is larger than a picture."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """A small camera's."""

    blur: float = 0.7
    """Deviation of the lens's spot, in pixels."""
    noise: float = 2.0
    """Deviation, of 255."""
    vignette: float = 0.25
    """How much darker the corners of the picture are, as a share."""
    quality: int = 88
    """Of its JPEG."""


class Noise:
    """Noise that is made once and laid over each picture in another way."""

    def __init__(self, sensor: Sensor, height: int, width: int, seed: int) -> None:
        chance = np.random.default_rng(seed)
        drawn = chance.normal(size=(height + _ROOM, width + _ROOM, 3))
        self._sheet = np.asarray(sensor.noise * drawn, np.float32)
        self._height, self._width = height, width

    def over(self, number: int) -> Brightness:
        """The noise of a picture of that number."""
        top, left = number * 37 % _ROOM, number * 101 % (_ROOM - 1)
        return self._sheet[top : top + self._height, left : left + self._width]


def developed(light: Brightness, sensor: Sensor, noise: Brightness) -> Texture:
    """The picture; the curve is a square root, under which a photon's noise is the same at every brightness."""
    blurred = np.asarray(cv2.GaussianBlur(light, (0, 0), sensor.blur) if sensor.blur > 0 else light, np.float32)
    curve = cv2.sqrt(np.maximum(blurred, 0))
    return np.asarray(cv2.convertScaleAbs(np.maximum(cv2.scaleAdd(curve, 255.0, noise), 0)), np.uint8)


def jpeg(picture: Texture, sensor: Sensor) -> bytes:
    """As a camera sends it."""
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, sensor.quality])
    return bytes(data)
