"""DamExchange: every message byte for byte, there and back, and bytes that are none of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.dxp import (
    BACK_UNKNOWN,
    DRAW,
    MOST_SIGNS,
    NO_RESULT,
    SENDER_LOSES,
    SQUARES,
    WRONG_VERSION,
    BackAccept,
    BackRequest,
    Chat,
    DxpError,
    GameAccept,
    GameEnd,
    GameRequest,
    MoveMade,
    can_be_played,
    dxp_move,
    read_dxp,
    read_dxp_move,
    split_dxp,
    write_dxp,
)
from engine.errors import AmbiguousMoveError, IllegalMoveError
from engine.fen import read_fen
from engine.position import Move, Position, Side
from engine.rules import rules_for
from engine.ruleset import load_ruleset, variant_names

INTERNATIONAL = load_ruleset("international")
RULES = rules_for(INTERNATIONAL)
KINGS = Position(read_fen("B:WK5,48:BK1,20", INTERNATIONAL).contents, Side.BLACK)

# Written out by hand from the table of the protocol.
EXAMPLES = [
    (
        GameRequest("Dambord", Side.BLACK, 5, 75),
        b"R01Dambord                         Z005075A\0",
    ),
    (
        GameRequest("Dambord", Side.WHITE, 120, 0, KINGS),
        b"R01Dambord                         W120000BZ" + b"ZeeeW" + b"e" * 14 + b"z" + b"e" * 27 + b"wee" + b"\0",
    ),
    (GameAccept("Other", WRONG_VERSION), b"AOther                           1\0"),
    (MoveMade(3, 31, 27), b"M0003322800\0"),
    (MoveMade(0, 27, 18, (22,)), b"M000028190123\0"),
    (MoveMade(9999, 0, 49, (10, 43)), b"M99990150021144\0"),
    (GameEnd(NO_RESULT), b"E00\0"),
    (GameEnd(SENDER_LOSES, stop=True), b"E11\0"),
    (GameEnd(DRAW), b"E20\0"),
    (BackRequest(17, Side.WHITE), b"B017W\0"),
    (BackAccept(BACK_UNKNOWN), b"K1\0"),
    (Chat("good luck"), b"Cgood luck\0"),
]


@pytest.mark.parametrize(("message", "data"), EXAMPLES)
def test_every_message_to_the_byte(message, data):
    assert write_dxp(message) == data
    assert read_dxp(data[:-1]) == message


sides = st.sampled_from(list(Side))
names = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=32)
squares = st.integers(0, SQUARES - 1)
positions = st.builds(Position, st.tuples(*[st.sampled_from(KINGS.contents)] * SQUARES), sides)
thousand = st.integers(0, 999)
requests = st.builds(GameRequest, names, sides, thousand, thousand, st.none() | positions, st.integers(0, 99))
messages = st.one_of(
    requests,
    st.builds(GameAccept, names, st.integers(0, 2)),
    st.builds(MoveMade, st.integers(0, 9999), squares, squares, st.lists(squares, max_size=20).map(tuple)),
    st.builds(GameEnd, st.integers(0, 3), st.booleans()),
    st.builds(BackRequest, thousand, sides),
    st.builds(BackAccept, st.integers(0, 2)),
    st.builds(Chat, st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=126)),
)


@given(st.lists(messages, max_size=5), st.integers(0, 300))
def test_what_is_written_is_read_however_it_is_cut(sent, cut):
    data = b"".join(map(write_dxp, sent))
    first, rest = split_dxp(data[:cut])
    second, left = split_dxp(rest + data[cut:])
    assert [read_dxp(message) for message in first + second] == sent
    assert left == b""


@given(messages)
def test_no_message_is_too_long(message):
    assert len(write_dxp(message)) <= MOST_SIGNS + 1


@given(
    st.one_of(
        st.binary(max_size=140),
        st.builds(bytes.__add__, st.sampled_from([b"R01", b"A", b"M", b"E", b"B", b"K"]), st.binary(max_size=60)),
    )
)
def test_any_bytes_are_a_message_or_an_error_of_one_sentence(data):
    try:
        again = write_dxp(read_dxp(data))[:-1]
    except DxpError as error:
        said = str(error)
    else:
        said = ""
        assert read_dxp(again) == read_dxp(data)
    assert not said or ("expected" in said and said.isprintable())


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "expected a message that begins with one of R, A, M"),
        (b"HTTP/1.1 400 Bad Request", "'HTTP/1.1 400 Bad Request'"),
        (b"R02", "expected R, version"),
        (EXAMPLES[0][1][:-2] + b"C", "expected R, version"),
        (EXAMPLES[1][1][:-2], "A or B with W or Z and squares"),
        (b"AOther 0", "name .32 signs."),
        (b"M000332280", "expected M, seconds"),
        (b"M0003322801", "0 captured squares, expected 1"),
        (b"M0003003800", "square 0, expected 01 to 50"),
        (b"M000332510130", "square 51"),
        (b"M00033228\xb20", "expected M"),
        (b"E40", "reason 0 to 3"),
        (b"B017B", "W or Z"),
        (b"K3", "0, 1 or 2"),
        (b"C" + b"a" * 127, "128 signs, expected at most 127"),
    ],
)
def test_what_is_wrong_is_said(data, reason):
    with pytest.raises(DxpError, match=reason):
        read_dxp(data)


def test_bytes_without_end_are_refused_before_they_fill_the_memory():
    assert split_dxp(b"E00\0" + b"C" * MOST_SIGNS) == ((b"E00",), b"C" * MOST_SIGNS)
    with pytest.raises(DxpError, match="128 signs and no zero byte, expected at most 127"):
        split_dxp(b"E00\0" + b"C" * (MOST_SIGNS + 1))


def test_names_and_words_are_cut_and_made_ascii():
    assert read_dxp(write_dxp(GameAccept("Ломоносов" * 9))[:-1]) == GameAccept("?" * 32)
    assert read_dxp(write_dxp(Chat("dag\0\n" + "é" * 200))[:-1]) == Chat("dag??" + "?" * 121)


@pytest.mark.parametrize(
    "message", [GameRequest("a", Side.WHITE, 1000), MoveMade(-1, 0, 5), BackRequest(1000, Side.WHITE)]
)
def test_numbers_that_do_not_fit_are_refused(message):
    with pytest.raises(ValueError, match="expected a number of at most"):
        write_dxp(message)


def test_every_legal_move_of_a_position_is_read_back_whatever_the_order():
    # Eight ways of capturing with one king, some of them between the same squares.
    position = read_fen("W:WK1:B7,8,9,18,19,27,29,30,39,40", INTERNATIONAL)
    legal = RULES.legal_moves(position)
    assert len(legal) > 1
    for move in legal:
        message = dxp_move(move, 2)
        turned = MoveMade(2, message.from_square, message.to_square, message.captured[::-1])
        assert read_dxp_move(turned, legal).effect == move.effect


def test_moves_that_are_not_legal_or_not_one_are_refused():
    legal = RULES.legal_moves(RULES.start())
    assert read_dxp_move(MoveMade(0, 31, 27), legal).to_square == 27
    with pytest.raises(IllegalMoveError, match="32-27 is not"):
        read_dxp_move(MoveMade(0, 31, 26), [move for move in legal if move.to_square != 26])
    with pytest.raises(IllegalMoveError, match="32x28x30 is not"):
        read_dxp_move(MoveMade(0, 31, 27, (29,)), legal)
    two = [Move(0, (10,), (5,), promotes=promotes) for promotes in (False, True)]
    with pytest.raises(AmbiguousMoveError, match="1x11x6 fits 2"):
        read_dxp_move(MoveMade(0, 0, 10, (5,)), two)


def test_which_rule_sets_can_be_played():
    playable = {name for name in variant_names() if can_be_played(load_ruleset(name))}
    assert {"international", "frisian", "killer", "antidraughts"} <= playable
    assert not playable & {"russian", "canadian", "international-80", "towers", "turkish", "corners", "english"}
