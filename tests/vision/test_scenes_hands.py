"""Scenes C25 to C37 of README.md: hands, moves, pushes; and the real sequences."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
cv2 = pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from engine.position import Piece, Side  # noqa: E402
from engine.ruleset import load_ruleset  # noqa: E402
from tests.data_files import needs_shared, shared, shared_json  # noqa: E402
from tests.vision.scenes import arm  # noqa: E402
from tests.vision.watched import all_unknown, middle_game, side_likeliest, unknown, watched, wrong  # noqa: E402
from vision.frame import Frame  # noqa: E402
from vision.ground import small  # noqa: E402
from vision.known import watching  # noqa: E402
from vision.model import BoardModel  # noqa: E402
from vision.rectify import rectified  # noqa: E402
from vision.simulator.camera_board import CameraBoard  # noqa: E402
from vision.simulator.pieces import Standing  # noqa: E402
from vision.watch import Seen, begun, watch  # noqa: E402

LABELS = "vision/labels.json"
SEQUENCES = shared_json(LABELS, {}).get("sequences", [])
CHESS = load_ruleset("turkish")
"""All squares of a board of 8x8; only hands and movement matter in the sequences."""
INTERNATIONAL = load_ruleset("international")


def picture(frame):
    return cv2.imread(str(shared(f"vision/{frame['file']}")))


def watching_sequence(sequence, first):
    corners = np.array(sequence["corners"])
    look = small(rectified(first, corners, 8, 8))
    model = BoardModel("webcam", 640, 480, 8, 8, corners, None, look, ())
    men = (*(Piece.WHITE_MAN,) * 16, *(Piece.BLACK_MAN,) * 16, *(Piece.EMPTY,) * 32)
    return watching(model, CHESS.geometry, men), begun(model)


@needs_shared(LABELS)
@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda sequence: sequence["name"])
def test_C25_no_frame_with_a_hand_is_accepted_as_it_was_filmed(sequence):
    frames = sequence["frames"]
    first = next(frame for frame in frames if frame["state"] == "none")
    known, memory = watching_sequence(sequence, picture(first))
    accepted = []
    for frame in frames:
        seen, memory = watch(known, memory, Frame(picture(frame), round(1000 * frame["t"]), "webcam"))
        if isinstance(seen, Seen):
            accepted.append(frame["state"])
    assert "hand" not in accepted
    assert accepted, "a board at rest is read"


@needs_shared(LABELS)
@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda sequence: sequence["name"])
def test_C25_no_hand_that_lies_still_is_accepted(sequence):
    """Each filmed hand held still for 1.5 s, with the noise of a webcam."""
    frames = sequence["frames"]
    clear = next(picture(frame) for frame in frames if frame["state"] == "none")
    known, begins = watching_sequence(sequence, clear)
    chance, begins_ms = np.random.default_rng(1), 0
    for _ in range(6):
        begins_ms += 150
        _, begins = watch(known, begins, Frame(clear, begins_ms, "webcam"))
    accepted = []
    for frame in [frame for frame in frames if frame["state"] == "hand"][::2]:
        memory, at_ms, still = begins, begins_ms, picture(frame)
        for _ in range(10):
            at_ms += 150
            noisy = np.clip(still + chance.normal(0, 2, still.shape), 0, 255).astype(np.uint8)
            seen, memory = watch(known, memory, Frame(noisy, at_ms, "webcam"))
            if isinstance(seen, Seen):
                accepted.append(frame["file"])
                break
    assert accepted == []


def test_C25_squares_under_a_hand_that_rests_are_unknown_never_empty():
    stands = middle_game()
    rig = watched(stands)
    rig.run(1200)
    rig.arms = (arm(4.5, 5.5),)
    views = rig.run(2100)
    assert views
    assert all(not wrong(view, stands) for view in views)
    x, y = 4, 5
    under = INTERNATIONAL.geometry.cells.index((x, y))
    assert under in unknown(views[-1])


def test_C26_a_person_who_leans_over_changes_no_square_and_reading_goes_on_within_a_second():
    stands = middle_game()
    rig = watched(stands)
    rig.run(1200)
    columns = np.arange(640) / 640

    def leaning(by):
        dark = (1 - 0.45 * np.clip(by + 0.6 - columns, 0, 1)).astype(np.float32)
        return lambda seen: (seen * dark[None, :, None]).astype(np.uint8)

    for step in range(8):
        rig.retouch = leaning(step / 8)
        rig.run(150)
    rig.run(600)
    rig.retouch = lambda seen: seen
    rig.board.take(INTERNATIONAL.geometry.cells[22], rig.now_ms)
    rig.board.put(INTERNATIONAL.geometry.cells[22], Piece.WHITE_MAN, rig.now_ms)
    views = rig.run(1050)
    assert all(not wrong(view, stands) for _, view in rig.views[:-1])
    assert views
    assert side_likeliest(views[-1], 22) is Side.WHITE


def test_C27_nothing_is_read_before_two_equal_readings_300_ms_apart():
    rig = watched(middle_game())
    rig.run(1200)
    rig.arms = (arm(4.5, 5.5),)
    rig.run(600)
    rig.board.take(INTERNATIONAL.geometry.cells[1], rig.now_ms)
    rig.arms, gone_ms = (), rig.now_ms
    rig.run(1500)
    told = [(at_ms, view) for at_ms, view in rig.views if at_ms > gone_ms and not all_unknown(view)]
    assert told
    assert told[0][0] - gone_ms >= 300
    assert wrong(told[0][1], rig.contents) == []


def test_C29_a_still_board_is_told_once():
    rig = watched(middle_game())
    rig.run(6000)
    assert len([view for _, view in rig.views if not all_unknown(view)]) == 1


def test_C33_men_beside_the_middle_of_their_squares():
    stands = middle_game()
    rig = watched(stands)
    off = {}
    for number, (cell, man) in enumerate(rig.board._standing.items()):
        dx, dy = 0.17 * np.cos(number), 0.17 * np.sin(number)
        off[cell] = Standing(man.piece, cell[0] + 0.5 + dx, cell[1] + 0.5 + dy, grain=number)
    rig.board._standing.update(off)
    rig.run(1200)
    assert wrong(rig.views[-1][1], stands) == []


def test_C34_captured_men_beside_the_board_are_never_read():
    stands = middle_game()
    rig = watched(stands)
    rig.run(1200)
    rig.board._off = [Piece.WHITE_MAN, Piece.BLACK_MAN] * 6
    rig.board._standing.pop(INTERNATIONAL.geometry.cells[stands.index(Piece.WHITE_MAN)])
    rig.run(2000)
    assert wrong(rig.views[-1][1], rig.contents) == []


@pytest.mark.parametrize(
    "sleeve",
    [
        (30, 30, 32),
        pytest.param((190, 196, 200), marks=pytest.mark.soak),
        pytest.param((40, 74, 118), marks=pytest.mark.soak),
    ],
    ids=["dark", "pale", "like the wood"],
)
def test_C35_a_sleeve_or_an_arm_of_a_machine_is_a_hand(sleeve):
    stands = middle_game()
    rig = watched(stands)
    rig.run(1200)
    rig.arms = (arm(6.5, 2.5, sleeve=sleeve, skin=sleeve, bare=0.0),)
    views = rig.run(1500)
    assert views
    assert all(not wrong(view, stands) for view in views)


def test_C36_a_camera_says_nothing_of_men_and_kings():
    rig = watched(middle_game())
    rig.run(1200)
    for evidence in rig.views[-1][1].seen:
        assert evidence[1] == evidence[2]
        assert evidence[3] == evidence[4]


@pytest.mark.parametrize("by", [(0.15, -0.1, 0.4), pytest.param((-0.3, 0.2, 0.0), marks=pytest.mark.soak)])
def test_C37_a_camera_that_is_pushed_a_little_goes_on_within_two_seconds(by):
    stands = middle_game()
    rig = watched(stands)
    rig.run(1200)
    _push(rig.board, by)
    rig.board._standing.pop(INTERNATIONAL.geometry.cells[stands.index(Piece.BLACK_MAN)])
    views = rig.run(2000)
    assert views
    assert wrong(views[-1], rig.contents) == []
    truth = rig.board.seen.camera.corners(10, 10)
    assert np.hypot(*(rig.driver.model.corners - truth).T).max() < 0.15 * rig.board.seen.camera.side(5, 5)


def test_C37_a_camera_that_is_pushed_by_a_square_says_so_and_reads_nothing():
    stands = middle_game()
    rig = watched(stands)
    rig.run(1200)
    _push(rig.board, (1.0, 0.1, 0.0))
    views = rig.run(3000)
    assert all(not wrong(view, stands) for view in views)
    assert "moved" in (rig.driver.problem or "")


def _push(board: CameraBoard, by):
    board.seen.aim(board.seen.camera.bumped(*by))
