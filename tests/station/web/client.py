"""An HTTP client that calls the page's application directly, one request a loop."""

from __future__ import annotations

import asyncio
from functools import partialmethod

import httpx


class Client:
    """Requests to `app` under the name `base_url`; the answer is an `httpx.Response`."""

    def __init__(self, app, base_url):
        self._app, self._base_url = app, base_url

    def request(self, method, path, **options):
        return asyncio.run(self._send(method, path, options))

    get = partialmethod(request, "GET")
    post = partialmethod(request, "POST")
    delete = partialmethod(request, "DELETE")

    async def _send(self, method, path, options):
        transport = httpx.ASGITransport(self._app)
        async with httpx.AsyncClient(transport=transport, base_url=self._base_url) as client:
            return await client.request(method, path, **options)
