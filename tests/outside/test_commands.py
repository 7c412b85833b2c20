"""Commands over MQTT: one answer each, and nothing that is sent breaks anything."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta

import pytest

from .asyncapi import OPERATIONS, check
from .record import games_in, moves_of
from .station import BASE
from .test_games import GAMES, events, moves_told, phase

BOARD = f"{BASE}/table"


@pytest.fixture
def table(broker, listen, make_board, make_station):
    """A station that is ready, hands, and a listener that may also speak."""
    listener = listen()
    listener.subscribed()
    hands = make_board("table", "russian", seed=2)
    station = make_station({"table": hands}, broker.port)
    listener.wait(lambda messages: phase(listener, "table", "turn", messages), what="a turn")
    return listener, hands, station


def ask(listener, name, payload, board=BOARD, **options):
    data = payload if isinstance(payload, str | bytes) else json.dumps(payload)
    listener.publish(f"{board}/cmd/{name}", data, **options)


def acks(listener, identity, count=1):
    topic = f"{BOARD}/ack/{identity}"
    return listener.wait(
        lambda messages: len(found := [m for m in messages if m.topic == topic]) >= count and found,
        what=f"{count} answers to {identity}",
    )


def now(offset_s=0.0):
    return (datetime.now(UTC) + timedelta(seconds=offset_s)).isoformat(timespec="milliseconds").replace("+00:00", "Z")  # noqa: TID251


def test_O26_commands_are_answered_once_each_and_act_once(table):
    listener, hands, _ = table
    for move in GAMES["russian"][:3]:
        hands.play(move)
    moves_told(listener, "table", 3)
    ask(listener, "take_back", {"id": "back-1", "at": now(), "ttl_s": 30, "args": {}})
    (answer,) = acks(listener, "back-1")
    assert answer.json == {"id": "back-1", "ok": True, "error": None}
    assert (answer.qos, answer.retained) == (1, False)
    ask(listener, "take_back", {"id": "back-1", "at": now(), "ttl_s": 30, "args": {}})
    first, second = acks(listener, "back-1", 2)
    assert first.payload == second.payload
    listener.wait(
        lambda messages: (at := listener.latest(f"{BOARD}/state", messages)) and at.json["ply"] == 2, what="ply 2"
    )
    # The game goes on from the position that was taken back to, once hands have put it up again.
    last = GAMES["russian"][2]
    hands.put(last["to"], None)
    hands.put(last["from"], "w")
    listener.wait(lambda messages: phase(listener, "table", "turn", messages), what="a turn")
    ask(listener, "take_back", {"id": "back-2", "args": {"plies": 99}})
    refused = acks(listener, "back-2")[0].json
    assert not refused["ok"]
    assert "99" in refused["error"]
    ask(listener, "new_game", {"id": "new-1", "at": now(), "args": {"variant": "brazilian"}})
    assert acks(listener, "new-1")[0].json["ok"]
    state = listener.wait(
        lambda messages: (found := phase(listener, "table", "setting_up", messages)) and found["ply"] == 0 and found,
        what="setting up",
    )
    assert state["variant"] == "brazilian"
    games = games_in(events(listener, "table"))
    assert len(moves_of(next(iter(games.values())))) == 2
    ask(listener, "new_game", {"id": "new-2", "args": {"variant": "tiddlywinks"}})
    assert "tiddlywinks" in acks(listener, "new-2")[0].json["error"]
    # Every topic of the document was heard in this test but three: Home Assistant, a table's broker
    # (test_mosquitto.py) and `dambord doctor` (test_doctor.py) have one of their own each.
    assert set(OPERATIONS) - check(listener.heard) == {"homeAssistant", "bridge", "doctor"}


def test_O24_a_command_that_waited_on_the_broker_is_refused_at_every_start(broker, listen, make_board, make_station):
    listener = listen()
    listener.publish(f"{BOARD}/cmd/resign", json.dumps({"id": "ghost", "args": {}}), retain=True)
    make_station({"table": make_board("table", "russian")}, broker.port)
    answer = acks(listener, "ghost")[0].json
    assert not answer["ok"]
    assert "retained" in answer["error"]
    listener.wait(lambda messages: phase(listener, "table", "turn", messages), what="a turn")


def test_O82_odd_commands_are_refused_and_break_nothing(table):
    listener, _, station = table
    refused = {
        "stale": ("resign", {"at": now(-60), "ttl_s": 30, "args": {}}),
        "no-time": ("resign", {"at": "yesterday", "args": {}}),
        "large": ("resign", {"args": {"side": "x" * 20_000}}),
        "unknown": ("launch", {"args": {}}),
        "later": ("halt_not", {"args": {}}),
        "listed": ("resign", {"args": ["white"]}),
        "nested": ("resign", {"args": {"side": {"deep": [1]}}}),
        "number": ("resign", {"args": {"side": 3}}),
        "half": ("take_back", {"args": {"plies": 0.5}}),
        "true": ("take_back", {"args": {"plies": True}}),
        "ttl": ("resign", {"at": now(), "ttl_s": "long", "args": {}}),
        "at-number": ("resign", {"at": 5, "args": {}}),
        "nul": ("new_game", {"args": {"variant": "russian\u0000"}}),
        "fen": ("new_game", {"args": {"start_fen": "W:Wz9:B"}}),
    }
    for identity, (name, rest) in refused.items():
        ask(listener, name, {"id": identity, **rest})
    for identity in refused:
        answer = acks(listener, identity)[0].json
        assert answer["ok"] is False, identity
        assert answer["error"], identity
    unanswerable = [
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"NaN",
        b"[]",
        b'{"id": 5}',
        b'{"id": ""}',
        b'{"id": "a/b"}',
        b'{"id": "+"}',
        b'{"id": "\\u0000"}',
        b"[" * 16_000,
        b'{"id":' * 2_000,
        b"x" * 100_000,
        json.dumps({f"key{number}": number for number in range(10_000)}).encode(),
    ]
    chance = random.Random(9)
    unanswerable += [chance.randbytes(chance.randrange(300)) for _ in range(60)]
    for payload in unanswerable:
        ask(listener, chance.choice(("resign", "new_game", "take_back")), payload, qos=0)
    for topic in ("", "a/b", "../resign", "%00"):
        ask(listener, topic, {"id": "topic"})
    ask(listener, "resign", {"id": "elsewhere"}, board=f"{BASE}/nowhere")
    ask(listener, "draw", {"id": "last", "unknown_key": {"a": [1, 2]}, "args": {}})
    assert acks(listener, "last")[0].json["ok"]
    answered = [heard.topic.rpartition("/")[2] for heard in listener.heard if "/ack/" in heard.topic]
    assert sorted({*answered} - {"topic"}) == sorted({*refused, "last"})
    assert all(answered.count(identity) == 1 for identity in refused)
    assert station.process.poll() is None
    assert "Traceback" not in station.said()
    over = listener.wait(lambda messages: phase(listener, "table", "over", messages), what="the end")
    assert over["ply"] == 0


def test_every_command_of_the_interface_is_answered(table):
    listener, *_ = table
    names = ("pause", "resume", "set_position", "set_variant", "set_players", "hint", "halt", "lamps", "draw")
    for name in names:
        ask(listener, name, {"id": f"each-{name}", "at": now(), "args": {}})
        answer = acks(listener, f"each-{name}")[0].json
        assert answer["ok"] is (answer["error"] is None), name
    ask(listener, "halt", {"id": "late", "at": now(-600), "ttl_s": 1})
    assert acks(listener, "late")[0].json["ok"]
