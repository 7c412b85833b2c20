"""Endgame tables: published values, agreement of values with those of their moves, files that are whole or refused."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine import endings
from engine.endings import EndingsError, EndingTables, Verdict
from engine.fen import read_fen
from engine.game import new_game
from engine.kernel import retrograde, wide_retrograde
from engine.kernel.hashing import Table
from engine.kernel.search import Search
from engine.kernel.tables import tables_for
from engine.kernel.thinking import deepen
from engine.kernel.trees import kernel_tree
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, KINGS, MEN, WHITE_KING, WHITE_MAN, Position, Side
from engine.rules import rules_for
from engine.ruleset import load_ruleset, read_ruleset
from tests.engine.boards import VARIANTS
from tests.engine.interpreted import interpreted
from tests.engine.made_up import house_rules, tries

FACTS = json.loads((Path(__file__).parents[1] / "data" / "endings.json").read_text(encoding="utf-8"))
WITH_TABLES = [name for name in VARIANTS if not endings.refusal(load_ruleset(name))]
PIECES = (WHITE_MAN, WHITE_KING, BLACK_MAN, BLACK_KING)

SMALL = """
title = "Draughts on 6 x 6"
source = "agreement of the players"
columns = 6
rows = 6
corner = "left"
first_square = "top left"
men_rows = 2
man_captures = ["forward diagonal", "backward diagonal"]
"""


def computed(ruleset, pieces):
    """The tables of a rule set, by way of the contents of files, and those contents."""
    files, rules = {}, endings.fingerprint(ruleset)

    def known(which):
        return endings.read(files[endings.file_name(which)], rules)

    for step in endings.steps(ruleset, pieces):
        files |= endings.make(ruleset, step, known)
    return EndingTables(ruleset, [endings.read(content, rules) for content in files.values()]), files


@cache
def built_in(name, pieces):
    return computed(load_ruleset(name), pieces)


def scattered(ruleset, pieces, chance):
    """A position of so many pieces, both sides having some, no man where it would be crowned."""
    geometry = ruleset.geometry
    while True:
        contents = [EMPTY] * len(geometry)
        for square in chance.sample(range(len(geometry)), pieces):
            contents[square] = chance.choice(PIECES)
        stray = any(
            geometry.row(square) == (0 if piece is WHITE_MAN else geometry.rows - 1)
            for square, piece in enumerate(contents)
            if piece in (WHITE_MAN, BLACK_MAN)
        )
        position = Position(tuple(contents), chance.choice(tuple(Side)))
        if not stray and all(position.pieces(side) for side in Side):
            return position


def over(ruleset, position):
    """The verdict on a position in which the game is over, whatever tables say; None while it goes on."""
    winner = rules_for(ruleset).winner(position)
    if winner is not None:
        return Verdict(1 if winner is position.turn else -1)
    return None


def from_moves(tables, position):
    """What the verdict on a position must be, given those on the positions that its moves lead to."""
    ruleset = tables.ruleset
    after = [position.after(move) for move in rules_for(ruleset).legal_moves(position)]
    told = [over(ruleset, each) or tables.verdict(each) for each in after]
    assert None not in told
    lost = [each.plies for each in told if each.value < 0]
    if lost:
        return Verdict(1, min(lost) + 1)
    if any(each.value == 0 for each in told):
        return Verdict(0)
    return Verdict(-1, max(each.plies for each in told) + 1)


def assert_consistent(tables, pieces, count, chance):
    """Random verdicts follow from those on the positions one move later, and so does what the search is told."""
    ruleset = tables.ruleset
    for_search = tables.for_search()
    at_once = any(not rule.limit and not rule.times for rule in ruleset.draws)
    compared = 0
    for _ in range(count):
        position = scattered(ruleset, chance.randint(2, pieces), chance)
        verdict = tables.verdict(position)
        if has_no_table(ruleset, position):
            assert verdict is None
            continue
        expected = over(ruleset, position) or from_moves(tables, position)
        if at_once and game_over_at_once(ruleset, position) is not None:
            expected = game_over_at_once(ruleset, position)
        assert verdict is not None
        assert verdict.value == expected.value, (position, verdict, expected)
        assert at_once or verdict == expected, (position, verdict, expected)
        moves = rules_for(ruleset).legal_moves(position)
        if ruleset.capture != "obligatory" or not any(move.is_capture for move in moves):
            assert for_search.probe(endings._boards(position, tables_for(ruleset).bits)) == verdict.value
            compared += 1
    return compared


def has_no_table(ruleset, position):
    """Whether the game is over for a king, or a side has or may come to have both a man and a king that must rest."""
    kings = {side: position.count(KINGS[side]) for side in Side}
    if ruleset.goal == "first king" and any(kings.values()):
        return True
    men = {side: position.count(MEN[side]) for side in Side}
    return bool(ruleset.king_move_limit) and any(men[side] and men[side] + kings[side] > 1 for side in Side)


def game_over_at_once(ruleset, position):
    """The verdict of a draw rule that needs no moves to count, where one holds."""
    if rules_for(ruleset).winner(position) is not None:
        return None
    for rule in ruleset.draws:
        if rule.times or rule.limit:
            continue
        outcome = new_game(ruleset, position).outcome()
        if outcome is None or outcome.reason != rule.name:
            return None
        return Verdict(0 if outcome.winner is None else 1 if outcome.winner is position.turn else -1)
    return None


@pytest.mark.parametrize("variant", list(FACTS["slices"]))
def test_counts_of_every_slice_are_those_of_another_program(variant):
    codes = solved(retrograde, load_ruleset(variant), 3)
    for key, (wins, losses, draws, longest) in FACTS["slices"][variant].items():
        own, enemy = (key[:2], key[2:4]) if key[4] == "w" else (key[2:4], key[:2])
        found = codes[0, int(own[0]), int(own[1]), int(enemy[0]), int(enemy[1])]
        won = [code for code in found if 0 < code < 128]
        assert (len(won), sum(127 < code < 255 for code in found), found.count(0)) == (wins, losses, draws)
        assert (2 * max(won) - 1 if won else 0) == longest


def solved(module, ruleset, pieces):
    """The codes of every slice, holes included."""
    solver, codes = module.Solver(tables_for(ruleset)), {}
    for step in endings.steps(ruleset, pieces):
        codes |= {which: each for which, (each, _) in solver.solve(step.slices[0], codes).items()}
    return codes


@pytest.mark.parametrize("variant", list(FACTS["samples"]))
def test_verdicts_are_those_of_another_program(variant):
    tables, _ = built_in(variant, 3)
    assert FACTS["samples"][variant]
    for fen, value, plies in FACTS["samples"][variant]:
        verdict = tables.verdict(read_fen(fen, tables.ruleset, by_rows=True))
        assert (fen, verdict.value) == (fen, {"win": 1, "draw": 0, "loss": -1}[value])
        assert value == "draw" or (fen, verdict.plies) == (fen, plies)


def _published(pieces):
    found = [(name, fen, plies) for name, fen, plies in FACTS["published"] if _count(name, fen) in pieces]
    assert found
    return found


def _count(name, fen):
    return sum(content is not EMPTY for content in read_fen(fen, load_ruleset(name)).contents)


@pytest.mark.parametrize(("variant", "fen", "plies"), _published((2, 3)))
def test_published_longest_wins(variant, fen, plies):
    tables, _ = built_in(variant, 3)
    assert tables.verdict(read_fen(fen, tables.ruleset)) == Verdict(1, plies)


@pytest.mark.soak
@pytest.mark.parametrize("variant", ["international", "killer"])
def test_published_longest_wins_of_four_pieces(variant):
    tables, _ = computed(load_ruleset(variant), 4)
    published = [(fen, plies) for name, fen, plies in _published((4,)) if name == variant]
    assert published
    for fen, plies in published:
        assert (fen, tables.verdict(read_fen(fen, tables.ruleset))) == (fen, Verdict(1, plies))


@pytest.mark.parametrize("variant", WITH_TABLES)
def test_every_verdict_follows_from_those_of_its_moves(variant):
    ruleset = load_ruleset(variant)
    pieces = 3 if len(ruleset.geometry) <= 50 else 2
    tables, _ = built_in(variant, pieces)
    assert assert_consistent(tables, pieces, 60, random.Random(variant)) > 5


@pytest.mark.soak
@pytest.mark.parametrize("variant", WITH_TABLES)
def test_every_verdict_of_more_pieces_follows_from_those_of_its_moves(variant):
    ruleset = load_ruleset(variant)
    pieces = endings.default_pieces(ruleset)
    tables, _ = computed(ruleset, pieces)
    assert assert_consistent(tables, pieces, 500, random.Random(variant)) > 50


@tries(20)
@given(house_rules(), st.randoms(use_true_random=False))
def test_so_it_is_by_house_rules(house, chance):
    ruleset = house.ruleset
    assume(not endings.refusal(ruleset))
    tables, _ = computed(ruleset, 2)
    assert_consistent(tables, 2, 40, chance)


@pytest.mark.parametrize(("columns", "rows"), [(7, 6), (6, 7), (7, 7)])
def test_boards_that_look_different_to_the_two_sides(columns, rows):
    text = SMALL.replace("columns = 6", f"columns = {columns}").replace("rows = 6", f"rows = {rows}")
    ruleset = read_ruleset(text, "odd")
    tables, _ = computed(ruleset, 3)
    sides = {which[0] for which in tables.endings}
    assert sides == ({0} if columns == rows else {0, 1})
    assert assert_consistent(tables, 3, 200, random.Random(7)) > 20


def test_rules_that_end_the_game_at_once_are_in_the_tables():
    ruleset = load_ruleset("turkish-king-beats-man")
    tables, _ = built_in("turkish-king-beats-man", 2)
    for fen, value in (("W:WKa1:Bd7", 1), ("B:WKa1:Bd7", -1), ("W:WKa1:BKd8", 0), ("W:WKa1:BKa7", 1)):
        assert (fen, tables.verdict(read_fen(fen, ruleset)).value) == (fen, value)
    without = load_ruleset("turkish-passing")
    assert endings.fingerprint(without) != endings.fingerprint(ruleset)


def test_where_the_first_king_wins_there_are_tables_of_men_alone():
    tables, _ = built_in("breakthrough", 3)
    assert {(which[2], which[4]) for which in tables.endings} == {(0, 0)}
    assert tables.verdict(read_fen("W:W6:B41", tables.ruleset)) == Verdict(1, 1)


def test_the_compiled_files_are_those_of_the_interpreted_ones():
    ruleset = read_ruleset(SMALL, "small")
    tables = tables_for(ruleset)
    retrograde_py, endings_py = interpreted("tree", "moves", "endings", "retrograde")[3:1:-1]
    solver, read = retrograde_py.Solver(tables), endings_py.Endings(tables)
    _, files = computed(ruleset, 2)
    codes, compared = {}, 0
    for which in endings_py.slices(tables, solver.index, 2):
        if which in codes:
            continue
        for each, (found, values) in solver.solve(which, codes).items():
            codes[each] = found
            order, packed = retrograde_py.Packer(solver.index.digits(each)).pack(values)
            content = endings.write(ruleset, each, order, packed, retrograde_py.without_holes(found))
            assert content == files[endings.file_name(each)]
            read.add(each, order, packed)
            for number, value in enumerate(values):
                place = sum(
                    digit * read.stride[4 * read.slot(*each) + place]
                    for place, digit in enumerate(_digits(number, solver.index.digits(each)))
                )
                assert value == 3 or endings_py.unpacked(read.data[read.slot(*each)], place) == value
                compared += 1
    assert compared > 1_000


def _digits(number, sizes):
    found = []
    for size in reversed(sizes):
        number, digit = divmod(number, size)
        found.insert(0, digit)
    return found


def test_boards_of_128_bits_give_the_same_tables():
    ruleset = load_ruleset("russian")
    codes = solved(retrograde, ruleset, 3)
    assert len(codes) == 16
    assert solved(wide_retrograde, ruleset, 3) == codes


def test_moves_are_told_the_quickest_win_first_and_the_longest_resistance():
    tables, _ = built_in("english", 3)
    won = read_fen("W:WK22,K23:BK1", tables.ruleset)
    first = tables.moves(won)[0]
    assert tables.verdict(won) == Verdict(1, first[1].plies) == first[1]
    lost = won.after(first[0])
    resistance = tables.moves(lost)
    assert {verdict.value for _, verdict in resistance} == {-1}
    assert [verdict.plies for _, verdict in resistance] == sorted((v.plies for _, v in resistance), reverse=True)
    assert tables.verdict(lost) == Verdict(-1, first[1].plies - 1) == resistance[0][1]


def test_a_won_ending_is_played_to_its_end_in_as_many_plies_as_told():
    tables, _ = built_in("international", 3)
    position, rules = read_fen("W:WK1:B2,3", tables.ruleset), rules_for(tables.ruleset)
    plies = tables.verdict(position).plies
    assert plies > 10
    for left in range(plies, 0, -1):
        assert tables.verdict(position).plies == left
        position = position.after(tables.moves(position)[0][0])
    assert rules.winner(position) is Side.WHITE


@pytest.mark.parametrize("variant", ["english", "giveaway-russian", "international", "turkish"])
def test_the_search_knows_how_endings_end(variant):
    tables, _ = built_in(variant, 3)
    ruleset, chance = tables.ruleset, random.Random(variant)
    tree, decided = kernel_tree(ruleset), 0
    tree.use_endings(tables.for_search())
    for _ in range(60):
        position = scattered(ruleset, tables.most_pieces, chance)
        if new_game(ruleset, position).outcome() is not None:
            continue
        tree.set(position)
        found = deepen(Search(tree, Table(1 << 16)), depth=2)
        value = tables.verdict(position).value
        assert (value, found.score) == (0, 0) or value * found.score > 15_000, position
        assert found.table_hits or abs(found.score) > 29_000 or value == 0
        decided += value != 0
    assert decided > 10


def test_what_no_table_knows():
    tables, _ = built_in("english", 2)
    unknown = tables.for_search()
    bits = tables_for(tables.ruleset).bits
    for fen in ("W:WK22,K23:BK1", "W:W1:BK32", "W:WK22:B", "W:W:B"):
        position = read_fen(fen, tables.ruleset)
        assert tables.verdict(position) is None
        assert unknown.probe(endings._boards(position, bits)) == 2
    assert EndingTables(tables.ruleset).verdict(read_fen("W:WK22:BK1", tables.ruleset)) is None
    assert EndingTables(tables.ruleset).most_pieces == 0


@pytest.mark.parametrize("variant", ["russian-huff", "towers", "corners"])
def test_rule_sets_without_tables_say_why(variant):
    ruleset = load_ruleset(variant)
    assert ruleset.name in endings.refusal(ruleset)
    with pytest.raises(EndingsError, match=ruleset.name):
        endings.fingerprint(ruleset)


def test_the_solver_refuses_huffing_too():
    with pytest.raises(ValueError, match="move before"):
        retrograde.Solver(tables_for(load_ruleset("russian-huff")))


def test_where_a_king_must_rest_there_are_tables_of_those_whom_it_does_not_bind():
    tables, _ = built_in("frisian", 3)
    sides = {which[1:3] for which in tables.endings} | {which[3:] for which in tables.endings}
    assert sides == {(1, 0), (0, 1), (0, 2)}
    for fen, is_known in (
        ("W:WK1,K2:B40", True),
        ("W:W31:B20", True),
        ("W:WK1,32:BK50", False),
        ("W:W31,32:B20", False),
    ):
        assert (fen, tables.verdict(read_fen(fen, tables.ruleset)) is not None) == (fen, is_known)


@pytest.mark.parametrize("pieces", [1, 7])
def test_how_many_pieces_there_can_be(pieces):
    with pytest.raises(EndingsError, match="expected 2 to 6"):
        list(endings.steps(load_ruleset("english"), pieces))


def test_rule_sets_that_move_alike_share_their_tables():
    assert endings.fingerprint(load_ruleset("pool")) == endings.fingerprint(load_ruleset("pool-white-first"))
    prints = {
        endings.fingerprint(load_ruleset(name)) for name in ("russian", "brazilian", "english", "giveaway-russian")
    }
    assert len(prints) == 4


def test_a_file_cut_at_any_byte_is_refused():
    ruleset = read_ruleset(SMALL, "small")
    _, files = computed(ruleset, 2)
    rules = endings.fingerprint(ruleset)
    for content in files.values():
        assert endings.read(content, rules).numbers
        for length in range(len(content)):
            with pytest.raises(EndingsError):
                endings.read(content[:length], rules)
        with pytest.raises(EndingsError):
            endings.read(content + b"\0", rules)
        with pytest.raises(EndingsError, match="other rules"):
            endings.read(content, "0" * 16)


def test_a_file_with_any_byte_changed_is_refused_when_it_is_opened_or_its_distances_are_read():
    ruleset = read_ruleset(SMALL, "small")
    _, files = computed(ruleset, 2)
    rules = endings.fingerprint(ruleset)
    content = files["w1010.ending"]
    for place in range(len(content)):
        spoilt = bytearray(content)
        spoilt[place] ^= 0x55
        with pytest.raises(EndingsError):
            endings.read(bytes(spoilt), rules).codes()


def test_a_table_with_spoilt_distances_tells_nothing():
    ruleset = read_ruleset(SMALL, "small")
    tables, files = computed(ruleset, 2)
    content = files["w0101.ending"]
    spoilt = endings.read(content[:-1] + bytes([content[-1] ^ 1]), endings.fingerprint(ruleset))
    position = read_fen("W:WK1:BK18", ruleset)
    assert tables.verdict(position) is not None
    assert EndingTables(ruleset, [spoilt]).verdict(position) is None


def test_values_that_do_not_fit_their_slice_are_refused():
    tables, _ = built_in("english", 2)
    which, ending = next(iter(tables.endings.items()))
    found = tables.for_search()
    with pytest.raises(ValueError, match="do not hold"):
        found.add(which, ending.order, b"\0\0\0")
    with pytest.raises(ValueError, match="codes, expected"):
        retrograde.Solver(tables_for(tables.ruleset)).solve((0, 1, 0, 1, 0), dict.fromkeys(_all(tables), b""))
    with pytest.raises(ValueError, match="values, expected"):
        retrograde.Packer([2, 1, 1, 1]).pack(b"\0")


def _all(tables):
    return list(tables.endings)
