"""What can go wrong between the station and its devices."""

from __future__ import annotations


class PortLost(OSError):
    """A port cannot be opened, or has gone away; opening it again may help."""

    def __init__(self, port: str, reason: str, number: int | None = None) -> None:
        super().__init__(f"port {port}: {reason}")
        self.port = port
        self.reason = reason
        self.number = number
        """The system's error number, where it gave one."""


class BadPayload(ValueError):
    """A packet with a good checksum whose payload is not what its type promises."""
