"""What was learned of boards, one file a board under its unique id in the station's folder: `boards/<id>.json`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import msgspec

from firmware_bridge.driver import Calibration
from station.runtime.whole_file import write_whole

_SAFE = re.compile(r"[A-Za-z0-9_-]{1,64}")


class KnownBoards:
    """Calibrations by unique id; a file is there whole or not at all."""

    def __init__(self, data: Path) -> None:
        self._folder = data / "boards"

    def all(self) -> dict[str, Calibration]:
        """Every calibration there is, by the board's unique id; a file that cannot be read is named and left out."""
        found = {}
        for path in sorted(self._folder.glob("*.json")):
            calibration = self._read(path)
            if calibration is not None:
                found[path.stem] = calibration
        return found

    def of(self, unique_id: str) -> Calibration:
        """What is known of a board; nothing of one that was never calibrated."""
        path = self.path(unique_id)
        known = self._read(path) if path.exists() else None
        return Calibration() if known is None else known

    def keep(self, unique_id: str, calibration: Calibration) -> Path:
        """Writes down what was learned of a board; the file it stands in."""
        path = self.path(unique_id)
        write_whole(path, msgspec.json.format(msgspec.json.encode(calibration)) + b"\n")
        return path

    def path(self, unique_id: str) -> Path:
        """The file of a board; ValueError for an id that is no file name."""
        if not _SAFE.fullmatch(unique_id):
            raise ValueError(f"unique id {unique_id!r}: expected 1 to 64 letters, digits, - and _")
        return self._folder / f"{unique_id}.json"

    def _read(self, path: Path) -> Calibration | None:
        try:
            return msgspec.json.decode(path.read_bytes(), type=Calibration)
        except (OSError, ValueError) as error:
            print(f"dambord: {path}: set aside: {error}", file=sys.stderr)
            return None
