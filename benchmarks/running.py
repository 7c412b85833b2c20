"""A station as a process of its own, on a simulated board in yet another one, for the benchmarks to look at."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from urllib.error import URLError

from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort

GIVE_UP_S = 30.0


@dataclass(frozen=True, slots=True)
class Running:
    """A station that has just been started."""

    process: subprocess.Popen[bytes]
    started: float
    """When, on the monotonic clock, in seconds."""
    web_port: int

    def wait_for_turn(self) -> float:
        """Seconds from the start until a first move can be made."""
        for snapshot in self._snapshots():
            if snapshot.get("state", {}).get("phase") == "turn":
                return monotonic() - self.started
        raise RuntimeError("the station never was ready for a move")

    def _snapshots(self) -> Iterator[dict[str, dict[str, str]]]:
        while monotonic() < self.started + GIVE_UP_S:
            with suppress(URLError), urllib.request.urlopen(self._url("events"), timeout=GIVE_UP_S) as stream:
                for line in stream:
                    if line.startswith(b"data: "):
                        yield from _boards(json.loads(line.removeprefix(b"data: ")))

    def _url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.web_port}/{path}"


def _boards(data: object) -> Iterator[dict[str, dict[str, str]]]:
    """The snapshots of boards in an event, however deep it holds them."""
    if isinstance(data, dict):
        if "state" in data and "position" in data:
            yield data
        for value in data.values():
            yield from _boards(value)


@contextmanager
def board_process(driver: str, variant: str, path: Path) -> Iterator[None]:
    """A simulated board with the pieces of a new game, in a process of its own."""
    command = [sys.executable, __file__, driver, variant, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield
        process.communicate(b"\n")


@contextmanager
def station(driver: str, variant: str = "international") -> Iterator[Running]:
    """`dambord run` on a simulated board that was switched on before."""
    with TemporaryDirectory(prefix="dambord-benchmark-") as name, socket.socket() as probe:
        folder = Path(name)
        probe.bind(("127.0.0.1", 0))
        web_port = probe.getsockname()[1]
        probe.close()
        config = folder / "station.toml"
        config.write_text(
            f'[station]\ndata = "{folder / "data"}"\n[web]\nport = {web_port}\n[[boards]]\nid = "table"\n'
            f'driver = "{driver}"\nport = "{folder / "board"}"\nvariant = "{variant}"\n'
        )
        with board_process(driver, variant, folder / "board"):
            started = monotonic()
            command = [str(Path(sys.executable).with_name("dambord")), "run", "--config", str(config)]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
                yield Running(process, started, web_port)
                process.terminate()


def _serve(driver: str, variant: str, path: str) -> None:
    ruleset = load_ruleset(variant)
    board = device_for(driver, ruleset.columns, ruleset.rows, colour=True)
    for square, piece in enumerate(rules_for(ruleset).start().contents):
        board.put(ruleset.geometry.cells[square], piece, 0)
    with PtyPort(board, Path(path)):
        print("ready", flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    _serve(*sys.argv[1:])
