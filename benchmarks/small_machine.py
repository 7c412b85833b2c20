"""What a station on one sensor board takes: memory while a game is on, CPU time from the start to the first frame.

    python benchmarks/small_machine.py [--seconds 20]

The engine answers at level 4, the page is open in nobody's browser. Memory is the sum over all processes of the station
(Pss: what is shared counts once). CPU seconds count until the first frame of the board is in the journal, and until the
page can be opened; at a tenth of this machine's speed they take ten times as long. Python's bytecode has to be there,
as pip leaves it (`python -m compileall station engine firmware_bridge`).
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from time import monotonic

from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort

CONFIG = """[station]
data = "{folder}/data"
[web]
port = 18099
[[boards]]
id = "table"
driver = "matrix"
port = "{folder}/port"
variant = "{variant}"
black = "engine:4"
"""
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def processes(root: int) -> list[int]:
    """A process and all its children."""
    found = [root]
    for process in found:
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            found += [int(child) for child in task.read_text().split()]
    return found


def megabytes(process: int) -> float:
    """What a process takes of the memory."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) / 1000 if found else 0.0


def cpu_s(process: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


def is_seen(journals: Path) -> bool:
    """Whether a board's first frame has reached its game."""
    return any(b'"event":"BoardSeen"' in path.read_bytes() for path in journals.glob("*.jsonl"))


def main() -> None:
    """Start a station, make a move, watch it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="watch it for so long")
    parser.add_argument("--variant", default="russian")
    options = parser.parse_args()
    ruleset = load_ruleset(options.variant)
    board = device_for("matrix", ruleset.columns, ruleset.rows, colour=True)
    start = rules_for(ruleset).start().contents
    for square, piece in enumerate(start):
        board.put(ruleset.geometry.cells[square], piece, 0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "station.toml").write_text(CONFIG.format(folder=folder, variant=options.variant))
        with PtyPort(board, folder / "port") as port:
            began = monotonic()
            command = [Path(sys.executable).with_name("dambord"), "run", "--config", folder / "station.toml"]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as station:
                while not is_seen(folder / "data/journal/table"):
                    threading.Event().wait(0.005)
                print(f"start to first frame: {cpu_s(station.pid):.2f} s of CPU, {monotonic() - began:.1f} s")
                station.stdout.readline()
                print(f"start to page: {cpu_s(station.pid):.2f} s of CPU, {monotonic() - began:.1f} s")
                threading.Event().wait(1.0)
                cell = (2, ruleset.rows - 3)
                piece = port.contents(cell)
                port.take(cell)
                port.put((cell[0] + 1, cell[1] - 1), piece)
                most, end = 0.0, monotonic() + options.seconds
                while monotonic() < end:
                    each = {process: megabytes(process) for process in processes(station.pid)}
                    most = max(most, sum(each.values()))
                    threading.Event().wait(0.25)
                parts = " + ".join(f"{size:.0f}" for size in each.values())
                print(f"memory: at most {most:.0f} MB (now, by process: {parts})")
                station.terminate()


if __name__ == "__main__":
    main()
