"""Frames: pictures with their time, and the packets in which a camera's pictures go over a wire or into a file.

A packet is one line of JSON (UTF-8, at most 4096 bytes with its newline) and the bytes of one picture after it:
`{"camera":"...","format":"bgr"|"jpeg","width":W,"height":H,"bytes":N,"age_ms":A,"metadata":{...}}`. `bgr` is
height, width, 3 bytes a pixel; `age_ms` is how long ago the picture was taken when the packet was made. Width and
height may be left out with `jpeg`. Keys nobody knows are ignored.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from vision.locate import Image
from vision.pictures import decoded

LONGEST_HEAD = 4096
"""Bytes of a packet's first line."""
LARGEST_BYTES = 64 << 20
"""Bytes of a picture in a packet."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """How a camera took a picture, as far as it tells."""

    exposure_us: float | None = None
    gain: float | None = None
    red_gain: float | None = None
    blue_gain: float | None = None
    lens: float | None = None
    """Lens position in dioptres."""


UNTOLD = Metadata()


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture of a camera."""

    image: Image
    """Height, width, 3: blue, green, red."""
    at_ms: int
    """When it was taken, in ms since the station started."""
    camera: str = ""
    """The camera's own id; empty where it has none."""
    metadata: Metadata = UNTOLD


def packed(picture: Image | bytes, age_ms: int = 0, camera: str = "", metadata: Metadata = UNTOLD) -> bytes:
    """A packet with a picture: an image (height, width, 3), or the bytes of a JPEG."""
    told = {key: value for key, value in asdict(metadata).items() if value is not None}
    head: dict[str, Any] = {"camera": camera, "age_ms": age_ms, "metadata": told}
    if isinstance(picture, bytes):
        head |= {"format": "jpeg", "bytes": len(picture)}
        data = picture
    else:
        height, width = picture.shape[:2]
        head |= {"format": "bgr", "width": width, "height": height, "bytes": 3 * width * height}
        data = np.ascontiguousarray(picture).tobytes()
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + data


@dataclass(frozen=True, slots=True)
class Packet:
    """A picture as it came, not looked at yet."""

    head: dict[str, Any]
    data: bytes
    came_ms: int

    def with_age(self, now_ms: int) -> bytes:
        """The same packet, as old as it is now."""
        head = self.head | {"age_ms": self.head["age_ms"] + now_ms - self.came_ms}
        return json.dumps(head, separators=(",", ":")).encode() + b"\n" + self.data

    def frame(self) -> Frame:
        """The picture; ValueError, with a sentence, when it is none."""
        head, data = self.head, self.data
        if head["format"] == "jpeg":
            image = decoded(data)
        else:
            image = np.frombuffer(data, np.uint8).reshape(head["height"], head["width"], 3)
        told = {field.name: head["metadata"].get(field.name) for field in fields(Metadata)}
        metadata = Metadata(**{key: _number(value) for key, value in told.items()})
        return Frame(image, self.came_ms - head["age_ms"], head["camera"], metadata)


class Unpacker:
    """Finds packets in a stream of bytes, however they are cut; what is no packet is skipped and counted."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._head: dict[str, Any] | None = None
        self.faults: Counter[str] = Counter()
        """What was thrown away, by reason."""

    def feed(self, data: bytes, now_ms: int) -> list[Packet]:
        """The packets that are complete with these bytes."""
        self._pending += data
        found: list[Packet] = []
        while True:
            if self._head is None and not self._take_head():
                return found
            head = self._head
            assert head is not None
            if len(self._pending) < head["bytes"]:
                return found
            found.append(Packet(head, bytes(self._pending[: head["bytes"]]), now_ms))
            del self._pending[: head["bytes"]]
            self._head = None

    def _take_head(self) -> bool:
        """Whether a packet's first line has come; lines that are none are skipped."""
        while (end := self._pending.find(b"\n")) >= 0:
            line = bytes(self._pending[max(end - LONGEST_HEAD, 0) : end])
            del self._pending[: end + 1]
            self._head = _read_head(line)
            if self._head is not None:
                return True
            self.faults["no_packet"] += 1
        del self._pending[:-LONGEST_HEAD]  # a line may begin anywhere in what is left
        return False


def _read_head(line: bytes) -> dict[str, Any] | None:
    """A packet's first line, complete and within bounds; None when it is none."""
    begin = line.rfind(b'{"camera"')
    try:
        head = json.loads(line[max(begin, 0) :])
    except ValueError:
        return None
    if not isinstance(head, dict):
        return None
    head = {"camera": "", "age_ms": 0, "metadata": {}} | head
    size, age_ms = head.get("bytes"), head["age_ms"]
    is_whole = type(size) is int and 0 < size <= LARGEST_BYTES and type(age_ms) is int and age_ms >= 0
    if not is_whole or not isinstance(head["camera"], str) or not isinstance(head["metadata"], dict):
        return None
    if head.get("format") == "jpeg":
        return head
    width, height = head.get("width"), head.get("height")
    is_image = type(width) is int and type(height) is int and width > 0 and height > 0 and 3 * width * height == size
    return head if head.get("format") == "bgr" and is_image else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
