"""How long it takes from a stop's request, and from a hand that is seen, to the stop's byte at an arm's controller.

    python benchmarks/stopping.py [--stops 100] [--busy 2]

A whole station runs, with its journal, page, simulated board and an arm on a pseudo-terminal that is in slow motion
whenever it is stopped. `page` is the request `halt` as a browser sends it; `contact` the emergency stop's second
contact, as the pins' thread tells of it; `hand` what a camera over the board sees. Times end when the controller's own
thread has read the byte, in the same process. `--busy` other processes compute meanwhile with the same priority. Exit
code 1 when the 99th percentile of a stop is over 20 ms, or any hand took over 100 ms.
"""

from __future__ import annotations

import argparse
import http.client
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from engine.position import EMPTY
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort
from station.arm_prompts import waits_for_press
from station.config import BoardTable, Config, StationTable, WebTable
from station.events import Event, HandSeen, Requested, StopTold
from station.handling.arm import Acting
from station.runtime.demo_arm import DemoArm
from station.runtime.loop import Outcome
from station.runtime.service import Service
from station.state import Session

STOP = b"!"
"""GRBL's feed hold: the first byte of every stop."""
STOP_P99_MS, HAND_MS = 20.0, 100.0
SLOW_MM_MIN = 300.0
"""So slow that no waypoint ends before the stop."""
GIVE_UP_S = 60.0
BUSY = "while True: pass"


class TappedArm(DemoArm):
    """A simulated arm that notes when a stop has come."""

    def __init__(self, ruleset: Ruleset, path: Path, port: PtyPort) -> None:
        self.stopped_at = 0.0
        self.came = threading.Event()
        super().__init__(ruleset, path, port.put)
        slow = replace(self.setup.workspace, feed=SLOW_MM_MIN, plunge=SLOW_MM_MIN)
        self.setup = replace(self.setup, workspace=slow)

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Bytes for the controller."""
        if STOP in data and not self.came.is_set():
            self.stopped_at = time.monotonic()
            self.came.set()
        return super().receive(data, now_ms)


class Ear:
    """Keeps the newest session."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._session: Session | None = None

    def hear(self, outcome: Outcome) -> None:
        """A board has changed."""
        with self._news:
            self._session = outcome.session
            self._news.notify_all()

    def wait_for(self, is_so: Callable[[Session], bool]) -> None:
        """Wait until something is so."""

        def now() -> bool:
            return self._session is not None and is_so(self._session)

        with self._news:
            if not self._news.wait_for(now, GIVE_UP_S):
                raise RuntimeError(f"the arm never came so far: {self._session and self._session.arm}")


class Bench:
    """A station whose arm is set in motion and stopped."""

    def __init__(self, service: Service, arm: TappedArm, ear: Ear, chance: Random) -> None:
        self._service, self._arm, self._ear, self._chance = service, arm, ear, chance
        assert service.page is not None
        self._web_port = service.page.port
        self._page: http.client.HTTPConnection | None = None

    def stop(self, kind: str) -> float:
        """The time that one stop took, in ms; the arm was in motion before, and is let go on as far as its stand."""
        self._ear.wait_for(waits_for_press)
        self._post(Requested(self._now(), "1", "arm"))
        self._ear.wait_for(lambda session: session.arm is not None and isinstance(session.arm.stage, Acting))
        threading.Event().wait(self._chance.uniform(0.05, 0.3))
        self._arm.came.clear()
        began = time.monotonic()
        self._ask(kind)
        if not self._arm.came.wait(GIVE_UP_S):
            raise RuntimeError(f"{kind}: no stop came")
        took = self._arm.stopped_at - began
        self._let_go(kind)
        return 1000 * took

    def _ask(self, kind: str) -> None:
        match kind:
            case "page":
                headers = {"Content-Type": "application/json", "X-Dambord": "1"}
                # A new connection each time: one that was not used for a while is closed.
                self._page = http.client.HTTPConnection("127.0.0.1", self._web_port, timeout=GIVE_UP_S)
                self._page.request("POST", "/boards/t/halt", b"{}", headers)
            case "contact":
                self._post(StopTold(self._now(), True))
            case _:
                self._post(HandSeen(self._now(), True))

    def _let_go(self, kind: str) -> None:
        match kind:
            case "page":
                assert self._page is not None
                answer = self._page.getresponse()
                body = answer.read()
                self._page.close()
                if answer.status != 200:
                    raise RuntimeError(f"the page refused to stop: {body!r}")
            case "contact":
                self._post(StopTold(self._now(), False))
            case _:
                self._post(HandSeen(self._now(), False))

    def _now(self) -> int:
        return self._service.clock.now_ms()

    def _post(self, event: Event) -> None:
        self._service.loop.post("t", event)


@contextmanager
def bench(folder: Path, seed: int) -> Iterator[Bench]:
    """A station with two engines and an arm that is to make the first move."""
    ruleset, ear = load_ruleset("russian"), Ear()
    board = device_for("matrix", ruleset.columns, ruleset.rows, seed=seed, colour=True)
    for cell, piece in zip(ruleset.geometry.cells, rules_for(ruleset).start().contents, strict=True):
        if piece is not EMPTY:
            board.put(cell, piece, 0)
    with PtyPort(board, folder / "board") as port, closing(TappedArm(ruleset, folder / "arm", port)) as arm:
        players = {"white": "engine:1", "black": "engine:1"}
        table = BoardTable(
            "t", "matrix", str(port.path), variant="russian", arm="gcode", arm_setup=arm.setup, **players
        )
        config = Config(StationTable(data=str(folder / "data")), WebTable(port=0), None, (table,))
        service = Service(config, watchers=[ear])
        service.start()
        try:
            yield Bench(service, arm, ear, Random(seed))
        finally:
            service.stop()


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes compute."""
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.terminate()
            other.wait()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stops", type=int, default=100, help="of each kind (100)")
    parser.add_argument("--busy", type=int, default=os.cpu_count() or 1, help="processes that compute (one a core)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    times: dict[str, list[float]] = {"page": [], "contact": [], "hand": []}
    with TemporaryDirectory(prefix="dambord-") as folder, busy(options.busy), bench(Path(folder), options.seed) as arm:
        for _ in range(options.stops):
            for kind, taken in times.items():
                taken.append(arm.stop(kind))
    is_late = False
    for kind, taken in times.items():
        quantiles = statistics.quantiles(taken, n=100, method="inclusive")
        is_late |= max(taken) > HAND_MS if kind == "hand" else quantiles[98] > STOP_P99_MS
        figures = f"p50 {quantiles[49]:.1f}, p95 {quantiles[94]:.1f}, p99 {quantiles[98]:.1f}, most {max(taken):.1f}"
        print(f"{kind}: {len(taken)} stops, ms: {figures}")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {options.busy} processes computing")
    sys.exit(is_late)


if __name__ == "__main__":
    main()
