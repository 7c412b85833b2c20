"""Bytes of a Certabo or Tabutronic board (unofficial) to frames, and its lamps to bytes.

The board tells by itself, in lines: a colon, then 320 numbers (64 cells from a8 row by row, 5 for the chip on each)
or 8 numbers (rows from the eighth, the highest bit is the a file), then CR LF. A letter says which lamps it has: L for
one in each cell, D for colours at the corners. Long lines may be broken anywhere by a bare LF. There is no checksum.
Facts: JohanSjoblom/picochess, `eboard/certabo/` (commit 26ba058c); gkalab/cer2nut's captures.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

CELLS = 64
CHIP_BYTES = 5
HALF_FRAME_MS = 1000
"""A line that has begun and gets no byte for so long is given up."""
LONGEST = 64 * 5 * 4 + 100
"""Characters of a line, broken or not."""
SIDE = 9
COLOUR_BYTES = 3
BRIGHTNESS = 0x40
"""Of coloured lamps: what picochess uses."""

Chip = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chips:
    """The number of the chip on each cell; empty where there is none."""

    cells: tuple[Chip, ...]


@dataclass(frozen=True, slots=True)
class Occupied:
    """Whether something stands on each cell."""

    cells: tuple[bool, ...]


class Parser:
    """Frames out of a stream in pieces of any size; a colon always begins one."""

    def __init__(self) -> None:
        self._partial = bytearray()
        self._byte_ms = 0
        self.frames = 0
        self.drops: Counter[str] = Counter()
        self.coloured_lamps: bool | None = None
        """Whether the lamps are at the corners and have colours; None until the board has said so."""

    def reset(self) -> None:
        """Forgets a line that has begun."""
        self._partial.clear()

    def deadline_ms(self) -> int | None:
        """When a line that has begun is given up."""
        return self._byte_ms + HALF_FRAME_MS if self._partial else None

    def expire(self, now_ms: int) -> None:
        """Gives up a line that has begun when its time has come."""
        if self._partial and now_ms >= self._byte_ms + HALF_FRAME_MS:
            self._drop("half a line")

    def receive(self, data: bytes, now_ms: int) -> tuple[Chips | Occupied, ...]:
        """The frames completed by these bytes, oldest first."""
        self.expire(now_ms)
        self._byte_ms = now_ms
        return tuple(frame for byte in data if (frame := self._byte(byte)) is not None)

    def _byte(self, byte: int) -> Chips | Occupied | None:
        if byte == ord(":") and self._partial:
            self._drop("cut short")
        self._partial.append(byte)
        if self._partial.endswith(b"\r\n"):
            return self._finish()
        if len(self._partial) > LONGEST:
            self._drop("line without end")
        return None

    def _finish(self) -> Chips | Occupied | None:
        text = self._partial.decode("ascii", errors="replace").replace("\r", "").replace("\n", "")
        self.reset()
        lamps, numbers = _numbers(text)
        if lamps is not None:
            self.coloured_lamps = lamps
        frame = None if numbers is None else _frame(numbers)
        self.frames += frame is not None
        if frame is None and (lamps is None or numbers):
            self.drops["spoilt line"] += 1
        return frame

    def _drop(self, reason: str) -> None:
        self.drops[reason] += 1
        self.reset()


def _numbers(text: str) -> tuple[bool | None, list[int] | None]:
    """What a line says of the lamps, and its numbers; None where one is no number of 0 to 255 or the colon lacks."""
    lamps = {"L": False, "D": True}.get(text.strip(": ")[:1])
    words = text.removeprefix(":").translate({ord("L"): " ", ord("D"): " ", ord("*"): " "}).split()
    if words and not text.startswith(":"):
        return None, None
    if not all(word.isascii() and word.isdecimal() and int(word) < 256 for word in words):
        return None, None
    return lamps, [int(word) for word in words]


def _frame(numbers: list[int]) -> Chips | Occupied | None:
    if len(numbers) == CELLS * CHIP_BYTES:
        starts = range(0, len(numbers), CHIP_BYTES)
        return Chips(tuple(_chip(tuple(numbers[start : start + CHIP_BYTES])) for start in starts))
    if len(numbers) == 8:
        return Occupied(tuple(bool(row >> bit & 1) for row in numbers for bit in range(7, -1, -1)))
    return None


def _chip(numbers: Chip) -> Chip:
    """No chip has three zeroes in its number: such a number is the shadow of one."""
    return () if numbers.count(0) >= 3 else numbers


def chip_of(text: str) -> Chip:
    """The chip whose five numbers stand in a text; none when it is anything else."""
    _, numbers = _numbers(f":{text}")
    return _chip(tuple(numbers)) if numbers is not None and len(numbers) == CHIP_BYTES else ()


def plain_lamps(lit: frozenset[int]) -> bytes:
    """Lamps in the cells: a byte for each row from the eighth, the lowest bit is the a file."""
    return bytes(sum(1 << column for column in range(8) if row * 8 + column in lit) for row in range(8))


def coloured_lamps(colours: dict[int, int]) -> bytes:
    """Lamps at the corners, from that of h1 towards a, row by row; a colour has the bits red 4, green 2, blue 1."""
    corners = [0] * (SIDE * SIDE)
    for cell, colour in colours.items():
        row, column = 7 - cell // 8, 7 - cell % 8
        for corner in (0, 1, SIDE, SIDE + 1):
            corners[row * SIDE + column + corner] |= colour
    parts = (BRIGHTNESS if colour & bit else 0 for colour in corners for bit in (4, 2, 1))
    return b"\xff\x55" + bytes(parts) + b"\r\n"
