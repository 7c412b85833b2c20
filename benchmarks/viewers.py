"""How soon those who watch see what a sensor saw, and what the server takes for it.

    python benchmarks/viewers.py [--boards 6] [--viewers 30] [--rate 40] [--seconds 30] [--browser chromium]

A whole station (`dambord run`) reads simulated boards on pseudo-terminals; hands lift a piece or put one down, `--rate`
times a second in all. Viewers hold the page's stream of events open; with `--browser` one real page more counts the
pieces that it has drawn. Time counts from the hand to the snapshot, or the picture, that shows the square so. Exit code
1 when the 95th percentile is over 150 ms, the server over 15 % of a core, or over 60 MB.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import statistics
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic

import msgspec
from playwright.async_api import Page, async_playwright
from small_machine import cpu_s, megabytes

from engine.geometry import Cell
from engine.position import EMPTY, Piece
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort

P95_MS, CORE_SHARE, MEGABYTES = 150, 0.15, 60
RUSSIAN = load_ruleset("russian")
NAMES = RUSSIAN.geometry.cells
COUNTING = """() => {
  const pieces = document.querySelector("#wood-board .pieces");
  window.drawn = [];
  const look = () => requestAnimationFrame(() => {
    window.drawn.push([performance.timeOrigin + performance.now(), pieces.childElementCount]);
  });
  new MutationObserver(look).observe(pieces, { childList: true });
}"""


class Position(msgspec.Struct):
    """The part of a snapshot that tells what the sensors see."""

    seen: dict[str, list[str]]


class Snapshot(msgspec.Struct):
    """A board's snapshot."""

    position: Position


class Event(msgspec.Struct):
    """An event of the stream."""

    board: str
    snapshot: Snapshot


@dataclass
class Change:
    """A hand's touch, and when each viewer saw it."""

    board: str
    count: int
    """How many pieces stand there since."""
    at: float
    seen: set[int] = field(default_factory=set)


@contextmanager
def station(boards: int, folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], int, dict[str, PtyPort]]]:
    """`dambord run` on so many boards at the start position: its process, the page's port, the boards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        web_port = probe.getsockname()[1]
    lines = [f'[station]\ndata = "{folder}/data"\n[web]\nport = {web_port}']
    with ExitStack() as stack:
        ports = {}
        for number in range(boards):
            name = f"table-{number + 1}"
            device = device_for("matrix", RUSSIAN.columns, RUSSIAN.rows, colour=True)
            for square, piece in enumerate(rules_for(RUSSIAN).start().contents):
                device.put(NAMES[square], piece, 0)
            ports[name] = stack.enter_context(PtyPort(device, folder / name))
            lines.append(f'[[boards]]\nid = "{name}"\ndriver = "matrix"\nvariant = "russian"\nport = "{folder}/{name}"')
        (folder / "station.toml").write_text("\n".join(lines))
        command = [Path(sys.executable).with_name("dambord"), "run", "--config", folder / "station.toml"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            yield process, web_port, ports
            process.terminate()


async def opened(port: int) -> asyncio.StreamReader:
    """The stream of events, once the station serves it."""
    for _ in range(200):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        except OSError:
            await asyncio.sleep(0.1)
            continue
        writer.write(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        reader.writer = writer  # type: ignore[attr-defined]  # the connection lives as long as its reader
        return reader
    raise RuntimeError("the station does not answer")


class Hall:
    """Those who watch, and what the hands did."""

    def __init__(self) -> None:
        self.open: dict[str, Change] = {}
        self.delays_ms: list[float] = []
        self.missed = 0

    async def watch(self, number: int, reader: asyncio.StreamReader) -> None:
        """Read every event, and note when the last change of a board is in it."""
        decoder = msgspec.json.Decoder(Event)
        while line := await reader.readline():
            if line != b"event: board\n":
                continue
            event = decoder.decode((await reader.readline()).removeprefix(b"data: "))
            change = self.open.get(event.board)
            standing = sum("empty" not in seen for seen in event.snapshot.position.seen.values())
            if change is not None and number not in change.seen and standing == change.count:
                change.seen.add(number)
                self.delays_ms.append(1000 * (monotonic() - change.at))

    async def play(self, ports: dict[str, PtyPort], rate: float, seconds: float, viewers: int) -> list[Change]:
        """Lift a man of a board and put it back, by turns, evenly over the boards."""
        chance, made, began = Random(1), [], monotonic()
        lifted: dict[str, tuple[Cell, Piece]] = {}
        names = list(ports)
        for number in range(round(rate * seconds)):
            await asyncio.sleep(max(0.0, began + number / rate - monotonic()))
            name = names[number % len(names)]
            port = ports[name]
            before = self.open.get(name)
            self.missed += 0 if before is None else viewers - len(before.seen)
            if name in lifted:
                cell, piece = lifted.pop(name)
                count = 24
            else:
                cell = chance.choice([cell for cell in NAMES if port.contents(cell) is not EMPTY])
                piece, count = EMPTY, 23
                lifted[name] = (cell, port.contents(cell))
            self.open[name] = Change(name, count, monotonic())
            made.append(self.open[name])
            await asyncio.to_thread(port.put, cell, piece)
        await asyncio.sleep(1)
        return made


async def drawn_ms(page: Page, made: list[Change], board: str) -> list[float]:
    """How long a page took from each hand's touch to its picture."""
    now_ms, drawn = await page.evaluate("() => [performance.timeOrigin + performance.now(), window.drawn]")
    offset = monotonic() - now_ms / 1000
    delays = []
    for change in (change for change in made if change.board == board):
        later = [at / 1000 + offset for at, count in drawn if count == change.count]
        first = next((at for at in later if at >= change.at), None)
        if first is not None:
            delays.append(1000 * (first - change.at))
    return delays


def told(name: str, delays: list[float]) -> float:
    """Print the quantiles of delays in ms; the 95th percentile."""
    cuts = statistics.quantiles(delays, n=100)
    print(f"{name}: {len(delays)} times, ms: p50 {cuts[49]:.0f}, p95 {cuts[94]:.0f}, p99 {cuts[98]:.0f}")
    return cuts[94]


async def measure(options: argparse.Namespace, pid: int, web_port: int, ports: dict[str, PtyPort]) -> bool:
    """Print the figures; whether all are within what is promised."""
    hall = Hall()
    readers = [await opened(web_port) for _ in range(options.viewers)]
    watching = [asyncio.create_task(hall.watch(number, reader)) for number, reader in enumerate(readers)]
    await asyncio.sleep(3)
    async with _page(options.browser, f"http://127.0.0.1:{web_port}/#table-1") as page:
        began, cpu = monotonic(), cpu_s(pid)
        made = await hall.play(ports, options.rate, options.seconds, options.viewers)
        share, memory = (cpu_s(pid) - cpu) / (monotonic() - began), megabytes(pid)
        late = [told(f"{options.viewers} viewers", hall.delays_ms)]
        if page is not None:
            late.append(told("one page in a browser", await drawn_ms(page, made, "table-1")))
    for task in watching:
        task.cancel()
    print(f"server: {100 * share:.1f} % of a core, {memory:.0f} MB; {hall.missed} snapshots never came as they were")
    print(f"load of the machine {os.getloadavg()[0]:.1f}")
    return max(late) <= P95_MS and share <= CORE_SHARE and memory <= MEGABYTES


@asynccontextmanager
async def _page(browser: str | None, url: str) -> AsyncIterator[Page | None]:
    """The page in a browser, where one is given, counting what it draws."""
    if browser is None:
        yield None
        return
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = await chromium.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        await page.goto(url)
        await page.wait_for_selector("#wood-board .pieces > *")
        await page.evaluate(COUNTING)
        yield page
        await chromium.close()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=6)
    parser.add_argument("--viewers", type=int, default=30)
    parser.add_argument("--rate", type=float, default=40)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--browser", help="the path of a Chromium")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="dambord-viewers-") as name, station(options.boards, Path(name)) as started:
        process, web_port, ports = started
        is_kept = asyncio.run(measure(options, process.pid, web_port, ports))
    sys.exit(not is_kept)


if __name__ == "__main__":
    main()
