"""Bytes to packets and back: byte stuffing, checksum, resynchronisation; no I/O. The bytes are in PROTOCOL.md."""

from __future__ import annotations

from binascii import crc_hqx
from collections import Counter
from dataclasses import dataclass

DELIMITER = b"\0"
MAX_PAYLOAD = 200
_OVERHEAD = 4
_MAX_STUFFED = MAX_PAYLOAD + _OVERHEAD + 1


@dataclass(frozen=True, slots=True)
class Packet:
    """Checked bytes: type and sequence 0..255, payload of at most 200 bytes."""

    type: int
    sequence: int
    payload: bytes = b""


def checksum(data: bytes) -> int:
    """CRC-16/CCITT-FALSE of the data: polynomial 0x1021, start 0xFFFF, nothing reflected, nothing added at the end."""
    return crc_hqx(data, 0xFFFF)


def encode(packet: Packet) -> bytes:
    """The bytes of a packet on the wire, closing delimiter included; ValueError when the payload is too long."""
    if len(packet.payload) > MAX_PAYLOAD:
        raise ValueError(f"a payload of {len(packet.payload)} bytes; at most {MAX_PAYLOAD} fit into a packet")
    body = bytes((packet.type, packet.sequence)) + packet.payload
    return stuff(body + checksum(body).to_bytes(2, "little")) + DELIMITER


def stuff(body: bytes) -> bytes:
    """The body (at most 253 bytes) without any zero byte: each zero-free run behind its length plus one."""
    return b"".join(bytes((len(run) + 1,)) + run for run in body.split(DELIMITER))


def unstuff(stuffed: bytes) -> bytes | None:
    """The body that was stuffed; None when a length points beyond the end."""
    runs = []
    at = 0
    while at < len(stuffed):
        end = at + stuffed[at]
        if end > len(stuffed):
            return None
        runs.append(stuffed[at + 1 : end])
        at = end
    return DELIMITER.join(runs)


class Decoder:
    """Packets out of a stream of bytes in pieces of any size; what does not check is counted and skipped."""

    def __init__(self) -> None:
        self._rest = b""
        self._skipping = False
        self.packets = 0
        self.drops: Counter[str] = Counter()

    def receive(self, data: bytes) -> tuple[Packet, ...]:
        """The packets completed by these bytes, oldest first."""
        *whole, rest = (self._rest + data).split(DELIMITER)
        packets = tuple(packet for stuffed in whole if (packet := self._packet(stuffed)) is not None)
        self._keep(rest)
        return packets

    def _keep(self, rest: bytes) -> None:
        if len(rest) > _MAX_STUFFED:
            if not self._skipping:
                self.drops["too long"] += 1
            self._skipping = True
        self._rest = b"" if self._skipping else rest

    def _packet(self, stuffed: bytes) -> Packet | None:
        if self._skipping:
            self._skipping = False
            return None
        if not stuffed:
            return None
        packet, fault = _checked(stuffed)
        if packet is None:
            self.drops[fault] += 1
        else:
            self.packets += 1
        return packet


def _checked(stuffed: bytes) -> tuple[Packet | None, str]:
    if len(stuffed) > _MAX_STUFFED:
        return None, "too long"
    body = unstuff(stuffed)
    if body is None:
        return None, "bad stuffing"
    if len(body) < _OVERHEAD:
        return None, "too short"
    if checksum(body[:-2]) != int.from_bytes(body[-2:], "little"):
        return None, "bad checksum"
    return Packet(body[0], body[1], body[2:-2]), ""
