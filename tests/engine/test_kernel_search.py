"""The kernel's search: without pruning it is plain minimax; with it, it stays right about what is decided."""

from __future__ import annotations

import random
import threading
import time

import pytest

from engine.game import Game, new_game
from engine.kernel.hashing import Table
from engine.kernel.moves import Draughts
from engine.kernel.search import WIN, Search
from engine.kernel.tables import tables_for
from engine.kernel.thinking import deepen, is_proven, think
from engine.position import KINGS, MEN, Side
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from engine.search import evaluation_of
from tests.engine.boards import position_in, rules_of
from tests.engine.interpreted import interpreted

SIDES = (Side.WHITE, Side.BLACK)
tree_py, hashing_py, search_py, moves_py, thinking_py = interpreted("tree", "hashing", "search", "moves", "thinking")


class RulesTree(tree_py.Tree):
    """The readable rules as a tree: another generator and another evaluation than the kernel's, for the same search."""

    def __init__(self, ruleset):
        super().__init__(tables_for(ruleset))
        self.rules, self.value_of = rules_for(ruleset), evaluation_of(ruleset)
        self.positions = [None] * len(self.key)
        self.listed = [None] * len(self.code)
        self.numbers = {}
        self.random = random.Random(20260101)

    def set(self, position):
        self.settle(0, position)
        for rule in range(self.counters):
            begun = 0 if self.applies(rule, 0) else -1
            self.counted[2 * rule : 2 * rule + 2] = [begun, begun]

    def settle(self, ply, position):
        self.positions[ply] = position
        self.side[ply] = SIDES.index(position.turn)
        for number, side in enumerate(SIDES):
            self.men[2 * ply + number] = position.count(MEN[side])
            self.kings[2 * ply + number] = position.count(KINGS[side])
        self.key[ply] = self.number_of(position.diagram, 64)

    def number_of(self, thing, bits):
        if thing not in self.numbers:
            self.numbers[thing] = self.random.getrandbits(bits) or 1
        return self.numbers[thing]

    def list_moves(self, ply, moves):
        at = self.first[ply]
        for move in sorted(moves, key=lambda move: -len(move.captured)):
            self.listed[at] = move
            self.code[at] = self.number_of(move.effect, 32)
            self.taken[at], self.crowns[at] = len(move.captured), int(move.promotes)
            self.from_square[at], self.to_square[at] = move.from_square, move.to_square
            self.king_moves[at] = int(self.positions[ply].contents[move.from_square] in KINGS.values())
            at += 1
        self.first[ply + 1] = at
        return len(moves)

    def moves(self, ply):
        return self.list_moves(ply, self.rules.legal_moves(self.positions[ply]))

    def captures(self, ply):
        return self.list_moves(ply, [move for move in self.rules.legal_moves(self.positions[ply]) if move.captured])

    def make(self, ply, move):
        self.settle(ply + 1, self.positions[ply].after(self.listed[move]))
        quiet_king = self.king_moves[move] and not self.taken[move]
        self.reversible[ply + 1] = self.reversible[ply] + 1 if quiet_king else 0
        self.count_on(ply, move)

    def evaluate(self, ply):
        return self.value_of(self.positions[ply])

    def decided(self, ply):
        position = self.positions[ply]
        winner = self.rules.winner(position) if self.rules.ruleset.goal == "first king" else None
        return 0 if winner is None else 1 if winner is position.turn else -1


def plain(game, depth, value_of, ply=0):
    """Minimax after `depth` plies, captures played out; draw rules as the games' own record counts them."""
    rules, position = game.rules, game.position
    if game.ruleset.goal == "first king" and any(position.count(king) for king in KINGS.values()):
        return ply - WIN  # the other side has just crowned
    moves = rules.legal_moves(position)
    if ply and any(position.diagram == before.diagram for before in game.positions[:-1]):
        return 0
    captures = [move for move in moves if move.captured]
    if depth <= 0:
        if ply and game.draw(claimed=True):
            return 0
        if not position.pieces(position.turn):
            return WIN - ply if game.ruleset.goal == "inverted" else ply - WIN
        best = -WIN
        if len(captures) < len(moves) or not moves:
            best = value_of(position)
        moves = captures
    else:
        if not moves:
            return WIN - ply if game.ruleset.goal == "inverted" else ply - WIN
        if ply and game.draw(claimed=True):
            return 0
        best = -WIN
    for move in moves:
        after = Game(game.ruleset, (*game.positions, position.after(move)), (*game.moves, move))
        best = max(best, -plain(after, depth - 1, value_of, ply + 1))
    return best


def some_positions(variant, count, plies, seed):
    """Positions with a move after random moves, each with its game."""
    ruleset, chance = load_ruleset(variant), random.Random(seed)
    games = []
    while len(games) < count:
        game = Game(ruleset, (rules_for(ruleset).start(),))
        for _ in range(chance.randrange(plies)):
            if not game.legal_moves:
                break
            game = game.play(chance.choice(game.legal_moves))
        if game.legal_moves and game.outcome() is None:
            games.append(game)
    return games


def exact_search(tree, table=None, hashing=False):
    search = search_py.Search(tree, table or hashing_py.Table(1 << 16))
    search.exact()
    search.hashing = hashing
    return search


KINDS = ("international", "russian", "english", "italian", "giveaway-russian", "russian-optional", "breakthrough")

SHOT = (
    "W:W26,30,32,33,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,17,18,20,21,23"
)
"""32-28 gives a man that must take it, and takes three back."""

ENDINGS = (
    ("international", "W:WK6,28:BK45,12", 4),
    ("russian", "W:Wc3,Kh2:Ba5,Kg7", 4),
    ("english", "W:WK15,11:B3,4", 5),
    ("breakthrough", "W:W11,30:B40,41", 4),
    ("giveaway-russian", "W:Wc3,a1:Be5,h8", 5),
    ("russian-optional", "W:Wc3,e3:Bd4,f6,h8", 4),
)


@pytest.mark.parametrize("variant", KINDS)
def test_without_pruning_it_is_minimax(variant):
    for game in some_positions(variant, 4, 60, 7):
        for depth in (1, 2, 3 if len(game.legal_moves) < 8 else 2):
            assert exact_score(game, depth) == plain(game, depth, evaluation_of(game.ruleset)), (game.position, depth)


@pytest.mark.parametrize(("variant", "fen", "depth"), ENDINGS)
def test_without_pruning_it_is_minimax_where_games_end(variant, fen, depth):
    game = new_game(load_ruleset(variant), position_in(variant, fen))
    for plies in range(1, depth + 1):
        assert exact_score(game, plies) == plain(game, plies, evaluation_of(game.ruleset)), plies


def exact_score(game, depth, **options):
    tree = RulesTree(game.ruleset)
    tree.set(game.position)
    search = exact_search(tree, **options)
    search.begin()
    return search.iterate(depth).score


@pytest.mark.parametrize("variant", KINDS)
def test_the_table_changes_no_score(variant):
    for game in some_positions(variant, 4, 60, 8):
        with_table = exact_score(game, 3, hashing=True, table=hashing_py.Table(1 << 16))
        assert with_table == exact_score(game, 3), game.position


def test_the_table_is_used():
    tree = compiled_tree("international")
    counts = []
    for hashing in (True, False):
        search = Search(tree, Table(1 << 20))
        search.exact()
        search.hashing = hashing
        found = deepen(search, depth=6)
        counts.append((found.score, found.nodes > 0, found.hash_hits > 100))
    assert counts == [(0, True, True), (0, True, False)]


def compiled_tree(variant, fen=None):
    rules = rules_for(load_ruleset(variant))
    tree = Draughts(tables_for(rules.ruleset))
    tree.set(position_in(variant, fen) if fen else rules.start())
    return tree


def found_in(variant, fen, **bounds):
    tree = compiled_tree(variant, fen)
    return think(tree, Table(1 << 20), **bounds), tree


def test_a_forced_win_is_found_with_its_distance():
    found, _ = found_in("english", "W:W11,K15:B3", depth=12)
    assert found.score == WIN - 3
    assert is_proven(found)
    assert found.depth < 12
    assert len(found.line) == 3


def test_a_forced_win_stays_a_win_when_it_is_played_with_the_table_kept():
    tree, table = compiled_tree("english", "W:WK15,K18:BK8"), Table(1 << 20)
    search, scores = Search(tree, table), []
    while not scores or scores[-1] < WIN - 1:
        found = deepen(search, depth=24)
        scores.append(found.score)
        assert len(scores) <= 30, scores
        for _ in range(2):
            tree.effects()
            best = deepen(search, depth=24).best
            if best is None:
                break
            tree.effects()
            tree.play(best.index)
    assert scores[0] > WIN - 60
    assert scores == sorted(scores)


def test_a_lost_game_is_lost_as_late_as_possible():
    found, _ = found_in("english", "B:W11,K15:B3", depth=8)
    game = new_game(load_ruleset("english"), position_in("english", "B:W11,K15:B3"))
    assert found.score == plain(game, 8, lambda position: 0) < 0


def test_the_last_piece_is_captured():
    found, tree = found_in("russian", "W:Wc3:Bd4", depth=1)
    assert found.score == WIN - 1
    assert tree.effect(found.best.index)[2]


def test_no_move_left_wins_in_giveaway():
    found, _ = found_in("giveaway-russian", "W:Wc3:Be5,h8", depth=8)
    assert found.score > WIN - 10


def test_without_a_move_there_is_none():
    found, _ = found_in("english", "W:W32:B28,27,24,23,19", depth=5)
    assert found.best is None
    assert found.line == ()


class Weighed(moves_py.Draughts):
    """The kernel's generator with the readable evaluation."""

    def __init__(self, ruleset):
        super().__init__(tables_for(ruleset))
        self.value_of = evaluation_of(ruleset)

    def evaluate(self, ply):
        return self.value_of(self.position(ply))


def captures_after(game, move):
    return any(reply.captured for reply in game.rules.legal_moves(game.position.after(move)))


@pytest.mark.parametrize(
    ("variant", "fen"),
    [
        ("russian", "W:WKa3,Kc1,Kb8:BKh6"),
        ("international", "W:WK2,K3,K4:BK46"),
        ("english", "W:WK15,K18:BK1,K2"),
        ("brazilian", "W:WKc1,Kd8:BKh6,a5"),
    ],
)
def test_repetition_and_move_counts_are_those_of_the_record(variant, fen):
    ruleset, chance, compared, draws = load_ruleset(variant), random.Random(5), 0, 0
    for _ in range(12):
        game, tree, keys = new_game(ruleset, position_in(variant, fen)), Weighed(ruleset), []
        tree.set(game.position)
        for _ in range(chance.choice((6, 15, 30, 31))):
            keys.append(tree.key_at())
            safe = [move for move in game.legal_moves if not captures_after(game, move)]
            move = chance.choice(safe or game.legal_moves)
            number = tree.effects().index(move.effect)
            game = game.play(move)
            tree.play(number)
            if game.outcome(claimed=True) or not game.legal_moves:
                break
        if game.outcome(claimed=True):
            continue
        search = exact_search(tree)
        for depth in (1, 2):
            search.begin(keys)
            expected = plain(game, depth, tree.value_of)
            assert search.iterate(depth).score == expected
            compared += 1
            draws += expected == 0 != plain(new_game(ruleset, game.position), depth, tree.value_of)
    assert compared >= 6
    assert draws or variant != "international"  # 16 moves each: some of these games were about to end


def test_draw_counters_end_the_game_inside_the_search():
    # Three kings against one off the main road win in time unless the count is nearly over.
    ruleset = load_ruleset("russian")
    tree = RulesTree(ruleset)
    tree.set(position_in("russian", "W:WKa3,Kc1,Kb8:BKh6"))
    search = exact_search(tree)
    search.begin()
    won = search.iterate(2).score
    for rule in range(tree.counters):
        if tree.counted[2 * rule] >= 0:
            tree.counted[2 * rule] = tree.counted[2 * rule + 1] = tree.counter_limit[rule] - 1
    search.begin()
    assert won > 500
    assert search.iterate(2).score == 0
    search.begin()
    assert search.iterate(3).score == 0


class Told(RulesTree):
    """A tree whose endgame table has been told what positions of few pieces are: 1, 0, -1 for White."""

    def __init__(self, ruleset, most_pieces, told):
        super().__init__(ruleset)
        self.most_pieces, self.told = most_pieces, told

    def ending(self, ply):
        position = self.positions[ply]
        if sum(len(position.pieces(side)) for side in SIDES) > self.most_pieces:
            return 2
        white = self.told(position)
        return white if position.turn is Side.WHITE else -white


def told_search(fen, most_pieces, told, depth):
    tree = Told(load_ruleset("english"), most_pieces, told)
    tree.set(position_in("english", fen))
    search = search_py.Search(tree, hashing_py.Table(1 << 16))
    search.begin()
    return search.iterate(depth), tree


@pytest.mark.parametrize(("white", "score"), [(1, 20_000), (0, 0), (-1, -20_000)])
def test_what_an_endgame_table_says_is_believed(white, score):
    found, _ = told_search("W:W22,K32:B18,K1", 3, lambda position: white, 5)  # 22x15 is forced
    assert abs(found.score - score) < 100
    assert found.table_hits


def test_a_won_ending_is_not_given_away_and_gets_nearer_to_its_end():
    fen = "W:WK15,K18:BK8"
    start = position_in("english", fen)
    for drawn in (start.after(move) for move in rules_of("english").legal_moves(start)):
        found, tree = told_search(fen, 3, lambda position, drawn=drawn: int(position.diagram != drawn.diagram), 9)
        chosen = start.after(tree.listed[found.best.index])
        assert chosen != drawn
        assert found.score > 19_000
    found, _ = told_search(fen, 3, lambda position: 1, 9)
    assert found.score > WIN - 20  # not only won, as the table says, but how


@pytest.mark.parametrize("variant", ["international", "russian", "english", "giveaway-russian", "turkish"])
def test_interpreted_and_compiled_are_one(variant):
    ruleset = load_ruleset(variant)
    for game in some_positions(variant, 2, 60, 9):
        trees = Draughts(tables_for(ruleset)), moves_py.Draughts(tables_for(ruleset))
        for tree in trees:
            tree.set(game.position)
        fast = think(trees[0], Table(1 << 16), depth=4)
        slow = thinking_py.think(trees[1], hashing_py.Table(1 << 16), depth=4)
        assert repr(slow) == repr(fast)


def test_one_thread_and_a_node_limit_give_the_same_every_time():
    tree = compiled_tree("international")
    first, again = (think(tree, Table(1 << 20), nodes=30_000) for _ in range(2))
    assert first == again
    assert first.nodes == 30_000


def test_a_new_game_goes_as_the_first_one():
    tree, table = compiled_tree("russian"), Table(1 << 20)
    search = Search(tree, table)
    first = deepen(search, nodes=20_000)
    again = deepen(search, nodes=20_000)
    search.forget()
    table.clear()
    assert deepen(search, nodes=20_000) == first != again


def test_there_is_always_a_move():
    for nodes in (1, 2, 10):
        found, tree = found_in("international", None, nodes=nodes)
        assert found.best.index in range(len(tree.effects()))
        assert found.line[0] == found.best.code


def test_moves_can_be_left_out():
    ruleset = load_ruleset("international")
    tree = RulesTree(ruleset)
    tree.set(position_in("international", SHOT))
    search = exact_search(tree)
    search.begin()
    best = search.iterate(2).best
    search.begin(exclude=(best.code,))
    second = search.iterate(2)
    others = [tree.positions[0].after(tree.listed[move.index]) for move in second.moves]
    assert best.code not in {move.code for move in second.moves}
    assert second.score == max(-plain(new_game(ruleset, after), 1, tree.value_of) for after in others) < best.score
    search.begin(exclude=[best.code, *(move.code for move in second.moves)])
    assert search.iterate(2).best is None


def test_within_the_margin_every_score_is_exact():
    ruleset = load_ruleset("international")
    tree = RulesTree(ruleset)
    tree.set(rules_for(ruleset).start())
    search = exact_search(tree)
    search.begin(margin=WIN)
    found = search.iterate(3)
    assert len(found.moves) == 9
    for move in found.moves:
        after = new_game(ruleset, tree.positions[0].after(tree.listed[move.index]))
        assert (move.bound, move.score) == (0, -plain(after, 2, tree.value_of))


def test_a_stop_is_felt_within_ten_milliseconds():
    waits = []
    for _ in range(5):
        tree, table = compiled_tree("international"), Table(1 << 20)
        search = Search(tree, table)
        search.begin()
        ended = []

        def run(search=search, ended=ended):
            found = search.iterate(60)
            ended.append((time.perf_counter(), found))

        thread = threading.Thread(target=run)
        thread.start()
        time_to_work = threading.Event()
        time_to_work.wait(0.05)
        told = time.perf_counter()
        search.stop()
        thread.join(5)
        waits.append(ended[0][0] - told)
        found = ended[0][1]
        assert not found.complete
        assert found.best.index in range(len(tree.effects()))
    assert min(waits) < 0.01  # the machine may be busy with others


def test_threads_share_a_table_and_agree():
    fen = "W:W27,28,32,33,37,38,42:B8,9,12,13,18,19,23"
    alone = Search(compiled_tree("international", fen), Table(1 << 20))
    alone.exact()
    alone.begin()
    expected = alone.iterate(9)
    table, results = Table(1 << 12), {}

    def run(number):
        search = Search(compiled_tree("international", fen), table)
        search.exact()
        search.begin(helper=number > 0)
        for depth in range(1, 10):
            results[number] = search.iterate(depth)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    codes = {move.code for move in expected.moves}
    for found in results.values():
        assert found.score == expected.score
        assert {move.code for move in found.moves} == codes


@pytest.mark.parametrize("kind", [Table, hashing_py.Table], ids=["compiled", "interpreted"])
def test_the_table_keeps_what_is_worth_more(kind):
    table = kind(4096)
    keys = [number << 20 for number in range(1, 6)]  # one place in the table for all of them
    for depth, key in enumerate(keys[:4], 5):
        table.store(key, depth, -depth, depth, 3)
    table.store(keys[4], 99, 99, 20, 1)
    assert [bool(table.found(key)) for key in keys] == [False, True, True, True, True]
    table.store(keys[3], 1, 1, 2, 2)
    assert table.found(keys[3]) >> 48 & 255 == 8
    for _ in range(3):
        table.turn()
    table.store(keys[3], 0, 1, 2, 2)
    data = table.found(keys[3])
    assert data & 0xFFFFFFFF == 8
    assert ((data >> 32 & 0xFFFF) - 32768, data >> 48 & 255, data >> 56 & 3) == (1, 2, 2)
    table.clear()
    assert not any(table.found(key) for key in keys)


@pytest.mark.parametrize("kind", [Table, hashing_py.Table], ids=["compiled", "interpreted"])
def test_a_table_has_a_size(kind):
    assert kind(5_000_000).size == 1 << 22
    with pytest.raises(ValueError, match="expected at least 4096"):
        kind(100)
