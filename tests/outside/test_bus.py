"""A club's boards at one line: each plays its own game, and one without power disturbs no other."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from .dgt_bus import DgtBus
from .hands import SIZES, Hands
from .record import once
from .station import BASE
from .test_games import GAMES, at_ply, check_record, events, moves_told, phase

NUMBERS = {"ten": 2054, "eight": 311, "more": 312}
VARIANTS = {"ten": "international", "eight": "russian", "more": "russian"}
PLIES = 8
TABLES = {name: {"driver": "dgt-bus", "unique_id": str(number)} for name, number in NUMBERS.items()}


@pytest.fixture
def bus(tmp_path):
    """Three boards at one line."""
    line = DgtBus(tmp_path / "line", {NUMBERS[name]: SIZES[variant] for name, variant in VARIANTS.items()})
    yield line
    line.close()


@pytest.fixture
def hands(bus):
    """The hands at each, with the pieces of a new game on it."""
    at = {
        name: Hands(bus.boards[NUMBERS[name]], variant, seed=number)
        for number, (name, variant) in enumerate(VARIANTS.items())
    }
    for each in at.values():
        each.set_up()
    return at


def test_a_game_at_each_of_three_boards_on_one_line_while_one_loses_its_power(broker, listen, bus, hands, make_station):
    listener = listen()
    listener.subscribed()
    make_station(hands, broker.port, **TABLES)
    for board in hands:
        listener.wait(lambda messages, board=board: phase(listener, board, "turn", messages), what="a turn")
    plays = {name: GAMES[variant][:PLIES] for name, variant in VARIANTS.items()}
    off_at, half = bus.boards[NUMBERS["more"]], len(plays["more"]) // 2

    def play(board):
        for number, move in enumerate(plays[board]):
            if board == "more" and number == half:
                moves_told(listener, board, half)
                off_at.switch_off()
                listener.wait(lambda messages: phase(listener, board, "paused", messages), what="the board is gone")
                off_at.switch_on()
                listener.wait(lambda messages: phase(listener, board, "turn", messages), what="the board is back")
            hands[board].play(move)

    threads = [threading.Thread(target=play, args=(board,)) for board in hands]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for board, at in hands.items():
        moves_told(listener, board, len(plays[board]))
        listener.wait(partial(at_ply, listener, board, len(plays[board])))
        check_record(events(listener, board), at, plays[board])
        lost = [event for event in once(events(listener, board)) if event["type"] == "device_lost"]
        assert bool(lost) is (board == "more")
        at_last = listener.latest(f"{BASE}/{board}/availability")
        assert at_last.payload == b"online"
    assert all(set(board.asked) <= {0x81, 0x82, 0x83, 0x84, 0x87, 0x8B} for board in bus.boards.values())
