"""A display that nobody uses shows problems and invites; whoever touches a piece has the game before them at once."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from time import monotonic

import pytest

from engine.problem_sets import count

from .table import BOARD, Table

SOON = "?kiosk=0.02"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844), (3840, 2160)])
def test_O67_a_problem_is_played_through_until_a_piece_is_touched(serve, open_page, expect, width, height):
    table = Table(variant="russian")
    page = open_page(serve(table), width, height, SOON)
    expect(page.locator("#attract")).to_be_visible()
    expect(page.locator("#attract-invitation")).to_have_text("Touch a piece and play.")
    expect(page.locator("#attract-problem")).to_contain_text("to move and win")
    expect(page.locator("#attract-move")).to_have_text("")
    expect(page.locator("#attract-move")).not_to_have_text("", timeout=9000)
    assert page.locator("#attract-invitation").bounding_box()["height"] >= 30
    box = page.locator("#attract-board").bounding_box()
    assert min(box["width"], box["height"]) >= 0.4 * min(width, height)
    assert box["y"] + box["height"] <= height + 1
    began = monotonic()
    table.take(BOARD, table.cell("c3"))
    expect(page.locator("#attract")).to_be_hidden()
    assert monotonic() - began <= 1


def test_a_move_begins_the_game_and_nothing_is_shown_over_it(serve, open_page, expect):
    table = Table(variant="russian")
    page = open_page(serve(table), path=SOON)
    expect(page.locator("#attract")).to_be_visible()
    table.move("c3", "d4")
    expect(page.locator("#attract")).to_be_hidden()
    expect(page.locator("#moves td").first).to_have_text("c3-d4")
    page.wait_for_timeout(2500)
    expect(page.locator("#attract")).to_be_hidden()


def test_a_touch_of_the_screen_ends_it_too(serve, open_page, expect):
    page = open_page(serve(Table(variant="russian")), path=SOON)
    expect(page.locator("#attract")).to_be_visible()
    page.mouse.click(600, 400)
    expect(page.locator("#attract")).to_be_hidden()


def test_other_displays_and_other_games_show_none(serve, open_page, expect):
    page = open_page(serve(Table(variant="russian")))
    page.wait_for_timeout(1500)
    expect(page.locator("#attract")).to_be_hidden()
    page = open_page(serve(Table(variant="giveaway-russian")), path=SOON)
    page.wait_for_timeout(2500)
    expect(page.locator("#attract")).to_be_hidden()


def test_todays_problem_is_a_button_of_the_dialog(serve, open_page, expect):
    table = Table(variant="russian")
    page = open_page(serve(table))
    page.click("#new-game")
    page.click("#new-game-problem")
    expect(page.locator("#guidance")).to_contain_text("Set up the pieces for a new game")
    (_, name, arguments) = table.requests[-1]
    assert (name, arguments["variant"]) == ("new_game", "russian")
    assert 1 <= arguments["problem"] <= count("russian")
    expect(page.locator(".player .who", has_text=f"Problem {arguments['problem']}")).to_have_count(1)
    expect(page.locator("#hint")).to_be_disabled()
    table.lay_out()
    table.look()
    expect(page.locator("#guidance")).to_contain_text("to move and win")
    page.click("#hint")
    expect(page.locator("#guidance")).to_contain_text("look at the piece on")
    page.click("#hint")
    expect(page.locator("#guidance")).to_contain_text("A hint: ")
    expect(page.locator("#hint")).to_be_disabled()


def test_problems_are_told_whole_and_numbers_begin_again(serve):
    server = serve(Table(variant="russian"))

    def told(number):
        with urllib.request.urlopen(f"{server.url}boards/{BOARD}/problem?number={number}", timeout=5) as answer:
            return json.load(answer)

    first = told(0)
    assert told(count("russian")) == first
    assert len(first["positions"]) == len(first["moves"]) + 1
    assert first["positions"][0] != first["positions"][-1]
    for wrong in ("", "x", "-1", "1e3"):
        with pytest.raises(urllib.error.HTTPError, match="400"):
            told(wrong)
