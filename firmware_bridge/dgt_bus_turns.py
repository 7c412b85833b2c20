"""Whose turn it is on a line that several boards share: one request at a time, first come, first served."""

from __future__ import annotations

from collections import deque

from firmware_bridge.dgt_bus_frames import ANSWERS, EVERYBODY, Ask, BusParser

FIRST_BYTE_MS = 100
"""A board that has not begun to answer after so long does not: 20 ms while it writes its memory, and the adapter's."""
LONG_FIRST_BYTE_MS = 250
"""The same where the answer may be long: an adapter may hand on 128 bytes in one piece, which takes 133 ms."""
GAP_MS = 150
"""An answer that gets no byte for so long has ended."""
LONGEST_MS, LONGEST_CHANGES_MS = 600, 10_000
"""An answer takes no longer than this, whatever else comes; a whole memory of changes takes 8 s."""
EVERYBODY_MS = 1200
"""Answers to a ping to everybody come within 1.1 s."""

SLACK_MS = 30
"""A turn ends so long before its owner gives up waiting: nobody speaks into the next one's."""


class Turns:
    """Requests of several members in their order; what comes back is for all of them to read."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._asked: bytes | None = None
        """The request whose answer the line is kept free for."""
        self._sent_ms = 0
        self._byte_ms: int | None = None
        self._parser = BusParser()

    def ask(self, member: int, request: bytes) -> None:
        """A member wants to say something, after those that asked before."""
        self._waiting.append((member, request))

    def leave(self, member: int) -> None:
        """A member has gone: what it still wanted is not sent."""
        self._waiting = deque(item for item in self._waiting if item[0] != member)

    def hear(self, data: bytes, now_ms: int) -> None:
        """Bytes have come; a turn ends with its answer."""
        self._byte_ms = now_ms
        for answer in self._parser.receive(data, now_ms):
            asked = self._asked
            if asked is None or _address(asked) == EVERYBODY or _address(asked) != answer.address:
                continue
            if ANSWERS.get(Ask(asked[0])) == answer.tell:
                self._asked = None

    def due(self, now_ms: int) -> tuple[int, bytes] | None:
        """The member whose turn begins now, and what it says; None while the line is taken, or nobody waits."""
        ends_ms = self._ends_ms()
        if not self._waiting or (ends_ms is not None and now_ms < ends_ms):
            return None
        member, request = self._waiting.popleft()
        self._asked = request if len(request) == 4 and request[0] in _ASKS else None
        self._sent_ms, self._byte_ms = now_ms, None
        self._parser.reset()
        return member, request

    def deadline_ms(self) -> int | None:
        """When a turn ends by itself that others wait for."""
        return self._ends_ms() if self._waiting else None

    def _ends_ms(self) -> int | None:
        if self._asked is None:
            return None
        if _address(self._asked) == EVERYBODY:
            return self._sent_ms + EVERYBODY_MS
        return given_up_ms(Ask(self._asked[0]), self._sent_ms, self._byte_ms)


def given_up_ms(ask: Ask, sent_ms: int, byte_ms: int | None) -> int:
    """When an answer is given up whose question was sent then, and which got its last byte at another time."""
    first_ms = FIRST_BYTE_MS if ask in (Ask.PING, Ask.IGNORE_PING, Ask.VERSION, Ask.CLOCK) else LONG_FIRST_BYTE_MS
    longest_ms = LONGEST_CHANGES_MS if ask in (Ask.CHANGES, Ask.REPEAT) else LONGEST_MS
    return min(sent_ms + first_ms if byte_ms is None else byte_ms + GAP_MS, sent_ms + longest_ms)


def _address(request: bytes) -> int:
    return request[1] << 7 | request[2]


_ASKS = frozenset(int(ask) for ask in Ask)
