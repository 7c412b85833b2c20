"""Lines of text out of bytes that come in pieces, and numbers as G-code writes them."""

from __future__ import annotations

LONGEST = 512
"""Bytes without an end of line that are noise."""


class Lines:
    """Cuts what comes in into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that are complete now, without their ends and without empty ones."""
        *complete, self._rest = (self._rest + data).replace(b"\r", b"\n").split(b"\n")
        if len(self._rest) > LONGEST:
            self._rest = b""
        return [line.decode("ascii", "replace").strip() for line in complete if line.strip()]

    def clear(self) -> None:
        """Forget a line that has begun."""
        self._rest = b""


def number(value: float) -> str:
    """A length to a hundredth of a millimetre; never `-0.00`."""
    return f"{round(value, 2) + 0.0:.2f}"
