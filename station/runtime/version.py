"""Which program this is."""

from __future__ import annotations

# Stated here and read by the build: to ask the installed package takes a third of what loading the station takes.
VERSION = "0.1.0"
PROGRAM = f"dambord {VERSION}"
