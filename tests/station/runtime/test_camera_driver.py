"""The driver of a board under a camera: pictures in, views out; what cannot be used is counted, what lasts is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
cv2 = pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from engine.rules import rules_for  # noqa: E402
from engine.ruleset import load_ruleset  # noqa: E402
from engine.view import ANYTHING, evidence_for  # noqa: E402
from station.runtime.boards import driver_class  # noqa: E402
from station.runtime.camera_driver import GIVES_IN_MS, LOST_MS, WAITS_MS  # noqa: E402
from tests.vision.scenes import arm, board_under  # noqa: E402
from vision.calibration import model_from  # noqa: E402
from vision.camera import CameraLost, lock_command, open_source, read_lock  # noqa: E402
from vision.frame import Frame, Metadata, Unpacker, packed  # noqa: E402
from vision.model import BoardModel  # noqa: E402
from vision.recording import Recording  # noqa: E402

RUSSIAN = load_ruleset("russian")
HOME = rules_for(RUSSIAN).start().contents
PERIOD_MS = 200
LOCKED = Metadata(exposure_us=10_000, gain=2.0)


@pytest.fixture(scope="module")
def scene():
    board = board_under("russian", seed=3)
    (empty,) = Unpacker().feed(board.empty(), 0)
    model = model_from(empty.frame(), Frame(board.picture(0), 0), RUSSIAN.geometry, HOME)
    assert isinstance(model, BoardModel), model
    return board, model, board.picture(0)


class Bench:
    """A driver and its clock."""

    def __init__(self, model):
        self.driver = driver_class("camera")(RUSSIAN.geometry, HOME)
        self.driver.recall_model(model)
        self.now_ms = 1000
        self.started = self.driver.start(self.now_ms)

    def take(self, picture, times=1, **told):
        """What comes of pictures, one after the other."""
        outputs = []
        for _ in range(times):
            self.now_ms += PERIOD_MS
            outputs.append(self.driver.receive(packed(picture, **told), self.now_ms))
        return outputs

    def dropped(self):
        return dict(self.driver.counters.by_reason)


def views(outputs):
    return [view for output in outputs for view in output.views]


def is_unknown(view):
    """Whether nothing is told of any square."""
    return set(view.seen) == {evidence_for(ANYTHING)}


def online(outputs):
    return [output.online for output in outputs if output.online is not None]


def test_a_board_is_seen_and_told_once(scene):
    _, model, picture = scene
    bench = Bench(model)
    outputs = bench.take(picture, 8)
    assert online(outputs) == [True]
    told = [view for view in views(outputs) if not is_unknown(view)]
    assert len(told) == 1
    best = [max(range(5), key=evidence.__getitem__) for evidence in told[0].seen]
    assert best == [{1: 0, 2: 1, 8: 3}[int(piece)] for piece in HOME]
    assert bench.driver.device.colour
    assert not bench.driver.device.lamps


def test_a_board_under_a_hand_is_unknown_not_empty(scene):
    board, model, picture = scene
    bench = Bench(model)
    bench.take(picture, 8)
    hand = board.seen.picture(tuple(board._standing.values()), [arm(4.0, 4.0)], 0)
    (view,) = views(bench.take(hand, 6))
    assert is_unknown(view)
    assert len(views(bench.take(picture, 8))) == 1


def test_a3_a_hand_is_told_of_with_the_first_picture_of_it_and_a_piece_that_is_drawn_is_none(scene):
    board, model, picture = scene
    bench = Bench(model)
    bench.take(picture, 8)
    standing = dict(board._standing)
    (piece, *others) = standing.values()
    for by in (0.2, 0.5, 0.8, 1.0):
        moved = replace(piece, x=piece.x + by, y=piece.y - by)
        drawn = board.seen.picture((moved, *others), [], 0)
        assert [output.hand for output in bench.take(drawn)] == [None]
    bench.take(picture, 8)
    hand = board.seen.picture(tuple(standing.values()), [arm(4.0, 4.0)], 0)
    assert [output.hand for output in bench.take(hand, 3)] == [True, None, None]
    assert [output.hand for output in bench.take(picture, 8) if output.hand is not None] == [False]


def test_what_lies_over_the_board_for_long_is_said_and_forgotten(scene):
    board, model, picture = scene
    bench = Bench(model)
    bench.take(picture, 8)
    hand = board.seen.picture(tuple(board._standing.values()), [arm(4.0, 4.0)], 0)
    bench.take(hand, 3)
    bench.now_ms += WAITS_MS
    assert online(bench.take(hand, 2)) == [False]
    assert "take it away" in bench.driver.problem
    assert online(bench.take(picture, 8)) == [True]
    assert bench.driver.problem is None


def test_a_camera_that_is_not_calibrated_says_what_to_do(scene):
    bench = Bench(None)
    assert views(bench.take(scene[2], 6)) == []
    assert "dambord calibrate camera" in bench.driver.problem


def test_pictures_that_cannot_be_used_are_dropped_and_counted(scene):
    _, model, picture = scene
    bench = Bench(model)
    bench.take(picture, 8)
    jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
    spoilt = [jpeg[: len(jpeg) // 2], b"no picture", jpeg[:20] + b"\xff\xd9"]
    assert views([output for data in spoilt for output in bench.take(data)]) == []
    bench.take(picture, age_ms=300)
    bench.driver.receive(b"rubbish\n" + packed(picture) + packed(picture), bench.now_ms)
    assert bench.dropped() == {"no_picture": 3, "stale": 1, "no_packet": 1, "overtaken": 1}
    assert bench.driver.problem is None


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (np.zeros_like, "too dark"),
        (lambda image: image[:1, :1], "another size"),
        (lambda image: cv2.imencode(".jpg", cv2.resize(image, (7680, 4320)))[1].tobytes(), "another size"),
        (lambda image: np.ascontiguousarray(np.rot90(image)), "another size"),
    ],
)
def test_pictures_of_something_else_are_never_read(scene, spoil, problem):
    _, model, picture = scene
    bench = Bench(model)
    bench.take(picture, 8)
    outputs = bench.take(spoil(picture), 2)
    bench.now_ms += WAITS_MS
    outputs += bench.take(spoil(picture), 2)
    assert all(map(is_unknown, views(outputs)))
    assert problem in bench.driver.problem


def test_a_board_turned_round_under_the_camera_is_not_read_as_a_game(scene):
    _, model, picture = scene
    bench = Bench(model)
    bench.take(picture, 8)
    told = views(bench.take(np.ascontiguousarray(picture[::-1, ::-1]), 4))
    assert all(map(is_unknown, told))


def test_a_silent_camera_is_lost_within_two_seconds(scene):
    _, model, picture = scene
    bench = Bench(model)
    bench.take(picture, 8)
    assert bench.driver.deadline_ms() == bench.now_ms + LOST_MS
    assert bench.driver.tick(bench.now_ms + LOST_MS).online is False
    bench.now_ms += 10 * LOST_MS
    bench.driver.start(bench.now_ms)
    assert online(bench.take(picture, 8)) == [True]


def test_a_camera_is_locked_and_what_drifts_is_dropped_then_believed(scene):
    _, model, picture = scene
    bench = Bench(replace(model, locked=LOCKED))
    assert read_lock(bench.started.send) == LOCKED
    assert online(bench.take(picture, 8, metadata=LOCKED)) == [True]
    drifted = Metadata(exposure_us=20_000, gain=2.0)
    bench.now_ms += 5000
    outputs = bench.take(picture, 3, metadata=drifted)
    assert views(outputs) == []
    assert [read_lock(output.send) for output in outputs if output.send] == [LOCKED]
    assert bench.dropped() == {"not_locked": 3}
    bench.now_ms += GIVES_IN_MS
    assert bench.driver.counters.remark == ""
    bench.take(picture, 6, metadata=drifted)
    assert bench.driver.is_reading
    # It is said in words as long as it is so.
    assert bench.driver.counters.remark.startswith("exposure not locked: ")
    bench.take(picture, metadata=LOCKED)
    assert bench.driver.counters.remark == ""


def test_C14_a_camera_that_could_not_be_locked_at_all_is_said_to_be_so(scene):
    _, model, picture = scene
    bench = Bench(model)
    assert bench.started.send == b""
    assert bench.driver.counters.remark == ""  # there is none yet
    assert online(bench.take(picture, 8)) == [True]
    assert bench.driver.counters.remark.startswith("exposure not locked: ")


def test_a_lock_is_a_line_that_is_read_back():
    assert read_lock(lock_command(LOCKED).strip()) == LOCKED
    for line in (b"", b"{}", b'{"lock":3}', b"\xff", b"[]"):
        assert read_lock(line) is None


def test_what_is_recorded_is_seen_again(scene, tmp_path):
    _, _, picture = scene
    recording = Recording(tmp_path / "frames")
    for number in range(3):
        recording.keep(Frame(np.roll(picture, number, axis=0), 200 * number, "x", LOCKED))
    with (tmp_path / "frames" / "frames.jsonl").open("a") as index:
        index.write('{"file":"000099.jpg","at_ms":9}\n{"file":"0000')  # missing; torn
    again = recording.frames(5)
    assert [frame.at_ms for frame in again] == [0, 200, 400]
    assert {frame.metadata for frame in again} == {LOCKED}
    for number, frame in enumerate(again):
        assert np.abs(frame.image.astype(int) - np.roll(picture, number, axis=0)).mean() < 3
    source = open_source(str(tmp_path / "frames"))
    data, metadata, _ = source.picture()
    assert metadata == LOCKED
    assert data == (tmp_path / "frames" / "000000.jpg").read_bytes()
    source.close()


@pytest.mark.parametrize("port", ["/no/such/camera", "/dev/null", "unix:/no/such/socket", "pi:0", "/etc/hostname"])
def test_what_is_no_camera_says_so(port):
    with pytest.raises(CameraLost, match="camera"):
        open_source(port)


def test_an_empty_folder_is_no_camera(tmp_path):
    with pytest.raises(CameraLost, match="no pictures"):
        open_source(str(tmp_path))
