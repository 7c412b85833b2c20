"""The board's cable is pulled in the middle of a game, and put back."""

from __future__ import annotations

from .record import effect, games_in, moves_of
from .station import BASE
from .test_games import GAMES, events, moves_told, phase

BOARD = f"{BASE}/table"


def test_the_game_waits_for_the_cable_and_goes_on(broker, listen, make_board, make_station):
    listener = listen()
    listener.subscribed()
    hands = make_board("table", "russian", seed=3)
    make_station({"table": hands}, broker.port)
    game = GAMES["russian"]
    listener.wait(lambda messages: phase(listener, "table", "turn", messages), what="a turn")
    for move in game[:4]:
        hands.play(move)
    moves_told(listener, "table", 4)

    hands.board.pull()
    listener.wait(lambda messages: told(listener, messages, b"offline"), 5, "offline")
    state = listener.wait(lambda messages: phase(listener, "table", "paused", messages), what="a pause")
    assert state["problem"]
    assert state["ply"] == 4
    assert state["guidance"]["sentence"]

    hands.play(game[4])  # people go on while nobody looks
    hands.board.plug()
    listener.wait(lambda messages: told(listener, messages, b"online"), 10, "online again")
    state = listener.wait(lambda messages: phase(listener, "table", "turn", messages), 10, "a turn")
    assert state["problem"] is None
    listener.wait(lambda messages: settled(listener, messages), 10, "the move made meanwhile, or a question about it")
    for move in game[5:8]:
        hands.play(move)
    moves_told(listener, "table", 8)
    told_events = events(listener, "table")
    record = moves_of(next(iter(games_in(told_events).values())))
    assert [effect(move) for move in record] == [effect(move) for move in game[:8]]
    kinds = [event["type"] for event in told_events]
    assert "device_lost" in kinds
    assert kinds.index("device_lost") < len(kinds) - 1 - kinds[::-1].index("device_back")


def told(listener, messages, wanted):
    latest = listener.latest(f"{BOARD}/availability", messages)
    return latest is not None and latest.payload == wanted


def settled(listener, messages):
    state = listener.latest(f"{BOARD}/state", messages).json
    return state["ply"] == 5


def test_a_board_that_is_not_there_yet_is_waited_for(broker, listen, make_board, make_station):
    listener = listen()
    listener.subscribed()
    hands = make_board("table", "russian")
    hands.board.pull()
    station = make_station({"table": hands}, broker.port)
    state = listener.wait(lambda messages: phase(listener, "table", "paused", messages), what="a pause")
    listener.wait(lambda messages: told(listener, messages, b"offline"), what="offline")
    assert "port-table" in station.said()
    state = listener.wait(
        lambda messages: (now := phase(listener, "table", "paused", messages)) and now["problem"] and now,
        what="the problem in words",
    )
    assert "port-table" in state["problem"]
    hands.board.plug()
    listener.wait(lambda messages: phase(listener, "table", "turn", messages), 10, "a turn")
