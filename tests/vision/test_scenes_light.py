"""Scenes C13 to C24 of README.md: light, and the camera itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
cv2 = pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from engine.position import Piece, Side  # noqa: E402
from engine.ruleset import load_ruleset  # noqa: E402
from tests.vision.scenes import scene  # noqa: E402
from tests.vision.watched import (  # noqa: E402
    SURE,
    calibrated,
    in_some_scene,
    middle_game,
    side_likeliest,
    unknown,
    watched,
    watched_in,
    wrong,
)
from vision.model import BoardModel  # noqa: E402

INTERNATIONAL = load_ruleset("international")


def scaled(gain):
    """The same picture, exposed otherwise."""
    return lambda picture: np.clip(picture * np.array(gain) ** 0.5, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    "gain",
    [
        pytest.param((1.25, 1.25, 1.25), marks=pytest.mark.soak),
        pytest.param((0.7, 0.7, 0.7), marks=pytest.mark.soak),
        (1.2, 1.0, 0.85),
    ],
    ids=["brighter", "darker", "bluer"],
)
def test_C13_exposure_and_white_balance_jump(gain):
    rig = watched(middle_game())
    rig.run(1500)
    rig.retouch = scaled(gain)
    rig.run(3000)
    assert all(not wrong(view, middle_game()) for _, view in rig.views)
    assert not unknown(rig.views[-1][1])


def test_C16_a_soft_picture_flips_no_square():
    rig = watched(middle_game())
    rig.run(1500)
    for sigma in (1.5, 3.0, 5.0):
        rig.retouch = lambda picture, sigma=sigma: cv2.GaussianBlur(picture, (0, 0), sigma)
        rig.run(1500)
    assert all(not wrong(view, middle_game()) for _, view in rig.views)


def glare(board, cell, radius):
    """A lamp mirrored on a square, so brightly that nothing is seen through it."""
    x, y = board.scene.camera.project(np.array((cell[0] + 0.5, cell[1] + 0.5, 0.0)))
    side = board.scene.camera.side(*cell)

    def retouch(picture):
        rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
        spot = 400 * np.exp(-((np.hypot(rows - y, columns - x) / (radius * side)) ** 4))
        return np.clip(picture + spot[..., None], 0, 255).astype(np.uint8)

    return retouch


def test_C18_squares_in_glare_are_unknown_not_white():
    stands = middle_game()
    square = next(number for number, piece in enumerate(stands) if piece is Piece.BLACK_MAN and 15 < number < 35)
    rig = watched(stands)
    rig.run(1500)
    rig.retouch = glare(rig.board, INTERNATIONAL.geometry.cells[square], 0.8)
    rig.run(3000)
    view = rig.views[-1][1]
    assert square in unknown(view)
    assert wrong(view, stands) == []


def stain(board, cell):
    """A dark round spot in the middle of a square, as large as a man."""
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    edge = [(cell[0] + 0.5 + 0.32 * np.cos(angle), cell[1] + 0.5 + 0.32 * np.sin(angle), 0.0) for angle in angles]
    outline = np.array([board.camera.project(np.array(point)) for point in edge])

    def retouch(picture):
        spot = np.zeros(picture.shape[:2], np.float32)
        cv2.fillPoly(spot, [np.rint(16 * outline).astype(np.int32)], 1.0, shift=4)
        share = 0.85 * cv2.GaussianBlur(spot, (0, 0), 0.7)[..., None]
        return (picture * (1 - share) + 30 * share).astype(np.uint8)

    return retouch


@pytest.mark.parametrize("seed", [4, pytest.param(3, marks=pytest.mark.soak)])
def test_C19_a_stain_that_looks_like_a_piece_is_none(seed):
    stands = middle_game()
    square = next(number for number, piece in enumerate(stands) if piece is Piece.EMPTY and number >= 20)
    where = scene(INTERNATIONAL, seed, tilt=15, azimuth=90)
    stained = stain(where, INTERNATIONAL.geometry.cells[square])
    model = calibrated(INTERNATIONAL, where, stained)
    assert isinstance(model, BoardModel), model
    rig = watched_in(INTERNATIONAL, where, model, stands)
    rig.retouch = stained
    rig.run(1500)
    assert side_likeliest(rig.views[-1][1], square) is None
    assert all(not wrong(view, stands) for _, view in rig.views)


@pytest.mark.parametrize("depth", [0.5])
def test_C20_a_shadow_that_falls_in_the_middle_of_a_game_changes_no_square(depth):
    stands = middle_game()
    rig = watched(stands)
    rig.run(1500)

    def shaded(picture):
        dark = picture.astype(np.float32)
        edge = np.array([(0, 0), (420, 0), (250, 480), (0, 480)], np.int32)
        mask = cv2.GaussianBlur(cv2.fillPoly(np.zeros(picture.shape[:2], np.float32), [edge], 1.0), (0, 0), 2)
        return (dark * (1 - (1 - depth) * mask)[..., None]).astype(np.uint8)

    rig.retouch = shaded
    rig.run(3000)
    assert all(not wrong(view, stands) for _, view in rig.views)


@pytest.mark.parametrize(("seed", "lamp"), [(1, (-6, 5, 3)), pytest.param(3, (14, 12, 3), marks=pytest.mark.soak)])
def test_C20_long_shadows_of_a_lamp_low_beside_the_board_are_no_pieces(seed, lamp):
    """Pieces throw shadows as long as the squares beside them, from calibration on."""

    def beside(where):
        return replace(where, light=replace(where.light, lamp=lamp))

    where, model = in_some_scene(INTERNATIONAL, beside, seed, tilt=15, azimuth=90)
    rig = watched_in(INTERNATIONAL, where, model, middle_game())
    rig.run(1500)
    assert rig.views
    assert all(not wrong(view, middle_game()) for _, view in rig.views)


def test_C21_a_dark_man_on_a_dark_square_is_never_surely_absent():
    """Dark brown men on squares painted black."""
    stands = middle_game()
    rig = watched(stands, seed=1)
    assert max(rig.board.scene.look.dark) < 45
    rig.run(1500)
    seen = rig.views[-1][1].seen
    black = [square for square, piece in enumerate(stands) if piece & (Piece.BLACK_MAN | Piece.BLACK_KING)]
    assert [square for square in black if seen[square][0] - max(seen[square][3:]) > SURE] == []


@pytest.mark.parametrize("light", [0.02, pytest.param(0.002, marks=pytest.mark.soak)])
def test_C22_dusk_is_read_rightly_or_not_at_all(light):
    stands = middle_game()
    rig = watched(stands)
    rig.run(1500)
    chance = np.random.default_rng(1)
    # Less light and the same noise: the sensor's own, which no gain takes away.
    rig.retouch = lambda picture: np.clip(picture * light**0.5 + chance.normal(0, 2, picture.shape), 0, 255).astype(
        np.uint8
    )
    rig.run(3000)
    assert all(not wrong(view, stands) for _, view in rig.views)


def test_C23_frames_older_than_200_ms_are_not_used():
    rig = watched()
    for _ in range(10):
        rig.now_ms += 150
        rig._hear(rig.driver.receive(rig.packet(age_ms=250), rig.now_ms))
    assert not rig.views
    assert dict(rig.driver.counters.by_reason)["stale"] == 10
    rig.run(1500)
    assert rig.views


def test_C23_of_frames_that_have_piled_up_only_the_newest_is_looked_at():
    rig = watched()
    piled = b"".join(rig.packet() for _ in range(5))
    rig.now_ms += 150
    rig._hear(rig.driver.receive(piled, rig.now_ms))
    assert dict(rig.driver.counters.by_reason)["overtaken"] == 4


def test_C24_a_camera_that_is_pulled_out_is_lost_within_two_seconds_and_back_with_what_it_knew():
    rig = watched(middle_game())
    rig.run(1500)
    gone_ms = rig.now_ms
    rig.run(3000, camera=False)
    rig.driver.start(rig.now_ms)
    rig.run(1500)
    assert [is_there for _, is_there in rig.online] == [True, False, True]
    assert rig.online[1][0] - gone_ms <= 2150
    assert wrong(rig.views[-1][1], middle_game()) == []


@pytest.mark.soak
def test_C13_white_and_black_are_not_confused_when_evening_comes():
    """The light of a whole evening: a third of it, redder and redder."""
    stands = middle_game()
    rig = watched(stands)
    for step in range(0, 8, 2):
        rig.retouch = scaled((1 - 0.09 * step, 1 - 0.075 * step, 1 - 0.06 * step))
        rig.run(2100)
    assert all(not wrong(view, stands) for _, view in rig.views)
    assert any(side_likeliest(rig.views[-1][1], square) is Side.WHITE for square in range(50))
