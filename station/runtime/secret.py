"""Secrets lie in files of their own, which only the service may read."""

from __future__ import annotations

import re
from pathlib import Path

OTHERS_READ = 0o007
"""Mode bits by which everybody on this machine may use a file."""


def secret(path: str) -> str:
    """The text of a file that its owner and group alone may read; OSError for one that is missing, or open to all."""
    file = Path(path)
    if file.stat().st_mode & OTHERS_READ:
        raise PermissionError(f"{path}: everybody on this machine may read it, expected a secret: chmod 600 {path}")
    return file.read_text(encoding="utf-8").strip()


def read_pin(path: str) -> str:
    """The PIN in a file; empty for no file. OSError as for `secret`, and for what is no PIN, which is not repeated."""
    if not path:
        return ""
    pin = secret(path)
    if not re.fullmatch("[0-9]{4,12}", pin):
        raise OSError(f"{path}: found no PIN, expected 4 to 12 digits and nothing else")
    return pin
