"""A board that is a program of its own, behind the same face as a simulated board on a pseudo-terminal.

Such a program has the command line `PROGRAM ... --path PTY` and takes the lines of
`python -m firmware_bridge.simulator`.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.geometry import Cell
from engine.position import Piece

APPEARS_S = 30.0
"""A program whose port has not appeared after this time has failed."""
_LOOK_S = 0.02


class ProgramPort:
    """A running program with a board behind `path`; ValueError when its port never appears. For any thread.

    Its time is the program's own where it keeps one (`time`): a controller that is simulated runs slower than life on a
    busy machine, and hands that went by the wall clock would be too quick for it.
    """

    def __init__(self, command: Sequence[str], path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._standing: dict[Cell, Piece] = {}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([*command, "--path", str(path)], stdin=pipe, stdout=pipe, text=True, bufsize=1)
        end = time.monotonic() + APPEARS_S
        while not path.exists():
            if self._process.poll() is not None or time.monotonic() > end:
                self.close()
                raise ValueError(f"{' '.join(command)}: no board appeared at {path}")
            threading.Event().wait(_LOOK_S)
        self._began_s = time.monotonic()
        self._keeps_time = not self._ask("time").startswith("error")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def put(self, cell: Cell, piece: Piece) -> None:
        """A hand puts a piece on a cell; Piece.EMPTY takes away."""
        if piece is Piece.EMPTY:
            return self.take(cell)
        with self._lock:
            self._standing[cell] = piece
            self._tell(f"put {cell[0]} {cell[1]} {str(piece.name).lower()}")
        return None

    def take(self, cell: Cell) -> None:
        """A hand takes away what stands on a cell."""
        with self._lock:
            self._standing.pop(cell, None)
            self._tell(f"take {cell[0]} {cell[1]}")

    def contents(self, cell: Cell) -> Piece:
        """What stands on a cell, whatever the sensors say."""
        with self._lock:
            return self._standing.get(cell, Piece.EMPTY)

    def press(self, button: str) -> None:
        """A hand presses a button."""
        with self._lock:
            self._tell(f"press {button}")

    def reset(self) -> None:
        """A hand presses the controller's reset button."""
        with self._lock:
            self._tell("reset")

    def power_cycle(self) -> None:
        """The power goes and comes back."""
        with self._lock:
            self._tell("power")

    def unplug(self) -> None:
        """Pulls the cable: whoever has the port open gets an error, and the name is gone."""
        with self._lock:
            self._tell("unplug")

    def plug(self) -> None:
        """Puts the cable back: the same name leads to a new terminal."""
        with self._lock:
            self._tell("plug")

    def lamps(self) -> dict[Cell, str]:
        """The lit cells with the role each shows."""
        lit = [entry.split() for entry in self._ask("lamps").split(",") if entry]
        return {(int(column), int(row)): role for column, row, role in lit}

    def now_ms(self) -> int:
        """Milliseconds since the program began, by its own clock if it keeps one."""
        return int(self._ask("time")) if self._keeps_time else int((time.monotonic() - self._began_s) * 1000)

    def close(self) -> None:
        """Ends the program by the end of its input."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(APPEARS_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, line: str) -> str:
        with self._lock:
            self._tell(line)
            assert self._process.stdout is not None
            return self._process.stdout.readline().strip()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
