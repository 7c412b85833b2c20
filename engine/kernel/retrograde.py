# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Retrograde: endgame tables computed from their ends backwards, for the capture games without towers.

Each position of a slice (see `engine.kernel.endings`) is looked at once: captures and crownings lead to slices already
known, and moves that stay in the slice are counted. Then positions are settled in the order of their distance from the
end; from each, moves are taken back, and the position before is won when this one is lost, and lost when its last move
turns out to lead to a position won by the opponent. What is never reached is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

import cython

from engine.kernel.endings import Index, Slice, leads_to

if not cython.compiled:
    from engine.kernel.moves import Draughts, popcount

    MAN, KING = 0, 1
    FACTS = 24
    SLOTS = 2592
    HOLE = 253
    CAPTURING = 254
    SETTLED = 255
    BB = Boards = Words = Bytes = Codes = object


@cython.cclass
class Solver(Draughts):
    """Computes the slices that `slices` lists. ValueError for games with huffing: no table tells what is legal there.

    Within: a verdict is 0 while there is none (or for a draw), otherwise 2 * (plies to the end + 1) + (1 when won).
    """

    def __init__(self, tables: object) -> None:
        if tables.capture == 2:
            raise ValueError("no endgame tables where a piece may be huffed: what is legal depends on the move before")
        Draughts.__init__(self, tables)
        if not cython.compiled:
            self.movers, self.count, self.sets = [0] * 2, [0] * 8, [None] * 8
            self.due, self.most, self.left, self.known = [None] * 2, [None] * 2, [None] * 2, [None] * SLOTS
        self.index = Index(tables)
        self.immediate = 0 in [counter.limit for counter in tables.counters]

    def solve(self, which: Slice, known: Mapping[Slice, bytes]) -> dict[Slice, tuple[bytes, bytes]]:
        """Both slices of a material, `which` and the one facing it: {slice: (codes, values)}, a byte for each number.

        `known` holds the codes of the slices that moves lead to (`leads_to`). Codes: 0 drawn; 1 + n won, plies to the
        end // 2 being n; 128 + n lost likewise; 255 a hole. Values: 0 lost, 1 drawn, 2 won, 3 not to be asked for: a
        hole, or a position in which a piece must be captured. ValueError when codes have a wrong length.
        """
        facing: tuple = self.index.facing(which)
        slices: list = [which] if facing == which else [which, facing]
        i: cython.int
        self.pairs = len(slices)
        self.last = 0
        self.learn(slices, known)
        try:
            for i in range(self.pairs):
                self.prepare(i, slices[i])
            with cython.nogil:
                self.run()
            return {slices[i]: self.written(i, self.index.size(slices[i])) for i in range(self.pairs)}
        finally:
            self.forget()

    def learn(self, slices: list, known: Mapping[Slice, bytes]) -> None:
        """Point at the codes of the slices that moves lead to, and hold them."""
        i: cython.int
        text: bytes
        needed: set = {each for which in slices for each in leads_to(which, self.tables, self.index)}
        self.held = []
        for i in range(SLOTS):
            if cython.compiled:
                self.known[i] = cython.NULL
            else:
                self.known[i] = None
        for which in needed:
            text = known[which]
            self.held.append(text)
            if len(text) != self.index.size(which):
                raise ValueError(f"slice {which}: {len(text)} codes, expected {self.index.size(which)}")
            side, men, kings, enemy_men, enemy_kings = which
            i = self.index.slot(side, men, kings, enemy_men, enemy_kings)
            if cython.compiled:
                self.known[i] = cython.cast(Codes, text)
            else:
                self.known[i] = text

    def prepare(self, which: cython.int, of: Slice) -> None:
        """Make room for a slice and list the sets of squares of its kinds."""
        side, men, kings, enemy_men, enemy_kings = of
        i: cython.longlong
        j: cython.int = 4 * which
        size: cython.longlong = self.index.size(of)
        self.movers[which] = side
        for owner, kind, many in (
            (side, MAN, men),
            (1 - side, MAN, enemy_men),
            (side, KING, kings),
            (1 - side, KING, enemy_kings),
        ):
            squares = self.index.sets(owner, kind, many)
            self.count[j] = len(squares)
            self.sets[j] = cython.cast(Boards, reserve(self.count[j] * cython.sizeof(BB)))
            for i, b in enumerate(squares):
                self.sets[j][i] = b
            j += 1
        self.due[which] = cython.cast(Words, reserve(2 * size))
        self.most[which] = cython.cast(Words, reserve(2 * size))
        self.left[which] = reserve(size)

    def written(self, which: cython.int, size: cython.longlong) -> tuple:
        """(codes, values) of a solved slice."""
        i: cython.longlong
        codes: Bytes = reserve(size)
        values: Bytes = reserve(size)
        try:
            with cython.nogil:
                for i in range(size):
                    codes[i] = self.code_of(which, i)
                    values[i] = self.value_of(which, i)
            return bytes(codes[:size]), bytes(values[:size])
        finally:
            release(codes)
            release(values)

    def forget(self) -> None:
        """Give back the room of the slices solved."""
        i: cython.int
        self.held = []
        for i in range(8):
            release(self.sets[i])
            self.sets[i] = cython.NULL
        for i in range(2):
            release(self.due[i])
            release(self.most[i])
            release(self.left[i])
            self.due[i], self.most[i], self.left[i] = cython.NULL, cython.NULL, cython.NULL

    # What is known at once

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def outcome(self, men: BB, kings: BB, enemy_men: BB, enemy_kings: BB, side: cython.int) -> cython.int:
        """The verdict on a position of another slice for `side`, which is to move and owns `men` and `kings`."""
        code: cython.int
        if not men | kings:
            return 3 if self.no_move_wins else 2
        code = self.known[
            self.index.slot(side, popcount(men), popcount(kings), popcount(enemy_men), popcount(enemy_kings))
        ][self.index.number(men, kings, enemy_men, enemy_kings, side)]
        if code == 0:
            return 0
        if code < 128:
            return ((2 * code - 1 if self.no_move_wins else 2 * code) << 1) | 1
        code -= 127
        return (2 * code if self.no_move_wins else 2 * code - 1) << 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def ended(
        self, men: BB, kings: BB, enemy_men: BB, enemy_kings: BB, side: cython.int, captures: cython.int
    ) -> cython.int:
        """-1 while no rule ends the game here at once; otherwise 0 drawn, 2 lost, 3 won by the side to move."""
        rule: cython.int
        stronger: cython.int
        self.side[0] = side
        self.men[side] = popcount(men)
        self.kings[side] = popcount(kings)
        self.men[1 - side] = popcount(enemy_men)
        self.kings[1 - side] = popcount(enemy_kings)
        self.on_road[0] = 0
        if (men | kings) & self.main_road:
            self.on_road[0] |= 1 << side
        if (enemy_men | enemy_kings) & self.main_road:
            self.on_road[0] |= 2 >> side
        for rule in range(self.counters):
            if self.counter_limit[rule] or (self.counter_facts[rule * FACTS + 11] and captures):
                continue
            if self.applies(rule, 0):
                stronger = self.stronger(rule, 0) if self.counter_facts[rule * FACTS + 5] else -1
                return 0 if stronger < 0 else 3 if stronger == side else 2
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def note(self, verdict: cython.int) -> cython.void:
        """Weigh a verdict on what a move leads to, as the opponent sees it."""
        plies: cython.int = verdict >> 1
        if verdict == 0:
            self.draws = 1
        elif verdict & 1:
            self.longest = max(self.longest, plies)
        elif self.shortest < 0 or plies < self.shortest:
            self.shortest = plies

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def weigh_captures(self, men: BB, kings: BB, enemy_men: BB, enemy_kings: BB, side: cython.int) -> cython.int:
        """Note what each capture leads to; how many there are."""
        i: cython.int
        start: BB
        off: BB
        new_men: BB
        new_kings: BB
        self.base = 0
        self.jumps = 0
        self.find_captures(
            self.able(men, kings, enemy_men, enemy_kings, side), men, kings, enemy_men, enemy_kings, side
        )
        if self.n and self.precedences:
            self.prefer()
        for i in range(self.n):
            if self.crowns[i] and self.first_king_wins:
                self.note(2)
                continue
            start = self.start[i]
            off = self.off[i]
            new_men = men & ~start
            new_kings = kings & ~start
            if kings & start or self.crowns[i]:
                new_kings |= self.end[i]
            else:
                new_men |= self.end[i]
            self.note(self.outcome(enemy_men & ~off, enemy_kings & ~off, new_men, new_kings, 1 - side))
        return self.n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def weigh_crownings(self, men: BB, kings: BB, enemy_men: BB, enemy_kings: BB, side: cython.int) -> cython.int:
        """Note what each quiet move that crowns leads to; how many there are."""
        i: cython.int
        d: cython.int
        crownings: cython.int = 0
        to: BB
        one: BB
        free: BB = self.last_row[side] & ~(men | kings | enemy_men | enemy_kings)
        for i in range(8 * side, 8 * side + self.man_moves[side]):
            d = self.man_move[i]
            to = self.step(men, d) & free
            while to:
                one = to & (~to + 1)
                to ^= one
                crownings += 1
                if self.first_king_wins:
                    self.note(2)
                else:
                    self.note(self.outcome(enemy_men, enemy_kings, men & ~self.step(one, 7 - d), kings | one, 1 - side))
        return crownings

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look(
        self, which: cython.int, at: cython.longlong, men: BB, kings: BB, enemy_men: BB, enemy_kings: BB
    ) -> cython.void:
        """What the moves that leave the slice say of a position, and how many stay in it."""
        side: cython.int = self.movers[which]
        inside: cython.int = 0
        crownings: cython.int = 0
        captures: cython.int
        verdict: cython.int
        self.draws = 0
        self.longest = 0
        self.shortest = -1
        captures = self.weigh_captures(men, kings, enemy_men, enemy_kings, side)
        if captures == 0 or self.capture:
            crownings = self.weigh_crownings(men, kings, enemy_men, enemy_kings, side)
            inside = self.count_quiet(men, kings, enemy_men | enemy_kings, side) - crownings
        self.left[which][at] = CAPTURING if captures and not self.capture else SETTLED
        if captures + crownings + inside == 0:
            self.due[which][at] = 3 if self.no_move_wins else 2
            return
        if self.immediate:
            verdict = self.ended(men, kings, enemy_men, enemy_kings, side, captures)
            if verdict >= 0:
                self.due[which][at] = verdict
                return
        if inside:
            self.left[which][at] = inside + self.draws
        verdict = 0
        if self.shortest >= 0:
            verdict = 2 * (self.shortest + 1) + 1
        elif not inside and not self.draws:
            verdict = 2 * (self.longest + 1)
        self.due[which][at] = verdict
        self.most[which][at] = self.longest
        self.last = max(self.last, verdict >> 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin(self, which: cython.int) -> cython.void:
        """Look at every position of a slice once."""
        a: cython.longlong
        b: cython.longlong
        c: cython.longlong
        d: cython.longlong
        at: cython.longlong = 0
        i: cython.int = 4 * which
        men: BB
        enemy_men: BB
        kings: BB
        enemy_kings: BB
        for a in range(self.count[i]):
            men = self.sets[i][a]
            for b in range(self.count[i + 1]):
                enemy_men = self.sets[i + 1][b]
                for c in range(self.count[i + 2]):
                    kings = self.sets[i + 2][c]
                    for d in range(self.count[i + 3]):
                        enemy_kings = self.sets[i + 3][d]
                        if men & enemy_men or kings & (men | enemy_men) or enemy_kings & (men | enemy_men | kings):
                            self.left[which][at] = HOLE
                        else:
                            self.look(which, at, men, kings, enemy_men, enemy_kings)
                        at += 1

    # What follows from it

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def run(self) -> cython.void:
        """Settle the slices: positions decided in 0 plies, in 1, and so on; those never reached are drawn."""
        half: cython.int = 1
        which: cython.int
        for which in range(self.pairs):
            self.begin(which)
        while half <= self.last or half == 1:
            for which in range(self.pairs):
                self.spread(which, half)
            half += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def spread(self, which: cython.int, half: cython.int) -> cython.void:
        """Tell the positions before about every position of a slice decided in `half` - 1 plies."""
        at: cython.longlong
        size: cython.longlong = 1
        i: cython.int
        for i in range(4 * which, 4 * which + 4):
            size *= self.count[i]
        for at in range(size):
            if self.due[which][at] >> 1 == half:
                self.undo(which, at, (self.due[which][at] & 1) != 0, half + 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def undo(self, which: cython.int, at: cython.longlong, won: cython.bint, half: cython.int) -> cython.void:
        """Tell about one position those that a quiet move of the opponent comes from, `half` - 1 plies from the end."""
        i: cython.int = 4 * which
        j: cython.int
        d: cython.int
        other: cython.int = self.pairs - 1 - which
        side: cython.int = 1 - self.movers[which]
        a: cython.longlong
        b: cython.longlong
        c: cython.longlong
        men: BB
        kings: BB
        own: BB
        empty: BB
        before: BB
        one: BB
        piece: BB
        men_stride: cython.longlong
        king_stride: cython.longlong
        rest: cython.longlong
        c = at % self.count[i + 3]
        kings = self.sets[i + 3][c]
        at //= self.count[i + 3]
        b = at % self.count[i + 2]
        own = self.sets[i + 2][b]
        at //= self.count[i + 2]
        a = at % self.count[i + 1]
        men = self.sets[i + 1][a]
        at //= self.count[i + 1]
        own |= self.sets[i][at]
        empty = self.valid & ~(men | kings | own)
        # There the opponent is to move: its men, our men, its kings, our kings.
        king_stride = self.count[i + 2]
        men_stride = self.count[i] * self.count[i + 3] * king_stride
        rest = at * self.count[i + 3] * king_stride + b
        for j in range(8 * side, 8 * side + self.man_moves[side]):
            d = self.man_move[j]
            before = self.step(men, 7 - d) & empty & ~self.last_row[side]
            while before:
                one = before & (~before + 1)
                before ^= one
                self.mark(
                    other,
                    self.index.rank((men & ~self.step(one, d)) | one, side, 0) * men_stride + c * king_stride + rest,
                    won,
                    half,
                )
        own = kings
        while own:
            piece = own & (~own + 1)
            own ^= piece
            for j in range(8 * side, 8 * side + self.king_moves_[side]):
                d = 7 - self.king_move[j]
                one = self.step(piece, d) & empty
                while one:
                    self.mark(
                        other,
                        self.index.rank((kings ^ piece) | one, side, 1) * king_stride + a * men_stride + rest,
                        won,
                        half,
                    )
                    if not self.flying:
                        break
                    one = self.step(one, d) & empty

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mark(self, which: cython.int, at: cython.longlong, won: cython.bint, half: cython.int) -> cython.void:
        """A move leads from here to a position that the opponent has won, or lost, `half` - 1 plies from the end."""
        left: cython.int = self.left[which][at]
        due: cython.int = self.due[which][at]
        if left >= HOLE:
            return
        if not won:
            if due == 0 or due >> 1 > half:
                self.due[which][at] = 2 * half + 1
                self.last = max(self.last, half)
            return
        if due:
            return
        self.left[which][at] = left - 1
        if left == 1:
            half = max(half, self.most[which][at] + 1)
            self.due[which][at] = 2 * half
            self.last = max(self.last, half)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def code_of(self, which: cython.int, at: cython.longlong) -> cython.int:
        """The code of a position, see `solve`."""
        due: cython.int = self.due[which][at]
        moves: cython.int = ((due >> 1) - 1) >> 1
        if self.left[which][at] == HOLE:
            return 255
        if due == 0:
            return 0
        moves = min(moves, 125)
        return moves + (1 if due & 1 else 128)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def value_of(self, which: cython.int, at: cython.longlong) -> cython.int:
        """The value of a position, see `solve`."""
        due: cython.int = self.due[which][at]
        left: cython.int = self.left[which][at]
        if left in (HOLE, CAPTURING):
            return 3
        return 1 if due == 0 else 2 if due & 1 else 0


@cython.cclass
class Packer:
    """Makes the values of a slice small, in the form that `Endings` reads; `digits` as `Index.digits` gives them."""

    def __init__(self, digits: list) -> None:
        i: cython.int
        if not cython.compiled:
            self.digit, self.order, self.step = [0] * 4, [0] * 4, [0] * 4
            self.kind, self.length = [0] * 1026, [0] * 1026
        self.digits = digits
        self.size = 1
        for i in range(4):
            self.digit[i] = digits[i]
            self.size *= self.digit[i]

    def pack(self, values: bytes) -> tuple:
        """(the order of digits, slowest first, with the fewest runs; the packed values). 3 stands for any value."""
        runs: cython.longlong
        least: cython.longlong = -1
        best: tuple = (0, 1, 2, 3)
        text: Codes = values
        single: list = [many == 1 for many in self.digits]
        if len(values) != self.size:
            raise ValueError(f"{len(values)} values, expected {self.size}")
        for order in permutations(range(4)):
            if [single[i] for i in order] != sorted(single, reverse=True):
                continue  # the same as another order
            self.arrange(order)
            with cython.nogil:
                runs = self.runs(text)
            if least < 0 or runs < least:
                least, best = runs, order
        self.arrange(best)
        room: cython.longlong = 4 * (self.size // 1024 + 1) + 3 * (least + self.size // 1024 + 1)
        line: Bytes = reserve(self.size)
        into: Bytes = reserve(room)
        try:
            with cython.nogil:
                self.lay(text, line)
                runs = self.write(line, into)
            if runs >> 29:
                raise OverflowError(f"an endgame table of {runs} bytes: expected less than {1 << 29}")
            return best, bytes(into[:runs])
        finally:
            release(line)
            release(into)

    def arrange(self, order: tuple) -> None:
        """Take the digits in this order, the slowest first."""
        i: cython.int
        step: cython.longlong = 1
        for i in range(4):
            self.order[i] = order[i]
        steps: list = [0, 0, 0, 0]
        for i in range(3, -1, -1):
            steps[i] = step
            step *= self.digit[i]
        for i in range(4):
            self.step[i] = steps[self.order[i]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def runs(self, values: Codes) -> cython.longlong:
        """How many runs of equal values there are."""
        a: cython.longlong
        b: cython.longlong
        c: cython.longlong
        at: cython.longlong
        runs: cython.longlong = 0
        last: cython.int = 3
        now: cython.int
        for a in range(self.digit[self.order[0]]):
            for b in range(self.digit[self.order[1]]):
                for c in range(self.digit[self.order[2]]):
                    at = a * self.step[0] + b * self.step[1] + c * self.step[2]
                    for _ in range(self.digit[self.order[3]]):
                        now = values[at]
                        at += self.step[3]
                        if now not in (3, last):
                            runs += 1
                            last = now
        return runs

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def lay(self, values: Codes, line: Bytes) -> cython.void:
        """Write the values in the order of the digits."""
        a: cython.longlong
        b: cython.longlong
        c: cython.longlong
        at: cython.longlong
        to: cython.longlong = 0
        for a in range(self.digit[self.order[0]]):
            for b in range(self.digit[self.order[1]]):
                for c in range(self.digit[self.order[2]]):
                    at = a * self.step[0] + b * self.step[1] + c * self.step[2]
                    for _ in range(self.digit[self.order[3]]):
                        line[to] = values[at]
                        to += 1
                        at += self.step[3]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def write(self, line: Bytes, into: Bytes) -> cython.longlong:
        """Write words and runs; how many bytes they take."""
        begin: cython.longlong
        block: cython.longlong = 0
        place: cython.longlong = 4 * ((self.size + 1023) // 1024)
        runs: cython.int
        for begin in range(0, self.size, 1024):
            runs = self.gather(line, begin, begin + 1024 if begin + 1024 < self.size else self.size)
            into[block] = place & 255
            into[block + 1] = (place >> 8) & 255
            into[block + 2] = (place >> 16) & 255
            into[block + 3] = (place >> 24) | (self.kind[0] << 6) | (32 if runs == 1 else 0)
            block += 4
            if runs > 1:
                place = self.write_runs(runs, into, place)
        return place

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def gather(self, line: Bytes, begin: cython.longlong, end: cython.longlong) -> cython.int:
        """The runs of one block: kind and length of each; how many."""
        at: cython.longlong
        runs: cython.int = 0
        self.kind[0] = 3
        self.length[0] = 0
        for at in range(begin, end):
            if line[at] != 3 and line[at] != self.kind[runs]:
                if self.kind[runs] != 3:
                    runs += 1
                    self.length[runs] = 0
                self.kind[runs] = line[at]
            self.length[runs] += 1
        if self.kind[0] == 3:
            self.kind[0] = 1
        return runs + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def write_runs(self, runs: cython.int, into: Bytes, place: cython.longlong) -> cython.longlong:
        """Write the runs of one block from `place` on; where they end."""
        i: cython.int = 0
        code: cython.int
        length: cython.int
        while i < runs:
            length = self.length[i]
            code = self.turn(i, runs) << 6
            if i + 1 < runs and length <= 4 and self.length[i + 1] <= 8:
                into[place] = (
                    128 | code | (self.turn(i + 1, runs) << 5) | ((length - 1) << 3) | (self.length[i + 1] - 1)
                )
                i += 2
            elif length < 63:
                into[place] = code | length
                i += 1
            else:
                into[place] = code | 63
                into[place + 1] = length & 255
                into[place + 2] = length >> 8
                place += 2
                i += 1
            place += 1
        return place

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def turn(self, run: cython.int, runs: cython.int) -> cython.int:
        """Which of the two other values comes after a run."""
        return 0 if run + 1 >= runs else (self.kind[run + 1] - self.kind[run] + 2) % 3


def without_holes(codes: bytes) -> bytes:
    """Codes with each hole like what comes before it, which packs better."""
    i: cython.longlong
    size: cython.longlong = len(codes)
    last: cython.int = 0
    text: Codes = codes
    filled: Bytes = reserve(size)
    try:
        for i in range(size):
            if text[i] != 255:
                last = text[i]
            filled[i] = last
        return bytes(filled[:size])
    finally:
        release(filled)


@cython.cfunc
def reserve(size: cython.longlong) -> Bytes:
    """Room for so many bytes, all 0; MemoryError."""
    if not cython.compiled:
        return [0] * size
    room: Bytes = cython.cast(Bytes, calloc(size + 1, 1))
    if not room:
        raise MemoryError(f"no room for {size} bytes of an endgame table")
    return room


@cython.cfunc
@cython.exceptval(check=False)
def release(room: cython.p_void) -> cython.void:
    """Give room back."""
    if cython.compiled:
        free(room)
