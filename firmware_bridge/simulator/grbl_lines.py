"""What a line of G-code says to a GRBL chip, and the settings of one that was never used."""

from __future__ import annotations

import re
from dataclasses import dataclass

FIRST = {
    **{0: "10", 1: "25", 2: "0", 3: "0", 4: "0", 5: "0", 6: "0", 10: "1", 11: "0.010", 12: "0.002", 13: "0"},
    **{20: "0", 21: "0", 22: "0", 23: "0", 24: "25.000", 25: "500.000", 26: "250", 27: "1.000", 30: "1000"},
    **{31: "0", 32: "0"},
    **dict.fromkeys((100, 101, 102), "250.000"),
    **dict.fromkeys((110, 111, 112), "500.000"),
    **dict.fromkeys((120, 121, 122), "10.000"),
    **dict.fromkeys((130, 131, 132), "200.000"),
}
"""The settings of a chip that was never used."""

_WORD = re.compile(r"([A-Z])(-?\d*\.?\d*)")
_KNOWN = {"G": {0, 1, 4, 21, 53, 90, 91, 94, 28, 30, 92}, "M": {0, 2, 3, 4, 5, 7, 8, 9, 30}}
BAD_NUMBER, UNKNOWN, REPEATED = 2, 20, 25
"""Numbers of errors."""


@dataclass(frozen=True, slots=True)
class Block:
    """A line without spaces and comments: its codes (`G1`, `M8`), and the numbers of its other words."""

    codes: frozenset[str]
    values: dict[str, float]

    @property
    def moves(self) -> bool:
        """Whether it names a place."""
        return bool({"X", "Y", "Z"} & set(self.values))


def read_block(line: str) -> Block | int:
    """What a line says, or the number of the error that it is answered with."""
    words = _WORD.findall(line)
    letters = [letter for letter, _ in words if letter not in _KNOWN]
    if any(not value for _, value in words):
        return BAD_NUMBER
    if len(set(letters)) < len(letters):
        return REPEATED
    if any(float(value) not in _KNOWN[letter] for letter, value in words if letter in _KNOWN):
        return UNKNOWN
    codes = frozenset(letter + str(int(float(value))) for letter, value in words if letter in _KNOWN)
    return Block(codes, {letter: float(value) for letter, value in words if letter not in _KNOWN})
