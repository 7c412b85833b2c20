"""The whole station on pins: hands close contacts of a grid, a move comes out; what is missing is said on the page."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from engine.ruleset import load_ruleset
from firmware_bridge.driver import Calibration
from station.runtime.known_boards import KnownBoards
from tests.station.runtime.test_calibrate import Person

BENCH = Path(__file__).with_name("bench")
EXAMPLE = Path(__file__).parents[3] / "deploy" / "gpio.toml"
START = ["1111"] * 3 + ["0000"] * 2 + ["1111"] * 3
STOP = "18"
WAIT_S = 30.0


@contextmanager
def station(folder, **env):
    config = folder / "station.toml"
    text = EXAMPLE.read_text().replace('"/var/lib/dambord"', f'"{folder}/data"').replace('"engine:3"', '"person"')
    config.write_text(text.replace("[[boards]]", "[web]\nport = 0\n\n[[boards]]", 1))
    command = [sys.executable, "-m", "station.runtime.cli", "run", "--config", str(config)]
    with subprocess.Popen(command, env={**os.environ, **env}, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()
            process.wait(20)


def first_told(page):
    """What the page is told at once when it is opened."""
    with urllib.request.urlopen(f"{page}events") as answer:
        return next(line.decode() for line in answer if b'"problem"' in line)


def until(is_so):
    end = monotonic() + WAIT_S
    while not (found := is_so()):
        assert monotonic() < end
        threading.Event().wait(0.1)
    return found


def journal(folder):
    return "".join(path.read_text() for path in folder.glob("data/journal/table/*.jsonl"))


def test_a_man_moved_on_the_grid_is_a_move_in_the_record(tmp_path):
    bench = tmp_path / "bench"

    def stand(rows, *down):
        draft = tmp_path / "draft"
        draft.write_text("\n".join([*rows, *down]))
        draft.replace(bench)

    stand(START, STOP)
    with station(tmp_path, PYTHONPATH=str(BENCH), DAMBORD_BENCH=str(bench)):
        until(lambda: '"RPi.GPIO of a bench"' in journal(tmp_path))
        until(lambda: '"ready"' in journal(tmp_path) or '"turn"' in journal(tmp_path))
        lifted = [*START[:5], "1011", *START[6:]]
        stand(lifted, STOP)
        threading.Event().wait(0.3)
        stand([*START[:4], "0100", *lifted[5:]], STOP)
        until(lambda: '"c3-d4"' in journal(tmp_path) or '"c3-b4"' in journal(tmp_path))
        assert '"halted"' not in journal(tmp_path)
        stand([*START[:4], "0100", *lifted[5:]])
        until(lambda: '"halted"' in journal(tmp_path))


class BenchHands:
    """Hands that close contacts of the bench: rows from Black's side, one contact a playing square from the left."""

    def __init__(self, folder):
        self.path, self.draft = "unused", folder / "draft"
        self.bench = folder / "bench"
        self.standing = set()
        self.write()

    def write(self):
        rows = ["".join(str(int((c, row) in self.standing)) for c in range((row + 1) % 2, 8, 2)) for row in range(8)]
        self.draft.write_text("\n".join([*rows, STOP]))
        self.draft.replace(self.bench)

    def put(self, cell, piece):
        self.standing.add(cell)
        self.write()

    def take(self, cell):
        self.standing.discard(cell)
        self.write()


def test_a_grid_under_the_playing_squares_alone_is_calibrated(tmp_path):
    hands = BenchHands(tmp_path)
    config = tmp_path / "station.toml"
    config.write_text(EXAMPLE.read_text().replace('"/var/lib/dambord"', f'"{tmp_path}/data"'))
    person = Person(hands, load_ruleset("russian"))
    command = [sys.executable, "-m", "station.runtime.cli", "calibrate", "board", "--config", str(config)]
    env = {**os.environ, "PYTHONPATH": str(BENCH), "DAMBORD_BENCH": str(hands.bench)}
    said = []
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            said.append(line.strip())
            if person.obey(line):
                process.stdin.write("\n")
                process.stdin.flush()
        process.stdin.close()
    assert process.returncode == 0, said
    assert "Every square answers." in said
    assert [*KnownBoards(tmp_path / "data").all().values()] == [Calibration(turned=0)]


def test_without_the_library_the_station_runs_and_says_what_to_install(tmp_path):
    (tmp_path / "none" / "RPi").mkdir(parents=True)
    (tmp_path / "none" / "RPi" / "__init__.py").write_text("")
    with station(tmp_path, PYTHONPATH=str(tmp_path / "none")) as page:
        until(lambda: "install it with `pip install RPi.GPIO`" in first_told(page))
