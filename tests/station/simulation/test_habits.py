"""Styles and slips come about as often, and take as long, as the habits say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.position import EMPTY, is_king
from station.simulation.habits import PRESETS, Crowning, Removal, Slip, Span, Style, clean, pick, someone
from station.simulation.hands import performances
from station.simulation.intent import neighbours

from .turns import VARIANTS, pool, random_moves, rules_of

CALM = PRESETS["calm"]
MOVES = 5000


@cache
def played(preset="calm"):
    """5,000 moves, half of them captures."""
    captures = [turn for turn in pool() if turn.move.is_capture]
    quiet = [turn for turn in pool() if not turn.move.is_capture]
    turns = [captures[i // 2 % len(captures)] if i % 2 else quiet[i // 2 % len(quiet)] for i in range(MOVES)]
    return [(turn, turn.play(PRESETS[preset], seed)) for seed, turn in enumerate(turns)]


@cache
def game_performances():
    """The moves of random games of four variants, played calmly."""
    return [
        performance
        for name in VARIANTS
        for seed in range(15)
        for rules in [rules_of(name)]
        for moves in [random_moves(rules, Random(seed), 90)]
        for performance in performances(rules.start(), moves, rules, CALM, Random(seed))
    ]


def near(share, expected, count):
    """Within four deviations of a share drawn `count` times."""
    return abs(share - expected) <= 4 * (expected * (1 - expected) / count) ** 0.5


FIELDS = {
    Slip.HESITATION: "hesitation",
    Slip.BUMP: "bump",
    Slip.FORGOTTEN: "forgotten",
    Slip.WRONG_REMOVAL: "wrong_removal",
    Slip.ADJUST: "adjust",
    Slip.LOOK: "look",
}


def only(slip, **more):
    """Calm hands that make one kind of slip whenever they can."""
    return replace(PRESETS["clean"], **{FIELDS[slip]: 1.0}, **more)


def test_captures_are_made_in_the_stated_styles():
    styles = Counter(performance.style for turn, performance in played() if turn.move.is_capture)
    assert set(styles) == {style for style, _ in CALM.captures}
    for style, expected in CALM.captures:
        assert near(styles[style] / styles.total(), expected, styles.total()), style
    stated = {
        Style.HOPS: 0.42,
        Style.STRAIGHT: 0.33,
        Style.WHILE_HOPPING: 0.12,
        Style.CAPTURED_FIRST: 0.07,
        Style.TWO_HANDS: 0.06,
    }
    assert dict(CALM.captures) == stated


def test_removal_orders_and_crownings_all_occur_as_often_as_stated():
    removals = Counter(performance.removal for turn, performance in played() if turn.move.is_capture)
    assert set(removals) == set(Removal)
    for order, expected in CALM.removals:
        assert near(removals[order] / removals.total(), expected, removals.total()), order
    crownings = Counter(performance.crowning for turn, performance in played() if turn.move.promotes)
    assert set(crownings) == set(Crowning)
    for crowning, expected in CALM.crownings:
        assert near(crownings[crowning] / crownings.total(), expected, crownings.total()), crowning


def test_quiet_moves_slide_as_often_as_stated():
    for king, expected in ((True, CALM.king_slides), (False, CALM.man_slides)):
        slides = [
            performance.style is Style.SLID
            for turn, performance in played()
            if not turn.move.is_capture and is_king(turn.position.contents[turn.move.from_square]) is king
        ]
        assert near(sum(slides) / len(slides), expected, len(slides))


@pytest.mark.parametrize("slip", Slip)
@pytest.mark.parametrize("preset", ["calm", "real", "senior", "blitz", "child"])
def test_slips_are_as_frequent_as_stated_where_they_can_happen(slip, preset):
    stated = getattr(PRESETS[preset], FIELDS[slip])
    possible = sum(slip in turn.play(only(slip), seed).slips for seed, (turn, _) in enumerate(played())) / MOVES
    share = sum(slip in performance.slips for _, performance in played(preset)) / MOVES
    assert near(share, stated * possible, MOVES)


@pytest.mark.parametrize(
    ("slip", "low", "high"),
    [
        (Slip.HESITATION, 0.03, 0.07),
        (Slip.BUMP, 0.02, 0.04),
        (Slip.ADJUST, 0.02, 0.04),
        (Slip.LOOK, 0.02, 0.04),
        (Slip.FORGOTTEN, 0.003, 0.02),
        (Slip.WRONG_REMOVAL, 0.001, 0.01),
    ],
)
def test_slips_in_games_are_as_frequent_as_people_are_thought_to_make_them(slip, low, high):
    performed = game_performances()
    assert low <= sum(slip in performance.slips for performance in performed) / len(performed) <= high


@pytest.mark.parametrize("preset", ["calm", "real", "senior", "blitz", "child"])
def test_every_slip_occurs_and_at_most_once_a_move(preset):
    slips = Counter(slip for _, performance in played(preset) for slip in performance.slips)
    assert set(slips) == set(Slip)
    for _, performance in played(preset):
        assert len(set(performance.slips)) == len(performance.slips)


def test_clean_hands_never_slip():
    assert all(performance.slips == () for _, performance in played("clean"))
    assert PRESETS["clean"] == clean(CALM)


def test_blitz_is_faster_and_hesitates_less_and_seniors_take_longer():
    def middle(preset):
        lengths = sorted(performance.last_contact_ms for _, performance in played(preset))
        return lengths[MOVES // 2]

    assert middle("blitz") < middle("calm") < middle("senior")
    assert PRESETS["blitz"].hesitation < CALM.hesitation < PRESETS["senior"].hesitation


def test_the_next_touch_at_blitz_comes_70_to_700_ms_after_the_last_contact():
    performed = list(performances(*_short_game(), PRESETS["blitz"], Random(3)))
    gaps = [after.touches[0].at_ms - before.last_contact_ms for before, after in pairwise(performed)]
    assert len(gaps) > 50
    assert all(70 <= gap <= 700 for gap in gaps)
    assert min(gaps) < 120
    assert max(gaps) > 500


def _short_game():
    rules = rules_of("russian")
    return rules.start(), random_moves(rules, Random(3), 90), rules


def test_people_of_varied_habits_differ_and_those_of_calm_ones_do_not():
    chance = Random(11)
    people = [someone(PRESETS["real"], chance) for _ in range(400)]
    paces = sorted(person.pace for person in people)
    assert 0.9 < paces[200] < 1.1
    assert 0.5 <= paces[0] < 0.7
    assert 1.5 < paces[-1] <= 2.0
    assert len({max(person.captures, key=lambda choice: choice[1])[0] for person in people}) >= 3
    assert someone(CALM, chance) is CALM


def slipping(slip, **more):
    for seed, turn in enumerate(islice(pool(), 0, None, 3)):
        performance = turn.play(only(slip, **more), seed)
        assert set(performance.slips) <= {slip}
        if slip in performance.slips:
            yield turn, performance


def test_hesitation_parks_on_a_square_legal_or_on_the_way_for_0_3_to_1_5_s():
    found = 0
    for turn, performance in slipping(Slip.HESITATION, king_slides=0.0, man_slides=0.0, leg_slides=0.0):
        if turn.move.is_capture:
            continue
        found += 1
        lift, park, again, end = performance.touches[:4]
        legal = {move.to_square for move in turn.legal if move.from_square == turn.move.from_square}
        assert (lift.square, end.square) == (turn.move.from_square, turn.move.to_square)
        assert park.square in (legal | set(turn.geometry.between(lift.square, end.square))) - {end.square}
        assert park.square == again.square
        assert 300 <= again.at_ms - park.at_ms <= 1500
    assert found > 100


def test_a_hesitating_capture_may_look_like_another_legal_move():
    found = 0
    for turn, performance in slipping(Slip.HESITATION):
        others = {move.to_square for move in turn.legal if move.from_square == turn.move.from_square} - {
            *turn.move.path
        }
        puts = {touch.square for touch in performance.touches if touch.kind == "put"}
        found += turn.move.is_capture and bool(puts & others)
    assert found > 20


def test_a_bumped_neighbour_stands_again_within_0_3_to_2_s():
    strays = found = 0
    for turn, performance in slipping(Slip.BUMP):
        part = {turn.move.from_square, *turn.move.captured}
        bystanders = {square for square, piece in enumerate(turn.position.contents) if piece is not EMPTY} - part
        own = [touch for touch in performance.touches if touch.square in bystanders]
        off, back = own
        found += 1
        assert (off.kind, back.kind, off.square, off.piece) == ("take", "put", back.square, back.piece)
        assert 300 <= back.at_ms - off.at_ms <= 2000
        landings = {square for way in turn.ways for square in way.path}
        assert off.square in {
            near for square in landings | {turn.move.from_square} for near in neighbours(turn.geometry, square)
        }
        strays += any(touch.kind == "put" and touch.at_ms == off.at_ms for touch in performance.touches)
    assert found > 200
    assert 0.1 < strays / found < 0.5


def test_a_forgotten_piece_goes_last_after_2_5_to_6_s():
    found = 0
    for turn, performance in slipping(Slip.FORGOTTEN):
        found += 1
        last = performance.touches[-1]
        assert (last.kind, last.square in turn.move.captured) == ("take", True)
        assert 2500 <= last.at_ms - performance.touches[-2].at_ms <= 6000
    assert found > 100


@pytest.mark.parametrize("slip", [Slip.WRONG_REMOVAL, Slip.LOOK, Slip.ADJUST])
def test_a_piece_lifted_in_error_comes_back_to_its_square(slip):
    found = 0
    for turn, performance in slipping(slip):
        found += 1
        pairs = [
            (off, on)
            for off in performance.touches
            for on in performance.touches
            if (off.kind, on.kind, off.square, off.piece) == ("take", "put", on.square, on.piece)
            and on.at_ms > off.at_ms
        ]
        assert pairs
        if slip is Slip.LOOK:
            first, second = performance.touches[:2]
            assert first.square == second.square
            assert first.square in turn.position.pieces(turn.position.turn)
            assert first.square != turn.move.from_square
        if slip is Slip.WRONG_REMOVAL:
            enemies = set(turn.position.pieces(turn.position.turn.other)) - set(turn.move.captured)
            assert any(off.square in enemies for off, _ in pairs)
    assert found > 100


@settings(deadline=None)
@given(st.integers(1, 2000), st.integers(0, 5000), st.floats(0.1, 4.0), st.integers(0, 10**9))
def test_times_lie_within_their_stretched_bounds(low_ms, more_ms, pace, seed):
    span = Span(low_ms, low_ms + more_ms)
    drawn = span.draw(Random(seed), pace)
    assert round(low_ms * pace) <= drawn <= round((low_ms + more_ms) * pace)


def test_times_are_log_normal_about_the_geometric_mean():
    chance = Random(5)
    drawn = sorted(Span(250, 900).draw(chance) for _ in range(4001))
    assert abs(drawn[2000] - (250 * 900) ** 0.5) < 15


@settings(deadline=None)
@given(st.integers(0, 10**9))
def test_a_choice_of_no_weight_is_never_made(seed):
    assert pick((("never", 0.0), ("always", 2.0)), Random(seed)) == "always"
