"""DGT-compatible draughts boards in bus mode at one pseudo-terminal, written from the protocol's description alone.

Every board hears every command and obeys those with its address. What a board says takes the line for as long as its
bytes need at 9600 baud; two that speak at once are both not understood.
"""

from __future__ import annotations

import os
import random
import select
import threading
import tty
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

SCAN_S = 0.22
TICK_S = 0.005
ANSWER_S = 0.004
BYTE_S = 1 / 960
PING_S = 1.1
CODES = {None: 0x00, "w": 0x01, "b": 0x04, "W": 0x07, "B": 0x0A}
PING, HUSH, LEAVE, RESET = 0x87, 0x8A, 0x88, 0x89
NO_CLOCK = bytes((0, 0, 0, 0, 0, 0, 0x20))


@dataclass
class BusBoard:
    """One board: fields 0.. row by row from Black's left-hand corner as White sees it."""

    path: Path
    size: int
    number: int
    lock: threading.Lock
    world: list[str | None] = field(default_factory=list)
    scanned: list[str | None] = field(default_factory=list)
    stored: bytes = b""
    told: bytes = b""
    is_hushed: bool = False
    has_power: bool = True
    wakes_s: float = 0.0
    asked: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.world = [None] * self.size**2
        self.scanned = [None] * self.size**2

    def put(self, at: int, piece: str | None) -> None:
        """A hand puts a piece (w b, W B for kings) on a field, or takes away what stands there."""
        with self.lock:
            self.world[at] = piece

    def switch_off(self) -> None:
        """Its power is gone; the line is not."""
        with self.lock:
            self.has_power = False

    def switch_on(self) -> None:
        """It starts, and lists what stands on it."""
        with self.lock:
            self.has_power, self.wakes_s = True, monotonic() + 0.6
            self.scanned = list(self.world)
            self.told, self.is_hushed = b"", False
            pieces = ((at, CODES[piece]) for at, piece in enumerate(self.world) if piece)
            self.stored = b"\x6a" + b"".join(bytes((0x40 + code, at)) for at, code in pieces)

    def visit(self, at: int) -> None:
        """The scan comes to a field."""
        if self.has_power and self.scanned[at] != self.world[at]:
            self.scanned[at] = self.world[at]
            self.stored += bytes((0x40 + CODES[self.world[at]], at))

    def answer(self, command: int) -> tuple[int, bytes] | None:
        """Kind and data of what is said to a command."""
        self.asked.append(command)
        match command:
            case 0x81:
                return 0x84, NO_CLOCK
            case 0x82:
                return 0x83, bytes(CODES[piece] for piece in self.scanned)
            case 0x83:
                self.told, self.stored = self.stored, b""
                return 0x85, self.told
            case 0x84:
                return 0x85, self.told
            case 0x87:
                return PING, b""
            case 0x8A:
                self.is_hushed = True
                return PING, b""
            case 0x8B:
                return 0x89, b"\x01\x07"
        return None

    def packed(self, kind: int, data: bytes) -> bytes:
        """What goes over the line."""
        size = 6 + len(data)
        start = bytes((kind, size >> 7, size & 127, self.number >> 7, self.number & 127)) + data
        return start + bytes((sum(start) & 127,))


class DgtBus:
    """A line with boards; methods may be called from any thread."""

    def __init__(self, path: Path, boards: dict[int, int], seed: int = 1) -> None:
        """`boards`: the size of each by its number."""
        self.path = path
        self._lock = threading.Lock()
        self.boards = {number: BusBoard(path, size, number, self._lock) for number, size in boards.items()}
        self._chance = random.Random(seed)
        self._half = bytearray()
        self._says: deque[tuple[float, float, bytes]] = deque()
        """From when, until when, and what."""
        self.spoilt = 0
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        path.symlink_to(os.ttyname(self._slave))
        self._running = True
        self._thread = threading.Thread(target=self._run, name=f"bus {path.name}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the boards and their line."""
        self._running = False
        self._thread.join()
        self.path.unlink(missing_ok=True)
        os.close(self._master)
        os.close(self._slave)

    def _run(self) -> None:
        then = monotonic()
        while self._running:
            select.select([self._master], [], [], TICK_S)
            now = monotonic()
            with self._lock:
                self._hear(now)
                self._scan(then, now)
                self._speak(now)
            then = now

    def _hear(self, now: float) -> None:
        with suppress(OSError):
            for byte in os.read(self._master, 256):
                if byte >= 0x80:
                    self._half.clear()
                if byte >= 0x80 or self._half:
                    self._half.append(byte)
                if len(self._half) == 4:
                    command, high, low, check = self._half
                    self._half.clear()
                    if (command + high + low) & 127 == check:
                        self._obey(command, high << 7 | low, now)

    def _obey(self, command: int, number: int, now: float) -> None:
        for board in self.boards.values():
            if not board.has_power or now < board.wakes_s or number not in (0, board.number):
                continue
            if number == 0 and command == PING:
                if not board.is_hushed:
                    self._say(board.packed(PING, b""), now + self._chance.uniform(0, PING_S))
                board.is_hushed = False
            elif number:
                told = board.answer(command)
                if told is not None:
                    self._say(board.packed(*told), now + ANSWER_S)

    def _say(self, message: bytes, at: float) -> None:
        end = at + len(message) * BYTE_S
        clash = [item for item in self._says if item[0] < end and at < item[1]]
        if clash:
            self.spoilt += 1
            message = bytes(self._chance.randrange(256) for _ in message)
            for item in clash:
                self._says.remove(item)
        self._says.append((at, end, message))

    def _scan(self, then: float, now: float) -> None:
        for board in self.boards.values():
            count = len(board.world)
            first, last = int(then / SCAN_S * count), int(now / SCAN_S * count)
            for visit in range(first, min(last, first + count)):
                board.visit(visit % count)

    def _speak(self, now: float) -> None:
        for item in [item for item in self._says if item[1] <= now]:
            self._says.remove(item)
            # A full terminal means that nobody listens; the wire does not wait.
            with suppress(OSError):
                os.write(self._master, item[2])
