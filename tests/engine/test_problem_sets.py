"""The problems are what they say, by the readable rules alone: shots with forced answers, which win something."""

from __future__ import annotations

import pytest

from engine.game import new_game
from engine.position import is_king, side_of
from engine.problem_sets import count, problem
from engine.ruleset import load_ruleset, variant_names

ALL = [(name, number) for name in variant_names() for number in range(1, count(name) + 1)]


def balance(position, side):
    pieces = [(side_of(piece), 3 if is_king(piece) else 1) for piece in position.contents if side_of(piece)]
    return sum(worth if owner is side else -worth for owner, worth in pieces)


def test_the_common_games_have_problems():
    with_problems = {"international", "russian", "english", "brazilian", "italian", "spanish", "turkish", "pool"}
    assert {name for name, _ in ALL} == with_problems
    assert all(count(name) >= 30 for name in with_problems)
    with pytest.raises(KeyError):
        problem("russian", count("russian") + 1)


@pytest.mark.parametrize("variant", sorted({name for name, _ in ALL}))
def test_an_offer_forced_answers_and_a_gain(variant):
    for number in range(1, count(variant) + 1):
        found = problem(variant, number)
        game = new_game(load_ruleset(variant), found.position)
        before = balance(game.position, found.solver)
        assert not any(move.captured for move in game.legal_moves), number
        for ply, move in enumerate(found.line):
            if ply % 2:
                assert {answer.effect for answer in game.legal_moves} == {move.effect}, (number, ply)
            assert any(legal.effect == move.effect for legal in game.legal_moves)
            game = game.play(move)
        assert len(found.line) % 2 == 1
        assert found.line[1].captured
        assert balance(game.position, found.solver) > before, number


def test_no_problem_comes_twice():
    fens = [problem(*one).fen for one in ALL]
    assert len(fens) == len(set(fens))
