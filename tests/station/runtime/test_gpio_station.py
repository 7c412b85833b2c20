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


def test_without_the_library_the_station_runs_and_says_what_to_install(tmp_path):
    (tmp_path / "none" / "RPi").mkdir(parents=True)
    (tmp_path / "none" / "RPi" / "__init__.py").write_text("")
    with station(tmp_path, PYTHONPATH=str(tmp_path / "none")) as page:
        until(lambda: "install it with `pip install RPi.GPIO`" in first_told(page))
