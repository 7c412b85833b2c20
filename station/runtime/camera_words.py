"""What a camera that is shown its board is told and tells: the same on the command line and on the page."""

from __future__ import annotations

from station import announcements as say
from station.config import BoardTable
from station.texts import Texts
from vision.calibration import Refused
from vision.frame import Metadata
from vision.model import BoardModel

LOCK_MS = 1_000
"""How long a camera is given to take pictures as it was told."""
BANDING_US = 10_000
"""Exposures are whole periods of the light of lamps on 50 Hz, or there are bands in the pictures."""


def refusal(refused: Refused, table: BoardTable, texts: Texts) -> str:
    """Why a picture cannot be used, as people are told."""
    squares = ", ".join(say.names(refused.squares, table.ruleset))
    expected = f"{table.ruleset.columns}x{table.ruleset.rows}"
    return texts.say(f"camera.{refused.reason}", squares=squares, expected=expected)


def white_side(model: BoardModel) -> str:
    """At which side of the picture White sits: `top`, `right`, `bottom` or `left`."""
    black_left, black_right, white_right, white_left = model.corners
    x, y = (white_left + white_right - black_left - black_right) / 2
    if abs(x) > abs(y):
        return "right" if x > 0 else "left"
    return "bottom" if y > 0 else "top"


def to_lock(metadata: Metadata) -> Metadata:
    """How a camera is to take pictures from now on: as it did, its exposure without bands."""
    exposure = metadata.exposure_us
    if exposure is not None and exposure > BANDING_US / 2:
        exposure = round(exposure / BANDING_US) * BANDING_US
    return Metadata(exposure, metadata.gain, metadata.red_gain, metadata.blue_gain, metadata.lens)
