"""Drawn openings: every line of every table, chance from a seed, ballots as people write them, and PDN."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ballot import (
    Ballot,
    BallotError,
    Opening,
    Pairing,
    drawn,
    drawn_place,
    load_table,
    opening_tags,
    pair,
    read_ballot,
    read_table,
    start_of,
    stated_opening,
    table_names,
    tables_for,
)
from engine.fen import write_fen
from engine.pdn import PdnGame, read_pdn, write_pdn
from engine.position import Side
from engine.rules import rules_for
from engine.ruleset import load_ruleset, read_ruleset
from tests.data_files import needs_shared, shared_json

RUSSIAN = load_ruleset("russian")
ENGLISH = load_ruleset("english")
BRAZILIAN = load_ruleset("brazilian")

COUNTS = {
    "russian-idf-745": (745, 0, 396),
    "russian-fmjd-736": (736, 0, 392),
    "brazilian-736": (736, 0, 394),
    "basic-150": (150, 0, 0),
    "english-2-move": (49, 6, 0),
    "english-3-move": (174, 17, 0),
    "english-4-move": (794, 252, 0),
    "english-11-man": (2500, 247, 0),
    "italian-11-man": (2400, 0, 0),
    "english-names": (31, 0, 0),
}
"""All openings, those lost for one side, those with a flying checker, as the sources state them."""

REFERENCE = {
    "english-2-move": "english-2move",
    "english-3-move": "english-3move",
    "english-4-move": "english-4move",
    "english-11-man": "english-11man",
    "italian-11-man": "italian-11man",
    "english-names": "english-named",
}
"""Where a table's reference positions have another name."""

FILES = {name: f"openings/{REFERENCE.get(name, name)}.json" for name in COUNTS}

every_table = pytest.mark.parametrize("name", sorted(COUNTS))


def rulesets_of(table):
    return [load_ruleset(name) for name in table.rulesets]


def starts(name):
    table = load_table(name)
    for ruleset in rulesets_of(table):
        for opening in table.openings:
            yield start_of(opening, table, ruleset)


def test_these_are_all_the_tables():
    assert set(table_names()) == set(COUNTS)


@every_table
def test_as_many_openings_as_the_source_states(name):
    openings = load_table(name).openings
    flying = sum(opening.is_flying for opening in openings)
    assert (len(openings), sum(opening.lost for opening in openings), flying) == COUNTS[name]
    assert [opening.number for opening in openings] == list(range(1, len(openings) + 1))


@every_table
def test_every_line_is_legal_under_its_rule_sets(name):
    for start in starts(name):
        rules = rules_for(start.ruleset)
        assert len(start.moves) == len(start.opening.moves)
        position = start.start
        for move in start.moves:
            assert move in rules.legal_moves(position)
            position = position.after(move)
        assert start.game.position.diagram == position.diagram
        assert rules.legal_moves(position)


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs_shared(FILES[name])) for name in sorted(COUNTS)])
def test_every_line_reaches_the_reference_position(name):
    rows = {str(row.get("id", row.get("name"))).lstrip("0"): row for row in shared_json(FILES[name])["positions"]}
    free = {opening.label for opening in load_table(name).openings if opening.free}
    assert {opening.label for opening in load_table(name).openings} - free == rows.keys()
    for start in starts(name):
        opening = start.opening
        if opening.free:
            continue
        row = rows[opening.label]
        assert (opening.label, write_fen(start.game.position, start.ruleset, by_rows=True)) == (
            opening.label,
            row["fen"],
        )
        assert opening.lost == row.get("lost", False)
        if "warning" in row or row.get("fen_agrees") is False:
            assert opening.note


@pytest.mark.parametrize("name", ["english-11-man", "italian-11-man"])
def test_eleven_men_a_side(name):
    for start in starts(name):
        assert {side: len(start.start.pieces(side)) for side in Side} == {Side.WHITE: 11, Side.BLACK: 11}
        assert start.start.turn is start.ruleset.first


def test_no_two_openings_of_a_pure_position_table_are_the_same():
    for name in ("english-11-man", "italian-11-man", "english-3-move", "english-2-move", "english-4-move"):
        counts = Counter(start.game.position.diagram for start in starts(name))
        assert max(counts.values()) == 1


def test_both_flying_checkers_leave_before_either_lands():
    start = drawn(Ballot("russian-idf-745", "XXXIII-7"), RUSSIAN, 0)
    assert write_fen(start.start, RUSSIAN) == (
        "W:Wh6,a3,c3,e3,g3,b2,d2,f2,a1,c1,e1,g1:Bb8,d8,f8,h8,a7,c7,e7,g7,b6,d6,f6,h4"
    )
    assert len(start.carried) == 2
    assert start.moves == ()
    assert start.game.ply == 0


@pytest.mark.parametrize(
    ("label", "turn"),
    [
        ("II-1", Side.BLACK),  # a1>a5 alone
        ("XXX-18", Side.WHITE),  # h2>a5 ---
        ("XXXIII-8", Side.WHITE),  # --- h6>h4
        ("XX-18", Side.WHITE),  # e3>a5 e7>g5, printed with Black to move
    ],
)
def test_carrying_a_man_counts_as_a_turn(label, turn):
    assert drawn(Ballot("russian-idf-745", label), RUSSIAN, 0).start.turn is turn


def test_misprints_are_told():
    for label in ("XX-18", "XXVII-9"):
        assert "other side to move" in drawn(Ballot("russian-idf-745", label), RUSSIAN, 0).opening.note
    two_four = drawn(Ballot("basic-150", "2-IV"), RUSSIAN, 0)
    assert "a man on a5 instead of b4" in two_four.opening.note
    assert "b4" in write_fen(two_four.game.position, RUSSIAN)


def test_free_choice_starts_as_usual():
    start = drawn(Ballot("basic-150", "5-VII"), BRAZILIAN, 0)
    assert start.opening.free
    assert start.game.position.diagram == rules_for(BRAZILIAN).start().diagram


def test_drawn_moves_are_the_first_of_the_record():
    start = drawn(Ballot("english-3-move", "4"), ENGLISH, 0)
    assert [start.game.text_of(ply) for ply in range(start.game.ply)] == ["9-13", "22-17", "13x22"]
    assert len(start.moves) == 3
    assert start.game.legal_moves


# Chance


def test_the_mixing_function_gives_its_published_numbers():
    # SplitMix64 from seed 1234567: each number is the mix of a state that grows by the golden gamma.
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    gamma = 0x9E3779B97F4A7C15
    assert [drawn_place(1234567 + step * gamma, 1 << 64) for step in range(4)] == published


def test_places_are_drawn_equally_often():
    count, draws = 149, 149 * 400
    found = Counter(drawn_place(seed, count) for seed in range(draws))
    expected = draws / count
    chi_square = sum((found[place] - expected) ** 2 / expected for place in range(count))
    assert set(found) == set(range(count))
    assert 85 < chi_square < 230  # 148 degrees of freedom: outside in fewer than one of 10,000 random sequences


def test_neighbouring_seeds_have_nothing_to_do_with_one_another():
    places = [drawn_place(seed, 1000) for seed in range(20_000)]
    ascending = sum(first < second for first, second in pairwise(places))
    same = sum(first == second for first, second in pairwise(places))
    assert 9_700 < ascending < 10_300
    assert same < 50


@pytest.mark.parametrize("seed", [0, -1, 1 << 64, 10**40])
def test_any_whole_number_is_a_seed(seed):
    assert 0 <= drawn_place(seed, 7) < 7


def test_the_same_seed_draws_the_same_opening():
    ballot = read_ballot("russian-idf-745", RUSSIAN)
    assert drawn(ballot, RUSSIAN, 7) == drawn(ballot, RUSSIAN, 7)
    assert len({drawn(ballot, RUSSIAN, seed).opening.label for seed in range(100)}) > 80


def test_lost_openings_come_only_when_asked_for():
    usual = {drawn(Ballot("english-2-move"), ENGLISH, seed).opening.label for seed in range(2000)}
    with_lost = {drawn(Ballot("english-2-move", lost=True), ENGLISH, seed).opening.label for seed in range(2000)}
    lost = {opening.label for opening in load_table("english-2-move").openings if opening.lost}
    assert len(usual) == 43
    assert not usual & lost
    assert len(with_lost) == 49
    label = min(lost, key=int)
    assert drawn(Ballot("english-2-move", label), ENGLISH, 0).opening.lost


def test_only_moves_or_only_flying_checkers():
    for seed in range(300):
        assert drawn(read_ballot("russian-idf-745 flying", RUSSIAN), RUSSIAN, seed).carried
        assert drawn(read_ballot("russian-idf-745 moves", RUSSIAN), RUSSIAN, seed).moves


# Ballots as people write them


@pytest.mark.parametrize(
    ("text", "ruleset", "ballot"),
    [
        ("russian-idf-745", RUSSIAN, Ballot("russian-idf-745")),
        ("russian-idf-745 #12", RUSSIAN, Ballot("russian-idf-745", "I-12")),
        (" Russian-IDF-745  xx-18 ", RUSSIAN, Ballot("russian-idf-745", "XX-18")),
        ("idf-745 flying", RUSSIAN, Ballot("russian-idf-745", only="flying")),
        ("3-move", ENGLISH, Ballot("english-3-move")),
        ("3-move lost", ENGLISH, Ballot("english-3-move", lost=True)),
        ("3-move moves lost", ENGLISH, Ballot("english-3-move", only="moves", lost=True)),
        ("3-move 007", ENGLISH, Ballot("english-3-move", "7")),
        ("names ayrshire lassie", ENGLISH, Ballot("english-names", "Ayrshire Lassie")),
        ("basic-150 5-vii", BRAZILIAN, Ballot("basic-150", "5-VII")),
    ],
)
def test_a_ballot_is_read(text, ruleset, ballot):
    assert read_ballot(text, ruleset) == ballot
    assert read_ballot(ballot.text, ruleset) == ballot


@pytest.mark.parametrize(
    ("text", "variant", "words"),
    [
        ("rusian-idf-745", "russian", ["rusian-idf-745", "no such table for russian", "nearest is russian-idf-745"]),
        ("3-mve", "english", ["nearest is 3-move"]),
        ("3-move", "russian", ["no such table for russian", "basic-150, russian-fmjd-736, russian-idf-745"]),
        ("russian-idf-745", "international", ["no opening table for international", "expected no ballot"]),
        ("russian-idf-745 #746", "russian", ["#746", "#1 to #745"]),
        ("russian-idf-745 #0", "russian", ["#0", "#1 to #745"]),
        ("russian-idf-745 XXVII9", "russian", ["'XXVII9'", "I-1 to XXXIII-9", "nearest is XXVII-9"]),
        ("names Ayshire Lassie", "english", ["nearest is Ayrshire Lassie"]),
        ("idf-745 moves flying", "russian", ["both moves and flying"]),
        ("3-move flying", "english", ["no opening of this kind"]),
        ("", "russian", ["known are"]),
    ],
)
def test_a_wrong_ballot_says_what_is_nearest(text, variant, words):
    with pytest.raises(BallotError) as caught:
        read_ballot(text, load_ruleset(variant))
    for word in words:
        assert word in str(caught.value)


@given(
    st.one_of(
        st.text(max_size=40),
        st.lists(
            st.sampled_from(
                ["3-move", "english-3-move", "#", "#²", "#12", "7", "lost", "moves", "flying", "names", "é"]
            )
        ).map(" ".join),
    )
)
def test_any_text_is_a_ballot_that_reads_back_or_refused(text):
    try:
        ballot = read_ballot(text, ENGLISH)
    except BallotError:
        return
    assert read_ballot(ballot.text, ENGLISH) == ballot
    assert drawn(ballot, ENGLISH, 5).table == ballot.table


def test_no_table_of_this_name():
    with pytest.raises(BallotError, match="nearest is english-3-move"):
        load_table("english-3-moves")


def test_tables_of_a_rule_set_and_of_its_readings():
    assert [table.name for table in tables_for(BRAZILIAN)] == ["basic-150", "brazilian-736"]
    assert tables_for(load_ruleset("international")) == ()
    house = read_ruleset('base = "russian"\ntitle = "Ours"\nprecedence = ["most pieces"]', "ours")
    assert tables_for(house) == tables_for(RUSSIAN)
    other_start = read_ruleset('base = "russian"\ntitle = "Two rows"\nmen_rows = 2', "two-rows")
    assert tables_for(other_start) == ()


def test_a_house_rule_may_make_an_opening_impossible():
    house = read_ruleset('base = "russian"\ntitle = "Black first"\nfirst = "black"', "black-first")
    table = load_table("russian-idf-745")
    with pytest.raises(BallotError, match=r"russian-idf-745 I-1 under black-first: 'ab4' fits 0 legal moves"):
        start_of(table.openings[0], table, house)
    two_rows = read_ruleset('base = "russian"\ntitle = "Two rows"\nmen_rows = 2', "two-rows")
    with pytest.raises(BallotError, match="a3 is empty"):
        start_of(Opening(1, "x", carried=(("a3", "c5"),)), table, two_rows)
    with pytest.raises(BallotError, match="set on c3, expected an empty square"):
        start_of(Opening(1, "x", carried=(("a3", "c3"),)), table, RUSSIAN)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title = ", "not TOML"),
        ('title = "T"', "expected title, source, rulesets and openings, found title"),
        ('count = 2\nopenings = "1 | 9-13"', "count = 2: found 1"),
        ('count = 1\nlost = 1\nopenings = "1 | 9-13"', "lost = 1: found 0"),
        ('count = 2\nopenings = "1 | 9-13\\n1 | 9-14"', "opening 1 stands there twice"),
        ('count = 1\nopenings = "9-13 21-17"', "expected label | moves"),
        ('count = 1\nopenings = "1 | "', "expected moves, men carried, or free"),
        ('count = 1\nopenings = "1 | free 9-13"', "expected moves, men carried, or free"),
        ('count = 2\nopenings = "1.. | 9-13 | 22-18 22-17"', "moves with one *"),
        ('count = 2\nopenings = "a.. | 9-13 * | 22-18 22-17"', "expected number.."),
    ],
)
def test_a_wrong_table_is_refused(text, words):
    facts = 'title = "T"\nsource = "S"\nrulesets = ["english"]\n' if "openings" in text else ""
    with pytest.raises(BallotError, match=r"own\.toml") as caught:
        read_table(facts + text, "own")
    assert words in str(caught.value)


def test_a_line_may_hold_several_openings():
    body = "1 | 9-13!\n2.. | -28 * 24-19 | -11/8-11 -12/9-13!"
    facts = f'title = "T"\nsource = "S"\nrulesets = ["english"]\ncount = 3\nlost = 2\nopenings = """{body}"""'
    assert read_table(facts, "own").openings == (
        Opening(1, "1", ("9-13",), lost=True),
        Opening(2, "2", ("8-11", "24-19"), taken_off=("28", "11")),
        Opening(3, "3", ("9-13", "24-19"), taken_off=("28", "12"), lost=True),
    )


# Micro-match and PDN


def test_a_micro_match_plays_one_opening_with_both_colours():
    start = drawn(Ballot("russian-idf-745"), RUSSIAN, 3)
    assert pair("Ann", "Bob", start) == (Pairing("Ann", "Bob", start), Pairing("Bob", "Ann", start))


@every_table
def test_pdn_tells_what_was_drawn(name):
    for start in list(starts(name))[::7]:
        game = PdnGame(tags=opening_tags(start), ruleset=start.ruleset, start=start.start, moves=start.moves)
        text = write_pdn(game)
        assert ("[FEN " in text) == bool(start.carried or start.taken_off)
        (read,) = read_pdn(text, start.ruleset)
        assert read.is_legal, read.faults
        assert [move.effect for move in read.moves] == [move.effect for move in start.moves]
        found = stated_opening(read)
        assert found is not None
        assert found.text == start.text


@pytest.mark.parametrize(
    "pdn",
    [
        "1. 9-13 22-18 *",
        '[Opening "Single Corner"]\n1. 11-15 22-18 *',
        '[Opening "english-2-move 3"]\n1. 11-15 22-18 *',
        '[Opening "english-2-move 3"]\n1. 9-13 *',
        '[Opening "english-2-move"]\n1. 9-13 22-18 *',
        '[Opening "english-2-move 3"]\n[FEN "B:W21,22:B9,10"]\n1. 9-13 22-18 *',
    ],
)
def test_an_opening_that_was_not_drawn_is_not_taken_for_one(pdn):
    (game,) = read_pdn(pdn, ENGLISH)
    assert stated_opening(game) is None


def test_the_game_may_go_on_after_what_was_drawn():
    (game,) = read_pdn('[Opening "english-2-move 3"]\n1. 9-13 22-18 2. 12-16 *', ENGLISH)
    found = stated_opening(game)
    assert found is not None
    assert len(found.moves) == 2
