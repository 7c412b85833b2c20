"""An arm's games on a table with weight and friction: `pip install '.[physics]'`, `make soak ARGS=tests/physics`."""

from __future__ import annotations

import importlib

import pytest

from engine.position import BLACK_MAN, WHITE_MAN
from tests.physics.recording import Moment, record
from tests.station.arm_table import timber_for

pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]


@pytest.fixture
def world():
    """Here, and not in the module's head: nothing is skipped where nobody asks for these tests."""
    pytest.importorskip("mujoco")
    return importlib.import_module("tests.physics.world").World


def played(world, recording):
    table = world(recording.timber, recording.wood)
    for _ in table.play(recording.way):
        pass
    return table


GAMES = {
    "a game's first moves": {"variant": "russian", "plies": 14, "seed": 3},
    "a king from the tray": {"variant": "russian", "fen": "W:Wc7,a3:Bh8", "plies": 3},
    "a king of two men": {"variant": "russian", "fen": "W:Wc7,a3:Bh8", "plies": 3, "crown": "stack"},
    "two captured at once": {"variant": "international", "fen": "W:W33,45,46:B28,18,8,2,3"},
    "three captured, and a king": {"variant": "turkish", "fen": "W:Wd2,a1:Bd3,d5,d7,h8"},
}


@pytest.mark.parametrize("name", GAMES)
def test_every_piece_stands_where_the_game_has_it(world, name):
    recording = record(**GAMES[name])
    assert recording.collisions == ()
    assert any(move.captured or move.promotes for move in recording.game.moves)
    table = played(world, recording)
    assert table.pushed == []
    assert table.fallen == []
    assert table.board() == recording.expected


def test_what_is_carried_too_low_knocks_the_piece_in_its_way(world):
    recording = record("russian", "W:Wc3,a1:Bd4,h8", carry_mm=12.0)
    assert recording.collisions
    table = played(world, recording)
    assert any(pushed.startswith("BLACK_MAN") for pushed in table.pushed), table.pushed


def test_a_piece_on_the_edge_of_another_falls(world):
    timber = timber_for(8, 8)
    x, y = timber.centre(3, 3)
    table = world(timber, [((x, y, timber.board_z), WHITE_MAN), ((x + 20, y, timber.board_z + 8), BLACK_MAN)])
    for _ in table.play([Moment(0, (0.0, 0.0, 0.0), False), Moment(1000, (0.0, 0.0, 0.0), False)]):
        pass
    assert table.fallen == [BLACK_MAN]
