"""A game's clock is shown by the clock at a DGT-compatible board, which decides nothing."""

from __future__ import annotations

from dataclasses import replace

from engine.position import Side
from engine.ruleset import load_ruleset
from firmware_bridge.driver import ClockTimes
from firmware_bridge.simulator import DgtBoard
from station.clock import Clocks, read_control
from station.phases import Turn
from station.runtime.desk import clock_told
from station.session import begin
from station.settings import Settings
from station.texts import load_texts

C3, D4 = (2, 5), (3, 4)


def test_the_clock_at_the_board_is_set_at_the_start_and_runs_for_who_is_to_move(stand):
    board = DgtBoard(8, 8)
    table = stand(driver="dgt", devices={"table": board}, clock="10+5")
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    port = table.ports["table"]

    def shown():
        return port.touch(board.unit.seconds)

    table.until(lambda: board.unit.is_set and shown() == (600, 600))
    assert board.unit.runs is None
    table.move(C3, D4)
    table.until(lambda: board.unit.runs == 1)
    table.until(lambda: shown()[1] < 600)
    assert shown()[0] == 605


def test_what_the_clock_at_a_board_is_to_show():
    settings = Settings("table", load_ruleset("russian"), clock=read_control("5"))
    session = begin(settings, load_texts("en"), "boot")
    assert clock_told(session) == (ClockTimes(300_000, 300_000, None), 0)
    runs = Clocks((200_000, 100_000), Side.BLACK, 7000)
    assert clock_told(replace(session, clocks=runs)) == (ClockTimes(200_000, 100_000, Side.BLACK), 7000)
    assert clock_told(replace(session, clocks=None)) is None
