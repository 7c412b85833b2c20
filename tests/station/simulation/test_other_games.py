"""Hands at games that are not like the others: towers, huffing, corners."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from engine.position import EMPTY
from station.simulation.hands import PRESETS, take_back, wrong_reply

from .turns import game_turns, rules_of, sides, stands_after

GAMES = ("towers", "towers-keep-rank", "towers-second-jump", "russian-huff", "corners")


@cache
def turns_of(name):
    chance = Random(11)
    return [turn for _ in range(5) for turn in game_turns(rules_of(name), chance)]


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("name", GAMES)
def test_a_move_leaves_the_pieces_that_the_rules_leave_and_taken_back_those_before(name, preset):
    for seed, turn in enumerate(turns_of(name)):
        played = turn.play(PRESETS[preset], seed)
        board = stands_after(turn.position.contents, played.touches)
        assert played.world == tuple(board)
        assert sides(board) == sides(turn.position.after(turn.move).contents)
        undone = take_back(turn.position, turn.move, PRESETS[preset], Random(seed), 0, played.world)
        assert sides(stands_after(board, undone.touches)) == sides(turn.position.contents)


@pytest.mark.parametrize("name", GAMES)
def test_a_wrong_reply_is_put_right(name):
    for seed, turn in enumerate(turns_of(name)):
        after = sides(turn.position.after(turn.move).contents)
        wrong, mending = wrong_reply(
            turn.position, turn.move, turn.legal, turn.geometry, PRESETS["calm"], Random(seed), 0
        )
        board = stands_after(turn.position.contents, wrong)
        assert sides(stands_after(board, mending)) == after


def test_the_turns_hold_what_is_tested():
    """Towers of which something is left, towers jumped twice, pieces huffed."""
    uncovered = [
        square
        for turn in turns_of("towers")
        for square in turn.move.captured
        if turn.position.after(turn.move).contents[square] is not EMPTY
    ]
    assert len(uncovered) > 5
    assert any(len(set(turn.move.captured)) < len(turn.move.captured) for turn in turns_of("towers-second-jump"))
    assert any(turn.move.huffed for turn in turns_of("russian-huff"))
