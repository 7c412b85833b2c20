"""A slow wire from a simulated board to its host: messages take their time, arrive in pieces, and may be spoilt."""

from __future__ import annotations

from collections import deque

from firmware_bridge.simulator.faults import Noise

MOST_AT_ONCE = 128
"""Bytes that come out in one piece: a long message arrives bit by bit."""


class Cable:
    """The bytes under way to the host."""

    def __init__(self, bytes_per_ms: float, noise: Noise) -> None:
        self._bytes_per_ms = bytes_per_ms
        self._noise = noise
        self._under_way: deque[tuple[float, bytes]] = deque()
        self._free_ms = 0.0

    @property
    def free_ms(self) -> float:
        """When all that was sent so far has arrived."""
        return self._free_ms

    def send(self, message: bytes, at_ms: float) -> None:
        """Sends a message, as soon as those before it have left; it arrives in two pieces or more."""
        if self._noise.happens(self._noise.faults.duplicated_message):
            message *= 2
        start_ms = max(at_ms, self._free_ms) + self._noise.stall_ms()
        self._free_ms = start_ms + len(message) / self._bytes_per_ms
        message = self._noise.spoil(message)
        cut = self._noise.random.randint(0, len(message))
        for first, last in ((0, cut), (cut, len(message))):
            for start in range(first, last, MOST_AT_ONCE):
                end = min(start + MOST_AT_ONCE, last)
                self._under_way.append((start_ms + end / self._bytes_per_ms, message[start:end]))

    def arrived(self, now_ms: int) -> bytes:
        """The bytes that have come out at the host's end by this time."""
        out = b""
        while self._under_way and self._under_way[0][0] <= now_ms:
            out += self._under_way.popleft()[1]
        return out

    def garble(self) -> None:
        """What is under way arrives as noise."""
        noisy = [(at_ms, self._noise.random.randbytes(len(piece))) for at_ms, piece in self._under_way]
        self._under_way = deque(noisy)

    def cut(self, now_ms: int) -> None:
        """What is under way is lost."""
        self._under_way.clear()
        self._free_ms = float(now_ms)

    def deadline_ms(self) -> float | None:
        """When the next bytes arrive."""
        return self._under_way[0][0] if self._under_way else None
