"""Thinker: the kernel's answers are the rules' moves; without it the readable search answers the same questions."""

from __future__ import annotations

import threading
import time
from random import Random

import pytest

from engine import thinking
from engine.game import Game, new_game
from engine.notation import read_square
from engine.position import Side, position_of
from engine.ruleset import load_ruleset, read_ruleset, variant_names
from engine.search import WIN, Iteration
from engine.thinking import HAS_KERNEL, Thinker, think
from tests.engine.boards import position_in
from tests.engine.random_positions import few
from tests.engine.test_endings import SMALL as SMALL_BOARD
from tests.engine.test_endings import computed

needs_kernel = pytest.mark.skipif(not HAS_KERNEL, reason="the kernel is not compiled here")
SMALL = 1 << 20
EVERY_KIND = ("international", "russian", "english", "italian", "turkish", "frisian", "canadian", "antidraughts")


def random_game(variant: str, plies: int, seed: int) -> Game:
    chance = Random(seed)
    game = new_game(load_ruleset(variant))
    for _ in range(plies):
        if not game.legal_moves:
            break
        game = game.play(chance.choice(game.legal_moves))
    return game


@pytest.fixture(params=[pytest.param(True, marks=needs_kernel), False], ids=["kernel", "readable"])
def kernel(request, monkeypatch):
    """The same tests with the kernel and without it."""
    monkeypatch.setattr(thinking, "HAS_KERNEL", request.param)
    return request.param


@needs_kernel
@pytest.mark.parametrize("variant", EVERY_KIND)
def test_the_kernel_plays_what_the_rules_allow_to_the_end(variant):
    thinker = Thinker(load_ruleset(variant), SMALL)
    assert thinker.uses_kernel
    game = random_game(variant, 4, 1)
    while game.outcome(claimed=True) is None and game.ply < 60:
        found = think(thinker, game, nodes=300)
        assert found.line[0] in game.legal_moves
        game = game.play(found.line[0])
    assert thinker.refusals == []


@pytest.mark.parametrize("variant", variant_names())
def test_every_rule_set_is_thought_about(variant):
    """By the kernel or by the readable search."""
    game = random_game(variant, 6, 2)
    thinker = Thinker(game.ruleset, SMALL)
    found = think(thinker, game, nodes=60, depth=3)
    assert found.line[0] in game.legal_moves
    assert thinker.refusals == []


@pytest.mark.parametrize("variant", EVERY_KIND)
def test_a_line_is_legal_to_its_end(kernel, variant):
    game = random_game(variant, 10, 3)
    found = think(Thinker(game.ruleset, SMALL), game, depth=4)
    assert len(found.line) >= 2
    for move in found.line:
        (same,) = [legal for legal in game.legal_moves if legal.effect == move.effect]
        game = game.play(same)


def test_a_win_and_its_distance_are_told_alike(kernel):
    game = new_game(load_ruleset("english"), position_in("english", "W:W11,K15:B3"))
    found = think(Thinker(game.ruleset, SMALL), game, depth=8)
    assert found.score == WIN - 3


def test_no_legal_move_is_no_answer(kernel):
    game = new_game(load_ruleset("international"), position_in("international", "W:W:B1"))
    thinker = Thinker(game.ruleset, SMALL)
    assert thinker.begin(game) == ()
    assert think(thinker, game) is None


def test_iterations_go_deeper_and_say_what_they_looked_at(kernel):
    heard: list[Iteration] = []
    game = new_game(load_ruleset("brazilian"))
    last = think(Thinker(game.ruleset, SMALL), game, depth=4, on_iteration=heard.append)
    assert [found.depth for found in heard] == [1, 2, 3, 4]
    assert [found.nodes for found in heard] == sorted(found.nodes for found in heard)
    assert heard[-1] == last
    assert dict(last.choices)[last.line[0]] == last.score


def test_the_number_of_positions_is_kept(kernel):
    game = new_game(load_ruleset("international"))
    found = think(Thinker(game.ruleset, SMALL), game, nodes=500)
    assert found.nodes <= 501
    assert found.line[0] in game.legal_moves


def test_going_back_to_an_earlier_position_is_a_draw(kernel):
    game = new_game(load_ruleset("english"), position_in("english", "W:WK1,K2:BK32"))
    step = game.legal_moves[0]
    game = game.play(step)
    reply = game.legal_moves[0]
    game = game.play(reply)
    game = game.play(reversed_move(step, game))
    home = reversed_move(reply, game)
    thinker = Thinker(game.ruleset, SMALL)
    thinker.begin(game)
    assert thinker.judge(home, 1) == 0
    others = [thinker.judge(move, 1) for move in game.legal_moves if move != home]
    assert all(score < -50 for score in others), "it is a king behind"


def reversed_move(move, game):
    (found,) = [m for m in game.legal_moves if m.effect[:2] == (move.to_square, move.from_square)]
    return found


def test_the_same_question_has_the_same_answer(kernel):
    answers = []
    for _ in range(2):
        thinker = Thinker(load_ruleset("russian"), SMALL)
        answers.append(think(thinker, random_game("russian", 8, 4), nodes=2_000))
    assert answers[0] == answers[1]


@needs_kernel
def test_what_is_forgotten_does_not_change_the_answer():
    game = random_game("russian", 8, 5)
    thinker = Thinker(game.ruleset, SMALL)
    first = think(thinker, game, nodes=5_000)
    think(thinker, random_game("russian", 20, 6), nodes=5_000)
    thinker.forget()
    assert think(thinker, game, nodes=5_000) == first


def test_a_game_that_goes_on_is_followed(kernel):
    game = new_game(load_ruleset("frisian"))
    thinker = Thinker(game.ruleset, SMALL)
    for _ in range(12):
        found = think(thinker, game, depth=1)
        game = game.play(found.line[0])
        fresh = Thinker(game.ruleset, SMALL)
        assert set(fresh.begin(game)) == set(thinker.begin(game)) == set(game.legal_moves)
    assert thinker.refusals == []


def test_stop_from_another_thread_ends_it(kernel):
    game = new_game(load_ruleset("international"))
    thinker = Thinker(game.ruleset, SMALL)
    timer = threading.Timer(0.2, thinker.stop)
    timer.start()
    started = time.monotonic()
    found = think(thinker, game)
    assert time.monotonic() - started < 3
    assert found.line[0] in game.legal_moves
    assert thinker.iterate(50).complete is False, "after a stop nothing is searched until the next begin"


@needs_kernel
def test_among_many_kings_it_begins_and_stops_at_once_as_well():
    squares = range(50)
    kings = position_of(50, Side.WHITE, white_kings=squares[30:], black_kings=squares[:20])
    game = new_game(load_ruleset("international"), kings)
    thinker = Thinker(game.ruleset, SMALL)
    assert len(game.legal_moves) > 1
    started = time.monotonic()
    thinker.begin(game)
    thinker.stop()
    found = thinker.iterate(1)
    assert time.monotonic() - started < 0.5, "a ply deep are nearly two million positions here"
    assert found.line[0] in game.legal_moves


@needs_kernel
def test_several_threads_search_one_position():
    game = new_game(load_ruleset("international"))
    thinker = Thinker(game.ruleset, SMALL, threads=3)
    thinker.begin(game)
    helpers = [threading.Thread(target=thinker.help, args=(number + 1,)) for number in range(thinker.helpers)]
    assert len(helpers) == 2
    for helper in helpers:
        helper.start()
    last = None
    for depth in range(1, 9):
        last = thinker.iterate(depth)
    thinker.stop()
    for helper in helpers:
        helper.join(timeout=5)
        assert not helper.is_alive()
    assert last.depth == 8
    assert last.line[0] in game.legal_moves
    alone = Thinker(game.ruleset, SMALL)
    assert last.nodes > think(alone, game, depth=1).nodes


@needs_kernel
@pytest.mark.parametrize(("plies", "reason"), [(0, "not the rules'"), (6, "cannot follow")])
def test_a_kernel_that_knows_other_moves_is_refused_and_the_readable_search_answers(plies, reason):
    game = random_game("russian", plies, 7)
    thinker = Thinker(game.ruleset, SMALL)
    honest = thinker._minds[0].tree

    class Liar:
        """A tree that knows no moves but one."""

        def __getattr__(self, name):
            return getattr(honest, name)

        def effects(self):
            return honest.effects()[-1:]

    thinker._minds[0].tree = Liar()
    found = think(thinker, game, depth=2)
    assert found.line[0] in game.legal_moves
    assert len(thinker.refusals) == 1
    assert reason in thinker.refusals[0]


def test_replies_that_are_not_seen_are_not_reckoned_with(kernel):
    ruleset = load_ruleset("russian")
    game = new_game(ruleset, position_in("russian", "W:Wd4,h2:Bf6,a7"))
    (offer,) = [move for move in game.legal_moves if move.to_square == read_square("e5", ruleset)]
    takes = {reply.effect for reply in game.rules.legal_moves(game.position.after(offer))}
    thinker = Thinker(ruleset, SMALL)
    thinker.begin(game)
    assert thinker.judge(offer, 1, unseen=takes) >= thinker.judge(offer, 1) + 60


def test_a_stopped_thinker_judges_nothing(kernel):
    game = new_game(load_ruleset("russian"))
    thinker = Thinker(game.ruleset, SMALL)
    legal = thinker.begin(game)
    thinker.stop()
    assert thinker.judge(legal[0], 2) is None


@needs_kernel
def test_won_endings_are_won_with_tables_against_the_best_defence():
    ruleset = read_ruleset(SMALL_BOARD, "small")
    tables, _ = computed(ruleset, 3)
    thinker = Thinker(ruleset, SMALL)
    thinker.use_endings(tables)
    chance, met = Random(8), 0
    while met < 25:
        game = new_game(ruleset, few(ruleset, chance))
        verdict = tables.verdict(game.position) if len(game.legal_moves) > 1 else None
        if verdict is None or verdict.value != 1 or verdict.plies < 4:
            continue
        met += 1
        winner = game.position.turn
        while game.outcome(claimed=True) is None:
            if game.position.turn is winner:
                found = think(thinker, game, nodes=200)
                move = thinker.by_endings(found).line[0]
            else:
                move = tables.moves(game.position)[0][0]
            game = game.play(move)
        assert game.outcome(claimed=True).winner is winner


@needs_kernel
def test_tables_are_looked_up_in_the_search():
    ruleset = read_ruleset(SMALL_BOARD, "small")
    tables, _ = computed(ruleset, 2)
    thinker = Thinker(ruleset, SMALL)
    game = new_game(ruleset, position_of(18, Side.WHITE, white_kings=[0, 1], black_kings=[12]))
    before = think(thinker, game, depth=4)
    thinker.use_endings(tables)
    assert think(thinker, game, depth=4).table_hits > before.table_hits == 0
