"""A day and a night at a club, compressed: memory, threads and open files of the service stay what they were.

`DAMBORD_DAY_MOVES` (default 200,000: six boards, a move every 2.6 s for 24 hours) are played as fast as the service
takes them, on boards behind pseudo-terminals. A cable is pulled and put back every 500 moves, the broker is started
anew every 1,000. Every move is compared with what the broker tells of the board.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from engine.position import EMPTY
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.simulator import device_for
from firmware_bridge.simulator.pty_port import PtyPort
from station.announcements import fen_of
from station.runtime.made_games import made_games

MOVES = int(os.environ.get("DAMBORD_DAY_MOVES", "200000"))
REPLUG, RESTART = 500, 1000
WARM = 0.2
"""What is measured against is measured after this share of the moves: every cache is filled by then."""
GROWTH = 1.05
BOARDS = 6
WAIT_S = 60.0
STATION = """[station]
id = "day"
data = "{folder}/data"
[mqtt]
host = "127.0.0.1"
port = {broker}
[web]
port = 0
"""
BOARD = """[[boards]]
id = "{name}"
driver = "matrix"
port = "{folder}/{name}"
variant = "russian"
pace = {{quick_ms = 20, extended_ms = 40, revise_ms = 0, ply_ms = 0, set_up_ms = 50, start_again_ms = 500}}
"""

pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]


class Wall:
    """What the broker tells of each board at present: its state and its position."""

    def __init__(self, port):
        self.states = {}
        self.news = threading.Condition()
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2)
        self._client.reconnect_delay_set(1, 1)
        self._client.on_connect = lambda client, *_: client.subscribe(
            [(f"dambord/v1/day/+/{topic}", 1) for topic in ("state", "position")]
        )
        self._client.on_message = self._take
        self._client.connect_async("127.0.0.1", port, 20)
        self._client.loop_start()

    def _take(self, _client, _data, message):
        with self.news:
            self.states.setdefault(message.topic.split("/")[3], {"ply": -1, "fen": ""}).update(
                json.loads(message.payload)
            )
            self.news.notify_all()

    def until(self, board, found):
        """Wait until what is told of a board is what is looked for."""
        with self.news:
            seen = self.news.wait_for(lambda: board in self.states and found(self.states[board]), WAIT_S)
            assert seen, (board, self.states.get(board))

    def close(self):
        self._client.disconnect()
        self._client.loop_stop()


class Table(threading.Thread):
    """Two people who play one game after the other as fast as the service takes their moves."""

    def __init__(self, name, folder, seed, wall, made):
        super().__init__(name=name)
        self.ruleset = load_ruleset("russian")
        self.port = PtyPort(device_for("matrix", 8, 8, seed=seed, colour=True), folder / name)
        self.seed, self.wall, self.made = seed, wall, made
        self.ended, self.failed = threading.Event(), None

    def run(self):
        try:
            for game in made_games(self.ruleset, self.seed):
                self._set_up(game)
                if self.ended.is_set() or not self._play(game):
                    return
        except BaseException as error:
            self.failed = error
            raise

    def _set_up(self, game):
        self._show(game.start.contents)
        fen = fen_of(rules_for(self.ruleset).start(), self.ruleset)
        self.wall.until(self.name, lambda state: (state["ply"], state["fen"], state["phase"]) == (0, fen, "turn"))

    def _play(self, game):
        """Whether there is time for another game."""
        position = game.start
        for ply, move in enumerate(game.moves, 1):
            position = position.after(move)
            self._show(position.contents)
            fen = fen_of(position, self.ruleset)
            self.wall.until(self.name, lambda state, ply=ply, fen=fen: (state["ply"], state["fen"]) == (ply, fen))
            self.made()
            if self.ended.is_set():
                return False
            if self.wall.states[self.name]["phase"] == "over":
                break
        return True

    def _show(self, contents):
        """Take off what goes, then put down what comes."""
        cells = self.ruleset.geometry.cells
        changed = [square for square, piece in enumerate(contents) if self.port.contents(cells[square]) is not piece]
        for square in sorted(changed, key=lambda square: contents[square] is not EMPTY):
            self.port.put(cells[square], contents[square])


def measures(pid):
    """Resident memory in KB, threads, open files of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    memory, threads = (int(status.partition(f"{key}:")[2].split()[0]) for key in ("VmRSS", "Threads"))
    return memory, threads, len(os.listdir(f"/proc/{pid}/fd"))


def test_a_day_leaves_memory_threads_and_files_as_they_were(tmp_path, broker):
    names = [f"t{number}" for number in range(1, BOARDS + 1)]
    config = tmp_path / "station.toml"
    boards = "".join(BOARD.format(name=name, folder=tmp_path) for name in names)
    config.write_text(STATION.format(folder=tmp_path, broker=broker.port) + boards)
    wall, count, news = Wall(broker.port), 0, threading.Condition()

    def made():
        nonlocal count
        with news:
            count += 1
            news.notify_all()

    tables = [Table(name, tmp_path, seed, wall, made) for seed, name in enumerate(names, 1)]
    with (tmp_path / "said.txt").open("wb") as said:
        command = [sys.executable, "-m", "station.runtime.cli", "run", "--config", str(config)]
        service = subprocess.Popen(command, stdout=said, stderr=said)
    taken, began = [], monotonic()

    def look():
        taken.append((count, *measures(service.pid)))
        text = "{} moves: {} KB, {} threads, {} files".format(*taken[-1])
        sys.stdout.write(f"{text}, {monotonic() - began:.0f} s\n")
        sys.stdout.flush()

    try:
        for table in tables:
            table.start()
        for step in range(REPLUG, MOVES + 1, REPLUG):
            with news:
                while count < step:
                    news.wait(WAIT_S)
                    assert service.poll() is None, (tmp_path / "said.txt").read_text()[-2000:]
                    assert [table.failed for table in tables if table.failed] == []
            port = tables[step // REPLUG % BOARDS].port
            port.unplug()
            port.plug()
            if step % RESTART == 0:
                broker.stop()
                broker.start()
                look()
    finally:
        for table in tables:
            table.ended.set()
        for table in tables:
            table.join(2 * WAIT_S)
            table.port.close()
        service.send_signal(signal.SIGTERM)
        code = service.wait(20)
        wall.close()
    assert code == 0
    warm = next(row for row in taken if row[0] >= WARM * MOVES)
    _, memory, threads, files = taken[-1]
    assert memory <= GROWTH * warm[1], taken
    assert threads <= warm[2], taken
    assert files <= warm[3], taken
