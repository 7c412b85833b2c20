"""How the engine's process keeps its times and its memory: the promises, and what was measured, as a table in Markdown.

python benchmarks/serving.py [--variant international] [--times 30]

Cold start is from starting the process to its first move, memory the most it ever held. Exit code 1 when the median
misses a promise; single values are late where the machine has other things to do.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

from engine.hub import position_text
from engine.rules import rules_for
from engine.ruleset import load_ruleset

PROMISED = {
    "cold start to first move, ms": 500.0,
    "answer to stop, ms": 10.0,
    "answer to ping while searching, ms": 10.0,
    "a move at 20 ms, ms": 20.0,
    "a move at 200 ms, ms": 200.0,
    "memory, MB": 64.0,
}


class Engine:
    """An engine's process, set up and at the start of a game."""

    def __init__(self, variant: str) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "engine.serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.lines: Queue[tuple[float, str]] = Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        start = position_text(rules_for(load_ruleset(variant)).start())
        self.say("hub", f"set-param name=variant value={variant}", "set-param name=level value=10", "init")
        self.say(f"pos pos={start}", "level depth=1", "go think")
        self.first_move_ms = 1000 * (self.heard("done") - self.began)

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put((time.perf_counter(), line))

    def say(self, *lines: str) -> None:
        """Send lines."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def heard(self, start: str) -> float:
        """When a line came that starts so."""
        while True:
            at, line = self.lines.get(timeout=60)
            if line.startswith(start):
                return at

    def asked(self, question: str, answer: str) -> float:
        """How many ms an answer takes."""
        began = time.perf_counter()
        self.say(question)
        return 1000 * (self.heard(answer) - began)

    def peak_mb(self) -> float:
        """The most memory that it has held, in MB."""
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii"))
        return int(found[1]) / 1024 if found else 0.0

    def close(self) -> None:
        """End it."""
        self.say("quit")
        self.process.wait()


def main() -> int:
    """Measure and print; exit code 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", default="international")
    parser.add_argument("--times", type=int, default=30, help="how often each is measured")
    options = parser.parse_args()
    print("| | promised | median | worst |\n|---|---|---|---|")
    kept = True
    for name, values in _measured(options.variant, options.times):
        median = statistics.median(values)
        kept &= median <= PROMISED[name]
        print(f"| {name} | {PROMISED[name]:g} | {median:.1f} | {max(values):.1f} |", flush=True)
    return 0 if kept else 1


def _measured(variant: str, times: int) -> Iterator[tuple[str, list[float]]]:
    starts = []
    for _ in range(5):
        engine = Engine(variant)
        starts.append(engine.first_move_ms)
        engine.close()
    yield "cold start to first move, ms", starts
    engine = Engine(variant)
    stops, pings = [], []
    for _ in range(times):
        engine.say("level infinite", "go analyze")
        engine.heard("info")
        threading.Event().wait(0.05)
        pings.append(engine.asked("ping", "pong"))
        stops.append(engine.asked("stop", "done"))
    yield "answer to stop, ms", stops
    yield "answer to ping while searching, ms", pings
    engine.say("level move-time=0.02")
    yield "a move at 20 ms, ms", [engine.asked("go think", "done") for _ in range(times)]
    engine.say("level move-time=0.2")
    yield "a move at 200 ms, ms", [engine.asked("go think", "done") for _ in range(times)]
    engine.say("level move-time=2")
    engine.asked("go think", "done")
    yield "memory, MB", [engine.peak_mb()]
    engine.close()


if __name__ == "__main__":
    sys.exit(main())
