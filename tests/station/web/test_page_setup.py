"""What the page shows and asks beside the game: faulty sensors, "I adjust", pieces named in a set-up, an old game."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from engine.position import EMPTY
from engine.view import view_of
from station.events import BoardSeen, TimePassed
from station.squares import STUCK_MS

from .table import BOARD, Table

SIZES = [(1280, 800), (390, 844)]


def on_wood(square):
    return f'#wood-board [data-square="{square}"]'


def on_plain(square):
    return f'#belief-board [data-square="{square}"]'


def flickers(table, *squares):
    """The driver has found that the sensors of these squares come and go."""
    cells = table.session.game.ruleset.geometry.cells
    view = view_of([table.seen(table.pieces.get(cell, EMPTY)) for cell in cells])
    weak = tuple(cells.index(table.cell(square)) for square in squares)
    table.happen(BoardSeen(table.at_ms, replace(view, weak=weak)))


def stays_away(table, square):
    """A piece stands there, and its sensor says nothing any more."""
    table.take(BOARD, table.cell(square))
    table.at_ms += STUCK_MS
    table.happen(TimePassed(table.at_ms))


@pytest.mark.parametrize("demo", [True, False])
def test_weak_and_dead_squares_are_drawn_and_named(serve, open_page, expect, demo):
    table = Table()
    page = open_page(serve(table, demo=demo))
    expect(page.locator("#sensor-note")).to_have_text("")
    flickers(table, "33")
    expect(page.locator(on_wood(33))).to_have_attribute("data-mark", "weak")
    expect(page.locator("#sensor-note")).to_have_text("Sensors that flicker: 33.")
    stays_away(table, "50")
    expect(page.locator(on_wood(50))).to_have_attribute("data-mark", "dead")
    expect(page.locator(on_wood(50))).to_have_attribute(
        "aria-label", re.compile("Square 50, .*, its sensor does not answer")
    )
    expect(page.locator("#sensor-note")).to_contain_text("A sensor that does not answer: 50;")
    expect(page.locator("#wood-board [data-mark]")).to_have_count(2)
    stroke = "element => getComputedStyle(element).strokeDasharray"
    drawn = [page.locator(f"{on_wood(square)} .sensor").evaluate(stroke) for square in (33, 50, 1)]
    assert drawn[0] != drawn[1], "told apart without colour"


def test_i_adjust_is_said_on_the_page_where_touch_move_is_played(serve, open_page, expect):
    table = Table(touch_move=True)
    page = open_page(serve(table))
    button = page.get_by_role("button", name="I adjust")
    expect(button).to_be_enabled()
    button.click()
    expect(page.locator("#adjust")).to_have_attribute("data-second", "")
    expect(page.locator("#adjust")).to_be_disabled()
    assert table.requests == [(BOARD, "adjust", {})]
    page.drag_and_drop(on_wood(32), on_wood(28))
    page.drag_and_drop(on_wood(28), on_wood(32))
    page.drag_and_drop(on_wood(31), on_wood(27))
    expect(page.locator('#moves td[data-ply="1"]')).to_have_text("31-27")


def test_i_adjust_is_not_offered_where_touch_move_is_not_played(serve, open_page, expect):
    page = open_page(serve(Table()))
    expect(page.locator("#take-back")).to_be_visible()
    expect(page.locator("#adjust")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_pieces_of_a_position_set_up_by_hand_are_named_on_the_page(serve, open_page, expect, width, height):
    table = Table(variant="russian")
    page = open_page(serve(table), width, height)
    expect(page.locator("#naming")).to_be_hidden()
    page.click("#set-up")
    expect(page.locator("#naming")).to_be_visible()
    page.click(on_plain("c3"))
    expect(page.locator("#naming-square")).to_have_value("c3")
    page.select_option("#naming-kind", "white_king")
    page.click("#naming button")
    expect(page.locator(on_plain("c3"))).to_have_attribute("data-content", "white_king")
    expect(page.locator("#naming-square option:checked")).to_have_text("c3: white king")
    assert table.requests[-1] == (BOARD, "set_position", {"square": "c3", "piece": "white_king"})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for _ in range(3):
        page.locator("#choices button", has_text="Go on").or_(
            page.locator("#choices button", has_text="Play from here")
        ).click()
        expect(page.locator("body[data-asking]")).to_have_count(0)
    expect(page.locator("#naming")).to_be_hidden()
    expect(page.locator(on_plain("c3"))).to_have_attribute("data-content", "white_king")


@pytest.mark.parametrize(("answer", "request_name"), [("Go on with this game", "resume"), ("A new game", "new_game")])
def test_whether_an_old_game_is_gone_on_with_is_answered_on_the_page(serve, open_page, expect, answer, request_name):
    table = Table()
    page = open_page(serve(table))
    table.say("A game of 6 moves was kept.", prompt="resume")
    page.get_by_role("button", name=answer).click()
    expect(page.locator("body[data-asking]")).to_have_count(0)
    assert table.requests == [(BOARD, request_name, {})]
