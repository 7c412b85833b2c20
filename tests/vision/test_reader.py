"""What is made of the networks' answers: counts, crowds, and what one board teaches."""

from __future__ import annotations

import json
from itertools import product

import pytest

from tests.data_files import needs_shared, shared

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
cv2 = pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from training.reader import KIND, examples, played_cells, usable  # noqa: E402
from vision.appearance import SUREST, Recalling, tuned  # noqa: E402
from vision.features import MOST, features  # noqa: E402
from vision.gate import hand_over  # noqa: E402
from vision.plausible import groups, plausible  # noqa: E402
from vision.reader import judged, no_more_than, trained  # noqa: E402
from vision.rectify import MARGIN, SIDE, rectified  # noqa: E402

LABELS = "vision/labels.json"


def labelled(name):
    labels = usable(json.loads(shared(LABELS).read_text())["images"])
    label = next(label for label in labels if name in label["file"])
    image = cv2.imread(str(shared(f"vision/{label['file']}")))
    return label, rectified(image, np.array(label["corners"]), label["cols"], label["rows"]), played_cells(label)


def test_no_more_pieces_are_expected_than_there_are():
    likely = np.tile([0.1, 0.2, 0.7], (32, 1))
    likely[:4] = [0.01, 0.01, 0.98]
    capped = no_more_than(likely, 12)
    assert capped.sum(axis=1) == pytest.approx(1)
    assert capped[:, 2].sum() <= 12.01
    assert (capped[:4, 2] > capped[4:, 2].max()).all()
    few = np.tile([0.9, 0.05, 0.05], (32, 1))
    assert no_more_than(few, 12) == pytest.approx(few)


def looks_like(kinds, light, chance):
    """Measures of squares whose lightness is that of their kind, and nothing else is known of them."""
    numbers = np.zeros((len(kinds), len(trained()[0].mean)))
    numbers[:, 0] = numbers[:, 2] = np.array(light)[kinds] + chance.normal(0, 0.1, len(kinds))
    return numbers


@pytest.mark.parametrize(("white", "black", "light"), [(12, 12, (0.0, 1.0, -1.5)), (4, 8, (1.5, 0.3, -1.0))])
def test_an_impossible_reading_is_sorted_out_by_what_looks_alike(white, black, light):
    kinds = np.repeat([1, 0, 2], [white, 32 - white - black, black])
    numbers = looks_like(kinds, light, np.random.default_rng(2))
    # The networks see pieces everywhere, most surely where there are some, and take both colours for White's.
    likely = np.where(kinds[:, None] > 0, np.array([[0.01, 0.98, 0.01]]), np.array([[0.2, 0.5, 0.3]]))
    assert plausible(likely, numbers, 12).argmax(axis=1).tolist() == kinds.tolist()


def test_what_is_possible_is_left_as_it_is():
    kinds = np.repeat([1, 0, 2], [12, 8, 12])
    likely = np.eye(3)[kinds] * 0.7 + 0.1
    # Even where White's pieces are the darker ones.
    assert plausible(likely, looks_like(kinds, (0.0, -1.5, 1.0), np.random.default_rng(2)), 12) is likely


@needs_shared(LABELS)
def test_squares_of_a_picture_fall_into_groups_by_their_looks():
    label, board, cells = labelled("pt_001")  # octagons: every empty square looks like a round piece
    of = groups(features(board, cells, 8, 8))
    stands = [label["cells"][row][column] for row, column in cells]
    white = {int(group) for group, what in zip(of, stands, strict=True) if what in "wW"}
    assert white.isdisjoint(int(group) for group, what in zip(of, stands, strict=True) if what == "-")


@needs_shared(LABELS)
def test_measures_are_bounded_and_steady():
    label, board, cells = labelled("cv3_010")
    numbers = features(board, cells, label["cols"], label["rows"])
    assert numbers.shape == (32, len(trained()[0].mean))
    assert np.abs(numbers).max() <= MOST
    assert features(board.copy(), cells, 8, 8) == pytest.approx(numbers)


def test_measures_of_a_black_or_a_white_board_are_numbers():
    cells = tuple((r, c) for r, c in product(range(8), repeat=2) if (r + c) % 2)
    size = 8 * SIDE + 2 * MARGIN
    for level in (0, 255):
        numbers = features(np.full((size, size, 3), level, np.uint8), cells, 8, 8)
        assert np.isfinite(numbers).all()
        assert judged(trained(), numbers, 12).sum(axis=1) == pytest.approx(1)


def test_a_board_without_unplayed_squares_is_measured():
    cells = tuple(product(range(8), repeat=2))
    noise = np.random.default_rng(2).integers(0, 256, (8 * SIDE + 2 * MARGIN,) * 2 + (3,), dtype=np.uint8)
    assert np.isfinite(features(noise, cells, 8, 8)).all()


@needs_shared(LABELS)
def test_what_is_known_of_a_board_is_read_right_afterwards():
    label, board, cells = labelled("en_012")
    numbers = features(board, cells, 10, 10)
    kinds = np.array([KIND[label["cells"][r][c]] for r, c in cells])
    swapped = np.array([0, 2, 1])[kinds]  # a club that calls the other colour White
    taught = tuned(trained(), numbers, swapped)
    assert (judged(taught, numbers, 20).argmax(axis=1) == swapped).mean() > 0.95
    assert (judged(trained(), numbers, 20).argmax(axis=1) == kinds).mean() > 0.9


def test_what_looks_as_it_did_is_what_it_was_and_another_light_says_nothing():
    chance = np.random.default_rng(3)
    kinds = np.repeat([0, 1, 2], [12, 10, 10])
    before = chance.normal(0, 1, (32, len(trained()[0].mean)))

    def undecided(numbers):
        return np.full((len(numbers), 3), np.log(1 / 3))

    recalling = Recalling(undecided, before, kinds)
    now = before + chance.normal(0, 0.02, before.shape)
    now[0] += 3  # something was put down on a square that was empty
    likely = np.exp(recalling(now))
    assert likely.argmax(axis=1)[1:].tolist() == kinds.tolist()[1:]
    assert likely[0, 0] < 1 / 3
    assert (np.ptp(recalling(now), axis=1) <= SUREST + 1e-9).all()
    assert np.exp(recalling(before + 3)) == pytest.approx(1 / 3, abs=1e-9)


@needs_shared(LABELS)
def test_a_sleeve_over_the_board_is_something_over_it():
    _, board, cells = labelled("cvt_g1_002")
    unplayed = tuple(cell for cell in product(range(8), repeat=2) if cell not in cells)
    assert not hand_over(board, unplayed)
    covered = board.copy()
    covered[: 5 * SIDE, 2 * SIDE : 5 * SIDE] = (150, 60, 40)
    assert hand_over(covered, unplayed)


@needs_shared(LABELS)
def test_examples_are_the_same_every_time():
    labels = usable(json.loads(shared(LABELS).read_text())["images"])[:1]
    first, second = (examples(shared("vision"), labels, 1, 3) for _ in range(2))
    assert first.numbers == pytest.approx(second.numbers)
    assert list(first.copies) == [0] * 32 + [1] * 32
    assert np.abs(first.numbers[:32] - first.numbers[32:]).max() > 0.1
