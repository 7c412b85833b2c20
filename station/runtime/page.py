"""The page's worker in the shell: what boards show goes out, what is asked for on the page comes in."""

from __future__ import annotations

import concurrent.futures
import itertools
import threading
from collections.abc import Mapping

from station import status
from station.effects import Answer
from station.events import Requested
from station.runtime.loop import Loop, Outcome
from station.web import Feed


class PageWorker:
    """Gives the page what it shows, and the loop what the page asks for."""

    def __init__(self, loop: Loop, feed: Feed) -> None:
        self._loop, self._feed = loop, feed
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._asked: dict[str, concurrent.futures.Future[str | None]] = {}

    def hear(self, outcome: Outcome) -> None:
        """Publish a board's snapshot, and answer who asked."""
        for effect in outcome.effects:
            if isinstance(effect, Answer) and (future := self._answered(effect.request)) is not None:
                future.set_result(effect.error)
        self._feed.publish(outcome.board, status.snapshot(outcome.session), session=outcome.session)

    def ask(
        self, board: str, name: str, arguments: Mapping[str, str | int | bool]
    ) -> concurrent.futures.Future[str | None]:
        """Ask for something at a board; the future gives None, or why it was refused."""
        request = f"web:{next(self._numbers)}"
        future: concurrent.futures.Future[str | None] = concurrent.futures.Future()
        with self._lock:
            self._asked[request] = future
        self._loop.post(board, Requested(self._loop.clock.now_ms(), request, name, dict(arguments)))
        return future

    def _answered(self, request: str) -> concurrent.futures.Future[str | None] | None:
        with self._lock:
            return self._asked.pop(request, None)
