"""Scenes C01 to C12 and C40 of README.md: a camera is set over a board."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
cv2 = pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from engine.rules import rules_for  # noqa: E402
from engine.ruleset import load_ruleset  # noqa: E402
from tests.data_files import needs_shared, shared, shared_json  # noqa: E402
from tests.vision.scenes import scene  # noqa: E402
from tests.vision.watched import calibrated, middle_game, set_up, usual, watched, watched_in, wrong  # noqa: E402
from vision.calibration import Aim, Refused, aimed, model_from  # noqa: E402
from vision.frame import Frame  # noqa: E402
from vision.locate import locate  # noqa: E402
from vision.markers import IDS, PAPER, marked, printed, sheet  # noqa: E402
from vision.model import BoardModel  # noqa: E402
from vision.simulator.light import Light  # noqa: E402

RUSSIAN, INTERNATIONAL = load_ruleset("russian"), load_ruleset("international")
LABELS = {label["file"]: label for label in shared_json("vision/labels.json", {}).get("images", [])}
NEAR = 0.15
ROOT = Path(__file__).parents[2]


def off_by(found: np.ndarray, truth: np.ndarray, columns: int) -> float:
    """The farthest corner in sides of a square, whichever comes first."""
    side = float(np.hypot(*(truth[1] - truth[0]))) / columns
    return min(float(np.hypot(*(np.roll(found, turn, axis=0) - truth).T).max()) for turn in range(4)) / side


def located(ruleset, where, contents=None):
    """How far off the board is found; None where it is not found. Never another size."""
    picture = set_up(ruleset, where, contents or middle_game(ruleset.name)).picture(0)
    found = locate(picture)
    if found is None:
        return None
    assert {found.columns, found.rows} == {ruleset.columns, ruleset.rows}
    return off_by(found.corners, where.camera.corners(ruleset.columns, ruleset.rows), ruleset.columns)


@pytest.mark.parametrize("seed", [2, pytest.param(9, marks=pytest.mark.soak)])
def test_C01_a_board_without_a_white_margin_in_a_frame_as_dark_as_its_squares(seed):
    where = scene(INTERNATIONAL, seed, tilt=20)
    dark = replace(where.look, frame=where.look.dark, table=where.look.dark)
    assert located(INTERNATIONAL, replace(where, look=dark)) < NEAR


@pytest.mark.parametrize(
    "light",
    [
        Light((5, -12, 25), direct=0.3, ambient=0.7),
        Light((9, 3, 9), direct=0.8, ambient=0.2),
        Light((5, 5, 30), direct=0.55, ambient=0.15),
    ],
    ids=["day", "table lamp", "ceiling lamp"],
)
def test_C02_by_daylight_and_under_lamps(light):
    where = replace(scene(INTERNATIONAL, 4, tilt=15), light=light)
    assert located(INTERNATIONAL, where) < NEAR


@needs_shared("vision/labels.json")
@pytest.mark.parametrize("number", [6, 7, 8])
def test_C03_the_grid_is_not_a_row_off(number):
    label = LABELS[f"images/cv3_{number:03d}.jpg"]
    found = locate(cv2.imread(str(shared(f"vision/{label['file']}"))))
    assert found is not None
    assert off_by(found.corners, np.array(label["corners"]), label["cols"]) < NEAR


def test_C04_corners_do_not_wobble_while_nothing_moves():
    rig = watched()
    before = rig.driver.model.corners
    rig.run(4000)
    assert rig.views
    assert np.array_equal(rig.driver.model.corners, before)


@pytest.mark.parametrize("fill", [0.45, pytest.param(0.95, marks=pytest.mark.soak)])
def test_C05_corners_are_as_good_on_small_squares_as_on_large_ones(fill):
    assert located(INTERNATIONAL, scene(INTERNATIONAL, 5, tilt=10, fill=fill)) < 0.1


@pytest.mark.parametrize("width", [pytest.param(0.2, marks=pytest.mark.soak), 1.2])
def test_C06_corners_are_those_of_the_squares_not_of_the_frame(width):
    where = scene(RUSSIAN, 3, tilt=15, fill=0.75)
    assert located(RUSSIAN, replace(where, look=replace(where.look, frame_width=width))) < NEAR


@pytest.mark.parametrize(("outside", "is_refused"), [(0.15, False), (0.8, True)])
def test_C07_a_quarter_of_a_square_may_be_outside_the_picture_more_is_refused(outside, is_refused):
    where = scene(RUSSIAN, 6, tilt=0)
    corners = where.camera.corners(8, 8)
    side = float(np.hypot(*(corners[1] - corners[0]))) / 8
    by = (corners[:, 0].min() + outside * side) / side
    azimuth_free = np.array([where.camera._axes()[0][0], where.camera._axes()[0][1]]) * by
    pushed = where.camera.bumped(*map(float, azimuth_free))
    made = calibrated(RUSSIAN, replace(where, camera=pushed))
    if is_refused:
        assert isinstance(made, Refused)
        assert made.reason in {"no_board", "outside"}
    else:
        assert isinstance(made, BoardModel)


def test_C08_oblique_views_work_to_45_degrees_and_farther_squares_are_refused():
    assert located(RUSSIAN, scene(RUSSIAN, 1, tilt=45)) < NEAR
    assert isinstance(calibrated(RUSSIAN, scene(RUSSIAN, 1, tilt=40)), BoardModel)
    far = calibrated(INTERNATIONAL, scene(INTERNATIONAL, 1, tilt=55, fill=0.4))
    assert isinstance(far, Refused)
    assert far.reason in {"far", "no_board", "soft"}


@pytest.mark.parametrize("azimuth", [0, 90, *(pytest.param(turned, marks=pytest.mark.soak) for turned in (180, 270))])
def test_C09_how_the_board_lies_is_told_by_the_start_position(azimuth):
    _, where, model = usual("russian", 2, azimuth=azimuth)
    truth = where.camera.corners(8, 8)
    side = float(np.hypot(*(truth[1] - truth[0]))) / 8
    assert np.hypot(*(model.corners - truth).T).max() < NEAR * side


def test_C09_how_the_board_lies_is_not_guessed_from_the_middle_of_a_game():
    ruleset, where, _ = usual()
    picture = set_up(ruleset, where, middle_game()).picture(0)
    made = model_from(None, Frame(picture, 0), ruleset.geometry, rules_for(ruleset).start().contents)
    assert isinstance(made, Refused)
    assert made.reason == "not_start"
    assert len(made.squares) > 5


def test_C10_squares_that_are_equally_bright_and_differ_in_colour():
    where = scene(INTERNATIONAL, 7, tilt=20)
    blue, orange = (196, 130, 60), (40, 118, 205)
    grey = [float(np.dot(colour, (0.114, 0.587, 0.299))) for colour in (blue, orange)]
    orange = tuple(part * grey[0] / grey[1] for part in orange)
    assert located(INTERNATIONAL, replace(where, look=replace(where.look, light=orange, dark=blue))) < NEAR


@pytest.mark.soak
def test_C11_a_board_that_is_no_chequer_is_not_found_and_works_with_corners_by_hand():
    turkish = load_ruleset("turkish")
    where = scene(turkish, 3, tilt=15, azimuth=90)
    found = locate(set_up(turkish, where, rules_for(turkish).start().contents).picture(0))
    truth = where.camera.corners(8, 8)
    assert found is None or off_by(found.corners, truth, 8) < NEAR
    model = calibrated(turkish, where, corners=np.roll(truth, 1, axis=0))
    assert isinstance(model, BoardModel), model
    stands = middle_game("turkish")
    rig = watched_in(turkish, where, model, stands)
    rig.run(1500)
    assert wrong(rig.views[-1][1], stands) == []


def test_C12_the_light_squares_are_played_on():
    where = scene(INTERNATIONAL, 8, tilt=15)
    where = replace(where, look=replace(where.look, dark_parity=1 - where.look.dark_parity))
    model = calibrated(INTERNATIONAL, where)
    assert isinstance(model, BoardModel), model
    rig = watched_in(INTERNATIONAL, where, model, middle_game())
    rig.run(1500)
    assert wrong(rig.views[-1][1], middle_game()) == []


def with_markers(where, side, numbers=IDS):
    """Retouches pictures: markers of so many squares a side lie at the corners, each turned otherwise."""
    camera, size = where.camera, 8

    def retouch(picture):
        seen = picture.copy()
        for turn, (number, (x, y)) in enumerate(zip(numbers, [(0, 0), (1, 0), (1, 1), (0, 1)], strict=False)):
            left, top = ((size if far else -side) for far in (x, y))
            around = [(left, top), (left + side, top), (left + side, top + side), (left, top + side)]
            at = camera.project(np.array([(*corner, 0.0) for corner in around])).astype(np.float32)
            paper = np.kron(np.rot90(printed(number), turn), np.ones((12, 12), np.uint8)) * 0.8 + 15
            edge = 12 * PAPER - 0.5
            to = cv2.getPerspectiveTransform(
                np.array([(-0.5, -0.5), (edge, -0.5), (edge, edge), (-0.5, edge)], np.float32), at
            )
            shape = picture.shape[1::-1]
            laid = cv2.warpPerspective(paper.astype(np.uint8), to, shape, flags=cv2.INTER_AREA)
            covers = cv2.warpPerspective(np.ones_like(paper, np.uint8), to, shape, flags=cv2.INTER_NEAREST)
            seen = np.where(covers[..., None] > 0, laid[..., None], seen)
        return cv2.GaussianBlur(seen, (0, 0), 0.8)

    return retouch


@pytest.mark.parametrize("seed", [3, pytest.param(5, marks=pytest.mark.soak)])
def test_C11_a_board_that_is_no_chequer_is_found_by_markers(seed):
    turkish = load_ruleset("turkish")
    where = scene(turkish, seed, tilt=20, azimuth=90, fill=0.7)
    picture = set_up(turkish, where, rules_for(turkish).start().contents).picture(0)
    truth = where.camera.corners(8, 8)
    assert off_by(marked(with_markers(where, 1.0)(picture)), truth, 8) < NEAR
    aim = aimed(with_markers(where, 1.0)(picture), turkish.geometry)
    assert isinstance(aim, Aim), aim
    assert off_by(aim.corners, truth, 8) < NEAR


@pytest.mark.parametrize(("side", "numbers"), [(0.2, IDS), (1.0, IDS[:3]), (1.0, (0, 1, 2, 2)), (1.0, (0, 1, 2, 7))])
def test_C39_markers_too_small_missing_or_double_are_not_believed(side, numbers):
    where = scene(RUSSIAN, 3, tilt=20, fill=0.7)
    picture = with_markers(where, side, numbers)(set_up(RUSSIAN, where, middle_game("russian")).picture(0))
    assert marked(picture) is None
    aim = aimed(picture, RUSSIAN.geometry)  # the lattice of the squares tells where the board is
    assert isinstance(aim, Aim), aim


def test_C39_the_sheet_of_markers_is_the_one_to_print():
    assert (ROOT / "docs" / "markers.svg").read_text(encoding="utf-8") == sheet()


def test_C40_a_set_up_position_instead_of_the_start_is_refused_with_its_squares():
    ruleset, where, _ = usual()
    home = rules_for(ruleset).start().contents
    pushed = (*home[:19], home[-1], home[19], *home[21:])
    picture = set_up(ruleset, where, pushed).picture(0)
    made = model_from(None, Frame(picture, 0), ruleset.geometry, home)
    assert isinstance(made, Refused)
    assert made.reason == "not_start"
    assert {19, 20} <= set(made.squares)
    assert len(made.squares) <= 4
