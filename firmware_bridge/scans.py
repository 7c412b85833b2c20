"""What passes between the pins of this machine and their driver: packets as on a wire, so that a driver is a driver."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.errors import BadPayload
from firmware_bridge.packets import Packet, encode

BOARD, SCAN, ASK, SWITCH = 0x41, 0x42, 0xC1, 0xC2
ID_BYTES = 8


@dataclass(frozen=True, slots=True)
class Grid:
    """Pins: how many wires there are, which inputs and outputs (bits by `pins.INPUTS`, `OUTPUTS`), whose pins."""

    rows: int
    columns: int
    inputs: int
    outputs: int
    unique_id: bytes
    library: str
    """What reads them, with its version."""


@dataclass(frozen=True, slots=True)
class Scan:
    """Pins: which contacts are closed (bit `row * columns + column`), and what is pushed."""

    contacts: int
    pushed: int


@dataclass(frozen=True, slots=True)
class Ask:
    """Driver: who is there."""


@dataclass(frozen=True, slots=True)
class Switch:
    """Driver: these outputs are on, the others off."""

    on: int


Told = Grid | Scan
Asked = Ask | Switch


def written(message: Told | Asked, sequence: int) -> bytes:
    """The bytes of a message."""
    match message:
        case Grid():
            head = bytes((message.rows, message.columns)) + message.inputs.to_bytes(2, "little")
            body = head + bytes((message.outputs,)) + message.unique_id[:ID_BYTES].ljust(ID_BYTES, b"\0")
            return encode(Packet(BOARD, sequence, body + message.library.encode("ascii", "replace")[:100]))
        case Scan():
            contacts = message.contacts.to_bytes((message.contacts.bit_length() + 7) // 8, "little")
            return encode(Packet(SCAN, sequence, message.pushed.to_bytes(2, "little") + contacts))
        case Ask():
            return encode(Packet(ASK, sequence))
        case Switch():
            return encode(Packet(SWITCH, sequence, bytes((message.on,))))


def told(packet: Packet) -> Told | None:
    """What the pins say in a packet, None when it is no such message; BadPayload when it does not fit its type."""
    payload = packet.payload
    match packet.type:
        case 0x41:
            if len(payload) < 5 + ID_BYTES:
                raise BadPayload(f"a grid of {len(payload)} bytes")
            inputs, library = int.from_bytes(payload[2:4], "little"), payload[5 + ID_BYTES :].decode("ascii", "replace")
            return Grid(payload[0], payload[1], inputs, payload[4], payload[5 : 5 + ID_BYTES], library)
        case 0x42:
            if len(payload) < 2:
                raise BadPayload(f"a scan of {len(payload)} bytes")
            return Scan(int.from_bytes(payload[2:], "little"), int.from_bytes(payload[:2], "little"))
    return None


def asked(packet: Packet) -> Asked | None:
    """What the driver says in a packet, None when it is no such message."""
    match packet.type, len(packet.payload):
        case 0xC1, 0:
            return Ask()
        case 0xC2, 1:
            return Switch(packet.payload[0])
    return None
