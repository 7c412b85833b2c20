"""The page of a board with an arm: it is let go and stopped there, and seen from above and from the side."""

from __future__ import annotations

import pytest

from station.events import ArmFound, TimePassed
from station.handling.arm import ArmSettings
from station.handling.plans import Tool

from .table import Table


class ArmTable(Table):
    """A table beside which an arm stands, with a king in its grip."""

    def arm(self, board):
        return {"column": 3.5, "row": 2.0, "height": 0.6, "holds": ["white_man", "white_man"]}


@pytest.fixture
def table():
    return ArmTable(black="engine:3", arm=ArmSettings("gcode", Tool()))


def test_an_arm_is_let_go_and_stopped_on_the_page(page, table, expect):
    expect(page.locator("#arm-tools")).to_be_visible()
    expect(page.locator("#arm-go")).to_be_disabled()
    with table.lock:
        table.happen(ArmFound(table.at_ms, "Grbl 1.1h"))
        table.move("32", "28")
        table.at_ms += 5000
        table.happen(TimePassed(table.at_ms))
    expect(page.locator("#guidance")).to_contain_text("press the button, and the arm does it")
    page.click("#arm-go")
    expect(page.locator("#guidance")).to_contain_text("keep your hands away")
    page.click("#arm-halt")
    expect(page.locator("#guidance")).to_contain_text("The arm has stopped: it was told to")
    expect(page.locator("#arm-says")).to_contain_text("it was told to")
    expect(page.locator("#arm-go")).to_be_enabled()


def test_a_simulated_arm_is_seen_from_above_and_from_the_side(page, expect):
    expect(page.locator("#wood-board .arm-above")).to_be_visible()
    expect(page.locator("#arm-side .arm-piece.white")).to_have_count(2)


def test_a_board_without_an_arm_shows_nothing_of_one(serve, open_page, expect):
    page = open_page(serve(Table()))
    expect(page.locator("#guidance")).to_have_text("White to move.")
    expect(page.locator("#arm-tools")).to_be_hidden()
    expect(page.locator("#arm-side")).to_be_hidden()


@pytest.fixture
def page(serve, table, open_page):
    return open_page(serve(table))
