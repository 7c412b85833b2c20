"""The evaluation: kept up to date by moves, the same for both colours, and what the weights' file says."""

from __future__ import annotations

import json
import random
import zlib
from dataclasses import replace

import pytest

from engine.errors import RulesetError
from engine.features import CONTENTS, SCALARS, layout_of
from engine.kernel.trees import judged_tree
from engine.position import EMPTY, SIDES, Position
from engine.rules import rules_for
from engine.ruleset import load_ruleset, variant_names
from engine.weights import plain_weights, read_weights, trained, weights_for, write_weights
from tests.engine.boards import turned_position
from tests.engine.interpreted import interpreted

CAPTURE_GAMES = [
    name
    for name in variant_names()
    if load_ruleset(name).family == "capture" and load_ruleset(name).prisoners == "none"
]


def noise(ruleset, seed):
    chance = random.Random(seed)
    return [chance.randint(-3000, 3000) for _ in range(layout_of(ruleset).weights)]


def positions_of_a_game(ruleset, seed, plies=60):
    """Positions of a random game, through the tree that makes its moves."""
    chance = random.Random(seed)
    position = rules_for(ruleset).start()
    for _ in range(plies):
        moves = rules_for(ruleset).legal_moves(position)
        if not moves:
            return
        position = position.after(chance.choice(moves))
        yield Position(position.contents, position.turn)


@pytest.mark.parametrize("name", CAPTURE_GAMES)
def test_moves_keep_the_evaluation_up_to_date(name):
    ruleset = load_ruleset(name)
    numbers = noise(ruleset, 1)
    walking, fresh = judged_tree(ruleset, numbers), judged_tree(ruleset, numbers)
    chance = random.Random(name)
    walking.set(rules_for(ruleset).start())
    seen = set()
    for _ in range(80):
        moves = walking.effects()
        if not moves:
            break
        number = chance.randrange(len(moves))
        after = walking.worth_after(number)
        walking.play(number)
        fresh.set(walking.position())
        assert walking.worth() == fresh.worth() == after, walking.position()
        seen.add(walking.worth())
    assert len(seen) > 10


@pytest.mark.parametrize("name", CAPTURE_GAMES)
def test_both_colours_see_the_same(name):
    ruleset = load_ruleset(name)
    tree = judged_tree(ruleset, noise(ruleset, 2))
    for position in positions_of_a_game(ruleset, name):
        tree.set(position)
        worth = tree.worth()
        tree.set(turned_position(position, ruleset))
        assert tree.worth() == worth


@pytest.mark.parametrize("name", ["international", "russian", "turkish", "canadian"])
def test_a_pattern_counts_as_its_squares_say(name):
    """One table entry set: it counts for White where the squares hold it, against White where Black sees it so."""
    ruleset = load_ruleset(name)
    layout = layout_of(ruleset)
    for position in list(positions_of_a_game(ruleset, 5, 24))[::6]:
        for number, pattern in enumerate(layout.patterns):
            views = []
            for seen, (own, other) in (
                (pattern, ("white", "black")),
                ([layout.turned[s] for s in pattern], ("black", "white")),
            ):
                digits = []
                for square in seen:
                    piece = position.contents[square]
                    man = piece is not EMPTY and piece.name.endswith("MAN")
                    digits.append(0 if not man else 1 if SIDES[piece] == own else 2 if SIDES[piece] == other else 0)
                views.append(sum(digit * 3**place for place, digit in enumerate(digits)))
            numbers = [0] * layout.weights
            for phase in range(2):
                numbers[layout.tables + 2 * (number * CONTENTS + views[0]) + phase] = 5000
            expected = 500 * (1 - (views[1] == views[0]))
            tree = judged_tree(ruleset, numbers)
            tree.set(position)
            assert tree.worth() * (1 if position.turn == "white" else -1) == expected


def test_interpreted_as_compiled():
    ruleset = load_ruleset("russian")
    numbers = noise(ruleset, 3)
    (trees,) = interpreted("trees")
    slow = trees.judged_tree(ruleset, numbers)
    fast = judged_tree(ruleset, numbers)
    for position in positions_of_a_game(ruleset, 9):
        slow.set(position)
        fast.set(position)
        assert slow.worth() == fast.worth()
        assert slow.scalars_of() == fast.scalars_of()


def test_weights_are_read_as_written():
    numbers = tuple(noise(load_ruleset("english"), 4))
    learned = read_weights(write_weights("english", {"generation": 2}, numbers), "here")
    assert (learned.variant, learned.made, learned.numbers) == ("english", {"generation": 2}, numbers)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:30],
        lambda data: b"x" + data,
        lambda data: data.replace(b'"weights": ', b'"weights": 1'),
        lambda data: data[:40] + b"{" + data[41:],
    ],
)
def test_a_damaged_file_is_named(spoil):
    data = write_weights("english", {}, tuple(noise(load_ruleset("english"), 4)))
    with pytest.raises(RulesetError, match=r"somewhere\.weights"):
        read_weights(spoil(data), "somewhere.weights")


@pytest.mark.parametrize("name", trained())
def test_trained_weights_fit_their_rule_set(name):
    learned = weights_for(load_ruleset(name))
    assert learned.variant == name
    assert len(learned.numbers) == layout_of(load_ruleset(name)).weights
    assert learned.numbers != plain_weights(load_ruleset(name))


def test_a_house_rule_plays_with_its_nearest_relative():
    house = replace(load_ruleset("russian"), name="our club", base="russian", crowning="stop")
    assert weights_for(house).variant in ("russian", "")
    turned_goal = replace(house, goal="inverted")
    assert weights_for(turned_goal).variant != "russian"


def test_scalars_are_named():
    tree = judged_tree(load_ruleset("russian"), plain_weights(load_ruleset("russian")))
    tree.set(rules_for(load_ruleset("russian")).start())
    assert dict(zip(SCALARS, tree.scalars_of(), strict=True))["turn"] == 1


def test_the_head_of_a_file_can_be_read_by_people():
    data = write_weights("english", {"games": 5}, (1, 2, 3))
    _, head, body = data.split(b"\n", 2)
    assert json.loads(head) == {"variant": "english", "weights": 3, "games": 5}
    assert zlib.decompress(body) == b"\x01\x00\x02\x00\x03\x00"
