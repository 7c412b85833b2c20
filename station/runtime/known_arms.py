"""Where arms were taught that their boards lie, one file a board under its name there: `arms/<id>.json`."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from firmware_bridge.touched import Calibrated
from station.runtime.whole_file import write_whole


class KnownArms:
    """Calibrations by the board's name; a file is there whole or not at all."""

    def __init__(self, data: Path) -> None:
        self._folder = data / "arms"

    def of(self, board: str) -> Calibrated | None:
        """What is known of a board's arm; None for nothing, and for a file that cannot be read, which is named."""
        path = self.path(board)
        if not path.exists():
            return None
        try:
            return msgspec.json.decode(path.read_bytes(), type=Calibrated)
        except (OSError, ValueError) as error:
            print(f"dambord: {path}: set aside: {error}; calibrate the arm again", file=sys.stderr)
            return None

    def keep(self, board: str, calibrated: Calibrated) -> Path:
        """Writes down what is known of a board's arm; the file it stands in."""
        path = self.path(board)
        write_whole(path, msgspec.json.format(msgspec.json.encode(calibrated)) + b"\n")
        return path

    def path(self, board: str) -> Path:
        """The file of a board."""
        return self._folder / f"{board}.json"
