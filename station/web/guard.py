"""Keeps strangers out: hosts and origins that are not ours are refused, and every answer carries strict headers."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""What every answer carries; the page needs no inline script or style and fetches nothing from elsewhere."""

LOCAL = ("localhost", "127.0.0.1", "::1")
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class Guard:
    """Lets through requests to a known host name or to the very address they came in on, from no foreign page.

    A name that a stranger points at this machine (DNS rebinding) is neither.
    """

    def __init__(self, app: ASGIApp, allowed_hosts: Collection[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in (*allowed_hosts, *LOCAL))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        answer: ASGIApp = self._app
        if refusal is not None:
            answer = JSONResponse({"ok": False, "error": refusal[1]}, status_code=refusal[0])
        await answer(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        name = _name_of(f"//{host}")
        arrived_at = scope.get("server") or ("",)
        if name is None or (name not in self._hosts and name != arrived_at[0]):
            return 421, f"host {host!r} is not served here; the station's configuration can allow it"
        if scope["method"] in _SAFE_METHODS:
            return None
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return 403, f"origin {origin!r} is another page; only the station's own page may ask for things"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "the request comes from another page; only the station's own page may ask for things"
        return None


def _name_of(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
