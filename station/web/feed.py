"""Carries the newest snapshot of each board from the station's loop to every page that listens."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
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

TICK_S = 0.05
"""What is published within so long after something was sent goes out together."""


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
    number: int = field(default=0, compare=False)
    """The how manieth it is on the feed."""
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


@dataclass(frozen=True, slots=True)
class Bundle:
    """What has changed since the change with a number; nothing when it was silent for long."""

    since: int
    upto: int
    changes: tuple[Change, ...]
    written: dict[str, bytes] = field(default_factory=dict, compare=False, repr=False)
    """As it is sent to displays of each language, made once for all that get it at the same moment."""


class Feed:
    """Keeps the newest of each topic and board. `publish` may be called from any thread."""

    def __init__(self, heartbeat_s: float = 15.0) -> None:
        self._heartbeat_s = heartbeat_s
        self._lock = threading.Lock()
        self._latest: dict[tuple[str, str], Change] = {}
        self._number = 0
        self._halls: dict[asyncio.AbstractEventLoop, _Hall] = {}

    def publish(self, board: str, data: Mapping[str, Any], topic: str = BOARD, session: Session | None = None) -> None:
        """Make a snapshot the newest of its board and wake those who listen; never waits, says nothing twice.

        With the session it was made of, displays are told in their own languages.
        """
        key = (topic, board)
        with self._lock:
            change = Change(topic, board, data, session=session, number=self._number + 1)
            if self._latest.get(key) == change:
                return
            self._latest[key], self._number = change, change.number
            for hall in self._halls.values():
                hall.call()

    def latest(self, topic: str = BOARD) -> dict[str, Mapping[str, Any]]:
        """The newest snapshot of every board."""
        with self._lock:
            return {board: change.data for (of, board), change in self._latest.items() if of == topic}

    def since(self, number: int) -> Bundle:
        """The newest of what has changed after the change with a number."""
        with self._lock:
            changes = tuple(change for change in self._latest.values() if change.number > number)
            return Bundle(number, self._number, changes)

    async def changes(self) -> AsyncGenerator[Bundle, None]:
        """All there is, then what changes; who is slow gets only the newest. Empty after `heartbeat_s` of silence.

        Ends when the feed hangs up.
        """
        hall = self._enter(asyncio.get_running_loop())
        try:
            bundle = self.since(0)
            while not hall.is_over:
                yield bundle
                bundle = await hall.after(bundle.upto)
        finally:
            self._leave(hall)

    def hang_up(self) -> None:
        """End the iteration of all who listen now; others may listen later."""
        with self._lock:
            for hall in self._halls.values():
                hall.close()
            self._halls.clear()

    @property
    def listeners(self) -> int:
        """How many listen now."""
        with self._lock:
            return sum(hall.listeners for hall in self._halls.values())

    def _enter(self, loop: asyncio.AbstractEventLoop) -> _Hall:
        with self._lock:
            if loop not in self._halls:
                self._halls[loop] = _Hall(loop, self.since, self._number, self._heartbeat_s)
            self._halls[loop].listeners += 1
            return self._halls[loop]

    def _leave(self, hall: _Hall) -> None:
        with self._lock:
            hall.listeners -= 1
            if not hall.listeners and self._halls.get(hall.loop) is hall:
                del self._halls[hall.loop]
                hall.close()


class _Hall:
    """Those who listen in one event loop: they are told together, so that it is worked out and written once.

    `call` and `close` may be called from any thread; the rest belongs to the loop.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, since: Callable[[int], Bundle], number: int, heartbeat_s: float
    ) -> None:
        self.loop, self._since, self._heartbeat_s = loop, since, heartbeat_s
        self.listeners = 0
        self.is_over = False
        self._is_called = False
        self._news = asyncio.Event()
        self._told, self._told_s = Bundle(number, number, ()), loop.time() - TICK_S
        self._silence = loop.call_later(heartbeat_s, self._break_silence)

    def call(self) -> None:
        """Have all told of what is new: at once, or a tick after they were told last."""
        if not self._is_called:
            self._is_called = True
            self._soon(self._come)

    def close(self) -> None:
        """Tell those who listen that it is over."""
        self.is_over = True
        self._soon(self._end)

    async def after(self, number: int) -> Bundle:
        """What has changed after the change with a number, as soon as there is something."""
        if number >= self._told.upto and not self.is_over:
            await self._news.wait()
        return self._told if self._told.since == number else self._since(number)

    def _soon(self, act: Callable[[], None]) -> None:
        # A loop that has just been closed has nobody left to wake.
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(act)

    def _come(self) -> None:
        self.loop.call_at(self._told_s + TICK_S, self._tell_news)

    def _tell_news(self) -> None:
        # What is published from here on calls again, and may be in this bundle already.
        self._is_called = False
        bundle = self._since(self._told.upto)
        if bundle.changes and not self.is_over:
            self._tell(bundle)

    def _break_silence(self) -> None:
        self._tell(Bundle(self._told.upto, self._told.upto, ()))

    def _tell(self, bundle: Bundle) -> None:
        self._silence.cancel()
        self._silence = self.loop.call_later(self._heartbeat_s, self._break_silence)
        self._told, self._told_s = bundle, self.loop.time()
        self._news.set()
        self._news = asyncio.Event()

    def _end(self) -> None:
        self._silence.cancel()
        self._news.set()
