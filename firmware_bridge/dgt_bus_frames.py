"""Bytes on a line that several DGT-compatible boards (unofficial) share: addressed questions, checked answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum

EVERYBODY = 0
"""The address that means every board on the line."""
MOST_ADDRESSES = 1 << 14
HALF_ANSWER_MS = 300
"""An answer that has begun and gets no byte for so long is given up."""
HEADER_BYTES, FRAME_BYTES = 5, 6
AFTER_ANSWER = "byte after an answer"
"""The answer may have had a byte too many: what it tells is shifted."""


class Ask(IntEnum):
    """What a board is asked. Nothing here is kept in its memory; 0x85, which writes there, is not sent."""

    CLOCK = 0x81
    BOARD = 0x82
    CHANGES = 0x83
    REPEAT = 0x84
    PING = 0x87
    IGNORE_PING = 0x8A
    """Do not answer the next ping to everybody; answered by a ping."""
    VERSION = 0x8B
    BLACK_SQUARES = 0x8C


class Tell(IntEnum):
    """What a board answers."""

    BOARD = 0x83
    CLOCK = 0x84
    CHANGES = 0x85
    PING = 0x87
    VERSION = 0x89
    BLACK_SQUARES = 0x8A


ANSWERS = {
    Ask.CLOCK: Tell.CLOCK,
    Ask.BOARD: Tell.BOARD,
    Ask.CHANGES: Tell.CHANGES,
    Ask.REPEAT: Tell.CHANGES,
    Ask.PING: Tell.PING,
    Ask.IGNORE_PING: Tell.PING,
    Ask.VERSION: Tell.VERSION,
    Ask.BLACK_SQUARES: Tell.BLACK_SQUARES,
}
"""What answers which request."""
LENGTHS: dict[Tell, tuple[int, ...] | range] = {
    Tell.BOARD: (70, 106),
    Tell.CLOCK: (13,),
    Tell.CHANGES: range(FRAME_BYTES, FRAME_BYTES + 0x1F00 + 1),
    Tell.PING: (6,),
    Tell.VERSION: (6, 8),
    Tell.BLACK_SQUARES: (56,),
}
"""Total lengths that fit an answer, its header of five bytes and its checksum included."""


def request(ask: Ask, address: int) -> bytes:
    """The four bytes that ask one board, or with `EVERYBODY` all of them."""
    message = bytes((ask, address >> 7, address & 0x7F))
    return message + bytes((sum(message) & 0x7F,))


@dataclass(frozen=True, slots=True)
class Answer:
    """One good message of a board; every byte of its data is below 0x80."""

    tell: Tell
    address: int
    data: bytes


class BusParser:
    """Answers out of a stream in pieces of any size. A byte with bit 7 always begins an answer."""

    def __init__(self) -> None:
        self._partial = bytearray()
        self._total: int | None = None
        self._byte_ms = 0
        self._is_after = False
        self.drops: Counter[str] = Counter()

    @property
    def begun(self) -> int | None:
        """The board whose answer has begun; None while none has, or it is not known whose."""
        return self._partial[3] << 7 | self._partial[4] if len(self._partial) >= HEADER_BYTES else None

    def reset(self) -> None:
        """Forgets what has begun."""
        self._partial.clear()
        self._total = None

    def expire(self, now_ms: int) -> None:
        """Gives up half an answer that does not go on."""
        if self._partial and now_ms >= self._byte_ms + HALF_ANSWER_MS:
            self._drop("half an answer")

    def deadline_ms(self) -> int | None:
        """When expire has something to do."""
        return self._byte_ms + HALF_ANSWER_MS if self._partial else None

    def receive(self, data: bytes, now_ms: int) -> tuple[Answer, ...]:
        """The answers that end in these bytes, of whichever board."""
        self.expire(now_ms)
        self._byte_ms = now_ms
        return tuple(answer for byte in data if (answer := self._byte(byte)) is not None)

    def _byte(self, byte: int) -> Answer | None:
        if byte & 0x80:
            if self._partial:
                self._drop("cut short")
            self._partial.append(byte)
            self._is_after = False
            return None
        if not self._partial:
            self._drop(AFTER_ANSWER if self._is_after else "byte between answers")
            return None
        self._partial.append(byte)
        if len(self._partial) == 3:
            self._read_header()
        return self._finished() if len(self._partial) == self._total else None

    def _read_header(self) -> None:
        kind, high, low = self._partial
        total = high << 7 | low
        if kind not in _KNOWN:
            self._drop("unknown answer")
        elif total not in LENGTHS[Tell(kind)]:
            self._drop("bad length")
        else:
            self._total = total

    def _finished(self) -> Answer | None:
        *message, checksum = self._partial
        self._is_after = True
        if sum(message) & 0x7F != checksum:
            self._drop("bad checksum")
            return None
        kind, _, _, high, low, *data = message
        self.reset()
        return Answer(Tell(kind), high << 7 | low, bytes(data))

    def _drop(self, reason: str) -> None:
        self.drops[reason] += 1
        self.reset()


_KNOWN = frozenset(int(tell) for tell in Tell)
