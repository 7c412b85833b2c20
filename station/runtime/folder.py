"""A folder on the disk, which only one station or club may use at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from station.errors import ConfigError


class Folder:
    """Holds a folder until it is let go of or the process ends, however it ends; ConfigError when another one does."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._lock: int | None = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(self._lock, 20).decode("ascii", errors="replace").strip()
            self.let_go()
            raise ConfigError(
                f"data = {str(path)!r}: in use by process {holder}, expected a folder of its own"
            ) from error
        os.truncate(self._lock, 0)
        os.write(self._lock, f"{os.getpid()}\n".encode())

    def let_go(self) -> None:
        """Leave the folder to others."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
