"""Clocks, draws and manners on the page, in a real Chromium; at desktop and phone width."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from station.clock import TimeControl
from station.settings import BLITZ
from station.status import snapshot

from .table import BOARD, Table

SIZES = [(1280, 800), (390, 844)]
TIMED = TimeControl(300_000, 3_000)


def seconds(text):
    minutes, rest = text.split(":")
    return 60 * int(minutes) + float(rest)


def shown(page, side):
    return seconds(page.locator(f"#clock-{side} .time").inner_text())


def test_without_a_clock_none_is_shown(serve, open_page, expect):
    page = open_page(serve(Table()))
    expect(page.locator("#clocks")).to_be_hidden()
    expect(page.locator("#offer")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_clocks_run_on_the_page_between_two_words_of_the_station(serve, open_page, expect, width, height):
    table = Table(clock=TIMED)
    page = open_page(serve(table), width, height)
    expect(page.locator("#clock-white .time")).to_have_text("5:00")
    expect(page.locator(".clock[data-runs]")).to_have_count(0)
    table.move("32", "28")
    expect(page.locator("#clock-white .time")).to_have_text("5:03")
    expect(page.locator(".clock[data-runs]")).to_have_attribute("data-side", "black")
    expect(page.locator("#clock-black .runs")).to_have_text("runs")
    before = page.locator("#clock-black .time").inner_text()
    expect(page.locator("#clock-black .time")).not_to_have_text(before)
    assert shown(page, "black") < seconds(before) <= 300
    expect(page.locator("#clock-white .time")).to_have_text("5:03")
    # Read from three metres: digits of at least a third of an inch on a desktop's screen.
    height_px = page.locator("#clock-black .time").bounding_box()["height"]
    assert height_px >= (40 if width > 1000 else 25)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_page_that_comes_late_shows_the_same_time(serve, open_page, expect):
    table = Table(clock=TIMED)
    table.move("32", "28")
    server = serve(table)
    first = open_page(server)
    expect(first.locator("#clock-black .time")).not_to_have_text("5:00")
    second = open_page(server)
    expect(second.locator(".clock[data-runs]")).to_have_attribute("data-side", "black")
    earlier, late, later = shown(first, "black"), shown(second, "black"), shown(first, "black")
    assert earlier + 1 >= late >= later - 1


def test_the_last_seconds_have_tenths_and_are_marked_by_more_than_colour(serve, open_page, expect):
    table = Table(clock=TimeControl(19_000))
    page = open_page(serve(table))
    expect(page.locator("#clock-black .time")).to_have_text("0:19.0")
    table.move("32", "28")
    expect(page.locator("#clock-black .time")).to_have_text(re.compile(r"^0:[01]\d\.\d$"))
    line = page.locator("#clock-black .time").evaluate("element => getComputedStyle(element).textDecorationLine")
    assert line == "underline"


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_periods_are_counted_beside_what_is_left_of_this_one(serve, open_page, expect, width, height):
    table = Table(clock=TimeControl(60_000, periods=3, period_ms=30_000))
    page = open_page(serve(table), width, height)
    expect(page.locator("#clock-white .time")).to_have_text("1:00")
    table.move("32", "28")
    for left_ms, text in ((100_000, "0:10.0"), (90_000, "0:30 ×3"), (61_000, "0:01.0 ×3"), (60_000, "0:30 ×2")):
        clocks = replace(table.session.clocks, left=(left_ms, 150_000), running=None, since_ms=table.at_ms)
        table.session = replace(table.session, clocks=clocks)
        table.feed.publish(BOARD, snapshot(table.session), session=table.session)
        expect(page.locator("#clock-white .time")).to_have_text(text)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_white_offers_a_draw_and_black_accepts(serve, open_page, expect, width, height):
    table = Table()
    page = open_page(serve(table), width, height)
    page.click("#draw")
    page.click('#confirm-dialog button[value="white"]')
    expect(page.locator("#offer-text")).to_have_text("The offer stands until Black has moved.")
    page.get_by_role("button", name="Black accepts").click()
    expect(page.locator("#result")).to_have_text("Result: 1-1")
    expect(page.locator("#offer")).to_be_hidden()
    assert table.requests == [
        (BOARD, "draw", {"side": "white", "answer": "offer"}),
        (BOARD, "draw", {"answer": "accept"}),
    ]


def test_black_declines_by_button_and_an_offer_lapses_by_moving(serve, open_page, expect):
    table = Table()
    page = open_page(serve(table))
    for decline in (lambda: page.click("#offer-decline"), lambda: (table.move("32", "28"), table.move("19", "23"))):
        page.click("#draw")
        page.click('#confirm-dialog button[value="white"]')
        expect(page.locator("#offer")).to_be_visible()
        decline()
        expect(page.locator("#offer")).to_be_hidden()
    expect(page.locator("#result")).to_be_hidden()


def test_an_offer_to_the_computer_is_answered_by_it(serve, open_page, expect):
    table = Table(black="engine:3")
    page = open_page(serve(table))
    page.click("#draw")
    expect(page.locator("#confirm-buttons button")).to_have_text(["White offers a draw", "Cancel"])
    page.click('#confirm-dialog button[value="white"]')
    expect(page.locator("#offer")).to_be_hidden()
    expect(page.locator("#guidance")).to_have_text("White to move.")
    assert table.requests == [(BOARD, "draw", {"side": "white", "answer": "offer"})]


def test_a_draw_that_may_be_claimed_changes_the_button(serve, open_page, expect):
    table = Table(variant="russian", fen="W:WKa3:BKh4", draws="claim")
    page = open_page(serve(table))
    expect(page.locator("#draw")).to_have_text("Draw")
    for _ in range(2):
        for start, end in (("a3", "b2"), ("h4", "g5"), ("b2", "a3"), ("g5", "h4")):
            table.move(start, end)
    expect(page.locator("#draw")).to_have_text("Claim the draw")
    expect(page.locator("#guidance")).to_contain_text("A draw may be claimed")
    page.click("#draw")
    expect(page.locator("#confirm-title")).to_contain_text("article 1.9.2")
    page.click('#confirm-dialog button[value="claim"]')
    expect(page.locator("#result")).to_have_text("Result: 1-1")


def test_a_new_game_with_another_clock(serve, open_page, expect):
    table = Table()
    page = open_page(serve(table))
    page.click("#new-game")
    expect(page.locator("#choose-clock")).to_have_value("")
    page.select_option("#choose-clock", "5+3")
    page.click("#new-game-start")
    expect(page.locator("#clock-white .time")).to_have_text("5:00")
    assert table.requests[0][2]["clock"] == "5+3"


def test_the_diagnosis_says_how_the_board_is_played_at(serve, open_page, expect):
    page = open_page(serve(Table(pace=BLITZ, confirm="button", draws="claim")))
    page.click("#diagnosis summary")
    facts = page.locator("#device")
    expect(facts).to_contain_text("with a button or the clock")
    expect(facts).to_contain_text("must be claimed")
    expect(facts).to_contain_text("blitz: a move counts after 80 ms")


def test_how_it_is_played_is_changed_on_the_page(serve, open_page, expect):
    table = Table()
    page = open_page(serve(table))
    page.click("#manner summary")
    expect(page.locator("#manner-confirm")).to_have_value("automatic")
    page.select_option("#manner-confirm", "button")
    page.select_option("#manner-touch_move", "true")
    expect(page.locator("#adjust")).to_be_visible()
    expect(page.locator("#manner-confirm")).to_have_value("button")
    assert [(name, arguments) for _, name, arguments in table.requests] == [
        ("set_play", {"confirm": "button"}),
        ("set_play", {"touch_move": True}),
    ]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_hint_is_asked_for_and_shown_on_board_and_page(serve, open_page, expect, width, height):
    page = open_page(serve(Table()), width, height)
    page.click("#hint")
    expect(page.locator("#guidance")).to_contain_text("White to move. A hint: 31-26.")
    expect(page.locator('#wood-board [data-lamp="hint"]')).to_have_count(2)
    expect(page.locator("#hint")).to_be_disabled()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
