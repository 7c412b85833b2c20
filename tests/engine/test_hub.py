"""Hub: lines and messages, positions and moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import hub
from engine.errors import AmbiguousMoveError, HubError, IllegalMoveError
from engine.fen import read_fen
from engine.hub import (
    Done,
    Error,
    Go,
    Hub,
    Id,
    Info,
    Init,
    Level,
    NewGame,
    Param,
    Ping,
    PonderHit,
    Pong,
    Quit,
    Ready,
    SetParam,
    SetPosition,
    Stop,
    Wait,
    hub_move_text,
    position_text,
    read_hub,
    read_hub_move,
    read_position_text,
    write_hub,
)
from engine.position import Side
from tests.engine.boards import VARIANTS, position_in, positions, rules_of

LINES = [
    ("hub", Hub()),
    ("init", Init()),
    ("stop", Stop()),
    ("ponder-hit", PonderHit()),
    ("ping", Ping()),
    ("new-game", NewGame()),
    ("quit", Quit()),
    ("wait", Wait()),
    ("ready", Ready()),
    ("pong", Pong()),
    ("go think", Go()),
    ("go ponder", Go("ponder")),
    ("go analyze", Go("analyze")),
    ("set-param name=variant value=russian", SetParam("variant", "russian")),
    ('set-param name=book value=""', SetParam("book", "")),
    ("pos pos=Wbe", SetPosition("Wbe")),
    ('pos pos=Wbe moves="38-15 5-41 48-26"', SetPosition("Wbe", ("38-15", "5-41", "48-26"))),
    ("level depth=9", Level(depth=9)),
    ("level nodes=1000", Level(nodes=1000)),
    ("level move-time=0.050", Level(move_time_ms=50)),
    ("level moves=40 time=300.000 inc=1.500", Level(moves=40, time_ms=300_000, increment_ms=1_500)),
    ("level infinite", Level(infinite=True)),
    ('id name=Scan version=3.1 author="Fabien L" country=France', Id("Scan", "3.1", "Fabien L", "France")),
    ("param name=level value=5 type=int min=1 max=10", Param("level", "5", "int", "1", "10")),
    ("param name=book value=true type=bool", Param("book", "true", "bool")),
    ('param name=variant value=a type=enum values="a b"', Param("variant", "a", "enum", values=("a", "b"))),
    (
        'info depth=3 mean-depth=3.5 score=-0.25 nodes=10 time=0.012 nps=0.001 pv="32-28 19-23"',
        Info(3, 3.5, -0.25, 10, 12, 0.001, ("32-28", "19-23")),
    ),
    ("done move=32-28 ponder=19-23", Done("32-28", "19-23")),
    ("done move=28x19x23", Done("28x19x23")),
    ("done", Done()),
    ('error message="no such thing"', Error("no such thing")),
]


@pytest.mark.parametrize(("line", "message"), LINES)
def test_lines_and_messages(line, message):
    assert read_hub(line) == message
    assert write_hub(message) == line


def test_every_message_has_a_line_here():
    kinds = {type(message) for _, message in LINES}
    assert kinds == set(hub.GuiMessage.__args__) | set(hub.EngineMessage.__args__)


@pytest.mark.parametrize("line", ["", "   ", "castle", "uci", "hubb", '"', "=", "move 32-28"])
def test_what_nobody_knows_is_ignored(line):
    assert read_hub(line) is None


def test_unknown_arguments_are_ignored():
    assert read_hub('level depth=3 colour=green flag x="a b"') == Level(depth=3)
    assert read_hub("go think fast") == Go()
    assert read_hub("go") == Go()


def test_blanks_do_not_matter():
    assert read_hub("  level   move-time = 1.5  ") == Level(move_time_ms=1500)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("pos", "pos= is missing"),
        ("set-param value=3", "name= is missing"),
        ("level depth=three", "depth=three: expected a whole number"),
        ("level move-time=soon", "move-time=soon: expected a number"),
        ("level nodes=1.5", "nodes=1.5: expected a whole number"),
        ("level time=1e999", "time=1e999: expected a number"),
        ("level time=1e99", "time=1e99: expected at most"),
        ("level time=nan", "time=nan: expected a number"),
        ("param value=3", "name= is missing"),
        ("id version=3", "name= is missing"),
    ],
)
def test_a_wrong_argument_is_named(line, part):
    with pytest.raises(HubError, match=part):
        read_hub(line)


words = st.text(st.characters(categories=("L", "N", "P", "S"), exclude_characters='"'), min_size=1, max_size=8)
phrases = st.lists(words, max_size=4).map(" ".join)
counts = st.none() | st.integers(0, 10**11)


@given(
    st.one_of(
        st.builds(SetParam, phrases, phrases),
        st.builds(SetPosition, words, st.lists(words, max_size=5).map(tuple)),
        st.builds(Level, counts, counts, counts, counts, counts, counts, st.booleans()),
        st.builds(Id, phrases, phrases, phrases, phrases),
        st.builds(Param, phrases, phrases, words, words, words, st.lists(words, max_size=3).map(tuple)),
        st.builds(Info, counts, st.none() | st.floats(0, 99), st.none() | st.floats(-99, 99), counts, counts),
        st.builds(Done, words, words),
        st.builds(Error, phrases),
    )
)
def test_messages_survive_writing(message):
    assert read_hub(write_hub(message)) == message


@given(st.text())
def test_no_line_raises_anything_but_a_hub_error(line):
    for text in (line, "level " + line, "info depth=" + line, "pos pos=" + line):
        try:
            read_hub(text)
        except HubError:
            continue


@given(st.text())
def test_a_message_is_one_line(text):
    assert len(write_hub(Error(text)).splitlines()) == 1


@pytest.mark.parametrize("variant", VARIANTS)
@given(data=st.data())
def test_position_round_trip(variant, data):
    position = data.draw(positions(variant))
    text = position_text(position)
    assert len(text.partition(";")[0]) == 1 + len(position.contents)
    assert read_position_text(text, rules_of(variant)) == rules_of(variant).opened(position)


def test_towers_follow_the_letters():
    rules = rules_of("towers")
    position = read_fen("W:Wa3=bbw,c1:Bb4=wB", rules.ruleset)
    text = position_text(position)
    assert text.partition(";")[2] == "17=wB,21=bbw"
    assert read_position_text(text, rules) == position
    with pytest.raises(HubError, match="the piece on top that stands there"):
        read_position_text(text.replace("17=wB", "17=wb"), rules)
    with pytest.raises(HubError, match="no towers"):
        read_position_text(text, rules_of("russian"))


@pytest.mark.parametrize("variant", VARIANTS)
@given(data=st.data())
def test_move_round_trip(variant, data):
    position = data.draw(positions(variant))
    legal = rules_of(variant).legal_moves(position)
    for move in legal:
        assert read_hub_move(hub_move_text(move), legal) == move


def test_the_start_of_international_draughts():
    assert position_text(rules_of("international").start()) == "W" + "b" * 20 + "e" * 10 + "w" * 20


@pytest.mark.parametrize(
    ("text", "part"),
    [("W", "1 characters, expected 33"), ("X" + "e" * 32, "W or B"), ("W" + "x" * 32, "letters")],
)
def test_a_wrong_position_is_refused(text, part):
    with pytest.raises(HubError, match=part):
        read_position_text(text, rules_of("russian"))


def test_captured_squares_in_any_order_or_none():
    rules = rules_of("international")
    legal = rules.legal_moves(position_in("international", "W:W33:B17,28"))
    assert hub_move_text(legal[0]) == "33x11x17x28"
    assert read_hub_move("33x11x28x17", legal) == read_hub_move("33x11", legal) == legal[0]


def test_a_tower_jumped_again_is_written_as_often():
    rules = rules_of("towers-second-jump")
    position = read_position_text("Weebbbeeeeeebwebbeweeeeeeweeweeee;13=bbww,15=wwbbbb,16=wwwwwb,18=bw", rules)
    legal = rules.legal_moves(position)
    texts = [hub_move_text(move) for move in legal]
    assert {"18x20x15x16", "18x20x15x15x15x16"} <= set(texts)
    assert [read_hub_move(text, legal).effect for text in texts] == [move.effect for move in legal]


def test_moves_that_do_not_fit_are_told_apart():
    legal = rules_of("international").legal_moves(position_in("international", "W:WK4:B13,20,32,37"))
    with pytest.raises(AmbiguousMoveError) as doubt:
        read_hub_move("4x15", legal)
    assert set(doubt.value.candidates) == {"4x15x13x20x32", "4x15x13x20x37"}
    with pytest.raises(IllegalMoveError):
        read_hub_move("4-15x99", legal)
    with pytest.raises(HubError):
        read_hub_move("c3-d4", legal)


def test_the_side_to_move_stands_first():
    position = position_in("russian", "B:Wa1:BKh8")
    assert position.turn is Side.BLACK
    assert position_text(position) == "Beee" + "B" + "e" * 24 + "weee"
