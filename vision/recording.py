"""Frames kept as a folder that any viewer opens: one JPEG a frame, and `frames.jsonl` with a line for each.

A line is `{"file":"000042.jpg","at_ms":8400,"metadata":{...}}`. A folder without that file is read in the order of its
names. A line that is torn, and a picture that is missing, are left out.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import cv2

from vision.frame import UNTOLD, Frame, Metadata
from vision.pictures import decoded

INDEX = "frames.jsonl"
QUALITY = 92
"""Of the JPEGs, 0 to 100."""
ENDINGS = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A frame that was kept."""

    file: Path
    at_ms: int
    metadata: Metadata = UNTOLD


class Recording:
    """A folder of frames."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._count = 0

    def keep(self, frame: Frame) -> None:
        """Add a frame; OSError when the disk refuses."""
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"{self._count:06d}.jpg"
        while (self.folder / name).exists():
            self._count += 1
            name = f"{self._count:06d}.jpg"
        made, data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        assert made
        (self.folder / name).write_bytes(data.tobytes())
        told = {key: value for key, value in asdict(frame.metadata).items() if value is not None}
        line = json.dumps({"file": name, "at_ms": frame.at_ms, "metadata": told}, separators=(",", ":"))
        with (self.folder / INDEX).open("a", encoding="utf-8") as index:
            index.write(line + "\n")
        self._count += 1

    def pictures(self, rate: float) -> list[Recorded]:
        """What is there, in order; `rate` is how many a second where no times are told."""
        index = self.folder / INDEX
        if index.exists():
            lines = index.read_text(encoding="utf-8", errors="replace").splitlines()
            return [recorded for recorded in map(self._read, lines) if recorded is not None]
        files = sorted(path for path in self.folder.iterdir() if path.suffix.lower() in ENDINGS)
        return [Recorded(path, round(1000 * number / rate)) for number, path in enumerate(files)]

    def frames(self, rate: float) -> list[Frame]:
        """The same, read; pictures that cannot be are left out."""
        found = []
        for recorded in self.pictures(rate):
            try:
                image = decoded(recorded.file.read_bytes())
            except (OSError, ValueError):
                continue
            found.append(Frame(image, recorded.at_ms, self.folder.name, recorded.metadata))
        return found

    def _read(self, line: str) -> Recorded | None:
        try:
            table = json.loads(line)
            file = self.folder / Path(table["file"]).name
            told = {field.name: table.get("metadata", {}).get(field.name) for field in fields(Metadata)}
            return Recorded(file, int(table["at_ms"]), Metadata(**told)) if file.exists() else None
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
