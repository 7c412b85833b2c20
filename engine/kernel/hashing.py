# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Table: what searches remember of positions. Several threads may use one table at once, without a lock.

An entry is two 64-bit words: the data, and the key xor-ed with the data. Words that two threads wrote at the same time
do not fit one another, so such an entry is simply not found. The data are, from the lowest bit: move code (32), score +
32,768 (16), depth (8), bound (2: 1 at least, 2 at most, 3 exact), age (6). Entries lie in fours, one cache line.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    LOW = 0xFFFFFFFF
    ALL = 0xFFFFFFFFFFFFFFFF
    GOLDEN = 0x9E3779B97F4A7C15

    class _Sparse(dict[int, int]):
        """Words that are 0 until written: an interpreted search fills few of them."""

        def __missing__(self, place: int) -> int:
            return 0


DEFAULT_BYTES = 32 << 20
"""Leaves the whole process under 64 MB."""

_LEAST_BYTES = 1 << 12


@cython.cclass
class Table:
    """A transposition table of at most `size` bytes, a power of two; ValueError under 4,096 bytes, MemoryError."""

    def __init__(self, size: object = DEFAULT_BYTES) -> None:
        if size < _LEAST_BYTES:
            raise ValueError(f"a table of {size} bytes: expected at least {_LEAST_BYTES}")
        self.size = 1 << (size.bit_length() - 1)
        self.mask = (self.size >> 6) - 1
        self.age = 0
        if cython.compiled:
            if self.slots:
                free(self.slots)
            self.slots = cython.cast(cython.p_ulonglong, room(self.size))
            if not self.slots:
                raise MemoryError(f"no room for a table of {self.size} bytes")
        else:
            self.slots = _Sparse()

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.slots)

    def clear(self) -> None:
        """Forget everything; no search may run meanwhile."""
        if cython.compiled:
            memset(self.slots, 0, self.size)
        else:
            self.slots.clear()
        self.age = 0

    def turn(self) -> None:
        """A new search begins: what older ones left goes first when room is needed."""
        self.age = (self.age + 1) & 63

    def filled(self) -> int:
        """Thousandths of a sample of entries that hold something from the latest search."""
        place: cython.int
        used: cython.int = 0
        data: cython.ulonglong
        for place in range(256):
            data = self.slots[2 * place + 1]
            if data and (data >> 58) == self.age:
                used += 1
        return used * 1000 // 256

    def found(self, key: int) -> int:
        """The data under a key, 0 when there are none: for tests."""
        return self.look(key)

    def store(self, key: int, code: int, score: int, depth: int, bound: int) -> None:
        """Keep one entry: for tests."""
        self.keep(key, code, score, depth, bound)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fetch(self, key: cython.ulonglong) -> cython.void:
        """Have the memory of a key on its way before `look` needs it; that wait was a sixth of all time."""
        if cython.compiled:
            prefetch(cython.address(self.slots[(key & self.mask) << 3]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look(self, key: cython.ulonglong) -> cython.ulonglong:
        """The data kept under a key, or 0."""
        at: cython.ulonglong = (key & self.mask) << 3
        place: cython.int
        data: cython.ulonglong
        for place in range(4):
            data = self.slots[at + 2 * place + 1]
            if data and (self.slots[at + 2 * place] ^ data) == key:
                return data
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep(
        self, key: cython.ulonglong, code: cython.uint, score: cython.int, depth: cython.int, bound: cython.int
    ) -> cython.void:
        """Remember: over the same position's entry, else over the entry of its four that is worth least."""
        at: cython.ulonglong = (key & self.mask) << 3
        place: cython.int
        victim: cython.int = 0
        worth: cython.int
        least: cython.int = 1 << 20
        data: cython.ulonglong
        for place in range(4):
            data = self.slots[at + 2 * place + 1]
            if not data:
                if least > -1024:
                    least = -1024
                    victim = place
                continue
            if (self.slots[at + 2 * place] ^ data) == key:
                # A shallower result of this very search must not push out a much deeper one.
                if bound != 3 and (data >> 58) == self.age and depth + 3 < cython.cast(cython.int, (data >> 48) & 255):
                    return
                if code == 0:
                    code = cython.cast(cython.uint, data & LOW)
                victim = place
                break
            worth = cython.cast(cython.int, (data >> 48) & 255)
            worth -= 8 * ((self.age - cython.cast(cython.int, data >> 58)) & 63)
            if worth < least:
                least = worth
                victim = place
        data = code
        data |= cython.cast(cython.ulonglong, score + 32768) << 32
        data |= cython.cast(cython.ulonglong, depth) << 48
        data |= cython.cast(cython.ulonglong, bound) << 56
        data |= cython.cast(cython.ulonglong, self.age) << 58
        self.slots[at + 2 * victim] = key ^ data
        self.slots[at + 2 * victim + 1] = data
