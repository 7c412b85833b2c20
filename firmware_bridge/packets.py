"""Bytes to packets and back, as values of the host; the bytes themselves are `wire`'s. No I/O."""

from __future__ import annotations

from binascii import crc_hqx
from collections import Counter
from dataclasses import dataclass

from firmware_bridge import wire
from firmware_bridge.wire import MAX_PAYLOAD

DELIMITER = b"\0"


@dataclass(frozen=True, slots=True)
class Packet:
    """Checked bytes: type and sequence 0..255, payload of at most 200 bytes."""

    type: int
    sequence: int
    payload: bytes = b""


def encode(packet: Packet) -> bytes:
    """The bytes of a packet on the wire, closing delimiter included; ValueError when the payload is too long."""
    if len(packet.payload) > MAX_PAYLOAD:
        raise ValueError(f"a payload of {len(packet.payload)} bytes; at most {MAX_PAYLOAD} fit into a packet")
    out = bytearray(wire.MAX_WIRE)
    return bytes(out[: wire.write(out, packet.type, packet.sequence, packet.payload)])


class Decoder:
    """Packets out of a stream of bytes in pieces of any size; what does not check is counted and skipped."""

    def __init__(self) -> None:
        self._wire = wire.Decoder(lambda data: crc_hqx(data, 0xFFFF))

    @property
    def packets(self) -> int:
        """How many came."""
        return self._wire.packets

    @property
    def drops(self) -> Counter[str]:
        """How many were thrown away, by reason."""
        return Counter(self._wire.drops)

    def receive(self, data: bytes) -> tuple[Packet, ...]:
        """The packets completed by these bytes, oldest first."""
        return tuple(Packet(*packet) for packet in self._wire.receive(data))
