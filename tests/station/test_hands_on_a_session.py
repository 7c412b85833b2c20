"""Hands in any order, with slips and second thoughts, over perfect sensors: the record never loses the game."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.game import new_game
from engine.position import CROWNED, EMPTY
from engine.ruleset import load_ruleset
from station.settings import BLITZ, CALM

from .table import KINDS, Table

STILL_MS = 2500
"""Longer than any wait for a move or a takeback."""


class Hands(RuleBasedStateMachine):
    """Two people at one board. `game` is what they mean; between two actions their hands are off the board."""

    @initialize(
        variant=st.sampled_from(("english", "russian", "international", "brazilian")),
        kind=st.sampled_from(KINDS),
        pace=st.sampled_from((CALM, BLITZ)),
    )
    def sit_down(self, variant, kind, pace):
        self.table = Table(variant, kind=kind, pace=pace)
        self.game = new_game(load_ruleset(variant))
        self.uncertain = False

    def legal(self, choice):
        moves = self.game.legal_moves
        return moves[choice % len(moves)]

    def goes_on(self):
        return self.game.outcome() is None and bool(self.game.legal_moves)

    def touch(self, touches, pauses):
        for place, (square, piece) in enumerate(touches):
            self.table.touch(square, piece)
            self.table.wait(pauses[place % len(pauses)])

    def touches_of(self, move, order, crowned=True):
        """Lift, put down, captured pieces: in any order in which the piece is lifted before it is put down."""
        before = self.game.position
        piece = before.contents[move.from_square]
        put = CROWNED[piece] if move.promotes and crowned else piece
        if move.promotes and not crowned:
            put = self.table.stands[move.from_square]
        ways = [(move.from_square, EMPTY), (move.to_square, put), *((square, EMPTY) for square in move.captured)]
        order.shuffle(ways)
        lift, down = ways.index((move.from_square, EMPTY)), ways.index((move.to_square, put))
        if lift > down:
            ways[lift], ways[down] = ways[down], ways[lift]
        return ways

    pauses = st.lists(st.integers(0, 400), min_size=1, max_size=4)
    choices = st.integers(0, 100)
    order = st.randoms(use_true_random=False)

    @precondition(lambda self: self.goes_on())
    @rule(choice=choices, order=order, pauses=pauses)
    def move(self, choice, order, pauses):
        """A move by hand, in any order, then patience."""
        move = self.legal(choice)
        self.touch(self.touches_of(move, order), pauses)
        self.game = self.game.play(move)
        self.table.wait(STILL_MS)

    @precondition(lambda self: self.goes_on())
    @rule(choice=choices, order=order, wrong=choices, rest=st.integers(0, 300), pauses=pauses)
    def move_after_a_hesitation(self, choice, order, wrong, rest, pauses):
        """The piece rests on another of its squares first, then goes on to the one meant."""
        move = self.legal(choice)
        others = [other for other in self.game.legal_moves if other.from_square == move.from_square]
        other = others[wrong % len(others)]
        piece = self.table.stands[move.from_square]
        self.table.touch(move.from_square, EMPTY)
        if other.to_square not in {move.from_square, move.to_square}:
            self.table.touch(other.to_square, piece)
            self.table.wait(rest)
            self.table.touch(other.to_square, EMPTY)
        self.touch(self.touches_of(move, order)[0:0], pauses)
        put = self.game.position.after(move).contents[move.to_square]
        self.table.touch(move.to_square, put)
        for square in move.captured:
            self.table.touch(square, EMPTY)
        self.game = self.game.play(move)
        self.table.wait(STILL_MS)

    @rule(square=choices, pause=st.integers(0, 3000))
    def look(self, square, pause):
        """A piece is lifted and put back."""
        square %= len(self.table.stands)
        piece = self.table.stands[square]
        if piece is not EMPTY:
            self.table.touch(square, EMPTY)
            self.table.wait(pause)
            self.table.touch(square, piece)
            self.table.wait(200)

    @rule(square=choices, aside=choices, pause=st.integers(0, 400))
    def bump(self, square, aside, pause):
        """A piece is pushed to another square and put back before anybody could take it for a move."""
        square, aside = square % len(self.table.stands), aside % len(self.table.stands)
        piece = self.table.stands[square]
        mine = self.game.position.contents[square] in (self.game.position.contents[s] for s in self.movers())
        if piece is not EMPTY and self.table.stands[aside] is EMPTY and not mine:
            self.table.touch(square, EMPTY)
            self.table.touch(aside, piece)
            self.table.wait(pause)
            self.table.touch(aside, EMPTY)
            self.table.touch(square, piece)
            self.table.wait(STILL_MS)

    def movers(self):
        return self.game.position.pieces(self.game.position.turn)

    @precondition(lambda self: self.game.ply > 0)
    @rule(order=order)
    def take_back(self, order):
        """The last move is undone by hand, its squares in any order."""
        before, last = self.game.positions[-2], self.game.moves[-1]
        squares = [last.to_square, last.from_square, *last.captured]
        order.shuffle(squares)
        for square in dict.fromkeys(squares):
            self.table.touch(square, before.contents[square])
        self.game = self.game.back(1)
        self.table.wait(STILL_MS)

    @precondition(lambda self: self.game.ply > 0)
    @rule(request=st.booleans())
    def ask_for_a_takeback(self, request):
        if request:
            assert self.table.ask("take_back", plies=1) is None
        else:
            self.table.press("take_back")
        self.game = self.game.back(1)
        self.table.stand(self.game.position.contents)
        self.table.wait(STILL_MS)

    @rule()
    def pull_the_plug(self):
        self.table.lose()
        self.table.wait(1000)
        self.table.regain()
        self.table.wait(STILL_MS)

    @invariant()
    def the_record_is_what_they_meant(self):
        if hasattr(self, "table"):
            assert self.effects_of(self.table.session.game) == self.effects_of(self.game)
            assert self.table.session.game.position == self.game.position
            assert self.table.phase == ("Turn" if self.game.outcome() is None else "Over")

    @staticmethod
    def effects_of(game):
        return [move.effect for move in game.moves]


TestHands = Hands.TestCase
TestHands.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
