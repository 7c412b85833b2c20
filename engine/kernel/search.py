# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Search: iterative deepening over any Tree, with the GIL released.

Principal variation search with a transposition table. What makes it deep is what it leaves out: late moves are searched
less deep, and a position where a shallow search is already far beyond the window is not searched further. Every such
rule is a public knob of `Search`, set to what won matches; `exact` switches all of them off.

Scores are hundredths of a man for the side to move. A win n plies from the root scores 30,000 - n, a position that an
endgame table calls won about 20,000.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import cython

from engine.kernel.hashing import Table
from engine.kernel.tree import Tree

if not cython.compiled:
    from engine.kernel.hashing import ALL, GOLDEN, LOW

    MOST_PLIES = 192
    MOST_MOVES = 12320
    PLACES = 16384
    PICKED = -(1 << 62)
    MOST_COUNTERS = 12
    LAST_PLY = 186
    ROOM = 11500
    LINE = 48
    PAST = 256
    ROOT = 512
    WON = 30000
    SURE = 29000
    TABLE_WON = 20000
    HIGHEST = 15000
    NOTHING = 32000

WIN = 30_000
"""The score of a game already won."""

MOST_DEPTH = 120
"""The deepest iteration."""


@dataclass(frozen=True)
class RootMove:
    """A move of the root: its code, its score, and whether that is exact (0), at least (1) or at most (-1) so much.

    `index` is its number in the list that `moves(0)` makes.
    """

    code: int
    index: int
    score: int
    bound: int


@dataclass(frozen=True)
class Found:
    """What an iteration found. `line` are move codes from the root on; it begins with the best move, if there is one.

    `moves` are the root's moves, the best one first. `deepest` is the farthest ply that was looked at; `complete` is
    False when the iteration was cut short, in which case the best move is still the best that is known.
    """

    depth: int
    score: int
    line: tuple[int, ...]
    moves: tuple[RootMove, ...]
    nodes: int
    deepest: int
    hash_hits: int
    table_hits: int
    complete: bool

    @property
    def best(self) -> RootMove | None:
        """The move to play; None where no move is legal."""
        return self.moves[0] if self.moves else None


@cython.cclass
class Search:
    """One searcher over one tree. Several of them, each with its own tree and thread, may share a table.

    Knobs (depths in plies, margins in hundredths of a man):
    threat_plies: how often the quiescence looks one ply further because the opponent threatens to capture; not when the
        position is worth threat_above more than the window, or threat_below less.
    extend: what costs no depth: 0 nothing, 1 a capture that is the only move, 2 any only move, 3 any capture.
    reduce_from, reduce_depth, reduce_scale: quiet moves from this number on are searched less deep from this depth on,
        by scale / 100 * log(depth) * log(number); see `set_reductions`.
    cut_depth, cut_margin, cut_slope, cut_share: from this depth on, a search of share / 16 of the depth that is above
        the window by margin + slope * depth cuts.
    late_depth, late_base, late_slope: up to this depth only base + slope * depth quiet moves are searched; 0: all.
    unknown_depth: from this depth on, a position that the table has no move for is searched a ply less deep.
    """

    def __init__(self, tree: Tree, table: Table) -> None:
        if not cython.compiled:
            self.past, self.root_move, self.root_score, self.root_bound = [0] * PAST, [0] * ROOT, [0] * ROOT, [0] * ROOT
            self.best_line, self.length, self.line = [0] * LINE, [0] * MOST_PLIES, [0] * (MOST_PLIES * LINE)
            self.killer, self.played, self.rank = [0] * (2 * MOST_PLIES), [0] * MOST_PLIES, [0] * MOST_MOVES
            self.answer, self.merit, self.reduction = [0] * (1 << 15), [0] * (1 << 15), [0] * (64 * 64)
        self.tree = tree
        self.table = table
        self.optional = bool(getattr(tree.tables, "capture", 0))
        self.hashing = True
        self.threat_plies, self.threat_above, self.threat_below = 1, 150, 30
        self.extend = 1
        self.reduce_from, self.reduce_depth, self.reduce_scale = 3, 2, 75
        self.cut_depth, self.cut_margin, self.cut_slope, self.cut_share = 4, 10, 3, 6
        self.late_depth, self.late_base, self.late_slope = 0, 3, 3
        self.unknown_depth = 4
        self.same_depth = False
        self.halted = False
        self.resolving = False
        self.root_moves = 0
        self.set_reductions()

    def set_reductions(self) -> None:
        """Work out the table of reductions from `reduce_scale`."""
        depth: cython.int
        number: cython.int
        for depth in range(1, 64):
            for number in range(1, 64):
                self.reduction[64 * depth + number] = int(self.reduce_scale * log(depth) * log(number) / 100 + 0.5)

    def exact(self) -> None:
        """Switch off all that makes the search see less, or more, than captures after a fixed number of plies."""
        self.threat_plies = self.extend = 0
        self.reduce_from = self.reduce_depth = 99
        self.cut_depth = self.unknown_depth = 99
        self.late_depth = 0
        self.same_depth = True

    def begin(
        self,
        history: object = (),
        nodes: int = 0,
        exclude: object = (),
        margin: int = 0,
        helper: bool = False,
    ) -> int:
        """Begin with the position that stands at ply 0 of the tree; how many moves it has.

        `history` are the keys of the positions before it, the oldest first; those back to the last move that cannot be
        undone matter. After `nodes` positions the search stops by itself (0: it does not). Moves with a code in
        `exclude` are left out. Moves within `margin` of the best get exact scores. A `helper` leaves the table's age
        alone.
        """
        place: cython.int
        keys = list(history)[-PAST:]
        self.past_moves = len(keys)
        for place in range(self.past_moves):
            self.past[place] = keys[self.past_moves - 1 - place]
        self.tree.reversible[0] = self.past_moves
        for place in range(2 * MOST_PLIES):
            self.killer[place] = 0
        for place in range(1 << 15):
            self.merit[place] >>= 1
            self.answer[place] = 0
        self.halted = False
        self.nodes = self.hash_hits = self.table_hits = 0
        self.limit = nodes
        self.margin = margin
        self.depth = self.score = self.deepest = self.best_length = 0
        if not helper:
            self.table.turn()
        return self.list_root(set(exclude))

    def list_root(self, exclude: set[int]) -> int:
        """Fill in the root's moves, the likeliest first."""
        count: cython.int
        self.tree.first[0] = 0
        self.played[0] = -1
        self.root_moves = 0
        count = self.tree.moves(0)
        if count <= 0:
            return 0
        self.order(0, count, cython.cast(cython.uint, self.table.look(self.signature(0, 0)) & LOW))
        listed = [(-self.rank[place], place) for place in range(count) if self.tree.code[place] not in exclude][:ROOT]
        for _, move in sorted(listed):
            self.root_move[self.root_moves] = move
            self.root_score[self.root_moves] = -WON
            self.root_bound[self.root_moves] = -1
            self.root_moves += 1
        ending = self.tree.ending(0)
        self.resolving = ending in (1, -1)
        if self.root_moves:
            self.best_line[0] = self.tree.code[self.root_move[0]]
            self.best_length = 1
        return self.root_moves

    def forget(self) -> None:
        """A new game: forget what earlier searches taught; with a cleared table, all goes as the first time."""
        place: cython.int
        for place in range(1 << 15):
            self.merit[place] = 0

    def stop(self) -> None:
        """End the iteration that runs, from any thread; within microseconds. `begin` makes the search ready again."""
        self.halted = True

    def iterate(self, depth: int) -> Found:
        """Search to a depth, from 1 upwards; the result of what could be done before a stop or the node limit."""
        plies: cython.int = min(depth, MOST_DEPTH)
        if self.root_moves and not self.halted:
            with cython.nogil:
                self.deepen(plies)
        return self.result()

    def result(self) -> Found:
        """What is known now."""
        moves = tuple(
            [
                RootMove(
                    self.tree.code[self.root_move[place]],
                    self.root_move[place],
                    self.root_score[place],
                    self.root_bound[place],
                )
                for place in range(self.root_moves)
            ]
        )
        line = tuple([self.best_line[place] for place in range(self.best_length)])
        return Found(
            self.depth,
            self.score,
            line,
            moves,
            self.nodes,
            self.deepest,
            self.hash_hits,
            self.table_hits,
            not self.halted,
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def deepen(self, depth: cython.int) -> cython.void:
        """One iteration: the root with a window around the last score, widened until the score lies inside."""
        below: cython.int = 20
        above: cython.int = 20
        alpha: cython.int = -WON
        beta: cython.int = WON
        score: cython.int
        if depth >= 4 and -HIGHEST < self.score < HIGHEST:
            alpha = self.score - below
            beta = self.score + above
        while True:
            score = self.top(depth, alpha, beta)
            if self.halted:
                return
            if score <= alpha and alpha > -WON:
                below *= 3
                alpha = alpha - below if below < 1000 else -WON
            elif score >= beta and beta < WON:
                above *= 3
                beta = beta + above if above < 1000 else WON
            else:
                break
        self.depth = depth
        self.score = score

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def top(self, depth: cython.int, alpha: cython.int, beta: cython.int) -> cython.int:
        """The root. A move that is better than those before it becomes the best at once, so that a stop may come."""
        number: cython.int
        move: cython.int
        score: cython.int
        floor: cython.int
        less: cython.int
        place: cython.int
        best: cython.int = -WON
        for number in range(self.root_moves):
            move = self.root_move[number]
            floor = max(alpha - self.margin, -WON)
            self.played[0] = move
            self.tree.make(0, move)
            if number == 0 or self.margin:
                score = -self.visit(1, depth - 1, -beta, -floor, False)
            else:
                less = 0
                if depth >= self.reduce_depth + 1 and number > self.reduce_from and not self.tree.taken[move]:
                    less = self.reduction[64 * min(depth, 63) + min(number, 63)] >> 1
                score = -self.visit(1, depth - 1 - less, -floor - 1, -floor, True)
                if score > floor and less:
                    score = -self.visit(1, depth - 1, -floor - 1, -floor, True)
                if floor < score < beta:
                    score = -self.visit(1, depth - 1, -beta, -floor, False)
            if self.halted:
                return best
            self.root_score[number] = score
            self.root_bound[number] = -1 if score <= floor else 1 if score >= beta else 0
            best = max(best, score)
            if score > alpha:
                alpha = score
                self.depth = depth
                self.score = score
                self.follow(0, self.tree.code[move])
                self.best_length = self.length[0]
                for place in range(self.best_length):
                    self.best_line[place] = self.line[place]
                less = self.root_bound[number]
                for place in range(number, 0, -1):
                    self.root_move[place] = self.root_move[place - 1]
                    self.root_score[place] = self.root_score[place - 1]
                    self.root_bound[place] = self.root_bound[place - 1]
                self.root_move[0] = move
                self.root_score[0] = score
                self.root_bound[0] = less
            if score >= beta:
                break
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def visit(
        self, ply: cython.int, depth: cython.int, alpha: cython.int, beta: cython.int, cut: cython.bint
    ) -> cython.int:
        """Enter a position: the score for the side to move. `cut`: it is expected to fail high."""
        won: cython.int
        self.nodes += 1
        if self.limit and self.nodes >= self.limit:
            self.halted = True
        if self.halted:
            return 0
        self.length[ply] = 0
        self.deepest = max(self.deepest, ply)
        won = self.tree.decided(ply)
        if won:
            return WON - ply if won > 0 else ply - WON
        if self.tree.reversible[ply] >= 4 and self.repeated(ply):
            return 0
        if ply >= LAST_PLY or self.tree.first[ply] > ROOM:
            return self.rest(ply)
        if depth <= 0:
            return self.quiet(ply, alpha, beta, self.threat_plies)
        return self.inside(ply, depth, alpha, beta, cut, 0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def inside(
        self,
        ply: cython.int,
        depth: cython.int,
        alpha: cython.int,
        beta: cython.int,
        cut: cython.bint,
        listed: cython.int,
    ) -> cython.int:
        """A position with depth left; `listed` moves of it stand in the tree's list already."""
        wide: cython.bint = beta - alpha > 1
        key: cython.ulonglong = 0
        data: cython.ulonglong = 0
        hashed: cython.uint = 0
        known: cython.int
        score: cython.int
        best: cython.int = -WON
        best_code: cython.uint = 0
        floor: cython.int
        moves: cython.int
        number: cython.int
        move: cython.int
        capturing: cython.bint
        skipping: cython.bint
        likeliest: cython.int
        less: cython.int
        deep: cython.int
        # No line from here is shorter than a win with the next move, or than being lost already.
        alpha = max(alpha, ply - WON)
        beta = min(beta, WON - ply - 1)
        if alpha >= beta:
            return alpha
        floor = alpha
        if self.hashing:
            key = self.signature(ply, depth)
            self.table.fetch(key)
        moves = listed if listed else self.tree.moves(ply)
        if moves < 0:
            return 0
        if moves == 0:
            return WON - ply if self.tree.no_move_wins else ply - WON
        if self.tree.counters and not self.tree.calm[ply]:
            score = self.counted_out(ply)
            if score != NOTHING:
                return score
        if self.hashing:
            data = self.table.look(key)
            if data:
                hashed = cython.cast(cython.uint, data & LOW)
                score = NOTHING if wide else self.settled(data, ply, depth, alpha, beta)
                if score != NOTHING:
                    self.hash_hits += 1
                    return score
        capturing = self.tree.taken[self.tree.first[ply]] > 0
        if not capturing:
            known = self.tree.ending(ply)
            if known != 2:
                self.table_hits += 1
                if known == 0:
                    return 0
                if not self.resolving:
                    return self.known(ply)
        deep = depth
        if capturing:
            if self.extend == 3 or (moves == 1 and self.extend):
                deep = depth + 1
        elif moves == 1:
            if self.extend == 2:
                deep = depth + 1
        elif not wide and -HIGHEST < beta < HIGHEST:
            score = self.shallow(ply, depth, beta, moves)
            if score != NOTHING:
                return score
            if self.halted:
                return 0
            if self.hashing and not hashed and depth >= self.cut_depth:
                hashed = cython.cast(cython.uint, self.table.look(key) & LOW)
        if depth >= self.unknown_depth and not hashed:
            deep -= 1
        skipping = depth <= self.late_depth and not wide and not capturing
        likeliest = self.order(ply, moves, hashed)
        for number in range(moves):
            if number:
                move = self.pick(ply, moves)
            else:
                move = likeliest
                self.rank[move] = PICKED
            if skipping and number >= self.late_base + self.late_slope * depth and best > -HIGHEST:
                break
            self.played[ply] = move
            self.tree.make(ply, move)
            if number == 0:
                score = -self.visit(ply + 1, deep - 1, -beta, -alpha, not cut if not wide else False)
            else:
                less = 0
                if number >= self.reduce_from and depth >= self.reduce_depth and not capturing:
                    less = self.fewer(depth, number, wide)
                    less = min(less, deep - 1)
                score = -self.visit(ply + 1, deep - 1 - less, -alpha - 1, -alpha, True)
                if less and score > alpha:
                    score = -self.visit(ply + 1, deep - 1, -alpha - 1, -alpha, not cut)
                if alpha < score < beta:
                    score = -self.visit(ply + 1, deep - 1, -beta, -alpha, False)
            if self.halted:
                return 0
            if score > best:
                best = score
                if score > alpha:
                    alpha = score
                    best_code = self.tree.code[move]
                    if wide:
                        self.follow(ply, best_code)
                    if score >= beta:
                        if not capturing:
                            self.learn(ply, number, depth)
                        break
        if self.hashing:
            # The distance of a win is kept as from here, whatever the way here.
            score = best + ply if best > SURE else best - ply if best < -SURE else best
            self.table.keep(key, best_code, score, depth, 1 if best >= beta else 2 if best <= floor else 3)
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def settled(
        self, data: cython.ulonglong, ply: cython.int, depth: cython.int, alpha: cython.int, beta: cython.int
    ) -> cython.int:
        """The score that what the table holds settles for a narrow window, or NOTHING."""
        kept: cython.int = cython.cast(cython.int, (data >> 48) & 255)
        bound: cython.int = cython.cast(cython.int, (data >> 56) & 3)
        score: cython.int = cython.cast(cython.int, (data >> 32) & 0xFFFF) - 32768
        if kept < depth or (self.same_depth and kept > depth):
            return NOTHING
        if score > SURE:
            score -= ply
        elif score < -SURE:
            score += ply
        return score if (bound & 1 and score >= beta) or (bound & 2 and score <= alpha) else NOTHING

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def counted_out(self, ply: cython.int) -> cython.int:
        """The score where a draw rule that counts moves has ended the game, or NOTHING."""
        ended: cython.int = self.tree.drawn(ply)
        if ended == 0:
            return NOTHING
        if ended == 1:
            return 0
        return WON - ply if ended - 2 == self.tree.side[ply] else ply - WON

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def shallow(self, ply: cython.int, depth: cython.int, beta: cython.int, moves: cython.int) -> cython.int:
        """The score where a shallow search is far enough above the window, NOTHING elsewhere; for quiet positions."""
        margin: cython.int
        score: cython.int
        if depth >= self.cut_depth:
            margin = self.cut_margin + self.cut_slope * depth
            score = self.inside(ply, (depth * self.cut_share) >> 4, beta + margin - 1, beta + margin, True, moves)
            if self.halted:
                return NOTHING
            if score >= beta + margin:
                return score - margin if score < HIGHEST else beta
        return NOTHING

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fewer(self, depth: cython.int, number: cython.int, wide: cython.bint) -> cython.int:
        """How many plies less deep a late quiet move is searched at first."""
        less: cython.int = self.reduction[64 * min(depth, 63) + min(number, 63)]
        if wide and less:
            less -= 1
        return less

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def quiet(self, ply: cython.int, alpha: cython.int, beta: cython.int, threats: cython.int) -> cython.int:
        """A position without depth: captures are played out, and `threats` times a threat is answered."""
        count: cython.int = self.tree.captures(ply)
        known: cython.int
        value: cython.int
        best: cython.int = -WON
        score: cython.int
        number: cython.int
        move: cython.int
        if count < 0:
            return 0
        if self.tree.counters and not self.tree.calm[ply]:
            score = self.counted_out(ply)
            if score != NOTHING:
                return score
        if count == 0:
            number = 2 * ply + self.tree.side[ply]
            if self.tree.men[number] + self.tree.kings[number] == 0:
                return WON - ply if self.tree.no_move_wins else ply - WON
            known = self.tree.ending(ply)
            if known != 2:
                self.table_hits += 1
                return self.known(ply) if known else 0
            if threats <= 0 or not self.tree.threatened(ply):
                return self.rest(ply)
            value = self.rest(ply)
            if value - self.threat_above >= beta or value + self.threat_below <= alpha:
                return value
            count = self.tree.moves(ply)
            if count < 0:
                return 0
            if count == 0:
                return WON - ply if self.tree.no_move_wins else ply - WON
            threats -= 1
        elif self.optional:
            best = self.rest(ply)
            if best >= beta:
                return best
            alpha = max(alpha, best)
        for number in range(count):
            move = self.tree.first[ply] + number
            self.tree.make(ply, move)
            self.nodes += 1
            if self.limit and self.nodes >= self.limit:
                self.halted = True
            if self.halted:
                return 0
            known = self.tree.decided(ply + 1)
            if known:
                score = ply + 1 - WON if known > 0 else WON - ply - 1
            elif ply + 1 >= LAST_PLY or self.tree.first[ply + 1] > ROOM:
                score = -self.rest(ply + 1)
            else:
                score = -self.quiet(ply + 1, -beta, -alpha, threats)
            if score > best:
                best = score
                if score > alpha:
                    alpha = score
                    if score >= beta:
                        break
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rest(self, ply: cython.int) -> cython.int:
        """What evaluation makes of the position, kept clear of the scores of wins."""
        value: cython.int = self.tree.evaluate(ply)
        if value > HIGHEST:
            return HIGHEST
        if value < -HIGHEST:
            return -HIGHEST
        return value

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def known(self, ply: cython.int) -> cython.int:
        """The score of a position that an endgame table calls won or lost; evaluation tells progress from none."""
        value: cython.int = self.rest(ply) >> 4
        return TABLE_WON + value if self.tree.ending(ply) > 0 else value - TABLE_WON

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def repeated(self, ply: cython.int) -> cython.bint:
        """Whether the position stood before, in the line searched or in the game; once is enough."""
        back: cython.int = 4
        most: cython.int = self.tree.reversible[ply]
        key: cython.ulonglong = self.tree.key[ply]
        while back <= most:
            if back <= ply:
                if self.tree.key[ply - back] == key:
                    return True
            elif back - ply > self.past_moves:
                return False
            elif self.past[back - ply - 1] == key:
                return True
            back += 2
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def signature(self, ply: cython.int, depth: cython.int) -> cython.ulonglong:
        """The table's key: where a draw rule could end the game within the depth, its count is part of the position."""
        key: cython.ulonglong = self.tree.key[ply]
        rule: cython.int
        at: cython.int
        count: cython.int
        if self.tree.calm[ply]:
            return key
        for rule in range(self.tree.counters):
            at = 2 * (ply * MOST_COUNTERS + rule)
            if self.tree.counted[at] < 0:
                continue
            count = max(self.tree.counted[at], self.tree.counted[at + 1])
            if 2 * (self.tree.counter_limit[rule] - count) <= depth + 4:
                count = 64 * self.tree.counted[at] + self.tree.counted[at + 1] + 8192 * rule + 1
                key ^= (cython.cast(cython.ulonglong, count) * GOLDEN) & ALL
        return key

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def place(self, ply: cython.int, move: cython.int) -> cython.int:
        """Where the history of a move stands."""
        # Boards of more than 128 squares share some places.
        return ((self.tree.side[ply] << 14) | (self.tree.from_square[move] << 7) | self.tree.to_square[move]) & 32767

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def order(self, ply: cython.int, moves: cython.int, hashed: cython.uint) -> cython.int:
        """Rank the moves of a ply; the best one.

        First the table's move, then captures by gain, killers, the usual answer, crowning, history.
        """
        first: cython.int = self.tree.first[ply]
        move: cython.int
        code: cython.uint
        usual: cython.uint = 0
        rank: cython.int
        placed: cython.longlong
        best: cython.longlong = PICKED
        if ply and self.played[ply - 1] >= 0:
            usual = self.answer[self.place(ply - 1, self.played[ply - 1])]
        for move in range(first, first + moves):
            code = self.tree.code[move]
            if code == hashed:
                rank = 1 << 30
            elif self.tree.taken[move]:
                rank = (1 << 24) + (self.tree.taken[move] << 10) + self.tree.crowns[move]
            elif code == self.killer[2 * ply]:
                rank = 1 << 23
            elif code == self.killer[2 * ply + 1]:
                rank = (1 << 23) - 1
            elif code == usual:
                rank = (1 << 23) - 2
            else:
                rank = self.merit[self.place(ply, move)]
                if self.tree.crowns[move]:
                    rank += 1 << 20
            # In one number with its place, so that the best is a greatest one, and of equals the first.
            placed = cython.cast(cython.longlong, rank) * PLACES + PLACES - 1 - (move - first)
            self.rank[move] = placed
            best = placed if placed > best else best
        return first + PLACES - 1 - cython.cast(cython.int, best & (PLACES - 1))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pick(self, ply: cython.int, moves: cython.int) -> cython.int:
        """The best ranked move that was not picked before; its rank is then used up."""
        first: cython.int = self.tree.first[ply]
        move: cython.int
        rank: cython.longlong
        best: cython.longlong = PICKED
        for move in range(first, first + moves):
            rank = self.rank[move]
            best = rank if rank > best else best
        move = first + PLACES - 1 - cython.cast(cython.int, best & (PLACES - 1))
        self.rank[move] = PICKED
        return move

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def learn(self, ply: cython.int, number: cython.int, depth: cython.int) -> cython.void:
        """A quiet move refuted the opponent's last one: credit to it, debit to those that were tried before."""
        first: cython.int = self.tree.first[ply]
        move: cython.int
        good: cython.int = self.played[ply]
        code: cython.uint = self.tree.code[good]
        bonus: cython.int = min(depth * depth, 400)
        if self.killer[2 * ply] != code:
            self.killer[2 * ply + 1] = self.killer[2 * ply]
            self.killer[2 * ply] = code
        if self.played[ply - 1] >= 0:
            self.answer[self.place(ply - 1, self.played[ply - 1])] = code
        self.credit(self.place(ply, good), bonus)
        if number:
            for move in range(first, self.tree.first[ply + 1]):
                if move != good and self.rank[move] == PICKED:
                    self.credit(self.place(ply, move), -bonus)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def credit(self, place: cython.int, bonus: cython.int) -> cython.void:
        """Move a history value towards its end by a share that shrinks on the way; it stays within +-16,384."""
        size: cython.int = bonus if bonus > 0 else -bonus
        self.merit[place] += 16 * bonus - ((self.merit[place] * size) >> 10)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def follow(self, ply: cython.int, code: cython.uint) -> cython.void:
        """The best line from here: this move, and the best line from the ply after it."""
        place: cython.int
        count: cython.int = min(self.length[ply + 1], LINE - 1)
        self.line[ply * LINE] = code
        for place in range(count):
            self.line[ply * LINE + place + 1] = self.line[(ply + 1) * LINE + place]
        self.length[ply] = count + 1
