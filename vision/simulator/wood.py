"""Wood as a picture: fibres, rings and the colour of a kind of timber."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Grain = NDArray[np.float32]
Texture = NDArray[np.uint8]
"""Height, width, 3: blue, green, red."""
Colour = tuple[float, float, float]
"""Blue, green, red, 0 to 255."""


def grain(chance: Generator, height: int, width: int, period: float) -> Grain:
    """How much darker or lighter each point is, about -1 to 1; fibres run along x, rings `period` pixels apart."""
    waves = _noise(chance, height, width, period * 1.5, period * 14)
    y = np.arange(height, dtype=np.float32)[:, None] / period
    rings = np.sin(2 * np.pi * (y + 1.6 * waves)).astype(np.float32)
    # Late wood is a narrow dark line, early wood broad and pale.
    rings = np.where(rings < 0, rings * np.abs(rings), 0.35 * rings)
    fibres = _noise(chance, height, width, 1.3, 45)
    clouds = _noise(chance, height, width, period * 4, period * 10)
    return np.asarray(0.55 * rings + 0.35 * fibres + 0.3 * clouds, np.float32)


def wooden(colour: Colour, contrast: float, pattern: Grain) -> Texture:
    """A surface of timber of that colour."""
    warm = np.array([1.25, 1.0, 0.8], np.float32)
    shade = np.exp(contrast * pattern[..., None] * warm)
    return np.asarray(np.clip(np.array(colour, np.float32) * shade, 0, 255), np.uint8)


def _noise(chance: Generator, height: int, width: int, tall: float, wide: float) -> Grain:
    """Smooth noise of deviation 1 whose spots are so tall and wide."""
    coarse = chance.normal(size=(max(int(height / tall), 1) + 3, max(int(width / wide), 1) + 3)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)
