"""What goes wrong with an arm: it ends in a checked position or in one clear thing to do, and the record is right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.position import BLACK_MAN, EMPTY, WHITE_MAN
from firmware_bridge.simulator.grbl_axes import ChipFaults
from station.announcements import ArmStep, ArmStopped, Moved
from station.events import ArmLost, HandSeen, StopTold
from station.handling.arm import Acting, Asking, Resting, Stopped
from station.handling.plans import Tool
from tests.station.arm_table import ArmTable


def replying(**settings):
    """A table at which the arm has just begun with its reply."""
    table = ArmTable(**settings)
    table.play("c3-d4")
    table.until(lambda: isinstance(table.session.arm.stage, Acting))
    return table


def is_done(table):
    return len(table.record) == 2


def finish_by_hand(table):
    """A person does what the page says."""
    table.shop.free_hand()
    table.chip.workshop.tool.held = []
    move = table.session.phase.move
    for square in (move.from_square, move.to_square, *move.captured):
        table.touch(square, table.session.game.position.after(move).contents[square])
    table.wait(3000)


def test_nothing_moves_before_somebody_lets_it():
    table = ArmTable(armed=False)
    table.play("c3-d4")
    table.wait(5000)
    assert table.chip.moves == 0
    assert table.guidance.key == "arm_offer"
    table.press("confirm")
    table.until(lambda: is_done(table))


def test_a5_letting_the_stop_go_moves_nothing():
    table = replying()
    table.send(StopTold(table.now, True))
    table.wait(1000)
    moves = table.chip.moves
    assert isinstance(table.session.arm.stage, Stopped)
    assert not table.chip.is_moving
    table.press("confirm")
    assert isinstance(table.session.arm.stage, Stopped)
    table.send(StopTold(table.now, False))
    table.wait(20_000)
    assert table.chip.moves == moves
    table.press("confirm")
    table.until(lambda: is_done(table))
    assert table.shop.collisions == []


def test_a1_a_piece_put_down_by_somebody_stops_it():
    table = replying()
    began = table.now
    table.put("c5", WHITE_MAN)
    table.wait(200)
    assert table.halts
    assert table.halts[0] - began <= 100
    assert table.heard_of(ArmStopped)[-1].reason == "board"
    assert "c5" in table.guidance.sentence
    table.wait(5000)
    assert not table.chip.is_moving
    table.take("c5")
    table.press("confirm")
    table.until(lambda: is_done(table))


def test_a3_a_hand_over_the_board_is_waited_for_and_that_is_said():
    table = ArmTable()
    table.send(HandSeen(table.now, True))
    table.play("c3-d4")
    table.wait(5000)
    assert table.chip.moves == 0
    assert table.guidance.sentence == "The arm is about to play: take your hand away from the board."
    table.send(HandSeen(table.now, False))
    table.until(lambda: is_done(table))


def test_b11_what_a_camera_sees_of_an_arm_over_the_board_is_no_hand_but_a_magnet_below_hides_none():
    table = ArmTable()
    table.play("c3-d4")
    seen = set()

    def is_over():
        arm = table.session.arm
        below = replace(arm, settings=replace(arm.settings, tool=Tool(slides=True, crown="ask")))
        seen.add((type(arm.stage).__name__, arm.hides_hands, below.hides_hands))
        return is_done(table)

    table.until(is_over)
    assert {("Resting", False, False), ("Warning", False, False), ("Acting", True, False)} <= seen
    assert not any(below for _, _, below in seen)


def test_a3_a_hand_stops_it_and_it_waits_until_the_hand_is_gone():
    table = replying()
    began = table.now
    table.send(HandSeen(began, True))
    assert table.halts == [began]
    table.wait(3000)
    assert not table.chip.is_moving
    table.press("confirm")
    assert isinstance(table.session.arm.stage, Stopped)
    table.send(HandSeen(table.now, False))
    table.press("confirm")
    table.until(lambda: is_done(table))


@pytest.mark.parametrize("later_ms", [0, 50, 150, 250])
def test_who_presses_at_once_after_a_stop_sets_it_going(later_ms):
    table = replying()
    table.wait(300)
    table.send(HandSeen(table.now, True))
    table.send(HandSeen(table.now, False))
    table.wait(later_ms)
    table.press("confirm")
    table.until(lambda: is_done(table))
    assert [stopped.reason for stopped in table.heard_of(ArmStopped)] == ["hand"]


def test_an_arm_that_somebody_stops_again_and_again_has_not_failed():
    table = replying()
    for _ in range(4):
        # The brake is faster than the request, so the job's end is heard of first.
        table.hear(table.motion.halt(table.now))
        assert table.ask("halt") is None
        table.wait(1000)
        table.press("confirm")
        table.until(lambda: isinstance(table.session.arm.stage, Acting))
    table.until(lambda: is_done(table))
    assert table.session.arm.off == ""


def test_a_halt_from_afar_is_obeyed_and_only_the_table_lets_it_go_on():
    table = replying()
    assert table.ask("halt") is None
    table.wait(5000)
    assert not table.chip.is_moving
    assert not table.session.arm.is_armed
    table.press("confirm")
    table.until(lambda: is_done(table))


def test_b3_a_piece_that_is_not_gripped_is_tried_for_twice_more():
    table = ArmTable()
    table.shop.tool.misses = 2
    table.play("c3-d4")
    table.until(lambda: is_done(table))
    assert table.shop.collisions == []
    assert table.heard_of(ArmStopped) == []


def test_b3_a_piece_that_is_never_gripped_is_left_to_a_person():
    table = ArmTable()
    table.shop.tool.misses = 99
    table.play("c3-d4")
    table.until(lambda: isinstance(table.session.arm.stage, Stopped))
    assert table.heard_of(ArmStopped)[-1].reason == "nothing"
    finish_by_hand(table)
    assert is_done(table)


def test_b4_a_dropped_piece_is_named():
    table = ArmTable()
    table.shop.tool.drops_after_mm = 60.0
    table.play("c3-d4")
    table.until(lambda: table.heard_of(ArmStopped))
    assert table.heard_of(ArmStopped)[-1].squares
    table.wait(3000)
    assert table.guidance.sentence
    assert table.record == ["c3-d4"]


@pytest.mark.parametrize(
    ("faults", "reason"),
    [
        (ChipFaults(alarm_at_move=3), "alarm"),
        (ChipFaults(reset_at_move=3), "reset"),
        (ChipFaults(error_at_move=3), "error"),
    ],
    ids=["d6-alarm", "b16-reset", "error"],
)
def test_a_controller_that_fails_stops_it_and_a_press_finds_home_again(faults, reason):
    table = ArmTable(faults=faults)
    table.play("c3-d4")
    table.until(lambda: table.heard_of(ArmStopped))
    assert table.heard_of(ArmStopped)[-1].reason == reason
    table.wait(2000)
    table.shop.free_hand()
    if table.session.arm.stage.holds and table.stands != list(table.session.game.position.contents):
        square = table.session.phase.move.from_square
        table.touch(square, table.session.game.position.contents[square])
    table.wait(2000)
    table.press("confirm")
    table.until(lambda: is_done(table))


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 7, 8])
def test_d4_an_answer_that_is_garbled_is_looked_into(number):
    table = ArmTable(faults=ChipFaults(garbled_at_move=number))
    table.play("c3-d4")
    table.until(lambda: is_done(table))
    assert table.shop.collisions == []
    assert table.heard_of(ArmStopped) == []


def test_d3_a_controller_that_falls_silent_stops_the_plan():
    table = ArmTable(faults=ChipFaults(silent_at_move=3))
    table.play("c3-d4")
    table.until(lambda: table.heard_of(ArmStopped))
    assert table.heard_of(ArmStopped)[-1].reason == "silent"
    table.send(ArmLost(table.now, "unplugged"))
    table.wait(1000)
    finish_by_hand(table)
    assert is_done(table)


def test_d10_homing_that_never_finds_its_switch_moves_nothing():
    table = ArmTable(faults=ChipFaults(switch_never=True))
    table.play("c3-d4")
    for _ in range(3):
        table.until(lambda: isinstance(table.session.arm.stage, Stopped) or table.session.arm.off)
        if table.session.arm.off:
            break
        table.press("confirm")
    assert table.chip.moves == 0
    assert table.session.arm.off
    assert table.guidance.key == "reply"


def test_d12_after_two_failed_recoveries_the_lamps_take_over_and_the_game_goes_on():
    table = ArmTable()
    table.shop.tool.misses = 999
    table.play("c3-d4")
    while not table.session.arm.off:
        table.until(lambda: isinstance(table.session.arm.stage, Stopped) or table.session.arm.off)
        if not table.session.arm.off:
            table.press("confirm")
    assert len(table.heard_of(ArmStopped)) == 3
    finish_by_hand(table)
    assert is_done(table)
    table.wait(2000)
    assert table.phase == "Turn"


def test_e6_a_new_game_asked_for_in_a_plan_waits_for_the_step_and_drops_the_rest():
    table = replying()
    moves = table.chip.moves
    assert table.ask("new_game") is None
    table.wait(20_000)
    assert isinstance(table.session.arm.stage, Resting)
    assert table.chip.moves - moves < 12
    assert table.phase == "SettingUp"


def test_e5_a_board_that_is_gone_ends_the_plan_with_its_step():
    table = replying()
    table.lose()
    table.wait(20_000)
    assert not table.session.arm.is_busy
    assert table.record == ["c3-d4"]
    table.regain()
    table.wait(5000)
    assert table.record == ["c3-d4"]


def test_b6_a_full_tray_is_emptied_first():
    table = ArmTable(fen="W:Wa1,c1:Bb4,d6,f4,h4", slots=7, spares=3)
    table.session = table.session
    tray = table.session.arm.tray
    assert tray.count(EMPTY) == 1
    table.play("c1-b2")
    table.until(lambda: len(table.record) >= 2 or isinstance(table.session.arm.stage, Asking))
    assert table.heard_of(Moved)


def test_e1_power_lost_with_a_piece_in_the_tool_asks_for_it():
    table = replying()
    table.until(lambda: table.heard_of(ArmStep))
    move = table.session.phase.move
    assert table.stands[move.from_square] is EMPTY
    again = ArmTable(armed=False)
    again.play("c3-d4")
    again.shop.take(again.ruleset.geometry.cells[move.from_square])
    again.sense()
    again.wait(3000)
    assert again.guidance.key in ("arm_offer", "reply")
    assert dict(again.guidance.cues)
    again.press("confirm")
    again.wait(5000)
    assert again.chip.moves == 0
    again.touch(move.from_square, BLACK_MAN)
    again.until(lambda: is_done(again))


def test_c11_the_arm_sets_up_a_new_game_when_it_is_asked_to():
    table = ArmTable(white="engine:1", black="engine:1", seed=9)
    table.until(lambda: len(table.record) >= 12, 1_000_000)
    assert table.ask("new_game") is None
    table.wait(20_000)
    assert table.phase == "SettingUp"
    moves = table.chip.moves
    table.wait(5000)
    assert table.chip.moves == moves
    assert table.ask("arm") is None
    table.until(lambda: table.session.arm.is_busy, 5000)
    assert table.guidance.key == "arm_setting_up"
    table.until(lambda: table.phase != "SettingUp", 1_000_000)
    assert table.shop.collisions == []
    assert table.stands == list(table.session.game.start.contents) or table.record


CAPTURE = "W:Wc3,h2:Be5,h8"


ROUND = "W:We5,d4,a3,c3,e3,b2,f2,h2,a1,c1,e1,g1:Bb8,d8,f8,h8,a7,c7,g7,b6,d6,f6,h6"


def test_c8_a_capture_that_ends_where_it_began_is_in_the_record_once_its_pieces_are_off():
    table = ArmTable("brazilian", ROUND)
    table.play("d4-c5")
    table.until(lambda: is_done(table))
    assert table.record == ["d4-c5", "d6xd6"]
    assert [step.kind for step in table.heard_of(ArmStep)] == ["remove"] * 4 + ["park"]
    assert table.stands == list(table.session.game.position.contents)
    table.wait(3000)
    assert len(table.record) == 2


@pytest.mark.parametrize("done", range(5))
def test_e2_a_start_goes_on_from_wherever_the_board_was_left(done):
    before = ArmTable(fen=CAPTURE)
    before.play("c3-d4")
    before.until(lambda: isinstance(before.session.arm.stage, Acting))
    plan = before.session.arm.plan
    left = (plan.start, *(step.after for step in plan.steps))[done]
    table = ArmTable(fen=CAPTURE, armed=False)
    table.play("c3-d4")
    for square, piece in enumerate(left):
        if piece is not table.stands[square]:
            table.touch(square, piece)
    table.wait(3000)
    if done == 1:  # the mover hung in the tool: a person has it now
        move = table.session.phase.move
        assert table.guidance.sentence
        table.touch(move.to_square, BLACK_MAN)
        table.wait(3000)
    if len(table.record) < 2:
        assert table.chip.moves == 0
        table.press("confirm")
    table.until(lambda: is_done(table))
    assert table.record == ["c3-d4", "e5:c3"]
    assert table.shop.collisions == []


@pytest.mark.parametrize("alarm", range(1, 10))
def test_d6_every_alarm_ends_in_a_checked_position(alarm):
    table = ArmTable(faults=ChipFaults(alarm_at_move=1 + alarm % 5, alarm=alarm))
    table.play("c3-d4")
    table.until(lambda: table.heard_of(ArmStopped))
    table.wait(2000)
    finish_by_hand(table)
    assert is_done(table)
    assert not table.chip.is_moving
