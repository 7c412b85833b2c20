"""An arm is shown its board in a real browser: a person moves the tool by the page, over a machine on a terminal."""

from __future__ import annotations

import re
from math import dist

import pytest

from engine.notation import read_square
from engine.position import WHITE_MAN
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort
from station.handling.arm import DRY_RUN
from station.runtime.known_arms import KnownArms
from station.runtime.running import load
from station.runtime.service import Service
from tests.station.runtime.test_calibrate_arm import FILE, RUSSIAN, TRUE_TRAY, Gantry

from .test_page_accessibility import findings

WAIT_MS = 60_000
STATION = """
[station]
data = "{folder}/data"
[web]
port = 0
[[boards]]
id = "table-1"
driver = "matrix"
port = "{folder}/board"
variant = "russian"
arm = "gcode"
arm_file = "arm.toml"
"""


@pytest.fixture
def bench(tmp_path):
    """A station whose arm was never shown its board; the machine, and what the station keeps."""
    (tmp_path / "station.toml").write_text(STATION.format(folder=tmp_path))
    (tmp_path / "arm.toml").write_text(FILE.format(port=tmp_path / "wire"))
    gantry = Gantry(tmp_path / "wire")
    with PtyPort(device_for("matrix", 8, 8, seed=1, colour=True), tmp_path / "board"):
        service = Service(load(str(tmp_path / "station.toml")))
        service.start()
        yield service, gantry, tmp_path
        service.stop()
    gantry.wire.close()


@pytest.fixture
def page(bench, chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"http://127.0.0.1:{bench[0].page.port}/boards/table-1/arm-place")
    yield page
    context.close()
    assert faults == []


class Person:
    """Reads the page, sees the tool, and presses what moves it."""

    def __init__(self, page, gantry, expect, off_mm=0.0, finest_mm=0.1):
        self.page, self.gantry, self.expect, self.off_mm, self.finest_mm = page, gantry, expect, off_mm, finest_mm
        self.tried, self.said = [], []

    @property
    def step(self):
        return self.page.locator("#teach").get_attribute("data-step")

    @property
    def sentence(self):
        return self.page.locator("#guidance").inner_text()

    def ready(self):
        """Wait until the person is asked, the arm having done what it had to; the sentence."""
        over = '["ended", "saved"].includes(document.getElementById("teach").dataset.step)'
        self.page.wait_for_function(
            f'() => {over} || !(document.getElementById("next").hidden || document.getElementById("next").disabled)',
            timeout=WAIT_MS,
        )
        return self.sentence

    def press(self, button="#next"):
        """Press it, and wait for what comes next."""
        was = self.sentence
        self.page.click(button)
        self.expect(self.page.locator("#guidance")).not_to_have_text(was, timeout=WAIT_MS)
        return self.ready()

    def bring(self, place):
        """Bring the tool there with the page's buttons, at last downwards."""
        for way, amount, step_mm in self.ways(place):
            self.page.locator("#steps label", has_text=re.compile(f"^{step_mm:g}$")).click()
            for _ in range(amount):
                with self.page.expect_response(lambda answer: '"jog"' in (answer.request.post_data or "")):
                    self.page.locator(f'[data-way="{way}"]').press("Enter")

    def ways(self, place):
        with self.gantry.lock:
            at = self.gantry.shop.tool.at
        x, y, z = (round((b - a) * 10) for a, b in zip(at, place, strict=True))
        for amount, less, more in ((x, "left", "right"), (y, "near", "away"), (max(z, 0), "", "up")):
            left = abs(amount)
            for tenths in (500, 100, 10, 1):
                count, left = divmod(left, tenths)
                if count and tenths >= self.finest_mm * 10:
                    yield (more if amount > 0 else less), count, tenths / 10
        halves, left = divmod(-min(z, 0), 5)
        yield "down", halves, 1.0
        yield "down", left, 0.1

    def asked(self):
        if found := re.search(r"column ([\d-]+), row ([\d-]+) ", self.sentence):
            column, row = map(int, found.groups())
            x, y = self.gantry.timber.centre(column - 1, 8 - row)
            return (x + (self.off_mm if (column, row) == (8, 8) else 0.0), y, -70.0)
        if found := re.search(r"slot (\d+)", self.sentence):
            return (*TRUE_TRAY[int(found[1])], -70.0)
        return -330.0, -380.0, -30.0

    def touch_all(self, look=lambda: None):
        """Every place that is asked for, until pieces are to be put down or it is over."""
        self.press("#start")
        self.press()
        look()
        while self.step == "touch":
            self.bring(self.asked())
            self.press()
            self.said.append(self.page.locator("#readout").inner_text())

    def cell(self, text):
        return RUSSIAN.geometry.cells[read_square(re.search(r"middle of (\w+)", text)[1], RUSSIAN)]

    def try_all(self):
        """A piece on every square that is asked for; yes where it stands as before."""
        while self.step == "try":
            cell = self.cell(self.sentence)
            self.tried.append(cell)
            with self.gantry.lock:
                self.gantry.shop.put(cell, WHITE_MAN)
            self.press()
            with self.gantry.lock:
                (wood,) = self.gantry.shop.on(cell)
                assert dist((wood.x, wood.y), self.gantry.timber.centre(*cell)) < 1.0
                self.gantry.shop.take(cell)
            self.press()


def test_b10_an_arm_is_shown_its_board_on_the_page(bench, page, expect):
    _, gantry, folder = bench
    person = Person(page, gantry, expect)
    expect(page.locator("#guidance")).to_contain_text("emergency stop at hand")
    expect(page.locator("#pad")).to_be_hidden()
    # Nothing was sent to the machine until somebody began.
    assert gantry.heard == b""
    person.touch_all()
    assert person.step == "try", person.sentence
    (pitch,) = [found[1] for said in person.said if (found := re.match(r"The board fits: squares of ([\d.]+)", said))]
    assert float(pitch) == pytest.approx(36.0, abs=0.05)
    person.try_all()
    assert person.step == "saved", person.sentence
    assert len(set(person.tried)) == 5
    assert gantry.shop.collisions == []
    setup = load(str(folder / "station.toml")).boards[0].arm_setup
    assert setup.settings.driver == "gcode"
    for column, row in ((0, 0), (3, 4), (7, 0), (7, 7)):
        assert dist(setup.workspace.xy((column, row)), gantry.timber.centre(column, row)) < 0.3
    assert setup.workspace.board_z == pytest.approx(-70.0, abs=0.2)


def test_b10_a_crooked_board_is_refused_on_the_page_by_how_much(bench, page, expect):
    _, gantry, folder = bench
    person = Person(page, gantry, expect, off_mm=6.0, finest_mm=1.0)
    found = []
    person.touch_all(look=lambda: found.extend(findings(page)))
    assert found == []
    assert person.step == "ended"
    assert re.search(r"[4-8]\.\d\d mm off, at most 1\.5\. Nothing was kept", person.sentence), person.sentence
    assert KnownArms(folder / "data").of("table-1") is None
    assert load(str(folder / "station.toml")).boards[0].arm_setup.settings.driver == DRY_RUN
    expect(page.locator("#start")).to_have_text("Begin again")


def test_a6_the_stop_ends_it_in_motion_and_nothing_moves_until_it_is_begun_again(bench, page, expect):
    service, gantry, _ = bench
    person = Person(page, gantry, expect)
    person.press("#start")
    page.click("#next")
    expect(page.locator("#guidance")).to_contain_text("The arm is moving")
    page.keyboard.press("Escape")
    expect(page.locator("#teach")).to_have_attribute("data-step", "ended", timeout=WAIT_MS)
    assert "The arm has stopped" in person.sentence
    assert not gantry.chip.is_moving
    # Its own worker has the arm again, and its brake.
    assert service.loop.brakes["table-1"] == service.arms[0].brake
    moves = gantry.chip.moves
    expect(page.locator("#pad")).to_be_hidden()
    assert person.press("#start").startswith("table-1: Grbl")
    assert gantry.chip.moves == moves
