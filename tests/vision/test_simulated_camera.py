"""The simulated camera: what it shows is where the geometry says, and there when the hands are there."""

from __future__ import annotations

import json
import time

import pytest

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
cv2 = pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from engine.position import Piece, Side  # noqa: E402
from engine.ruleset import load_ruleset  # noqa: E402
from tests.vision.scenes import arm, board_under  # noqa: E402
from vision.simulator.arm import Arm  # noqa: E402
from vision.simulator.lens import camera_over  # noqa: E402
from vision.simulator.reaching import IN_MS, OUT_MS, Contact, arm_at  # noqa: E402

REST = Arm(5, 14, 1, (6, 22))


@pytest.mark.parametrize("tilt", [0, 20, 45])
@pytest.mark.parametrize("azimuth", [0, 90, 200])
def test_a_pixel_shows_the_point_of_the_table_that_is_projected_to_it(tilt, azimuth):
    camera = camera_over(10, 8, tilt=tilt, azimuth=azimuth, roll=3, width=160, height=120)
    ground = camera.ground()
    for x, y in ((0, 0), (10, 0), (10, 8), (3.3, 7.1)):
        column, row = camera.project(np.array((x, y, 0.0)))
        near = (
            cv2.getRectSubPix(ground[..., 0], (1, 1), (column, row)),
            cv2.getRectSubPix(ground[..., 1], (1, 1), (column, row)),
        )
        assert np.allclose(np.ravel(near), (x, y), atol=0.01)


def test_white_is_at_the_bottom_of_the_picture_when_the_camera_stands_on_whites_side():
    corners = camera_over(8, 8, tilt=20, azimuth=0).corners(8, 8)
    assert corners[0][1] < corners[3][1]
    assert corners[0][0] < corners[1][0]
    assert corners[1][0] - corners[0][0] < corners[2][0] - corners[3][0], "what is near is large"


@pytest.mark.parametrize("azimuth", [0, 90, 180, 270])
@pytest.mark.parametrize("tilt", [0, 30, 50])
def test_the_whole_board_is_in_the_picture(tilt, azimuth):
    corners = camera_over(10, 10, tilt=tilt, azimuth=azimuth).corners(10, 10)
    assert (corners > 0).all()
    assert (corners < (640, 480)).all()


def test_a_stacked_king_hides_what_is_behind_it():
    camera = camera_over(8, 8, tilt=30, azimuth=0)
    foot, top = camera.project(np.array([(4.5, 4.5, 0), (4.5, 4.5, 0.4)]))
    assert foot[1] - top[1] > 0.15 * camera.side(4.5, 4.5)


def test_pieces_are_seen_where_they_stand_and_nowhere_else():
    board = board_under(tilt=15)
    before = board.picture(0).astype(int)
    board.take((1, 6), 10)
    changed = np.abs(board.picture(200) - before).max(axis=2)
    x, y = np.rint(board.scene.camera.project(np.array((1.5, 6.5, 0.1)))).astype(int)
    side = board.scene.camera.side(1.5, 6.5)
    assert changed[y, x] > 40
    elsewhere = np.ones(changed.shape, np.uint8)
    cv2.circle(elsewhere, (int(x), int(y)), int(1.2 * side), (0,), -1)
    board_only = np.zeros(changed.shape, np.uint8)
    cv2.fillPoly(board_only, [board.scene.camera.corners(10, 10).astype(np.int32)], (1,))
    assert cv2.blur(changed * 1.0, (5, 5))[(elsewhere & board_only) == 1].max() < 20


def test_the_light_falls_from_the_lamp():
    board = board_under(seed=3, tilt=0, contents=(Piece.EMPTY,) * 50)
    bare = board.picture(0).astype(int)
    board.put((4, 5), Piece.BLACK_MAN, 0)
    darker = (bare - board.picture(0)).mean(axis=2)
    lamp = np.array(board.scene.light.lamp[:2])
    away = np.array((4.5, 5.5)) - lamp
    beside = np.array((4.5, 5.5)) + 0.48 * away / np.hypot(*away)
    opposite = np.array((4.5, 5.5)) - 0.48 * away / np.hypot(*away)
    (x, y), (u, v) = np.rint(board.scene.camera.project(np.array([(*beside, 0), (*opposite, 0)]))).astype(int)
    assert darker[y - 1 : y + 2, x - 1 : x + 2].mean() > darker[v - 1 : v + 2, u - 1 : u + 2].mean() + 3


def test_an_arm_covers_the_board_and_comes_from_its_own_side():
    board = board_under(tilt=0, azimuth=0)
    pieces = tuple(board._standing.values())
    bare, reached = (board.seen.picture(pieces, arms).astype(int) for arms in ((), (arm(4.5, 3.5),)))
    changed = np.abs(reached - bare).max(axis=2) > 40
    _, y = board.scene.camera.project(np.array((4.5, 3.5, 0.3)))
    assert changed.mean() > 0.03
    assert changed[: int(y - 2 * board.scene.camera.side(4.5, 3.5))].mean() < 0.002


def test_an_arm_comes_before_the_first_contact_holds_the_piece_and_goes():
    contacts = [Contact(1000, 2.5, 6.5, Piece.WHITE_MAN, True), Contact(1600, 3.5, 5.5, Piece.WHITE_MAN, False)]
    assert arm_at(contacts, 1000 - IN_MS, REST) is None
    assert arm_at(contacts, 990, REST).holding is None
    for at_ms, contact in zip((1000, 1600), contacts, strict=True):
        there = arm_at(contacts, at_ms, REST)
        assert (there.x, there.y) == pytest.approx((contact.x, contact.y), abs=0.01)
    on_the_way = arm_at(contacts, 1400, REST)
    assert on_the_way.holding.piece is Piece.WHITE_MAN
    assert on_the_way.z > 0.3
    assert arm_at(contacts, 1600 + OUT_MS - 20, REST).holding is None
    assert arm_at(contacts, 1600 + OUT_MS, REST) is None


def test_what_is_taken_off_lies_beside_the_board_when_the_hand_is_gone():
    board = board_under(tilt=0, fill=0.6)
    before = board.picture(0).astype(int)
    board.expect(Side.WHITE, [Contact(1000, 4.5, 3.5, Piece.BLACK_MAN, True)])
    board.take((4, 3), 1000)
    after = board.picture(3000).astype(int)
    x, y = np.rint(board.scene.camera.project(np.array((*_first_place(board), 0.1)))).astype(int)
    assert np.abs(after - before)[y, x].max() > 30


def _first_place(board):
    return 10 + board.scene.look.frame_width + 0.6, 9.5


def test_the_wire_carries_a_line_and_the_picture():
    board = board_under()
    head, _, picture = board.tick(0).partition(b"\n")
    told = json.loads(head)
    assert (told["width"], told["height"], told["bytes"]) == (640, 480, len(picture))
    assert board.deadline_ms() == 200
    assert board.tick(100) == b""


def test_the_same_seed_gives_the_same_pictures():
    assert board_under(seed=5).tick(0) == board_under(seed=5).tick(0)
    assert board_under(seed=5).tick(0) != board_under(seed=6).tick(0)


@pytest.mark.parametrize("variant", ["international", "russian", "turkish", "spantsireti"])
def test_every_kind_of_board_can_be_drawn(variant):
    ruleset = load_ruleset(variant)
    board = board_under(variant)
    assert board.picture(0).shape == (480, 640, 3)
    assert (ruleset.columns, ruleset.rows) == (board.seen.columns, board.seen.rows)


def test_pictures_come_fast_enough_to_play_whole_games():
    """30 ms a picture on one core, with an arm over the board; generous, since the machine may be busy."""
    board = board_under()
    pieces = tuple(board._standing.values())
    board.seen.picture(pieces)
    began = time.process_time()
    for number in range(20):
        board.seen.picture(pieces, (arm(4.5 + 0.1 * number, 4.5),))
    assert time.process_time() - began < 20 * 0.12
