"""Which DGT-compatible boards (unofficial) are on a line: everybody is pinged until nobody new answers."""

from __future__ import annotations

from collections import deque

from firmware_bridge.dgt_bus_frames import EVERYBODY, Ask, request
from firmware_bridge.dgt_bus_turns import EVERYBODY_MS, FIRST_BYTE_MS, SLACK_MS
from firmware_bridge.dgt_schedule import ASK_MS, OPEN_MS


class Roll:
    """Calls the roll of a line. Answers may collide, so those that are known are told to leave out the next ping."""

    def __init__(self) -> None:
        self.found: tuple[int, ...] = ()
        """The addresses that have answered so far."""
        self.is_complete = False
        """Whether the last ping brought nobody new."""
        self._hush: deque[int] = deque()
        self._due_ms: int | None = None
        self._is_new = False
        self._is_listening = False

    def open(self, now_ms: int) -> None:
        """The port has been opened: begins when the boards can hear."""
        self._begin(now_ms + OPEN_MS)

    def heard(self, address: int, now_ms: int) -> None:
        """A board has answered a ping."""
        if address not in self.found:
            self.found = (*self.found, address)
            self._is_new = True
        if not self._is_listening:
            self._due_ms = now_ms

    def sent(self, now_ms: int) -> None:
        """The request has gone out only now: others had their turn before."""
        if self._due_ms is not None:
            self._due_ms = now_ms + (EVERYBODY_MS if self._is_listening else FIRST_BYTE_MS) + SLACK_MS

    def due(self, now_ms: int) -> bytes:
        """What is to be sent now, if anything."""
        if self._due_ms is None or now_ms < self._due_ms:
            return b""
        if self._is_listening:
            self._end_round(now_ms)
            return b""
        if self._hush:
            self._due_ms = now_ms + FIRST_BYTE_MS + SLACK_MS
            return request(Ask.IGNORE_PING, self._hush.popleft())
        self._is_listening, self._is_new = True, False
        self._due_ms = now_ms + EVERYBODY_MS + SLACK_MS
        return request(Ask.PING, EVERYBODY)

    def deadline_ms(self) -> int | None:
        """When something is due, None while asleep."""
        return self._due_ms

    def _end_round(self, now_ms: int) -> None:
        self._is_listening = False
        if self._is_new:
            self._hush = deque(self.found)
            self._due_ms = now_ms + 1
            return
        self.is_complete = bool(self.found)
        if not self.found:
            self._begin(now_ms + ASK_MS - EVERYBODY_MS)
        else:
            self._due_ms = None

    def _begin(self, at_ms: int) -> None:
        self.found, self.is_complete = (), False
        self._hush.clear()
        self._is_listening = self._is_new = False
        self._due_ms = at_ms
