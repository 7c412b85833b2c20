"""Clocks: the last touch stops them, a mess does not, and what is taken back is given back."""

from __future__ import annotations

import pytest

from engine.position import BLACK_MAN, EMPTY, WHITE_MAN, Side
from station.announcements import GameOver, GameStarted, Moved, Revised
from station.clock import Clocks, TimeControl, fresh, left_at
from station.effects import Choose
from station.events import BoardSeen
from station.keeping_time import left_ms
from station.session import deadline_ms
from station.settings import BLITZ, CALM
from tests.station.table import Table, see

CONTROL = TimeControl(60_000, 2_000)
PLAIN = TimeControl(60_000)


def clocks(table):
    left = left_ms(table.session)
    return left["white"], left["black"]


def timed(control=PLAIN, **more):
    return Table(clock=control, **more)


def running(table):
    return table.session.clocks.running


def test_without_a_clock_nothing_is_kept():
    table = Table()
    table.play("c3-d4")
    assert left_ms(table.session) is None
    (moved,) = table.heard_of(Moved)
    assert moved.clocks_ms is None


def test_nobodys_time_runs_before_the_first_move():
    table = timed()
    table.wait(10_000)
    assert clocks(table) == (60_000, 60_000)
    assert running(table) is None


def test_the_first_move_sets_them_going_from_its_last_touch():
    table = timed()
    table.wait(5000)
    table.move("c3-d4")
    touched = table.now
    table.wait(1000)
    assert clocks(table) == (60_000, 60_000 - (table.now - touched))
    assert running(table) is Side.BLACK


def test_the_last_touch_stops_a_clock_and_not_when_the_move_is_believed():
    """A king's move that might go on is believed after 900 ms; they cost nobody anything."""
    table = timed(fen="W:WKa1,h2:Bb8,d8")
    table.play("h2-g3", "b8-a7")
    began = table.now - 1500
    table.wait(3000)
    table.take("a1")
    table.put("c3", table.session.game.position.contents[table.square("a1")])
    touched = table.now
    before = clocks(table)
    table.wait(CALM.extended - 10)
    assert table.record[2:] == []
    assert clocks(table) == before
    table.wait(1010)
    assert table.record[2:] == ["a1-c3"]
    assert clocks(table)[1] == before[1] - (table.now - touched)
    assert clocks(table)[0] == before[0]
    assert before[0] <= 60_000 - (touched - began) + 100


def test_increment_for_each_move():
    table = timed(CONTROL)
    table.play("c3-d4")
    assert clocks(table)[0] == 62_000
    began = table.now
    table.wait(3000)
    table.play("b6-a5")
    white, black = clocks(table)
    assert white < 62_000
    assert 62_000 - 3000 - 1700 <= black <= 62_000 - 3000
    assert table.now > began


def test_a_delay_gives_back_what_a_move_took_and_no_more():
    table = timed(TimeControl(60_000, 0, 5_000))
    table.play("c3-d4", "b6-a5")
    assert clocks(table)[1] == 60_000
    table.wait(7000)
    table.play("d2-c3")
    spent = 60_000 - clocks(table)[0]
    assert 2000 <= spent <= 4000


@pytest.mark.parametrize("pace", [CALM, BLITZ])
def test_s21_the_opponents_time_does_not_start_while_a_captured_piece_is_left_standing(pace):
    table = timed(fen="W:Wc3,h2:Bd4,b8,h8,g7", pace=pace)
    table.take("c3")
    table.put("e5", WHITE_MAN)
    table.wait(10_000)
    assert table.guidance.key == "remove"
    assert table.record == []
    assert clocks(table)[1] == 60_000
    table.take("d4")
    touched = table.now
    table.wait(1000)
    assert table.record == ["c3:e5"]
    assert clocks(table)[1] == 60_000 - (table.now - touched)


def test_s21_later_in_the_game_the_movers_own_time_runs_on():
    table = timed(fen="W:Wc3,h2:Bd4,b8,h8,g7")
    table.play("c3:e5", "b8-a7", "e5-f6")
    white = clocks(table)[0]
    table.take("g7")
    table.put("e5", BLACK_MAN)
    table.wait(10_000)
    assert clocks(table)[0] == white
    assert clocks(table)[1] < 60_000 - 10_000
    table.take("f6")
    table.wait(1000)
    assert table.record[-1] == "g7:e5"


def test_a_move_that_stands_complete_when_the_time_is_over_is_in_time():
    table = timed(TimeControl(10_000), fen="W:WKa1,h2:Bb8,d8")
    table.play("h2-g3", "b8-a7")
    table.wait(clocks(table)[0] - 300)
    table.take("a1")
    table.put("c3", table.session.game.position.contents[table.square("a1")])
    left = clocks(table)[0]
    assert 0 < left < CALM.extended
    table.wait(2000)
    assert table.phase == "Turn"
    assert clocks(table)[0] == left


def test_a_piece_that_goes_on_after_the_time_is_over_was_not_in_time():
    """It rested on a legal square when the flag was due; then it was taken up again: the time ran all along."""
    table = timed(TimeControl(10_000), fen="W:WKa1,h2:Bb8,d8")
    table.play("h2-g3", "b8-a7")
    table.wait(clocks(table)[0] - 300)
    king = table.session.game.position.contents[table.square("a1")]
    table.take("a1")
    table.put("c3", king)
    table.wait(500)
    assert table.phase == "Turn"
    table.take("c3")
    assert table.phase == "Over"


@pytest.mark.parametrize("loser", [Side.WHITE, Side.BLACK])
def test_a_flag_falls_by_itself_and_is_announced_with_its_article(loser):
    table = timed(TimeControl(30_000))
    table.play(*("c3-d4", "b6-a5")[: 1 if loser is Side.BLACK else 2])
    wait = clocks(table)[0 if loser is Side.WHITE else 1]
    table.wait(wait - 1)
    assert table.phase == "Turn"
    assert deadline_ms(table.session) == table.now + 1
    table.wait(1)
    assert table.phase == "Over"
    (end,) = table.heard_of(GameOver)
    assert (end.result, end.reason, end.article) == (
        "0-2" if loser is Side.WHITE else "2-0",
        "the time is over",
        "1.8",
    )
    assert 0 in clocks(table)
    left = clocks(table)
    table.wait(60_000)
    assert clocks(table) == left


def test_a_flag_that_fell_before_a_late_event_falls_first():
    """The loop was busy: the touch is heard after the time was over."""
    table = timed(TimeControl(10_000))
    table.play("c3-d4", "b6-a5", "b2-c3")
    late = table.now + clocks(table)[1] + 5
    table.stands[table.square("a7")], table.stands[table.square("b6")] = EMPTY, BLACK_MAN
    table.send(BoardSeen(late, see(table.stands)))
    assert table.phase == "Over"


def test_a_revised_move_is_charged_to_who_changed_it():
    table = timed()
    table.play("g3-h4", "b6-a5", "c3-d4")
    black = table.session.clocks.turns[-1][1]
    white = table.session.clocks.turns[-1][0]
    table.take("d4")
    table.put("c3", WHITE_MAN)
    table.take("c3")
    table.put("b4", WHITE_MAN)
    touched = table.now
    table.wait(500)
    (revised,) = table.heard_of(Revised)
    assert revised.clocks_ms["black"] == black
    assert revised.clocks_ms["white"] < white
    assert clocks(table)[1] == black - (table.now - touched)


def test_taking_back_gives_the_time_back_by_hand_and_by_request():
    table = timed(CONTROL)
    table.play("c3-d4")
    at_first = table.session.clocks.turns[-1]
    table.play("b6-a5")
    table.wait(5000)
    table.stand(table.session.game.positions[-2].contents)
    table.wait(1200)
    assert table.record == ["c3-d4"]
    white, black = clocks(table)
    assert white == at_first[0]
    assert at_first[1] - 300 < black <= at_first[1]
    assert table.ask("take_back") is None
    assert clocks(table) == (60_000, 60_000)
    assert running(table) is None


def test_s50_taking_back_while_the_engine_thinks_stops_its_clock():
    table = timed(black="engine:3")
    table.play("c3-d4")
    table.wait(3000)
    assert clocks(table)[1] < 58_000
    assert table.ask("take_back") is None
    assert table.phase == "SettingUp"
    table.wait(5000)
    assert clocks(table) == (60_000, 60_000)
    table.stand(table.session.game.position.contents)
    table.wait(1000)
    assert table.phase == "Turn"
    table.play("c3-d4")
    assert running(table) is Side.BLACK


def test_a_pause_and_a_lost_board_stop_the_clock():
    table = timed()
    table.play("c3-d4")
    for stop, go_on in ((lambda: table.ask("pause"), lambda: table.ask("resume")), (table.lose, table.regain)):
        left = clocks(table)
        stop()
        table.wait(30_000)
        assert clocks(table) == left
        assert running(table) is None
        go_on()
        table.wait(1000)
        assert clocks(table)[1] == left[1] - 1000


def test_the_engines_clock_runs_while_it_thinks_and_nobodys_while_its_move_is_carried_out():
    table = timed(CONTROL, black="engine:3")
    table.play("c3-d4")
    (choose,) = [effect for effect in table.effects if isinstance(effect, Choose)]
    assert choose.clock.increment_ms == 2000
    assert 59_000 < choose.clock.left_ms <= 60_000
    table.wait(4000)
    table.choose("b6-a5")
    left = clocks(table)
    assert left[1] <= 60_000 - 4000
    table.wait(20_000)
    assert clocks(table) == left
    table.move("b6-a5")
    touched = table.now
    table.wait(1000)
    assert table.phase == "Turn"
    assert clocks(table) == (left[0] - (table.now - touched), left[1] + 2000)


def test_an_engine_loses_on_time_too():
    table = timed(TimeControl(5_000), black="engine:3")
    table.play("c3-d4")
    table.wait(5000)
    assert table.phase == "Over"
    assert table.stopped == table.chosen


def test_two_moves_in_one_frame_are_one_touch():
    table = timed(kind="colour")
    table.play("c3-d4")
    before = clocks(table)
    for name, piece in (("b6", EMPTY), ("a5", BLACK_MAN), ("b2", EMPTY), ("c3", WHITE_MAN)):
        table.stands[table.square(name)] = piece
    table.wait(2000)
    table.look()
    touched = table.now
    table.wait(1500)
    assert table.record == ["c3-d4", "b6-a5", "b2-c3"]
    white, black = clocks(table)
    assert white == before[0]
    assert black < before[1] - 2000 + 1
    assert running(table) is Side.BLACK
    assert touched <= table.now


def test_the_other_side_acting_at_once_pays_from_the_last_touch_of_the_move():
    table = timed(pause_ms=200)
    table.play("c3-d4")
    table.take("b6")
    table.put("a5", BLACK_MAN)
    landed, left = table.now, clocks(table)
    table.wait(0)
    table.pause_ms = 70
    table.take("b2")
    assert table.record == ["c3-d4", "b6-a5"]
    assert clocks(table)[0] == left[0] - (table.now - landed)


# --- ended by hand -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("button", ["confirm", "clock_black"])
def test_with_a_button_the_press_stops_the_clock(button):
    table = timed(confirm="button")
    table.move("c3-d4")
    table.wait(1000)
    table.press("clock_white")
    table.move("b6-a5")
    table.wait(3000)
    before = clocks(table)
    table.press(button)
    assert clocks(table) == before
    assert running(table) is Side.WHITE
    assert table.record == ["c3-d4", "b6-a5"]
    assert before[1] <= 60_000 - 3000


def test_with_a_button_a_move_that_nobody_ended_is_not_in_time():
    table = timed(TimeControl(10_000), confirm="button")
    table.move("c3-d4")
    table.press("clock_white")
    table.move("b6-a5")
    table.wait(10_000)
    assert table.phase == "Over"
    assert table.record == ["c3-d4"]


def test_the_other_sides_lever_sets_the_clocks_going():
    table = timed()
    table.press("clock_white")
    table.wait(1000)
    assert clocks(table) == (60_000, 60_000)
    table.press("clock_black")
    table.wait(1000)
    assert clocks(table) == (59_000, 60_000)


# --- the game around it --------------------------------------------------------------------------------------------


def test_a_new_game_may_have_another_clock():
    table = timed()
    assert "expected minutes" in table.ask("new_game", clock="soon")
    assert table.ask("new_game", clock="3+2") is None
    table.wait(1000)
    (started,) = table.heard_of(GameStarted)
    assert started.clock == "3+2"
    assert clocks(table) == (180_000, 180_000)
    assert table.ask("new_game", clock="") is None
    assert left_ms(table.session) is None


def test_clocks_are_values():
    begun = fresh(PLAIN)
    assert begun == Clocks((60_000, 60_000), turns=((60_000, 60_000),))
    assert fresh(None) is None
    assert left_at(begun, 99_999) == (60_000, 60_000)


PERIODS = TimeControl(10_000, periods=3, period_ms=5_000)


def test_a_period_that_is_not_used_up_is_whole_again():
    table = timed(PERIODS, fen="W:Wa1,h2:Bb8,d8")
    assert clocks(table) == (25_000, 25_000)
    table.move("h2-g3")
    table.wait(8_000)
    table.move("d8-e7")
    table.wait(12_000)
    assert 12_500 < clocks(table)[0] < 13_500
    table.move("g3-h4")
    table.wait(1000)
    assert clocks(table)[0] == 15_000


def test_a_move_that_takes_longer_uses_periods_up_and_the_flag_falls_with_the_last():
    table = timed(TimeControl(0, periods=2, period_ms=5_000), fen="W:Wa1,h2:Bb8,d8")
    table.move("h2-g3")
    table.wait(1000)
    table.wait(6_000)
    table.move("d8-e7")
    table.wait(1000)
    assert table.session.clocks.left == (10_000, 5_000)
    table.move("g3-h4")
    table.wait(1000)
    assert table.session.clocks.left[0] == 10_000
    table.wait(3_900)
    assert table.heard_of(GameOver) == []
    table.wait(300)
    (over,) = table.heard_of(GameOver)
    assert over.result == "2-0"


def test_an_engine_is_given_the_period_that_is_on_and_not_those_to_come():
    table = timed(PERIODS, fen="W:Wa1,h2:Bb8,d8", black="engine:5")
    table.move("h2-g3")
    table.wait(1000)
    (question,) = [effect for effect in table.effects if isinstance(effect, Choose)]
    assert question.clock.increment_ms == 5_000
    assert 9_000 <= question.clock.left_ms <= 10_000
    table = timed(TimeControl(0, periods=3, period_ms=5_000), fen="W:Wa1,h2:Bb8,d8", black="engine:5")
    table.move("h2-g3")
    table.wait(1000)
    (question,) = [effect for effect in table.effects if isinstance(effect, Choose)]
    assert question.clock.left_ms == 0
    assert 4_000 <= question.clock.increment_ms <= 5_000
