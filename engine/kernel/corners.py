# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Corners: the kernel's generator for the race games, in which pieces step or jump and nothing is taken."""

from __future__ import annotations

import cython

from engine.kernel.mailbox import PIECES
from engine.kernel.mailbox_tables import words
from engine.position import KINGS, Effect, Position, Side

if not cython.compiled:
    from engine.kernel.mailbox import MOST_SQUARES, OFF, Mailbox
    from engine.kernel.tree import MOST_MOVES, MOST_PLIES, Tree

    MOST_LINES = 12
    MOST_LIMIT = 256
    BOTH_AT_GOAL = 10
    HURRY = 12

_SEED = 3


@cython.final
@cython.cclass
class Corners(Mailbox):
    """The tree of a race game; `tables` are those of `race_tables`.

    `moves` lists one move for each start and end; it returns TOO_MANY where the moves of all plies together outgrow
    their buffer. Own moves made are carried along, since a piece still at home may lose the game after `home_limit`.
    """

    def __init__(self, tables: object) -> None:
        Mailbox.__init__(self, tables)
        side: cython.int
        place: cython.int
        if not cython.compiled:
            self.made, self.at_home = [0] * (2 * MOST_PLIES), [0] * (2 * MOST_PLIES)
            self.at_goal = [0] * (2 * MOST_PLIES)
            self.home, self.to_go = [0] * (2 * MOST_SQUARES), [0] * (2 * MOST_SQUARES)
            self.off_line, self.column, self.row = [0] * MOST_SQUARES, [0] * MOST_SQUARES, [0] * MOST_SQUARES
            self.column_goal, self.row_goal = [0] * (2 * MOST_LINES), [0] * (2 * MOST_LINES)
            self.ahead, self.steps_that_way, self.jumps_that_way = [0] * 16, [0] * 16, [0] * 16
            self.made_word, self.queue = [0] * (2 * MOST_LIMIT), [0] * MOST_SQUARES
            self.seen, self.stepped = [0] * MOST_SQUARES, [0] * MOST_SQUARES
            self.in_column, self.in_row = [0] * MOST_LINES, [0] * MOST_LINES
        self.stamp = 0
        for side in range(2):
            for place in range(self.squares):
                self.home[side * MOST_SQUARES + place] = tables.homes[side][place]
                self.to_go[side * MOST_SQUARES + place] = tables.to_go[side][place]
            for place in range(8):
                self.ahead[8 * side + place] = place in tables.ahead[side]
                self.steps_that_way[8 * side + place] = place in tables.mailbox.man_moves[side]
                self.jumps_that_way[8 * side + place] = place in tables.mailbox.man_captures[side]
        for place in range(self.squares):
            self.off_line[place] = tables.off_line[place]
            self.column[place] = tables.columns[place]
            self.row[place] = tables.rows[place]
            self.seen[place] = 0
            self.stepped[place] = 0
        random = words(_SEED, 2 * MOST_LIMIT)
        for place in range(2 * MOST_LIMIT):
            self.made_word[place] = random[place]
        self.first_side = tables.first
        self.home_limit = tables.home_limit
        self.last_reply = tables.last_reply

    def set(self, position: Position, made: tuple[int, int] = (0, 0)) -> None:
        """Make a position the root, after so many moves of White and Black; ValueError for another board or kings."""
        square: cython.int
        side: cython.int
        if any(position.count(king) for king in KINGS.values()):
            raise ValueError("a king on the board: expected men alone in a race game")
        self._placed(position)
        self.key[0] = self.turn_word if self.side[0] else 0
        for side in range(2):
            self.made[side] = min(made[side], self.home_limit)
            self.at_home[side] = 0
            self.at_goal[side] = 0
            self._aim(side)
        for square in range(self.squares):
            if self.board[square]:
                side = (self.board[square] - 1) >> 1
                self.key[0] ^= self.word[4 * square + 2 * side]
                self.at_home[side] += self.home[side * MOST_SQUARES + square]
                self.at_goal[side] += self.home[(1 - side) * MOST_SQUARES + square]
        self.key[0] ^= self.home_word(0)
        self.begin_counters()

    def _aim(self, side: cython.int) -> None:
        """Count goal squares up to each column and row, as many as the side has pieces, those to be filled first."""
        line: cython.int
        goals = self.tables.goals[side]
        chosen = [goals[number % len(goals)] for number in range(self.men[side])] if goals else []
        for line in range(MOST_LINES):
            self.column_goal[side * MOST_LINES + line] = sum(1 for square in chosen if self.column[square] <= line)
            self.row_goal[side * MOST_LINES + line] = sum(1 for square in chosen if self.row[square] <= line)

    def made_at(self, ply: cython.int = 0) -> tuple[int, int]:
        """Own moves of White and Black before `ply`, counted up to `home_limit`."""
        return self.made[2 * ply], self.made[2 * ply + 1]

    def position(self, ply: cython.int = 0) -> Position:
        """The position at a ply."""
        contents = [PIECES[self.board[ply * MOST_SQUARES + square]] for square in range(self.squares)]
        return Position(tuple(contents), Side.BLACK if self.side[ply] else Side.WHITE)

    def effect(self, move: cython.int) -> Effect:
        """What a listed move leaves on the board."""
        return (self.from_square[move], self.to_square[move], (), False)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def to_root(self) -> cython.void:
        """Copy the position at ply 1 to ply 0."""
        side: cython.int
        Mailbox.to_root(self)
        for side in range(2):
            self.made[side] = self.made[2 + side]
            self.at_home[side] = self.at_home[2 + side]
            self.at_goal[side] = self.at_goal[2 + side]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def captures(self, ply: cython.int) -> cython.int:
        """Nothing is captured."""
        self.first[ply + 1] = self.first[ply]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def moves(self, ply: cython.int) -> cython.int:
        """List the legal moves, one for each start and end, in the readable generator's order."""
        square: cython.int
        man: cython.int = 2 * self.side[ply] + 1
        self.first[ply + 1] = self.first[ply]
        for square in range(self.squares):
            if self.board[ply * MOST_SQUARES + square] == man:
                self.from_square_on(ply, square)
                if self.first[ply + 1] > MOST_MOVES - MOST_SQUARES:
                    return -1
        return self.first[ply + 1] - self.first[ply]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def from_square_on(self, ply: cython.int, square: cython.int) -> cython.void:
        """List the steps of the piece on `square`, then where its jumps lead, the fewest jumps first."""
        place: cython.int
        way: cython.int
        over: cython.int
        landing: cython.int
        here: cython.int
        head: cython.int = 0
        tail: cython.int = 1
        at: cython.int = ply * MOST_SQUARES
        side: cython.int = self.side[ply]
        move: cython.int = self.first[ply + 1]
        self.stamp += 1
        self.seen[square] = self.stamp
        self.queue[0] = square
        for place in range(self.directions[side]):
            landing = self.neighbour[8 * square + self.direction[8 * side + place]]
            if landing != OFF and self.board[at + landing] == 0:
                self.stepped[landing] = self.stamp
                self.add(move, square, landing)
                move += 1
        while head < tail:
            here = self.queue[head]
            head += 1
            for place in range(self.directions[2 + side]):
                way = self.direction[8 * (2 + side) + place]
                over = self.neighbour[8 * here + way]
                if over in (OFF, square) or self.board[at + over] == 0:
                    continue
                landing = self.neighbour[8 * over + way]
                if landing == OFF or self.board[at + landing] or self.seen[landing] == self.stamp:
                    continue
                self.seen[landing] = self.stamp
                self.queue[tail] = landing
                tail += 1
                if self.stepped[landing] != self.stamp:
                    self.add(move, square, landing)
                    move += 1
        self.first[ply + 1] = move

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, move: cython.int, start: cython.int, end: cython.int) -> cython.void:
        """List a move."""
        self.from_square[move] = start
        self.to_square[move] = end
        self.code[move] = (1 << 16) | (start << 8) | end
        self.taken[move] = 0
        self.crowns[move] = 0
        self.king_moves[move] = 0
        self.orders[move] = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, ply: cython.int, move: cython.int) -> cython.void:
        """Write the position after a listed move at `ply + 1`."""
        place: cython.int
        at: cython.int = (ply + 1) * MOST_SQUARES
        side: cython.int = self.side[ply]
        other: cython.int = 1 - side
        start: cython.int = self.from_square[move]
        end: cython.int = self.to_square[move]
        now: cython.int = 2 * ply + 2
        key: cython.ulonglong = self.key[ply] ^ self.home_word(ply) ^ self.turn_word
        for place in range(self.squares):
            self.board[at + place] = self.board[at - MOST_SQUARES + place]
        self.board[at + start] = 0
        self.board[at + end] = 2 * side + 1
        for place in range(2):
            self.men[now + place] = self.men[now - 2 + place]
            self.kings[now + place] = 0
            self.made[now + place] = self.made[now - 2 + place]
            self.at_home[now + place] = self.at_home[now - 2 + place]
            self.at_goal[now + place] = self.at_goal[now - 2 + place]
        if self.made[now + side] < self.home_limit:
            self.made[now + side] += 1
        self.at_home[now + side] += self.home[side * MOST_SQUARES + end] - self.home[side * MOST_SQUARES + start]
        self.at_goal[now + side] += self.home[other * MOST_SQUARES + end] - self.home[other * MOST_SQUARES + start]
        self.side[ply + 1] = other
        key ^= self.word[4 * start + 2 * side] ^ self.word[4 * end + 2 * side]
        self.key[ply + 1] = key ^ self.home_word(ply + 1)
        self.on_road[ply + 1] = self.roads(ply + 1)
        self.reversible[ply + 1] = self.reversible[ply] + 1
        self.count_on(ply, move)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def home_word(self, ply: cython.int) -> cython.ulonglong:
        """What the own moves made give to the key: nothing for a side that has left home."""
        word: cython.ulonglong = 0
        if self.home_limit and self.at_home[2 * ply]:
            word ^= self.made_word[self.made[2 * ply]]
        if self.home_limit and self.at_home[2 * ply + 1]:
            word ^= self.made_word[MOST_LIMIT + self.made[2 * ply + 1]]
        return word

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_arrived(self, ply: cython.int, side: cython.int) -> cython.bint:
        """Whether a side has pieces and all of them stand in the other's corner."""
        return self.men[2 * ply + side] > 0 and self.at_goal[2 * ply + side] == self.men[2 * ply + side]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def can_move(self, ply: cython.int) -> cython.bint:
        """Whether the side to move has a move; the moves of `ply` are listed once more."""
        return self.moves(ply) != 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decided(self, ply: cython.int) -> cython.int:
        """Who has arrived, or who still has a piece at home after the moves that were given."""
        side: cython.int = self.side[ply]
        own: cython.bint = self.has_arrived(ply, side)
        other: cython.bint = self.has_arrived(ply, 1 - side)
        if own and other and not self.last_reply:
            return -1
        if own and not other:
            return 1
        if other and not own and not (self.last_reply and self.first_side != side and self.can_move(ply)):
            return -1
        # Who cannot move has lost before a piece left at home counts, the other side's as well.
        if self.is_late(ply, 1 - side):
            return 1 if self.can_move(ply) else -1
        return -1 if self.is_late(ply, side) else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_late(self, ply: cython.int, side: cython.int) -> cython.bint:
        """Whether a side has made the moves it had for leaving home, and has not left."""
        at: cython.int = 2 * ply + side
        return self.home_limit > 0 and self.made[at] >= self.home_limit and self.at_home[at] > 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def applies(self, rule: cython.int, ply: cython.int) -> cython.int:
        """Whether the condition of a draw rule holds; that both have arrived is one that only races know."""
        side: cython.int
        if self.counter_facts[24 * rule + BOTH_AT_GOAL]:
            for side in range(2):
                if self.at_goal[2 * ply + side] != self.men[2 * ply + side]:
                    return 0
        return Tree.applies(self, rule, ply)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def measure(self, ply: cython.int) -> cython.void:
        """Write `feature`, in the order of `race_tables.TERMS`."""
        place: cython.int
        side: cython.int = self.side[ply]
        for place in range(self.terms):
            self.feature[place] = 0
        self.measure_side(ply, side, 1)
        self.measure_side(ply, 1 - side, -1)
        self.feature[9] = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def measure_side(self, ply: cython.int, side: cython.int, sign: cython.int) -> cython.void:
        """Add one side's pieces to `feature`; `sign` is 1 for the side to move."""
        square: cython.int
        line: cython.int
        steps: cython.int
        left: cython.int
        farthest: cython.int = 0
        at: cython.int = ply * MOST_SQUARES
        for line in range(MOST_LINES):
            self.in_column[line] = 0
            self.in_row[line] = 0
        for square in range(self.squares):
            if self.board[at + square] != 2 * side + 1:
                continue
            self.in_column[self.column[square]] += 1
            self.in_row[self.row[square]] += 1
            steps = self.to_go[side * MOST_SQUARES + square]
            farthest = max(farthest, steps)
            self.feature[4] += sign * steps * steps
            self.feature[8] += sign * self.off_line[square]
            self.look_ahead(at, square, side, sign)
        self.feature[0] += sign * self.steps_to_goal(side)
        self.feature[1] += sign * self.at_goal[2 * ply + side]
        self.feature[2] += sign * self.at_home[2 * ply + side]
        self.feature[3] += sign * farthest
        left = self.home_limit - self.made[2 * ply + side]
        if self.home_limit and left < HURRY:
            self.feature[5] += sign * (HURRY - left) * self.at_home[2 * ply + side]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_ahead(self, at: cython.int, square: cython.int, side: cython.int, sign: cython.int) -> cython.void:
        """Add to `feature` what the piece on `square` can do towards the goal that it has not reached."""
        way: cython.int
        over: cython.int
        landing: cython.int
        free: cython.int = 0
        jumps: cython.int = 0
        if self.to_go[side * MOST_SQUARES + square] == 0:
            return
        for way in range(8):
            if not self.ahead[8 * side + way]:
                continue
            over = self.neighbour[8 * square + way]
            if over == OFF:
                continue
            if self.board[at + over] == 0:
                free += self.steps_that_way[8 * side + way]
                continue
            landing = self.neighbour[8 * over + way]
            if landing != OFF and self.board[at + landing] == 0:
                jumps += self.jumps_that_way[8 * side + way]
        self.feature[6] += sign * jumps
        if free + jumps == 0:
            self.feature[7] += sign

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def steps_to_goal(self, side: cython.int) -> cython.int:
        """Steps along rows and columns that bring all pieces to the goal, each to a square that suits them together.

        On a line, the least way from places to as many others is what has to cross each gap; columns and rows of a
        corner are independent, so both together are the least number of steps, blocked squares aside.
        """
        line: cython.int
        columns: cython.int = 0
        rows: cython.int = 0
        steps: cython.int = 0
        for line in range(MOST_LINES):
            columns += self.in_column[line]
            rows += self.in_row[line]
            steps += abs(columns - self.column_goal[side * MOST_LINES + line])
            steps += abs(rows - self.row_goal[side * MOST_LINES + line])
        return steps
