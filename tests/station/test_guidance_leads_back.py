"""From any mess: who does one thing after another that sentence and lamps say, comes back to the game, and soon."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from engine.game import new_game
from engine.position import CONTENTS, EMPTY
from engine.ruleset import load_ruleset, variant_names
from station.announcements import fen_of
from station.guidance import AT_ONCE
from station.settings import BLITZ, CALM
from station.swept import SWEPT
from station.tracker import Untouched, differing, masks_of_position, masks_of_view

from .obeying import SILENT, Obedient
from .table import KINDS, Table, see

AT_MOST = 12
"""Pieces that are out of place."""
PLAYERS = ({}, {"black": "engine:1"}, {"white": "engine:1"})
UNDONE_MS = 6000
"""Longer than any time that passes before somebody is told what to do."""


def game_by_chance(variant, seed, plies):
    """A game that still goes on."""
    chance, game = Random(seed), new_game(load_ruleset(variant))
    while game.ply < plies and game.outcome() is None:
        game = game.play(chance.choice(game.legal_moves))
    return game if game.outcome() is None else game.back(1)


def displaced(stands, wanted):
    """How many pieces are not where they belong: squares without their piece, and pieces more than there should be."""
    missing = sum(1 for here, piece in zip(stands, wanted, strict=True) if piece is not EMPTY and here is not piece)
    surplus = Counter(stands) - Counter(wanted)
    return missing + sum(count for piece, count in surplus.items() if piece is not EMPTY)


class Mess(RuleBasedStateMachine):
    """A board at which people play, disturb the pieces, and then do what they are told."""

    variant = "russian"

    @initialize(
        seed=st.integers(0, 10**6),
        plies=st.integers(0, 50),
        kind=st.sampled_from(KINDS),
        players=st.sampled_from(PLAYERS),
        pace=st.sampled_from((CALM, BLITZ)),
    )
    def sit_down(self, seed, plies, kind, players, pace):
        game = game_by_chance(self.variant, seed, plies)
        fen = fen_of(game.position, game.ruleset)
        self.table = Table(self.variant, fen, kind=kind, pace=pace, **players)
        self.disturbed = 0
        self.taken = {}

    # --- play

    @property
    def game(self):
        return self.table.session.game

    @precondition(lambda self: self.disturbed == 0 and self.table.phase in {"Turn", "Waiting"})
    @rule(choice=st.integers(0, 100))
    def play(self, choice):
        """A move by hand, or by the player who is not at the board, whose reply is then shown."""
        moves = self.game.legal_moves
        move = moves[choice % len(moves)]
        if self.table.phase == "Waiting":
            self.table.choose_move(move)
            self.table.wait(1000)
            return
        self.table.touch(move.from_square, EMPTY)
        self.table.stand(self.game.position.after(move).contents)
        self.table.wait(UNDONE_MS)
        if self.table.guidance.key == "which":
            self.table.ask("choose", number=1)
        self.table.stand(self.game.position.contents)
        self.table.wait(UNDONE_MS)

    @precondition(lambda self: self.table.phase == "Over")
    @rule()
    def go_back_from_the_end(self):
        self.table.ask("take_back", plies=1)
        self.put_right()

    # --- disorder

    squares = st.integers(0, 1000)
    pauses = st.sampled_from((0, 0, 30, 400, 3000))

    def disturb(self, changes, pieces, pause):
        if self.disturbed + pieces <= AT_MOST:
            self.disturbed += pieces
            for square, piece in changes:
                self.table.stands[square] = piece
            self.taken = {}
            if pause:
                self.table.wait(pause)
                self.table.look()

    def two(self, one, other):
        size = len(self.table.stands)
        return one % size, other % size

    @precondition(lambda self: self.table.phase != "Over")
    @rule(one=squares, other=squares, pause=pauses)
    def a_piece_goes_elsewhere(self, one, other, pause):
        one, other = self.two(one, other)
        piece = self.table.stands[one]
        if piece is not EMPTY and self.table.stands[other] is EMPTY:
            self.disturb([(one, EMPTY), (other, piece)], 1, pause)

    @precondition(lambda self: self.table.phase != "Over")
    @rule(one=squares, pause=pauses)
    def a_piece_goes_off(self, one, pause):
        one, _ = self.two(one, one)
        piece = self.table.stands[one]
        if piece is not EMPTY:
            self.disturb([(one, EMPTY)], 1, pause)
            self.taken = {one: piece}

    @precondition(lambda self: self.table.phase != "Over")
    @rule(one=squares, piece=st.sampled_from(CONTENTS[1:]), pause=pauses)
    def a_piece_comes_from_the_box(self, one, piece, pause):
        one, _ = self.two(one, one)
        if self.table.stands[one] is EMPTY:
            self.disturb([(one, piece)], 1, pause)

    @precondition(lambda self: self.table.phase != "Over")
    @rule(one=squares, other=squares, pause=pauses)
    def two_pieces_change_places(self, one, other, pause):
        one, other = self.two(one, other)
        first, second = self.table.stands[one], self.table.stands[other]
        if EMPTY not in {first, second}:
            self.disturb([(one, second), (other, first)], 2, pause)

    @precondition(lambda self: self.table.phase != "Over")
    @rule(seed=squares, count=st.integers(2, AT_MOST))
    def pieces_are_shuffled(self, seed, count):
        """So many pieces at once go to any free squares, each other's included."""
        chance = Random(seed)
        standing = [square for square, piece in enumerate(self.table.stands) if piece is not EMPTY]
        moved = chance.sample(standing, min(count, len(standing)))
        free = [square for square, piece in enumerate(self.table.stands) if piece is EMPTY] + moved
        ends = chance.sample(free, len(moved))
        changes = [(square, EMPTY) for square in moved]
        changes += [(end, self.table.stands[start]) for start, end in zip(moved, ends, strict=True)]
        self.disturb(changes, len(moved), 30)

    # --- and order

    def is_in_order(self, before):
        """The game went on, was taken back, or its position stands again, as far as the sensor tells."""
        if self.game != before:
            return True
        seen = masks_of_view(see(self.table.stands, self.table.kind))
        agrees = not differing(masks_of_position(self.game.position.contents), seen)
        return agrees and isinstance(self.table.session.reading, Untouched)

    def wait_for_word(self, before):
        """How long it takes until hands are told what to do; 0 when there is nothing to be done."""
        waited = 0
        while not self.is_in_order(before) and self.table.guidance.key in SILENT and waited < 60_000:
            self.table.wait(50)
            waited += 50
        return waited

    @precondition(lambda self: self.disturbed)
    @rule()
    def obey(self):
        """At most one thing more than pieces are out of place, each said in time and only once, and it stays said."""
        table, before = self.table, self.game
        table.look()
        person = Obedient(table, list(self.game.position.contents), self.taken)
        budget = displaced(table.stands, self.game.position.contents) + 1
        pace = table.session.settings.pace
        said = []
        table.wait(pace.illegal)  # what was shown before the disorder is not what helps against it
        while True:
            swept = len(getattr(table.session.reading, "squares", ())) > SWEPT
            patience = pace.start_again if swept else max(pace.go_on, pace.forgot, pace.illegal)
            waited = self.wait_for_word(before)
            if self.is_in_order(before):
                break
            assert waited <= patience + 50
            shown = table.guidance
            assert shown.sentence
            assert len(shown.cues) <= AT_ONCE
            assert shown not in said, f"said twice: {said}"
            said.append(shown)
            assert len(said) <= budget, "\n".join(
                [fen_of(before.position, before.ruleset), *(it.sentence for it in said)]
            )
            person.obey()
        self.put_right()

    def put_right(self):
        """What no sensor can see is put right quietly; a move that was begun is not gone on with."""
        self.table.stand(self.game.position.contents)
        self.table.wait(UNDONE_MS)
        self.disturbed = 0


@pytest.mark.parametrize("variant", variant_names())
def test_obeying_leads_back_soon(variant):
    machine = type("Mess", (Mess,), {"variant": variant})
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=8, stateful_step_count=12, phases=(Phase.generate,), report_multiple_bugs=False),
    )


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("variant", variant_names())
def test_obeying_leads_back_soon_however_long_one_looks(variant):
    """Some 160 games in disorder in each rule set, other ones each time: half an hour of a core for all."""
    machine = type("Mess", (Mess,), {"variant": variant})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=160, stateful_step_count=30, derandomize=False, database=None)
    )
