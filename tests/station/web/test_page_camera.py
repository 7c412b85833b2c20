"""A camera is shown its board in a real browser, from the empty board to a saved model, without the keyboard."""

from __future__ import annotations

import threading
from time import monotonic

import pytest

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from engine.ruleset import load_ruleset  # noqa: E402
from station.config import BoardTable, Config, StationTable, WebTable  # noqa: E402
from station.phases import Paused, Turn  # noqa: E402
from station.runtime.known_cameras import KnownCameras  # noqa: E402
from station.runtime.service import Service  # noqa: E402
from tests.station.runtime.camera_process import CameraProcess  # noqa: E402
from tests.station.runtime.conftest import Watcher  # noqa: E402
from tests.vision.scenes import arm, board_under  # noqa: E402

RUSSIAN = load_ruleset("russian")
WAIT_MS = 90_000
SIDE = 0.15
"""Corners are right within so much of a square's side."""


@pytest.fixture
def bench(tmp_path):
    """A station with a board under a camera that it does not know yet; the board is empty."""
    board, camera = board_under("russian", seed=3), CameraProcess(tmp_path / "camera.sock")
    standing = dict(board._standing)
    board._standing.clear()
    camera.picture = board.picture(0)
    camera.plug()
    table = BoardTable(id="table", driver="camera", port=f"unix:{camera.path}", variant="russian")
    service = Service(Config(StationTable(data=str(tmp_path / "data")), WebTable(port=0), None, (table,)))
    watcher = Watcher()
    service._watchers.append(watcher)
    service.start()
    yield service, watcher, board, camera, standing
    service.stop()
    camera.unplug()


def test_a_camera_is_shown_its_board_without_the_keyboard(bench, chromium, expect, tmp_path):
    service, watcher, board, camera, standing = bench
    page = chromium.new_page(viewport={"width": 1000, "height": 900})
    began, faults = monotonic(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"http://127.0.0.1:{service.page.port}/boards/table/camera")
    # The board is found by itself; a corner that was dragged away is refused until the board is looked for again.
    expect(page.locator("#next")).to_be_enabled(timeout=WAIT_MS)
    expect(page.locator("#readout")).to_contain_text("sharpness")
    corner = page.locator(".corner").first
    box = corner.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(5, 300, steps=4)
    page.mouse.up()
    expect(page.locator("#readout")).to_contain_text("outside the picture", timeout=WAIT_MS)
    expect(page.locator("#next")).to_be_disabled()
    page.locator("#find").click()
    expect(page.locator("#next")).to_be_enabled(timeout=WAIT_MS)
    page.locator("#next").click()
    # An empty board is not the start position, and that is said.
    expect(page.locator("#camera")).to_have_attribute("data-step", "start", timeout=WAIT_MS)
    page.locator("#next").click()
    expect(page.locator("#guidance")).to_contain_text("start position")
    board._standing.update(standing)
    camera.picture = board.picture(0)
    threading.Event().wait(1)
    expect(page.locator("#next")).to_be_enabled(timeout=WAIT_MS)
    page.locator("#next").click()
    expect(page.locator("#camera")).to_have_attribute("data-step", "hand", timeout=WAIT_MS)
    camera.picture = board.seen.picture(tuple(standing.values()), [arm(4.0, 4.0)], 0)
    threading.Event().wait(4)
    camera.picture = board.picture(0)
    expect(page.locator("#camera")).to_have_attribute("data-step", "saved", timeout=WAIT_MS)
    assert monotonic() - began < 120
    model = KnownCameras(tmp_path / "data").of("table")
    assert model.size == (camera.picture.shape[1], camera.picture.shape[0])
    # The station watches the board by what it was shown, at once: the game can begin.
    watcher.wait(lambda o: isinstance(o.session.phase, Turn), 60)
    # The camera is pushed by more than a square: the page shows where the board is now, and one tap goes on.
    board.seen.aim(board.seen.camera.bumped(1.0, 0.3, 4.0))
    camera.picture = board.picture(0)
    lost = watcher.wait(lambda o: isinstance(o.session.phase, Paused) and "moved" in o.session.problem, 60)
    expect(page.locator("#camera")).to_have_attribute("data-step", "moved", timeout=WAIT_MS)
    expect(page.locator("#next")).to_be_enabled(timeout=WAIT_MS)
    page.locator("#next").click()
    expect(page.locator("#camera")).to_have_attribute("data-step", "saved", timeout=WAIT_MS)
    watcher.wait(lambda o: o.session.at_ms > lost.session.at_ms and isinstance(o.session.phase, Turn), 60)
    away = np.hypot(*(KnownCameras(tmp_path / "data").of("table").corners - board.seen.camera.corners(8, 8)).T)
    assert away.max() < SIDE * board.seen.camera.side(4, 4)
    assert not faults
    page.close()
