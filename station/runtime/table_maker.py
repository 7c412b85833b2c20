"""Has endgame tables made while the station runs."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from engine.ruleset import Ruleset, write_ruleset


class TableMaker:
    """Makes tables while the station runs: a process at a time, which lets everything else go first.

    What is cut when the station ends goes on when the tables are wanted again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._wanted: queue.SimpleQueue[Ruleset | None] = queue.SimpleQueue()
        self._seen: set[str] = set()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ending = False
        self._thread = threading.Thread(target=self._run, name="endings", daemon=True)
        self._thread.start()

    def want(self, ruleset: Ruleset) -> None:
        """Have the tables of a rule set made, unless there can be none or they were wanted before; from any thread."""
        from engine.endings import fingerprint, refusal  # with the kernel; few games want tables

        if refusal(ruleset):
            return
        rules = fingerprint(ruleset)
        with self._lock:
            if rules in self._seen:
                return
            self._seen.add(rules)
        self._wanted.put(ruleset)

    def stop(self) -> None:
        """End, and the process that makes tables too."""
        with self._lock:
            self._is_ending = True
            if self._process is not None:
                self._process.terminate()
        self._wanted.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (ruleset := self._wanted.get()) is not None:
            with suppress(OSError):  # no room, no process: the engine plays without tables
                self._make(ruleset)

    def _make(self, ruleset: Ruleset) -> None:
        from engine.ending_files import tables_folder

        place = tables_folder(self.folder, ruleset)
        place.mkdir(parents=True, exist_ok=True)
        file = place / "rules.toml"
        file.write_text(write_ruleset(ruleset), encoding="utf-8")
        command = [sys.executable, "-m", "station.runtime.cli", "endings", "make", "--background"]
        with self._lock:
            if self._is_ending:
                return
            self._process = subprocess.Popen(
                [*command, "--variant", str(file), "--folder", str(self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        self._process.wait()
