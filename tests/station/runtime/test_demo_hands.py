"""The demo's hands: what stands on a simulated board after they touched it, towers included."""

from __future__ import annotations

import pytest

from engine.notation import read_square
from engine.position import BLACK_MAN, EMPTY, WHITE_MAN
from engine.ruleset import load_ruleset
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort
from station.events import TimePassed
from station.runtime.demo import DemoHands
from station.runtime.loop import Outcome
from station.session import begin
from station.settings import Settings
from station.texts import load_texts

TOWERS = load_ruleset("towers")


def cell(name):
    return TOWERS.geometry.cells[read_square(name, TOWERS)]


@pytest.fixture
def hands(tmp_path):
    """White's tower on c3, Black's on d4: a white man under a black one under the black top."""
    fen = "W:Wc3=bw:Bd4=wbb,h8"
    session = begin(Settings("table", TOWERS, start_fen=fen), load_texts("en"), "boot")
    with PtyPort(device_for("matrix", 8, 8, colour=True), tmp_path / "port") as port:
        hands = DemoHands({"table": port}, TOWERS)
        for square, piece in enumerate(session.game.position.contents):
            if piece is not EMPTY:
                port.put(TOWERS.geometry.cells[square], piece)
        hands.hear(Outcome("table", session, TimePassed(0), ()))
        yield hands, port


def test_of_a_captured_tower_the_next_piece_shows(hands):
    hands, port = hands
    shown = []
    for _ in range(3):
        hands.take("table", cell("d4"))
        shown.append(port.contents(cell("d4")))
    assert shown == [BLACK_MAN, WHITE_MAN, EMPTY]


def test_a_tower_that_moves_is_taken_whole(hands):
    hands, port = hands
    hands.take("table", cell("c3"))
    assert port.contents(cell("c3")) is EMPTY
    hands.put("table", cell("e5"), "white_man")
    assert port.contents(cell("e5")) is WHITE_MAN
    hands.take("table", cell("h8"))
    assert port.contents(cell("h8")) is EMPTY
