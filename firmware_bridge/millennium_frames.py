"""Bytes of a Millennium ChessLink board (unofficial) to messages and back.

Every message is a letter and its data in printable characters, then two hexadecimal digits: the exclusive or of all
characters before them. Each byte carries odd parity in bit 7. Facts: domschl/python-mchess, `magic-board.md` (the
maker's protocol of 2017-10-25), commit a971eae3.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import xor

LENGTHS = {"s": 67, "l": 3, "v": 7}
"""Characters of the messages that are of use, by their letter, check included: status, lamps taken, version."""
PIECES = frozenset("KQRNBPkqrnbp.")
HALF_MESSAGE_MS = 500
"""A message that has begun and gets no byte for so long is given up; the longest takes 18 ms."""
_DATA = {"s": PIECES, "l": frozenset[str](), "v": frozenset("0123456789ABCDEF")}


def with_parity(character: str) -> int:
    """The byte of a character, with bit 7 set where it has an even number of bits."""
    code = ord(character)
    return code | (0 if code.bit_count() % 2 else 0x80)


def check_of(text: str) -> str:
    """The two digits that end a message."""
    return f"{reduce(xor, map(ord, text), 0):02X}"


def written(text: str) -> bytes:
    """A message as it goes over the wire."""
    return bytes(map(with_parity, text + check_of(text)))


class Parser:
    """Messages out of a stream in pieces of any size: the letter with the data, without the check."""

    def __init__(self) -> None:
        self._partial = bytearray()
        self._byte_ms = 0
        self.messages = 0
        self.drops: Counter[str] = Counter()

    def reset(self) -> None:
        """Forgets a message that has begun."""
        self._partial.clear()

    def deadline_ms(self) -> int | None:
        """When a message that has begun is given up."""
        return self._byte_ms + HALF_MESSAGE_MS if self._partial else None

    def expire(self, now_ms: int) -> None:
        """Gives up a message that has begun when its time has come."""
        if self._partial and now_ms >= self._byte_ms + HALF_MESSAGE_MS:
            self.drops["half a message"] += 1
            self.reset()

    def receive(self, data: bytes, now_ms: int) -> tuple[str, ...]:
        """The messages completed by these bytes, oldest first."""
        self.expire(now_ms)
        self._byte_ms = now_ms
        self._partial += data
        found = []
        while self._partial:
            length = LENGTHS.get(chr(self._partial[0] & 0x7F))
            if length is None:
                self._skip("byte between messages")
            elif len(self._partial) < length:
                break
            elif (text := _text(bytes(self._partial[:length]))) is None:
                # The next message may have begun within what looked like this one.
                self._skip("spoilt message")
            else:
                del self._partial[:length]
                self.messages += 1
                found.append(text)
        return tuple(found)

    def _skip(self, reason: str) -> None:
        self.drops[reason] += 1
        del self._partial[0]


def _text(data: bytes) -> str | None:
    """A message without its check, None when something in it is wrong.

    An adapter set to seven bits takes the parity away; then none of the bytes has it.
    """
    text = "".join(chr(byte & 0x7F) for byte in data)
    has_parity = any(byte & 0x80 for byte in data)
    if has_parity and any(with_parity(character) != byte for character, byte in zip(text, data, strict=True)):
        return None
    body, check = text[:-2], text[-2:]
    return body if check_of(body) == check and set(body[1:]) <= _DATA[body[0]] else None
