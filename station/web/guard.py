"""Keeps strangers out: what is not asked by the station's own page, or too often, is refused before it is read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from time import monotonic
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from station.rates import Rate
from station.web.rights import COOKIE, Caller, Rights, caller

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
OWN_HEADER = "X-Dambord"
"""Every request that changes something carries it: no form of another page can, and its scripts may not."""
SIGN_IN = "/sign-in"
READS = Rate(per_s=50, burst=600)
WRITES = Rate(per_s=100, burst=600)
ALL_WRITES = Rate(per_s=300, burst=2000)
STREAM = "/events"
MOST_PLACES = 1000
_HALT = re.compile(r"/boards/[^/]+/halt")
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is answered: from one place, and in all."""

    reads: Rate = READS
    writes: Rate = WRITES
    all_writes: Rate = ALL_WRITES
    streams: int = 64
    all_streams: int = 256


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer in place of the page's."""

    status: int
    error: str
    headers: Mapping[str, str] | None = None


class Guard:
    """Lets through requests to a known host name or to the very address they came in on, from no foreign page.

    A name that a stranger points at this machine (DNS rebinding) is neither. Without `rights` everybody may act.
    The state of a request that goes through tells who calls (`caller`), the token, and whether that one `may_act`.
    """

    def __init__(
        self,
        app: ASGIApp,
        allowed_hosts: Collection[str] = (),
        rights: Rights | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in (*allowed_hosts, *LOCAL))
        self._rights = rights or Rights(is_open=True)
        self._limits = limits or Limits()
        self._reads: dict[str, Rate] = {}
        self._writes: dict[str, Rate] = {}
        self._all_writes = self._limits.all_writes
        self._streams: Counter[str] = Counter()

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

        headers, now_s = Headers(scope=scope), monotonic()
        who = caller((scope.get("client") or (None,))[0], (scope.get("server") or (None,))[0])
        token = _token(headers)
        may_act = self._rights.may_act(who, token, now_s)
        refusal = self._refusal(scope, headers) or self._too_often(scope, who, now_s)
        if refusal is None and not may_act and not _is_for_everybody(scope):
            refusal = watchers_only(self._rights)
        if refusal is not None:
            body = {"ok": False, "error": refusal.error}
            answer = JSONResponse(body, status_code=refusal.status, headers=refusal.headers)
            await answer(scope, receive, send_with_headers)
            return
        scope.setdefault("state", {}).update(caller=who, token=token, may_act=may_act)
        is_stream = scope["path"] == STREAM
        self._streams[who.place] += is_stream
        try:
            await self._app(scope, receive, send_with_headers)
        finally:
            self._streams[who.place] -= is_stream
            if not self._streams[who.place]:
                del self._streams[who.place]

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        """What is wrong with whom a request is sent to and who has sent it."""
        host = headers.get("host", "")
        name = _name_of(f"//{host}")
        arrived_at = scope.get("server") or ("",)
        if name is None or (name not in self._hosts and name != arrived_at[0]):
            return Refusal(421, f"host {host!r} is not served here; the station's configuration can allow it")
        if scope["method"] in _SAFE_METHODS:
            return None
        origin = headers.get("origin")
        if origin is not None and _netloc_of(origin) != host.lower():
            return Refusal(403, f"origin {origin!r} is another page; only the station's own page may ask for things")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return Refusal(403, "the request comes from another page; only the station's own page may ask for things")
        if OWN_HEADER not in headers:
            return Refusal(
                403, f"found no header {OWN_HEADER}, expected {OWN_HEADER}: 1, as the station's own page sends"
            )
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return Refusal(415, f"Content-Type {kind!r}: expected application/json")
        return None

    def _too_often(self, scope: Scope, who: Caller, now_s: float) -> Refusal | None:
        """Counts a request; refuses one that is too many."""
        if scope["path"] == STREAM and (
            self._streams[who.place] >= self._limits.streams or self._streams.total() >= self._limits.all_streams
        ):
            return Refusal(503, "too many pages are open; close one", {"Retry-After": "10"})
        is_read = scope["method"] in _SAFE_METHODS
        counted = self._reads if is_read else self._writes
        fresh = self._limits.reads if is_read else self._limits.writes
        mine = counted.get(who.place, fresh).once(now_s)
        everybody = self._all_writes if is_read else self._all_writes.once(now_s)
        if mine is None or everybody is None:
            return Refusal(429, "too many requests; wait a second", {"Retry-After": "1"})
        if who.place not in counted and len(counted) >= MOST_PLACES:
            for place in [place for place, rate in counted.items() if rate.is_idle(now_s)]:
                del counted[place]
        counted[who.place] = mine
        self._all_writes = everybody
        return None


def _is_for_everybody(scope: Scope) -> bool:
    """Whether a request is for those who may only watch too: whoever sees an arm do harm can stop it."""
    is_open = scope["method"] in _SAFE_METHODS or scope["path"] == SIGN_IN
    return is_open or bool(_HALT.fullmatch(scope["path"]))


def watchers_only(rights: Rights) -> Refusal:
    """What is said to who may only watch."""
    if rights.pin:
        return Refusal(401, "only people at the table and who has the PIN may do this: sign in first")
    return Refusal(403, "only people at the station's own screen may do this; pin_file in [web] sets a PIN for others")


def _token(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _netloc_of(address: str) -> str | None:
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return None


def _name_of(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
