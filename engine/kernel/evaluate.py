# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Evaluation of the capture games: a sum of weights over the features that engine.features lays out.

Patterns are looked up by numbers in base 3 that every move keeps up to date: four to a 64-bit word, 16 bits each. A
table is looked up twice, as White sees the board and as Black does, and the second value is taken from the first.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from engine.kernel.endings import Endings
    from engine.kernel.moves import MOST_BITS, Draughts, lowest, moved, popcount
    from engine.kernel.tree import MOST_PLIES

    WORDS = 13
    CONTENTS = 6561
    PATTERN = 8
    SCALARS = 10
    CHUNK = 6
    CHUNKS = 22
    STEPS = 12


@cython.cclass
class Weights:
    """The weights of a rule set, ready for use; any number of trees share them.

    `layout` is engine.features.Layout, `tables` engine.kernel.tables.Tables, `columns` the column of each square,
    `numbers` one whole number for each weight, in tenths of a hundredth of a man.
    """

    def __init__(self, layout: object, tables: object, columns: object, numbers: object) -> None:
        i: cython.int
        place: cython.int
        count: cython.int = 2 * CONTENTS * len(layout.patterns)
        if len(numbers) != layout.weights:
            raise ValueError(f"{len(numbers)} weights: expected {layout.weights}")
        if cython.compiled:
            self.table = cython.cast(cython.p_short, malloc(count * cython.sizeof(cython.short)))
            if not self.table:
                raise MemoryError
        else:
            self.table, self.scalar, self.place = [0] * count, [0] * 2 * SCALARS, [0] * 8 * MOST_BITS
            self.lane, self.road = [0] * 4 * MOST_BITS * WORDS, [0, 0]
        self.lanes = 2 * len(layout.patterns)
        self.words = (self.lanes + 3) // 4
        self.pieces = layout.pieces
        for i in range(2 * SCALARS):
            self.scalar[i] = numbers[i]
        for i in range(count):
            self.table[i] = numbers[layout.tables + i]
        for square, bit in enumerate(tables.bits):
            turned = layout.turned[square]
            for place in range(2):
                self.place[2 * bit + place] = numbers[layout.men + 2 * square + place]
                self.place[2 * (MOST_BITS + bit) + place] = -numbers[layout.men + 2 * turned + place]
                self.place[2 * (2 * MOST_BITS + bit) + place] = numbers[layout.kings + 2 * square + place]
                self.place[2 * (3 * MOST_BITS + bit) + place] = -numbers[layout.kings + 2 * turned + place]
        for i in range(4 * MOST_BITS * WORDS):
            self.lane[i] = 0  # as it stays for kings: they are in no pattern
        for number, pattern in enumerate(layout.patterns):
            for digit, square in enumerate(pattern):
                # As White sees it: 1 is White's man, 2 is Black's; as Black does: the turned square, 1 is Black's.
                for view, place_seen in enumerate((square, layout.turned[square])):
                    lane = 2 * number + view
                    for colour in range(2):
                        at = (colour * MOST_BITS + tables.bits[place_seen]) * WORDS + lane // 4
                        self.lane[at] += (1 if colour == view else 2) * 3**digit << 16 * (lane % 4)
        left = right = 0
        for square, bit in enumerate(tables.bits):
            if 2 * columns[square] < max(columns):
                left |= 1 << bit
            elif 2 * columns[square] > max(columns):
                right |= 1 << bit
        self.left, self.right = left, right
        road = 0
        for square, bit in enumerate(tables.bits):
            if (tables.main_road >> tables.bits[layout.turned[square]]) & 1:
                road |= 1 << bit
        self.road[0], self.road[1] = tables.main_road, road

    def __dealloc__(self):
        if cython.compiled:
            free(self.table)


@cython.cclass
class JudgedDraughts(Draughts):
    """The capture games with an evaluation."""

    def __init__(self, tables: object, weights: Weights) -> None:
        Draughts.__init__(self, tables)
        if not cython.compiled:
            self.index, self.early, self.late = [0] * WORDS * MOST_PLIES, [0] * MOST_PLIES, [0] * MOST_PLIES
            self.value = [0] * SCALARS
            self.cone, self.crowning_in = [0] * ((2 * CHUNKS) << CHUNK), [0] * (2 * STEPS)
        self.weights = weights
        self.ending_pieces = 0
        self._prepare_cones()

    def _prepare_cones(self) -> None:
        """Write `cone`, all that men on six bits of the board may come to, and `crowning_in`, who needs how many steps.

        Cones of several men are those of each, so a lookup for every six bits does for all men of a side.
        """
        side: cython.int
        chunk: cython.int
        men: cython.int
        at: cython.int
        bits = self.tables.bits
        self.chunks = (self.tables.width + CHUNK - 1) // CHUNK
        for side in range(2):
            after = {bit: self._after_a_step(1 << bit, side) for bit in bits}
            there = self.tables.last_rows[side]
            for at in range(STEPS * side + 1, STEPS * side + STEPS):
                there = sum([1 << bit for bit in bits if after[bit] & there])
                self.crowning_in[at] = there
            cones = {}
            for bit in bits:
                reached, before = 1 << bit, 0
                while reached != before:
                    reached, before = reached | self._after_a_step(reached, side), reached
                cones[bit] = reached
            for chunk in range(self.chunks):
                at = (side * CHUNKS + chunk) << CHUNK
                self.cone[at] = 0
                for men in range(1, 1 << CHUNK):
                    self.cone[at + men] = self.cone[at + (men & (men - 1))] | cones.get(CHUNK * chunk + lowest(men), 0)

    def _after_a_step(self, men: object, side: int) -> object:
        """Where men stand after one step in any direction of theirs."""
        tables = self.tables
        after = 0
        for d in tables.man_moves[side]:
            after |= (men >> tables.shifts[d] if d < 4 else men << tables.shifts[d]) & tables.targets[d]
        return after

    def set(self, position) -> None:
        """Make a position the root; see Draughts.set."""
        Draughts.set(self, position)
        self.index_from_scratch(0)

    def play(self, number: cython.int) -> None:
        """Make the root's move `number` the new root; see Draughts.play."""
        Draughts.play(self, number)
        self.index_from_scratch(0)

    def worth(self, ply: cython.int = 0) -> int:
        """What the position at `ply` is worth to the side to move, in hundredths of a man."""
        return self.evaluate(ply)

    def worth_after(self, number: cython.int) -> int:
        """The same of the position after the root's move `number`, which must have been listed."""
        self.make(0, self.first[0] + number)
        return self.evaluate(1)

    def use_endings(self, endings: Endings) -> None:
        """Look positions up in these tables from now on; several trees may share them. No search may run meanwhile."""
        self.endings = endings
        self.ending_pieces = endings.most_pieces

    def scalars_of(self, ply: cython.int = 0) -> list:
        """The features that are one number each, White's minus Black's."""
        self.scalars(ply)
        return [self.value[i] for i in range(SCALARS)]

    def scalars_at(self, white_men, white_kings, black_men, black_kings, side: cython.int) -> list:
        """The same for boards as `boards` gives them; they become the root, without evaluation."""
        self.man[0], self.king[0], self.man[1], self.king[1] = white_men, white_kings, black_men, black_kings
        self.side[0] = side
        self.settle(0)
        return self.scalars_of(0)

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put(self, ply: cython.int, kind: cython.int, bit: cython.int, sign: cython.int) -> cython.void:
        """Add a piece to patterns and sums (sign 1), or take it away (-1); kinds are as in Draughts.key_of."""
        word: cython.int
        at: cython.int = 2 * (kind * MOST_BITS + bit)
        self.early[ply] += sign * self.weights.place[at]
        self.late[ply] += sign * self.weights.place[at + 1]
        at = (kind * MOST_BITS + bit) * WORDS
        for word in range(self.weights.words):
            if sign > 0:
                self.index[ply * WORDS + word] += self.weights.lane[at + word]
            else:
                self.index[ply * WORDS + word] -= self.weights.lane[at + word]

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def index_from_scratch(self, ply: cython.int) -> cython.void:
        """Write the patterns and sums of the position at `ply`."""
        side: cython.int
        word: cython.int
        b: BB
        self.early[ply] = 0
        self.late[ply] = 0
        for word in range(WORDS):
            self.index[ply * WORDS + word] = 0
        for side in range(2):
            b = self.man[2 * ply + side]
            while b:
                self.put(ply, side, lowest(b), 1)
                b &= b - 1
            b = self.king[2 * ply + side]
            while b:
                self.put(ply, 2 + side, lowest(b), 1)
                b &= b - 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, ply: cython.int, move: cython.int) -> cython.void:
        """See Tree.make."""
        word: cython.int
        side: cython.int = self.side[ply]
        other: cython.int = 2 * ply + 1 - side
        b: BB
        here: cython.int = ply * WORDS
        king: cython.bint = (self.king[2 * ply + side] & self.start[move]) != 0
        out: cython.int = ((side + 2 if king else side) * MOST_BITS) + lowest(self.start[move])
        into: cython.int = ((side + 2 if king or self.crowns[move] else side) * MOST_BITS) + lowest(self.end[move])
        Draughts.make(self, ply, move)
        self.early[ply + 1] = self.early[ply] + self.weights.place[2 * into] - self.weights.place[2 * out]
        self.late[ply + 1] = self.late[ply] + self.weights.place[2 * into + 1] - self.weights.place[2 * out + 1]
        for word in range(self.weights.words):
            self.index[here + WORDS + word] = (
                self.index[here + word] + self.weights.lane[into * WORDS + word] - self.weights.lane[out * WORDS + word]
            )
        if self.off[move]:
            b = self.off[move] & self.man[other]
            while b:
                self.put(ply + 1, 1 - side, lowest(b), -1)
                b &= b - 1
            b = self.off[move] & self.king[other]
            while b:
                self.put(ply + 1, 3 - side, lowest(b), -1)
                b &= b - 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def ending(self, ply: cython.int) -> cython.int:
        """See Tree.ending."""
        if (
            self.men[2 * ply] + self.men[2 * ply + 1] + self.kings[2 * ply] + self.kings[2 * ply + 1]
            > self.ending_pieces
        ):
            return 2
        # Where a piece must be captured the tables hold no answer.
        if self.capture == 0 and self.can_capture(ply):
            return 2
        return self.endings.value(
            self.man[2 * ply], self.king[2 * ply], self.man[2 * ply + 1], self.king[2 * ply + 1], self.side[ply]
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def evaluate(self, ply: cython.int) -> cython.int:
        """See Tree.evaluate."""
        i: cython.int
        at: cython.int
        early: cython.int = self.early[ply]
        late: cython.int = self.late[ply]
        phase: cython.int
        lane: cython.int
        lanes: cython.int = self.weights.lanes
        word: cython.ulonglong
        for i in range(0, lanes, 2):
            word = self.index[ply * WORDS + (i >> 2)] >> (16 * (i & 3))
            lane = word & 0xFFFF
            at = 2 * ((i >> 1) * CONTENTS + lane)
            early += self.weights.table[at]
            late += self.weights.table[at + 1]
            lane = (word >> 16) & 0xFFFF
            at = 2 * ((i >> 1) * CONTENTS + lane)
            early -= self.weights.table[at]
            late -= self.weights.table[at + 1]
        self.scalars(ply)
        for i in range(SCALARS):
            early += self.value[i] * self.weights.scalar[2 * i]
            late += self.value[i] * self.weights.scalar[2 * i + 1]
        phase = self.men[2 * ply] + self.men[2 * ply + 1] + self.kings[2 * ply] + self.kings[2 * ply + 1]
        phase = 256 * phase // self.weights.pieces
        if phase > 256:
            phase = 256
        early = early * phase + late * (256 - phase)
        # Rounded towards nought, so that both sides see the same.
        early = -(-early // 2560) if early < 0 else early // 2560
        return -early if self.side[ply] else early

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def scalars(self, ply: cython.int) -> cython.void:
        """Write the features that are one number each."""
        i: cython.int
        side: cython.int
        sign: cython.int
        left: cython.int
        right: cython.int
        moves: cython.int
        kings: cython.int
        other_kings: cython.int
        more: cython.int
        men: BB
        road: BB
        empty: BB = self.valid & ~(
            self.man[2 * ply] | self.man[2 * ply + 1] | self.king[2 * ply] | self.king[2 * ply + 1]
        )
        for i in range(SCALARS):
            self.value[i] = 0
        self.value[0] = -1 if self.side[ply] else 1
        for side in range(2):
            sign = -1 if side else 1
            men = self.man[2 * ply + side]
            kings = self.kings[2 * ply + side]
            other_kings = self.kings[2 * ply + 1 - side]
            moves = 0
            for i in range(8 * side, 8 * side + self.man_moves[side]):
                moves += popcount(moved(men, self.man_move[i], self.shift, self.target) & empty)
            self.value[1] += sign * moves
            left = popcount(men & self.weights.left) - popcount(men & self.weights.right)
            self.value[6] -= sign * (left if left > 0 else -left)
            if men and not other_kings:
                self.value[8] += sign * self.free_men(ply, side)
            if kings:
                self.value[2] += sign * self.king_freedom(ply, side)
                self.value[3] += sign
                if kings > 1:
                    self.value[4] += sign
                if kings > 2:
                    self.value[5] += sign
                road = self.weights.road[side]
                if self.king[2 * ply + side] & road and not (self.king[2 * ply + 1 - side] & road):
                    self.value[7] += sign
            more = self.men[2 * ply + side] + kings - self.men[2 * ply + 1 - side] - other_kings
            if more > 0 and other_kings:
                self.value[9] -= sign

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def king_freedom(self, ply: cython.int, side: cython.int) -> cython.int:
        """How many squares a side's kings can step to, up to two in each direction."""
        i: cython.int
        to: BB
        kings: BB = self.king[2 * ply + side]
        empty: BB = self.valid & ~(
            self.man[2 * ply] | self.man[2 * ply + 1] | self.king[2 * ply] | self.king[2 * ply + 1]
        )
        moves: cython.int = 0
        for i in range(8 * side, 8 * side + self.king_moves_[side]):
            to = moved(kings, self.king_move[i], self.shift, self.target) & empty
            moves += popcount(to)
            if self.flying:
                moves += popcount(moved(to, self.king_move[i], self.shift, self.target) & empty)
        return moves

    @cython.final
    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def free_men(self, ply: cython.int, side: cython.int) -> cython.int:
        """How near to crowning the foremost man is that no enemy piece stands before: 12 less the moves it needs."""
        at: cython.int
        men: BB = self.man[2 * ply + side]
        enemy: BB = self.man[2 * ply + 1 - side]
        # What an enemy stands before is what its own cone towards this side covers.
        covered: BB = 0
        at = (1 - side) * (CHUNKS << CHUNK)
        for _ in range(self.chunks):
            covered |= self.cone[at + cython.cast(cython.int, enemy & ((1 << CHUNK) - 1))]
            enemy >>= CHUNK
            at += 1 << CHUNK
        men &= ~covered
        if men:
            for at in range(1, STEPS):
                if men & self.crowning_in[STEPS * side + at]:
                    return STEPS - at
        return 0
