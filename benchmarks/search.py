"""Million nodes a CPU second of our search, beside other engines in the same run; the promise is 3.

python benchmarks/search.py [--seconds S] [--dame "dame hub"] [--py-draughts PYTHON]

Every engine searches the same positions over Hub on one thread: each variant's start and three positions some twenty
plies on. CPU seconds are the process's own (/proc), the time it takes to start left out. Exit code 1 when a rule set
misses the promise.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from engine import hub
from engine.position import Position
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset

PROMISED = 3.0
OURS = [sys.executable, "-m", "engine.serve"]
VARIANTS = (
    "international",
    "russian",
    "english",
    "brazilian",
    "italian",
    "spanish",
    "turkish",
    "pool",
    "international-80",
)
WRAPPER = Path(__file__).parent / "peers" / "py_draughts_hub.py"


class Engine:
    """A Hub engine whose CPU time is watched."""

    def __init__(self, command: Sequence[str], variant: str, threads: int = 1) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )
        self._send("hub")
        names = [line for line in self._until("wait") if line.startswith("param name=")]
        if any(line.startswith("param name=variant ") for line in names):
            self._send(f"set-param name=variant value={variant}")
        for name, value in (("threads", threads), ("level", 10)):
            if any(line.startswith(f"param name={name} ") for line in names):
                self._send(f"set-param name={name} value={value}")
        self._send("init")
        self._until("ready")

    def speed(self, positions: Sequence[Position], seconds: float) -> tuple[float, float]:
        """Million nodes a CPU second over all positions, and the mean depth."""
        nodes = depth = 0
        cpu = 0.0
        for position in positions:
            before = self._cpu()
            infos = self.search(position, f"move-time={seconds}")
            cpu += self._cpu() - before
            nodes += max((info.nodes or 0 for info in infos), default=0)
            depth += max((info.depth or 0 for info in infos), default=0)
        return nodes / cpu / 1e6, depth / len(positions)

    def search(self, position: Position, level: str) -> list[hub.Info]:
        """What is told of a search from an empty table, as deep or as long as Hub's `level` says."""
        self._send("new-game")
        self._send(f"pos pos={hub.position_text(position)}")
        self._send(f"level {level}")
        self._send("go think")
        return [m for line in self._until("done") if isinstance(m := hub.read_hub(line), hub.Info)]

    def close(self) -> None:
        """End the process."""
        self._send("quit")
        self._process.wait(10)

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")

    def _until(self, word: str) -> list[str]:
        assert self._process.stdout is not None
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            if line.split()[:1] == [word]:
                return lines
        raise RuntimeError(f"the engine ended; it said {lines[-3:]}")

    def _cpu(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def positions_of(ruleset: Ruleset, number: int = 4) -> list[Position]:
    """The start, and positions twenty random plies on that still offer a choice of quiet moves."""
    rules = rules_for(ruleset)
    chance = random.Random(7)
    found = [rules.start()]
    while len(found) < number:
        position = rules.start()
        for _ in range(20):
            moves = rules.legal_moves(position)
            if not moves:
                break
            position = position.after(chance.choice(moves))
        moves = rules.legal_moves(position)
        if len(moves) > 3 and not moves[0].captured:
            found.append(position)
    return found


def main() -> int:
    """Print the table; 1 when a rule set misses the promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--dame", default="")
    parser.add_argument("--py-draughts", default="")
    options = parser.parse_args()
    peers: list[tuple[str, list[str], tuple[str, ...]]] = [("ours", OURS, VARIANTS)]
    if options.dame:
        peers.append(("dame-rs", shlex.split(options.dame), ("international",)))
    if options.py_draughts:
        known = ("international", "russian", "brazilian")
        peers.append(("py-draughts", [options.py_draughts, str(WRAPPER)], known))
    print(f"load {os.getloadavg()[0]:.1f}; {options.seconds} s a position\n")
    print("| rule set | " + " | ".join(f"{name}, M nodes/CPU s (depth)" for name, _, _ in peers) + " |")
    print("|---" * (1 + len(peers)) + "|")
    missed = False
    for variant in VARIANTS:
        positions = positions_of(load_ruleset(variant))
        cells = []
        for name, command, variants in peers:
            if variant not in variants:
                cells.append("")
                continue
            engine = Engine(command, variant)
            speed, depth = engine.speed(positions, options.seconds)
            engine.close()
            missed |= name == "ours" and speed < PROMISED
            cells.append(f"{speed:.2f} ({depth:.1f})")
        print(f"| {variant} | " + " | ".join(cells) + " |", flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
