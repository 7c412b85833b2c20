"""How much of a core a station takes while nobody plays: a matrix board that repeats its state 50 times a second.

python benchmarks/idle.py [SECONDS]
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from time import monotonic

from running import station

PROMISED_PERCENT = 3.0
USUAL_S = 20.0


def cpu_s(pid: int) -> float:
    """Seconds of processor time that a process has taken, all its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Print percent of a core; exit code 1 when it is more than promised."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else USUAL_S
    with station("matrix") as running:
        running.wait_for_turn()
        before, began = cpu_s(running.process.pid), monotonic()
        threading.Event().wait(seconds)
        percent = 100 * (cpu_s(running.process.pid) - before) / (monotonic() - began)
    print(f"idle: {percent:.2f} % of a core (promised {PROMISED_PERCENT})")
    return 0 if percent < PROMISED_PERCENT else 1


if __name__ == "__main__":
    sys.exit(main())
