# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Moves: the capture games on bitboards. The rules are run-time tables, so a house rule runs as fast as a built-in one.

The compiled module comes twice: for boards of up to 64 bits, and as `wide_moves` for up to 128. A set of squares is an
integer with a bit for each; `tables.bits` says which. Captured pieces stay in nobody's way or in everybody's, as
`removed_now` says; what this generator lists is held to engine.draughts in tests.
"""

from __future__ import annotations

import cython

from engine.draughts import MOST_JUMPS, MOST_JUMPS_CHANGING
from engine.errors import TooManyCapturesError
from engine.position import EMPTY, KINGS, MEN, KingRun, Piece, Position, Side

if not cython.compiled:
    from engine.kernel.tree import MOST_COUNTERS, MOST_MOVES, MOST_PLIES, Tree

    MOST_BITS = 128
    FEW = 24
    BUCKETS = 4096
    PLACES = 262_144
    MOST_JUMPS_ANYHOW = 1_000_000_000
    KINGS_FIRST = 4
    MOST_ALIKE = 200

    def popcount(b):
        """How many bits are set."""
        return b.bit_count()

    def lowest(b):
        """The number of the lowest bit that is set."""
        return (b & -b).bit_length() - 1

    def moved(b, d, shift, target):
        """Every piece of a set moved one step in direction `d`; those that leave the board are gone."""
        return (b >> -shift[d] if shift[d] < 0 else b << shift[d]) & target[d]

    class _Sparse(dict):
        """Numbers that are 0 until written."""

        def __missing__(self, place):
            return 0


MOST_PLAIN_JUMPS = 2_000
"""How many jumps are tried in one position before it is begun again, following each place in a capture once."""

_SIDES = (Side.WHITE, Side.BLACK)


def _randoms(count: int, seed: int) -> list[int]:
    """Fixed 64-bit numbers for hash keys (splitmix64, Steele, Lea and Flood 2014)."""
    numbers = []
    for _ in range(count):
        seed = (seed + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        numbers.append(z ^ (z >> 31))
    return numbers


@cython.cclass
class Draughts(Tree):
    """The capture games without towers. Arrays of both sides have White's at 2 * ply and Black's at 2 * ply + 1."""

    def __init__(self, tables: object, every_order: bool = False) -> None:
        i: cython.int
        side: cython.int
        Tree.__init__(self, tables)
        bits = 8 * cython.sizeof(BB) if cython.compiled else MOST_BITS
        if tables.width > bits:
            raise ValueError(f"a board of {tables.width} bits: expected at most {bits}")
        if not cython.compiled:
            self.man, self.king = [0] * (2 * MOST_PLIES), [0] * (2 * MOST_PLIES)
            self.huffable, self.run_king, self.run_moves = [0] * MOST_PLIES, [0] * 2 * MOST_PLIES, [0] * 2 * MOST_PLIES
            self.start, self.end, self.off, self.huffed = ([0] * MOST_MOVES for _ in range(4))
            self.way, self.rank = [0] * MOST_MOVES, [0] * MOST_MOVES
            self.shift, self.target, self.precedence = [0] * 8, [0] * 8, [0] * 8
            self.man_move, self.man_capture, self.king_move, self.king_capture = ([0] * 16 for _ in range(4))
            self.man_moves, self.man_captures, self.king_moves_, self.king_captures = ([0] * 2 for _ in range(4))
            self.down_once, self.down_twice, self.down_target = [0] * 8, [0] * 8, [0] * 8
            self.up_once, self.up_twice, self.up_target = [0] * 8, [0] * 8, [0] * 8
            self.down_captures, self.up_captures = [0] * 2, [0] * 2
            self.last_row, self.square_of, self.path = [0, 0], [0] * MOST_BITS, [0] * MOST_BITS
            self.bucket, self.following = [0] * BUCKETS, [0] * MOST_MOVES
            self.known_tag, self.known_rank, self.known_off, self.known_end = (_Sparse() for _ in range(4))
            self.random, self.random_run, self.random_huff = [0] * 4 * MOST_BITS, [0] * 2 * MOST_BITS, [0] * MOST_BITS
        self.valid = tables.valid
        for i in range(8):
            self.shift[i] = -tables.shifts[i] if i < 4 else tables.shifts[i]
            self.target[i] = tables.targets[i]
        for side in range(2):
            self.man_moves[side] = len(tables.man_moves[side])
            self.man_captures[side] = len(tables.man_captures[side])
            self.king_moves_[side] = len(tables.king_moves[side])
            self.king_captures[side] = len(tables.king_captures[side])
            for i in range(self.man_moves[side]):
                self.man_move[8 * side + i] = tables.man_moves[side][i]
            for i in range(self.man_captures[side]):
                self.man_capture[8 * side + i] = tables.man_captures[side][i]
            for i in range(self.king_moves_[side]):
                self.king_move[8 * side + i] = tables.king_moves[side][i]
            for i in range(self.king_captures[side]):
                self.king_capture[8 * side + i] = tables.king_captures[side][i]
            self.last_row[side] = tables.last_rows[side]
        for side in range(2):
            self._far_captures(side)
        self.main_road = tables.main_road
        self.flying, self.landing = tables.flying, tables.landing
        self.king_move_limit, self.capture = tables.king_move_limit, tables.capture
        self.precedences = len(tables.precedence)
        for i in range(self.precedences):
            self.precedence[i] = tables.precedence[i]
        self.majority = self.precedences > 0 and self.precedence[0] == 0
        self.by_order = KINGS_FIRST in tables.precedence
        self.man_may_capture_king, self.crowning = tables.man_may_capture_king, tables.crowning
        self.removed_now, self.turn_back = tables.removed_now, tables.turn_back
        self.men_return = tables.men_return
        self.first_king_wins = tables.first_king_wins
        self.every_order = every_order
        self.plain_jumps = MOST_PLAIN_JUMPS
        self.most_places = MOST_JUMPS_CHANGING if self.removed_now else MOST_JUMPS
        self.by_place = False
        self.places = 0
        self.tired = False
        self.spilt = False
        self.sought_in_buckets = False
        self.era = 0
        self.wrap, self.golden = 0xFFFFFFFFFFFFFFFF, 0x9E3779B97F4A7C15
        numbers = _randoms(7 * MOST_BITS + 1, 20260101)
        for i in range(4 * MOST_BITS):
            self.random[i] = numbers[i]
        for i in range(2 * MOST_BITS):
            self.random_run[i] = numbers[4 * MOST_BITS + i]
        for i in range(MOST_BITS):
            self.random_huff[i] = numbers[6 * MOST_BITS + i]
        self.random_side = numbers[7 * MOST_BITS]
        for i in range(tables.squares):
            self.square_of[cython.cast(cython.int, tables.bits[i])] = i

    def _far_captures(self, side: cython.int) -> None:
        """Captures of men as seen from where they land: two steps back stands the man, one step back its prey."""
        i: cython.int
        d: cython.int
        down: cython.int = 4 * side
        up: cython.int = 4 * side
        for i in range(8 * side, 8 * side + self.man_captures[side]):
            d = self.man_capture[i]
            landings = self.step(self.step(self.valid, d), d)
            if d < 4:
                self.down_once[down], self.down_twice[down] = -self.shift[d], -2 * self.shift[d]
                self.down_target[down] = landings
                down += 1
            else:
                self.up_once[up], self.up_twice[up] = self.shift[d], 2 * self.shift[d]
                self.up_target[up] = landings
                up += 1
        self.down_captures[side], self.up_captures[side] = down - 4 * side, up - 4 * side

    # What a position is

    def set(self, position: Position) -> None:
        """Make any position of this board the root; ValueError for another board.

        Positions of games in progress carry in their trail what the rules remember.
        """
        if len(position.contents) != self.tables.squares:
            raise ValueError(f"{len(position.contents)} squares: expected {self.tables.squares}")
        bits = self.tables.bits
        side: cython.int
        self.side[0] = int(position.turn is Side.BLACK)
        for side in range(2):
            self.man[side] = _set_of(position, MEN[_SIDES[side]], bits)
            self.king[side] = _set_of(position, KINGS[_SIDES[side]], bits)
            self.run_king[side] = 0
            self.run_moves[side] = 0
        self.huffable[0] = 0
        trail = position.trail
        # What nobody has begun to remember does not bind: as the readable rules have it.
        self.king_move_limit = self.tables.king_move_limit if trail is not None and trail.king_runs else 0
        self.capture = self.tables.capture
        if self.capture == 2 and not (trail is not None and trail.keeps_last):
            self.capture = 1
        if trail is not None:
            for side in range(2):
                run = trail.king_runs[side] if trail.king_runs else KingRun()
                if run.moves and run.square >= 0:
                    self.run_king[side] = 1 << bits[run.square]
                    self.run_moves[side] = min(run.moves, self.king_move_limit)
            if trail.last is not None and self.capture == 2:
                self.huffable[0] = self._huffable_after(*trail.last)
        self.first[0] = 0
        self.reversible[0] = 0
        self.settle(0)

    def _huffable_after(self, before: Position, move) -> object:
        """Where the pieces stand now that could have captured in the last move, if it was none."""
        if move.captured:
            return 0
        bits = self.tables.bits
        contents = [EMPTY if square in move.huffed else piece for square, piece in enumerate(before.contents)]
        before = Position(tuple(contents), before.turn)
        own: cython.int = int(before.turn is Side.BLACK)
        able: BB = self.able(
            _set_of(before, MEN[_SIDES[own]], bits),
            _set_of(before, KINGS[_SIDES[own]], bits),
            _set_of(before, MEN[_SIDES[1 - own]], bits),
            _set_of(before, KINGS[_SIDES[1 - own]], bits),
            own,
        )
        start: BB = 1 << bits[move.from_square]
        if able & start:
            able = (able & ~start) | (1 << bits[move.to_square])
        return able

    def position(self, ply: cython.int = 0) -> Position:
        """The position at `ply`, without what came before it."""
        contents = [EMPTY] * self.tables.squares
        for square, bit in enumerate(self.tables.bits):
            for side in range(2):
                if (self.man[2 * ply + side] >> bit) & 1:
                    contents[square] = MEN[_SIDES[side]]
                if (self.king[2 * ply + side] >> bit) & 1:
                    contents[square] = KINGS[_SIDES[side]]
        return Position(tuple(contents), _SIDES[self.side[ply]])

    def boards(self, ply: cython.int = 0) -> tuple:
        """(white men, white kings, black men, black kings) as sets of bits, and the side to move."""
        return (
            self.man[2 * ply],
            self.king[2 * ply],
            self.man[2 * ply + 1],
            self.king[2 * ply + 1],
            self.side[ply],
        )

    def effects(self) -> list:
        """The effects of the root's legal moves, in the order of the list; TooManyCapturesError for too many."""
        if self.moves(0) < 0:
            raise TooManyCapturesError("captures go on in too many ways to be listed")
        return [self.effect(i) for i in range(self.first[0], self.first[1])]

    def effect(self, move: cython.int) -> tuple:
        """The effect of a listed move: (from, to, captured and huffed in ascending order, promotes)."""
        off: BB = self.off[move]
        captured = []
        while off:
            captured.append(self.square_of[lowest(off)])
            off &= off - 1
        return (self.from_square[move], self.to_square[move], tuple(sorted(captured)), bool(self.crowns[move]))

    def huffable_at(self, ply: cython.int = 0) -> object:
        """The pieces that may be huffed at `ply`, as a set of bits."""
        return self.huffable[ply]

    def play(self, number: cython.int) -> None:
        """Make the root's move `number` (0.. in the order of `effects`, which must have been listed) the new root."""
        side: cython.int
        i: cython.int
        self.make(0, self.first[0] + number)
        for side in range(2):
            self.man[side], self.king[side] = self.man[2 + side], self.king[2 + side]
            self.men[side], self.kings[side] = self.men[2 + side], self.kings[2 + side]
            self.run_king[side], self.run_moves[side] = self.run_king[2 + side], self.run_moves[2 + side]
        for i in range(2 * self.counters):
            self.counted[i] = self.counted[2 * MOST_COUNTERS + i]
        self.side[0], self.key[0], self.on_road[0] = self.side[1], self.key[1], self.on_road[1]
        self.huffable[0], self.reversible[0], self.calm[0] = self.huffable[1], self.reversible[1], self.calm[1]

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def settle(self, ply: cython.int) -> cython.void:
        """Write what follows from the boards at `ply`: material, key, main road, counters at their beginning."""
        side: cython.int
        rule: cython.int
        self.on_road[ply] = 0
        for side in range(2):
            self.men[2 * ply + side] = popcount(self.man[2 * ply + side])
            self.kings[2 * ply + side] = popcount(self.king[2 * ply + side])
            if (self.man[2 * ply + side] | self.king[2 * ply + side]) & self.main_road:
                self.on_road[ply] |= 1 << side
        self.calm[ply] = False
        for rule in range(self.counters):
            for side in range(2):
                self.counted[2 * (ply * MOST_COUNTERS + rule) + side] = 0 if self.applies(rule, ply) else -1
        self.key[ply] = self.key_of(ply)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key_of(self, ply: cython.int) -> cython.ulonglong:
        """The hash key of the position at `ply`, of everything that says what is legal."""
        key: cython.ulonglong = self.random_side if self.side[ply] else 0
        side: cython.int
        b: BB
        for side in range(2):
            b = self.man[2 * ply + side]
            while b:
                key ^= self.random[side * MOST_BITS + lowest(b)]
                b &= b - 1
            b = self.king[2 * ply + side]
            while b:
                key ^= self.random[(2 + side) * MOST_BITS + lowest(b)]
                b &= b - 1
            key ^= self.run_word(2 * ply + side)
        return key ^ self.huff_word(ply)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def run_word(self, own: cython.int) -> cython.ulonglong:
        """What a side's moves in a row with one king add to the key."""
        if self.run_moves[own] == 0:
            return 0
        return self.random_run[(own & 1) * MOST_BITS + lowest(self.run_king[own])] >> self.run_moves[own]

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def huff_word(self, ply: cython.int) -> cython.ulonglong:
        """What the pieces that may be huffed add to the key."""
        key: cython.ulonglong = 0
        b: BB = self.huffable[ply]
        while b:
            key ^= self.random_huff[lowest(b)]
            b &= b - 1
        return key

    # Generation

    @cython.final
    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def step(self, b: BB, d: cython.int) -> BB:
        """See moved."""
        return moved(b, d, self.shift, self.target)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, start: BB, end: BB, off: BB, count: cython.int, crowned: cython.bint) -> cython.void:
        """Keep a finished capture, unless it is one already kept or takes fewer pieces than another must."""
        i: cython.int
        way: cython.ulonglong = 0
        rank: cython.ulonglong = 0
        if self.majority:
            if count < self.best:
                return
            if count > self.best:
                self.best = count
                self.n = self.base
                self.sought_in_buckets = False
        if self.every_order:
            for i in range(1, count + 1):
                way = (way * 1_000_003 + lowest(self.path[i]) + 1) & self.wrap
        if self.by_order:
            rank = self.rank_of(count)
        if self.is_listed(start, end, off, crowned, way, rank):
            return
        i = self.n
        if i >= MOST_MOVES - 1:
            self.overflow = True
            return
        self.start[i] = start
        self.end[i] = end
        self.off[i] = off
        self.huffed[i] = 0
        self.way[i] = way
        self.rank[i] = rank
        self.crowns[i] = crowned
        self.n = i + 1
        if self.sought_in_buckets:
            self.put_into_bucket(i)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rank_of(self, count: cython.int) -> cython.ulonglong:
        """How a capture of `count` pieces compares by the rule "kings first": greater is better.

        Where all captures that are compared take as many, 64 pieces count, a bit each; else 40, in threes.
        """
        i: cython.int
        most: cython.int
        rank: cython.ulonglong = 0
        if self.majority:
            most = count if count < 64 else 64
            for i in range(1, most + 1):
                rank = rank * 2 + (1 if self.path[i] & self.enemy_kings else 0)
            return rank
        most = count if count < 40 else 40
        for i in range(1, 41):
            rank = rank * 3
            if i <= most:
                rank += 2 if self.path[i] & self.enemy_kings else 1
        return rank

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_listed(
        self, start: BB, end: BB, off: BB, crowned: cython.bint, way: cython.ulonglong, rank: cython.ulonglong
    ) -> cython.bint:
        """Whether a move is one of those from self.base on. Many are sought in buckets, a few one by one."""
        i: cython.int
        if self.n - self.base < FEW:
            for i in range(self.base, self.n):
                if (
                    self.off[i] == off
                    and self.end[i] == end
                    and self.start[i] == start
                    and self.crowns[i] == crowned
                    and self.way[i] == way
                    and self.rank[i] == rank
                ):
                    return True
            return False
        if not self.sought_in_buckets:
            for i in range(BUCKETS):
                self.bucket[i] = -1
            self.sought_in_buckets = True
            for i in range(self.base, self.n):
                self.put_into_bucket(i)
        i = self.bucket[self.bucket_of(end, off, way)]
        while i >= 0:
            if (
                self.off[i] == off
                and self.end[i] == end
                and self.start[i] == start
                and self.crowns[i] == crowned
                and self.way[i] == way
                and self.rank[i] == rank
            ):
                return True
            i = self.following[i]
        return False

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bucket_of(self, end: BB, off: BB, way: cython.ulonglong) -> cython.int:
        """The bucket of a move."""
        mixed: cython.ulonglong = self.folded(off) ^ way
        mixed = (mixed * self.golden + lowest(end)) & self.wrap
        return cython.cast(cython.int, ((mixed ^ (mixed >> 32)) * 0x2545F491) & self.wrap) & (BUCKETS - 1)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def folded(self, b: BB) -> cython.ulonglong:
        """A set of squares as one word of 64 bits."""
        word: cython.ulonglong = cython.cast(cython.ulonglong, b & self.wrap)
        # Two steps: a set may have no more than 64 bits, and a shift by as many is not defined.
        return word ^ cython.cast(cython.ulonglong, (b >> 32) >> 32)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put_into_bucket(self, move: cython.int) -> cython.void:
        """Let a listed move be found in its bucket."""
        place: cython.int = self.bucket_of(self.end[move], self.off[move], self.way[move])
        self.following[move] = self.bucket[place]
        self.bucket[place] = move

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def place_of(self, here: BB, off: BB, count: cython.int, is_king: cython.bint, banned: cython.int) -> cython.int:
        """Where in `known` the place of a capture is noted, or is to be noted: all that the rest of it depends on."""
        tag: cython.ulonglong = (self.era << 12) + 32 * lowest(here) + 2 * (banned + 1) + is_king
        rank: cython.ulonglong = self.rank_of(count) if self.by_order else 0
        mixed: cython.ulonglong = ((self.folded(off) ^ rank) * self.golden) & self.wrap
        slot: cython.int
        mixed = ((mixed ^ (mixed >> 29) ^ tag) * self.golden) & self.wrap
        slot = cython.cast(cython.int, mixed >> 40) & (PLACES - 1)
        # What an earlier capture left counts as free.
        while self.known_tag[slot] >> 12 == self.era and not (
            self.known_tag[slot] == tag and self.known_off[slot] == off and self.known_rank[slot] == rank
        ):
            slot = (slot + 1) & (PLACES - 1)
        if self.known_tag[slot] >> 12 != self.era:
            self.known_tag[slot] = tag
            self.known_off[slot] = off
            self.known_rank[slot] = rank
            self.known_end[slot] = 0
        return slot

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_memory(self) -> cython.bint:
        """Whether there is memory for the places of captures, which few positions need."""
        if cython.compiled and not self.known_tag:
            self.known_tag = cython.cast(cython.p_ulonglong, calloc(PLACES, 8))
            self.known_rank = cython.cast(cython.p_ulonglong, calloc(PLACES, 8))
            self.known_off = cython.cast(cython.pointer(BB), calloc(PLACES, cython.sizeof(BB)))
            self.known_end = cython.cast(cython.p_char, calloc(PLACES, 1))
        if cython.compiled and not (self.known_tag and self.known_rank and self.known_off and self.known_end):
            return False
        return True

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.known_tag)
            free(self.known_rank)
            free(self.known_off)
            free(self.known_end)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def king_jumps(
        self,
        start: BB,
        here: BB,
        enemy: BB,
        empty: BB,
        off: BB,
        count: cython.int,
        crowned: cython.bint,
        banned: cython.int,
    ) -> cython.bint:
        """Keep every capture that goes on with a king on `here`; whether there is one. `banned` is a direction."""
        i: cython.int
        d: cython.int
        over: BB
        land: BB
        ends: BB
        left: BB
        goes_on: cython.bint
        slot: cython.int = 0
        found: cython.bint = False
        if self.by_place:
            slot = self.place_of(here, off, count, True, banned)
            if self.known_end[slot]:
                return self.known_end[slot] == 1
            self.places += 1
            if self.places > self.most_places:
                self.tired = True
                return True
        for i in range(8 * self.mover, 8 * self.mover + self.king_captures[self.mover]):
            d = self.king_capture[i]
            if d == banned:
                continue
            over = self.step(here, d)
            if self.flying:
                while over & empty:
                    over = self.step(over, d)
            if not (over & enemy):
                continue
            land = self.step(over, d) & empty
            if not land:
                continue
            self.jumps += 1
            if self.jumps > self.most_jumps:
                self.tired = True
                return True
            found = True
            left = (empty | over) if self.removed_now else empty
            self.path[count + 1] = over
            ends = 0
            goes_on = False
            while land:
                if self.king_jumps(
                    start, land, enemy ^ over, left, off | over, count + 1, crowned, -1 if self.turn_back else 7 - d
                ):
                    goes_on = True
                else:
                    ends |= land
                if not self.flying or self.landing == 1:
                    break
                land = self.step(land, d) & empty
            # A king must land where it can go on, if it can anywhere behind this piece.
            if not goes_on:
                if self.landing == 2 and over & self.enemy_kings:
                    ends = self.step(over, d)
                self.path[count + 1] = over
                while ends:
                    land = ends & (~ends + 1)
                    ends ^= land
                    self.add(start, land, off | over, count + 1, crowned)
        if self.by_place:
            self.known_end[slot] = 1 if found else 2
        return found

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def man_jumps(
        self, start: BB, here: BB, enemy: BB, empty: BB, off: BB, count: cython.int, banned: cython.int
    ) -> cython.bint:
        """Keep every capture that goes on with a man on `here`; whether there is one."""
        i: cython.int
        d: cython.int
        over: BB
        land: BB
        left: BB
        back: cython.int
        slot: cython.int = 0
        found: cython.bint = False
        if self.by_place:
            slot = self.place_of(here, off, count, False, banned)
            if self.known_end[slot]:
                return self.known_end[slot] == 1
            self.places += 1
            if self.places > self.most_places:
                self.tired = True
                return True
        for i in range(8 * self.mover, 8 * self.mover + self.man_captures[self.mover]):
            d = self.man_capture[i]
            if d == banned:
                continue
            over = self.step(here, d) & enemy & ~self.shield
            if not over:
                continue
            land = self.step(over, d) & empty
            if not land:
                continue
            self.jumps += 1
            if self.jumps > self.most_jumps:
                self.tired = True
                return True
            found = True
            left = (empty | over) if self.removed_now else empty
            self.path[count + 1] = over
            back = -1 if self.turn_back else 7 - d
            if land & self.crown_row and self.crowning != 0:
                if self.crowning == 2 or not self.king_jumps(
                    start, land, enemy ^ over, left, off | over, count + 1, True, back
                ):
                    self.add(start, land, off | over, count + 1, True)
            elif not self.man_jumps(start, land, enemy ^ over, left, off | over, count + 1, back):
                self.add(start, land, off | over, count + 1, (land & self.crown_row) != 0)
        if self.by_place:
            self.known_end[slot] = 1 if found else 2
        return found

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_captures(
        self, able: BB, men: BB, kings: BB, enemy_men: BB, enemy_kings: BB, side: cython.int
    ) -> cython.void:
        """Captures of those `able` to, from self.base on, before the rules of choice but for "most pieces"."""
        self.n = self.base
        if not able:
            return
        self.by_place = False
        self.most_jumps = self.most_places if self.every_order else self.plain_jumps
        self.try_captures(able, men, kings, enemy_men, enemy_kings, side)
        if not self.tired:
            return
        if self.every_order or not self.has_memory():
            self.overflow = True
            return
        self.by_place = True
        self.most_jumps = MOST_JUMPS_ANYHOW
        self.try_captures(able, men, kings, enemy_men, enemy_kings, side)
        self.overflow |= self.tired

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def try_captures(
        self, able: BB, men: BB, kings: BB, enemy_men: BB, enemy_kings: BB, side: cython.int
    ) -> cython.void:
        """List the captures of all pieces, until `tired`."""
        enemy: BB = enemy_men | enemy_kings
        empty: BB = self.valid & ~(enemy | men | kings)
        one: BB
        self.n = self.base
        self.best = 0
        self.jumps = 0
        self.places = 0
        self.tired = False
        self.sought_in_buckets = False
        self.mover = side
        self.own_kings = kings
        self.enemy_kings = enemy_kings
        self.shield = 0 if self.man_may_capture_king else enemy_kings
        self.crown_row = self.last_row[side]
        able &= men
        while able:
            one = able & (~able + 1)
            able ^= one
            self.era += 1
            self.man_jumps(one, one, enemy, empty | one, 0, 0, -1)
        while kings:
            one = kings & (~kings + 1)
            kings ^= one
            self.era += 1
            if not self.king_jumps(one, one, enemy, empty | one, 0, 0, False, -1) and not self.flying:
                self.places -= 1

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_quiet(self, men: BB, kings: BB, enemy: BB, rested: BB, side: cython.int) -> cython.void:
        """Quiet moves, from self.n on; the king in `rested` makes none."""
        i: cython.int
        d: cython.int
        n: cython.int = self.n
        empty: BB = self.valid & ~(enemy | men | kings)
        last_row: BB = self.last_row[side]
        to: BB
        one: BB
        if n + self.man_moves[side] * popcount(men) >= MOST_MOVES:
            self.overflow = True
            return
        for i in range(8 * side, 8 * side + self.man_moves[side]):
            d = self.man_move[i]
            to = self.step(men, d) & empty
            while to:
                one = to & (~to + 1)
                to ^= one
                self.start[n] = self.step(one, 7 - d)
                self.end[n] = one
                self.off[n] = 0
                self.huffed[n] = 0
                self.way[n] = 0
                self.crowns[n] = (one & last_row) != 0
                n += 1
        kings &= ~rested
        while kings:
            if n >= MOST_MOVES - MOST_BITS:
                self.overflow = True
                break
            one = kings & (~kings + 1)
            kings ^= one
            for i in range(8 * side, 8 * side + self.king_moves_[side]):
                d = self.king_move[i]
                to = self.step(one, d) & empty
                while to:
                    self.start[n] = one
                    self.end[n] = to
                    self.off[n] = 0
                    self.huffed[n] = 0
                    self.way[n] = 0
                    self.crowns[n] = False
                    n += 1
                    if not self.flying:
                        break
                    to = self.step(to, d) & empty
        self.n = n

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_quiet(self, men: BB, kings: BB, enemy: BB, side: cython.int) -> cython.int:
        """How many quiet moves there are."""
        i: cython.int
        d: cython.int
        n: cython.int = 0
        empty: BB = self.valid & ~(enemy | men | kings)
        to: BB
        one: BB
        for i in range(8 * side, 8 * side + self.man_moves[side]):
            n += popcount(self.step(men, self.man_move[i]) & empty)
        while kings:
            one = kings & (~kings + 1)
            kings ^= one
            for i in range(8 * side, 8 * side + self.king_moves_[side]):
                d = self.king_move[i]
                to = self.step(one, d) & empty
                while to:
                    n += 1
                    if not self.flying:
                        break
                    to = self.step(to, d) & empty
        return n

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def prefer(self) -> cython.void:
        """Leave the captures that the rules of choice leave, each rule applied to those left by the one before."""
        rule: cython.int
        what: cython.int
        i: cython.int
        n: cython.int
        value: cython.ulonglong
        best: cython.ulonglong
        kings: BB
        for rule in range(self.precedences):
            what = self.precedence[rule]
            if what == 0 and rule == 0:
                continue
            best = 0
            n = self.base
            for i in range(self.base, self.n):
                if what == 4:
                    value = self.rank[i]
                elif what == 2:
                    kings = self.start[i] & self.own_kings
                    value = 1 if kings else 0
                else:
                    value = popcount(self.off[i] & self.enemy_kings)
                    if what == 0:
                        value = popcount(self.off[i])
                    elif what == 1:
                        # A king is worth a little less than two men (Frisian Official Rules 2011, art. 11).
                        value = 1000 * popcount(self.off[i]) + 999 * value
                if value > best:
                    best = value
                    n = self.base
                elif value < best:
                    continue
                self.copy(i, n)
                n += 1
            self.n = n

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def copy(self, source: cython.int, place: cython.int) -> cython.void:
        """Write a listed move over another."""
        self.start[place] = self.start[source]
        self.end[place] = self.end[source]
        self.off[place] = self.off[source]
        self.huffed[place] = self.huffed[source]
        self.way[place] = self.way[source]
        self.rank[place] = self.rank[source]
        self.crowns[place] = self.crowns[source]

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def one_each(self) -> cython.void:
        """Leave one move for each effect (and way, where every order is wanted)."""
        i: cython.int
        n: cython.int = self.n
        self.n = self.base
        self.sought_in_buckets = False
        for i in range(self.base, n):
            self.rank[i] = 0
            if not self.is_listed(self.start[i], self.end[i], self.off[i], self.crowns[i], self.way[i], 0):
                self.copy(i, self.n)
                if self.sought_in_buckets:
                    self.put_into_bucket(self.n)
                self.n += 1

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def generate(
        self, men: BB, kings: BB, enemy_men: BB, enemy_kings: BB, rested: BB, side: cython.int, quiet: cython.bint
    ) -> cython.void:
        """The moves of a position from self.base on, huffing apart; captures alone unless `quiet`."""
        able: BB = self.able(men, kings, enemy_men, enemy_kings, side)
        self.find_captures(able, men, kings, enemy_men, enemy_kings, side)
        if self.n > self.base and self.precedences:
            self.prefer()
            if self.by_order:
                self.one_each()
        if quiet and (self.n == self.base or self.capture):
            self.find_quiet(men, kings, enemy_men | enemy_kings, rested, side)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_moves(self, ply: cython.int, quiet: cython.bint) -> cython.int:
        """List the moves of the position at `ply`; see Tree.moves."""
        side: cython.int = self.side[ply]
        own: cython.int = 2 * ply + side
        other: cython.int = 2 * ply + 1 - side
        i: cython.int
        j: cython.int
        first: cython.int = self.first[ply]
        off: BB
        one: BB
        rested: BB = 0
        huffable: BB
        fold: cython.uint
        plain: cython.uint
        self.overflow = False
        self.base = first
        if self.king_move_limit and self.man[own] and self.run_moves[own] >= self.king_move_limit:
            rested = self.run_king[own]
        self.generate(self.man[own], self.king[own], self.man[other], self.king[other], rested, side, quiet)
        if self.capture == 2:
            huffable = self.huffable[ply]
            while huffable:
                one = huffable & (~huffable + 1)
                huffable ^= one
                self.base = self.n
                self.generate(
                    self.man[own],
                    self.king[own],
                    self.man[other] & ~one,
                    self.king[other] & ~one,
                    rested,
                    side,
                    quiet,
                )
                for i in range(self.base, self.n):
                    self.huffed[i] = one
                    self.off[i] |= one
            # To jump a piece, or to huff it and pass its square, may come to the same.
            self.base = first
            if self.huffable[ply]:
                self.one_each()
        if self.overflow:
            self.first[ply + 1] = first
            return -1
        for i in range(first, self.n):
            off = self.off[i]
            self.from_square[i] = self.square_of[lowest(self.start[i])]
            self.to_square[i] = self.square_of[lowest(self.end[i])]
            self.king_moves[i] = (self.king[own] & self.start[i]) != 0
            plain = self.from_square[i] | (self.to_square[i] << 8) | (self.crowns[i] << 30)
            if not off:
                self.taken[i] = 0
                self.code[i] = plain
                continue
            self.taken[i] = popcount(off & ~self.huffed[i])
            fold = 1
            while off:
                fold = (fold * 31 + 2 * lowest(off)) & 0x3FFF
                off &= off - 1
            if fold == 0:
                fold = 1
            self.code[i] = plain | (fold << 16)
            # Two sets of captured pieces may be folded alike; the later capture moves on to a number that is free.
            j = first
            while j < i and i - first < MOST_ALIKE:
                if self.code[j] == self.code[i]:
                    fold = fold % 0x3FFF + 1
                    self.code[i] = plain | (fold << 16)
                    j = first
                else:
                    j += 1
        self.first[ply + 1] = self.n
        return self.n - first

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def moves(self, ply: cython.int) -> cython.int:
        """See Tree.moves."""
        return self.list_moves(ply, True)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def captures(self, ply: cython.int) -> cython.int:
        """See Tree.captures."""
        return self.list_moves(ply, False)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def able(self, men: BB, kings: BB, enemy_men: BB, enemy_kings: BB, side: cython.int) -> BB:
        """The pieces of a side that could capture."""
        i: cython.int
        d: cython.int
        enemy: BB = enemy_men | enemy_kings
        empty: BB = self.valid & ~(enemy | men | kings)
        prey: BB = enemy if self.man_may_capture_king else enemy_men
        able: BB = 0
        one: BB
        over: BB
        for i in range(4 * side, 4 * side + self.down_captures[side]):
            one = (men >> self.down_twice[i]) & (prey >> self.down_once[i]) & self.down_target[i] & empty
            able |= one << self.down_twice[i]
        for i in range(4 * side, 4 * side + self.up_captures[side]):
            one = (men << self.up_twice[i]) & (prey << self.up_once[i]) & self.up_target[i] & empty
            able |= one >> self.up_twice[i]
        while kings:
            one = kings & (~kings + 1)
            kings ^= one
            for i in range(8 * side, 8 * side + self.king_captures[side]):
                d = self.king_capture[i]
                over = self.step(one, d)
                if self.flying:
                    while over & empty:
                        over = self.step(over, d)
                if over & enemy and self.step(over, d) & empty:
                    able |= one
                    break
        return able

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def can_capture(self, ply: cython.int) -> cython.bint:
        """See Tree.can_capture."""
        side: cython.int = self.side[ply]
        own: cython.int = 2 * ply + side
        other: cython.int = 2 * ply + 1 - side
        huffable: BB = self.huffable[ply]
        one: BB
        if self.able(self.man[own], self.king[own], self.man[other], self.king[other], side):
            return True
        while huffable:
            one = huffable & (~huffable + 1)
            huffable ^= one
            if self.able(self.man[own], self.king[own], self.man[other] & ~one, self.king[other] & ~one, side):
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def threatened(self, ply: cython.int) -> cython.bint:
        """Whether the side not to move could capture if it were its turn."""
        side: cython.int = 1 - self.side[ply]
        own: cython.int = 2 * ply + side
        other: cython.int = 2 * ply + 1 - side
        return self.able(self.man[own], self.king[own], self.man[other], self.king[other], side) != 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decided(self, ply: cython.int) -> cython.int:
        """See Tree.decided."""
        side: cython.int
        if self.first_king_wins:
            for side in range(2):
                if self.kings[2 * ply + side]:
                    return 1 if side == self.side[ply] else -1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, ply: cython.int, move: cython.int) -> cython.void:
        """See Tree.make."""
        side: cython.int = self.side[ply]
        own: cython.int = 2 * ply + side
        other: cython.int = 2 * ply + 1 - side
        start: BB = self.start[move]
        end: BB = self.end[move]
        off: BB = self.off[move]
        b: BB
        key: cython.ulonglong = self.key[ply] ^ self.random_side
        from_bit: cython.int = lowest(start)
        to_bit: cython.int = lowest(end)
        if self.king[own] & start:
            self.man[own + 2] = self.man[own]
            self.king[own + 2] = (self.king[own] & ~start) | end
            key ^= self.random[(2 + side) * MOST_BITS + from_bit] ^ self.random[(2 + side) * MOST_BITS + to_bit]
            self.men[own + 2] = self.men[own]
            self.kings[own + 2] = self.kings[own]
        elif self.crowns[move]:
            self.man[own + 2] = self.man[own] & ~start
            self.king[own + 2] = self.king[own] | end
            key ^= self.random[side * MOST_BITS + from_bit] ^ self.random[(2 + side) * MOST_BITS + to_bit]
            self.men[own + 2] = self.men[own] - 1
            self.kings[own + 2] = self.kings[own] + 1
        else:
            self.man[own + 2] = (self.man[own] & ~start) | end
            self.king[own + 2] = self.king[own]
            key ^= self.random[side * MOST_BITS + from_bit] ^ self.random[side * MOST_BITS + to_bit]
            self.men[own + 2] = self.men[own]
            self.kings[own + 2] = self.kings[own]
        self.man[other + 2] = self.man[other] & ~off
        self.king[other + 2] = self.king[other] & ~off
        self.men[other + 2] = self.men[other]
        self.kings[other + 2] = self.kings[other]
        if off:
            b = off & self.man[other]
            while b:
                key ^= self.random[(1 - side) * MOST_BITS + lowest(b)]
                self.men[other + 2] -= 1
                b &= b - 1
            b = off & self.king[other]
            while b:
                key ^= self.random[(3 - side) * MOST_BITS + lowest(b)]
                self.kings[other + 2] -= 1
                b &= b - 1
        self.side[ply + 1] = 1 - side
        self.reversible[ply + 1] = (
            self.reversible[ply] + 1 if not off and (self.king_moves[move] or self.men_return) else 0
        )
        if self.king_move_limit or self.capture == 2:
            self.remember(ply, move)
            key ^= self.run_word(own) ^ self.run_word(own + 2) ^ self.run_word(other) ^ self.run_word(other + 2)
            key ^= self.huff_word(ply) ^ self.huff_word(ply + 1)
        self.key[ply + 1] = key
        if self.counters:
            self.on_road[ply + 1] = 0
            if (self.man[2 * ply + 2] | self.king[2 * ply + 2]) & self.main_road:
                self.on_road[ply + 1] = 1
            if (self.man[2 * ply + 3] | self.king[2 * ply + 3]) & self.main_road:
                self.on_road[ply + 1] |= 2
            self.count_on(ply, move)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def remember(self, ply: cython.int, move: cython.int) -> cython.void:
        """Write what some rules must know of the moves before: runs of king moves, and who may be huffed."""
        side: cython.int = self.side[ply]
        own: cython.int = 2 * ply + side
        other: cython.int = 2 * ply + 1 - side
        huffed: BB = self.huffed[move]
        able: BB
        if self.king_move_limit:
            self.run_king[other + 2] = self.run_king[other]
            self.run_moves[other + 2] = self.run_moves[other]
            if self.run_king[other] & self.off[move]:
                self.run_king[other + 2] = 0
                self.run_moves[other + 2] = 0
            if self.king_moves[move] and not self.taken[move]:
                self.run_moves[own + 2] = 1
                if self.run_king[own] == self.start[move] and self.run_moves[own]:
                    self.run_moves[own + 2] = self.run_moves[own] + 1
                    if self.run_moves[own + 2] > self.king_move_limit:
                        self.run_moves[own + 2] = self.king_move_limit
                self.run_king[own + 2] = self.end[move]
            else:
                self.run_king[own + 2] = 0
                self.run_moves[own + 2] = 0
        if self.capture == 2:
            self.huffable[ply + 1] = 0
            if not self.taken[move]:
                able = self.able(
                    self.man[own], self.king[own], self.man[other] & ~huffed, self.king[other] & ~huffed, side
                )
                if able & self.start[move]:
                    able = (able & ~self.start[move]) | self.end[move]
                self.huffable[ply + 1] = able

    # Perft

    def perft(self, depth: cython.int, bulk: bool = True) -> int:
        """Leaves `depth` plies below the root; with `bulk` the last ply is counted and not played.

        One for each effect, or, where the tree was made with `every_order`, one for each order of capture. Nothing but
        the legal moves counts: neither draws nor a goal that is reached. ValueError for a depth beyond the plies there
        are, TooManyCapturesError where a position on the way has more captures than can be listed.
        """
        side: cython.int = self.side[0]
        leaves: cython.ulonglong
        b: cython.bint = bulk
        if not 0 <= depth < MOST_PLIES:
            raise ValueError(f"depth {depth}: expected 0 to {MOST_PLIES - 1}")
        self.overflow = False
        self.spilt = False
        with cython.nogil:
            if self.king_move_limit or self.capture:
                leaves = self.count_slow(0, depth, b)
            else:
                leaves = self.count_fast(
                    self.man[side], self.king[side], self.man[1 - side], self.king[1 - side], side, 0, depth, b
                )
        if self.overflow or self.spilt:
            raise TooManyCapturesError("captures go on in too many ways to be listed in a position on the way")
        return leaves

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_fast(
        self,
        men: BB,
        kings: BB,
        enemy_men: BB,
        enemy_kings: BB,
        side: cython.int,
        base: cython.int,
        depth: cython.int,
        bulk: cython.bint,
    ) -> cython.ulonglong:
        """Leaves below a position whose legal moves follow from the boards alone; its moves are listed from `base`."""
        i: cython.int
        n: cython.int
        leaves: cython.ulonglong = 0
        able: BB
        start: BB
        new_men: BB
        new_kings: BB
        if depth == 0:
            return 1
        if not kings:
            n = self.count_jumps(men, enemy_men, enemy_kings, side)
            if n > 0:
                if bulk and depth == 1:
                    return n
                return self.count_after_jumps(men, enemy_men, enemy_kings, side, base, depth, bulk)
            if n == 0:
                if bulk and depth == 1:
                    return self.count_quiet(men, 0, enemy_men | enemy_kings, side)
                return self.count_after_men(men, enemy_men, enemy_kings, side, base, depth, bulk)
        self.base = base
        able = self.able(men, kings, enemy_men, enemy_kings, side)
        self.find_captures(able, men, kings, enemy_men, enemy_kings, side)
        n = self.n
        if n > base:
            if self.precedences > 1 or (self.precedences and not self.majority):
                self.prefer()
                if self.by_order:
                    self.one_each()
                n = self.n
            if bulk and depth == 1:
                return n - base
        elif bulk and depth == 1:
            return self.count_quiet(men, kings, enemy_men | enemy_kings, side)
        else:
            self.find_quiet(men, kings, enemy_men | enemy_kings, 0, side)
            n = self.n
        for i in range(base, n):
            start = self.start[i]
            if men & start:
                new_men = men ^ start
                new_kings = kings
                if self.crowns[i]:
                    new_kings |= self.end[i]
                else:
                    new_men |= self.end[i]
            else:
                new_men = men
                new_kings = (kings & ~start) | self.end[i]
            leaves += self.count_fast(
                enemy_men & ~self.off[i], enemy_kings & ~self.off[i], new_men, new_kings, 1 - side, n, depth - 1, bulk
            )
        return leaves

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_after_men(
        self,
        men: BB,
        enemy_men: BB,
        enemy_kings: BB,
        side: cython.int,
        base: cython.int,
        depth: cython.int,
        bulk: cython.bint,
    ) -> cython.ulonglong:
        """The same where a side has men alone, and none of them can capture."""
        i: cython.int
        d: cython.int
        leaves: cython.ulonglong = 0
        empty: BB = self.valid & ~(enemy_men | enemy_kings | men)
        to: BB
        one: BB
        king: BB
        for i in range(8 * side, 8 * side + self.man_moves[side]):
            d = self.man_move[i]
            to = self.step(men, d) & empty
            while to:
                one = to & (~to + 1)
                to ^= one
                king = one & self.last_row[side]
                leaves += self.count_fast(
                    enemy_men,
                    enemy_kings,
                    (men ^ self.step(one, 7 - d)) | (one ^ king),
                    king,
                    1 - side,
                    base,
                    depth - 1,
                    bulk,
                )
        return leaves

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_after_jumps(
        self,
        men: BB,
        enemy_men: BB,
        enemy_kings: BB,
        side: cython.int,
        base: cython.int,
        depth: cython.int,
        bulk: cython.bint,
    ) -> cython.ulonglong:
        """The same where a side has men alone, and each of its captures is one jump."""
        i: cython.int
        d: cython.int
        leaves: cython.ulonglong = 0
        prey: BB = enemy_men
        empty: BB = self.valid & ~(enemy_men | enemy_kings | men)
        to: BB
        one: BB
        over: BB
        king: BB
        if self.man_may_capture_king:
            prey |= enemy_kings
        for i in range(8 * side, 8 * side + self.man_captures[side]):
            d = self.man_capture[i]
            to = self.step(self.step(men, d) & prey, d) & empty
            while to:
                one = to & (~to + 1)
                to ^= one
                over = self.step(one, 7 - d)
                king = one & self.last_row[side]
                leaves += self.count_fast(
                    enemy_men & ~over,
                    enemy_kings & ~over,
                    (men ^ self.step(over, 7 - d)) | (one ^ king),
                    king,
                    1 - side,
                    base,
                    depth - 1,
                    bulk,
                )
        return leaves

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_jumps(self, men: BB, enemy_men: BB, enemy_kings: BB, side: cython.int) -> cython.int:
        """How many captures the men of a side have where each is one jump; -1 where it takes a list to tell."""
        i: cython.int
        n: cython.int = 0
        prey: BB = enemy_men
        empty: BB = self.valid & ~(enemy_men | enemy_kings | men)
        ends: BB = 0
        to: BB
        if self.man_may_capture_king:
            prey |= enemy_kings
        for i in range(4 * side, 4 * side + self.down_captures[side]):
            to = (men >> self.down_twice[i]) & (prey >> self.down_once[i]) & self.down_target[i] & empty
            ends |= to
            n += popcount(to)
        for i in range(4 * side, 4 * side + self.up_captures[side]):
            to = (men << self.up_twice[i]) & (prey << self.up_once[i]) & self.up_target[i] & empty
            ends |= to
            n += popcount(to)
        if not ends:
            return 0
        if enemy_kings and self.precedences > self.majority:
            return -1
        if self.crowning == 1 and ends & self.last_row[side]:
            return -1
        # Whether any goes on: back over what it took it cannot, where it came from is not empty.
        to = 0
        for i in range(4 * side, 4 * side + self.down_captures[side]):
            to |= (ends >> self.down_twice[i]) & (prey >> self.down_once[i]) & self.down_target[i] & empty
        for i in range(4 * side, 4 * side + self.up_captures[side]):
            to |= (ends << self.up_twice[i]) & (prey << self.up_once[i]) & self.up_target[i] & empty
        return -1 if to else n

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_slow(self, ply: cython.int, depth: cython.int, bulk: cython.bint) -> cython.ulonglong:
        """Leaves below the position at `ply`, whatever its legal moves depend on."""
        i: cython.int
        n: cython.int
        leaves: cython.ulonglong = 0
        if depth == 0:
            return 1
        n = self.moves(ply)
        if n < 0:
            self.spilt = True
            return 0
        if bulk and depth == 1:
            return n
        for i in range(self.first[ply], self.first[ply] + n):
            self.make(ply, i)
            leaves += self.count_slow(ply + 1, depth - 1, bulk)
        return leaves


def _set_of(position: Position, piece: Piece, bits: tuple) -> object:
    """The squares of one kind of piece as a set of bits."""
    return sum([1 << bits[square] for square, content in enumerate(position.contents) if content is piece])
