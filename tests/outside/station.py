"""`dambord run` as a process of its own, with a configuration written for it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic

DAMBORD = Path(sys.executable).with_name("dambord")
STATION = "club-1"
BASE = f"dambord/v1/{STATION}"
END_S = 10.0


class Station:
    """A running service; its output goes to files beside its configuration."""

    def __init__(self, folder: Path, broker_port: int | None, web_port: int, boards: list[dict[str, str]]) -> None:
        self.folder = folder
        self.config = folder / "station.toml"
        self.web_port = web_port
        tables = [f'[station]\nid = "{STATION}"\ndata = "{folder / "data"}"\n']
        if broker_port is not None:
            tables.append(f'[mqtt]\nhost = "127.0.0.1"\nport = {broker_port}\n')
        tables.append(f'[web]\nhost = "127.0.0.1"\nport = {web_port}\n')
        for board in boards:
            tables.append("[[boards]]\n" + "".join(f'{key} = "{value}"\n' for key, value in board.items()))
        self.config.write_text("\n".join(tables))
        self.process: subprocess.Popen[bytes] | None = None
        self.started_at = 0.0

    def start(self) -> None:
        """Start the service."""
        with (self.folder / "out.txt").open("ab") as out, (self.folder / "err.txt").open("ab") as err:
            self.started_at = monotonic()
            self.process = subprocess.Popen(
                [str(DAMBORD), "run", "--config", str(self.config)], stdout=out, stderr=err, cwd=self.folder
            )

    def wait_for_a_game(self, board: str, seconds: float = 30.0) -> None:
        """Until its journal tells that a game has begun: for those who cannot hear it from a broker."""
        journals, end = self.folder / "data" / "journal" / board, monotonic() + seconds
        while not any(b'"game_started"' in journal.read_bytes() for journal in journals.glob("*.jsonl")):
            assert monotonic() < end, self.said()
            threading.Event().wait(0.1)

    def terminate(self) -> tuple[int, float]:
        """Ask it to end; its exit code, and how long it took."""
        assert self.process is not None
        began = monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(END_S)
        self.process = None
        return code, monotonic() - began

    def kill(self) -> None:
        """Take the power away."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def said(self) -> str:
        """What it wrote to standard error."""
        return (self.folder / "err.txt").read_text()
