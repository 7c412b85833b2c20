"""Who opens the page from elsewhere watches; the PIN lets act; codes to scan. In a real Chromium, at phone width.

The browser is behind a proxy of this machine, which says where it really is.
"""

from __future__ import annotations

import pytest

from engine.pdn import read_pdn
from engine.ruleset import load_ruleset
from station.web.rights import Rights

from .table import BOARD, Table

PIN = "271828"
ELSEWHERE = {"extra_http_headers": {"X-Forwarded-For": "192.0.2.7"}}


@pytest.fixture
def page(serve, table, open_page):
    server = serve(table, demo=False, rights=Rights(PIN), address=("http://club.example", "0.0.0.0"))
    return open_page(server, 390, 844, **ELSEWHERE)


def sign_in(page, pin):
    page.locator("#sign-in").click()
    page.locator("#pin").fill(pin)
    page.locator("#pin-in").click()


def test_a_phone_watches_until_the_pin_is_given(page, table, expect):
    expect(page.locator("#watching")).to_contain_text("PIN")
    for button in ("#new-game", "#pause", "#set-up"):
        expect(page.locator(button)).to_be_disabled()
    sign_in(page, "1111")
    expect(page.locator("#toast")).to_contain_text("not the station's PIN")
    expect(page.locator("#pause")).to_be_disabled()
    sign_in(page, PIN)
    expect(page.locator("#watching")).to_be_hidden()
    page.locator("#pause").click()
    expect(page.locator("#pause")).to_have_attribute("data-second", "")
    assert [request[1] for request in table.requests] == ["pause"]
    page.locator("#sign-in").click()
    expect(page.locator("#pause")).to_be_disabled()


def test_the_stations_own_screen_asks_for_no_pin(serve, table, open_page, expect):
    page = open_page(serve(table, demo=False, rights=Rights(PIN)))
    expect(page.locator("#pause")).to_be_enabled()
    expect(page.locator("#sign-in")).to_be_hidden()
    expect(page.locator("#watching")).to_be_hidden()
    expect(page.locator("#follow")).to_be_hidden()  # nobody else can open it


def test_codes_are_shown_to_be_scanned(page, expect):
    page.locator("#follow").click()
    expect(page.locator("#follow-dialog")).to_be_visible()
    assert page.locator("#follow-code").evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    expect(page.locator("#game-figure")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#follow-dialog button").click()
    expect(page.locator("#follow-dialog")).to_be_hidden()


def test_O77_names_are_text_and_never_part_of_the_page(serve, open_page, expect):
    name = 'hub:<img src=x onerror=alert(1)> "] {x} '
    page = open_page(serve(Table(white=name), demo=False))
    expect(page.locator("#player-white .who")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("#player-white img").count() == 0
    pdn = page.evaluate(f"fetch('/boards/{BOARD}/game.pdn').then(answer => answer.text())")
    (game,) = read_pdn(pdn, load_ruleset("international"))
    assert game.tags["White"].strip() == name.strip()
