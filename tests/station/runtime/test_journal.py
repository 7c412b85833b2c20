"""The journal: every event and effect comes back as it was; damage is named; strangers are skipped."""

from __future__ import annotations

import dataclasses
import json
import math

import msgspec
import pytest

from engine.game import new_game
from engine.position import Move, Side
from engine.ruleset import load_ruleset, variant_names
from engine.view import view_of
from firmware_bridge.driver import Battery, ClockTimes, Device, Role
from firmware_bridge.manipulations import Fetch, Home, Lift, Place, Remove, Slide
from station import announcements as say
from station import effects, events
from station.announcements import What
from station.clock import TimeControl
from station.effects import Announce, Answer, Choose, Clock, Halt, Handle, Show, StopChoosing
from station.errors import JournalError
from station.handling.arm import ArmSettings
from station.handling.plans import Tool
from station.journal import (
    FORMAT,
    Header,
    Resumed,
    as_read,
    encode_effect,
    encode_event,
    encode_header,
    plain_resumed,
    read_journal,
    resumed_in,
    salvage,
)
from station.settings import BLITZ, CALM, Pace, Settings

RULESET = load_ruleset("russian")
CONTROL = TimeControl(300_000, 3_000)
ARM = ArmSettings("gcode", Tool(crown="stack"), 12, 1)
SETTINGS = Settings(
    "table", RULESET, white="engine:3", pace=BLITZ, draws="claim", start_fen="W:Wc3:Bf6", clock=CONTROL, arm=ARM
)
HEADER = Header(FORMAT, "dambord 1", "0123", "2026-01-01T00:00:00.000Z", SETTINGS, "en")
MOVE = Move(22, (15, 6), (18, 10), True)
HARD = view_of([1 + number % 31 for number in range(32)], [(0, 0), (3, 7)], firm=False)
SOFT = dataclasses.replace(
    view_of([31] * 32, [], firm=True),
    seen=tuple((-0.25 * square, -1.5, 0.0, -12.0, -math.pi) for square in range(32)),
)
EVENTS = [
    events.BoardSeen(7, HARD),
    events.BoardSeen(8, dataclasses.replace(HARD, stray=(), firm=True)),
    events.BoardSeen(9, SOFT),
    events.Pressed(10, "confirm"),
    events.Requested(11, "mqtt:1", "new_game", {"variant": "russian", "plies": 2, "sure": True, "no": False}),
    events.PlayerChose(12, 4, MOVE),
    events.PlayerChose(12, 4, MOVE, -35),
    events.Pressed(12, "resign"),
    events.PlayerFailed(13, 5, "gone “away”"),
    events.DeviceLost(14, "no such file: /dev/ttyé"),
    events.BatteryTold(14, Battery(14, False)),
    events.ClockTold(14, ClockTimes(300_000, 299_000, Side.BLACK)),
    events.StopTold(15, True),
    events.HandSeen(15, True),
    events.ArmFound(15, "Grbl 1.1h"),
    events.ArmLost(15, "unplugged"),
    events.ArmDone(15, 4),
    events.ArmFailed(15, 4, "alarm", "ALARM:1", True),
    events.DeviceBack(15, Device("Board", "17", "1.2", True, False, True)),
    events.TimePassed(16),
]
OBJECT = say.MoveObject("c3:e7", "c3", ("g5", "e7"), ("d4", "f6"), "e7", True)
WHATS = [
    say.GameStarted("russian", "W:Wc3:Bf6", "person", "engine:1"),
    say.Moved(1, "white", "person", "c3-d4", "c3", ("d4",), (), "d4", False, "B:Wd4:Bf6", 900),
    say.Revised(1, OBJECT, OBJECT, "B:We7:Bf6"),
    say.PlayersChanged("person", "engine:3"),
    say.TakenBack(2, "W:Wc3:Bf6"),
    say.Illegal("must_capture", "1.5", "There is a capture.", ("c3",)),
    say.BoardDiffers(("c3", "d4")),
    say.BoardRestored(),
    say.Prompted("remove", "Take it off.", ("c3",)),
    say.GameOver("2-0", "no move is left", ""),
    say.DrawOffered("white"),
    say.DrawDeclined("black", True),
    say.DeviceGone("gone"),
    say.DeviceReturned("Board", "17"),
    say.Halted(True),
    say.ArmStep("lift", 1, 3, ("", "white_king")),
    say.ArmStopped("board", "", ("c3",), False),
]
EFFECTS = [
    *(Announce(number, "0123-1", what) for number, what in enumerate(WHATS, 1)),
    Show(((3, Role.LIFT), (9, Role.PLACE))),
    Show(()),
    Choose(3, "engine:1", new_game(RULESET)),
    Choose(3, "engine:1", new_game(RULESET), Clock(1000, 0)),
    StopChoosing(3),
    Answer("mqtt:1", None),
    Answer("mqtt:2", "not now"),
    Handle(
        4, (Home(), Lift((3, 4)), Place((2, 3), 1), Remove((1, 0), 2), Fetch(1, (1, 0)), Slide(((0, 0), (0.5, 1.0)))), 1
    ),
    Halt("hand"),
]


def journal(*lines, header=HEADER):
    return encode_header(header) + b"".join(lines)


def test_every_kind_of_event_effect_and_announcement_is_tried():
    assert {type(event) for event in EVENTS} == {*events.Event.__args__}
    assert {type(effect) for effect in EFFECTS} == {*effects.Effect.__args__}
    assert {type(what) for what in WHATS} == {*What.__args__}


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_as_it_was(event):
    _, (line,) = read_journal(journal(encode_event(event)))
    assert line.event == event
    assert line.effect is None


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: type(effect).__name__)
def test_an_effect_comes_back_as_plain_data(effect):
    _, (line,) = read_journal(journal(encode_effect(effect)))
    assert line.event is None
    assert line.effect == as_read(effect)
    assert line.effect["effect"] == type(effect).__name__
    if isinstance(effect, Announce):
        assert msgspec.convert(line.effect["what"], What) == effect.what


@pytest.mark.parametrize("variant", variant_names())
def test_a_header_keeps_the_whole_rule_set(variant):
    header = dataclasses.replace(HEADER, settings=dataclasses.replace(SETTINGS, ruleset=load_ruleset(variant)))
    assert read_journal(journal(header=header))[0] == header


@pytest.mark.parametrize("pace", [CALM, BLITZ, Pace(*range(1, 8))])
def test_a_header_keeps_the_pace(pace):
    header = dataclasses.replace(HEADER, settings=dataclasses.replace(SETTINGS, pace=pace))
    assert read_journal(journal(header=header))[0] == header


def test_a_game_that_is_gone_on_with_comes_back():
    game = new_game(RULESET)
    for _ in range(6):
        game = game.play(game.legal_moves[-1])
    resumed = Resumed(game, 9, "0122-3", "person", "engine:2")
    header = dataclasses.replace(HEADER, resumed=plain_resumed(resumed))
    assert resumed_in(read_journal(journal(header=header))[0]) == resumed
    assert resumed_in(HEADER) is None
    assert game.position.turn is Side.WHITE


def test_keys_that_nobody_knows_are_skipped():
    header = json.loads(encode_header(HEADER))
    header["later"] = {"a": 1}
    header["settings"]["later"] = 2
    header["settings"]["ruleset"]["later"] = 3
    event = {**json.loads(encode_event(EVENTS[-2])), "later": [4]}
    event["device"]["later"] = 5
    text = "\n".join(json.dumps(record) for record in (header, event)) + "\n"
    found, (line,) = read_journal(text.encode())
    assert found == HEADER
    assert line.event == EVENTS[-2]


def test_a_torn_last_line_is_left_out():
    whole = journal(encode_event(EVENTS[0]), encode_event(EVENTS[1]))
    for cut in range(1, len(encode_event(EVENTS[1])) + 1):
        _, lines = read_journal(whole[:-cut])
        assert [line.event for line in lines] == EVENTS[:1]


@pytest.mark.parametrize(
    "damage",
    [
        *(b"\0\0\0", b"", b"{", b"[]", b"7", b"null", b'"x"', b"\xff", b"[" * 20_000),
        *(b'{"event":"Unheard"}', b'{"event":"Pressed"}', b'{"event":[]}'),
        *(b'{"event":"BoardSeen","at_ms":1,"seen":"!"}', b'{"event":"BoardSeen","at_ms":1}'),
    ],
)
def test_a_damaged_line_is_named_and_salvage_goes_on_without_it(damage):
    text = journal(encode_event(EVENTS[0]), damage + b"\n", encode_event(EVENTS[1]))
    with pytest.raises(JournalError, match=r"^table\.jsonl: line 3: "):
        read_journal(text, "table.jsonl")
    header, lines, faults = salvage(text, "table.jsonl")
    assert header == HEADER
    assert [line.event for line in lines] == EVENTS[:2]
    assert len(faults) == 1
    assert "line 3" in faults[0]


@pytest.mark.parametrize("header", [b"", b"\0\0", b"{}", b"[]", b'{"journal":1}', b'{"journal":2}', b"\xff", b"3"])
def test_what_has_no_header_is_no_journal(header):
    for read in (read_journal, salvage):
        with pytest.raises(JournalError, match=r"^name: line 1: "):
            read(header + b"\n", "name")
        with pytest.raises(JournalError, match=r"^name: line 1: "):
            read(header, "name")
