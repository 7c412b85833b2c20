"""An HTTP client that calls the page's application directly, one request a loop, as the page calls it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partialmethod

import httpx

OWN = {"X-Dambord": "1", "Content-Type": "application/json"}


def run(coroutine):
    """What a coroutine gives; in a thread of its own, for a browser of other tests may have a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


class Client:
    """Requests to `app` under the name `base_url`, from an address; the answer is an `httpx.Response`."""

    def __init__(self, app, base_url, address="127.0.0.1", headers=OWN):
        self._app, self._base_url, self._address, self._headers = app, base_url, address, headers

    def request(self, method, path, **options):
        return run(self._send(method, path, options))

    get = partialmethod(request, "GET")
    post = partialmethod(request, "POST")
    delete = partialmethod(request, "DELETE")

    async def _send(self, method, path, options):
        transport = httpx.ASGITransport(self._app, client=(self._address, 40_000))
        more = {"transport": transport, "base_url": self._base_url, "headers": self._headers}
        async with httpx.AsyncClient(**more) as client:
            return await client.request(method, path, **options)
