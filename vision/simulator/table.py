"""The table with the board on it, seen from straight above, without pieces and without light."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.random import Generator

from vision.simulator.looks import Look
from vision.simulator.wood import Colour, Texture, grain, wooden

SIDE = 48
"""Pixels to a side of a square."""
AROUND = 9
"""Squares of table around the board."""


@lru_cache(maxsize=8)
def table(look: Look, columns: int, rows: int, seed: int) -> Texture:
    """Shape ((rows + 2 * AROUND) * SIDE, (columns + 2 * AROUND) * SIDE, 3); not to be drawn on."""
    chance = np.random.default_rng(seed)
    height, width = (rows + 2 * AROUND) * SIDE, (columns + 2 * AROUND) * SIDE
    drawn = _planks(look, height, width, chance)
    _frame(drawn, look, columns, rows, chance)
    _squares(drawn, look, columns, rows, chance)
    return drawn


def _planks(look: Look, height: int, width: int, chance: Generator) -> Texture:
    drawn = wooden(look.table, 0.09, grain(chance, height, width, 34))
    top = int(chance.integers(0, 5 * SIDE))
    while top < height:
        cv2.line(drawn, (0, top), (width, top), tuple(0.5 * part for part in look.table), 2)
        top += 5 * SIDE
    return drawn


def _frame(drawn: Texture, look: Look, columns: int, rows: int, chance: Generator) -> None:
    """Four bars, mitred, a rounded inner edge."""
    width = round(look.frame_width * SIDE)
    left, top = AROUND * SIDE - width, AROUND * SIDE - width
    right, bottom = (AROUND + columns) * SIDE + width, (AROUND + rows) * SIDE + width
    along = wooden(look.frame, 0.12, grain(chance, bottom - top, right - left, 15))
    across = np.rot90(wooden(look.frame, 0.12, grain(chance, right - left, bottom - top, 15)))
    drawn[top:bottom, left:right] = along
    y, x = np.mgrid[: bottom - top, : right - left]
    beside = np.minimum(x, right - left - 1 - x) < np.minimum(y, bottom - top - 1 - y)
    drawn[top:bottom, left:right][beside] = across[: bottom - top, : right - left][beside]
    _outline(drawn, (left, top), (right, bottom), look.frame, 0.45, 2)
    _outline(drawn, (left + 3, top + 3), (right - 3, bottom - 3), look.frame, 1.3, 1)
    _outline(drawn, (left + width - 2, top + width - 2), (right - width + 1, bottom - width + 1), look.frame, 0.4, 3)


def _outline(drawn: Texture, first: tuple[int, int], last: tuple[int, int], colour: Colour, by: float, px: int) -> None:
    cv2.rectangle(drawn, first, last, tuple(min(255.0, by * part) for part in colour), px, cv2.LINE_AA)


def _squares(drawn: Texture, look: Look, columns: int, rows: int, chance: Generator) -> None:
    """Each square is a veneer of its own, its fibres this way or that."""
    stock = {
        dark: wooden(look.dark if dark else look.light, look.contrast, grain(chance, 16 * SIDE, 16 * SIDE, 9))
        for dark in (False, True)
    }
    for row in range(rows):
        for column in range(columns):
            top, left = (AROUND + row) * SIDE, (AROUND + column) * SIDE
            dark = (row + column) % 2 == look.dark_parity and not look.lines
            y, x = chance.integers(0, 15 * SIDE, 2)
            veneer = stock[dark][y : y + SIDE, x : x + SIDE]
            if not look.lines and chance.random() < 0.5:
                veneer = np.rot90(veneer)
            shade = float(chance.normal(1.0, 0.03))
            drawn[top : top + SIDE, left : left + SIDE] = np.clip(veneer * shade, 0, 255)
            if look.lines:
                end = (left + SIDE, top + SIDE)
                cv2.rectangle(drawn, (left, top), end, tuple(0.45 * part for part in look.light), 2, cv2.LINE_AA)
            else:
                drawn[top, left : left + SIDE] = drawn[top, left : left + SIDE] * 0.7
                drawn[top : top + SIDE, left] = drawn[top : top + SIDE, left] * 0.7
