"""However hands carry out a capture, it is that capture which is recorded: in any order, by any way, with any slip.

The matrix of orders: who goes first, how the piece travels, in which order captured pieces go off, what slips, how a
king is made, on which board. A run of the tests takes a sample in which every two choices meet; a soak takes a fifth
of all combinations in each rule set, another fifth in the next: all of them are met in ten rule sets or so.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations, product
from random import Random

import pytest

from engine.errors import TooManyCapturesError
from engine.fen import read_fen
from engine.position import is_king
from engine.rules import rules_for
from engine.ruleset import load_ruleset, variant_names
from station.runtime.boards import driver_class, misfit
from station.runtime.desk import Desk
from station.runtime.simulate import STATE_PERIOD_MS, TELLING_MS, Setup, Table, board_with, perform, settings_for
from station.runtime.witness import Witness
from station.session import begin
from station.simulation.habits import PRESETS, Crowning, Removal, Span, Style, clean
from station.texts import load_texts
from tests.data_files import needs_shared, shared_json

GAMES, POINTS = "problems/captures-from-games.json", "rules/positions.json"
pytestmark = needs_shared(GAMES, POINTS)

CLEAN = clean(PRESETS["calm"])
TRAVELS = {
    "mover first, hop": {"captures": ((Style.HOPS, 1),), "leg_slides": 0.0},
    "mover first, straight": {"captures": ((Style.STRAIGHT, 1),), "leg_slides": 0.0},
    "mover first, slide": {"captures": ((Style.HOPS, 1),), "leg_slides": 1.0},
    "captured first, hop": {"captures": ((Style.CAPTURED_FIRST, 1),), "hops_after_removal": 1.0, "leg_slides": 0.0},
    "captured first, straight": {"captures": ((Style.CAPTURED_FIRST, 1),), "hops_after_removal": 0.0},
    "captured first, slide": {"captures": ((Style.CAPTURED_FIRST, 1),), "hops_after_removal": 1.0, "leg_slides": 1.0},
    "while hopping": {"captures": ((Style.WHILE_HOPPING, 1),), "leg_slides": 0.0},
    "while sliding": {"captures": ((Style.WHILE_HOPPING, 1),), "leg_slides": 1.0},
    "two hands": {"captures": ((Style.TWO_HANDS, 1),), "leg_slides": 0.0},
}
REMOVALS = {
    "ascending": {"removals": ((Removal.ASCENDING, 1),)},
    "descending": {"removals": ((Removal.DESCENDING, 1),)},
    "random": {"removals": ((Removal.RANDOM, 1),)},
    "all at once": {"removals": ((Removal.AT_ONCE, 1),)},
    "after 10 s": {"removals": ((Removal.ASCENDING, 1),), "removal_gap": Span(10_000, 10_500)},
}
SLIPS = {
    "clean": {},
    "bump": {"bump": 1.0},
    "hesitation": {"hesitation": 1.0},
    "wrong removal": {"wrong_removal": 1.0},
    "forgotten": {"forgotten": 1.0},
}
CROWNS = {
    "nothing": {"crownings": ((Crowning.NOTHING, 1),)},
    "stack": {"crownings": ((Crowning.STACK, 1),)},
    "turn over": {"crownings": ((Crowning.TURN_OVER, 1),)},
    "replace": {"crownings": ((Crowning.REPLACE, 1),)},
    "replace first": {"crownings": ((Crowning.REPLACE, 1),), "crowns_before_removal": 1.0},
}
BOARDS = {
    "occupancy": Setup("matrix"),
    "colour": Setup("matrix", colour=True),
    "dgt": Setup("dgt"),
}
FACTORS = (TRAVELS, REMOVALS, SLIPS, CROWNS, BOARDS)
VARIANTS = tuple(name for name in variant_names() if load_ruleset(name).family != "race")
"""A race has no captures."""


MOST = 40
"""Positions of a rule set, at most."""

FIFTHS = 5
"""A soak takes one in so many combinations of choices in a rule set."""


@cache
def rows_of(variant):
    """(FEN, whether its squares are counted by rows) of positions with captures, from games and points of the rules."""
    points = [(row["fen"], True) for row in shared_json(POINTS)["positions"] if row["variant"] == variant]
    games = [(row["fen"], False) for row in shared_json(GAMES)["positions"] if row["variant"] == variant]
    return [*points, *games[: MOST - len(points)]]


def positions_of(ruleset):
    """The positions of a rule set, or of its base if there are none and the board is the same."""
    rows = rows_of(ruleset.name)
    if not rows and ruleset.base and load_ruleset(ruleset.base).geometry == ruleset.geometry:
        return positions_of(load_ruleset(ruleset.base))
    return [read_fen(fen, ruleset, by_rows) for fen, by_rows in rows]


@cache
def captures_of(variant):
    """(position, legal capture) of a variant, as many as the data gives; of games by chance where it gives none."""
    ruleset = load_ruleset(variant)
    rules = rules_for(ruleset)
    found = []
    for position in positions_of(ruleset) or positions_by_chance(rules):
        opened = rules.opened(position)
        try:
            legal = rules.legal_moves(opened)
        except TooManyCapturesError:
            continue
        found += [(opened, move) for move in legal if move.is_capture and not move.huffed]
    return found


def positions_by_chance(rules):
    chance, positions = Random(3), []
    for _ in range(10):
        position = rules.start()
        while len(positions) % 60 != 59 and rules.winner(position) is None:
            positions.append(position)
            position = position.after(chance.choice(rules.legal_moves(position)))
    return positions


def covering(*factors):
    """Choices, one of each factor, in which every two choices of two factors meet; greedily few."""
    places = range(len(factors))
    open_pairs = {
        ((one, first), (other, second))
        for one, other in combinations(places, 2)
        for first, second in product(factors[one], factors[other])
    }
    rows, chance = [], Random(1)
    while open_pairs:
        tries = [tuple(chance.choice(list(factor)) for factor in factors) for _ in range(60)]
        (one, first), (other, second) = min(open_pairs)
        tries = [
            tuple({one: first, other: second}.get(place, choice) for place, choice in enumerate(row)) for row in tries
        ]
        best = max(tries, key=lambda row: len(open_pairs & pairs_of(row)))
        open_pairs -= pairs_of(best)
        rows.append(best)
    return rows


def pairs_of(row):
    return set(combinations(enumerate(row), 2))


def fits(row, variant, capture):
    """Whether a capture shows in this way what is to be seen, on a board there is; men do not slide, they hop."""
    travel, _, _, crown, board = row
    position, move = capture
    can = move.promotes if crown != "nothing" else "slid" not in travel or is_king(position.contents[move.from_square])
    return can and not misfit(BOARDS[board].driver, load_ruleset(variant))


def record_of(variant, capture, row, seed):
    """What stands in the record after hands have carried out one capture, and answered what was asked of it."""
    travel, removal, slip, crown, board = row
    position, move = capture
    habits = replace(CLEAN, **{**TRAVELS[travel], **REMOVALS[removal], **SLIPS[slip], **CROWNS[crown]})
    ruleset, setup = load_ruleset(variant), BOARDS[board]
    desk = Desk(begin(settings_for(ruleset, setup, position), load_texts("en"), "boot"), None)
    driver = driver_class(setup.driver)(ruleset.geometry, rules_for(ruleset).start().contents)
    device = board_with(position, ruleset, setup, seed, STATE_PERIOD_MS)
    table = Table(device, driver, desk, Witness([move]))
    table.until_ready()
    perform(table, position, [move], ruleset, habits, Random(seed), None)
    if desk.session.alike:
        table.advance(table.now_ms + TELLING_MS)
    return [made.effect for made in desk.session.game.moves]


CASES = 204


@cache
def sample():
    """(variant, capture, choices): every two choices, spread over all rule sets, each of which comes four times."""
    rows, chance, cases = covering(*FACTORS), Random(2), []
    waiting = list(VARIANTS) * 4
    while waiting or len(cases) < len(rows):
        row = rows[len(cases) % len(rows)]
        for variant in (*waiting, *VARIANTS):
            fitting = [capture for capture in captures_of(variant) if fits(row, variant, capture)]
            if fitting:
                if variant in waiting:
                    waiting.remove(variant)
                cases.append((variant, chance.choice(fitting), row))
                break
    return cases


@pytest.mark.parametrize("number", range(CASES))
def test_a_capture_is_recorded_however_it_is_carried_out(number):
    variant, capture, row = sample()[number]
    assert record_of(variant, capture, row, number) == [capture[1].effect], (variant, capture, row)


def test_the_sample_has_every_two_choices_and_every_rule_set():
    assert len(sample()) == CASES
    met = set().union(*(pairs_of(row) for _, _, row in sample()))
    expected = sum(len(one) * len(other) for one, other in combinations(FACTORS, 2))
    assert len(met) == expected
    assert {variant for variant, *_ in sample()} == set(VARIANTS)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_order_of_hands(variant):
    """All of them in every rule set would take two hours and a half of a core; this takes half an hour."""
    chance = Random(variant)
    wrong = []
    for number, row in enumerate(product(*FACTORS)):
        if number % FIFTHS != VARIANTS.index(variant) % FIFTHS:
            continue
        fitting = [capture for capture in captures_of(variant) if fits(row, variant, capture)]
        if fitting:
            capture = chance.choice(fitting)
            if record_of(variant, capture, row, number) != [capture[1].effect]:
                wrong.append((row, capture, number))
    assert wrong == []


def test_a_piece_taken_off_by_mistake_does_not_make_another_capture_of_it():
    """K15 takes 20 and 19 by way of 24; for a second 25 lies beside the board too, as if it had gone by way of 35."""
    ruleset = load_ruleset("frysk")
    position = rules_for(ruleset).opened(read_fen("B:W19,K20,K25:BK15", ruleset))
    move = next(move for move in rules_for(ruleset).legal_moves(position) if {*move.captured} == {18, 19})
    row = ("mover first, hop", "all at once", "wrong removal", "nothing", "colour")
    for seed in range(271, 275):
        assert record_of("frysk", (position, move), row, seed) == [move.effect]


def test_a_piece_that_is_forgotten_does_not_make_another_capture_of_it():
    """K10 takes 6, 15 and 23 by way of 1; without 6 it would be the capture of two that goes another way."""
    ruleset = load_ruleset("thai")
    position = rules_for(ruleset).opened(read_fen("W:WK10:B6,15,23", ruleset))
    move = next(move for move in rules_for(ruleset).legal_moves(position) if len(move.captured) == 3)
    for travel in ("mover first, hop", "captured first, slide"):
        row = (travel, "all at once", "forgotten", "nothing", "occupancy")
        for seed in range(287, 290):
            assert record_of("thai", (position, move), row, seed) == [move.effect], (travel, seed)


FOUND = [
    # A hesitation on the square of a quiet move looks like that move, and what comes then as if it were huffed.
    ("russian-huff", "W:Wf6:Be7,b6", 12, ("mover first, hop", "random", "hesitation", "replace", "occupancy"), 189),
    # A piece is pushed while the mover is in the hand: it was not huffed, nobody saw it come down.
    ("russian-huff", "W:Wd6:Be7,c5", 2, ("mover first, straight", "all at once", "bump", "stack", "colour"), 619),
    # It rests where another capture lands that is not meant: three pieces tell the two apart, nothing waits.
    (
        "russian-huff",
        "W:Wd4:Bc7,c5,e5,g5",
        1,
        ("mover first, straight", "descending", "hesitation", "replace", "occupancy"),
        489,
    ),
    # It rests there while the pieces it takes have been beside the board for seconds: none is there by mistake.
    (
        "frysk",
        "B:W19,K20,K25:BK15",
        34,
        ("captured first, straight", "ascending", "hesitation", "nothing", "colour"),
        1531,
    ),
    # A king slides past squares on which captures end, and a piece is pushed to and fro: nobody moves so quickly.
    *(
        (
            "international-s004",
            "W:WK15,23,44,46:B1,2,12,13,16,K20,22,35",
            via,
            ("captured first, slide", removal, "bump", "nothing", "dgt"),
            number,
        )
        for removal, via, number in (("descending", 18, 1967), ("all at once", 18, 2117), ("after 10 s", 38, 2192))
    ),
    (
        "russian-majority",
        "W:We3:Bd4,f4,d2,f2",
        29,
        ("captured first, hop", "ascending", "bump", "nothing", "occupancy"),
        1140,
    ),
    (
        "towers-keep-rank",
        "W:Wd6:Be7,c5",
        16,
        ("captured first, hop", "all at once", "bump", "nothing", "occupancy"),
        1365,
    ),
    # A piece that is forgotten for seconds leaves a legal capture of the others, and may be in the other hand when it
    # is gone at last. No sensor tells that: people are asked, and answer.
    *(
        ("towers-emptied-free", "W:Wd6:Be7,c5", 2, (travel, removal, "forgotten", crown, board), number)
        for travel, removal, crown, board, number in (
            ("mover first, straight", "all at once", "replace first", "dgt", 674),
            ("captured first, hop", "after 10 s", "replace", "occupancy", 1494),
            ("captured first, straight", "descending", "replace", "occupancy", 1644),
            ("captured first, straight", "all at once", "stack", "colour", 1789),
        )
    ),
]
"""What a soak found to be read wrongly, or later than three seconds after the last contact: rule set, FEN, a square
that only the capture meant lands on (counted from 0), choices, seed."""


@pytest.mark.parametrize(("variant", "fen", "by_way_of", "row", "seed"), FOUND)
def test_what_a_soak_found(variant, fen, by_way_of, row, seed):
    rules = rules_for(load_ruleset(variant))
    position = rules.opened(read_fen(fen, rules.ruleset))
    meant = [move for move in rules.legal_moves(position) if by_way_of in move.path]
    move = meant[0] if len(meant) == 1 else next(move for move in meant if move.to_square in (7, 16))
    assert record_of(variant, (position, move), row, seed) == [move.effect]
