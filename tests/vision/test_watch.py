"""A camera that watches a board: what is told of it, and when nothing is."""

from __future__ import annotations

from dataclasses import replace

import pytest

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
cv2 = pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from engine.position import BLACK_MAN, EMPTY, WHITE_MAN  # noqa: E402
from engine.rules import rules_for  # noqa: E402
from engine.ruleset import load_ruleset  # noqa: E402
from tests.vision.scenes import arm, board_under  # noqa: E402
from vision.calibration import Refused, aimed, model_from  # noqa: E402
from vision.frame import Frame, Unpacker  # noqa: E402
from vision.known import kinds_of, watching  # noqa: E402
from vision.model import MOST_SAMPLES, BoardModel, Sample, from_json  # noqa: E402
from vision.reader import judged  # noqa: E402
from vision.watch import Seen, Unseen, begun, learned, watch  # noqa: E402

PERIOD_MS = 150
RUSSIAN = load_ruleset("russian")
HOME = rules_for(RUSSIAN).start().contents


def packet(data):
    (found,) = Unpacker().feed(data, 0)
    return found.frame()


@pytest.fixture(scope="module")
def scene():
    """A board with the start position, its model, and a way to watch it."""
    board = board_under("russian", seed=3)
    model = model_from(packet(board.empty()), Frame(board.picture(0), 0), RUSSIAN.geometry, HOME)
    assert isinstance(model, BoardModel), model
    return board, model


class Watcher:
    def __init__(self, model):
        self.known, self.memory, self.now_ms = watching(model, RUSSIAN.geometry, HOME), begun(model), 0

    def see(self, picture, times=8):
        """What is said of a picture that stays, frame by frame."""
        said = []
        for number in range(times):
            self.now_ms += PERIOD_MS
            # A sensor's noise is another in each picture.
            noise = np.random.default_rng(number).integers(-2, 3, picture.shape)
            image = np.clip(picture + noise, 0, 255).astype(np.uint8)
            seen, self.memory = watch(self.known, self.memory, Frame(image, self.now_ms))
            said.append(seen)
        return said


def kinds(seen):
    """The likeliest content of each square."""
    names = (EMPTY, WHITE_MAN, None, BLACK_MAN, None)
    return tuple(names[max(range(5), key=evidence.__getitem__)] for evidence in seen.view.seen)


def reasons(said):
    return [seen.reason if isinstance(seen, Unseen) else "seen" for seen in said]


def test_a_board_at_rest_is_read_after_two_equal_readings(scene):
    board, model = scene
    said = Watcher(model).see(board.picture(0))
    assert kinds(said[-1]) == HOME
    first = reasons(said).index("seen")
    assert first * PERIOD_MS >= 300  # two readings at least 300 ms apart, of a board that has been still
    assert "seen" not in reasons(said)[:first]


def test_a_board_is_still_since_the_first_picture_without_the_hand(scene):
    board, model = scene
    watcher = Watcher(model)
    watcher.see(board.picture(0))
    hand = board.seen.picture(tuple(board._standing.values()), [arm(4, 4)], watcher.now_ms)
    assert "seen" not in reasons(watcher.see(hand, 3))
    assert reasons(watcher.see(board.picture(0), 3)) == ["moving", "settling", "seen"]


def test_a_still_board_is_told_once(scene):
    board, model = scene
    said = [seen.view for seen in Watcher(model).see(board.picture(0), 20) if isinstance(seen, Seen)]
    assert len(said) > 10
    assert len(set(said)) == 1


def test_a_model_survives_its_file(scene):
    board, model = scene
    again = from_json(model.to_json())
    assert kinds(Watcher(again).see(board.picture(0))[-1]) == HOME
    assert len(model.to_json()) < 200_000


@pytest.mark.parametrize(
    "spoilt", ["", "{}", "[]", '{"version":2}', '{"version":1}', "\x00", '{"version":1,"picture":3}']
)
def test_a_model_that_is_none_is_refused(spoilt):
    with pytest.raises(ValueError, match=r"."):
        from_json(spoilt)


def test_a_torn_model_is_refused(scene):
    text = scene[1].to_json()
    for end in range(0, len(text), len(text) // 20):
        with pytest.raises(ValueError, match=r"."):
            from_json(text[:end])


def test_what_was_learned_is_bounded_and_can_be_forgotten(scene):
    model = scene[1]
    first = model.samples
    more = model
    for number in range(20):
        more = more.with_sample(Sample(first[0].numbers + number, first[0].kinds))
    assert len(more.samples) == MOST_SAMPLES
    assert more.samples[: len(first)] == first
    assert more.without_learned().samples == first


def test_nothing_is_learned_against_what_is_plain_to_see(scene):
    board, model = scene
    watcher = Watcher(model)
    watcher.see(board.picture(0))
    assert learned(watcher.known, watcher.memory, tuple(reversed(HOME))) is None
    assert learned(watcher.known, begun(model), HOME) is None


def some_position(seed):
    """Nine men of each colour, anywhere."""
    squares = np.random.default_rng(seed).permutation(len(HOME))
    men = dict.fromkeys(squares[:9], WHITE_MAN) | dict.fromkeys(squares[9:18], BLACK_MAN)
    return tuple(men.get(square, EMPTY) for square in range(len(HOME)))


def watched(model, contents):
    """A watcher that has read a position."""
    watcher = Watcher(model)
    watcher.see(board_under("russian", seed=3, contents=contents).picture(0))
    return watcher


def had(likely, contents):
    """The probabilities of what stands there."""
    return likely[np.arange(len(HOME)), kinds_of(contents)]


def by_networks(watcher, contents):
    """The same, by the networks alone."""
    return had(judged(watcher.known.networks, watcher.memory.numbers, 12), contents)


def test_known_positions_teach_how_others_are_read(scene):
    model, known = scene[1], some_position(7)
    before = by_networks(watched(model, some_position(1)), some_position(1))
    watcher = watched(model, known)
    # The reference has made all of it sure already: what the networks have to learn is how it looks.
    more = model.with_sample(Sample(watcher.memory.numbers, kinds_of(known)))
    after = by_networks(watched(more, some_position(1)), some_position(1))
    assert np.log(after).sum() > np.log(before).sum()


def test_the_empty_board_alone_tells_where_pieces_stand(scene):
    contents = some_position(1)
    watcher = watched(scene[1], contents)
    favour = watcher.known.reference.favour(watcher.memory.accepted.picture)
    assert list(favour > 0) == [piece is not EMPTY for piece in contents]


def test_a_hand_over_the_board_is_never_read(scene):
    board, model = scene
    watcher = Watcher(model)
    assert kinds(watcher.see(board.picture(0))[-1]) == HOME
    standing = tuple(board._standing.values())
    for x, y in ((4.0, 4.0), (2.5, 6.0), (6.0, 2.0)):
        picture = board.seen.picture(standing, [arm(x, y)], 0)
        assert set(reasons(watcher.see(picture, 10))) <= {"moving", "hand"}
    assert kinds(watcher.see(board.picture(0))[-1]) == HOME


def test_a_shadow_and_a_dimmed_lamp_change_no_square(scene):
    board, model = scene
    watcher = Watcher(model)
    picture = board.picture(0)
    watcher.see(picture)
    across = np.linspace(0.55, 1.0, picture.shape[1])[None, :, None]
    for light in (0.75, 1.2, across):
        said = watcher.see(np.clip(picture * light, 0, 255).astype(np.uint8), 10)
        assert kinds(said[-1]) == HOME


@pytest.mark.parametrize("shift", [(3, 0), (-6, 4), (10, -9)])
def test_a_camera_that_was_pushed_by_a_little_goes_on(scene, shift):
    board, model = scene
    watcher = Watcher(model)
    picture = board.picture(0)
    watcher.see(picture)
    pushed = np.roll(picture, shift, axis=(0, 1))
    said = watcher.see(pushed, 14)  # 2.1 s
    assert reasons(said)[-1] == "seen", reasons(said)
    assert kinds(said[-1]) == HOME
    side = np.hypot(*(model.corners[1] - model.corners[0])) / 8
    assert np.abs(watcher.memory.corners - model.corners - shift[::-1]).max() < 0.15 * side


def test_a_camera_that_was_pushed_far_says_so_and_reads_nothing(scene):
    board, model = scene
    watcher = Watcher(model)
    picture = board.picture(0)
    watcher.see(picture)
    side = int(np.hypot(*(model.corners[1] - model.corners[0])) / 8)
    said = watcher.see(np.roll(picture, (side, side), axis=(0, 1)), 8)
    assert "seen" not in reasons(said)
    assert kinds(watcher.see(picture)[-1]) == HOME  # put back


def test_darkness_and_pictures_of_another_size_are_no_board(scene):
    board, model = scene
    watcher = Watcher(model)
    picture = board.picture(0)
    watcher.see(picture)
    assert set(reasons(watcher.see(np.zeros_like(picture), 4))) == {"dark"}
    assert set(reasons(watcher.see(picture[:-8], 4))) == {"picture"}


def test_a_board_on_which_nothing_was_set_up_is_no_start_position(scene):
    empty = packet(scene[0].empty())
    assert model_from(empty, empty, RUSSIAN.geometry, HOME).reason == "not_start"


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (np.zeros_like, "dark"),
        (lambda image: image[:40, :40], "small"),
        (lambda image: np.full_like(image, 120), "no_board"),
        (lambda image: cv2.GaussianBlur(image, (0, 0), 30), "no_board"),
        (lambda image: cv2.resize(image, (100, 75)), "no_board"),
    ],
)
def test_a_picture_that_cannot_be_used_is_refused_by_its_reason(scene, spoil, reason):
    found = aimed(spoil(scene[0].picture(0)), RUSSIAN.geometry)
    assert isinstance(found, Refused)
    assert found.reason == reason


def test_corners_by_hand_outside_the_picture_are_refused(scene):
    board, model = scene
    image = board.picture(0)
    assert aimed(image, RUSSIAN.geometry, model.corners + 400).reason == "outside"
    assert aimed(image, RUSSIAN.geometry, model.corners[[0, 2, 1, 3]]).reason == "no_board"
    assert aimed(image, RUSSIAN.geometry, model.corners / 8).reason == "far"


def test_a_model_of_another_board_is_refused(scene):
    ten = load_ruleset("international")
    with pytest.raises(ValueError, match="8x8"):
        watching(scene[1], ten.geometry, rules_for(ten).start().contents)
    assert replace(scene[1]).size == (scene[1].width, scene[1].height)
