"""Digits and letters as strokes, so that a picture shows them alike wherever it is drawn, with no font at hand."""

from __future__ import annotations

HEIGHT = 10.0
"""How high digits and tall letters are in the strokes' own units; y grows downwards, the baseline is at HEIGHT."""

_GAP = 2.2
_BOWL = "M5.4,6.9C5.4,5 4.3,3.7 2.8,3.7C1.2,3.7 0,5 0,6.9C0,8.7 1.2,10 2.8,10C4.3,10 5.4,8.8 5.4,6.9Z"

STROKES: dict[str, tuple[float, str]] = {
    "0": (6, "M3,0C5,0 6,2.3 6,5C6,7.7 5,10 3,10C1,10 0,7.7 0,5C0,2.3 1,0 3,0Z"),
    "1": (3.2, "M0,2.2L2.6,0V10"),
    "2": (6, "M.3,2.7C.3,1 1.5,0 3,0C4.6,0 5.7,1.1 5.7,2.7C5.7,4.5 4.4,5.8 .2,10H6"),
    "3": (
        6,
        "M.5,1.7C1,.6 1.9,0 3,0C4.6,0 5.6,1 5.6,2.4C5.6,3.8 4.6,4.7 2.4,4.7C4.7,4.7 6,5.7 6,7.3"
        "C6,8.9 4.8,10 3,10C1.5,10 .5,9.3 0,8.1",
    ),
    "4": (6.4, "M4.6,10V0L0,7.1H6.4"),
    "5": (
        6,
        "M5.4,0H1.1L.7,4.5C1.4,3.9 2.1,3.6 3,3.6C4.8,3.6 6,4.9 6,6.7C6,8.7 4.7,10 2.9,10C1.5,10 .5,9.3 0,8.2",
    ),
    "6": (
        6,
        "M5.3,1.2C4.8,.4 4.1,0 3.2,0C1,0 0,2.4 0,5.8C0,8.6 1.2,10 3,10C4.8,10 6,8.7 6,6.9"
        "C6,5.1 4.8,3.9 3.1,3.9C1.4,3.9 .2,5 0,6.6",
    ),
    "7": (6, "M0,0H6L2.2,10"),
    "8": (
        6,
        "M3,4.6C1.4,4.6 .4,3.7 .4,2.3C.4,.9 1.5,0 3,0C4.5,0 5.6,.9 5.6,2.3C5.6,3.7 4.6,4.6 3,4.6"
        "C1.2,4.6 0,5.7 0,7.3C0,8.9 1.3,10 3,10C4.7,10 6,8.9 6,7.3C6,5.7 4.8,4.6 3,4.6Z",
    ),
    "9": (
        6,
        "M.7,8.8C1.2,9.6 1.9,10 2.8,10C5,10 6,7.6 6,4.2C6,1.4 4.8,0 3,0C1.2,0 0,1.3 0,3.1"
        "C0,4.9 1.2,6.1 2.9,6.1C4.6,6.1 5.8,5 6,3.4",
    ),
    "a": (5.4, _BOWL + "M5.4,3.7V10"),
    "b": (
        5.4,
        "M0,6.9C0,5 1.1,3.7 2.6,3.7C4.2,3.7 5.4,5 5.4,6.9C5.4,8.7 4.2,10 2.6,10C1.1,10 0,8.8 0,6.9ZM0,0V10",
    ),
    "c": (4.9, "M4.9,5C4.4,4.2 3.7,3.7 2.8,3.7C1.2,3.7 0,5 0,6.9C0,8.7 1.2,10 2.8,10C3.7,10 4.4,9.5 4.9,8.7"),
    "d": (5.4, _BOWL + "M5.4,0V10"),
    "e": (
        5.4,
        "M.1,6.7H5.4C5.4,4.9 4.3,3.7 2.8,3.7C1.2,3.7 0,5 0,6.9C0,8.8 1.2,10 2.9,10C3.9,10 4.7,9.6 5.2,8.8",
    ),
    "f": (3.8, "M4,.2C2.5,-.3 1.6,.6 1.6,2.2V10M0,3.9H3.8"),
    "g": (5.4, _BOWL + "M5.4,3.7V10.4C5.4,12.1 4.4,13 2.8,13C1.8,13 1,12.7 .4,12"),
    "h": (5, "M0,0V10M0,6.4C.2,4.8 1.2,3.7 2.7,3.7C4.3,3.7 5,4.7 5,6.3V10"),
    "i": (1.6, "M.8,3.7V10M.8,1V1.1"),
    "j": (2.4, "M1.8,3.7V11C1.8,12.4 1.2,13 0,12.9M1.8,1V1.1"),
    "k": (4.9, "M0,0V10M4.6,3.7L0,7.4M1.7,6.1L4.9,10"),
    "l": (1.6, "M.8,0V10"),
}
"""For each character its width and its path, which is to be stroked 1 to 2 units wide with round ends."""


def width(text: str) -> float:
    """How wide a text is in the strokes' own units; KeyError for a character that has no strokes."""
    return sum(STROKES[character][0] + _GAP for character in text) - _GAP


def places(text: str) -> list[tuple[str, float]]:
    """Each character of a text with its x, the text beginning at 0."""
    found: list[tuple[str, float]] = []
    x = 0.0
    for character in text:
        found.append((character, x))
        x += STROKES[character][0] + _GAP
    return found
