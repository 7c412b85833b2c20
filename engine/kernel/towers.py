# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Towers: the kernel's generator for games in which a captured piece goes under its captor (bashni).

Every piece has a number of its own, 1.., that it keeps; `under` leads from each piece to the one beneath it. To take a
piece is to unlink the top of one tower and to hang it below the bottom of another, whatever their heights.
"""

from __future__ import annotations

import cython

from engine.kernel.mailbox import NUMBERS, PIECES
from engine.kernel.mailbox_tables import words
from engine.position import EMPTY, Effect, Position, Side
from engine.position import Towers as Stacks

if not cython.compiled:
    from engine.kernel.mailbox import MOST_SQUARES, OFF, Mailbox
    from engine.kernel.tree import MOST_MOVES, MOST_PLIES

    MOST_PIECES = 256
    MOST_TAKEN = 65536
    MOST_ORDERS = 8192
    BLOCKED = 5

_SEED = 2


@cython.final
@cython.cclass
class Towers(Mailbox):
    """The tree of a game of towers; `tables` are those of `towers_tables`.

    `moves` returns TOO_MANY where the readable generator raises, and where the moves of all plies together outgrow
    their buffers. Of several orders of capture with one effect the readable generator's first is made.
    """

    def __init__(self, tables: object) -> None:
        Mailbox.__init__(self, tables)
        side: cython.int
        place: cython.int
        if not cython.compiled:
            self.top, self.bottom = [0] * (MOST_PLIES * MOST_SQUARES), [0] * (MOST_PLIES * MOST_SQUARES)
            self.under, self.kind = [0] * (MOST_PLIES * MOST_PIECES), [0] * (MOST_PLIES * MOST_PIECES)
            self.layer, self.precedence = [0] * (4 * MOST_PIECES), [0] * 8
            self.last_row, self.advanced = [0] * (2 * MOST_SQUARES), [0] * (2 * MOST_SQUARES)
            self.centre, self.longest = [0] * MOST_SQUARES, [0] * MOST_SQUARES
            self.prisoner, self.prisoners = [0] * MOST_TAKEN, [0] * (MOST_PLIES + 1)
            self.taken_at, self.taken_sum = [0] * MOST_MOVES, [0] * MOST_MOVES
            self.path, self.path_king = [0] * (MOST_PIECES + 1), [0] * (MOST_PIECES + 1)
            self.path_sum, self.best_king = [0] * (MOST_PIECES + 1), [0] * (MOST_PIECES + 1)
            self.order_move, self.order_sum = [0] * MOST_ORDERS, [0] * MOST_ORDERS
        self.pieces = 0
        for side in range(2):
            for place in range(self.squares):
                self.last_row[side * MOST_SQUARES + place] = tables.last_rows[side][place]
                self.advanced[side * MOST_SQUARES + place] = tables.advanced[side][place]
        for place in range(self.squares):
            self.centre[place] = tables.centre[place]
            self.longest[place] = tables.longest[place]
        random = words(_SEED, 4 * MOST_PIECES + 1)
        for place in range(4 * MOST_PIECES):
            self.layer[place] = random[place]
        self.odd = random[4 * MOST_PIECES] | 1
        self.mask = (1 << 64) - 1
        self.rows = tables.rows
        self.flying = tables.flying
        self.landing = tables.landing
        self.optional = tables.capture > 0
        self.men_return = tables.men_return
        self.precedences = len(tables.precedence)
        for place in range(self.precedences):
            self.precedence[place] = tables.precedence[place]
        self.man_takes_king = tables.man_may_capture_king
        self.crowning = tables.crowning
        self.removed_now = tables.removed_now
        self.turn_back = tables.turn_back
        self.second_jump = tables.second_jump
        self.keep_rank = tables.keep_rank
        self.first_king_wins = tables.first_king_wins
        self.most_jumps = tables.most_jumps

    def set(self, position: Position) -> None:
        """Make a position the root; ValueError when it has another board or more pieces than 255."""
        square: cython.int
        piece: cython.int = 0
        above: cython.int
        beneath = position.towers.beneath if position.towers else ((),) * len(position.contents)
        if len(beneath) + sum(map(len, beneath)) - position.contents.count(EMPTY) >= MOST_PIECES:
            raise ValueError(f"more than {MOST_PIECES - 1} pieces on the board")
        self._placed(position)
        self.prisoners[0] = 0
        self.key[0] = self.turn_word if self.side[0] else 0
        for square in range(self.squares):
            self.top[square] = 0
            self.bottom[square] = 0
            above = 0
            for content in (*beneath[square], position.contents[square])[::-1] if self.board[square] else ():
                piece += 1
                self.kind[piece] = NUMBERS[content]
                self.under[piece] = 0
                if above:
                    self.under[above] = piece
                else:
                    self.top[square] = piece
                self.bottom[square] = piece
                above = piece
        self.pieces = piece
        for square in range(self.squares):
            self.key[0] ^= self.tower_word(0, square)
        self.begin_counters()

    def position(self, ply: cython.int = 0) -> Position:
        """The position at a ply."""
        square: cython.int
        piece: cython.int
        contents = []
        beneath = []
        for square in range(self.squares):
            contents.append(PIECES[self.board[ply * MOST_SQUARES + square]])
            stack = []
            piece = self.under[ply * MOST_PIECES + self.top[ply * MOST_SQUARES + square]]
            while piece:
                stack.append(PIECES[self.kind[ply * MOST_PIECES + piece]])
                piece = self.under[ply * MOST_PIECES + piece]
            beneath.append(tuple(reversed(stack)))
        turn = Side.BLACK if self.side[ply] else Side.WHITE
        return Position(tuple(contents), turn, Stacks(tuple(beneath), bool(self.keep_rank)))

    def effect(self, move: cython.int) -> Effect:
        """What a listed move leaves on the board."""
        first: cython.int = self.taken_at[move]
        taken = [self.prisoner[place] for place in range(first, first + self.taken[move])]
        return (self.from_square[move], self.to_square[move], tuple(sorted(taken)), bool(self.crowns[move]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def to_root(self) -> cython.void:
        """Copy the position at ply 1 to ply 0."""
        place: cython.int
        Mailbox.to_root(self)
        for place in range(self.squares):
            self.top[place] = self.top[MOST_SQUARES + place]
            self.bottom[place] = self.bottom[MOST_SQUARES + place]
        for place in range(self.pieces + 1):
            self.under[place] = self.under[MOST_PIECES + place]
            self.kind[place] = self.kind[MOST_PIECES + place]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def moves(self, ply: cython.int) -> cython.int:
        """List the legal moves, captures first, in the readable generator's order."""
        square: cython.int
        target: cython.int
        number: cython.int
        place: cython.int
        way: cython.int
        which: cython.int
        king: cython.int
        crowns: cython.bint
        at: cython.int = ply * MOST_SQUARES
        side: cython.int = self.side[ply]
        count: cython.int = self.captures(ply)
        if count < 0 or (count > 0 and not self.optional):
            return count
        for square in range(self.squares):
            number = self.board[at + square]
            if number == 0 or (number - 1) >> 1 != side:
                continue
            king = (number - 1) & 1
            which = 4 * king + side
            for place in range(self.directions[which]):
                way = self.direction[8 * which + place]
                target = self.neighbour[8 * square + way]
                while target != OFF and self.board[at + target] == 0:
                    crowns = not king and self.last_row[side * MOST_SQUARES + target]
                    self.add_quiet(square, target, king, crowns)
                    if self.too_many:
                        return -1
                    if not king or not self.flying:
                        break
                    target = self.neighbour[8 * target + way]
        self.first[ply + 1] = self.next_move
        self.prisoners[ply + 1] = self.next_prisoner
        return self.next_move - self.first[ply]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_quiet(self, start: cython.int, end: cython.int, king: cython.bint, crowns: cython.bint) -> cython.void:
        """List a move that takes nothing."""
        move: cython.int = self.next_move
        if move >= MOST_MOVES:
            self.too_many = True
            return
        self.from_square[move] = start
        self.to_square[move] = end
        self.code[move] = (crowns << 16) | (start << 8) | end
        self.taken[move] = 0
        self.taken_at[move] = self.next_prisoner
        self.crowns[move] = crowns
        self.king_moves[move] = king
        self.orders[move] = 1
        self.next_move = move + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def captures(self, ply: cython.int) -> cython.int:
        """List the captures that the rules of choice leave, one for each effect."""
        square: cython.int
        number: cython.int
        king: cython.int
        at: cython.int = ply * MOST_SQUARES
        side: cython.int = self.side[ply]
        self.ply = ply
        self.next_move = self.first[ply]
        self.next_prisoner = self.prisoners[ply]
        self.jumps = 0
        self.too_many = False
        self.orders_seen = 0
        self.path_sum[0] = 0
        for square in range(self.squares):
            number = self.board[at + square]
            if number == 0 or (number - 1) >> 1 != side:
                continue
            king = (number - 1) & 1
            if not self.may_jump(at, square, number):
                # The readable generator tries every flying king; both give up after as many jumps.
                if king and self.flying:
                    self.jumps += 1
                    if self.jumps > self.most_jumps:
                        return -1
                continue
            self.mover = number
            self.start = square
            self.earliest = self.next_move
            self.board[at + square] = 0
            self.jump_on(square, -1, 0, king)
            self.board[at + square] = number
            if self.too_many:
                return -1
        self.first[ply + 1] = self.next_move
        self.prisoners[ply + 1] = self.next_prisoner
        return self.next_move - self.first[ply]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def may_jump(self, at: cython.int, square: cython.int, number: cython.int) -> cython.bint:
        """Whether a piece has a jump; `at` is where the squares of its ply begin, `number` what it is."""
        place: cython.int
        side: cython.int = (number - 1) >> 1
        king: cython.bint = (number - 1) & 1
        which: cython.int = (6 if king else 2) + side
        for place in range(self.directions[which]):
            if self.jumped(at, square, self.direction[8 * which + place], side, king) != OFF:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def jumped(
        self, at: cython.int, square: cython.int, way: cython.int, side: cython.int, king: cython.bint
    ) -> cython.int:
        """The square of the enemy that a piece can jump in a direction; OFF where there is none."""
        number: cython.int
        landing: cython.int
        over: cython.int = self.neighbour[8 * square + way]
        while king and self.flying and over != OFF and self.board[at + over] == 0:
            over = self.neighbour[8 * over + way]
        if over == OFF:
            return OFF
        number = self.board[at + over]
        if number in (0, BLOCKED) or (number - 1) >> 1 == side:
            return OFF
        if (number - 1) & 1 and not king and not self.man_takes_king:
            return OFF
        landing = self.neighbour[8 * over + way]
        return over if landing != OFF and self.board[at + landing] == 0 else OFF

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def can_capture(self, ply: cython.int) -> cython.bint:
        """Whether the side to move has a capture."""
        return self.has_jump(ply, self.side[ply])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def threatened(self, ply: cython.int) -> cython.bint:
        """Whether the side not to move could capture if it were its turn."""
        return self.has_jump(ply, 1 - self.side[ply])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_jump(self, ply: cython.int, side: cython.int) -> cython.bint:
        """Whether a piece of a side has a jump."""
        square: cython.int
        number: cython.int
        at: cython.int = ply * MOST_SQUARES
        for square in range(self.squares):
            number = self.board[at + square]
            if number and (number - 1) >> 1 == side and self.may_jump(at, square, number):
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def jump_on(self, square: cython.int, came: cython.int, depth: cython.int, king: cython.bint) -> cython.bint:
        """Find every capture that goes on with the piece on `square` after `depth` jumps; False when none does."""
        place: cython.int
        way: cython.int
        over: cython.int
        number: cython.int
        piece: cython.int
        goes_on: cython.bint = False
        at: cython.int = self.ply * MOST_SQUARES
        which: cython.int = (6 if king else 2) + self.side[self.ply]
        self.jumps += 1
        if self.jumps > self.most_jumps:
            self.too_many = True
            return False
        for place in range(self.directions[which]):
            way = self.direction[8 * which + place]
            if came >= 0 and not self.turn_back and way == came ^ 2:
                continue
            over = self.jumped(at, square, way, self.side[self.ply], king)
            if over == OFF:
                continue
            goes_on = True
            number = self.board[at + over]
            piece = self.top[at + over]
            self.path[depth] = over
            self.path_king[depth] = (number - 1) & 1
            self.path_sum[depth + 1] = (self.path_sum[depth] + self.word[4 * over]) & self.mask
            self.leave_behind(at, over)
            self.land(over, way, depth + 1, king)
            self.board[at + over] = number
            self.top[at + over] = piece
            if self.too_many:
                break
        return goes_on

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leave_behind(self, at: cython.int, over: cython.int) -> cython.void:
        """Put on a jumped square what the rest of the capture finds there."""
        beneath: cython.int = self.under[self.ply * MOST_PIECES + self.top[at + over]]
        if self.second_jump and beneath:
            self.board[at + over] = self.kind[self.ply * MOST_PIECES + beneath]
            self.top[at + over] = beneath
        elif self.removed_now and not beneath:
            self.board[at + over] = 0
        else:
            self.board[at + over] = BLOCKED

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def land(self, over: cython.int, way: cython.int, depth: cython.int, king: cython.bint) -> cython.void:
        """Go on from every square behind the jumped one; where none goes on, the capture ends on each of them."""
        crowned: cython.bint
        stops: cython.bint
        goes_on: cython.bint = False
        at: cython.int = self.ply * MOST_SQUARES
        side: cython.int = self.side[self.ply]
        far: cython.bint = king and self.flying and self.landing != 1
        landing: cython.int = self.neighbour[8 * over + way]
        while landing != OFF and self.board[at + landing] == 0 and not self.too_many:
            crowned = king or (self.crowning == 1 and self.last_row[side * MOST_SQUARES + landing])
            stops = not king and self.crowning == 2 and self.last_row[side * MOST_SQUARES + landing]
            if not stops and self.jump_on(landing, way, depth, crowned):
                goes_on = True
            landing = self.neighbour[8 * landing + way] if far else OFF
        # A flying king must land where it can go on, if it can anywhere behind this piece.
        if goes_on or self.too_many:
            return
        far = far and not (self.landing == 2 and self.path_king[depth - 1])
        landing = self.neighbour[8 * over + way]
        while landing != OFF and self.board[at + landing] == 0:
            crowned = king or (self.crowning == 1 and self.last_row[side * MOST_SQUARES + landing])
            self.found(landing, depth, crowned)
            landing = self.neighbour[8 * landing + way] if far else OFF

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def found(self, square: cython.int, depth: cython.int, king: cython.bint) -> cython.void:
        """List a completed capture of `depth` pieces that ends on `square`, unless the rules of choice refuse it."""
        move: cython.int
        place: cython.int
        better: cython.int
        kings: cython.int = 0
        was_king: cython.bint = (self.mover - 1) & 1
        side: cython.int = (self.mover - 1) >> 1
        crowns: cython.bint = not was_king and (king or self.last_row[side * MOST_SQUARES + square])
        for place in range(depth):
            kings += self.path_king[place]
        if self.precedences and self.next_move > self.first[self.ply]:
            better = self.against_best(depth, kings)
            if better < 0:
                return
            if better > 0:
                self.next_move = self.first[self.ply]
                self.next_prisoner = self.prisoners[self.ply]
                self.earliest = self.next_move
                self.orders_seen = 0
        for move in range(self.earliest, self.next_move):
            if (
                self.to_square[move] == square
                and self.crowns[move] == crowns
                and self.taken[move] == depth
                and self.taken_sum[move] == self.path_sum[depth]
            ):
                if self.counts_orders:
                    self.another_order(move, depth)
                return
        move = self.next_move
        if move >= MOST_MOVES or self.next_prisoner + depth > MOST_TAKEN:
            self.too_many = True
            return
        self.from_square[move] = self.start
        self.to_square[move] = square
        self.code[move] = self.capture_code(square, crowns, self.path_sum[depth])
        self.taken[move] = depth
        self.taken_at[move] = self.next_prisoner
        self.taken_sum[move] = self.path_sum[depth]
        self.crowns[move] = crowns
        self.king_moves[move] = was_king
        self.orders[move] = 0
        for place in range(depth):
            self.prisoner[self.next_prisoner + place] = self.path[place]
            self.best_king[place] = self.path_king[place]
        self.next_move = move + 1
        self.next_prisoner += depth
        self.best_taken = depth
        self.best_kings = kings
        self.best_is_king = was_king
        if self.counts_orders:
            self.another_order(move, depth)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def capture_code(self, square: cython.int, crowns: cython.bint, taken: cython.ulonglong) -> cython.uint:
        """A code for a capture of the piece being tried that ends on `square`, other than its captures before."""
        move: cython.int
        low: cython.uint = 1 + (taken & 0x1FFF)
        ends: cython.uint = (crowns << 16) | (self.start << 8) | square
        code: cython.uint = (low << 17) | ends
        move = self.earliest
        while move < self.next_move:
            if self.code[move] == code:
                low = 1 + (low & 0x1FFF)
                code = (low << 17) | ends
                move = self.earliest
            else:
                move += 1
        return code

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def against_best(self, depth: cython.int, kings: cython.int) -> cython.int:
        """Where the rules of choice put the capture on the path: before (1), beside (0) or behind (-1) those listed."""
        rule: cython.int
        place: cython.int
        which: cython.int
        ahead: cython.int
        for rule in range(self.precedences):
            which = self.precedence[rule]
            ahead = 0
            if which == 0:
                ahead = depth - self.best_taken
            elif which == 1:
                ahead = 1000 * (depth - self.best_taken) + 999 * (kings - self.best_kings)
            elif which == 2:
                ahead = ((self.mover - 1) & 1) - self.best_is_king
            elif which == 3:
                ahead = kings - self.best_kings
            else:
                for place in range(min(depth, self.best_taken)):
                    ahead = self.path_king[place] - self.best_king[place]
                    if ahead:
                        break
                else:
                    ahead = depth - self.best_taken
            if ahead:
                return 1 if ahead > 0 else -1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def another_order(self, move: cython.int, depth: cython.int) -> cython.void:
        """Count the order of capture on the path for a listed move, unless it has been counted."""
        place: cython.int
        order: cython.ulonglong = 0
        for place in range(depth):
            order = ((order + self.word[4 * self.path[place]]) * self.odd) & self.mask
        for place in range(self.orders_seen):
            if self.order_move[place] == move and self.order_sum[place] == order:
                return
        if self.orders_seen >= MOST_ORDERS:
            self.too_many = True
            return
        self.order_move[self.orders_seen] = move
        self.order_sum[self.orders_seen] = order
        self.orders_seen += 1
        self.orders[move] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tower_word(self, ply: cython.int, square: cython.int) -> cython.ulonglong:
        """What the tower on a square gives to the key; 0 for an empty square."""
        depth: cython.int = 0
        mixed: cython.ulonglong
        piece: cython.int = self.top[ply * MOST_SQUARES + square]
        found: cython.ulonglong
        if piece == 0:
            return 0
        found = self.word[4 * square + self.kind[ply * MOST_PIECES + piece] - 1]
        piece = self.under[ply * MOST_PIECES + piece]
        if piece == 0:
            return found
        mixed = found
        while piece:
            mixed = (mixed + self.layer[4 * depth + self.kind[ply * MOST_PIECES + piece] - 1]) & self.mask
            depth += 1
            piece = self.under[ply * MOST_PIECES + piece]
        mixed = ((mixed ^ (mixed >> 31)) * self.odd) & self.mask
        return found ^ mixed ^ (mixed >> 29)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, ply: cython.int, move: cython.int) -> cython.void:
        """Write the position after a listed move at `ply + 1`."""
        place: cython.int
        at: cython.int = (ply + 1) * MOST_SQUARES
        stack: cython.int = (ply + 1) * MOST_PIECES
        side: cython.int = self.side[ply]
        start: cython.int = self.from_square[move]
        end: cython.int = self.to_square[move]
        top: cython.int = self.top[ply * MOST_SQUARES + start]
        bottom: cython.int = self.bottom[ply * MOST_SQUARES + start]
        self.copy_on(ply)
        self.key[ply + 1] ^= self.turn_word ^ self.tower_word(ply, start)
        self.board[at + start] = 0
        self.top[at + start] = 0
        self.bottom[at + start] = 0
        for place in range(self.taken_at[move], self.taken_at[move] + self.taken[move]):
            bottom = self.take(ply + 1, self.prisoner[place], bottom)
        if self.crowns[move]:
            self.kind[stack + top] = 2 * side + 2
            self.men[2 * ply + 2 + side] -= 1
            self.kings[2 * ply + 2 + side] += 1
        self.board[at + end] = self.kind[stack + top]
        self.top[at + end] = top
        self.bottom[at + end] = bottom
        self.key[ply + 1] ^= self.tower_word(ply + 1, end)
        self.side[ply + 1] = 1 - side
        self.on_road[ply + 1] = self.roads(ply + 1)
        # Positions that come back over a capture are left to the game's own count.
        self.reversible[ply + 1] = 0
        if not self.taken[move] and (self.king_moves[move] or self.men_return):
            self.reversible[ply + 1] = self.reversible[ply] + 1
        self.count_on(ply, move)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def copy_on(self, ply: cython.int) -> cython.void:
        """Copy towers, key and numbers of pieces to the next ply."""
        place: cython.int
        at: cython.int = ply * MOST_SQUARES
        stack: cython.int = ply * MOST_PIECES
        for place in range(self.squares):
            self.board[at + MOST_SQUARES + place] = self.board[at + place]
            self.top[at + MOST_SQUARES + place] = self.top[at + place]
            self.bottom[at + MOST_SQUARES + place] = self.bottom[at + place]
        for place in range(self.pieces + 1):
            self.under[stack + MOST_PIECES + place] = self.under[stack + place]
            self.kind[stack + MOST_PIECES + place] = self.kind[stack + place]
        for place in range(2 * ply, 2 * ply + 2):
            self.men[place + 2] = self.men[place]
            self.kings[place + 2] = self.kings[place]
        self.key[ply + 1] = self.key[ply]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take(self, ply: cython.int, square: cython.int, bottom: cython.int) -> cython.int:
        """Hang the top piece of a square below the piece `bottom`, and set free what was beneath it; the new bottom."""
        at: cython.int = ply * MOST_SQUARES + square
        stack: cython.int = ply * MOST_PIECES
        piece: cython.int = self.top[at]
        beneath: cython.int = self.under[stack + piece]
        self.key[ply] ^= self.tower_word(ply, square)
        self.count_top(ply, self.kind[stack + piece], -1)
        if not self.keep_rank:
            self.kind[stack + piece] -= (self.kind[stack + piece] - 1) & 1
        self.under[stack + bottom] = piece
        self.under[stack + piece] = 0
        self.top[at] = beneath
        self.board[at] = self.kind[stack + beneath] if beneath else 0
        if beneath:
            self.count_top(ply, self.board[at], 1)
            self.key[ply] ^= self.tower_word(ply, square)
        else:
            self.bottom[at] = 0
        return piece

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_top(self, ply: cython.int, number: cython.int, more: cython.int) -> cython.void:
        """Count a piece that came to the top of a tower (1) or left it (-1)."""
        if (number - 1) & 1:
            self.kings[2 * ply + ((number - 1) >> 1)] += more
        else:
            self.men[2 * ply + ((number - 1) >> 1)] += more

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def decided(self, ply: cython.int) -> cython.int:
        """Whose king stands there, where the first king wins."""
        if not self.first_king_wins:
            return 0
        if self.kings[2 * ply]:
            return -1 if self.side[ply] else 1
        if self.kings[2 * ply + 1]:
            return 1 if self.side[ply] else -1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def measure(self, ply: cython.int) -> cython.void:
        """Write `feature`, in the order of `towers_tables.TERMS`."""
        square: cython.int
        number: cython.int
        side: cython.int = self.side[ply]
        for square in range(self.terms):
            self.feature[square] = 0
        for square in range(self.squares):
            number = self.board[ply * MOST_SQUARES + square]
            if number:
                self.measure_tower(ply, square, number, 1 if (number - 1) >> 1 == side else -1)
        self.feature[12] = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def measure_tower(self, ply: cython.int, square: cython.int, number: cython.int, sign: cython.int) -> cython.void:
        """Add one tower to `feature`; `sign` is 1 for those of the side to move."""
        place: cython.int
        target: cython.int
        free: cython.int = 0
        at: cython.int = ply * MOST_SQUARES
        stack: cython.int = ply * MOST_PIECES
        side: cython.int = (number - 1) >> 1
        king: cython.int = (number - 1) & 1
        which: cython.int = 4 * king + side
        rows: cython.int = self.advanced[side * MOST_SQUARES + square]
        piece: cython.int = self.under[stack + self.top[at + square]]
        lone: cython.bint = True
        while piece:
            if (self.kind[stack + piece] - 1) >> 1 == side:
                self.feature[2] += sign
            else:
                self.feature[3] += sign
                if lone:
                    self.feature[4] += sign
            lone = False
            piece = self.under[stack + piece]
        for place in range(self.directions[which]):
            target = self.neighbour[8 * square + self.direction[8 * which + place]]
            if target != OFF and self.board[at + target] == 0:
                free += 1
        if king:
            self.feature[1] += sign
            self.feature[9] += sign * self.longest[square]
            self.feature[11] += sign * free
        else:
            self.feature[0] += sign
            self.feature[5] += sign * rows
            if rows >= self.rows - 3:
                self.feature[6] += sign
            self.feature[10] += sign * free
        if rows == 0:
            self.feature[7] += sign
        self.feature[8] += sign * self.centre[square]
