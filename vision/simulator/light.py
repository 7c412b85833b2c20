"""A lamp and the light of the room, and how both change while a game goes on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from vision.simulator.lens import Camera, Numbers


@dataclass(frozen=True, slots=True)
class Light:
    """One lamp, and what comes from everywhere."""

    lamp: tuple[float, float, float]
    """Where it is, in squares, as the lens measures space."""
    direct: float = 0.55
    ambient: float = 0.45
    """How brightly each lights the middle of the board; together 1 for a picture that is well exposed."""
    soft: float = 0.12
    """How blurred the edge of a shadow is, in squares for each square of height."""
    drift: float = 0.06
    """How much the camera's exposure wanders, as a share."""
    tint: float = 0.03
    """How much its white balance does."""
    dusk: float = 0.0
    """Share of the light that is lost in an hour."""

    def gains(self, at_ms: int) -> tuple[float, float, float]:
        """By how much blue, green and red are multiplied at a time."""
        seconds = at_ms / 1000
        exposure = (1 + self.drift * math.sin(seconds / 37) * math.cos(seconds / 11)) * (1 - self.dusk * seconds / 3600)
        tint = self.tint * math.sin(seconds / 53)
        return exposure * (1 + tint), exposure, exposure * (1 - tint)


def light_over(columns: int, rows: int, chance: Generator) -> Light:
    """A lamp somewhere above the board, or a window beside it."""
    angle = float(chance.uniform(0, 2 * math.pi))
    away, high = float(chance.uniform(0.6, 1.6)) * columns, float(chance.uniform(1.0, 2.0)) * columns
    direct = float(chance.uniform(0.35, 0.65))
    at = (columns / 2 + away * math.cos(angle), rows / 2 + away * math.sin(angle), high)
    return Light(at, direct, 1 - direct, soft=float(chance.uniform(0.08, 0.3)))


def falling(light: Light, ground: Numbers, middle: tuple[float, float]) -> Numbers:
    """How brightly the lamp lights each point of the table, 1 in the middle of the board. Shape (height, width)."""
    return _falling(light, ground) / float(_falling(light, np.array(middle)))


def mirrored(light: Light, camera: Camera, ground: Numbers) -> Numbers:
    """How much of the lamp a polished table mirrors into the camera, 0 to 1. Shape (height, width)."""
    lamp = _direction(light.lamp, ground)
    eye = _direction(camera.at, ground)
    half = lamp + eye
    upright = half[..., 2] / np.linalg.norm(half, axis=-1)
    return np.asarray(upright**160 + 0.25 * upright**24, np.float64)


def _falling(light: Light, points: Numbers) -> Numbers:
    away = np.array(light.lamp) - np.concatenate([points, np.zeros((*points.shape[:-1], 1))], axis=-1)
    return np.asarray(light.lamp[2] / np.linalg.norm(away, axis=-1) ** 3, np.float64)


def _direction(at: tuple[float, float, float], ground: Numbers) -> Numbers:
    away = np.array(at) - np.concatenate([ground, np.zeros((*ground.shape[:-1], 1))], axis=-1)
    return np.asarray(away / np.linalg.norm(away, axis=-1, keepdims=True), np.float64)
