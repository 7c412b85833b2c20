"""What is known of boards under cameras, one file a board under its name in the configuration: `cameras/<id>.json`."""

from __future__ import annotations

import sys
from pathlib import Path

from station.runtime.whole_file import write_whole
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
        write_whole(path, f"{model.to_json()}\n".encode())
        return path

    def path(self, board: str) -> Path:
        """The file of a board."""
        return self._folder / f"{board}.json"
