"""Bytes of a DGT-compatible board (unofficial) to messages: a resynchronising parser for a line without checksum."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum

HALF_MESSAGE_MS = 1000
"""A message that has begun and gets no byte for so long is given up."""

SPOILT_DUMP = "spoilt dump"
AFTER_DUMP = "byte after a dump"
"""The dump had a byte too many: what it tells is shifted."""


class Message(IntEnum):
    """What the board says, by its identifier."""

    BOARD = 0x06
    CLOCK = 0x0D
    FIELD = 0x0E
    LOG = 0x0F
    BUS_ADDRESS = 0x10
    SERIAL = 0x11
    TRADE_MARK = 0x12
    VERSION = 0x13
    BLACK_SQUARES = 0x14
    WHITE_SQUARES = 0x15
    BATTERY = 0x20
    LONG_SERIAL = 0x22


LENGTHS: dict[Message, tuple[int, ...] | range] = {
    Message.BOARD: (67, 103),
    Message.CLOCK: (10,),
    Message.FIELD: (5,),
    Message.LOG: (7939,),
    Message.BUS_ADDRESS: (5,),
    Message.SERIAL: (8,),
    Message.TRADE_MARK: range(3, 1024),
    Message.VERSION: (5,),
    Message.BLACK_SQUARES: (53,),
    Message.WHITE_SQUARES: (53,),
    Message.BATTERY: range(7, 17),
    Message.LONG_SERIAL: (13,),
}
"""Total lengths, the three header bytes included, that fit an identifier."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message: its identifier and its payload, every byte below 0x80."""

    message: Message
    payload: bytes


def spread(black_squares: bytes) -> bytes:
    """The codes of the 50 dark squares on a board of 100 fields."""
    fields = bytearray(100)
    for place, code in enumerate(black_squares):
        row, pair = divmod(place, 5)
        fields[10 * row + 2 * pair + (row + 1) % 2] = code
    return bytes(fields)


class Parser:
    """Frames out of a stream in pieces of any size. A byte with bit 7 always begins a message."""

    def __init__(self) -> None:
        self._partial = bytearray()
        self._total: int | None = None
        self._byte_ms = 0
        self._last: Message | None = None
        self.frames = 0
        self.drops: Counter[str] = Counter()

    def reset(self) -> None:
        """Forgets a message that has begun."""
        self._partial.clear()
        self._total = None

    def deadline_ms(self) -> int | None:
        """When a message that has begun is given up."""
        return self._byte_ms + HALF_MESSAGE_MS if self._partial else None

    def expire(self, now_ms: int) -> None:
        """Gives up a message that has begun when its time has come."""
        if self._partial and now_ms >= self._byte_ms + HALF_MESSAGE_MS:
            self._drop("half a message", spoilt_dump=self._is_dump)

    def receive(self, data: bytes, now_ms: int) -> tuple[Frame, ...]:
        """The messages completed by these bytes, oldest first."""
        self.expire(now_ms)
        self._byte_ms = now_ms
        return tuple(frame for byte in data if (frame := self._byte(byte)) is not None)

    def _byte(self, byte: int) -> Frame | None:
        if byte & 0x80:
            if self._partial:
                self._drop("cut short", spoilt_dump=self._is_dump)
            self._partial.append(byte)
            return None
        if not self._partial:
            self._drop(AFTER_DUMP if self._last in (Message.BOARD, Message.BLACK_SQUARES) else "byte between messages")
            return None
        self._partial.append(byte)
        if len(self._partial) == 3:
            self._read_header()
        return self._finished() if len(self._partial) == self._total else None

    def _read_header(self) -> None:
        identifier, high, low = self._partial
        total = high << 7 | low
        if identifier & 0x7F not in _KNOWN:
            self._drop("unknown message")
        elif total not in LENGTHS[Message(identifier & 0x7F)]:
            self._drop("bad length")
        else:
            self._total = total

    def _finished(self) -> Frame:
        frame = Frame(Message(self._partial[0] & 0x7F), bytes(self._partial[3:]))
        self.reset()
        self._last = frame.message
        self.frames += 1
        return frame

    @property
    def _is_dump(self) -> bool:
        return self._total is not None and self._partial[0] & 0x7F == Message.BOARD

    def _drop(self, reason: str, *, spoilt_dump: bool = False) -> None:
        self.drops[SPOILT_DUMP if spoilt_dump else reason] += 1
        self.reset()


_KNOWN = frozenset(int(message) for message in Message)
