"""A serial port at which several boards are: one opens it for all, each speaks in its turn, all hear what comes."""

from __future__ import annotations

import os
import threading
from collections import deque

from firmware_bridge.errors import PortLost
from firmware_bridge.serial_port import SerialPort
from station.ports import LineTurns
from station.runtime.clock import Clock

READ_MS = 20
"""How long the line's thread waits for bytes before it looks whether a turn has ended."""
TURN_S = 12.0
"""A line on which nobody comes to his turn for so long is stuck."""


class SharedLines:
    """The ports that several boards of this station use, each open once; used by all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: dict[str, _Line] = {}

    def open(self, path: str, baud: int, turns: type[LineTurns]) -> SharedPort:
        """A board's end of a line; PortLost when it cannot be opened."""
        name = os.path.realpath(path)
        with self._lock:
            line = self._lines.get(name)
            if line is None or line.is_over:
                line = self._lines[name] = _Line(SerialPort(path, baud), turns())
            return SharedPort(path, line)


class SharedPort:
    """One board's end of a line that others use too; every failure is a PortLost, for all of them."""

    def __init__(self, path: str, line: _Line) -> None:
        self.path = path
        self._line = line
        self._member = line.join()

    def read(self, wait_ms: int = 50) -> bytes:
        """The bytes that have come since the last time, after waiting at most so long for the first one."""
        return self._line.read(self._member, wait_ms)

    def write(self, data: bytes) -> None:
        """Sends all of these bytes, after waiting until it is this board's turn."""
        if data:
            self._line.write(self._member, data)

    def close(self) -> None:
        """Leaves the line; the last one gives the port back. Never fails."""
        self._line.leave(self._member)


class _Line:
    """An open port, whose turn it is there, and what each member has not read yet."""

    def __init__(self, port: SerialPort, turns: LineTurns) -> None:
        self._port, self._turns = port, turns
        self._clock = Clock()
        self._news = threading.Condition()
        self._unread: dict[int, deque[bytes]] = {}
        self._waiting: set[int] = set()
        self._next = 0
        self._lost: PortLost | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_over(self) -> bool:
        """Whether nobody can join any more: the port is lost, or was given back."""
        with self._news:
            return self._lost is not None or (self._next > 0 and not self._unread)

    def join(self) -> int:
        """One more board is at the line; its number."""
        with self._news:
            member, self._next = self._next, self._next + 1
            self._unread[member] = deque()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=f"line {self._port.path}", daemon=True)
                self._thread.start()
            return member

    def leave(self, member: int) -> None:
        """A board has gone; its last one closes the port."""
        with self._news:
            self._unread.pop(member, None)
            self._turns.leave(member)
            self._waiting.discard(member)
            self._news.notify_all()
            is_last = not self._unread
        if is_last and self._thread is not None:
            self._thread.join()

    def read(self, member: int, wait_ms: int) -> bytes:
        """What has come for a member."""
        with self._news:
            self._news.wait_for(lambda: self._lost is not None or bool(self._unread[member]), wait_ms / 1000)
            unread = self._unread[member]
            data = b"".join(unread)
            unread.clear()
            if not data:
                self._check()
            return data

    def write(self, member: int, data: bytes) -> None:
        """Sends what a member says, in its turn."""
        with self._news:
            self._check()
            self._waiting.add(member)
            self._turns.ask(member, data)
            self._advance()
            if not self._news.wait_for(lambda: self._lost is not None or member not in self._waiting, TURN_S):
                self._lost = PortLost(self._port.path, "nobody came to his turn on this line")
            self._check()

    def _check(self) -> None:
        if self._lost is not None:
            raise PortLost(self._lost.port, self._lost.reason, self._lost.number)

    def _run(self) -> None:
        """Reads for everybody, until nobody is left or the port is lost."""
        try:
            while self._goes_on():
                data = self._port.read(self._wait_ms())
                with self._news:
                    self._hear(data)
                    self._advance()
        except PortLost as lost:
            with self._news:
                self._lost = lost
                self._news.notify_all()
        finally:
            self._port.close()

    def _goes_on(self) -> bool:
        with self._news:
            return bool(self._unread) and self._lost is None

    def _wait_ms(self) -> int:
        with self._news:
            due_ms = self._turns.deadline_ms()
        return READ_MS if due_ms is None else max(1, min(READ_MS, due_ms - self._clock.now_ms()))

    def _hear(self, data: bytes) -> None:
        if data:
            self._turns.hear(data, self._clock.now_ms())
            for unread in self._unread.values():
                unread.append(data)
            self._news.notify_all()

    def _advance(self) -> None:
        """Sends what is due; PortLost where that is not possible any more, for everybody."""
        while (due := self._turns.due(self._clock.now_ms())) is not None:
            member, data = due
            try:
                self._port.write(data)
            except PortLost as lost:
                self._lost = lost
                self._news.notify_all()
                raise
            self._waiting.discard(member)
            self._news.notify_all()
