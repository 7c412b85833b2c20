"""`dambord see`: pictures in, one line each out; what cannot be read is said."""

from __future__ import annotations

import json

import pytest

from station.runtime.cli import main
from tests.data_files import needs_shared, shared, shared_json

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
cv2 = pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from vision.observe import is_drawn  # noqa: E402
from vision.pictures import read_picture  # noqa: E402

LABELS = "vision/labels.json"
BY_NAME = {label["file"].split("/")[1]: label for label in shared_json(LABELS, {}).get("images", [])}
EASY = "cvt_g1_002.jpg"
"""White sits at the bottom and plays from the lower right corner, as Italians do; a middle game seen from above."""
FOUND = 0.15
"""Corners are right within so much of a square's side."""


def see(capsys, *arguments):
    code = main(["see", *map(str, arguments), "--json"])
    captured = capsys.readouterr()
    return code, [json.loads(line) for line in captured.out.splitlines()], captured.err


def photograph(name):
    return shared(f"vision/images/{name}")


def truth(label):
    """What stands on each square by its number in rows, White at the bottom."""
    cells = np.array([list(row) for row in label["cells"]])
    turned = np.rot90(cells, {"bottom": 0, "right": 3, "top": 2, "left": 1}[label["white_home"]])
    rows, columns = turned.shape
    played = [(r, c) for r in range(rows) for c in range(columns) if turned[r, c] != "."]
    kinds = {"-": "empty", "w": "white", "W": "white", "b": "black", "B": "black"}
    return {str(number): kinds[turned[cell]] for number, cell in enumerate(played, 1)}


def fen(label):
    stands = truth(label)
    white = ",".join(name for name, kind in stands.items() if kind == "white")
    black = ",".join(name for name, kind in stands.items() if kind == "black")
    return f"W:W{white}:B{black}"


def likeliest(line):
    return {
        name: max(("empty", "white", "black"), key=lambda kind: square[kind])
        for name, square in line["squares"].items()
    }


@pytest.mark.portable
@needs_shared(LABELS)
def test_a_photograph_is_read(capsys):
    code, (line,), _ = see(capsys, photograph(EASY), "--rows", "--variant", "italian")
    assert code == 0
    assert line["found"]
    assert list(line) == ["image", "found", "corners", "squares", "hand", "ms"]
    label = BY_NAME[EASY]
    # Labels begin at the picture's upper left; White sits at its lower edge.
    upper_left, upper_right, lower_right, lower_left = np.array(label["corners"])
    side = np.hypot(*(upper_right - upper_left)) / label["cols"]
    away = np.array(line["corners"]) - np.array([lower_left, lower_right, upper_left, upper_right])
    assert np.hypot(*away.T).max() < FOUND * side
    assert likeliest(line) == truth(label)
    for square in line["squares"].values():
        assert square["empty"] + square["white"] + square["black"] == pytest.approx(1, abs=1e-3)
        assert square["king"] is None
    assert not line["hand"]


@pytest.mark.portable
@needs_shared(LABELS)
@pytest.mark.parametrize("frame", ["A/f00060.jpg", "A/f00110.jpg", "B/f00138.jpg"])
def test_chess_men_are_not_read(capsys, frame):
    code, (line,), _ = see(capsys, shared(f"vision/sequences/{frame}"), "--variant", "russian")
    assert code == 1
    assert line["squares"] == {}
    assert "not played on" in line["reason"]


@needs_shared(LABELS)
def test_squares_have_the_names_of_the_variant(capsys):
    _, (line,), _ = see(capsys, photograph(EASY), "--variant", "russian")
    assert {"a1", "h8", "c3"} <= set(line["squares"])
    _, (line,), _ = see(capsys, photograph(EASY), "--variant", "italian")
    assert set(line["squares"]) == {str(number) for number in range(1, 33)}


@needs_shared(LABELS)
def test_corners_say_how_the_board_lies(capsys):
    label = BY_NAME[EASY]
    upper_left, upper_right, lower_right, lower_left = label["corners"]
    numbers = [*lower_left, *lower_right, *upper_left, *upper_right]
    code, (line,), _ = see(
        capsys, photograph(EASY), "--rows", "--variant", "italian", "--corners", ",".join(map(str, numbers))
    )
    assert code == 0
    assert likeliest(line) == truth(label)
    assert line["corners"] == [
        pytest.approx(corner, abs=0.06) for corner in (lower_left, lower_right, upper_left, upper_right)
    ]
    # Seen from the other side, every square has the name of the one opposite.
    numbers = [*upper_right, *upper_left, *lower_right, *lower_left]
    _, (turned,), _ = see(
        capsys, photograph(EASY), "--rows", "--variant", "italian", "--corners", ",".join(map(str, numbers))
    )
    right = {str(33 - int(name)): kind for name, kind in truth(label).items()}
    assert sum(likeliest(turned)[name] == kind for name, kind in right.items()) >= 31


@needs_shared(LABELS)
def test_moves_are_ranked_by_what_is_seen(capsys):
    label = BY_NAME[EASY]
    code, (line,), _ = see(capsys, photograph(EASY), "--rows", "--variant", "italian", "--position", fen(label))
    assert code == 0
    first, second = line["moves"][:2]
    assert first["text"] == "none yet"
    assert first["margin"] > 2
    assert second["margin"] == pytest.approx(-first["margin"])
    margins = [move["margin"] for move in line["moves"]]
    assert margins == sorted(margins, reverse=True)


@needs_shared(LABELS)
def test_a_known_picture_of_the_board_can_be_learned_from(capsys):
    known = "cvt_g1_000.jpg"
    teach = f"{photograph(known)}={fen(BY_NAME[known])}"
    _, (before,), _ = see(capsys, photograph(EASY), "--rows", "--variant", "italian")
    code, (after,), _ = see(capsys, photograph(EASY), "--rows", "--variant", "italian", "--known", teach)
    assert code == 0
    right = truth(BY_NAME[EASY])
    assert likeliest(after) == right

    def surprise(line):
        return -sum(np.log(line["squares"][name][kind] + 1e-4) for name, kind in right.items())

    assert surprise(after) < surprise(before)


def test_what_is_no_picture_is_said(capsys, tmp_path):
    files = {
        "empty.jpg": b"",
        "text.jpg": b"no picture at all\n" * 50,
        "torn.jpg": cv2.imencode(".jpg", np.full((480, 640, 3), 120, np.uint8))[1].tobytes()[:900],
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    code, lines, _ = see(capsys, *(tmp_path / name for name in files))
    assert code == 1
    assert [line["found"] for line in lines] == [False] * 3
    assert ["no picture" in line["reason"] or "torn" in line["reason"] for line in lines] == [True] * 3


@pytest.mark.parametrize(
    ("shape", "level", "reason"),
    [((1, 1), 200, "too small"), ((720, 1280), 0, "too dark"), ((720, 1280), 130, "no board found")],
)
def test_pictures_without_a_board_are_refused_with_a_reason(capsys, tmp_path, shape, level, reason):
    cv2.imwrite(str(tmp_path / "p.png"), np.full((*shape, 3), level, np.uint8))
    code, (line,), _ = see(capsys, tmp_path / "p.png")
    assert (code, line["found"], line["squares"]) == (1, False, {})
    assert reason in line["reason"]


def diagram(noise=0.0):
    """A start position as programs draw it on a screen, in a slanted window."""
    board = np.full((720, 1280, 3), 40, np.uint8)
    for row, column in np.ndindex(8, 8):
        left, top = 360 + 70 * column, 80 + 70 * row
        plays = (row + column) % 2 == 1
        board[top : top + 70, left : left + 70] = (60, 110, 150) if plays else (170, 210, 230)
        if plays and row not in (3, 4):
            cv2.circle(board, (left + 35, top + 35), 26, (30, 30, 30) if row < 3 else (235, 235, 235), -1, cv2.LINE_AA)
    slant = cv2.getPerspectiveTransform(
        np.array([(0, 0), (1280, 0), (1280, 720), (0, 720)], np.float32),
        np.array([(40, 20), (1210, 0), (1280, 720), (0, 690)], np.float32),
    )
    seen = cv2.warpPerspective(board, slant, (1280, 720))
    rough = seen + np.random.default_rng(1).normal(0, noise, seen.shape) if noise else seen
    return np.clip(rough, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("suffix", ["png", "jpg"])
def test_a_board_drawn_on_a_screen_is_refused(capsys, tmp_path, suffix):
    cv2.imwrite(str(tmp_path / f"p.{suffix}"), diagram())
    code, (line,), _ = see(capsys, tmp_path / f"p.{suffix}")
    assert (code, line["found"], line["squares"]) == (1, False, {})
    assert "a picture on a screen" in line["reason"]


def test_what_has_the_noise_of_a_camera_is_not_taken_for_a_drawing(capsys, tmp_path):
    cv2.imwrite(str(tmp_path / "p.png"), diagram(noise=1.0))
    code, (line,), _ = see(capsys, tmp_path / "p.png")
    assert (code, line["found"]) == (0, True)


@needs_shared(LABELS)
def test_no_photograph_is_taken_for_a_drawing():
    for label in shared_json(LABELS, {})["images"][::6]:
        image = read_picture(shared(f"vision/{label['file']}"))
        assert not is_drawn(image, np.array(label["corners"], np.float64), label["cols"], label["rows"]), label["file"]


@needs_shared(LABELS)
def test_a_board_of_another_size_is_named(capsys):
    code, (line,), _ = see(capsys, photograph(EASY), "--board", "10x10")
    assert code == 1
    assert "a board of 8x8 squares was found, expected 10x10" in line["reason"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--corners", "1,2,3"), "expected x,y four times"),
        (("--corners", "a,b,c,d,e,f,g,h"), "expected x,y four times"),
        (("--position", "nonsense"), "FEN"),
        (("--known", "nowhere.jpg=W:W32:B1"), "nowhere.jpg"),
        (("--variant", "rusian"), "russian"),
    ],
)
def test_bad_usage_is_one_sentence(capsys, tmp_path, arguments, reason):
    cv2.imwrite(str(tmp_path / "p.png"), np.full((100, 100, 3), 130, np.uint8))
    code, lines, err = see(capsys, tmp_path / "p.png", *arguments)
    assert (code, lines) == (2, [])
    assert reason in err
    assert err.startswith("dambord: ")
    assert err.count("\n") == 1


def test_a_file_that_is_not_there_is_bad_usage(capsys, tmp_path):
    code, lines, err = see(capsys, tmp_path / "nowhere.jpg")
    assert (code, lines) == (2, [])
    assert "nowhere.jpg" in err
