"""What is known of one board under one camera: where it lies, how it looks empty, what its pieces have taught.

A model is a value; as JSON it has a version, and is refused by one sentence where it is not what it should be.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.features import Numbers
from vision.frame import Metadata
from vision.locate import Image, Points

VERSION = 1
MOST_SAMPLES = 8
"""So many known boards are remembered: the first two (empty, start position) always, then the latest."""
KEPT_SAMPLES = 2


@dataclass(frozen=True, eq=False)
class Sample:
    """A board of which was known what stood there."""

    numbers: Numbers
    """The measures of its squares, as vision.features makes them. Shape (squares, measures)."""
    kinds: NDArray[np.int64]
    """Places in vision.reader.KINDS. Shape (squares,)."""


@dataclass(frozen=True, eq=False)
class BoardModel:
    """A board under a camera."""

    camera: str
    width: int
    height: int
    """Of the camera's pictures, in pixels."""
    columns: int
    rows: int
    corners: Points
    """The playing area's corners in pixels: Black's left and right as White sees it, White's right, White's left."""
    empty: Image | None
    """The empty board as vision.ground makes it; None where it was not seen empty."""
    start: Image
    """The board with the start position, likewise."""
    samples: tuple[Sample, ...] = ()
    locked: Metadata = field(default_factory=Metadata)
    """How the camera takes pictures since it was calibrated."""

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height of the pictures."""
        return self.width, self.height

    def with_sample(self, sample: Sample) -> BoardModel:
        """The model with what one more known board taught; the oldest but the first ones makes room."""
        samples = (*self.samples, sample)
        if len(samples) > MOST_SAMPLES:
            samples = (*samples[:KEPT_SAMPLES], *samples[KEPT_SAMPLES + 1 :])
        return replace(self, samples=samples)

    def without_learned(self) -> BoardModel:
        """The model as it was calibrated, all that was learned in games forgotten."""
        return replace(self, samples=self.samples[:KEPT_SAMPLES])

    def moved(self, corners: Points) -> BoardModel:
        """The same board elsewhere in the picture."""
        return replace(self, corners=np.asarray(corners, np.float64))

    def to_json(self) -> str:
        """The model as a JSON document."""
        return json.dumps(
            {
                "version": VERSION,
                "camera": self.camera,
                "picture": [self.width, self.height],
                "board": [self.columns, self.rows],
                "corners": np.round(self.corners, 2).tolist(),
                "empty": None if self.empty is None else _image_text(self.empty),
                "start": _image_text(self.start),
                "samples": [
                    {"kinds": sample.kinds.tolist(), "numbers": np.round(sample.numbers, 4).tolist()}
                    for sample in self.samples
                ],
                "locked": {name: getattr(self.locked, name) for name in Metadata.__slots__},
            },
            separators=(",", ":"),
        )


def from_json(text: str | bytes) -> BoardModel:
    """The model that a JSON document states; ValueError, with a sentence, when it states none."""
    try:
        table = json.loads(text)
        if not isinstance(table, dict) or table.get("version") != VERSION:
            found = table.get("version") if isinstance(table, dict) else table
            raise ValueError(f"version {found!r}: expected a board under a camera, version {VERSION}")
        return _model_of(table)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"not a whole board under a camera: {error!r}; calibrate the camera again") from error


def _model_of(table: dict[str, Any]) -> BoardModel:
    width, height = (int(number) for number in table["picture"])
    columns, rows = (int(number) for number in table["board"])
    corners = _array(table["corners"], (4, 2))
    samples = tuple(
        Sample(_array(sample["numbers"], (len(sample["kinds"]), None)), np.array(sample["kinds"], np.int64))
        for sample in table["samples"]
    )
    empty = None if table["empty"] is None else _image_of(table["empty"])
    locked = Metadata(**{name: table["locked"].get(name) for name in Metadata.__slots__})
    start = _image_of(table["start"])
    return BoardModel(str(table["camera"]), width, height, columns, rows, corners, empty, start, samples, locked)


def _array(values: Sequence[Any], shape: tuple[int, int | None]) -> Numbers:
    array = np.array(values, np.float64)
    if array.ndim != 2 or array.shape[0] != shape[0] or shape[1] not in (None, array.shape[1]):
        raise ValueError(f"found numbers of shape {array.shape}, expected {shape}")
    if not np.isfinite(array).all():
        raise ValueError("found numbers that are none, expected finite ones")
    return array


def _image_text(image: Image) -> str:
    return base64.b64encode(cv2.imencode(".png", image)[1].tobytes()).decode()


def _image_of(text: str) -> Image:
    data = base64.b64decode(text, validate=True)
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    except cv2.error:
        image = None
    if image is None:
        raise ValueError("a picture of the board cannot be read; calibrate the camera again")
    return np.asarray(image, np.uint8)
