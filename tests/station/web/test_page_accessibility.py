"""What a screen reader and a person who sees little find on the page, judged by axe-core in a real Chromium."""

from __future__ import annotations

from importlib import resources

import pytest

from station.clock import TimeControl

from .table import BOARD, Table

AXE = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
STATES = {
    "a turn with clocks": ({"clock": TimeControl(300_000)}, lambda page, table: table.move("32", "28")),
    "a lost board": ({}, lambda page, table: table.unplug(BOARD)),
    "the new-game dialog": ({}, lambda page, table: page.click("#new-game")),
    "a question": ({}, lambda page, table: page.click("#resign")),
    "everything unfolded": (
        {},
        lambda page, table: page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))"),
    ),
}


def findings(page):
    """What axe-core finds wrong that is serious or critical: rule, and where."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return {
        f"{one['id']}: {node['target']}: {node.get('failureSummary', '')}"
        for one in found
        for node in one["nodes"]
        if one["impact"] in ("serious", "critical")
    }


@pytest.mark.parametrize(
    ("state", "scheme"), [*((state, "light") for state in STATES), ("everything unfolded", "dark")]
)
def test_nothing_serious_is_found(serve, open_page, state, scheme):
    manners, act = STATES[state]
    table = Table(**manners)
    page = open_page(serve(table), color_scheme=scheme)
    act(page, table)
    page.wait_for_timeout(300)
    assert sorted(findings(page)) == []


def test_nothing_serious_is_found_on_the_display_for_all(serve, open_page, expect):
    page = open_page(serve(Table(variant="russian")), path="?kiosk=0.02")
    expect(page.locator("#attract")).to_be_visible()
    assert sorted(findings(page)) == []


def test_what_is_wrong_would_be_found(serve, open_page):
    page = open_page(serve(Table()))
    page.evaluate("document.querySelector('#new-game').textContent = ''")
    assert any("button-name" in one for one in findings(page))
