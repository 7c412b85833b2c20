"""A camera as the board: calibrated by a person who obeys, then a game, and a plug that is pulled."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

np = pytest.importorskip("numpy", reason="vision needs numpy (extra `vision`)")
pytest.importorskip("cv2", reason="vision needs OpenCV (extra `vision`)")

from engine.position import EMPTY  # noqa: E402
from engine.rules import rules_for  # noqa: E402
from engine.ruleset import load_ruleset  # noqa: E402
from station.config import BoardTable, Config, StationTable, WebTable  # noqa: E402
from station.events import HandSeen  # noqa: E402
from station.phases import Paused, Turn  # noqa: E402
from station.runtime.known_cameras import KnownCameras  # noqa: E402
from station.runtime.service import Service  # noqa: E402
from tests.station.runtime.camera_process import CameraProcess  # noqa: E402
from tests.station.runtime.conftest import Watcher  # noqa: E402
from tests.vision.scenes import arm, board_under  # noqa: E402
from vision.calibration import model_from  # noqa: E402
from vision.frame import Frame, Unpacker  # noqa: E402

RUSSIAN = load_ruleset("russian")
C3, D4, B4 = (2, 5), (3, 4), (1, 4)
WAIT_S = 90.0


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A board under a camera that is plugged in, in a folder with a configuration."""
    folder = tmp_path_factory.mktemp("camera")
    board, camera = board_under("russian", seed=3), CameraProcess(folder / "camera.sock")
    (folder / "station.toml").write_text(
        f'[station]\ndata = "{folder}/data"\n[[boards]]\nid = "table"\ndriver = "camera"\n'
        f'port = "unix:{camera.path}"\nvariant = "russian"\n'
    )
    standing = dict(board._standing)
    board._standing.clear()
    camera.picture = board.picture(0)
    camera.plug()
    yield folder, board, camera, standing
    if camera.path.exists():
        camera.unplug()


def obey(line, board, camera, standing):
    """Does what a line of the command says; whether Enter is to be pressed."""
    if line.startswith("1."):
        return True
    if line.startswith("3."):
        board._standing.update(standing)
        camera.picture = board.picture(0)
        threading.Event().wait(1)
        return True
    if line.startswith("4."):
        camera.picture = board.seen.picture(tuple(standing.values()), [arm(4.0, 4.0)], 0)
        threading.Event().wait(3)
        camera.picture = board.picture(0)
    return False


@pytest.fixture(scope="module")
def said(bench):
    """What the command said while it calibrated the camera."""
    folder, board, camera, standing = bench
    command = [sys.executable, "-m", "station.runtime.cli", "calibrate", "camera", "--config", folder / "station.toml"]
    said = []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        for line in process.stdout:
            said.append(line)
            if obey(line, board, camera, standing):
                process.stdin.write("\n")
                process.stdin.flush()
    assert process.returncode == 0, said
    return said


def test_a_camera_is_calibrated_by_obeying(bench, said):
    folder, _, camera, _ = bench
    assert any("White sits at the" in line for line in said)
    assert any("Your hand was seen" in line for line in said)
    assert camera.locked[0] == {"lock": {"exposure_us": 10_000, "gain": 2.0}}
    model = KnownCameras(folder / "data").of("table")
    assert model.locked.exposure_us == 10_000


@contextmanager
def station(folder, port):
    table = BoardTable(id="table", driver="camera", port=port, variant="russian")
    service = Service(Config(StationTable(data=str(folder / "data")), WebTable(), None, (table,)), page=False)
    watcher = Watcher()
    service._watchers.append(watcher)
    service.start()
    try:
        yield watcher
    finally:
        service.stop()


def test_a_game_is_played_under_it_also_when_the_plug_is_pulled(bench, said):
    folder, board, camera, _ = bench
    with station(folder, f"unix:{camera.path}") as watcher:
        watcher.wait(lambda o: isinstance(o.session.phase, Turn), WAIT_S)
        camera.picture = board.seen.picture(tuple(board._standing.values()), [arm(4.0, 4.0)], 0)
        watcher.wait(lambda o: isinstance(o.event, HandSeen) and o.event.is_seen, WAIT_S)
        camera.picture = board.picture(0)
        watcher.wait(lambda o: isinstance(o.event, HandSeen) and not o.event.is_seen, WAIT_S)
        piece = board.contents(C3)
        board.take(C3, 0)
        board.put(D4, piece, 0)
        camera.picture = board.picture(0)
        moved = watcher.wait(lambda o: o.session.game.moves, WAIT_S)
        geometry = RUSSIAN.geometry
        assert [geometry.cells[moved.session.game.moves[0].from_square]] == [C3]
        assert geometry.cells[moved.session.game.moves[0].to_square] == D4
        camera.unplug()
        lost = watcher.wait(lambda o: isinstance(o.session.phase, Paused) and o.session.game.moves, 10)
        assert "camera" in lost.session.problem
        camera.plug()
        back = watcher.wait(
            lambda o: o.session.at_ms > lost.session.at_ms and isinstance(o.session.phase, Turn), WAIT_S
        )
        assert back.session.game.moves == moved.session.game.moves
        assert back.session.game.position.contents[geometry.square_at(*C3)] is EMPTY


def test_several_boards_on_several_cameras_do_not_mix_and_one_that_is_pulled_out_leaves_the_other(tmp_path):
    benches = {name: camera_over_known_board(tmp_path, name, seed) for name, seed in (("left", 3), ("right", 4))}
    tables = tuple(
        BoardTable(id=name, driver="camera", port=f"unix:{camera.path}", variant="russian")
        for name, (_, camera) in benches.items()
    )
    service = Service(Config(StationTable(data=str(tmp_path / "data")), WebTable(), None, tables), page=False)
    watcher = Watcher()
    service._watchers.append(watcher)
    service.start()
    try:
        for name in benches:
            watcher.wait(lambda o, name=name: o.board == name and isinstance(o.session.phase, Turn), WAIT_S)
        board, camera = benches["left"]
        play(board, camera, C3, D4)
        moved = watcher.wait(lambda o: o.session.game.moves, WAIT_S)
        assert moved.board == "left"
        benches["left"][1].unplug()
        watcher.wait(lambda o: o.board == "left" and isinstance(o.session.phase, Paused), WAIT_S)
        play(*benches["right"], C3, B4)
        other = watcher.wait(lambda o: o.board == "right" and o.session.game.moves, WAIT_S)
        assert RUSSIAN.geometry.cells[other.session.game.moves[0].to_square] == B4
        assert len(other.session.game.moves) == 1
    finally:
        service.stop()
        benches["right"][1].unplug()


def camera_over_known_board(folder, name, seed):
    """A camera that is plugged in, over a board with the start position that it was shown."""
    board, camera = board_under("russian", seed=seed), CameraProcess(folder / f"{name}.sock")
    (empty,) = Unpacker().feed(board.empty(), 0)
    camera.picture = board.picture(0)
    home = rules_for(RUSSIAN).start().contents
    model = model_from(empty.frame(), Frame(camera.picture, 0), RUSSIAN.geometry, home)
    KnownCameras(folder / "data").keep(name, model)
    camera.plug()
    return board, camera


def play(board, camera, start, to):
    """A man goes from one cell to another."""
    piece = board.contents(start)
    board.take(start, 0)
    board.put(to, piece, 0)
    camera.picture = board.picture(0)
