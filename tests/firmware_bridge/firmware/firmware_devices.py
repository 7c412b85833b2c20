"""Boards that run as programs of their own, by name: each is started on a pseudo-terminal and touched by lines.

To join, a firmware needs one program with the command line `PROGRAM --path PTY [--size 8x8] [--colour]` that takes the
lines of `python -m firmware_bridge.simulator` on its standard input, and one function here.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firmware_wire import PATIENCE_S, Wire

from firmware_bridge.simulator import avr, pico


@dataclass(frozen=True)
class Kind:
    """How one firmware is started."""

    command: Callable[[int, int, bool], list[str]]
    """Columns, rows, tells colours: the command line, all but `--path`."""
    missing: Callable[[], str | None]
    """Why it cannot be started here, None when it can."""
    keeps_time: bool = False
    """Whether its clock stands still while the machine is busy with something else: then its times are exact."""


def _simulated(columns: int, rows: int, colour: bool) -> list[str]:
    board = [sys.executable, "-m", "firmware_bridge.simulator", "matrix", f"{columns}x{rows}", "--dims"]
    return [*board, "--colour"] if colour else board


def _avr(columns: int, rows: int, colour: bool) -> list[str]:
    return avr.command(columns, rows, colour=colour)


KINDS = {
    "avr": Kind(_avr, avr.missing, keeps_time=True),
    "micropython": Kind(pico.command, pico.missing),
    "simulated": Kind(_simulated, lambda: None),
}


class Board:
    """A running board: hands on one side, a port on the other."""

    def __init__(self, program: list[str], path: Path, *, keeps_time: bool = False) -> None:
        self.keeps_time = keeps_time
        self._starts = 0
        command = [*program, "--path", str(path)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self.path = path
        try:
            self.wire = self._opened(command)
        except AssertionError:
            self._process.kill()
            self._process.communicate()
            raise

    def _opened(self, command: list[str]) -> Wire:
        end = time.monotonic() + PATIENCE_S
        while not self.path.exists():
            assert self._process.poll() is None, f"{' '.join(command)} ended with {self._process.returncode}"
            assert time.monotonic() < end, f"{self.path} never appeared"
            _let_go()
        return Wire(self.path)

    def do(self, *lines: str) -> None:
        """Has hands do something, in this order, at once."""
        assert self._process.stdin
        self._starts += sum(line in ("reset", "power") for line in lines)
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()

    def ask(self, line: str) -> str:
        """The answer to a line that asks."""
        self.do(line)
        assert self._process.stdout
        return self._process.stdout.readline().rstrip("\n")

    def lamps(self) -> dict[tuple[int, int], str]:
        """The lit cells with the role each shows."""
        lit = [entry.split() for entry in self.ask("lamps").split(",") if entry]
        return {(int(column), int(row)): role for column, row, role in lit}

    def until_lamps(self, wanted: dict[tuple[int, int], str]) -> None:
        """Waits until exactly these lamps are lit."""
        end = time.monotonic() + PATIENCE_S
        while (lit := self.lamps()) != wanted:
            assert time.monotonic() < end, f"lit: {lit}, wanted: {wanted}"
            self.wire.read()

    def reopen(self) -> None:
        """Opens the port anew, waiting until its name is there."""
        self.wire.close()
        end = time.monotonic() + PATIENCE_S
        while not self.path.exists():
            assert time.monotonic() < end, f"{self.path} never came back"
            _let_go()
        self.wire = Wire(self.path)

    def close(self) -> None:
        """Ends the program by the end of its input, unless it has ended; what it sent was sound."""
        assert self._process.stdin
        assert self._process.stdout
        if self._process.stdin.closed:
            return
        self.wire.close()
        self._process.stdin.close()
        try:
            assert self._process.wait(PATIENCE_S) == 0
        finally:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
        assert len(self.wire.broken) <= self._starts, self.wire.broken


def _let_go() -> None:
    """Gives the processor to the program that is waited for."""
    threading.Event().wait(0.005)
