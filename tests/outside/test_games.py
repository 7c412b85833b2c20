"""Games on real wires: what hands play is what the broker tells, move for move."""

from __future__ import annotations

import json
import subprocess
import threading
from functools import partial
from pathlib import Path

from .hands import placement_of, start_of
from .record import effect, games_in, moves_of, once
from .station import BASE, DAMBORD

GAMES = json.loads((Path(__file__).parent / "games.json").read_text())


def phase(listener, board, wanted, messages=None):
    state = listener.latest(f"{BASE}/{board}/state", messages)
    return state is not None and state.json["phase"] == wanted and state.json


def events(listener, board):
    return [heard.json for heard in listener.on(f"{BASE}/{board}/event")]


def at_ply(listener, board, ply, messages):
    """Whether state and record, told at most five times a second, have come as far."""
    state, record = (listener.latest(f"{BASE}/{board}/{name}", messages) for name in ("state", "game"))
    return state and record and state.json["ply"] == len(record.json["moves"]) == ply


def moves_told(listener, board, count):
    return listener.wait(
        lambda _: sum(event["type"] == "move" for event in once(events(listener, board))) >= count, 30, f"{count} moves"
    )


def test_two_games_at_two_boards_are_told_exactly_as_played(broker, listen, make_board, make_station):
    listener = listen()
    listener.subscribed()
    hands = {
        "ten": make_board("ten", "international", seed=11),
        "eight": make_board("eight", "russian", seed=12),
    }
    make_station(hands, broker.port)
    for board in hands:
        listener.wait(lambda messages, board=board: phase(listener, board, "turn", messages), what="a turn")

    def play(board):
        for move in GAMES[hands[board].variant]:
            hands[board].play(move)

    threads = [threading.Thread(target=play, args=(board,)) for board in hands]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for board, at in hands.items():
        played = GAMES[at.variant]
        moves_told(listener, board, len(played))
        listener.wait(partial(at_ply, listener, board, len(played)))
        check_record(events(listener, board), at, played)
        check_retained(listen(), board, at, played)
    listener.wait(lambda messages: listener.latest(f"{BASE}/info", messages), what="info")
    assert {heard.qos for heard in listener.heard if not heard.topic.endswith("/health")} == {1}
    # What comes to a subscriber of long standing never carries the mark of the retained.
    assert not any(heard.retained for heard in listener.heard if heard.topic.endswith("/event"))


def check_record(told, hands, played):
    games = games_in(told)
    assert len(games) == 1
    game = next(iter(games.values()))
    started = next(event for event in game if event["type"] not in ("device_lost", "device_back"))
    assert started["type"] == "game_started"
    assert started["variant"] == hands.variant
    assert placement_of(started["fen"]) == ("W", start_of(hands.variant))
    record = moves_of(game)
    assert [effect(move) for move in record] == [effect(move) for move in played]
    assert [move["text"] for move in record] == [move["text"] for move in played]
    assert all(move["by"] == "person" for move in record)
    standing = start_of(hands.variant)
    for number, move in enumerate(record, 1):
        piece = standing.pop(move["from"])
        for square in move["captured"]:
            standing.pop(square)
        standing[move["to"]] = piece.upper() if move["promotes"] else piece
        if move.get("fen") is not None:
            assert placement_of(move["fen"]) == ("WB"[number % 2], standing), move["text"]
    assert standing == hands.standing


def check_retained(late, board, hands, played):
    """A subscriber that comes late finds everything but events."""
    retained = {}

    def all_there(messages):
        retained.update({heard.topic: heard for heard in messages if heard.retained})
        wanted = {"status", "info", *(f"{board}/{name}" for name in ("availability", "state", "position", "game"))}
        return {f"{BASE}/{name}" for name in wanted} <= retained.keys()

    late.wait(all_there, what="retained topics")
    assert retained[f"{BASE}/status"].payload == b"online"
    assert retained[f"{BASE}/{board}/availability"].payload == b"online"
    assert f"{BASE}/{board}/event" not in retained
    side, last = "white" if len(played) % 2 == 0 else "black", played[-1]
    state, position, game = (retained[f"{BASE}/{board}/{name}"].json for name in ("state", "position", "game"))
    assert state["variant"] == position["variant"] == hands.variant
    assert (state["turn"], state["ply"], state["problem"]) == (side, len(played), None)
    assert effect(state["last_move"]) == effect(last)
    assert state["players"] == {"white": "person", "black": "person"}
    assert {"game", "phase", "result", "guidance", "clocks_ms", "seq", "boot"} <= state.keys()
    assert {"sentence", "squares"} <= state["guidance"].keys()
    assert placement_of(position["fen"])[1] == hands.standing
    occupied = {square for square, contents in position["seen"].items() if "empty" not in contents}
    assert occupied == hands.standing.keys()
    assert [effect(move) for move in game["moves"]] == [effect(move) for move in played]
    assert game["game"] == state["game"]
    assert game["result"] == state["result"]
    assert game["pdn"].rstrip().endswith(game["result"])
    assert all(move["text"] in game["pdn"] for move in played)
    info = retained[f"{BASE}/info"].json
    assert board in info["boards"]
    assert hands.variant in info["variants"]
    assert {"version", "capabilities", "devices"} <= info.keys()


def test_a_person_carries_out_what_the_engine_answers(broker, listen, make_board, make_station):
    listener = listen()
    listener.subscribed()
    hands = make_board("one", "russian", seed=5)
    make_station({"one": hands}, broker.port, one={"black": "engine:1"})
    listener.wait(lambda messages: phase(listener, "one", "turn", messages), what="a turn")
    hands.play(GAMES["russian"][0])
    for ply in (2, 4, 6):
        follow(hands, listener)
        state = listener.wait(
            lambda messages, ply=ply: (now := phase(listener, "one", "turn", messages)) and now["ply"] == ply and now,
            what=f"White's turn after ply {ply}",
        )
        hands.play(first_legal(listener, state["seq"]))
    told = games_in(events(listener, "one"))
    record = moves_of(next(iter(told.values())))
    assert [move["by"] for move in record][:6] == ["person", "engine"] * 3
    assert all(placement_of(move["fen"])[0] == "WB"[move["ply"] % 2] for move in record)


def follow(hands, listener):
    """Do what the lit squares say, one thing after the other, until nothing is lit and somebody else is to move."""
    done, held = {}, None
    while state := listener.wait(lambda messages, done=done: next_thing(listener, messages, done), what="guidance"):
        if state["phase"] == "turn":
            break
        done = lit = state["guidance"]["squares"]
        hands.wait((0.2, 0.5))
        for square, role in lit.items():
            # What is lit may be older than what the hands have done since.
            if role in {"lift", "remove"} and square in hands.standing:
                held = hands.standing[square] if role == "lift" else held
                hands.put(square, None)
        if held and "lift" not in lit.values():
            (target,) = (square for square, role in lit.items() if role == "place")
            hands.put(target, held.upper() if target.endswith("1") else held)
            held = None
    hands.turn = "W"


def next_thing(listener, messages, done):
    """The state that says something else to do than what was done, or that it is White's turn again."""
    state = listener.latest(f"{BASE}/one/state", messages).json
    if state["phase"] == "turn":
        return done and state
    lit = state["guidance"]["squares"]
    return state["phase"] == "answering" and lit and lit != done and state


def first_legal(listener, seq):
    """A legal move, as the command line lists them."""

    def position(messages):
        latest = listener.latest(f"{BASE}/one/position", messages).json
        return latest["seq"] >= seq and latest

    fen = listener.wait(position, what="the position")["fen"]
    command = [str(DAMBORD), "moves", "--variant", "russian", "--fen", fen, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=20).stdout)["moves"][0]
