"""PDN: every oddity of real files, whole corpora, and what we write ourselves."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fen import read_fen, write_fen
from engine.notation import full_move_text, read_move_squares
from engine.pdn import (
    PdnGame,
    canonical_result,
    read_pdn,
    read_pdn_bytes,
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


@pytest.mark.portable
@needs_shared("corpora/tricky-pdn.json")
@pytest.mark.parametrize("case", [_tricky(case) for case in TRICKY])
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
    ("antidraughts", "antidraughts", 17, []),
    ("breakthrough", "breakthrough", 17, []),
    ("frisian", "frisian", 10, []),
    ("frysk", "frysk", 17, []),
    ("pool-playstrategy", "pool", 2, []),
    ("portuguese", "portuguese", 2, []),
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


FORMS = [
    # how the moves are written, variant, what they are
    ("1.c3-d4d6-c5 2.b2-c3", "russian", "c3-d4 d6-c5 b2-c3"),
    ("1.c3-d4d6-c52.b2-c3f6-g53.c3-b4 1-0", "russian", "c3-d4 d6-c5 b2-c3 f6-g5 c3-b4"),
    ("32-2819-23 28x1914x23", "international", "32-28 19-23 28x19 14x23"),
    ("1.32-2819-232.28x1914x233.37-32", "international", "32-28 19-23 28x19 14x23 37-32"),
    ("1.32-28,19-23 2.28x19,14x23", "international", "32-28 19-23 28x19 14x23"),
    ("cd4 de5 bc3 ed6", "russian", "c3-d4 d6-e5 b2-c3 e7-d6"),
    ("1. cd4 bc5 2. d:b6 a:c5", "russian", "c3-d4 b6-c5 d4:b6 a7:c5"),
    ("c3d4 d6c5 b2c3", "russian", "c3-d4 d6-c5 b2-c3"),
    ("1. С3-D4 d6-с5", "russian", "c3-d4 d6-c5"),  # Cyrillic letters that look the same
    ("3228 1923 2819 1423", "international", "32-28 19-23 28x19 14x23"),
    ("32 28 19 23 28x19", "international", "32-28 19-23 28x19"),
    ("1. 32 - 28 19 - 23 2. 28 x 19 14 x 23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-\n28 19-23 2. 28x\n19", "international", "32-28 19-23 28x19"),
    ("1. 32–28 19—23 2. 28×19 14×23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28 19-23 2. 28-19 14:23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32x28 19X23 2. 28*19 14*23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28* 19-23 * 2. 28x19* 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28<br>19-23<br/>2. 28x19&nbsp;<b>14x23</b>", "international", "32-28 19-23 28x19 14x23"),
    ("1 32-28 19-23\n2 28x19 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1) 32-28 19-23 2) 28x19", "international", "32-28 19-23 28x19"),
    ("1: 32-28 19-23 2: 28x19", "international", "32-28 19-23 28x19"),
    ("1 . 32-28 19-23 2 . 28x19", "international", "32-28 19-23 28x19"),
    ("1. 32-28 1... 19-23 2. ... 3. ", "international", "32-28 19-23"),
    ("1. 32-28 1. 19-23 2. 28x19 2. 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("K32-28 19-23", "international", "32-28 19-23"),
    ("32-28 {1-6 {2-8} 3-9} 19-23 (31-26 (1. 34-30)) 28x19", "international", "32-28 19-23 28x19"),
    ("32-28 ; 31-26\n19-23 % 28x19\n14x23", "international", None),
    ("32-28 $1 19-23!? 28x19(?) 14x23 (!)", "international", "32-28 19-23 28x19 14x23"),
    ("32-28 [%clk 0:10:00] 19-23 (0:12) 0:09:55 28x19 {[%clock 0:09]} 14x23 12:30", "international", None),
    ("\x0032\x00-28\x00 19-23\x1a", "international", "32-28 19-23"),
    ("1.32-28\r\r\n19-23\r2. 28x19\v14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28 \\n19-23", "international", "32-28 19-23"),
    ('"32-28" "19-23"', "international", "32-28 19-23"),
    ("32-28, 19-23; the rest\n28x19.", "international", "32-28 19-23 28x19"),
    ("22-18 9-13 25-22", "russian", "c3-d4 b6-a5 b2-c3"),
    ("c3-d4 b6-c5", "pool", "22-18 9-14"),
    ("1. 32-28 $142 19-23$2 2. 28x19 $ 1 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32−28 19‑23 2. 28х19 14Х23", "international", "32-28 19-23 28x19 14x23"),
    ("1. ３２－２８ １９－２３ 2. ２８ｘ１９ 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1. ٣٢-٢٨ 19-23 2. 28x19 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32→28 19->23 2. 28xx19 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28± 19-23⩲ 2. 28x19∓ 14x23□", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28+- 19-23-+ 2. 28x19+/- 14x23=", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28‼ 19-23⁇ 2. 28x19¹ 14x23👍", "international", "32-28 19-23 28x19 14x23"),
    ("⛀32-28 ⛂19-23 \u200e28x19 14\xadx23", "international", "32-28 19-23 28x19 14x23"),
    ("w32-28 z19-23 w28x19 z14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28 19-23 2. 28x19x23 14x23x19", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28(2) 19-23(0:32) 2. 28x19{0:32}14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28[1] 19-23 [diagram] 2. 28x19 (diagram) 14x23 etc.", "international", "32-28 19-23 28x19 14x23"),
    ("1,32-28,19-23\n2,28x19,14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1;32-28;19-23\n2;28x19;14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28, 19-23; 2. 28x19 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("32-28 ; 31-26\n19-23\n28x19 ; good\n14x23", "international", "32-28 19-23 28x19 14x23"),
    ("| 1 | 32-28 | 19-23 |\n| 2 | 28x19 | 14x23 |", "international", "32-28 19-23 28x19 14x23"),
    ("- 32-28 19-23\n• 28x19 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("> 1. 32-28 19-23\n> 2. 28x19 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1w. 32-28 1b. 19-23 2w. 28x19 2b. 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("W: 32-28 B: 19-23 W: 28x19 B: 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("17. 32-28 19-23 19. 28x19 14x23 20.", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28 ... 19-23 2. 28x19 … 14x23 3. --", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28 19-23\x0c2. 28x19\xa014x23\u202f", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28 {a { b} 19-23 2. 28x19) 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28 {(} 19-23 (1... 18-23 {)} 2. 31-26) 2. 28x19 14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28 0:01 19-23 0:02 2. 28x19 0:03 14x23 1:05", "international", "32-28 19-23 28x19 14x23"),
    ("1. 32-28 0:01:10 19-23 0:02:11 2. 28x19 14x23 0:07:00", "international", "32-28 19-23 28x19 14x23"),
    ("1.32-28/19-23 2.28x19/14x23", "international", "32-28 19-23 28x19 14x23"),
    ("1.32-2819-232.28x1914x233.37-3210-14", "international", "32-28 19-23 28x19 14x23 37-32 10-14"),
    ("1. c3d4d6c5 2. b2c3", "russian", "c3-d4 d6-c5 b2-c3"),
    ("1. с3-д4 д6-ц5 2. в2-с3 ф6-г5", "russian", "c3-d4 d6-c5 b2-c3 f6-g5"),
    ("1. c3-d4. d6-c5. Чёрные сдались.", "russian", "c3-d4 d6-c5"),
    ("1. c3-d4?! d6-c5!? 2. b2-c3?? +-", "russian", "c3-d4 d6-c5 b2-c3"),
]


@pytest.mark.parametrize(("text", "variant", "moves"), FORMS, ids=[row[0][:30] for row in FORMS])
def test_every_way_of_writing_moves(text, variant, moves):
    game = only(text, load_ruleset(variant))
    assert game.is_legal
    moves = "32-28 19-23 28x19 14x23" if moves is None else moves
    assert " ".join(texts(game)) == moves


RESULT_FORMS = [
    ("1-0", "1-0"),
    ("2-0", "2-0"),
    ("2 - 0", "2-0"),
    ("2–0", "2-0"),
    ("0:2", "0-2"),
    ("1:1", "1-1"),
    ("½-½", "1/2-1/2"),
    ("½", "1/2-1/2"),
    ("1/2", "1/2-1/2"),
    ("1/2 - 1/2", "1/2-1/2"),
    ("2-0F", "2-0"),
    ("1-0 (time)", "1-0"),
    ("12-0", "12-0"),
    ("0-12", "0-12"),
    ("6-6", "6-6"),
    ("*", "*"),
    ("0-0", "0-0"),
    ("0.5-0.5", "1/2-1/2"),
    ("0,5-0,5", "1/2-1/2"),
    ("1.0-0.0", "1-0"),
    ("1-O", "1-0"),
    ("1-0ff", "1-0"),
    ("1-1.", "1-1"),
    ("1-1 (5-5)", "1-1"),
    ("2-0 (opgegeven)", "2-0"),
    ("2-0!", "2-0"),
    ("1-0*", "1-0"),
    ("20-0", "20-0"),
    ("Remise", "1/2-1/2"),
    ("ничья.", "1/2-1/2"),
    ("&frac12;-&frac12;", "1/2-1/2"),
]


@pytest.mark.parametrize(("text", "result"), RESULT_FORMS)
def test_every_way_of_writing_results(text, result):
    after = only(f"1. 32-28 19-23 {text}")
    assert (len(after.moves), after.result, after.faults) == (2, result, ())
    tag = only(f'[Result "{text}"]\n1. 32-28 19-23')
    assert (len(tag.moves), tag.result, tag.faults) == (2, result, ())


@pytest.mark.parametrize("score", ["8-4", "4-8", "7-5", "9-1", "3-7"])
def test_a_score_is_told_from_a_move(score):
    told = only(f'[Result "{score}"]\n1. 32-28 19-23 {score}\n')
    assert (len(told.moves), told.result, told.faults) == (2, score, ())
    guessed = only(f"1. 32-28 19-23 {score}\n")
    assert (guessed.result, guessed.faults) == (score, ())
    assert guessed.notes[-1].reason == f"{score} is read as the score"
    between = only(f"1. 32-28 19-23 {score} 28x19")
    assert not between.is_legal


def test_a_move_that_looks_like_a_score_is_a_move():
    game = only('[FEN "B:WK50:B4,1"]\n1... 4-9 2. 50-44 1-6')
    assert texts(game) == ["4-9", "50-44", "1-6"]


TAG_FORMS = [
    ('[White "A"]', "A"),
    ('[White"A"]', "A"),
    ('[White: "A"]', "A"),
    ('[White = "A"]', "A"),
    ('[ white   "A" ]', "A"),
    ("[White “A”]", "A"),
    ("[White 'A']", "A"),
    ("[White A]", "A"),
    ('[White "A]', "A"),
    ('[White "A"', "A"),
    ('[\nWhite "A"]', "A"),
    ('[White\t"A"]', "A"),
    ('[White "A \\"the\\" B"]', 'A "the" B'),
    ('[White "A "the" B"]', 'A "the" B'),
    ('[White "C:\\"]', "C:\\"),
    ('[White "A\nB"]', "A B"),
    ('[White "A &amp; B"]', "A & B"),
    ('[White "A {b} (c) ; d"]', "A {b} (c) ; d"),
    ('[Wite "A"]', "A"),
    ('[Whtie "A"]', "A"),
    ('[Bianco "A"]', "A"),
    ('[Blancas "A"]', "A"),
    ('[Weiß "A"]', "A"),
    ('[Белые "A"]', "A"),
    ('[Beyaz "A"]', "A"),
    ('[Білі "A"]', "A"),
    ('[[White "A"]]', "A"),
    ("[White «A»]", "A"),
    ('[WHITE "A"] {first}', "A"),
    ('[White "A"][White "B"]', "A"),
]


@pytest.mark.parametrize(("tag", "value"), TAG_FORMS)
def test_every_way_of_writing_tags(tag, value):
    (game,) = read_pdn(f'[Event "E"]\n{tag}\n[Result "1-1"]\n1. 32-28 19-23\n', INTERNATIONAL)
    assert game.tags["White"] == value
    assert (len(game.moves), game.result, game.faults) == (2, "1-1", ())


@pytest.mark.parametrize("value", ["(2-0)", "+/-", "1-0 forfeit", "2:0 (time)", "+:-"])
def test_a_result_that_only_a_tag_can_state(value):
    assert winner_of(only(f'[Result "{value}"]\n1. 32-28 19-23').result, INTERNATIONAL) is Side.WHITE


def test_a_word_for_a_draw_in_the_middle_is_a_remark():
    game = only("1. 32-28 (remise) remise 19-23 2. 28x19 *")
    assert (len(game.moves), game.result) == (3, "*")


NAMED = [
    ('[GameType "25"]', "russian"),
    ('[GameType " 25 , W, 8, 8, A0, 0 "]', "russian"),
    ('[GameType "25;W;8;8;A0;0"]', "russian"),
    ('[GameType "25 W 8 8 A0 0"]', "russian"),
    ('[GameType "025."]', "russian"),
    ('[GameType "25-W"]', "russian"),
    ('[GameType "GameType 25"]', "russian"),
    ('[Game Type "25"]', "russian"),
    ('[game_type "25 (Russian)"]', "russian"),
    ('[GameType "Shashki-64"]', "russian"),
    ('[Variant "Русские шашки"]', "russian"),
    ('[Variant "Russian draughts"]', "russian"),
    ('[Variant "Brazilian"]\n[GameType "26"]', "brazilian"),
    ('[Variant "Damas brasileiras"]', "brazilian"),
]


@pytest.mark.parametrize(("tag", "name"), NAMED)
def test_every_way_of_naming_what_is_played(tag, name):
    game = only(f"{tag}\n1. c3-d4 d6-c5 *")
    assert (game.ruleset.name, len(game.moves), game.faults) == (name, 2, ())


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("Standard", "russian"),
        ("From Position", "russian"),
        ("American checkers", "english"),
        ("American pool checkers", "pool"),
        ("Pool checkers", "pool"),
        ("Frysk!", "frysk"),
        ("Frisian", "frisian"),
        ("Breakthrough", "breakthrough"),
        ("Antidraughts", "antidraughts"),
        ("Dama italiana", "italian"),
        ("Portuguese", "portuguese"),
        ("Turkish draughts (Dama)", "turkish"),
        ("International draughts", "international"),
    ],
)
def test_variants_as_servers_name_them(value, name):
    (game,) = read_pdn(f'[Variant "{value}"]\n*', RUSSIAN)
    assert game.ruleset.name == name


@pytest.mark.parametrize("capture", ["c:e5:g7", "c:e:g7", "c3:e:g7", "ceg7", "cg7", "c3e5g7", "c3 : e5 : g7", "c3-g7"])
def test_every_way_of_writing_a_capture_of_two(capture):
    game = only(f'[FEN "W:Wc3:Bd4,f6,b8"]\n1. {capture} b8-c7 *', RUSSIAN)
    assert texts(game) == ["c3:e5:g7", "b8-c7"]


@pytest.mark.parametrize("value", ["", "?", "-"])
def test_a_fen_that_says_nothing_is_the_start(value):
    game = only(f'[FEN "{value}"]\n[SetUp "0"]\n1. 32-28 *')
    assert game.is_legal
    assert game.start == rules_for(INTERNATIONAL).start()


def test_words_between_tags_and_moves_are_no_moves():
    game = only('[White "A"]\n[Result "2-0"]\n\nPartij 12 (1998), ronde 3\n\n1. 32-28 19-23 2-0')
    assert (texts(game), game.tags["White"], game.faults) == (["32-28", "19-23"], "A", ())


@pytest.mark.parametrize("heading", ["Ronde 3, 1973: A. Wit - B. Zwart 2-0", "Wit 1-1 Zwart", "12-03-1998", "Partij 1"])
def test_a_heading_is_no_part_of_the_game(heading):
    first, second = read_pdn(f"{heading}\n1. 32-28 19-23 1-1\n\n{heading}\n1. 31-26 2-0\n", INTERNATIONAL)
    assert (texts(first), first.result, first.faults) == (["32-28", "19-23"], "1-1", ())
    assert (texts(second), second.result, second.faults) == (["31-26"], "2-0", ())


def test_what_is_cut_after_a_result_belongs_to_the_next_game():
    first, second = read_pdn('1. 32-28 19-23 1-1\n\n[Event "2"]\n1. 31-26 2-0\n[Whi', INTERNATIONAL)[:2]
    assert first.is_legal
    assert second.is_legal
    cut = read_pdn("1. 32-28 1-1\n\n[Whi", INTERNATIONAL)[-1]
    assert "never closed" in cut.faults[0].reason


def test_a_tag_that_breaks_into_the_moves_costs_no_other_game():
    found = read_pdn('1. 32-28 19[FEN "x. 2. 28x19 1-1\n\n[Event "2"]\n1. 31-26 2-0\n', INTERNATIONAL)
    assert not found[0].is_legal
    assert (found[-1].tags["Event"], texts(found[-1]), found[-1].faults) == ("2", ["31-26"], ())


@pytest.mark.parametrize("size", [10, 11, 12])
def test_numbers_of_three_digits(size):
    house = read_ruleset(f'base = "turkish"\ncolumns = {size}\nrows = {size}\nnotation = "numeric"\n', "wide")
    rules = rules_for(house)
    position, moves = rules.start(), []
    for ply in range(40):
        legal = rules.legal_moves(position)
        moves.append(legal[ply * 7 % len(legal)])
        position = position.after(moves[-1])
    game = PdnGame({}, house, rules.start(), tuple(moves))
    assert size == 10 or re.search(r"[0-9]{3}-[0-9]{2,3}", write_pdn(game))
    (copy,) = read_pdn(write_pdn(game), house)
    assert (copy.moves, copy.faults) == (game.moves, ())


def _by_hand(game_moves, ruleset, numeric, sign, style):
    """Moves written without the writer: numbers from the corner on, or columns and rows."""
    board = ruleset.geometry
    names = [str(n + 1) if numeric else f"{'abcdefghijkl'[c]}{board.rows - r}" for n, (c, r) in enumerate(board.cells)]
    words = []
    for ply, (move, is_unique) in enumerate(game_moves):
        path = (move.from_square, *(move.path[-1:] if style == "ends" and is_unique else move.path))
        join = sign if move.is_capture else "-"
        text = join.join(names[square] for square in path)
        if style == "parts":
            text = " ".join(f"{names[a]}{join}{names[b]}" for a, b in pairwise(path))
        words += [f"{ply // 2 + 1}."] * (ply % 2 == 0) + [text + "".join(f"/{names[square]}" for square in move.huffed)]
    return " ".join(words) + " *"


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_that_others_have_written(variant):
    rules = rules_of(variant)
    chance = random.Random(variant)
    position, played = rules.start(), []
    while len(played) < 60 and (legal := rules.legal_moves(position)) and rules.winner(position) is None:
        move = chance.choice(legal)
        same = rules.moves_between(position, move.from_square, move.to_square)
        played.append((move, len(same) == 1 and move.from_square != move.to_square))
        position = position.after(move)
    styles = [(True, "x", "ends"), (True, "-", "ends"), (True, "x", "whole"), (True, "x", "parts")]
    styles += [(False, ":", "ends"), (False, "-", "ends"), (False, "x", "whole"), (False, ":", "parts")]
    for style in styles:
        if style[2] == "parts" and any(move.huffed for move, _ in played):
            continue
        game = only(_by_hand(played, rules.ruleset, *style), rules.ruleset)
        assert game.faults == (), style
        assert [move.effect for move in game.moves] == [move.effect for move, _ in played], style


def test_a_tag_that_is_nearly_another_stays_when_the_other_is_there():
    assert only('[White "A"]\n[Whites "B"]\n1. 32-28 *').tags == {"White": "A", "Whites": "B"}


def test_tags_after_their_moves_belong_to_them():
    found = read_pdn('1. 32-28 *\n[White "A"]\n\n1. 31-26 *\n[White "B"]\n', INTERNATIONAL)
    assert [(texts(game), game.tags["White"]) for game in found] == [(["32-28"], "A"), (["31-26"], "B")]


def test_a_number_one_begins_another_game():
    found = read_pdn("1. 32-28 19-23\n\n1. 33-28 18-22\n1. 31-26\n\n1. 34-30", INTERNATIONAL)
    assert [len(game.moves) for game in found] == [2, 2, 1, 1]


def test_words_before_the_first_tag_are_no_game():
    (game,) = read_pdn('Games of 2005, round 3\n\n[Event "A"]\n1. 32-28 *', INTERNATIONAL)
    assert (game.tags, len(game.moves)) == ({"Event": "A"}, 1)


@pytest.mark.parametrize(
    "spoilt",
    ['[White "', "[FEN ", "{", "(", "1. 32-2", "1. 99-1", "1. 32-28 17-11", "32-", "x", "1. 4x15 ((", '[GameType "0"]'],
)
def test_a_fault_never_costs_the_next_game(spoilt):
    found = read_pdn(f'[Event "1"]\n{spoilt}\n[Event "2"]\n[Site "S"]\n1. 32-28 19-23 2-0\n', INTERNATIONAL)
    last = found[-1]
    assert (last.tags["Site"], len(last.moves), last.result) == ("S", 2, "2-0")
    assert last.is_legal or len(found) == 1


@pytest.mark.parametrize("cut", range(0, 330, 3))
def test_two_games_cut_at_any_place(cut):
    games_text = "".join(
        f'[Event "{name}"]\n[Result "1-1"]\n\n1. 32-28 19-23 {{a}} 2. 28x19 14x23 (1. 31-26) 3. 37-32 1-1\n\n'
        for name in ("one", "two", "three")
    )
    wanted = ["32-28", "19-23", "28x19", "14x23", "37-32"]
    found = read_pdn(games_text[:cut], INTERNATIONAL)
    for game in found[:-1]:
        assert (texts(game), game.faults) == (wanted, ())
    for game in found[-1:]:
        assert texts(game) == wanted[: len(game.moves)]


def test_the_game_type_says_where_squares_are_numbered_from():
    # The same two moves, c3-d4 and f6-e5, with square 1 in each corner.
    for digit, moves in (("0", "10-14 23-19"), ("1", "11-15 22-18"), ("2", "22-18 11-15"), ("3", "23-19 10-14")):
        game = only(f'[GameType "25,W,8,8,N{digit},0"]\n1. {moves} *')
        assert game.is_legal
        position = game.start
        for move in game.moves:
            position = position.after(move)
        algebraic = replace(game.ruleset, notation="algebraic")
        assert [full_move_text(move, algebraic) for move in game.moves] == ["c3-d4", "f6-e5"]
        copy = only(write_pdn(game))
        assert (copy.moves, copy.ruleset) == (game.moves, game.ruleset)


def test_the_game_type_sees_the_corner_from_the_side_that_begins():
    black = only('[GameType "25,B,8,8,N1,0"]\n1. 11-15 *')
    assert black.is_legal
    assert black.start.turn is Side.BLACK
    assert black.ruleset.first_square == "top left"


def test_an_inverted_board_is_read_and_written():
    game = only('[GameType "25,W,8,8,A0,1"]\n1. b3-c4 e6-d5 2. c4:e6 *')
    assert game.is_legal
    assert game.ruleset.corner == "right"
    copy = only(write_pdn(game))
    assert (copy.moves, copy.ruleset) == (game.moves, game.ruleset)


def test_squares_numbered_from_another_corner_are_seen():
    # On the mirrored board these moves are legal only when square 1 lies on the right of the far side.
    ruleset = load_ruleset("spanish")
    game = only("1. 23-18 9-14 2. 18x9 5x14 3. 22-18 14x23 4. 27x18 *", ruleset)
    assert game.is_legal
    assert game.ruleset.name == "spanish"
    assert "numbered from the top right" in game.notes[0].reason
    copy = only(write_pdn(game), ruleset)
    assert (copy.moves, copy.ruleset) == (game.moves, game.ruleset)


def test_the_only_rule_set_that_fits_is_found():
    game = only('[GameType "20"]\n1. 23-18 10-14 2. 18-15 11x18 3. 22x15 *')
    assert not game.is_legal or game.ruleset.name != "international"
    turkish = only("1. a3-a4 b6-b5 2. a4-b4 *")
    assert turkish.is_legal
    assert turkish.ruleset.name == "turkish"
    assert "read as turkish" in turkish.notes[0].reason


def test_several_rule_sets_that_fit_are_named_and_none_is_taken():
    game = only("1. c3-d4 b6-a5 *")
    assert game.ruleset == INTERNATIONAL
    assert not game.is_legal
    assert "these rule sets fit" in game.notes[-1].reason
    assert "brazilian" in game.notes[-1].reason
    assert "russian" in game.notes[-1].reason


@needs_shared("corpora/russian.pdn")
def test_the_games_of_a_file_decide_together():
    text = shared("corpora/russian.pdn").read_text(encoding="utf-8")
    bare = re.sub(r"^%[^\n]*\n|\[(?:GameType|FEN)[^\n]*\n", "", text, flags=re.MULTILINE)
    found = [game for game in read_pdn(bare, INTERNATIONAL) if game.moves]
    assert [game.ruleset.name for game in found] == ["russian"] * 7
    assert all(game.is_legal for game in found)
    # One of them can be nothing else; alone, the others could.
    reasons = [game.notes[-1].reason for game in found]
    assert any("the one rule set here that fits" in reason or "is written so" in reason for reason in reasons)
    assert any("which fits the games of this file" in reason for reason in reasons)


def test_a_text_that_no_rule_set_reads_stays_with_what_was_stated():
    game = only('[GameType "20"]\n1. 32-28 19-23 2. 28x19 14x24 *')
    assert game.ruleset == INTERNATIONAL
    assert texts(game) == ["32-28", "19-23", "28x19"]
    assert game.faults[0].ply == 4


def test_a_capture_that_goes_too_far_is_named_whole():
    game = only('[FEN "W:W27:B22,12,8"]\n1. 27x18x7x3 *')
    assert game.moves == ()
    assert "27x18x7x3" in game.faults[0].reason


def test_captured_pieces_in_a_fen_are_noted():
    game = only('[FEN "W:W31:BG12,13"]\n*')
    assert game.start.pieces(Side.BLACK) == (12,)
    assert "captured pieces" in game.notes[0].reason


def test_a_result_that_differs_from_the_tag_is_noted():
    assert "the moves end with 0-2" in only('[Result "2-0"]\n1. 32-28 0-2').notes[0].reason
    assert not only('[Result "1-0"]\n1. 32-28 2-0').notes


def test_a_tag_name_that_would_be_read_as_another_is_kept_apart():
    game = PdnGame({"Event": "A", "Wite": "B", "Ev ent": "C"}, INTERNATIONAL, rules_for(INTERNATIONAL).start())
    copy = only(write_pdn(game))
    assert copy.tags["Event"] == "A"
    assert copy.tags["White"] == "?"
    assert {"B", "C"} <= set(copy.tags.values())
    slip = PdnGame({"Variannt": "corners"}, INTERNATIONAL, rules_for(INTERNATIONAL).start())
    assert only(write_pdn(slip)).ruleset == INTERNATIONAL


def test_an_encoding_is_no_matter_for_the_moves():
    text = '[White "Игрок"]\n1. c3-d4 b6-c5 *\n'
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1251", "cp866", "koi8-r"):
        (game,) = read_pdn_bytes(text.encode(encoding), RUSSIAN)
        assert (game.tags["White"], len(game.moves)) == ("Игрок", 2)


def test_a_file_name_names_the_variant_where_nothing_else_does():
    (game,) = read_pdn_bytes(b"1. c3-d4 b6-c5 *\n", file_name="russian-2020")
    assert game.ruleset == RUSSIAN
    (plain,) = read_pdn_bytes(b"1. 32-28 19-23 *\n")
    assert plain.ruleset == INTERNATIONAL


def test_in_a_race_any_chain_between_two_squares_is_the_move():
    game = only("1. c1-c2 f8-f7 *", load_ruleset("corners"))
    assert not game.is_legal
    chain = only('[FEN "W:Wa1,a2,b3,c4:Bh8"]\n1. a1-a3-c3-c5 *', load_ruleset("corners"))
    assert [(move.from_square, move.to_square) for move in chain.moves] == [(56, 26)]


def test_a_capture_in_parts_is_joined_even_where_its_first_part_is_a_move():
    # One jump over 28 alone would be a whole capture by the way round.
    parts = only('[FEN "W:W33:B28,18,19,29"]\n1. 33x22 22x13 13x24 24x33 *', INTERNATIONAL)
    assert [sorted(move.captured) for move in parts.moves] == [[17, 18, 27, 28]]
    race = only('[FEN "W:Wa1,a2,b3:Bh8"]\n1. a1-a3 a3-c3 h8-h7 *', load_ruleset("corners"))
    assert texts(race)[1:] == ["h8-h7"]
    assert race.moves[0].to_square == 42


@pytest.mark.parametrize("opened", ["(1... 18-23 2. 28-22", "{ a remark", "((1... 18-23) 2. 38-32"])
def test_what_is_opened_and_never_closed_ends_before_the_next_game(opened):
    first, second = read_pdn(f"1. 32-28 19-23 {opened}\n\n1. 33-28 18-22 1-1\n", INTERNATIONAL)
    assert texts(first) == ["32-28", "19-23"]
    assert "never closed" in first.faults[0].reason
    assert (texts(second), second.faults, second.result) == (["33-28", "18-22"], (), "1-1")


def test_a_game_type_that_is_wrong_gives_way_to_the_default():
    game = only('[GameType "25"]\n[Result "1-1"]\n1. 32-28 19-23 2. 28x19 14x23 1-1')
    assert game.is_legal
    assert game.ruleset == INTERNATIONAL
    assert [note.reason for note in game.notes] == [
        "GameType '25' is russian; read as international",
        "not legal as russian, read as international",
    ]


def test_the_default_comes_before_another_side_that_begins():
    game = only('[GameType "25"]\n1. 11-15 23-19 2. 8-11 22-17 *', load_ruleset("pool"))
    assert (game.ruleset.name, game.start.turn, len(game.moves)) == ("pool", Side.BLACK, 4)


def test_a_slip_at_the_end_is_a_slip_and_no_other_game():
    # Not to capture is illegal in one game and the only way in none that fits by chance.
    game = only("1. 32-28 19-23 2. 28x19 14x23 3. 31-26 23-28 4. 38-32 *")
    assert (len(game.moves), game.ruleset) == (6, INTERNATIONAL)
    assert "must capture" in game.faults[0].reason
    position = only('[FEN "W:W28:B23"]\n1. 28-22 *')
    assert "must capture" in position.faults[0].reason
