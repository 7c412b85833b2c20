"""An arm at the running station: real ports, real threads; a stop reaches the wire before all that waits."""

from __future__ import annotations

import os
import threading
import time
import tty
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.notation import read_square
from engine.position import EMPTY, WHITE_MAN
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.manipulations import Fetch, Lift, Park
from firmware_bridge.motion import Motion
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort
from firmware_bridge.touched import Calibrated
from station.arm_config import plain_setup, read_arm
from station.arm_prompts import waits_for_press
from station.config import BoardTable, Config, StationTable, WebTable
from station.effects import Handle
from station.errors import ConfigError
from station.events import ArmFound, Requested, StopTold
from station.phases import Turn
from station.runtime.arms import ARMS, ArmWorker, arm_class
from station.runtime.clock import Clock
from station.runtime.commands import Command, refusal
from station.runtime.demo_arm import DemoArm
from station.runtime.loop import Loop, Outcome
from station.runtime.service import Service

FILE = """
port = "{port}"
[tool]
crown = "swap"
spares = 1
[workspace]
near_left = [-300.0, -300.0]
near_right = [-20.0, -300.0]
far_left = [-300.0, -20.0]
lowest = [-400.0, -400.0, -80.0]
highest = [-1.0, -1.0, -1.0]
park = [-310.0, -390.0, -20.0]
board_z = -70.0
tray_z = -70.0
tray = [[-350.0, -300.0], [-350.0, -260.0], [-350.0, -220.0]]
"""
RUSSIAN = load_ruleset("russian")


class Inbox(Loop):
    """A loop that also keeps what is posted."""

    def __init__(self) -> None:
        super().__init__({}, Clock())
        self.events: list[object] = []
        self.came = threading.Condition()

    def worker(self, setup) -> ArmWorker:
        worker = ArmWorker("t", setup, self)
        self.brakes = {"t": worker.brake}
        return worker

    def post(self, board, event) -> None:
        super().post(board, event)
        with self.came:
            self.events.append(event)
            self.came.notify_all()

    def wait_for(self, kind, seconds=20.0):
        with self.came:
            assert self.came.wait_for(lambda: any(isinstance(e, kind) for e in self.events), seconds), self.events
            return next(e for e in self.events if isinstance(e, kind))


def test_every_driver_is_found_by_its_name():
    assert set(ARMS) >= {"gcode", "feetech", "dry-run"}
    assert all(arm_class(name) for name in ARMS)
    with pytest.raises(ConfigError, match="gcode"):
        arm_class("crane")


def test_the_file_of_an_arm_is_read_and_its_faults_are_named(tmp_path):
    text = FILE.format(port="/dev/ttyUSB0")
    setup = read_arm(text, "arm.toml", "gcode", RUSSIAN)
    assert setup.workspace.pitch_mm == 40.0
    assert len(setup.settings.tray) == 3
    for old, new, words in (
        ("spares = 1", "spare = 1", "spare"),
        ('crown = "swap"', 'crown = "hat"', "crown"),
        ("park = [-310.0, -390.0", "park = [-310.0, -490.0", "y = -490"),
        ("spares = 1", "jaw_mm = 40.0", "jaw_mm"),
        ('port = "', 'usb_serial = "1"\nport = "', "both"),
        ("board_z = -70.0", "carry_mm = 10.0", "carry_mm"),
        ("-350.0, -220.0", "-450.0, -220.0", "x = -450"),
    ):
        assert old in text
        with pytest.raises(ConfigError, match=words):
            read_arm(text.replace(old, new, 1), "arm.toml", "gcode", RUSSIAN)


def test_c10_a_jaw_needs_room_between_pieces_that_stand_side_by_side():
    text = FILE.format(port="/dev/x").replace("spares = 1", "spares = 1\njaw_mm = 9.0")
    assert read_arm(text, "arm.toml", "gcode", RUSSIAN)
    with pytest.raises(ConfigError, match="suction"):
        read_arm(text, "arm.toml", "gcode", load_ruleset("turkish"))


def test_an_arm_is_not_set_going_over_mqtt_and_a_halt_is_never_too_old():
    now = datetime(2026, 1, 1, tzinfo=UTC)
    late = Command("1", "2025-01-01T00:00:00Z", 1)
    assert "at the table" in (refusal("arm", Command("1"), retained=False, now=now) or "")
    assert refusal("halt", late, retained=False, now=now) is None


def test_a_dry_run_needs_no_wire():
    inbox = Inbox()
    worker = inbox.worker(plain_setup("dry-run", RUSSIAN))
    worker.start()
    try:
        assert inbox.wait_for(ArmFound).name == "dry run"
    finally:
        worker.stop()


@pytest.fixture
def wire(tmp_path):
    """Our end of an arm's wire."""
    master, slave = os.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    os.close(master)
    os.close(slave)


def heard_until(master, wanted, seconds=10.0):
    """What came until these bytes did, and when."""
    data, end = b"", time.monotonic() + seconds
    os.set_blocking(master, False)
    while time.monotonic() < end:
        try:
            data += os.read(master, 4096)
        except BlockingIOError:
            threading.Event().wait(0.0005)
        if wanted in data:
            return data, time.monotonic()
    raise AssertionError(f"{wanted!r} did not come, only {data!r}")


@pytest.mark.parametrize("event", [Requested(0, "web:1", "halt"), StopTold(0, True)], ids=["halt", "stop"])
def test_a6_a_stop_is_on_the_wire_at_once(wire, event):
    master, path = wire
    inbox = Inbox()
    worker = inbox.worker(read_arm(FILE.format(port=path), "arm.toml", "gcode", RUSSIAN))
    worker.start()
    try:
        os.set_blocking(master, False)
        heard_until(master, b"\x18")
        os.write(master, b"\r\nGrbl 1.1h ['$' for help]\r\n")
        heard_until(master, b"$$\n")
        os.write(master, b"$1=255\r\nok\r\n")
        inbox.wait_for(ArmFound)
        taken = []
        for _ in range(20):
            began = time.monotonic()
            inbox.post("t", event)
            _, came = heard_until(master, b"!")
            taken.append(came - began)
        assert sorted(taken)[len(taken) // 2] < 0.02
        if isinstance(event, StopTold):
            # With the stop pressed no order leaves.
            worker.hear(Outcome("t", None, event, (Handle(1, (Lift((0, 1)),)),)))
            threading.Event().wait(0.3)
            os.set_blocking(master, False)
            try:
                later = os.read(master, 4096)
            except BlockingIOError:
                later = b""
            assert b"G53" not in later
    finally:
        worker.stop()


def test_a_simulated_arm_answers_on_its_port(tmp_path):
    arm = DemoArm(RUSSIAN, tmp_path / "arm", lambda cell, piece: None)
    inbox = Inbox()
    worker = inbox.worker(arm.setup)
    worker.start()
    try:
        assert inbox.wait_for(ArmFound).name.startswith("Grbl")
        assert set(arm.shown()) == {"column", "row", "height", "holds"}
    finally:
        worker.stop()
        arm.close()


EXAMPLES = Path(__file__).parents[3] / "deploy/arms"


@pytest.mark.parametrize(("name", "driver", "moves"), [("gantry", "gcode", True), ("so101", "feetech", False)])
def test_the_arms_of_the_examples_load_and_one_without_its_board_is_a_dry_run(name, driver, moves):
    file = EXAMPLES / f"{name}.toml"
    setup = read_arm(file.read_text(encoding="utf-8"), file.name, driver, load_ruleset("international"))
    assert setup.settings.tool.crown == "swap"
    assert setup.workspace.fault() is None
    assert setup.settings.driver == (driver if moves else "dry-run")


def test_every_example_of_an_arm_is_tried():
    assert {file.stem for file in EXAMPLES.glob("*.toml")} == {"gantry", "so101"}


def test_the_small_arm_of_the_example_reaches_a_board_of_twenty_millimetre_squares():
    text = (EXAMPLES / "so101.toml").read_text(encoding="utf-8")
    known = Calibrated(8, 8, (110.0, 70.0), (110.0, -70.0), (250.0, 70.0), 0.0, (110.0, -110.0, 80.0))
    known = replace(known, tray=read_arm(text, "so101", "feetech", RUSSIAN).built.tray)
    setup = read_arm(text, "so101", "feetech", RUSSIAN, known)
    motion = Motion(arm_class("feetech")(setup.machine), setup.workspace)
    acts = [Park(), *map(Lift, RUSSIAN.geometry.cells), *(Fetch(slot, (0, 0)) for slot in range(len(known.tray)))]
    assert [motion.out_of_reach(act) for act in acts] == [None] * len(acts)


class Watcher:
    """Keeps the newest session of a board."""

    def __init__(self) -> None:
        self.session = None
        self.came = threading.Condition()

    def hear(self, outcome):
        with self.came:
            self.session = outcome.session
            self.came.notify_all()

    def wait_for(self, is_so, seconds=120.0):
        with self.came:
            assert self.came.wait_for(lambda: self.session is not None and is_so(self.session), seconds), self.session


def test_a_whole_station_has_its_arm_make_a_reply(tmp_path):
    board = device_for("matrix", 8, 8, seed=1, colour=True)
    cells = RUSSIAN.geometry.cells
    for square, piece in enumerate(rules_for(RUSSIAN).start().contents):
        board.put(cells[square], piece, 0)
    watcher = Watcher()
    with PtyPort(board, tmp_path / "board") as port, closing(DemoArm(RUSSIAN, tmp_path / "arm", port.put)) as arm:
        table = BoardTable(
            *("t", "matrix", str(port.path)), variant="russian", black="engine:1", arm="gcode", arm_setup=arm.setup
        )
        config = Config(StationTable(data=str(tmp_path / "data")), WebTable(port=0), None, (table,))
        service = Service(config, watchers=[watcher], page=False)
        service.start()
        try:
            watcher.wait_for(lambda session: isinstance(session.phase, Turn) and bool(session.arm.name))
            start, end = (cells[read_square(name, RUSSIAN)] for name in ("c3", "d4"))
            arm.hand_take(start)
            port.take(start)
            arm.hand_put(end, WHITE_MAN)
            port.put(end, WHITE_MAN)
            watcher.wait_for(waits_for_press)
            service.loop.post("t", Requested(service.clock.now_ms(), "1", "arm"))
            watcher.wait_for(lambda session: session.game.ply == 2)
            assert {cell for cell in cells if port.contents(cell) is not EMPTY} == {
                cells[square]
                for square, piece in enumerate(watcher.session.game.position.contents)
                if piece is not EMPTY
            }
        finally:
            service.stop()
