"""`dambord calibrate arm` with a person who brings the tool where it is told, by a controller on a pseudo-terminal."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from math import dist
from threading import RLock

import pytest

from engine.notation import read_square
from engine.position import WHITE_MAN
from engine.ruleset import load_ruleset
from firmware_bridge.simulator.carpentry import Timber, Tool, Workshop
from firmware_bridge.simulator.grbl_axes import ChipFaults
from firmware_bridge.simulator.grbl_chip import GrblChip
from firmware_bridge.simulator.pty_wire import PtyWire
from station.handling.arm import DRY_RUN
from station.runtime.known_arms import KnownArms
from station.runtime.running import load

RUSSIAN = load_ruleset("russian")
SLOTS = [(-350.0, -300.0), (-350.0, -260.0), (-350.0, -220.0)]
TRUE_TRAY = [(-352.0, -303.0), (-352.0, -263.0), (-352.0, -223.0)]
FILE = """
port = "{port}"
[tool]
crown = "swap"
spares = 1
[workspace]
lowest = [-400.0, -400.0, -80.0]
highest = [-1.0, -1.0, -1.0]
park = [-310.0, -390.0, -66.0]
plunge = 24000.0
feed = 30000.0
tray = [[-350.0, -300.0], [-350.0, -260.0], [-350.0, -220.0]]
"""
STATION = """
[station]
data = "{folder}/data"
[[boards]]
id = "table-1"
driver = "matrix"
port = "/dev/ttyUSB9"
variant = "russian"
arm = "gcode"
arm_file = "arm.toml"
"""


class Gantry:
    """A machine beside a board that lies a little askew, on a wire."""

    def __init__(self, path, faults=None):
        self.lock = RLock()
        self.timber = Timber(8, 8, 36.0, (-290.0, -310.0), 1.2, 28.0, 8.0, -70.0, -70.0)
        self.shop = Workshop(self.timber, Tool((0.0, 0.0, 0.0)))
        self.chip = GrblChip(self.shop, (400.0, 400.0, 80.0), faults=faults)
        self.chip.power(0)
        self.heard = b""
        self.wire = PtyWire(self, path)

    def receive(self, data, now_ms):
        with self.lock:
            self.heard += data
            return self.chip.receive(data, now_ms)

    def tick(self, now_ms):
        with self.lock:
            return self.chip.tick(now_ms)

    def deadline_ms(self):
        return self.chip.deadline_ms()


class Person:
    """Sees where the tool is, and where it should be."""

    def __init__(self, gantry, off_mm=0.0):
        self.gantry, self.off_mm = gantry, off_mm
        self.tried = []

    def keys(self, line):
        """What to press when this is said."""
        if "looks for its home" in line:
            return "\n"
        place = self.asked(line)
        if place is not None:
            with self.gantry.lock:
                return steered(self.gantry.shop.tool.at, place) + "\n"
        if found := re.match(r"Put a piece in the middle of (\w+)", line):
            self.tried.append(found[1])
            with self.gantry.lock:
                self.gantry.shop.put(self.cell(found[1]), WHITE_MAN)
            return "\n"
        if found := re.match(r"Does it stand in the middle of (\w+)", line):
            with self.gantry.lock:
                standing = self.gantry.shop.on(self.cell(found[1]))
                self.gantry.shop.take(self.cell(found[1]))
            centre = self.gantry.timber.centre(*self.cell(found[1]))
            return "\n" if [wood for wood in standing if dist((wood.x, wood.y), centre) < 1.0] else "n"
        return ""

    def cell(self, name):
        return RUSSIAN.geometry.cells[read_square(name, RUSSIAN)]

    def asked(self, line):
        if found := re.search(r"column ([\d-]+), row ([\d-]+) ", line):
            column, row = (sum(map(int, text.split("-"))) / len(text.split("-")) for text in found.groups())
            x, y = self.gantry.timber.centre(column - 1, 8 - row)
            return (x + (self.off_mm if (column, row) == (8, 8) else 0.0), y, -70.0)
        if found := re.search(r"slot (\d+)", line):
            return (*TRUE_TRAY[int(found[1])], -70.0)
        return (-330.0, -380.0, -30.0) if "is to wait" in line else None


def steered(start, end):
    """The keys that bring the tool from one place to another, to a tenth of a millimetre; at last downwards."""
    x, y, z = (round((b - a) * 10) for a, b in zip(start, end, strict=True))
    pressed = ""
    for amount, less, more in ((x, "a", "d"), (y, "s", "w"), (max(z, 0), "f", "r")):
        key, left = (more if amount > 0 else less), abs(amount)
        for digit, step in (("4", 500), ("3", 100), ("2", 10), ("1", 1)):
            count, left = divmod(left, step)
            pressed += (digit + key * count) if count else ""
    halves, left = divmod(-min(z, 0), 5)
    return pressed + ("2" + "f" * halves if halves else "") + ("1" + "f" * left if left else "")


def calibrated(folder, gantry_faults=None, off_mm=0.0, options=()):
    """(exit code, what was said, the complaint, the person, the gantry)."""
    (folder / "station.toml").write_text(STATION.format(folder=folder))
    (folder / "arm.toml").write_text(FILE.format(port=folder / "wire"))
    gantry = Gantry(folder / "wire", gantry_faults)
    person, said = Person(gantry, off_mm), []
    command = [sys.executable, "-m", "station.runtime.cli", "calibrate", "arm", "--config", folder / "station.toml"]
    try:
        with subprocess.Popen(
            [*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            for line in process.stdout:
                said.append(line.strip())
                process.stdin.write(person.keys(line))
                process.stdin.flush()
            process.stdin.close()
            complaint = process.stderr.read()
    finally:
        gantry.wire.close()
    return process.returncode, said, complaint, person, gantry


def test_b9_and_b10_an_arm_is_shown_its_board_and_moves_from_then_on(tmp_path):
    code, said, complaint, person, gantry = calibrated(tmp_path)
    assert code == 0, (said, complaint)
    assert gantry.shop.collisions == []
    touching = gantry.heard.split(b"M8")[0].split(b"Z-66.00", 1)[1]
    # Until the park place, the last one shown: then the arm tries by itself what it was taught.
    heights = [float(z) for z in re.findall(rb"G53 G1 X\S+ Y\S+ Z(\S+)", touching)]
    heights = heights[: heights.index(-30.0) + 1]
    assert min(after - before for before, after in pairwise(heights)) == pytest.approx(-0.5)
    assert len(set(person.tried)) == 5
    (pitch,) = [found[1] for line in said if (found := re.match(r"The board fits: squares of ([\d.]+) mm", line))]
    assert float(pitch) == pytest.approx(36.0, abs=0.05)
    setup = load(str(tmp_path / "station.toml")).boards[0].arm_setup
    assert setup.settings.driver == "gcode"
    for column, row in ((0, 0), (3, 4), (7, 0), (7, 7)):
        assert dist(setup.workspace.xy((column, row)), gantry.timber.centre(column, row)) < 0.3
    for found, true in zip(setup.workspace.tray, TRUE_TRAY, strict=True):
        assert dist(found, true) < 0.3
    assert setup.workspace.board_z == pytest.approx(-70.0, abs=0.2)
    assert setup.workspace.park == pytest.approx((-330.0, -380.0, -30.0), abs=0.2)


def test_b10_a_board_that_does_not_fit_is_refused_and_the_arm_stays_a_dry_run(tmp_path):
    code, _, complaint, person, _ = calibrated(tmp_path, off_mm=5.0)
    assert code == 1
    assert re.search(r"5\.\d\d mm off, at most 1\.5\. Nothing was kept", complaint), complaint
    assert KnownArms(tmp_path / "data").of("table-1") is None
    assert load(str(tmp_path / "station.toml")).boards[0].arm_setup.settings.driver == DRY_RUN
    assert person.tried == []


def test_an_alarm_ends_it_and_says_what_to_do(tmp_path):
    code, _, complaint, _, gantry = calibrated(tmp_path, gantry_faults=ChipFaults(alarm_at_move=12))
    assert code == 1
    assert "ALARM:1" in complaint
    assert "begin again" in complaint
    assert not gantry.chip.is_moving
    assert KnownArms(tmp_path / "data").of("table-1") is None
