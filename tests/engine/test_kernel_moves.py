"""The kernel's generator of the capture games against the readable rules, against counts of others, against itself."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import TooManyCapturesError
from engine.fen import read_fen, write_fen
from engine.game import Game
from engine.kernel import moves, wide_moves
from engine.kernel.counting import counting_tree
from engine.kernel.tables import tables_for
from engine.kernel.tree import TOO_MANY
from engine.perft import perft
from engine.position import BLACK_KING, BLACK_MAN, WHITE_KING, WHITE_MAN, KingRun, Position, Side, Trail
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset, read_ruleset, variant_names
from tests.data_files import needs_shared
from tests.engine.boards import VARIANTS
from tests.engine.interpreted import interpreted
from tests.engine.made_up import house_rules, tries
from tests.engine.random_positions import few, played, scattered
from tests.engine.test_perft import (
    HOUSE_RULES,
    ORDERS_BEYOND_LISTING,
    _games,
    _own_rows,
    _published_ruleset,
    _published_sets,
    _reference,
)

LEAVES = 10_000_000
"""Counts of more leaves are left to a longer run: about a tenth of a second."""

MOST_LEAVES = 20_000_000_000
"""The ordered counts of 15 and more plies of English draughts, up to 7 * 10^13, are beyond a longer run."""

MANY = 20_000
"""Positions of each of the 47 rule sets: a million in all, with those of made-up rules."""

LISTED = 12_000
"""So many moves of a position fit into the kernel's buffer; the readable rules list more."""

CAPTURE_GAMES = tuple(
    name
    for name in variant_names()
    if load_ruleset(name).family == "capture" and load_ruleset(name).prisoners == "none"
)
tree_py, moves_py = interpreted("tree", "moves")


@cache
def tree_of(ruleset: Ruleset, every_order: bool = False):
    return counting_tree(ruleset, every_order)


# Counts of other programs


def _count(tree, fen: str, depth: int) -> int | None:
    """The leaves; None where a position has more orders of capture than the buffer of moves."""
    try:
        return tree.perft(depth)
    except TooManyCapturesError:
        assert fen in ORDERS_BEYOND_LISTING
        return None


def _counted(game: str, least: int, most: int) -> int:
    """Compares all counts with more than `least` and at most `most` leaves; how many there were."""
    ruleset = load_ruleset(HOUSE_RULES.get(game, game))
    compared = 0
    for (fen, depth), counts in _reference()[game].items():
        start = rules_for(ruleset).start()
        position = start if fen.startswith("initial") else read_fen(fen, ruleset, by_rows=True)
        trail = rules_for(ruleset).opened(position).trail if game.endswith("king limit") else None
        position = replace(position, trail=trail)
        for convention, leaves in counts.items():
            if convention in ("unique", "ordered") and least < leaves <= most:
                tree = tree_of(ruleset, convention == "ordered")
                tree.set(position)
                assert _count(tree, fen, depth) in (leaves, None), (game, fen, depth, convention)
                compared += 1
    return compared


def _capture_games():
    return [game for game in _games() if not isinstance(game, str) or HOUSE_RULES.get(game, game) in CAPTURE_GAMES]


@needs_shared("rules/perft.json")
@pytest.mark.parametrize("game", _capture_games())
def test_counts_agree_with_the_reference_table(game):
    assert _counted(game, 0, LEAVES) >= 5


@pytest.mark.soak
@pytest.mark.timeout(7200)
@needs_shared("rules/perft.json")
@pytest.mark.parametrize("game", _capture_games())
def test_large_counts_agree_with_the_reference_table(game):
    _counted(game, LEAVES, MOST_LEAVES)


@needs_shared("problems/perft-positions.json")
@pytest.mark.parametrize("row", [pytest.param(*row.values, id=row.id, marks=row.marks) for row in _published_sets()])
def test_counts_agree_with_the_published_tables(row):
    ruleset = _published_ruleset(row)
    if tables_for(ruleset).width > 128:
        pytest.skip("a board of more than 128 bits")
    start = rules_for(ruleset).start()
    position = start if row["fen"] == "initial" else read_fen(row["fen"], ruleset, by_rows=True)
    for convention, every_order in (("drop_duplicates", False), ("keep_duplicates", True)):
        tree = tree_of(ruleset, every_order)
        tree.set(replace(position, trail=None))
        for depth, leaves in enumerate(row["leafs"].get(convention, ()), 1):
            if leaves > LEAVES:
                break
            assert tree.perft(depth) == leaves, (convention, depth)


@pytest.mark.portable
@pytest.mark.parametrize("variant", CAPTURE_GAMES)
def test_counts_agree_with_the_table_of_this_repository(variant):
    ruleset = load_ruleset(variant)
    for text, depth, nodes, ordered in (row[1:] for row in _own_rows() if row[0] == variant):
        fen = text.removeprefix("opened ")
        position = read_fen(fen, ruleset, by_rows=True)
        if fen != text:
            position = rules_for(ruleset).opened(position)
        for count, every_order in ((nodes, False), (ordered, True)):
            tree = tree_of(ruleset, every_order)
            tree.set(position)
            assert _count(tree, fen, depth) in (count, None), (fen, depth, every_order)


@pytest.mark.parametrize("variant", [variant for variant in VARIANTS if variant in CAPTURE_GAMES])
def test_the_last_ply_counted_is_the_last_ply_played(variant):
    tree = tree_of(load_ruleset(variant))
    tree.set(rules_for(load_ruleset(variant)).start())
    assert tree.perft(5) == tree.perft(5, bulk=False) > 1000
    assert tree.perft(0) == 1


# Lists of moves of the readable rules


def agrees(tree, ruleset: Ruleset, position: Position) -> None:
    """Kernel and readable rules list the same moves, or one of them refuses to: the kernel beyond its buffer."""
    where = (ruleset.name, write_fen(position, ruleset), position.trail)
    tree.set(position)
    try:
        legal = rules_for(ruleset).legal_moves(position)
    except TooManyCapturesError:
        # The kernel comes to every place once, so it may still list what the readable rules refuse to follow.
        with suppress(TooManyCapturesError):
            assert tree.effects()
        return
    if len(legal) > LISTED and tree.moves_at() == TOO_MANY:
        return
    effects = tree.effects()
    assert sorted(effects) == sorted(move.effect for move in legal), where
    captures = [move.effect for move in legal if move.captured]
    assert tree.captures_at() == len(captures), where
    assert all(effect in captures for effect in effects[: len(captures)]) or tree.tables.capture == 2, where
    assert tree.can_capture_at() == bool(captures), where
    quiet = replace(position, turn=position.turn.other, trail=None)
    with suppress(TooManyCapturesError):
        other_side = [move for move in rules_for(ruleset).legal_moves(quiet) if move.captured]
        assert tree.threatened_at() == bool(other_side), where


def compare_lists(ruleset: Ruleset, chance: random.Random, count: int) -> int:
    """Compares the lists on positions of random games and on scattered ones; how many there were."""
    tree, rules, compared = tree_of(ruleset), rules_for(ruleset), 0
    while compared < count:
        for game in played(rules, chance):
            agrees(tree, ruleset, game.position)
            compared += 1
        for _ in range(60):
            agrees(tree, ruleset, rules.opened(scattered(ruleset, chance)))
            compared += 1
    return compared


@pytest.mark.parametrize("variant", CAPTURE_GAMES)
def test_lists_agree_with_the_readable_rules(variant):
    assert compare_lists(load_ruleset(variant), random.Random(f"lists {variant}"), 300) >= 300


@pytest.mark.parametrize("variant", CAPTURE_GAMES)
def test_lists_agree_when_every_place_is_followed_once(variant):
    """What is meant for positions with thousands of captures is right in any."""
    ruleset = load_ruleset(variant)
    tree, usual, chance = counting_tree(ruleset), counting_tree(ruleset), random.Random(f"places {variant}")
    tree.plain_jumps = 0
    for _ in range(150):
        agrees(tree, ruleset, rules_for(ruleset).opened(scattered(ruleset, chance)))
    for tree_set in (tree, usual):
        tree_set.set(rules_for(ruleset).start())
    assert tree.perft(6) == usual.perft(6)


LONG_CAPTURES = """
title = "House rules"
source = "agreement of the players"
columns = 11
rows = 11
corner = "all"
first_square = "bottom left"
notation = "algebraic"
men_rows = 4
first = "black"
man_moves = ["forward"]
man_captures = ["sideways", "forward diagonal", "backward", "backward diagonal"]
king_moves = ["forward", "backward"]
king_captures = ["sideways", "forward diagonal", "backward", "backward diagonal"]
king_range = "flying"
king_landing = "any"
capture = "obligatory"
precedence = [{precedence}]
man_may_capture_king = true
crowning = "passing"
removal = "now"
turn_back = true
"""
THIRTY_SEVEN = (
    "B:Wb1,d1,f1,h1,i1,Kj1,k1,a2,b2,c2,d2,Kg2,h2,i2,j2,Kk2,Kd3,e3,f3,Kg3,Kh3,Kj3,d4,Ke4,f4,h4,Kk4,a5,b5,d5,f5,Kg5,i5,"
    "j5,a6,e6,g6,Kh6,a7,Kb7,Kf7,g7,Kh7,a8,b8,c8,d8,e8,Kf8,g8,i8,k8,Kb9,d9,e9,g9,Kj9,Kk9,Ka10,b10,Kc10,f10,Kg10,Kh10,"
    "i10,k10,Kc11,Ke11,Kh11,Kj11:BKf2,i3,c6,d6,c7,Ki7,j7,h8,i9,f11"
)


@pytest.mark.parametrize("first", ["most pieces", "with a king"])
def test_kings_first_counts_as_far_as_captures_go(first):
    """Captures of 37 pieces differ in the last kings they take."""
    order = ", ".join(f'"{rule}"' for rule in (first, "kings first"))
    ruleset = read_ruleset(LONG_CAPTURES.format(precedence=order), "house")
    agrees(counting_tree(ruleset), ruleset, read_fen(THIRTY_SEVEN, ruleset))


@tries(60)
@given(made_up=house_rules(), seed=st.integers(0, 1 << 30))
def test_lists_agree_in_made_up_rules(made_up, seed):
    ruleset = made_up.ruleset
    if ruleset.prisoners == "none" and tables_for(ruleset).width <= 128:
        assert compare_lists(ruleset, random.Random(seed), 100) >= 100
        tree = counting_tree(ruleset)
        tree.plain_jumps = 0
        for _ in range(20):
            agrees(tree, ruleset, rules_for(ruleset).opened(scattered(ruleset, random.Random(seed))))


@tries(40)
@given(made_up=house_rules(), seed=st.integers(0, 1 << 30))
def test_counts_agree_in_made_up_rules(made_up, seed):
    """Perft counts captures of men without listing them where it can; in any rules it must come to the same."""
    ruleset = made_up.ruleset
    if ruleset.prisoners != "none" or tables_for(ruleset).width > 128:
        return
    rules, chance = rules_for(ruleset), random.Random(seed)
    trees = tree_of(ruleset), tree_of(ruleset, True)
    *_, game = played(rules, chance, most_plies=chance.randrange(1, 40))
    for position in (rules.start(), game.position, rules.opened(few(ruleset, chance))):
        with suppress(TooManyCapturesError):
            expected = perft(rules, position, 2)
            for tree, leaves in zip(trees, (expected.nodes, expected.ordered), strict=True):
                tree.set(position)
                assert leaves in (tree.perft(2), None), (write_fen(position, ruleset), seed)
                assert tree.perft(2) == tree.perft(2, bulk=False)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("variant", CAPTURE_GAMES)
def test_many_lists_agree_with_the_readable_rules(variant):
    assert compare_lists(load_ruleset(variant), random.Random(f"many lists {variant}"), MANY) >= MANY


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_many_lists_agree_in_made_up_rules():
    """200 rule sets, 300 positions each: a thousand ways to capture take the readable rules half a second."""
    compared: list[int] = []

    @tries(1000)
    @given(made_up=house_rules(), seed=st.integers(0, 1 << 30))
    def compare(made_up, seed):
        ruleset = made_up.ruleset
        if len(compared) < 200 and ruleset.prisoners == "none" and tables_for(ruleset).width <= 128:
            compared.append(compare_lists(ruleset, random.Random(seed), 300))

    compare()
    assert len(compared) == 200
    assert sum(compared) >= 60_000


# Games: what is carried along is what a fresh look says


@pytest.mark.parametrize("variant", CAPTURE_GAMES)
def test_what_is_carried_along_is_what_a_fresh_look_says(variant):
    ruleset, chance = load_ruleset(variant), random.Random(f"carried {variant}")
    tree, fresh = counting_tree(ruleset), counting_tree(ruleset)
    for start in (None, None, rules_for(ruleset).opened(few(ruleset, chance))):
        for game in played(rules_for(ruleset), chance, start):
            if game.moves:
                tree.play(tree.effects().index(game.moves[-1].effect))
            else:
                tree.set(game.position)
            fresh.set(game.position)
            assert tree.boards() == fresh.boards()
            assert tree.key_at() == fresh.key_at()
            assert tree.material_at() == fresh.material_at()
            assert sorted(tree.effects()) == sorted(fresh.effects())
            assert tree.position().diagram == game.position.diagram


@pytest.mark.parametrize("variant", CAPTURE_GAMES)
def test_draw_rules_count_as_the_games_own_record(variant):
    ruleset = load_ruleset(variant)
    ruleset = replace(ruleset, draws=tuple(rule for rule in ruleset.draws if not rule.times))
    chance, games, ended = random.Random(f"draws {variant}"), 0, 0
    tree = counting_tree(ruleset)
    while games < 12 or (games < 100 and not ended and ruleset.draws):
        start = few(ruleset, chance) if games else None
        games += 1
        for game in played(rules_for(ruleset), chance, start, 150, keeps_kings=True):
            if game.moves:
                tree.play(tree.effects().index(game.moves[-1].effect))
            else:
                tree.set(game.position)
            assert _counts(tree, ruleset) == _expected_counts(game), write_fen(game.position, ruleset)
            outcome = game.draw(claimed=True)
            winner = {None: 1, Side.WHITE: 2, Side.BLACK: 3}
            assert tree.drawn_at() == (winner[outcome.winner] if outcome else 0), write_fen(game.position, ruleset)
            if outcome is not None:
                ended += 1
                break
    assert bool(ended) == bool(ruleset.draws)


def _counts(tree, ruleset):
    """How far each draw rule has counted, as the tree has it."""
    counts = [
        None if white < 0 else max(white, black) if rule.counts == "stronger" else min(white, black)
        for rule, (white, black) in zip(ruleset.draws, tree.counts_at(), strict=True)
    ]
    return [
        None if rule.no_capture and tree.can_capture_at() else count
        for rule, count in zip(ruleset.draws, counts, strict=True)
    ]


def _expected_counts(game: Game):
    counted = {id(counter.rule): counter.count for counter in game.counters()}
    return [counted.get(id(rule)) for rule in game.ruleset.draws]


# Keys


@pytest.mark.parametrize("variant", ["international", "frisian", "russian-huff", "turkish", "canadian"])
def test_keys_differ_where_the_legal_moves_may_differ(variant):
    ruleset, chance = load_ruleset(variant), random.Random(f"keys {variant}")
    tree, keys = counting_tree(ruleset), {}
    positions = [game.position for _ in range(6) for game in played(rules_for(ruleset), chance)]
    positions += [scattered(ruleset, chance) for _ in range(500)]
    for position in positions:
        for turn in Side:
            turned = replace(position, turn=turn)
            tree.set(turned)
            meant = (turned.diagram, _remembered(turned), tree.huffable_at())
            assert keys.setdefault(tree.key_at(), meant) == meant
    assert len(keys) > 1000


def _remembered(position: Position):
    runs = position.trail and position.trail.king_runs
    return tuple((run.square, run.moves) for run in runs if run.moves) if runs else ()


def test_a_run_of_king_moves_is_in_the_key_by_its_length_and_its_king():
    ruleset = load_ruleset("frisian")
    tree, keys = counting_tree(ruleset), set()
    position = read_fen("W:WK46,K47,31:BK5,K6,20", ruleset)
    runs = [KingRun(), *(KingRun(square, moves) for square in (45, 46) for moves in (1, 2, 3))]
    for white in runs:
        for black in (KingRun(), KingRun(4, 1), KingRun(5, 3)):
            tree.set(replace(position, trail=Trail((white, black))))
            keys.add(tree.key_at())
    assert len(keys) == 21
    # The reverse: beyond the limit more moves make no difference.
    tree.set(replace(position, trail=Trail((KingRun(45, 3), KingRun()))))
    at_limit = tree.key_at()
    tree.set(replace(position, trail=Trail((KingRun(45, 7), KingRun()))))
    assert tree.key_at() == at_limit


# One source, three programs


@pytest.mark.parametrize("variant", CAPTURE_GAMES)
def test_interpreted_and_compiled_are_one(variant):
    ruleset, chance = load_ruleset(variant), random.Random(f"interpreted {variant}")
    slow, fast = moves_py.Draughts(tables_for(ruleset)), counting_tree(ruleset)
    positions = [rules_for(ruleset).start(), *(rules_for(ruleset).opened(few(ruleset, chance)) for _ in range(2))]
    positions += [rules_for(ruleset).opened(scattered(ruleset, chance)) for _ in range(5)]
    for position in positions:
        slow.set(position)
        fast.set(position)
        assert slow.key_at() == fast.key_at()
        try:
            effects = slow.effects()
        except TooManyCapturesError:
            continue
        assert effects == fast.effects()
        codes = slow.code[: len(effects)]
        assert 0 not in codes
        assert len(set(codes)) == len(codes)
        for number in range(min(len(effects), 5)):
            slow.set(position)
            fast.set(position)
            slow.effects()
            fast.effects()
            slow.play(number)
            fast.play(number)
            assert slow.key_at() == fast.key_at()
            assert slow.counts_at() == fast.counts_at()
    slow.set(positions[0])
    fast.set(positions[0])
    assert slow.perft(3) == slow.perft(3, bulk=False) == fast.perft(3)


@pytest.mark.parametrize("variant", CAPTURE_GAMES)
def test_narrow_and_wide_are_one(variant):
    ruleset, chance = load_ruleset(variant), random.Random(f"wide {variant}")
    if tables_for(ruleset).width > 64:
        with pytest.raises(ValueError, match="expected at most 64"):
            moves.Draughts(tables_for(ruleset))
        return
    narrow, wide = moves.Draughts(tables_for(ruleset)), wide_moves.Draughts(tables_for(ruleset))
    start = rules_for(ruleset).start()
    for position in [start, *(rules_for(ruleset).opened(scattered(ruleset, chance)) for _ in range(20))]:
        narrow.set(position)
        wide.set(position)
        assert narrow.key_at() == wide.key_at()
        assert narrow.boards() == wide.boards()
        assert _listed(narrow) == _listed(wide)
    for tree in (narrow, wide):
        tree.set(start)
    assert narrow.perft(6) == wide.perft(6)


def _listed(tree):
    try:
        return tree.effects()
    except TooManyCapturesError:
        return None


# The edges


@pytest.mark.parametrize("variant", CAPTURE_GAMES)
def test_any_position_can_be_set(variant):
    """Men where they are crowned, full boards, empty ones, one side alone: never a crash, and what is set stands."""
    ruleset, chance = load_ruleset(variant), random.Random(f"any {variant}")
    squares = len(ruleset.geometry)
    pieces = (WHITE_MAN, WHITE_KING, BLACK_MAN, BLACK_KING)
    boards = [(piece,) * squares for piece in pieces]
    boards += [tuple(chance.choice((*pieces, *[1] * share)) for _ in range(squares)) for share in (0, 1, 4, 40)]
    tree = counting_tree(ruleset)
    for contents in boards:
        for turn in Side:
            position = Position(tuple(map(type(WHITE_MAN), contents)), turn)
            tree.set(position)
            assert tree.position() == position
            try:
                legal = rules_for(ruleset).legal_moves(position)
            except TooManyCapturesError:
                continue
            assert sorted(tree.effects()) == sorted(move.effect for move in legal)
    with pytest.raises(ValueError, match="squares"):
        tree.set(Position((WHITE_MAN,) * (squares - 1), Side.WHITE))


ENDLESS = {
    "international": "W:WK50:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40",
    "russian": "W:WKa1:Bb2,b4,b6,d2,d4,d6,f2,f4,f6,g3,g5,g7,c5,e7",
    "canadian": "W:WK72:B8,9,10,11,12,20,21,22,23,24,32,33,34,35,36,44,45,46,47,48,56,57,58,59,60",
    "turkish": "W:WKa1:B" + ",".join(f"{column}{row}" for column in "bdfh" for row in (2, 4, 6)),
}
"""A king among loose pieces."""


REFUSED = {
    "turkish": "W:WK13,K36,K37:B3,10,15,17,19,21,23,24,27,30,31,33,39,42,43,45,46,48,51,55,60,63",
    "armenian": "W:WK26,K40:B2,4,9,11,13,15,18,20,23,25,28,30,31,37,39,42,43,44,45,46,47,49,53,56,60",
}
"""Kings among so many loose pieces that nobody lists their captures; squares by rows."""


@pytest.mark.parametrize("variant", REFUSED)
def test_captures_in_too_many_ways_are_refused(variant):
    ruleset = load_ruleset(variant)
    tree, position = counting_tree(ruleset), read_fen(REFUSED[variant], ruleset, by_rows=True)
    with pytest.raises(TooManyCapturesError):
        rules_for(ruleset).legal_moves(position)
    tree.set(position)
    assert tree.moves_at() == tree.captures_at() == TOO_MANY
    with pytest.raises(TooManyCapturesError):
        tree.effects()
    with pytest.raises(TooManyCapturesError):
        tree.perft(2)
    # What was begun leaves nothing behind.
    tree.set(rules_for(ruleset).start())
    assert sorted(tree.effects()) == sorted(move.effect for move in rules_for(ruleset).legal_moves(tree.position()))


@pytest.mark.parametrize("variant", ENDLESS)
def test_captures_in_thousands_of_ways_are_listed_or_refused_as_by_the_readable_rules(variant):
    ruleset = load_ruleset(variant)
    agrees(counting_tree(ruleset), ruleset, read_fen(ENDLESS[variant], ruleset))


@pytest.mark.parametrize("variant", CAPTURE_GAMES)
def test_a_board_full_of_loose_pieces_is_no_crash(variant):
    """Every second square in both directions held by an enemy: the most captures that a board can offer."""
    ruleset, chance = load_ruleset(variant), random.Random(f"loose {variant}")
    tree = counting_tree(ruleset)
    for number in range(12):
        contents = [1] * len(ruleset.geometry)
        for square, (column, row) in enumerate(ruleset.geometry.cells):
            if (column % 2, row % 2) == (number % 2, number // 2 % 2):
                contents[square] = BLACK_KING if number % 3 == 0 else BLACK_MAN
            elif chance.random() < 0.1:
                contents[square] = WHITE_KING
        agrees(tree, ruleset, Position(tuple(map(type(WHITE_MAN), contents)), Side.WHITE))


def test_moves_of_deep_plies_end_where_their_buffer_does():
    """The plies share one buffer of moves: a ply that begins near its end lists nothing and writes nothing beyond."""
    ruleset = load_ruleset("international")
    tree = counting_tree(ruleset)
    tree.set(rules_for(ruleset).start())
    counts = [tree.moves_from(place) for place in range(tree_py.MOST_MOVES - 200, tree_py.MOST_MOVES)]
    assert set(counts) == {9, TOO_MANY}
    assert counts == sorted(counts, reverse=True)


def test_perft_refuses_what_it_cannot_count():
    ruleset = load_ruleset("international")
    tree = counting_tree(ruleset)
    tree.set(rules_for(ruleset).start())
    for depth in (-1, 192):
        with pytest.raises(ValueError, match="depth"):
            tree.perft(depth)
