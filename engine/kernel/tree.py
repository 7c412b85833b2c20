# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Tree: what the search walks over, whatever the family of games: positions by ply, their moves, the draw rules.

A tree is a stack of positions. Ply 0 is the root; `make(ply, move)` writes the position that a move leads to at
`ply + 1`, so nothing has to be taken back. The moves of a ply lie at `first[ply]` up to `first[ply + 1]` in one buffer
all plies share. Each family (capture games, towers, race games) fills in moves, make and evaluate.

This file runs interpreted and, with `tree.pxd`, compiled. Sides are 0 (White) and 1 (Black).
"""

from __future__ import annotations

import cython

if not cython.compiled:
    MOST_PLIES = 192
    MOST_MOVES = 12320
    MOST_COUNTERS = 12
    FACTS = 24

TOO_MANY = -1
"""What `moves` and `captures` return when captures go on in too many ways to be listed: the game ends there, drawn."""

UNKNOWN = 2
"""What `ending` returns when no endgame table knows the position; otherwise 1 won, 0 drawn, -1 lost."""


@cython.cclass
class Tree:
    """Positions by ply and their moves. `tables` is what the rule set was turned into."""

    def __init__(self, tables: object) -> None:
        rule: cython.int
        fact: cython.int
        if not cython.compiled:
            self.key, self.side, self.on_road = [0] * MOST_PLIES, [0] * MOST_PLIES, [0] * MOST_PLIES
            self.men, self.kings = [0] * (2 * MOST_PLIES), [0] * (2 * MOST_PLIES)
            self.reversible, self.first, self.calm = [0] * MOST_PLIES, [0] * MOST_PLIES, [0] * MOST_PLIES
            self.counted = [0] * (2 * MOST_COUNTERS * MOST_PLIES)
            self.code, self.taken, self.crowns = [0] * MOST_MOVES, [0] * MOST_MOVES, [0] * MOST_MOVES
            self.from_square, self.to_square = [0] * MOST_MOVES, [0] * MOST_MOVES
            self.king_moves = [0] * MOST_MOVES
            self.counter_limit, self.counter_facts = [0] * MOST_COUNTERS, [0] * (FACTS * MOST_COUNTERS)
            self.counter_least, self.counter_most, self.counter_kings = ([0] * MOST_COUNTERS for _ in range(3))
        self.tables = tables
        self.no_move_wins = tables.no_move_wins
        self.counters = len(tables.counters)
        for rule in range(self.counters):
            self.counter_limit[rule] = tables.counters[rule].limit
            for fact in range(FACTS):
                self.counter_facts[rule * FACTS + fact] = tables.counters[rule].facts[fact]
            facts = tables.counters[rule].facts
            self.counter_least[rule] = max(facts[2], facts[12] + facts[18])
            self.counter_most[rule] = min(facts[3], facts[13] + facts[19])
            self.counter_kings[rule] = max(2 * facts[4], facts[14] + facts[20])
        # With fewer kings and more pieces than these nothing counts, as in most positions of most games.
        needing = [self.counter_kings[rule] for rule in range(self.counters) if self.counter_kings[rule]]
        others = [self.counter_most[rule] for rule in range(self.counters) if not self.counter_kings[rule]]
        self.counted_kings, self.counted_pieces = min(needing, default=1), max(others, default=-1)
        # Among men alone, and after a man's move, those that such a move sets back count nothing either.
        others = [
            self.counter_most[rule]
            for rule in range(self.counters)
            if not (self.counter_kings[rule] or (tables.counters[rule].facts[1] & 2 and tables.counters[rule].limit))
        ]
        self.calm_pieces = max(others, default=-1)

    def moves_at(self, ply: cython.int = 0) -> int:
        """`moves` for callers in Python."""
        return self.moves(ply)

    def key_at(self, ply: cython.int = 0) -> int:
        """The key of the position at `ply`."""
        return self.key[ply]

    def side_at(self, ply: cython.int = 0) -> int:
        """The side to move at `ply`."""
        return self.side[ply]

    def reversible_at(self, ply: cython.int = 0) -> int:
        """How many moves before `ply` can be undone, so that a position may stand again."""
        return self.reversible[ply]

    def decided_at(self, ply: cython.int = 0) -> int:
        """`decided` for callers in Python."""
        return self.decided(ply)

    def ending_at(self, ply: cython.int = 0) -> int:
        """`ending` for callers in Python."""
        return self.ending(ply)

    def drawn_at(self, ply: cython.int = 0) -> int:
        """`drawn` for callers in Python."""
        return self.drawn(ply)

    def material_at(self, ply: cython.int = 0) -> tuple[int, int, int, int]:
        """White's men, Black's men, White's kings, Black's kings at `ply`."""
        return (self.men[2 * ply], self.men[2 * ply + 1], self.kings[2 * ply], self.kings[2 * ply + 1])

    def counts_at(self, ply: cython.int = 0) -> list[tuple[int, int]]:
        """Of each draw rule, White's and Black's own moves that count at `ply`; -1 where its condition fails."""
        rule: cython.int
        at: cython.int
        counts = []
        for rule in range(self.counters):
            at = 2 * (ply * MOST_COUNTERS + rule)
            if self.calm[ply]:
                counts.append((self.at_rest(rule, ply), self.at_rest(rule, ply)))
            else:
                counts.append((self.counted[at], self.counted[at + 1]))
        return counts

    def captures_at(self, ply: cython.int = 0) -> int:
        """`captures` for callers in Python."""
        return self.captures(ply)

    def can_capture_at(self, ply: cython.int = 0) -> bool:
        """`can_capture` for callers in Python."""
        return bool(self.can_capture(ply))

    def threatened_at(self, ply: cython.int = 0) -> bool:
        """`threatened` for callers in Python."""
        return bool(self.threatened(ply))

    def moves_from(self, place: cython.int) -> int:
        """List the root's moves from a place of the buffer on, as a deep ply does; how many there are, or TOO_MANY."""
        self.first[0] = place
        count = self.moves(0)
        self.first[0] = 0
        return count

    def codes_at(self) -> list[int]:
        """The codes of the root's moves in their order, after listing them; empty where there is none, or too many."""
        move: cython.int
        count: cython.int = self.moves(0)
        return [self.code[move] for move in range(max(0, count))]

    def worth_at(self, ply: cython.int = 0) -> int:
        """`evaluate` for callers in Python."""
        return self.evaluate(ply)

    def is_quiet(self) -> bool:
        """Whether neither side could capture at the root."""
        return self.captures(0) == 0 and not self.threatened(0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def moves(self, ply: cython.int) -> cython.int:
        """List the legal moves of the position at `ply`; how many there are, or TOO_MANY.

        Writes first[ply + 1], and of each move: code (unique among the moves of the position, never 0), taken (pieces
        captured), crowns (0 or 1), from_square and to_square (official order), king_moves (whether a king moves).
        Captures come first.
        """
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def captures(self, ply: cython.int) -> cython.int:
        """The same for captures alone; where capturing is obligatory and there is one, these are all legal moves."""
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, ply: cython.int, move: cython.int) -> cython.void:
        """Write the position after a listed move at `ply + 1`: key, side, men, kings, on_road, counted, board."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def evaluate(self, ply: cython.int) -> cython.int:
        """What the position at rest is worth to the side to move, in hundredths of a man, within +-20,000."""
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decided(self, ply: cython.int) -> cython.int:
        """1 when the side to move has won by what stands there, -1 when it has lost, 0 while the game goes on."""
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def threatened(self, ply: cython.int) -> cython.bint:
        """Whether the side not to move could capture if it were its turn."""
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def can_capture(self, ply: cython.int) -> cython.bint:
        """Whether the side to move can capture."""
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def ending(self, ply: cython.int) -> cython.int:
        """What an endgame table says for the side to move: 1, 0, -1, or UNKNOWN."""
        return 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drawn(self, ply: cython.int) -> cython.int:
        """Whether a move-count rule ends the game at `ply`: 0 no, 1 drawn, 2 White has won, 3 Black has won."""
        rule: cython.int
        white: cython.int
        black: cython.int
        stronger: cython.int
        count: cython.int
        at: cython.int
        if self.calm[ply]:
            return 0
        for rule in range(self.counters):
            at = 2 * (ply * MOST_COUNTERS + rule)
            white = self.counted[at]
            black = self.counted[at + 1]
            if white < 0:
                continue
            if self.counter_facts[rule * FACTS] == 1:
                count = white if white > black else black
            else:
                count = white if white < black else black
            if count >= self.counter_limit[rule]:
                if self.counter_facts[rule * FACTS + 11] and self.can_capture(ply):
                    continue
                if self.counter_facts[rule * FACTS + 5]:
                    stronger = self.stronger(rule, ply)
                    if stronger >= 0:
                        return 2 + stronger
                return 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_on(self, ply: cython.int, move: cython.int) -> cython.void:
        """Carry the counters of the draw rules over a move already made: `calm` and `counted` at `ply + 1`.

        A calm position is one where every rule's count is what `at_rest` says, and `counted` is not written. Elsewhere
        it is -1 where the rule's condition does not hold; each side's own moves since then otherwise.
        """
        rule: cython.int
        now: cython.int
        then: cython.int
        resets: cython.int
        side: cython.int = self.side[ply]
        stronger: cython.int
        kings: cython.int = self.kings[2 * ply + 2] + self.kings[2 * ply + 3]
        pieces: cython.int = self.men[2 * ply + 2] + self.men[2 * ply + 3] + kings
        self.calm[ply + 1] = kings < self.counted_kings and (
            pieces > self.counted_pieces or (kings == 0 and pieces > self.calm_pieces and not self.king_moves[move])
        )
        if self.calm[ply + 1]:
            return
        for rule in range(self.counters):
            then = 2 * (ply * MOST_COUNTERS + rule)
            now = then + 2 * MOST_COUNTERS
            if self.calm[ply]:
                self.counted[then] = self.counted[then + 1] = self.at_rest(rule, ply)
            # Most rules speak of few pieces and of kings: the material alone answers for most positions.
            if (
                pieces < self.counter_least[rule]
                or pieces > self.counter_most[rule]
                or kings < self.counter_kings[rule]
                or not self.applies(rule, ply + 1)
            ):
                self.counted[now] = -1
                self.counted[now + 1] = -1
                continue
            resets = self.counter_facts[rule * FACTS + 1]
            if (
                self.counted[then] < 0
                or ((resets & 1) and self.taken[move])
                or ((resets & 2) and not self.king_moves[move])
                or ((resets & 4) and self.crowns[move])
            ):
                self.counted[now] = 0
                self.counted[now + 1] = 0
                continue
            self.counted[now] = self.counted[then]
            self.counted[now + 1] = self.counted[then + 1]
            if self.counter_facts[rule * FACTS] == 1:
                stronger = self.stronger(rule, ply)
                if stronger >= 0 and stronger != side:
                    continue
            self.counted[now + side] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def at_rest(self, rule: cython.int, ply: cython.int) -> cython.int:
        """What a rule has counted in a calm position, of either side: 0, or -1 where its condition does not hold."""
        return 0 if self.applies(rule, ply) else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def applies(self, rule: cython.int, ply: cython.int) -> cython.int:
        """Whether the condition of a draw rule holds at `ply`."""
        facts: cython.int = rule * FACTS
        pieces: cython.int = self.men[2 * ply] + self.men[2 * ply + 1] + self.kings[2 * ply] + self.kings[2 * ply + 1]
        stronger: cython.int
        road: cython.int
        if pieces < self.counter_facts[facts + 2] or pieces > self.counter_facts[facts + 3]:
            return 0
        if self.counter_facts[facts + 4] and (self.kings[2 * ply] == 0 or self.kings[2 * ply + 1] == 0):
            return 0
        if not self.counter_facts[facts + 6]:
            return 1
        stronger = self.stronger(rule, ply)
        if stronger < 0:
            return 0
        road = self.on_road[ply]
        if self.counter_facts[facts + 7] and not (road >> (1 - stronger)) & 1:
            return 0
        if self.counter_facts[facts + 8] and not (road >> stronger) & 1:
            return 0
        if self.counter_facts[facts + 9] and (road >> stronger) & 1:
            return 0
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stronger(self, rule: cython.int, ply: cython.int) -> cython.int:
        """Which side fits what the rule says of the stronger one, while the other fits the weaker; -1 neither."""
        facts: cython.int = rule * FACTS + 12
        side: cython.int
        own: cython.int
        kings: cython.int
        men: cython.int
        at: cython.int
        fits: cython.int
        which: cython.int
        for side in range(2):
            fits = 1
            for which in range(2):
                own = side if which == 0 else 1 - side
                men = self.men[2 * ply + own]
                kings = self.kings[2 * ply + own]
                at = facts + 6 * which
                if (
                    men + kings < self.counter_facts[at]
                    or men + kings > self.counter_facts[at + 1]
                    or kings < self.counter_facts[at + 2]
                    or kings > self.counter_facts[at + 3]
                    or men < self.counter_facts[at + 4]
                    or men > self.counter_facts[at + 5]
                ):
                    fits = 0
                    break
            if fits:
                return side
        return -1
