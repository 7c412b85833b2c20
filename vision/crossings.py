"""Points at which four squares meet: saddles of brightness (or of a colour) whose opposite quadrants look alike."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Grid = NDArray[np.float32]
"""One number for each pixel."""
Points = NDArray[np.float64]
"""Rows of x and y, in pixels."""

_CROSSINGS = 700
_RING = 16
_ANGLES = 2 * np.pi * np.arange(_RING) / _RING


@dataclass(frozen=True, slots=True)
class Crossings:
    """Candidates in one channel, the most pronounced first."""

    at: Points
    pattern: NDArray[np.complex128]
    """Second harmonic on a ring around each, of length 1; that of a neighbour has the opposite sign."""


def crossings_of(channel: Grid) -> Crossings:
    """The crossings of one channel, brightness or another."""
    smooth = grid(cv2.GaussianBlur(channel, (0, 0), 1.8))
    xx, yy, xy = (grid(cv2.Sobel(smooth, cv2.CV_32F, dx, dy, ksize=3)) for dx, dy in ((2, 0), (0, 2), (1, 1)))
    saddle = xy * xy - xx * yy
    border = 4
    saddle[:border] = saddle[-border:] = 0
    saddle[:, :border] = saddle[:, -border:] = 0
    peak = (saddle == cv2.dilate(saddle, np.ones((9, 9), np.uint8))) & (saddle > 0)
    y, x = np.nonzero(peak)
    order = np.argsort(saddle[y, x])[::-1][: 3 * _CROSSINGS]
    if len(order) == 0:
        return Crossings(np.empty((0, 2)), np.empty(0, np.complex128))
    at = _refined(saddle, x[order], y[order])
    pattern, strength = _patterns(smooth, at, 5.0)
    wider, more = _patterns(smooth, at, 8.0)
    turned = np.real(pattern * np.conj(wider))
    worth = np.minimum(strength, more) * (turned > 0.3)
    order = np.argsort(worth)[::-1][:_CROSSINGS]
    order = order[worth[order] > 0]
    mixed = pattern[order] + wider[order]
    return Crossings(at[order], mixed / np.maximum(np.abs(mixed), 1e-9))


def _refined(saddle: Grid, x: NDArray[np.int64], y: NDArray[np.int64]) -> Points:
    """Peaks to a part of a pixel, by a parabola along each axis."""

    def shift(before: Grid, here: Grid, after: Grid) -> Grid:
        bend = before - 2 * here + after
        return np.where(bend < 0, np.clip((before - after) / (2 * np.minimum(bend, -1e-9)), -0.5, 0.5), 0)

    here = saddle[y, x]
    dx = shift(saddle[y, x - 1], here, saddle[y, x + 1])
    dy = shift(saddle[y - 1, x], here, saddle[y + 1, x])
    return np.stack([x + dx, y + dy], axis=1).astype(np.float64)


def _patterns(smooth: Grid, at: Points, radius: float) -> tuple[NDArray[np.complex128], NDArray[np.float64]]:
    """Second harmonic on a ring, of length 1, and how far opposite quadrants are alike and neighbours differ."""
    ring = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1) * radius
    values = sampled(smooth, at[:, None, :] + ring[None])
    quarter, half = _RING // 4, _RING // 2
    pairs = values[:, :half] + values[:, half:]
    unlike = np.abs(values[:, :half] - values[:, half:]).sum(axis=1)
    alike = np.abs(pairs[:, :quarter] - pairs[:, quarter:]).sum(axis=1)
    harmonic = values @ np.exp(-2j * _ANGLES)
    return harmonic / np.maximum(np.abs(harmonic), 1e-9), alike - 0.7 * unlike


def sampled(values: Grid, at: Points) -> NDArray[np.float64]:
    """Values between pixels; outside the picture those of its edge."""
    x, y = np.moveaxis(at.reshape(len(at), -1, 2).astype(np.float32), 2, 0)
    found = cv2.remap(values, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(found, np.float64).reshape(at.shape[:-1])


def grid(values: object) -> Grid:
    """OpenCV's answers as what they are."""
    return np.asarray(values, np.float32)
