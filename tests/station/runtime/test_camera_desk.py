"""What the page does with a camera: a board that was moved is found by one tap; a lock that does not hold is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from engine.rules import rules_for  # noqa: E402
from engine.ruleset import load_ruleset  # noqa: E402
from station.config import BoardTable  # noqa: E402
from station.runtime.album import Album  # noqa: E402
from station.runtime.boards import driver_class  # noqa: E402
from station.runtime.camera_desk import CameraDesk  # noqa: E402
from station.runtime.camera_words import LOCK_MS, to_lock  # noqa: E402
from station.runtime.known_cameras import KnownCameras  # noqa: E402
from station.texts import load_texts  # noqa: E402
from tests.vision.scenes import board_under  # noqa: E402
from vision.calibration import Refused, model_from, shown_again  # noqa: E402
from vision.camera import read_lock  # noqa: E402
from vision.frame import Frame, Metadata, Unpacker, packed  # noqa: E402

RUSSIAN = load_ruleset("russian")
GEOMETRY, HOME = RUSSIAN.geometry, rules_for(RUSSIAN).start().contents
AUTOMATIC, OTHERWISE = Metadata(exposure_us=10_000, gain=2.0), Metadata(exposure_us=17_000, gain=2.0)


class Bench:
    """A board under a camera, its driver, and the desk of the page."""

    def __init__(self, folder, model):
        self.board, self.model = board_under("russian", seed=3), model
        self.known = KnownCameras(folder)
        self.known.keep("table", self.model)
        self.album = Album("table", GEOMETRY, HOME, self.known)
        self.driver = driver_class("camera")(GEOMETRY, HOME)
        self.album.open(self.driver)
        self.driver.start(0)
        table = BoardTable(id="table", driver="camera", port="unix:/camera.sock", variant="russian")
        self.desk = CameraDesk({"table": self.album}, {"table": table}, load_texts("en"))
        self.now_ms = 0

    def watch(self, for_ms, metadata=AUTOMATIC):
        """What the camera sees, five pictures a second; the views that come of it."""
        picture, views = self.board.picture(0), []
        for _ in range(for_ms // 200):
            self.now_ms += 200
            data = packed(picture, metadata=metadata)
            views += self.driver.receive(data, self.now_ms).views
            self.album.turn(self.driver, data, self.now_ms)
        return views

    def ask(self, act="look", corners=None):
        return self.desk.ask("table", act, corners)

    def push(self, *by):
        self.board.seen.aim(self.board.seen.camera.bumped(*by))

    @property
    def truth(self):
        return self.board.seen.camera.corners(8, 8)


@pytest.fixture(scope="module")
def model():
    board = board_under("russian", seed=3)
    (empty,) = Unpacker().feed(board.empty(), 0)
    return model_from(empty.frame(), Frame(board.picture(0), 0), GEOMETRY, HOME)


@pytest.fixture
def bench(tmp_path, model):
    return Bench(tmp_path, model)


def likeliest(view):
    return [max(range(5), key=evidence.__getitem__) for evidence in view.seen]


def test_C37_a_board_that_was_moved_far_is_found_anew_by_one_tap(bench):
    before = bench.watch(1600)[-1]
    bench.push(1.0, 0.3, 4.0)
    bench.watch(3000)
    assert "camera's page" in bench.driver.problem
    looked = bench.ask()
    assert (looked["step"], looked["fits"]) == ("moved", True)
    side = bench.board.seen.camera.side(4, 4)
    # The grid that the page shows is where the board is now, in the order in which it lay.
    assert np.hypot(*(np.array(looked["corners"]) - bench.truth).T).max() < 0.15 * side
    assert bench.ask("next")["step"] == "saved"
    after = bench.watch(2000)[-1]
    assert bench.driver.problem is None
    assert likeliest(after) == likeliest(before)
    assert np.hypot(*(bench.known.of("table").corners - bench.truth).T).max() < 0.15 * side
    assert bench.ask()["step"] == "saved"


def test_a_board_that_was_put_back_is_not_asked_about(bench):
    bench.watch(1600)
    there = bench.board.seen.camera
    bench.push(1.0, 0.3, 0.0)
    bench.watch(3000)
    assert bench.ask()["step"] == "moved"
    bench.board.seen.aim(there)
    bench.watch(2000)
    assert bench.driver.is_reading
    assert bench.ask()["step"] == "empty"


def test_corners_by_hand_and_the_beginning_are_open_to_who_does_not_trust_the_grid(bench):
    bench.watch(1600)
    bench.push(1.0, 0.3, 0.0)
    bench.watch(3000)
    dragged = (bench.truth + 1.0).tolist()
    assert np.allclose(bench.ask(corners=dragged)["corners"], dragged, atol=0.1)
    assert bench.ask("next", (bench.truth + 4000).tolist())["step"] == "moved"
    assert bench.ask("again")["step"] == "empty"


def test_a_board_that_was_turned_far_is_to_be_shown_from_the_beginning(bench):
    middle = bench.truth.mean(axis=0)
    image = bench.board.picture(0)

    def turned(degrees):
        angle = np.radians(degrees)
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        lies = 0.6 * (bench.truth - middle) @ turn + middle
        # From the page corners come in any order.
        return lies, shown_again(bench.model, image, GEOMETRY, np.roll(lies, 1, axis=0))

    assert turned(43)[1] == Refused("pushed")
    lies, found = turned(30)
    assert np.allclose(found.corners, lies)
    assert shown_again(bench.model, image[:-8], GEOMETRY) == Refused("pushed")


@pytest.mark.parametrize(("answers", "is_said"), [(AUTOMATIC, False), (OTHERWISE, True), (Metadata(), True)])
def test_C14_a_camera_that_does_not_keep_its_exposure_is_said_to(bench, answers, is_said):
    standing = dict(bench.board._standing)
    bench.board._standing.clear()
    bench.watch(200, answers if answers == Metadata() else AUTOMATIC)
    assert bench.ask("next")["step"] == "locking"
    bench.watch(200, answers)
    bench.desk._progress["table"].since_ms -= LOCK_MS
    assert bench.ask()["step"] == "start"
    assert ("does not keep its exposure" in bench.ask()["sentence"]) is is_said
    bench.board._standing.update(standing)
    bench.watch(200, answers)
    assert bench.ask("next")["step"] == "hand"
    assert (bench.desk._progress["table"].model.locked == Metadata()) is is_said


@pytest.mark.parametrize(
    ("chosen_us", "locked_us"), [(17_000, 20_000), (33_000, 30_000), (6_000, 10_000), (3_000, 3_000)]
)
def test_C15_exposure_is_locked_in_whole_periods_of_lamps_where_it_is_as_long_as_one(chosen_us, locked_us):
    assert to_lock(Metadata(exposure_us=chosen_us, gain=2.0)) == Metadata(exposure_us=locked_us, gain=2.0)
    assert to_lock(Metadata(gain=2.0)) == Metadata(gain=2.0)


def test_C17_the_lens_is_locked_where_this_camera_had_it_and_kept_with_the_camera(bench):
    model = replace(bench.model, camera="imx708-17", locked=to_lock(Metadata(lens=3.7)))
    bench.known.keep("table", model)
    again = bench.known.of("table")
    assert (again.camera, again.locked) == ("imx708-17", Metadata(lens=3.7))
    bench.album.open(bench.driver)
    assert read_lock(bench.driver.start(0).send) == Metadata(lens=3.7)
