"""`dambord club` as a process of its own, and what it answers."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from time import monotonic

import httpx

from tests.outside.broker import free_port

WAIT_S = 30.0


class ClubProcess:
    """A club at a broker; `data` outlives it."""

    def __init__(self, folder, broker_port):
        self.data, self.broker_port, self.port = folder / "club", broker_port, free_port()
        self.process = None
        self.said = folder / "club.txt"

    def start(self):
        command = [sys.executable, "-m", "station.runtime.cli", "club", "--broker", f"127.0.0.1:{self.broker_port}"]
        command += ["--data", str(self.data), "--port", str(self.port)]
        with self.said.open("ab") as errors:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert self.process.stdout.readline().startswith("The wall is at http://"), self.said.read_text()

    def get(self, path):
        return httpx.get(f"http://127.0.0.1:{self.port}{path}", timeout=10)

    def games(self):
        """Half-moves of every game in the archive, by board."""
        found = self.get("/games.json?limit=200").json()["games"]
        return [(game["board"], game["game"], game["plies"]) for game in sorted(found, key=lambda one: one["number"])]

    def until(self, is_so, seconds=WAIT_S):
        """Wait until something is true of what it answers, and give that back."""
        end = monotonic() + seconds
        while not (found := is_so()):
            assert monotonic() < end, (self.games(), self.get("/health").json(), self.said.read_text())
            threading.Event().wait(0.1)
        return found

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self._over()

    def end(self):
        """Ask it to end; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self._over()

    def _over(self):
        code = self.process.wait(15)
        self.process.stdout.close()
        self.process = None
        return code
