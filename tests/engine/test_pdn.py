"""PDN: every oddity of real files, whole corpora, and what we write ourselves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fen import read_fen, write_fen
from engine.notation import full_move_text, read_move_squares
from engine.pdn import (
    PdnGame,
    canonical_result,
    read_pdn,
    stated_ruleset,
    winner_of,
    write_pdn,
    write_pdn_file,
)
from engine.pdn_results import RESULTS
from engine.position import Position, Side
from engine.rules import rules_for
from engine.ruleset import load_ruleset, read_ruleset, variant_names
from tests.data_files import needs_shared, shared, shared_json
from tests.engine.boards import VARIANTS, games, rules_of

TRICKY = shared_json("corpora/tricky-pdn.json", {"cases": []})["cases"]

INTERNATIONAL = load_ruleset("international")
RUSSIAN = load_ruleset("russian")
ENGLISH = load_ruleset("english")


def _tricky(case):
    return pytest.param(case, id=case["id"])


def _variant_of(case):
    return case["variant"].split(",")[0]


TO_COME = {case["id"] for case in TRICKY if _variant_of(case) not in variant_names()}
"""Cases of variants that are not among the rule sets yet; each joins the others when its variant does."""


def test_the_cases_to_come_are_of_variants_to_come():
    assert TO_COME.issubset({"italian-tag-names", "walkover"})


@needs_shared("corpora/tricky-pdn.json")
@pytest.mark.parametrize("case", [_tricky(case) for case in TRICKY if case["id"] not in TO_COME])
def test_tricky_input_is_read_as_expected(case):
    ruleset = load_ruleset(case["variant"].split(",")[0])
    found = read_pdn(case["input"], ruleset)
    assert len(found) == 1
    game, expect = found[0], case["expect"]
    for name, value in expect.get("tags", {}).items():
        assert game.tags[name] == value
    assert game.result == expect.get("result", game.result)
    _check_moves(game, expect)
    _check_start(game, expect)
    _check_fault(game, expect.get("error"), expect.get("candidates", []))


def _check_moves(game, expect):
    wanted = expect.get("moves", expect.get("tokens", [])[:-1])
    if "moves" in expect or "tokens" in expect:
        assert [(move.from_square, *move.path) for move in game.moves] == [
            read_move_squares(text, game.ruleset) for text in wanted
        ]
    for move, victims in zip(game.moves, expect.get("victims", []), strict="victims" in expect):
        assert sorted(square + 1 for square in move.captured) == victims


def _check_start(game, expect):
    if expect.get("fen") == "start":
        assert game.start == rules_for(game.ruleset).start()
    elif "fen" in expect:
        assert game.start == read_fen(expect["fen"], game.ruleset)
    if "fen_pieces" in expect:
        assert write_fen(game.start, game.ruleset)[2:] == expect["fen_pieces"]
    assert game.turn_known == (expect.get("side") != "unknown")
    if expect.get("finished"):
        assert rules_for(game.ruleset).winner(game.start) is not None


def _check_fault(game, error, candidates):
    if error is None:
        assert game.is_legal
        return
    (fault,) = game.faults
    kind, *ply = error.split(" move ")
    assert kind in fault.reason
    assert all(text in fault.reason for text in candidates)
    if ply:
        assert fault.ply == int(ply[0])


CORPORA = [
    # file, variant, games, known bad games as (game, ply)
    ("english", "english", 1607, []),
    ("international", "international", 481, [(468, 64)]),
    ("russian", "russian", 7, []),
    ("brazilian", "brazilian", 19, []),
    ("english-playstrategy", "english", 17, []),
]


@pytest.mark.parametrize(
    ("name", "variant", "count", "bad"),
    [pytest.param(*row, id=row[0], marks=needs_shared(f"corpora/{row[0]}.pdn")) for row in CORPORA],
)
def test_corpora_are_legal_and_survive_writing(name, variant, count, bad):
    text = shared(f"corpora/{name}.pdn").read_text(encoding="utf-8")
    ruleset = load_ruleset(variant)
    found = read_pdn(text, ruleset)
    assert sum(1 for game in found if game.moves) == count
    assert [(fault.game, fault.ply) for game in found for fault in game.faults] == bad
    assert stated_ruleset(text) == ruleset
    sample = found[:: 1 + len(found) // 200]
    again = read_pdn(write_pdn_file(sample), ruleset)
    for game, copy in zip(sample, again, strict=True):
        assert copy.is_legal
        assert (copy.moves, copy.start, copy.ruleset) == (game.moves, game.start, game.ruleset)
        assert copy.result == canonical_result(game.result, ruleset)


@needs_shared("corpora/international.pdn")
def test_the_bad_game_keeps_what_comes_before_and_says_where_it_breaks():
    text = shared("corpora/international.pdn").read_text(encoding="utf-8")
    game = read_pdn(text, INTERNATIONAL)[467]
    (fault,) = game.faults
    assert game.tags["Source"] == "S01k#11"
    assert len(game.moves) == 63
    assert fault.reason == "illegal move 17-11 for black: no piece there"
    assert "17-11" in text.splitlines()[fault.line - 1]


def only(text, ruleset=INTERNATIONAL):
    (game,) = read_pdn(text, ruleset)
    return game


def texts(game):
    return [full_move_text(move, game.ruleset) for move in game.moves]


@pytest.mark.parametrize(
    ("text", "moves", "reason"),
    [
        ("1. 32-28 19-23 2. 28x1", ["32-28", "19-23"], "illegal move 28x1"),
        ("1. 32-28 19-", ["32-28"], "'19-' is not a move"),
        ("1. 32-28 19", ["32-28"], "'19' is not a move"),
        ("1. 32-28 {a comment that", ["32-28"], "comment is opened"),
        ("1. 32-28 (1. 31-26", ["32-28"], "side line is opened"),
        ('1. 32-28 19-23 [White "Pl', ["32-28", "19-23"], "tag is opened"),
        ("1. 32-28 19-99 2. 28x19", ["32-28"], "'99' is not a square of this board, expected 1 to 50"),
        ("1. 32-28 19-23 2. 28x19 14x23 3. 33-2B", ["32-28", "19-23", "28x19", "14x23"], "'2B' is not a square"),
    ],
)
def test_a_file_that_breaks_off_keeps_the_legal_part(text, moves, reason):
    game = only('[Event "A"]\n\n' + text)
    (fault,) = game.faults
    assert texts(game) == moves
    assert reason in fault.reason
    assert (fault.game, fault.line, fault.ply) == (1, 3, len(moves) + 1)


def test_moves_after_the_end_of_a_game_are_named():
    game = only('[FEN "W:W28:B23"]\n1. 28x19 20-24')
    assert texts(game) == ["28x19"]
    assert "the game is over" in game.faults[0].reason


def test_an_unreadable_fen_is_a_fault_before_the_first_move():
    game = only('[FEN "X:W28"]\n1. 32-28 *')
    assert game.moves == ()
    assert game.faults[0].ply == 0
    assert "expected W, B or ?" in game.faults[0].reason


def test_moves_with_nobody_known_to_move_are_a_fault():
    game = only('[FEN "?:W28:B17"]\n1. 28-22 *')
    assert not game.turn_known
    assert game.moves == ()
    assert "does not say which side" in game.faults[0].reason


def test_games_follow_each_other_without_empty_lines_or_tags():
    found = read_pdn("1. 32-28 19-23 1-1 1. 33-28 18-22 2. 38-33 *\n1. 31-26 0-2", INTERNATIONAL)
    assert [(len(game.moves), game.result) for game in found] == [(2, "1-1"), (3, "*"), (1, "0-2")]


def test_a_file_of_positions_only_has_a_game_for_each():
    found = read_pdn('[Event "1"]\n[FEN "W:W28:B17"]\n[Event "2"]\n[FEN "W:W28:B18"]\n', INTERNATIONAL)
    assert [game.start.pieces(Side.BLACK) for game in found] == [(16,), (17,)]


def test_a_star_after_a_move_is_the_mark_of_a_forced_move():
    game = only("1. 32-28 * 19-23 2. 28x19* 14x23 *")
    assert len(game.moves) == 4
    assert game.result == "*"


def test_a_star_gives_way_to_the_result_tag():
    assert only('[Result "2-0"]\n1. 32-28 *').result == "2-0"


def test_a_remark_glued_to_a_move_is_a_note():
    game = only("1. 32-28Whiteovershot 19-23 *")
    assert len(game.moves) == 2
    assert game.is_legal
    assert game.notes[0].reason == "'Whiteovershot' is no move"


def test_the_game_type_says_what_is_played():
    game = only('[GameType "25"]\n1. c3-d4 b6-a5 2-0')
    assert game.ruleset == RUSSIAN
    short = only('[GameType "21,W,8,8,A1,0"]\n1. c3-d4 b6-a5 2-0')
    assert (short.ruleset.first, short.ruleset.notation) == (Side.WHITE, "algebraic")
    assert len(short.moves) == 2
    unknown = only('[GameType "999"]\n1. 32-28 *')
    assert unknown.ruleset == INTERNATIONAL
    assert unknown.is_legal
    assert unknown.notes[0].reason == "GameType '999' is not known here; read as international"


def test_a_game_that_the_other_side_begins_is_read_when_nothing_says_otherwise():
    game = only("1. c3-d4 b6-c5 2. d4xb6 *", ENGLISH)
    assert game.is_legal
    assert game.start.turn is Side.WHITE
    assert game.ruleset.first is Side.WHITE
    told = only('[GameType "21"]\n1. c3-d4 b6-c5 *', ENGLISH)
    assert told.is_legal
    assert "white moves first here" in told.notes[0].reason


def test_looking_ahead_goes_over_several_ambiguous_captures():
    # Two captures with the same ends; only one of them leaves the man that moves next.
    game = only('[FEN "W:WK4,20,39,44:B12,18,28,29,37"]\n1. 4x24 28-32 2. 44-40 *')
    assert texts(game) == ["4x31x42x24", "28-32", "44-40"]


@pytest.mark.parametrize(
    ("ruleset", "result", "canonical", "winner"),
    [
        (INTERNATIONAL, "1-0", "2-0", Side.WHITE),
        (INTERNATIONAL, "0-2", "0-2", Side.BLACK),
        (INTERNATIONAL, "1/2-1/2", "1-1", None),
        (INTERNATIONAL, "*", "*", None),
        (INTERNATIONAL, "0-0", "0-0", None),
        (INTERNATIONAL, "4-6", "4-6", None),
        (ENGLISH, "1-0", "1-0", Side.BLACK),
        (ENGLISH, "0-2", "0-1", Side.WHITE),
        (ENGLISH, "1-1", "1/2-1/2", None),
    ],
)
def test_results_have_one_form_in_each_variant(ruleset, result, canonical, winner):
    assert canonical_result(result, ruleset) == canonical
    assert winner_of(result, ruleset) is winner


def test_canonical_form():
    game = only('[White "A \\"B\\" C"]\n1. 32-28 19-23 2. 28x19 14x23 3. 37-32 10-14 4. 41-37 5-10 5. 46-41 1-0')
    assert write_pdn(game) == (
        '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n'
        '[White "A \\"B\\" C"]\n[Black "?"]\n[Result "2-0"]\n'
        '[GameType "20,W,10,10,N2,0"]\n\n'
        "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 10-14 4. 41-37 5-10 5. 46-41 2-0\n"
    )


def test_a_game_that_begins_elsewhere_has_its_fen_and_counts_from_one():
    text = write_pdn(only('[FEN "B:WK50:BK1,20"]\n1... 1-18 2. 50-44 1-1'))
    assert '[SetUp "1"]\n[FEN "B:WK50:B' in text
    assert "\n1... 1-18 2. 50-44 1-1\n" in text


def test_only_an_ambiguous_capture_is_written_whole():
    text = write_pdn(only('[FEN "W:WK4:B13,20,32,37"]\n1. 4x31x42x15 *'))
    assert "1. 4x31x42x15 *" in text
    assert "1. 33x11" in write_pdn(only('[FEN "W:W33:B17,28"]\n1. 33x22x11 *'))


def test_the_capture_sign_is_the_variants():
    assert "c3:e5" in write_pdn(only('[FEN "W:Wc3:Bd4"]\n1. c3xe5 *', RUSSIAN))


def test_a_house_rule_set_is_named_by_a_tag():
    house = read_ruleset('base = "russian"\ntitle = "H"\nfirst = "black"\nprecedence = ["most pieces"]', "house")
    game = PdnGame({}, house, rules_for(house).start())
    text = write_pdn(game)
    assert '[Variant "house"]' in text
    assert read_pdn(text, house)[0].ruleset == house


def test_lines_are_at_most_80_characters():
    moves = []
    rules = rules_of("international")
    position = rules.start()
    for _ in range(40):
        moves.append(rules.legal_moves(position)[0])
        position = position.after(moves[-1])
    lines = write_pdn(PdnGame({}, INTERNATIONAL, rules.start(), tuple(moves))).splitlines()
    assert max(len(line) for line in lines) <= 80
    assert len(lines) > 10


@pytest.mark.parametrize("variant", VARIANTS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_what_is_written_is_read_back(variant, data):
    rules = rules_of(variant)
    tags = data.draw(
        st.dictionaries(
            st.sampled_from(["Event", "White", "Black", "Date", "Annotator"]), st.text(max_size=20), max_size=4
        )
    )
    result = data.draw(st.sampled_from([*RESULTS, "*", "4-6"]))
    game = PdnGame(tags, rules.ruleset, rules.start(), data.draw(games(variant)), result)
    (copy,) = read_pdn(write_pdn(game), rules.ruleset)
    assert copy.is_legal
    assert (copy.moves, copy.start, copy.ruleset) == (game.moves, game.start, game.ruleset)
    assert copy.result == canonical_result(result, rules.ruleset)
    for name, value in tags.items():
        if value.strip().isprintable() and value.strip():
            assert copy.tags[name] == " ".join(value.split())


_TAG_BITS = ['[Event "', '"]', "[FEN ", '"W:W31-50:B1-20"]', '[GameType "25"]', "[", "]", '"', "%", ";", "\\r"]
_MOVE_BITS = ["1.", "32-28", "19-23", "28x19", "4x", "c3:e5", "-", "...", "?", "!", "$3", "{", "}", "(", ")", "½", "²"]
_PDN_BITS = st.sampled_from([*_TAG_BITS, *_MOVE_BITS, "*", "1-1", "1/2-1/2", " ", "\n"])


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.lists(_PDN_BITS).map("".join)), st.sampled_from(variant_names()))
def test_no_text_makes_the_reader_raise(text, variant):
    for game in read_pdn(text, load_ruleset(variant)):
        assert isinstance(game.start, Position)
        write_pdn(replace(game, faults=()))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_game_cut_anywhere_keeps_a_legal_beginning(data):
    rules = rules_of("brazilian")
    moves = data.draw(games("brazilian", 30))
    text = write_pdn(PdnGame({"White": "A"}, rules.ruleset, rules.start(), moves))
    cut = data.draw(st.integers(0, len(text)))
    for game in read_pdn(text[:cut], rules.ruleset):
        assert list(game.moves) == list(moves[: len(game.moves)])


def test_a_file_names_its_own_variant():
    assert stated_ruleset("% variant: russian; from somewhere\n1. c3-d4 *") == RUSSIAN
    assert stated_ruleset('[GameType "21"]\n1. 11-15 *') == ENGLISH
    assert stated_ruleset("1. 32-28 *") is None
