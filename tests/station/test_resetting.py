"""Any board becomes a start position: pieces come home, kings are unstacked, what is missing is named."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.manipulations import Fetch, Remove
from station.handling.plans import Ask, Tool
from station.handling.resetting import plan_reset
from station.tracking.masks import masks_of_position

PIECES = (EMPTY, EMPTY, WHITE_MAN, BLACK_MAN, WHITE_KING, BLACK_KING)


def is_right(contents, target):
    """Kings serve as men where the set has no others: a person sees to their crowns."""
    return all((a is EMPTY) == (b is EMPTY) for a, b in zip(contents, target, strict=True))


@pytest.mark.parametrize("variant", ["international", "russian", "turkish"])
def test_c11_from_any_position_with_a_full_box(variant):
    ruleset = load_ruleset(variant)
    start = rules_for(ruleset).start()
    dice = Random(len(variant))
    for _ in range(15):
        stands = tuple(dice.choice(PIECES) for _ in start.contents)
        tray = (WHITE_MAN, BLACK_MAN) * 20 + (EMPTY,) * len(start.contents)
        plan = plan_reset(masks_of_position(stands), start, ruleset, tray, Tool())
        assert plan.is_whole
        assert is_right(plan.end, start.contents)
        assert all(one.after == other.before for one, other in pairwise(plan.steps))


def test_c11_after_a_game_the_captured_men_come_back_from_the_tray():
    ruleset = load_ruleset("russian")
    rules, dice = rules_for(ruleset), Random(3)
    position, captured = rules.start(), []
    for _ in range(50):
        moves = rules.legal_moves(position)
        if not moves:
            break
        move = dice.choice(moves)
        captured += [position.contents[square] for square in move.captured]
        position = position.after(move)
    tray = (*captured, *(EMPTY,) * (40 - len(captured)))
    plan = plan_reset(masks_of_position(position.contents), rules.start(), ruleset, tray, Tool())
    assert plan.is_whole
    assert is_right(plan.end, rules.start().contents)
    assert sum(isinstance(step.what, Fetch) for step in plan.steps) >= len(captured) - 2


def test_c11_pieces_that_are_nowhere_are_asked_for_by_square():
    ruleset = load_ruleset("russian")
    start = rules_for(ruleset).start()
    stands = (EMPTY, *start.contents[1:-1], EMPTY)
    plan = plan_reset(masks_of_position(stands), start, ruleset, (EMPTY,) * 4, Tool())
    (ask,) = [step.what for step in plan.steps if isinstance(step.what, Ask)]
    assert ask == Ask("by_hand", "piece", (0, len(stands) - 1))


def test_c11_kings_of_two_men_are_taken_apart():
    ruleset = load_ruleset("russian")
    start = rules_for(ruleset).start()
    middle = next(square for square, piece in enumerate(start.contents) if piece is EMPTY)
    stands = tuple(WHITE_KING if square == middle else piece for square, piece in enumerate(start.contents))
    plan = plan_reset(masks_of_position(stands), start, ruleset, (EMPTY,) * 4, Tool(crown="stack"), stands)
    assert [type(step.what) for step in plan.steps[:2]] == [Remove, Remove]
    assert plan.end == start.contents
