"""Server-sent events: a feed's changes on a connection that stays open."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from station.texts import Texts
from station.web.feed import BOARD, Bundle, Change, Feed

RETRY_MS = 1000
"""How long a page waits before it connects again."""


class EventStream(Response):
    """Sends `hello`, all there is, then each change; a heartbeat in silence. Ends when the client or the feed does."""

    media_type = "text/event-stream"

    def __init__(
        self,
        feed: Feed,
        hello: Mapping[str, Any],
        inside: AbstractAsyncContextManager[None],
        texts: Texts,
    ) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._feed, self._hello, self._inside, self._texts = feed, hello, inside, texts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until one end is gone."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        sending = asyncio.create_task(self._send_all(send))
        leaving = asyncio.create_task(_until_gone(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            sending.cancel()
            leaving.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send_all(self, send: Send) -> None:
        first = f"retry: {RETRY_MS}\n".encode() + event("hello", self._hello)
        await send({"type": "http.response.body", "body": first, "more_body": True})
        async with self._inside, aclosing(self._feed.changes()) as bundles:
            async for bundle in bundles:
                await send({"type": "http.response.body", "body": written(bundle, self._texts), "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def written(bundle: Bundle, texts: Texts) -> bytes:
    """The events of a bundle, made once for all who get it; a heartbeat for silence."""
    if texts.language not in bundle.written:
        events = b"".join(event_of(change, texts) for change in bundle.changes)
        bundle.written[texts.language] = events or b": heartbeat\n" + event("alive", {})
    return bundle.written[texts.language]


def event_of(change: Change, texts: Texts) -> bytes:
    """A change as one event: `board` with its snapshot and how old that is, `world` with cells, lamps and cable."""
    if change.topic == BOARD:
        said = msgspec.Raw(change.said_in(texts))
        return event(BOARD, {"board": change.board, "age_ms": change.age_ms, "snapshot": said})
    return event(change.topic, {"board": change.board, **change.data})


def event(name: str, data: Mapping[str, Any]) -> bytes:
    """One server-sent event with JSON data."""
    return b"event: " + name.encode() + b"\ndata: " + msgspec.json.encode(data) + b"\n\n"
