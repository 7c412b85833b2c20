"""How a service begins and ends."""

from __future__ import annotations

import socket
import sys
from time import monotonic

import pytest

from .broker import Broker, Listener
from .hands import Pauses
from .record import once
from .station import BASE
from .test_games import GAMES, events, moves_told, phase


def status(listener, messages, wanted):
    latest = listener.latest(f"{BASE}/status", messages)
    return latest is not None and latest.payload == wanted


def plies(listener):
    return [event["ply"] for event in once(events(listener, "table")) if event["type"] == "move"]


def test_the_first_move_is_possible_soon_after_the_start(
    broker, listen, make_board, make_station, record_property, capsys
):
    listener = listen()
    listener.subscribed()
    station = make_station({"table": make_board("table", "international")}, broker.port)
    listener.wait(lambda messages: phase(listener, "table", "turn", messages), what="a turn")
    seconds = listener.latest(f"{BASE}/table/state").at - station.started_at
    record_property("first_move_s", round(seconds, 2))
    with capsys.disabled():
        sys.stdout.write(f"first move possible after {seconds:.2f} s\n")
    assert seconds < 10


def test_O20_a_clean_end_says_offline_and_is_quick(broker, listen, make_board, make_station):
    listener = listen()
    listener.subscribed()
    hands = make_board("table", "russian")
    station = make_station({"table": hands}, broker.port)
    listener.wait(lambda messages: phase(listener, "table", "turn", messages), what="a turn")
    hands.play(GAMES["russian"][0])
    moves_told(listener, "table", 1)
    code, seconds = station.terminate()
    assert code == 0
    assert seconds < 5
    listener.wait(lambda messages: status(listener, messages, b"offline"), what="offline")
    late = listen()
    late.wait(lambda messages: status(late, messages, b"offline"), what="offline, retained")
    assert late.latest(f"{BASE}/status").retained
    assert "Traceback" not in station.said()


@pytest.mark.parametrize("frozen", ["while connected", "before"])
def test_a_broker_that_hangs_does_not_hold_up_the_end(broker, make_board, make_station, frozen):
    if frozen == "before":
        broker.freeze()
    hands = make_board("table", "russian")
    station = make_station({"table": hands}, broker.port)
    station.wait_for_a_game("table")
    if frozen == "while connected":
        broker.freeze()
        hands.play(GAMES["russian"][0])
    code, seconds = station.terminate()
    assert code == 0
    assert seconds < 5


def test_a_broker_that_hung_and_was_started_anew_is_told_all_that_came_meanwhile(
    broker, listen, make_board, make_station
):
    """More waits for its word than a client sends without it; none of that may count against what comes later."""
    hands = make_board("table", "russian", pauses=Pauses((0.3, 0.4), (0.05, 0.1), (0.05, 0.1)))
    station = make_station({"table": hands}, broker.port)
    station.wait_for_a_game("table")
    broker.freeze()
    for move in GAMES["russian"][:8]:
        hands.play(move)
    hands.wait((1.0, 1.0))
    broker.stop()
    broker.start()
    listener = listen()
    moves_told(listener, "table", 8)
    for move in GAMES["russian"][8:10]:
        hands.play(move)
    moves_told(listener, "table", 10)
    listener.wait(lambda _: listener.latest(f"{BASE}/table/state").json["ply"] == 10, what="the tenth move")


def test_O19_a_service_that_is_killed_is_offline_and_goes_on_where_it_was(broker, listen, make_board, make_station):
    listener = listen()
    listener.subscribed()
    hands = make_board("table", "russian")
    station = make_station({"table": hands}, broker.port)
    listener.wait(lambda messages: phase(listener, "table", "turn", messages), what="a turn")
    for move in GAMES["russian"][:2]:
        hands.play(move)
    moves_told(listener, "table", 2)
    station.kill()
    listener.wait(lambda messages: status(listener, messages, b"offline"), 5, "the last will")
    before = len(listener.heard)
    station.start()
    listener.wait(lambda messages: phase(listener, "table", "turn", messages[before:]), what="a turn")
    for move in GAMES["russian"][2:4]:
        hands.play(move)
    moves_told(listener, "table", 4)
    told = once(events(listener, "table"))
    assert {event["game"] for event in told} == {told[0]["game"]}
    assert [event["seq"] for event in told] == list(range(1, len(told) + 1))
    assert [event["ply"] for event in told if event["type"] == "move"] == [1, 2, 3, 4]
    assert status(listener, listener.heard, b"online")


def test_a_page_whose_port_is_taken_is_one_clear_sentence(make_board, make_station):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        station = make_station({"table": make_board("table", "russian")}, None, port)
        assert station.process is not None
        assert station.process.wait(10) == 2
    sentences = station.said().strip().splitlines()
    assert len(sentences) == 1
    assert str(port) in sentences[0]


def test_what_was_played_without_a_broker_is_told_after_a_kill_in_order(tmp_path, make_board, make_station):
    broker = Broker(tmp_path)
    hands = make_board("table", "russian", seed=8)
    station = make_station({"table": hands}, broker.port)
    station.wait_for_a_game("table")
    for move in GAMES["russian"][:3]:
        hands.play(move)
    hands.wait((1.0, 1.0))
    station.kill()
    broker.start()
    listener = Listener(broker.port)
    try:
        listener.subscribed()
        station.start()
        moves_told(listener, "table", 3)
        told = events(listener, "table")
        assert [event["seq"] for event in told] == list(range(1, len(told) + 1))
        assert [event["ply"] for event in told if event["type"] == "move"] == [1, 2, 3]
    finally:
        listener.close()
        broker.stop()


@pytest.mark.parametrize("broker_first", [True, False])
def test_O18_a_station_without_its_broker_plays_and_tells_later(tmp_path, make_board, make_station, broker_first):
    broker = Broker(tmp_path)
    if broker_first:
        broker.start()
    hands = make_board("table", "russian", seed=21)
    station = make_station({"table": hands}, broker.port)
    began = monotonic()
    if broker_first:
        listener = Listener(broker.port)
        listener.wait(lambda messages: phase(listener, "table", "turn", messages), what="a turn")
        listener.close()
        hands.play(GAMES["russian"][0])
        broker.stop()
    else:
        station.wait_for_a_game("table")
        hands.play(GAMES["russian"][0])
    for move in GAMES["russian"][1:4]:
        hands.play(move)
    broker.start()
    listener = Listener(broker.port)
    try:
        back = monotonic()
        listener.wait(lambda messages: status(listener, messages, b"online"), 10, "online")
        state = listener.wait(
            lambda messages: (now := phase(listener, "table", "turn", messages)) and now["ply"] == 4, 10, "the state"
        )
        assert state
        assert monotonic() - back < 10
        told = listener.wait(lambda _: (found := plies(listener)) and found[-1] == 4 and found, what="ply 4")
        assert told in ([1, 2, 3, 4], [2, 3, 4])
        assert broker_first or told[0] == 1
    finally:
        listener.close()
        broker.stop()
    assert monotonic() - began < 120
