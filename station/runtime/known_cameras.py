"""What is known of boards under cameras, one file a board under its name in the configuration: `cameras/<id>.json`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from vision.model import BoardModel, from_json


class KnownCameras:
    """Board models by the board's name; a file is there whole or not at all."""

    def __init__(self, data: Path) -> None:
        self._folder = data / "cameras"

    def of(self, board: str) -> BoardModel | None:
        """What is known of a board; None for nothing, and for a file that cannot be read, which is named."""
        path = self.path(board)
        if not path.exists():
            return None
        try:
            return from_json(path.read_bytes())
        except (OSError, ValueError) as error:
            print(f"dambord: {path}: set aside: {error}", file=sys.stderr)
            return None

    def keep(self, board: str, model: BoardModel) -> Path:
        """Writes down what is known of a board; the file it stands in."""
        path = self.path(board)
        self._folder.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".new")
        with draft.open("w", encoding="utf-8") as file:
            file.write(model.to_json() + "\n")
            file.flush()
            os.fsync(file.fileno())
        if os.geteuid() == 0:
            # Calibrated by root for a station that runs as another user, who goes on learning.
            owner = self._folder.parent.stat()
            for made in (self._folder, draft):
                os.chown(made, owner.st_uid, owner.st_gid)
        draft.replace(path)
        return path

    def path(self, board: str) -> Path:
        """The file of a board."""
        return self._folder / f"{board}.json"
