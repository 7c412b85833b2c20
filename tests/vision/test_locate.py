"""Boards are found in photographs, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from tests.data_files import needs_shared, shared, shared_json

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
cv2 = pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from vision.locate import Located, locate, mapped  # noqa: E402

LABELS = "vision/labels.json"
IMAGES = shared_json(LABELS, {}).get("images", [])


def picture(label):
    return cv2.imread(str(shared(f"vision/{label['file']}")))


def off_by(found: Located, corners) -> float:
    """The farthest corner from its label, in squares, whichever corner comes first."""
    labels = np.array(corners)
    side = np.mean(np.hypot(*(labels - np.roll(labels, 1, axis=0)).T)) / found.columns
    return min(np.hypot(*(np.roll(found.corners, k, axis=0) - labels).T).max() for k in range(4)) / side


@needs_shared(LABELS)
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.soak)])
def test_boards_are_found_in_photographs(step):
    missed, wrong, parities = [], [], []
    for label in IMAGES[::step]:
        found = locate(picture(label))
        if found is None:
            missed.append(label["file"])
        elif (found.columns, found.rows) != (label["cols"], label["rows"]) or off_by(found, label["corners"]) >= 0.15:
            wrong.append(label["file"])
        elif found.parity != label["dark_parity"]:
            parities.append(label["file"])
    assert wrong == []
    assert parities == []
    assert len(missed) <= 0.03 * len(IMAGES[::step])


@needs_shared(LABELS)
@pytest.mark.parametrize("label", IMAGES[::26], ids=lambda label: label["file"])
def test_a_board_of_which_half_is_out_of_the_picture_is_refused(label):
    middle = np.array(label["corners"]).mean(axis=0)
    assert locate(picture(label)[:, : int(middle[0])]) is None


@needs_shared(LABELS)
@pytest.mark.parametrize("label", IMAGES[4::26], ids=lambda label: label["file"])
def test_what_is_around_a_board_is_no_board(label):
    image, corners = picture(label), np.array(label["corners"])
    grown = (corners - corners.mean(axis=0)) * 1.08 + corners.mean(axis=0)
    cv2.fillPoly(image, [grown.astype(np.int32)], image.mean(axis=(0, 1)).tolist())
    assert locate(image) is None


@pytest.mark.parametrize("shape", [(1, 1), (2, 300), (720, 1280)])
def test_black_pictures_and_noise_are_no_boards(shape):
    assert locate(np.zeros((*shape, 3), np.uint8)) is None
    assert locate(np.random.default_rng(5).integers(0, 256, (*shape, 3), dtype=np.uint8)) is None


def drawn(columns, rows, corners, size=(720, 1280)):
    """A plain chequer in perspective, drawn three times as large and shrunk; row + column even is dark."""
    height, width = size
    axes = np.meshgrid((np.arange(3 * width) + 0.5) / 3 - 0.5, (np.arange(3 * height) + 0.5) / 3 - 0.5)
    to = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float32)
    back = cv2.getPerspectiveTransform(np.float32(corners), to)
    at = mapped(back, np.stack([axis.ravel() for axis in axes], axis=1)).reshape(3 * height, 3 * width, 2)
    inside = (at >= 0).all(axis=2) & (at[..., 0] < columns) & (at[..., 1] < rows)
    dark = np.floor(at).sum(axis=2) % 2 == 0
    grey = np.where(inside, np.where(dark, 60, 200), 128).astype(np.uint8)
    return cv2.cvtColor(cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA), cv2.COLOR_GRAY2BGR)


@pytest.mark.parametrize(("columns", "rows"), [(8, 8), (10, 10), (10, 8)])
def test_a_drawn_board_is_found_to_a_part_of_a_pixel(columns, rows):
    corners = [(330, 90), (900, 130), (1000, 650), (240, 600)]
    found = locate(drawn(columns, rows, corners))
    assert found is not None
    assert (found.columns, found.rows, found.parity) == (columns, rows, 0)
    assert np.abs(found.corners - corners).max() < 1.0
    assert found.residual < 0.02


def test_corners_begin_at_the_upper_left_and_go_clockwise():
    corners = [(640, 60), (940, 360), (640, 660), (340, 360)]  # stands on its corner
    found = locate(drawn(8, 8, corners))
    assert found is not None
    first = found.corners[0]
    assert first.sum() == pytest.approx(min(found.corners.sum(axis=1)))
    turned = found.corners - found.corners.mean(axis=0)
    angles = np.unwrap(np.arctan2(turned[:, 1], turned[:, 0]))
    assert (np.diff(angles) > 0).all()
