"""The bytes of link version 1, for both ends: host and firmware run this file as it is. The link is in PROTOCOL.md.

It runs on MicroPython too: nothing is imported, annotations are for the type checker alone, and packets are written
into a buffer that its owner keeps.
"""

VERSION = 1
"""The link version that this program speaks."""

MAX_PAYLOAD = 200
_OVERHEAD = 4
_MAX_STUFFED = MAX_PAYLOAD + _OVERHEAD + 1
MAX_WIRE = _MAX_STUFFED + 1
"""A packet on the wire has at most so many bytes, with its delimiter."""

HELLO, STATE, ACK, PONG, KEYS = 0x01, 0x02, 0x03, 0x04, 0x05
MAGNETS, READINGS, CALIBRATION, PROBLEM = 0x06, 0x07, 0x08, 0x09
HELLO_REQUEST, LAMPS, BUZZER, PING, BRIGHTNESS = 0x81, 0x82, 0x83, 0x84, 0x85
READ, CALIBRATE, KEEP = 0x86, 0x87, 0x88

COLOUR, HAS_LAMPS, BUTTONS, CLOCK_LEVER, HAS_BUZZER = 1, 2, 4, 8, 16
FURTHER_BUTTONS, DIMMER, STRENGTHS, KINGS = 32, 64, 128, 256

EVERY_CELL, LEFT_CELLS, RIGHT_CELLS = 0, 1, 2
"""Which cells have a sensor: all, every second with White's lower left corner among them, or the lower right one."""

EMPTY, OCCUPIED, WHITE, BLACK = 0, 1, 2, 3
"""What a cell says in STATE."""

BUTTON_NAMES = ("confirm", "take_back", "new_game", "clock_white", "clock_black")
"""Buttons in the order of their bits and counters in STATE."""
KEY_NAMES = ("draw", "resign")
"""Further buttons in the order of their counters in KEYS."""
ROLE_NAMES = ("", "lift", "place", "path", "remove", "wrong", "hint")
"""What a lamp tells, by the number in LAMPS."""

HELLO_FORMAT = "<BHBBB8s3B"
STATE_FORMAT = "<I7B"
BUZZER_FORMAT = "<HH"
THRESHOLDS_FORMAT = "<4HB"
THRESHOLDS_BYTES = 9
BLACK_IS_HIGH, IS_DEAD = 1, 2
"""Flags of a cell's thresholds."""
EVERY_ROW = 255
"""The row in READ that means all of them."""


def _crc_table() -> tuple[int, ...]:
    table = []
    for high in range(256):
        crc = high << 8
        for _ in range(8):
            crc = (crc << 1) ^ 0x11021 if crc & 0x8000 else crc << 1
        table.append(crc)
    return tuple(table)


_CRC = _crc_table()


def checksum(data: bytes) -> int:
    """CRC-16/CCITT-FALSE of the data: polynomial 0x1021, start 0xFFFF, nothing reflected, nothing added at the end."""
    table = _CRC
    crc = 0xFFFF
    for byte in data:
        crc = (crc & 0xFF) << 8 ^ table[crc >> 8 ^ byte]
    return crc


def stuff(out: bytearray, body: bytes) -> int:
    """How many bytes of `out` are now the body without any zero byte: each zero-free run behind its length plus one.

    A body has at most 253 bytes, and `out` one more than the body.
    """
    mark, end = 0, 1  # where the length of the run goes, and its next byte
    for byte in body:
        if byte:
            out[end] = byte
        else:
            out[mark] = end - mark
            mark = end
        end += 1
    out[mark] = end - mark
    return end


def write(out: bytearray, kind: int, sequence: int, payload: bytes | bytearray) -> int:
    """How many bytes of `out`, which holds at least MAX_WIRE, are now this packet with its closing delimiter."""
    body = bytes((kind, sequence)) + payload
    crc = checksum(body)
    end = stuff(out, body + bytes((crc & 0xFF, crc >> 8)))
    out[end] = 0
    return end + 1


def unstuff(stuffed: bytes) -> bytes | None:
    """The body that was stuffed; None when a length points beyond the end."""
    body = bytearray(stuffed)
    at = 0
    while at < len(body):
        body[at], at = 0, at + body[at]
    return bytes(body[1:]) if at == len(body) else None


class Decoder:
    """Packets out of a stream of bytes in pieces of any size; what does not check is counted and skipped."""

    def __init__(self, check=checksum) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 - nothing is imported
        """`check` is the checksum, where a machine has a faster one."""
        self._check = check
        self._rest = b""
        self._skipping = False
        self.packets = 0
        self.drops: dict[str, int] = {}
        """How many were thrown away, by reason."""

    def receive(self, data: bytes) -> list[tuple[int, int, bytes]]:
        """(type, sequence, payload) of the packets completed by these bytes, oldest first."""
        pieces = (self._rest + data).split(b"\0")
        rest = pieces.pop()
        packets = []
        for stuffed in pieces:
            body = self._body(stuffed)
            if body is not None:
                packets.append((body[0], body[1], body[2:-2]))
        self._keep(rest)
        self.packets += len(packets)
        return packets

    def drop(self, reason: str) -> None:
        """Counts something that is thrown away."""
        self.drops[reason] = self.drops.get(reason, 0) + 1

    def _keep(self, rest: bytes) -> None:
        if len(rest) > _MAX_STUFFED:
            if not self._skipping:
                self.drop("too long")
            self._skipping = True
        self._rest = b"" if self._skipping else rest

    def _body(self, stuffed: bytes) -> bytes | None:
        """What stood between two delimiters, None when it is nothing or spoilt."""
        if self._skipping:
            self._skipping = False
            return None
        if not stuffed:
            return None
        if len(stuffed) > _MAX_STUFFED:
            self.drop("too long")
            return None
        body = unstuff(stuffed)
        if body is None:
            self.drop("bad stuffing")
        elif len(body) < _OVERHEAD:
            self.drop("too short")
        elif self._check(body[:-2]) != body[-2] | body[-1] << 8:
            self.drop("bad checksum")
        else:
            return body
        return None
