"""Turns: the acts of each add up, and second thoughts and replies gone wrong are as frequent as the habits say."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from station.simulation.habits import PRESETS
from station.simulation.turns import Aim, turn_acts

from .turns import VARIANTS, game_turns, rules_of, sides, stands_after

CLEAN = PRESETS["clean"]


def turns(count=400):
    found = []
    for seed, name in enumerate(VARIANTS * 10):
        found += [(rules_of(name), turn) for turn in game_turns(rules_of(name), Random(seed))]
    return found[:count]


def acts_of(rules, turn, habits, seed, is_reply=False):
    return turn_acts(turn.position, turn.move, rules, turn.position.contents, habits, Random(seed), 5000, is_reply)


@pytest.mark.parametrize("preset", list(PRESETS))
@pytest.mark.parametrize("is_reply", [False, True])
def test_whatever_is_done_the_board_ends_as_the_game_says(preset, is_reply):
    for seed, (rules, turn) in enumerate(turns()):
        acts = acts_of(rules, turn, PRESETS[preset], seed, is_reply)
        world = turn.position.contents
        for act in acts:
            world = stands_after(world, act.touches)
            assert tuple(world) == act.world
            assert act.touches[-1].at_ms == act.last_contact_ms
        assert acts[0].touches[0].at_ms == 5000
        assert all(one.last_contact_ms < other.touches[0].at_ms for one, other in pairwise(acts))
        assert sides(world) == sides(turn.position.after(turn.move).contents)
        assert (acts[-1].aim, acts[-1].move) == (Aim.MOVE, turn.move)


def test_a_regretted_move_is_another_legal_one_and_is_undone_before_the_right_one():
    regretted = 0
    for seed, (rules, turn) in enumerate(turns()):
        acts = acts_of(rules, turn, replace(CLEAN, regret=1.0), seed)
        if len(acts) == 1:
            continue
        regretted += 1
        first, undone, _ = acts
        assert [act.aim for act in acts] == [Aim.REGRETTED, Aim.UNDONE, Aim.MOVE]
        assert first.move.effect in {move.effect for move in turn.legal}
        assert first.move.effect != turn.move.effect
        assert sides(undone.world) == sides(turn.position.contents)
        assert 1500 <= undone.touches[0].at_ms - first.last_contact_ms <= 5000
        assert [act.troubled for act in acts] == [False, True, False]
    assert regretted > 300


def test_second_thoughts_and_wrong_replies_are_as_frequent_as_stated():
    habits = replace(CLEAN, regret=0.2, goes_wrong=0.3)
    many = turns(1500)
    free = [(rules, turn) for rules, turn in many if len(acts_of(rules, turn, replace(CLEAN, regret=1.0), 1)) > 1]
    regrets = sum(len(acts_of(rules, turn, habits, seed)) > 1 for seed, (rules, turn) in enumerate(free))
    wrong = sum(acts_of(rules, turn, habits, seed, True)[0].troubled for seed, (rules, turn) in enumerate(many))
    assert abs(regrets / len(free) - 0.2) < 0.05
    assert abs(wrong / len(many) - 0.3) < 0.05
