# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Mailbox: what the trees of towers and of the race games share, a board of one number a square.

A square holds 0, or 1 and 2 for White's man and king, 3 and 4 for Black's. Squares are in official order.
"""

from __future__ import annotations

import cython

from engine.errors import TooManyCapturesError
from engine.kernel.mailbox_tables import words
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Effect, Piece, Position, Side

if not cython.compiled:
    from engine.kernel.tree import MOST_COUNTERS, MOST_MOVES, MOST_PLIES, Tree

    MOST_SQUARES = 144
    MOST_TERMS = 32
    OFF = 255

PIECES: tuple[Piece, ...] = (EMPTY, WHITE_MAN, WHITE_KING, BLACK_MAN, BLACK_KING)
"""The content that each number on a square stands for."""

NUMBERS: dict[Piece, int] = {piece: number for number, piece in enumerate(PIECES)}

_SEED = 1


@cython.cclass
class Mailbox(Tree):
    """A tree whose positions are one number a square; `tables.mailbox` is the board, `tables.weights` the judgement.

    `direction[8 * (2 * kind + side) + n]` is the n-th of `directions[2 * kind + side]`; kinds are 0 moves and 1
    captures of men, 2 moves and 3 captures of kings.
    """

    def __init__(self, tables: object) -> None:
        Tree.__init__(self, tables)
        place: cython.int
        number: cython.int
        if not cython.compiled:
            self.neighbour, self.board = [0] * (8 * MOST_SQUARES), [0] * (MOST_PLIES * MOST_SQUARES)
            self.direction, self.directions = [0] * 64, [0] * 8
            self.road, self.word = [0] * MOST_SQUARES, [0] * (4 * MOST_SQUARES)
            self.orders, self.weight, self.feature = [0] * MOST_MOVES, [0] * MOST_TERMS, [0] * MOST_TERMS
        mailbox = tables.mailbox
        self.squares = mailbox.squares
        if self.squares > MOST_SQUARES:
            raise ValueError(f"a board of {self.squares} squares: expected at most {MOST_SQUARES}")
        for place, square in enumerate(mailbox.neighbours):
            self.neighbour[place] = square
        lists = (*mailbox.man_moves, *mailbox.man_captures, *mailbox.king_moves, *mailbox.king_captures)
        for place, found in enumerate(lists):
            self.directions[place] = len(found)
            for number, direction in enumerate(found):
                self.direction[8 * place + number] = direction
        self.road_squares = len(mailbox.road)
        for place, square in enumerate(mailbox.road):
            self.road[place] = square
        random = words(_SEED, 4 * MOST_SQUARES + 1)
        for place in range(4 * MOST_SQUARES):
            self.word[place] = random[place]
        self.turn_word = random[4 * MOST_SQUARES]
        self.counts_orders = False
        self.terms = 0
        self.set_weights(list(tables.weights))

    def set_weights(self, weights: list[int]) -> None:
        """What each term of the judgement weighs, in sixteenths of a hundredth of a man; ValueError for other terms."""
        place: cython.int
        expected = len(self.tables.weights)
        if len(weights) != expected:
            raise ValueError(f"{len(weights)} weights: expected {expected}")
        self.terms = expected
        for place, weight in enumerate(weights):
            self.weight[place] = weight

    def features(self, ply: cython.int = 0) -> list[int]:
        """What each weight is multiplied with in the position at `ply`, as the side to move sees it."""
        self.measure(ply)
        return [self.feature[place] for place in range(self.terms)]

    def worth_at(self, ply: cython.int = 0) -> int:
        """`evaluate` for callers in Python."""
        return self.evaluate(ply)

    def codes_at(self) -> list[int]:
        """The codes of the root's legal moves, in their order."""
        count: cython.int = self._listed()
        return [self.code[move] for move in range(self.first[0], self.first[0] + count)]

    def effects(self) -> list[Effect]:
        """The legal moves of the root in their order; TooManyCapturesError when they cannot be listed."""
        count: cython.int = self._listed()
        return [self.effect(move) for move in range(self.first[0], self.first[0] + count)]

    def effect(self, move: cython.int) -> Effect:
        """What a listed move leaves on the board."""
        raise NotImplementedError

    def play(self, number: cython.int) -> None:
        """Make the root's move of this number and let the position after it be the root; IndexError for no move."""
        count: cython.int = self._listed()
        if not 0 <= number < count:
            raise IndexError(f"move {number} of {count}")
        self.make(0, self.first[0] + number)
        self.to_root()

    def perft(self, depth: cython.int, ordered: cython.bint = False) -> int:
        """The leaves `depth` plies on, counted and not made; with `ordered` every order of capture counts.

        TooManyCapturesError where a position on the way has more captures than can be listed.
        """
        if not 0 <= depth < MOST_PLIES - 1:
            raise ValueError(f"depth {depth}: expected 0 to {MOST_PLIES - 2}")
        if depth == 0:
            return 1
        count: cython.longlong
        self.counts_orders = ordered
        with cython.nogil:
            count = self.leaves(0, depth)
        self.counts_orders = False
        if count < 0:
            raise TooManyCapturesError("a position on the way has more captures than can be listed")
        return count

    def _listed(self) -> int:
        """How many moves the root has, after listing them."""
        count: cython.int = self.moves(0)
        if count < 0:
            raise TooManyCapturesError("more captures than can be listed; expected a position with fewer loose pieces")
        return count

    def _placed(self, position: Position) -> None:
        """Write contents and side to move at ply 0."""
        square: cython.int
        if len(position.contents) != self.squares:
            raise ValueError(f"{len(position.contents)} squares: expected {self.squares}")
        for square in range(self.squares):
            self.board[square] = NUMBERS[position.contents[square]]
        self.count_pieces(1 if position.turn is Side.BLACK else 0)

    @cython.cfunc
    @cython.exceptval(check=False)
    def count_pieces(self, side: cython.int) -> cython.void:
        """Count what stands at the root, where `side` is to move."""
        square: cython.int
        number: cython.int
        self.side[0] = side
        self.first[0] = 0
        self.reversible[0] = 0
        for number in range(2):
            self.men[number] = 0
            self.kings[number] = 0
        for square in range(self.squares):
            number = self.board[square]
            if number == 0:
                continue
            if (number - 1) & 1:
                self.kings[(number - 1) >> 1] += 1
            else:
                self.men[(number - 1) >> 1] += 1
        self.on_road[0] = self.roads(0)

    @cython.cfunc
    @cython.exceptval(check=False)
    def begin_counters(self) -> cython.void:
        """Let the draw rules begin to count at the root."""
        rule: cython.int
        count: cython.int
        self.calm[0] = False
        for rule in range(self.counters):
            count = 0 if self.applies(rule, 0) else -1
            self.counted[2 * rule] = count
            self.counted[2 * rule + 1] = count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def roads(self, ply: cython.int) -> cython.int:
        """Which sides have a piece on the main road: 1 White, 2 Black, 3 both."""
        place: cython.int
        number: cython.int
        found: cython.int = 0
        for place in range(self.road_squares):
            number = self.board[ply * MOST_SQUARES + self.road[place]]
            if number:
                found |= 1 << ((number - 1) >> 1)
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def measure(self, ply: cython.int) -> cython.void:
        """Write `feature`: each term of the side to move, the other side's taken off."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def to_root(self) -> cython.void:
        """Copy the position at ply 1 to ply 0."""
        square: cython.int
        for square in range(self.squares):
            self.board[square] = self.board[MOST_SQUARES + square]
        self.key[0] = self.key[1]
        self.side[0] = self.side[1]
        self.on_road[0] = self.on_road[1]
        self.reversible[0] = self.reversible[1]
        self.calm[0] = self.calm[1]
        for square in range(2):
            self.men[square] = self.men[2 + square]
            self.kings[square] = self.kings[2 + square]
        for square in range(2 * self.counters):
            self.counted[square] = self.counted[2 * MOST_COUNTERS + square]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def evaluate(self, ply: cython.int) -> cython.int:
        """The terms as weighed, in hundredths of a man for the side to move."""
        place: cython.int
        score: cython.int = 0
        self.measure(ply)
        for place in range(self.terms):
            score += self.weight[place] * self.feature[place]
        score = score >> 4 if score >= 0 else -(-score >> 4)
        if score > 20000:
            return 20000
        return score if score > -20000 else -20000

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leaves(self, ply: cython.int, depth: cython.int) -> cython.longlong:
        """The leaves `depth` plies on from `ply`; -1 where captures cannot be listed."""
        move: cython.int
        below: cython.longlong
        total: cython.longlong = 0
        count: cython.int = self.moves(ply)
        if count < 0:
            return -1
        if depth == 1 and not self.counts_orders:
            return count
        for move in range(self.first[ply], self.first[ply] + count):
            below = 1
            if depth > 1:
                self.make(ply, move)
                below = self.leaves(ply + 1, depth - 1)
                if below < 0:
                    return -1
            total += below * self.orders[move] if self.counts_orders else below
        return total
