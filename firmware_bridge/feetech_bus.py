"""Packets of Feetech STS/SMS bus servos: `FF FF id length instruction parameters.. checksum`, words little-endian.

Length is the number of parameters and two; the checksum the inverted low byte of the sum from id on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PING, READ, WRITE, SYNC_WRITE = 0x01, 0x02, 0x03, 0x83
EVERYBODY = 0xFE
LONGEST = 250


@dataclass(frozen=True, slots=True)
class Reply:
    """What a servo says: its errors (1 voltage, 2 angle, 4 heat, 8 current, 32 overload) and what was asked for."""

    servo: int
    errors: int
    parameters: bytes = b""

    @property
    def word(self) -> int:
        """Two bytes as a number, sign in bit 15."""
        value = int.from_bytes(self.parameters[:2], "little")
        return -(value & 0x7FFF) if value & 0x8000 else value


def packet(servo: int, instruction: int, parameters: bytes = b"") -> bytes:
    """One packet for a servo."""
    body = bytes((servo, len(parameters) + 2, instruction)) + parameters
    return b"\xff\xff" + body + bytes((_checksum(body),))


def ping(servo: int) -> bytes:
    """Ask whether it is there."""
    return packet(servo, PING)


def read(servo: int, address: int, count: int) -> bytes:
    """Ask for registers."""
    return packet(servo, READ, bytes((address, count)))


def write(servo: int, address: int, value: int, count: int = 1) -> bytes:
    """Set registers."""
    return packet(servo, WRITE, bytes((address,)) + word(value, count))


def sync_write(address: int, values: Sequence[tuple[int, int]], count: int = 2) -> bytes:
    """Set the same registers of several servos (id, value) at once; nobody answers."""
    each = b"".join(bytes((servo,)) + word(value, count) for servo, value in values)
    return packet(EVERYBODY, SYNC_WRITE, bytes((address, count)) + each)


def word(value: int, count: int = 2) -> bytes:
    """A number as registers hold it, sign and magnitude."""
    if value < 0:
        value = -value | 1 << (8 * count - 1)
    return value.to_bytes(count, "little")


class Replies:
    """Cuts what comes in into replies; what is no packet is thrown away."""

    def __init__(self) -> None:
        self._rest = b""

    def clear(self) -> None:
        """Forget a reply that has begun."""
        self._rest = b""

    def feed(self, data: bytes) -> list[Reply]:
        """The replies that are complete now."""
        self._rest += data
        found: list[Reply] = []
        while (start := self._rest.find(b"\xff\xff")) >= 0:
            rest = self._rest[start:]
            if len(rest) < 6:
                self._rest = rest
                return found
            length = rest[3]
            if not 2 <= length <= LONGEST or rest[2] == 0xFF:
                self._rest = rest[1:]
                continue
            if len(rest) < length + 4:
                self._rest = rest
                return found
            body, checksum = rest[2 : length + 3], rest[length + 3]
            if _checksum(body) != checksum:
                self._rest = rest[1:]
                continue
            found.append(Reply(body[0], body[2], body[3:]))
            self._rest = rest[length + 4 :]
        self._rest = self._rest[-1:]
        return found


def _checksum(body: bytes) -> int:
    return ~sum(body) & 0xFF
