"""The page of a board with an arm: it is let go and stopped there, and seen from above and from the side."""

from __future__ import annotations

import pytest

from station.events import ArmFound, StopTold, TimePassed
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


def answering(table):
    """The engine has a reply for the arm to make."""
    with table.lock:
        table.happen(ArmFound(table.at_ms, "Grbl 1.1h"))
        table.move("32", "28")
        table.at_ms += 5000
        table.happen(TimePassed(table.at_ms))


def test_an_arm_is_let_go_and_stopped_on_the_page(page, table, expect):
    expect(page.locator("#arm-tools")).to_be_visible()
    expect(page.locator("#arm-go")).to_be_disabled()
    answering(table)
    expect(page.locator("#guidance")).to_contain_text("press the button, and the arm does it")
    page.click("#arm-go")
    expect(page.locator("#guidance")).to_contain_text("keep your hands away")
    page.click("#arm-halt")
    expect(page.locator("#guidance")).to_contain_text("The arm has stopped: it was told to")
    expect(page.locator("#arm-says")).to_contain_text("it was told to")
    expect(page.locator("#arm-go")).to_be_enabled()


def test_the_stop_is_in_sight_wherever_the_page_is_scrolled_to_and_on_a_key(page, table, expect):
    page.set_viewport_size({"width": 390, "height": 640})
    for there in ("0", "document.body.scrollHeight"):
        page.evaluate(f"window.scrollTo(0, {there})")
        expect(page.locator("#arm-halt")).to_be_in_viewport(ratio=1)
        box = page.locator("#arm-halt").bounding_box()
        middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).id", middle) == "arm-halt"
    assert page.locator("#arm-halt").bounding_box()["height"] >= 48
    expect(page.locator("#arm-says")).to_have_text("The arm does not answer.")
    answering(table)
    expect(page.locator("#arm-says")).to_have_text("The arm stands. It moves only once it has been let play here.")
    page.click("#arm-go")
    expect(page.locator("#arm-says")).to_have_text("The arm is moving: keep your hands away.")
    page.keyboard.press("Escape")
    expect(page.locator("#arm-says")).to_have_text("The arm has stopped: it was told to.")
    assert table.session.arm.is_armed is False


def test_letting_the_stop_go_leaves_an_arm_stopped_until_somebody_presses(page, table, expect):
    answering(table)
    page.click("#arm-go")
    expect(page.locator("#arm-says")).to_contain_text("moving")
    for is_pressed in (True, False):
        with table.lock:
            table.happen(StopTold(table.at_ms, is_pressed))
        expect(page.locator("#arm-says")).to_contain_text("The arm has stopped")
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
