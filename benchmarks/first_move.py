"""Seconds from `dambord run` until the first move can be made, for each kind of board; the promise is 2 s.

python benchmarks/first_move.py
"""

from __future__ import annotations

import statistics
import sys

from running import station

PROMISED_S = 2.0
STARTS = 5


def main() -> int:
    """Print the seconds of some starts for each driver; exit code 1 when the median breaks the promise."""
    kept = True
    for driver in ("matrix", "dgt"):
        seconds = []
        for _ in range(STARTS):
            with station(driver) as running:
                seconds.append(running.wait_for_turn())
        median = statistics.median(seconds)
        kept &= median < PROMISED_S
        print(f"{driver}: median {median:.2f} s, from {min(seconds):.2f} to {max(seconds):.2f} (promised {PROMISED_S})")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
