# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Endings: how positions with few pieces end, looked up by the search in tables that `engine.kernel.retrograde` makes.

A slice is all positions with the same material and the same side to move: (side to move, own men, own kings, enemy men,
enemy kings), own being the mover's. Where the board and the rules look the same to both sides, Black's slices are
White's, and the side is always 0. The digits of a position's number are the numbers of the sets of squares of own men,
enemy men, own kings and enemy kings, each among all sets as large, counted from its owner's side; numbers that put two
pieces on one square are holes.

Draw rules that count moves, and repetition, are not in the tables; draw rules that end the game at once are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb, prod

import cython

if not cython.compiled:
    from engine.kernel.moves import lowest, popcount

    MOST_BITS = 144
    MAN, KING = 0, 1
    SLOTS = 2592

MOST_PIECES = 6
"""Tables of more pieces cannot be held."""

BLOCK = 1024
"""How many values lie in one block of packed values."""

Slice = tuple[int, int, int, int, int]
"""(side to move, own men, own kings, enemy men, enemy kings)."""


@cython.cclass
class Index:
    """How positions are numbered. Kinds are 0 (man) and 1 (king); a side's kind has its places at 2 * side + kind."""

    def __init__(self, tables: object) -> None:
        i: cython.int
        j: cython.int
        if not cython.compiled:
            self.place, self.bit_at, self.places = [-1] * 4 * MOST_BITS, [0] * 4 * MOST_BITS, [0] * 4
            self.choose = [0] * (MOST_BITS + 1) * 8
        self.symmetric = is_symmetric(tables)
        for i in range(4 * MOST_BITS):
            self.place[i] = -1
        for side in range(2):
            for kind in (MAN, KING):
                # From the owner's side, so that a symmetric board needs only one side's tables.
                bits = sorted(
                    [bit for bit in tables.bits if kind == KING or not tables.last_rows[side] >> bit & 1],
                    reverse=side == 1,
                )
                self.places[2 * side + kind] = len(bits)
                for j, bit in enumerate(bits):
                    self.place[(2 * side + kind) * MOST_BITS + cython.cast(cython.int, bit)] = j
                    self.bit_at[(2 * side + kind) * MOST_BITS + j] = bit
        for i in range(MOST_BITS + 1):
            for j in range(8):
                self.choose[8 * i + j] = comb(i, j)

    def facing(self, which: Slice) -> Slice:
        """The slice with the other side to move and the same pieces on the board."""
        side, men, kings, enemy_men, enemy_kings = which
        return (0 if self.symmetric else 1 - side, enemy_men, enemy_kings, men, kings)

    def size(self, which: Slice) -> int:
        """How many numbers a slice has, holes included."""
        return prod(self.digits(which))

    def digits(self, which: Slice) -> list[int]:
        """How many sets there are of own men, enemy men, own kings, enemy kings; multiplied, the `size`."""
        side, men, kings, enemy_men, enemy_kings = which
        own, enemy, everywhere = self.places[2 * side], self.places[2 - 2 * side], self.places[1]
        return [comb(own, men), comb(enemy, enemy_men), comb(everywhere, kings), comb(everywhere, enemy_kings)]

    def slice_of(self, boards: tuple[int, int, int, int, int]) -> Slice | None:
        """The slice of a position given as `Draughts.boards` gives it; None where no slice holds such a position."""
        men, kings, enemy_men, enemy_kings, side = _by_mover(boards)
        number = (men.bit_count(), kings.bit_count(), enemy_men.bit_count(), enemy_kings.bit_count())
        if self.stray(men, side) or self.stray(enemy_men, 1 - side):
            return None
        if number[0] + number[1] == 0 or number[2] + number[3] == 0 or sum(number) > MOST_PIECES:
            return None
        return (0 if self.symmetric else side, *number)

    def stray(self, men: int, side: cython.int) -> bool:
        """Whether a man stands where it would have been crowned."""
        b: BB = men
        while b:
            if self.place[2 * side * MOST_BITS + lowest(b)] < 0:
                return True
            b &= b - 1
        return False

    def number_of(self, boards: tuple[int, int, int, int, int]) -> int:
        """The number of a position in its slice."""
        men, kings, enemy_men, enemy_kings, side = _by_mover(boards)
        return self.number(men, kings, enemy_men, enemy_kings, side)

    def sets(self, side: cython.int, kind: cython.int, many: int) -> list[int]:
        """All sets of `many` squares where a side's kind may stand, in the order of their numbers."""
        bits = [self.bit_at[(2 * side + kind) * MOST_BITS + i] for i in range(self.places[2 * side + kind])]
        return [sum(some) for some in combinations([1 << bit for bit in reversed(bits)], many)][::-1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rank(self, b: BB, side: cython.int, kind: cython.int) -> cython.longlong:
        """The number of a set of squares among all as large, as its owner counts them."""
        number: cython.longlong = 0
        at: cython.int = (2 * side + kind) * MOST_BITS
        i: cython.int
        if side == 0:
            i = 1
            while b:
                number += self.choose[8 * self.place[at + lowest(b)] + i]
                b &= b - 1
                i += 1
        else:
            i = popcount(b)
            while b:
                number += self.choose[8 * self.place[at + lowest(b)] + i]
                b &= b - 1
                i -= 1
        return number

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def slot(
        self, side: cython.int, men: cython.int, kings: cython.int, enemy_men: cython.int, enemy_kings: cython.int
    ) -> cython.int:
        """The place of a slice in arrays of all slices."""
        if self.symmetric:
            side = 0
        return (((side * 6 + men) * 6 + kings) * 6 + enemy_men) * 6 + enemy_kings

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def number(self, men: BB, kings: BB, enemy_men: BB, enemy_kings: BB, side: cython.int) -> cython.longlong:
        """The number of a position in its slice; `side` is to move and owns `men` and `kings`."""
        other: cython.int = 1 - side
        everywhere: cython.int = 8 * self.places[1]
        return (
            (
                self.rank(men, side, 0) * self.choose[8 * self.places[2 * other] + popcount(enemy_men)]
                + self.rank(enemy_men, other, 0)
            )
            * self.choose[everywhere + popcount(kings)]
            + self.rank(kings, side, 1)
        ) * self.choose[everywhere + popcount(enemy_kings)] + self.rank(enemy_kings, other, 1)


@cython.cclass
class Endings(Index):
    """Packed values of slices, to be looked up by several searches at once. `most_pieces` is 0 while there are none.

    Values of a slice come in blocks of 1,024: first a word of four bytes for each block, little-endian, then runs of
    equal values. A word holds the block's first value (2 bits: 0 lost, 1 drawn, 2 won by the side to move), whether all
    are like it (1 bit), and where its runs begin, counted from the first word (29 bits). A byte of runs is 0 b nnnnnn:
    n values (63: as the next two bytes say), or 1 b c mm nnn: m + 1 values, then n + 1; after a run of v comes one of
    (v + 1 + b) % 3, after the second run of a byte c in place of b.
    """

    def __init__(self, tables: object) -> None:
        Index.__init__(self, tables)
        i: cython.int
        if not cython.compiled:
            self.data, self.stride, self.crowning = [None] * SLOTS, [0] * 4 * SLOTS, [0, 0]
        for i in range(SLOTS):
            if cython.compiled:
                self.data[i] = cython.NULL
        self.most_pieces = 0
        self.crowning[0], self.crowning[1] = tables.last_rows
        self.held = []

    def add(self, which: Slice, order: Sequence[int], values: object) -> None:
        """Take the packed values of a slice, a contiguous buffer, whose digits change in `order`, the slowest first.

        They are kept as they are, so they may lie in a mapped file; no search may run meanwhile.
        """
        side, men, kings, enemy_men, enemy_kings = which
        i: cython.int = self.slot(side, men, kings, enemy_men, enemy_kings)
        digits: list = self.digits(which)
        view = memoryview(values).cast("B")
        step = 1
        for digit in reversed(order):
            self.stride[4 * i + cython.cast(cython.int, digit)] = step
            step *= digits[digit]
        if len(view) < 4 * ((step + BLOCK - 1) // BLOCK):
            raise ValueError(f"slice {which}: {len(view)} bytes do not hold {step} values")
        self.held.append(view)
        if cython.compiled:
            self.data[i] = address(view)
        else:
            self.data[i] = view
        self.most_pieces = max(self.most_pieces, men + kings + enemy_men + enemy_kings)

    def probe(self, boards: tuple) -> int:
        """The value of a position given as `Draughts.boards` gives it, see `value`."""
        return self.value(boards[0], boards[1], boards[2], boards[3], boards[4])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def value(self, men0: BB, kings0: BB, men1: BB, kings1: BB, side: cython.int) -> cython.int:
        """1 when the side to move wins, 0 drawn, -1 lost, 2 unknown. The first two sets are White's, then Black's.

        Not to be asked where a piece must be captured: what the tables say there means nothing.
        """
        slot: cython.int
        at: cython.longlong
        if (men0 & self.crowning[0]) | (men1 & self.crowning[1]):
            return 2
        if popcount(men0 | kings0 | men1 | kings1) > self.most_pieces:
            return 2
        if side == 0:
            slot = self.slot(0, popcount(men0), popcount(kings0), popcount(men1), popcount(kings1))
            at = (
                self.rank(men0, 0, 0) * self.stride[4 * slot]
                + self.rank(men1, 1, 0) * self.stride[4 * slot + 1]
                + self.rank(kings0, 0, 1) * self.stride[4 * slot + 2]
                + self.rank(kings1, 1, 1) * self.stride[4 * slot + 3]
            )
        else:
            slot = self.slot(1, popcount(men1), popcount(kings1), popcount(men0), popcount(kings0))
            at = (
                self.rank(men1, 1, 0) * self.stride[4 * slot]
                + self.rank(men0, 0, 0) * self.stride[4 * slot + 1]
                + self.rank(kings1, 1, 1) * self.stride[4 * slot + 2]
                + self.rank(kings0, 0, 1) * self.stride[4 * slot + 3]
            )
        if not self.data[slot]:
            return 2
        return unpacked(self.data[slot], at) - 1


@cython.cfunc
def address(view: object) -> Codes:
    """Where a buffer begins; it stays there while the view is held."""
    buffer: Py_buffer
    PyObject_GetBuffer(view, cython.address(buffer), PyBUF_SIMPLE)
    place: Codes = cython.cast(Codes, buffer.buf)
    PyBuffer_Release(cython.address(buffer))
    return place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def unpacked(data: Codes, at: cython.longlong) -> cython.int:
    """One of the packed values of a slice: 0 lost, 1 drawn, 2 won."""
    block: cython.longlong = 4 * (at >> 10)
    left: cython.int = at & 1023
    place: cython.longlong = data[block] | (data[block + 1] << 8) | (data[block + 2] << 16)
    top: cython.int = data[block + 3]
    value: cython.int = top >> 6
    code: cython.int
    if top & 32:
        return value
    place |= cython.cast(cython.longlong, top & 31) << 24
    while True:
        code = data[place]
        place += 1
        if code & 128:
            left -= ((code >> 3) & 3) + 1
            if left < 0:
                return value
            value = (value + 1 + ((code >> 6) & 1)) % 3
            left -= (code & 7) + 1
            if left < 0:
                return value
            value = (value + 1 + ((code >> 5) & 1)) % 3
            continue
        if code & 63 == 63:
            left -= data[place] | (data[place + 1] << 8)
            place += 2
        else:
            left -= code & 63
        if left < 0:
            return value
        value = (value + 1 + ((code >> 6) & 1)) % 3


def slices(tables: object, index: Index, pieces: int) -> list[Slice]:
    """The slices of exactly so many pieces; each leads to earlier ones alone, and to the one facing it.

    Where the first king wins, no game goes on with a king on the board. Where a king may not go on moving while its
    side has a man, slices in which a side has both, or may come to, are left out: moves made before matter there.
    """
    sides = [0] if index.symmetric else [0, 1]
    found = [
        (side, men, kings, enemy_men, pieces - men - kings - enemy_men)
        for side in sides
        for men in range(pieces + 1)
        for kings in range(pieces + 1 - men)
        for enemy_men in range(pieces + 1 - men - kings)
        if 0 < men + kings < pieces
    ]
    if tables.first_king_wins:
        found = [which for which in found if not which[2] and not which[4]]
    if tables.king_move_limit:
        found = [which for which in found if which[1] * sum(which[1:3]) <= 1 and which[3] * sum(which[3:]) <= 1]
    return sorted(found, key=lambda which: (which[1] + which[3], which))


def leads_to(which: Slice, tables: object, index: Index) -> set[Slice]:
    """The slices that captures and crownings in a slice lead to."""
    side, men, kings, enemy_men, enemy_kings = which
    mover = 0 if index.symmetric else 1 - side
    crowned = [(men - 1, kings + 1)] if men and not tables.first_king_wins else []
    after_capture = [
        (left_men, left_kings)
        for left_men in range(enemy_men + 1)
        for left_kings in range(enemy_kings + 1)
        if 0 < left_men + left_kings < enemy_men + enemy_kings
    ]
    found = {(mover, *enemy, *own) for enemy in after_capture for own in [(men, kings), *crowned]}
    return found | {(mover, enemy_men, enemy_kings, *own) for own in crowned}


def _by_mover(boards: tuple[int, int, int, int, int]) -> tuple[int, int, int, int, int]:
    """(own men, own kings, enemy men, enemy kings, side to move)."""
    return boards if boards[4] == 0 else (boards[2], boards[3], boards[0], boards[1], 1)


def is_symmetric(tables: object) -> bool:
    """Whether the board and the rules look the same to both sides, half a turn apart."""
    bits = sorted(tables.bits)
    turned = dict(zip(bits, reversed(bits), strict=True))

    def turn(squares: int) -> int:
        return sum(1 << turned[bit] for bit in bits if squares >> bit & 1)

    def step(bit: int, d: int) -> int:
        one = 1 << bit
        return (one >> tables.shifts[d] if d < 4 else one << tables.shifts[d]) & tables.targets[d]

    directions = (tables.man_moves, tables.man_captures, tables.king_moves, tables.king_captures)
    return (
        all(turn(step(bit, d)) == step(turned[bit], 7 - d) for bit in bits for d in range(8))
        and all({7 - d for d in white} == set(black) for white, black in directions)
        and turn(tables.last_rows[0]) == tables.last_rows[1]
        and turn(tables.main_road) == tables.main_road
    )
