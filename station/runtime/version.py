"""Which program this is."""

from __future__ import annotations

from importlib import metadata


def _version() -> str:
    try:
        return metadata.version("dambord")
    except metadata.PackageNotFoundError:
        return "0+source"


VERSION = _version()
PROGRAM = f"dambord {VERSION}"
