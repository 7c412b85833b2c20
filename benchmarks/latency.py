"""How long it takes from a sensor's change to the event that a station makes of it, through a pseudo-terminal.

    python benchmarks/latency.py [--changes 400] [--driver matrix]

A simulated board reads its sensors 100 times a second, and its bytes take the time that its wire takes. Its sensors do
not bounce: the time a firmware waits for that is the maker's to choose, and comes on top. With `--driver micropython`
it is the Pico's firmware in a process of its own, above 100 linear hall sensors; the 30 ms for which it waits whether a
contact is steady are taken off. A whole station runs, with its journal. Exit code 1 when the median is over 15 ms or
the 99th percentile over 60 ms.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading
from collections import deque
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from engine.geometry import Cell
from engine.position import EMPTY, WHITE_MAN, Piece
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset
from firmware_bridge.simulator import MatrixBoard, SimulatedBoard, device_for
from firmware_bridge.simulator.faults import Faults
from firmware_bridge.simulator.firmwares import FIRMWARES
from firmware_bridge.simulator.program_port import ProgramPort
from firmware_bridge.simulator.pty_port import PtyPort
from station.config import BoardTable, Config, StationTable
from station.events import BoardSeen
from station.runtime.loop import Outcome
from station.runtime.service import Service

SCAN_MS = 10
BYTES_PER_MS = 11.52
"""115200 baud."""
STEADY_MS = 30
"""For so long a firmware waits whether a contact is steady."""
MEDIAN_MS, P99_MS = 15, 60
STILL = Faults(bounce_ms=(0, 0))


class Scanned:
    """A board whose firmware looks at its sensors every 10 ms, and whose bytes take their time on the wire."""

    def __init__(self, board: SimulatedBoard) -> None:
        self._board = board
        self._wire: deque[tuple[float, bytes]] = deque()
        self._due_ms = 0

    def put(self, cell: Cell, piece: Piece, now_ms: int) -> None:
        """A hand puts a piece on a cell."""
        self._board.put(cell, piece, now_ms)

    def take(self, cell: Cell, now_ms: int) -> None:
        """A hand takes away what stands on a cell."""
        self._board.take(cell, now_ms)

    def contents(self, cell: Cell) -> Piece:
        """What stands on a cell."""
        return self._board.contents(cell)

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Takes bytes from the host, gives bytes for it."""
        self._send(self._board.receive(data, now_ms), now_ms)
        return self.tick(now_ms)

    def tick(self, now_ms: int) -> bytes:
        """Gives the bytes that have come out of the wire."""
        if now_ms >= self._due_ms:
            self._due_ms = now_ms - now_ms % SCAN_MS + SCAN_MS
            self._send(self._board.tick(now_ms), now_ms)
        out = b""
        while self._wire and self._wire[0][0] <= now_ms:
            out += self._wire.popleft()[1]
        return out

    def deadline_ms(self) -> int:
        """When tick has something to do."""
        return min(self._due_ms, int(self._wire[0][0]) + 1) if self._wire else self._due_ms

    def _send(self, data: bytes, now_ms: int) -> None:
        if data:
            start_ms = max(now_ms, self._wire[-1][0] if self._wire else 0)
            self._wire.append((start_ms + len(data) / BYTES_PER_MS, data))


class Ear:
    """Notes when a square was seen empty or not."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._seen: BoardSeen | None = None

    def hear(self, outcome: Outcome) -> None:
        """Keep what a board showed last."""
        if isinstance(outcome.event, BoardSeen):
            with self._news:
                self._seen = outcome.event
                self._news.notify_all()

    def when(self, square: int, is_empty: bool, since_ms: int) -> int:
        """The time of the event that shows a square so, after `since_ms`."""

        def is_there() -> bool:
            seen = self._seen
            return seen is not None and seen.at_ms >= since_ms and bool(seen.view.possible(square) & EMPTY) is is_empty

        with self._news:
            if not self._news.wait_for(is_there, 10):
                raise RuntimeError("a change was never seen")
            assert self._seen is not None
            return self._seen.at_ms


def port_of(driver: str, ruleset: Ruleset, path: Path) -> PtyPort | ProgramPort:
    """A board at the start position."""
    start = tuple(zip(ruleset.geometry.cells, rules_for(ruleset).start().contents, strict=True))
    if driver in FIRMWARES:
        command = FIRMWARES[driver].command(ruleset.columns, ruleset.rows, True)
        program = ProgramPort([*command, "--steady"], path)
        for cell, piece in start:
            program.put(cell, piece)
        return program
    device: SimulatedBoard | Scanned = (
        Scanned(MatrixBoard(ruleset.columns, ruleset.rows, faults=STILL, debounce_ms=0, period_ms=SCAN_MS))
        if driver == "matrix"
        else device_for(driver, ruleset.columns, ruleset.rows, colour=True)
    )
    for cell, piece in start:
        device.put(cell, piece, 0)
    return PtyPort(device, path)  # type: ignore[arg-type]


def measure(driver: str, changes: int, seed: int) -> list[int]:
    """The delays of so many changes, in ms."""
    ruleset = load_ruleset("international" if driver in ("matrix", "dgt", "micropython") else "russian")
    chance, ear = Random(seed), Ear()
    waits_ms = STEADY_MS if driver in FIRMWARES else 0
    with TemporaryDirectory(prefix="dambord-") as folder, port_of(driver, ruleset, Path(folder) / "board") as port:
        name = "matrix" if driver in FIRMWARES else driver
        table = BoardTable("table", name, port=str(port.path), variant=ruleset.name)
        service = Service(Config(StationTable(data=f"{folder}/data"), boards=(table,)), watchers=[ear], page=False)
        service.start()
        with closing(_Stopped(service)):
            pause, delays, squares = threading.Event(), [], range(len(ruleset.geometry))
            ear.when(len(squares) // 2, True, 0)
            for _ in range(changes):
                pause.wait(chance.uniform(0.1, 0.25))
                # Another square each time: one that came and went so often would count as a weak sensor.
                square = chance.choice(squares)
                cell = ruleset.geometry.cells[square]
                piece = WHITE_MAN if port.contents(cell) is EMPTY else EMPTY
                began_ms = service.clock.now_ms()
                port.put(cell, piece)
                delays.append(ear.when(square, piece is EMPTY, began_ms) - began_ms - waits_ms)
    return delays


class _Stopped:
    def __init__(self, service: Service) -> None:
        self._service = service

    def close(self) -> None:
        self._service.stop()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changes", type=int, default=400)
    parser.add_argument("--driver", choices=("matrix", "dgt", "millennium", "certabo", "micropython"), default="matrix")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    delays = measure(options.driver, options.changes, options.seed)
    quantiles = statistics.quantiles(delays, n=100)
    print(
        f"{options.driver}: {len(delays)} changes, ms: p50 {quantiles[49]:.0f}, p95 {quantiles[94]:.0f}, "
        f"p99 {quantiles[98]:.0f}, most {max(delays)}"
    )
    if options.driver in ("matrix", "micropython"):
        sys.exit(quantiles[49] > MEDIAN_MS or quantiles[98] > P99_MS)


if __name__ == "__main__":
    main()
