"""Reads the PNG files that Chromium writes, as brightness."""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise


def brightness(png):
    """Rows of brightness (0..255) of an 8-bit RGB or RGBA PNG."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (depth, kind in (2, 6)) == (8, True)
    size = 4 if kind == 6 else 3
    lines = _lines(zlib.decompress(_data(png)), width * size, height, size)
    return [
        [round(0.2126 * line[x] + 0.7152 * line[x + 1] + 0.0722 * line[x + 2]) for x in range(0, width * size, size)]
        for line in lines
    ]


def difference(one, other):
    """The share of pixels whose brightness differs clearly."""
    assert len(one) == len(other)
    pairs = [pair for a, b in zip(one, other, strict=True) for pair in zip(a, b, strict=True)]
    return sum(1 for a, b in pairs if abs(a - b) > 60) / len(pairs)


def _data(png):
    data, place = b"", 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        if png[place + 4 : place + 8] == b"IDAT":
            data += png[place + 8 : place + 8 + length]
        place += length + 12
    return data


def _lines(raw, stride, height, size):
    lines, above = [], bytearray(stride)
    for start, end in pairwise(range(0, (height + 1) * (stride + 1), stride + 1)):
        line = bytearray(raw[start + 1 : end])
        _undo(raw[start], line, above, size)
        lines.append(line)
        above = line
    return lines


def _undo(way, line, above, size):
    for x in range(len(line)):
        left = line[x - size] if x >= size else 0
        corner = above[x - size] if x >= size else 0
        guess = (0, left, above[x], (left + above[x]) // 2, _paeth(left, above[x], corner))[way]
        line[x] = (line[x] + guess) & 255


def _paeth(left, up, corner):
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))
