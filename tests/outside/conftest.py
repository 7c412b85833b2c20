"""Boards, brokers and stations that end with their test."""

from __future__ import annotations

import pytest

from .asyncapi import check
from .broker import Broker, Listener, free_port
from .dgt_board import DgtBoard
from .hands import SIZES, Hands
from .station import Station


@pytest.fixture
def broker(tmp_path):
    """A broker that is running."""
    broker = Broker(tmp_path)
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def listen(broker):
    """Make listeners on the broker; what stations told them is held to the document of all topics."""
    listeners = []

    def make(**options):
        listener = Listener(broker.port, **options)
        listeners.append(listener)
        return listener

    yield make
    for listener in listeners:
        listener.close()
    for listener in listeners:
        check(listener.heard)


@pytest.fixture
def make_board(tmp_path):
    """Make boards with the pieces of a new game on them; gives the hands at each."""
    boards = []

    def make(name, variant, **options):
        board = DgtBoard(tmp_path / f"port-{name}", SIZES[variant])
        boards.append(board)
        hands = Hands(board, variant, **options)
        hands.set_up()
        return hands

    yield make
    for board in boards:
        board.close()


@pytest.fixture
def make_station(tmp_path):
    """Make stations for hands at boards; `tables` gives more keys for each board."""
    stations = []

    def make(hands, broker_port=None, web_port=None, **tables):
        boards = [
            {"id": name, "driver": "dgt", "port": str(at.board.path), "variant": at.variant, **tables.get(name, {})}
            for name, at in hands.items()
        ]
        station = Station(tmp_path, broker_port, free_port() if web_port is None else web_port, boards)
        stations.append(station)
        station.start()
        return station

    yield make
    for station in stations:
        station.kill()
