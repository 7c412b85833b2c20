"""S64, S70, S71, S77: spoilt bytes, cables pulled at the worst moment, batteries; ports: runtime/test_links.py."""

from __future__ import annotations

from itertools import pairwise

import pytest

from firmware_bridge.simulator import Faults
from station import status
from station.announcements import Prompted
from tests.station.runtime.games import game

from .scene import BOARDS

SPOILT = Faults(lost_byte=0.002, flipped_bit=0.002, extra_byte=0.002, duplicated_message=0.02)
"""Every fourth packet of our own board, and every tenth field update of a DGT-compatible one, does not arrive whole."""


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", range(3))
def test_S70_a_garbled_link_costs_no_move(sit, board, seed):
    scene = sit("russian", board=board, seed=seed, faults=SPOILT)
    _, _, moves = game("russian", 16)
    for ply, move in enumerate(moves, 1):
        scene.carry_out(move)
        scene.until(lambda ply=ply: scene.session.game.ply == ply, 12_000)
    assert [move.effect for move in scene.session.game.moves] == [move.effect for move in moves]
    assert scene.driver.counters.dropped > 0


def setting_up(scene):
    assert scene.ask("new_game") is None
    scene.lift("a1")


def moving(scene):
    scene.play("c3-b4")
    scene.lift("b6")


def clearing(scene):
    scene.play("c3-b4", "b6-a5", "g3-f4")
    scene.lift("a5")
    scene.put("c3")
    scene.wait(1000)


def please_fix(scene):
    scene.play("c3-d4")
    scene.lift("h8")
    scene.put("e5")
    scene.wait(4000)
    assert scene.guidance.key in ("differs", "illegal")


def paused(scene):
    scene.play("c3-d4")
    assert scene.ask("pause") is None


def over(scene):
    scene.play("c3-d4")
    assert scene.ask("resign") is None


def put(*names, taken=()):
    def hand(scene):
        for name in names:
            scene.put(name)
        scene.remove(*taken)

    return hand


STATES = {
    "setting up": (setting_up, put("a1"), "Turn", []),
    "moving": (moving, put("a5"), "Turn", ["c3-b4", "b6-a5"]),
    "clearing": (clearing, put(taken=("b4",)), "Turn", ["c3-b4", "b6-a5", "g3-f4", "a5:c3"]),
    "please fix": (please_fix, put(), "Turn", ["c3-d4"]),
    "paused": (paused, put(), "Paused", ["c3-d4"]),
    "over": (over, put(), "Over", ["c3-d4"]),
}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("when", ["put right while away", "put right afterwards"])
def test_S71_the_cable_may_be_pulled_in_every_state(sit, board, state, when):
    bring_about, put_right, phase, record = STATES[state]
    scene = sit("russian", board=board)
    bring_about(scene)
    scene.unplug()
    assert (scene.phase, scene.guidance.key) == ("Paused", "lost")
    assert scene.silence(3000)
    if when == "put right while away":
        put_right(scene)
    scene.plug_in()
    if when == "put right afterwards":
        scene.until(lambda: scene.guidance.key != "lost")
        put_right(scene)
    scene.until(lambda: scene.phase == phase and scene.record == record, 6000)
    scene.wait(3000)
    assert (scene.phase, scene.record) == (phase, record)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("state", ["thinking", "reply shown", "reply half made"])
def test_S71_also_while_the_engine_has_the_move(sit, board, state):
    scene = sit("russian", board=board, white="engine:3")
    for reply, mine in (("c3-b4", "b6-a5"), ("g3-f4", "a5:c3")):
        scene.answer(reply)
        scene.play(reply, mine)
    if state != "thinking":
        scene.answer("d2:b4")
    if state == "reply half made":
        scene.lift("d2")
    scene.unplug()
    assert (scene.phase, scene.guidance.key) == ("Paused", "lost")
    assert scene.silence(3000)
    scene.plug_in()
    scene.until(lambda: scene.phase != "Paused")
    if state == "thinking":
        scene.until(lambda: scene.phase == "Waiting")
        scene.answer("d2:b4")
    assert scene.phase == "Answering"
    if state == "reply half made":
        scene.put("b4")
        scene.remove("c3")
    else:
        scene.move("d2:b4")
    scene.expect("c3-b4", "b6-a5", "g3-f4", "a5:c3", "d2:b4")


def test_S77_a_battery_at_fifteen_percent_is_warned_of_once_and_told_to_page_and_mqtt(sit):
    scene = sit("russian", board="dgt")
    scene.wait(2000)
    assert status.state(scene.session)["battery"] == {"percent": 90, "charging": False, "warning": None}
    scene.board.battery = 16
    scene.wait(130_000)
    assert scene.heard_of(Prompted) == []
    scene.board.battery = 15
    scene.until(lambda: bool(scene.heard_of(Prompted)), 130_000)
    (warning,) = scene.heard_of(Prompted)
    assert warning.sentence == "The board's battery is down to 15 %: charge it."
    assert status.state(scene.session)["battery"]["warning"] == warning.sentence
    for percent in (14, 16, 15, 12):
        scene.board.battery = percent
        scene.wait(130_000)
    assert len(scene.heard_of(Prompted)) == 1
    scene.board.charging = True
    scene.wait(130_000)
    assert status.state(scene.session)["battery"] == {"percent": 12, "charging": True, "warning": None}
    scene.board.charging = False
    scene.until(lambda: len(scene.heard_of(Prompted)) == 2, 130_000)
    scene.play("c3-d4")


def test_S77_a_spoilt_answer_about_the_battery_warns_nobody(sit):
    scene = sit("russian", board="dgt")
    scene.wait(2000)
    scene.board.battery = 3
    scene.until(lambda: scene.driver._battery_heard.percent == 3, 130_000)
    scene.board.battery = 90
    scene.wait(130_000)
    assert scene.heard_of(Prompted) == []
    assert scene.session.battery.percent == 90


@pytest.mark.parametrize(("board", "minutes"), [("dgt", 31), ("occupancy", 1)])
def test_S77_a_board_hears_from_the_host_all_the_while_its_player_thinks(sit, board, minutes):
    scene = sit("russian", board=board)
    heard_ms, receive = [scene.now], scene.board.receive

    def listen(data, now_ms):
        heard_ms.append(now_ms)
        return receive(data, now_ms)

    scene.board.receive = listen
    scene.wait(minutes * 60_000)
    assert max(later - earlier for earlier, later in pairwise(heard_ms)) <= 1500
    assert scene.now - heard_ms[-1] <= 1500
    scene.play("c3-d4")


@pytest.mark.parametrize("board", ["occupancy", "colour"])
def test_S64_no_lamp_is_lit_for_what_was_put_right_while_the_cable_was_out(sit, board):
    """The board's first frames may still be those from before; nobody is scolded for them at once."""
    scene = sit("russian", board=board)
    scene.lift("b6", "d6")
    scene.wait(4000)
    assert scene.lamps
    scene.unplug()
    scene.wait(6000)
    assert scene.lamps == {}
    scene.put("d6")
    scene.put("b6")
    scene.plug_in()
    lit = []
    for _ in range(100):
        scene.wait(20)
        lit.append(scene.lamps)
    assert not any(lit)
    assert (scene.phase, scene.guidance.key) == ("Turn", "turn")
