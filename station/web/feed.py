"""Carries the newest snapshot of each board from the station's loop to every page that listens."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

import msgspec

from station.state import Session
from station.status import snapshot
from station.texts import Texts

BOARD = "board"
"""Topic of what the station believes of a board."""

WORLD = "world"
"""Topic of what stands on a simulated board, whatever the sensors say."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is new on a topic of a board; `data` is plain and never changed afterwards."""

    topic: str
    board: str
    data: Mapping[str, Any]
    at_s: float = field(default_factory=monotonic, compare=False)
    """When it was published, by the monotonic clock."""
    session: Session | None = field(default=None, compare=False, repr=False)
    """What a board's snapshot was made of."""
    _said: dict[str, bytes] = field(default_factory=dict, compare=False, repr=False)

    @property
    def age_ms(self) -> int:
        """How long ago it was published."""
        return round(1000 * (monotonic() - self.at_s))

    def said_in(self, texts: Texts) -> bytes:
        """The data as JSON in the words of a language, made once for all displays that use it.

        Without a session the words are as they are.
        """
        if texts.language not in self._said:
            told = self.session
            data = self.data if told is None or told.texts == texts else snapshot(replace(told, texts=texts))
            self._said[texts.language] = msgspec.json.encode(data)
        return self._said[texts.language]


class Feed:
    """A mailbox for each topic and board in which the newest wins. `publish` may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: dict[tuple[str, str], Change] = {}
        self._listeners: set[_Listener] = set()

    def publish(self, board: str, data: Mapping[str, Any], topic: str = BOARD, session: Session | None = None) -> None:
        """Make a snapshot the newest of its board and wake those who listen; never waits, says nothing twice.

        With the session it was made of, displays are told in their own languages.
        """
        key = (topic, board)
        change = Change(topic, board, data, session=session)
        with self._lock:
            if self._latest.get(key) == change:
                return
            self._latest[key] = change
            for listener in self._listeners:
                listener.put(key, change)

    def latest(self, topic: str = BOARD) -> dict[str, Mapping[str, Any]]:
        """The newest snapshot of every board."""
        with self._lock:
            return {board: change.data for (of, board), change in self._latest.items() if of == topic}

    async def changes(self, heartbeat_s: float = 15.0) -> AsyncGenerator[tuple[Change, ...], None]:
        """All there is, then what changes; who is slow gets only the newest. Empty after `heartbeat_s` of silence.

        Ends when the feed hangs up.
        """
        listener = _Listener(asyncio.get_running_loop())
        with self._lock:
            for key, change in self._latest.items():
                listener.put(key, change)
            self._listeners.add(listener)
        try:
            while not listener.is_over:
                with suppress(TimeoutError):
                    async with asyncio.timeout(heartbeat_s):
                        await listener.news.wait()
                with self._lock:
                    changes = listener.take()
                if not listener.is_over:
                    yield changes
        finally:
            with self._lock:
                self._listeners.discard(listener)

    def hang_up(self) -> None:
        """End the iteration of all who listen now; others may listen later."""
        with self._lock:
            for listener in self._listeners:
                listener.end()

    @property
    def listeners(self) -> int:
        """How many listen now."""
        with self._lock:
            return len(self._listeners)


class _Listener:
    """What waits for one client; touched only under the feed's lock, but for `news`, which belongs to its loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.news = asyncio.Event()
        self.is_over = False
        self._loop = loop
        self._waiting: dict[tuple[str, str], Change] = {}

    def put(self, key: tuple[str, str], change: Change) -> None:
        is_first = not self._waiting
        self._waiting[key] = change
        if is_first:
            self._wake()

    def take(self) -> tuple[Change, ...]:
        changes = tuple(self._waiting.values())
        self._waiting.clear()
        self.news.clear()
        return changes

    def end(self) -> None:
        self.is_over = True
        self._wake()

    def _wake(self) -> None:
        # A loop that has just been closed has nobody left to wake.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.news.set)
