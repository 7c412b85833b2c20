"""A cable in a storm: what a simulated board says comes through, and between it random and mutated bytes."""

from __future__ import annotations

from collections import deque
from random import Random

GUSTS_MS = (20, 1500)
"""From one gust to the next."""
LONGEST = 600
"""Bytes of a gust of random bytes."""
COPIES = 12
"""Mutated copies in a gust of those."""


def mutated(data: bytes, chance: Random) -> bytes:
    """The bytes with one to four of them flipped, replaced, lost, added or exchanged."""
    spoilt = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(spoilt)) if spoilt else 0
        match chance.randrange(5) if spoilt else 3:
            case 0:
                spoilt[at] ^= 1 << chance.randrange(8)
            case 1:
                spoilt[at] = chance.randrange(256)
            case 2:
                del spoilt[at]
            case 3:
                spoilt.insert(at, chance.randrange(256))
            case _:
                other = chance.randrange(len(spoilt))
                spoilt[at], spoilt[other] = spoilt[other], spoilt[at]
    return bytes(spoilt)


class Storm:
    """A simulated board behind such a cable; `poured` counts the bytes that are not its own."""

    def __init__(self, board, seed: int) -> None:
        self.board = board
        self.poured = 0
        self.raging = True
        self._chance = Random(seed)
        self._said: deque[bytes] = deque(maxlen=2)
        self._gust_ms = 0

    def __getattr__(self, name):
        return getattr(self.board, name)

    def receive(self, data: bytes, now_ms: int) -> bytes:
        return self._noted(self.board.receive(data, now_ms))

    def tick(self, now_ms: int) -> bytes:
        data = self._noted(self.board.tick(now_ms))
        if not self.raging or now_ms < self._gust_ms:
            return data
        self._gust_ms = now_ms + self._chance.randint(*GUSTS_MS)
        gust = self._gust()
        self.poured += len(gust)
        cut = self._chance.choice((0, len(data), self._chance.randint(0, len(data))))
        return data[:cut] + gust + data[cut:]

    def deadline_ms(self) -> int | None:
        due = self.board.deadline_ms()
        if not self.raging:
            return due
        return self._gust_ms if due is None else min(due, self._gust_ms)

    def _noted(self, data: bytes) -> bytes:
        if data:
            self._said.append(data)
        return data

    def _gust(self) -> bytes:
        if not self._said or self._chance.random() < 0.5:
            return self._chance.randbytes(self._chance.randint(1, LONGEST))
        copies = range(self._chance.randint(1, COPIES))
        return b"".join(mutated(self._chance.choice(self._said), self._chance) for _ in copies)
