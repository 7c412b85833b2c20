"""A DGT-compatible draughts board on a pseudo-terminal, written from the protocol's description alone.

A scan visits the fields one after another in 225 ms; a field that changed is told at that moment. The line has
9600 baud.
"""

from __future__ import annotations

import os
import select
import threading
import tty
from collections import deque
from contextlib import suppress
from pathlib import Path
from time import monotonic

SCAN_S = 0.225
TICK_S = 0.008
BYTES_A_SECOND = 960
INPUT_BYTES = 10
TRADE_MARK = b"DAMBORD OUTSIDE TEST BOARD"

CODES = {None: 0x00, "w": 0x01, "b": 0x04, "W": 0x07, "B": 0x0A}
BUS, IDLE, UPDATE, UPDATE_BOARD, UPDATE_NICE = "bus", "idle", "update", "update board", "update nice"
UPDATING = (UPDATE, UPDATE_BOARD, UPDATE_NICE)
MODES = {0x40: IDLE, 0x43: UPDATE, 0x44: UPDATE_BOARD, 0x4A: BUS, 0x4B: UPDATE_NICE}


class DgtBoard:
    """Fields 0.. row by row from Black's left-hand corner as White sees it. Methods may be called from any thread."""

    def __init__(self, path: Path, size: int, serial: int = 20417) -> None:
        self.path, self.size = path, size
        self._serial = serial
        self._world: list[str | None] = [None] * (size * size)
        self._lock = threading.Lock()
        self._master = self._slave = -1
        self._power_up()
        self._running = True
        self.plug()
        self._thread = threading.Thread(target=self._run, name=f"dgt {path.name}", daemon=True)
        self._thread.start()

    def put(self, field: int, piece: str | None) -> None:
        """A hand puts a piece (w b, W B for kings) on a field, or takes away what stands there."""
        with self._lock:
            self._world[field] = piece

    def pull(self) -> None:
        """Pull the cable: the port is gone."""
        with self._lock:
            self.path.unlink(missing_ok=True)
            for end in (self._master, self._slave):
                if end >= 0:
                    os.close(end)
            self._master = self._slave = -1

    def plug(self) -> None:
        """Put the cable back: the board has been without power and starts in bus mode."""
        with self._lock:
            self._power_up()
            self._master, self._slave = os.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            self.path.symlink_to(os.ttyname(self._slave))

    def close(self) -> None:
        """End the board."""
        self._running = False
        self._thread.join()
        self.pull()

    def _power_up(self) -> None:
        self._mode = BUS
        self._scanned = list(self._world)
        self._cursor = 0.0
        self._input: deque[int] = deque()
        self._wire = b""
        self._credit = 0.0

    def _run(self) -> None:
        then = monotonic()
        while self._running:
            with self._lock:
                master = self._master
            self._hear(master)
            now = monotonic()
            with self._lock:
                if self._master == master and master >= 0:
                    self._turn(now - then)
            then = now

    def _hear(self, master: int) -> None:
        """Wait for a tick; take what the host says meanwhile, as far as the input buffer reaches."""
        if master < 0:
            select.select([], [], [], TICK_S)
            return
        select.select([], [], [], TICK_S)
        with suppress(OSError):
            for byte in os.read(master, 256):
                if len(self._input) < INPUT_BYTES:
                    self._input.append(byte)

    def _turn(self, elapsed_s: float) -> None:
        self._scan(elapsed_s)
        if self._input:
            self._obey(self._input.popleft())
        self._credit = min(self._credit + elapsed_s * BYTES_A_SECOND, 64.0)
        ready = min(int(self._credit), len(self._wire))
        if ready:
            # A full terminal means that nobody listens; the wire does not wait.
            with suppress(OSError):
                os.write(self._master, self._wire[:ready])
            self._wire = self._wire[ready:]
            self._credit -= ready

    def _scan(self, elapsed_s: float) -> None:
        count = len(self._world)
        before, self._cursor = self._cursor, self._cursor + elapsed_s / SCAN_S * count
        for visit in range(int(before), min(int(self._cursor), int(before) + count)):
            field = visit % count
            if self._scanned[field] != self._world[field]:
                self._scanned[field] = self._world[field]
                if self._mode in UPDATING:
                    self._say(0x0E, bytes((field, CODES[self._world[field]])))

    def _obey(self, command: int) -> None:
        if command >= 0x80:
            return
        if command in (0x2B, 0x60):
            self._swallow(command)
            return
        if self._mode == BUS and 0x40 <= command < 0x60:
            self._mode = IDLE
        self._mode = MODES.get(command, self._mode)
        answer = self._answer(command)
        if answer is not None:
            self._say(*answer)

    def _swallow(self, command: int) -> None:
        size = self._input.popleft() if self._input else 0
        for _ in range(min(size, len(self._input))):
            self._input.popleft()
        if command == 0x2B:
            self._say(0x0D, bytes((0x0A, 0x10, 0, 0x0A, 0, 0, 0)))

    def _answer(self, command: int) -> tuple[int, bytes] | None:
        codes = bytes(CODES[piece] for piece in self._scanned)
        match command:
            case 0x41:
                return 0x0D, bytes((0, 0, 0, 0, 0, 0, 0x20))
            case 0x42:
                return 0x06, codes
            case 0x45:
                return 0x11, b"%05d" % self._serial
            case 0x46:
                return 0x10, bytes((self._serial >> 7 & 0x7F, self._serial & 0x7F))
            case 0x47:
                return 0x12, TRADE_MARK
            case 0x4C:
                return 0x20, bytes((88, 0x7F, 0x7F, 3, 12, 1, 0, 0, 2))
            case 0x4D:
                return 0x13, bytes((1, 8))
            case 0x50 | 0x52 if self.size == 10:
                first = 1 if command == 0x50 else 0
                rows = range(self.size)
                return 0x14 if first else 0x15, b"".join(
                    codes[10 * row + (row + first) % 2 : 10 * row + 10 : 2] for row in rows
                )
            case 0x55:
                return 0x22, b"%010d" % self._serial
        return None

    def _say(self, identifier: int, payload: bytes) -> None:
        total = len(payload) + 3
        self._wire += bytes((0x80 | identifier, total >> 7, total & 0x7F)) + payload
