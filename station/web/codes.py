"""Codes to scan: a board to follow on a phone, and its game to take home."""

from __future__ import annotations

import io
import ipaddress
import socket
from urllib.parse import quote

import segno
from starlette.requests import Request

WHAT = ("follow", "game")
_ELSEWHERE = {"0.0.0.0": ("192.0.2.1", socket.AF_INET), "::": ("2001:db8::1", socket.AF_INET6)}
"""Addresses for documentation: nothing is sent there, but the system says which of its own it would send from."""


def address_for(request: Request, stated: str, host: str) -> str:
    """The address by which others open the page, with a slash at its end; empty when only this machine can.

    `stated` is the configuration's, `host` what the page is served on. Else it is how this request calls the page, or
    where that is a name of this machine alone, its address on the network.
    """
    if stated:
        return stated.rstrip("/") + "/"
    called = request.url.hostname or ""
    if not _is_local(called):
        return f"{request.url.scheme}://{request.url.netloc}/"
    own = own_address(host)
    port = (request.scope.get("server") or ("", 80))[1]
    return f"http://{f'[{own}]' if ':' in own else own}:{port}/" if own else ""


def own_address(host: str) -> str:
    """The address of this machine on the network on which a host is served; empty for none."""
    if host not in _ELSEWHERE:
        return "" if _is_local(host) else host
    target, family = _ELSEWHERE[host]
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((target, 9))
        except OSError:
            return ""
        own = str(probe.getsockname()[0])
    return "" if _is_local(own) else own


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in ("", "localhost")


def link(address: str, board: str, what: str) -> str:
    """What a code of `WHAT` leads to."""
    return f"{address}#{quote(board)}" if what == "follow" else f"{address}boards/{quote(board)}/game.pdn"


def svg(text: str) -> bytes:
    """A text as a QR code, dark on light whatever the page's colours are: that is what phones read best."""
    out = io.BytesIO()
    segno.make(text, micro=False, error="m").save(
        out,
        kind="svg",
        svgclass=None,
        lineclass=None,
        scale=8,
        border=4,
        dark="#000",
        light="#fff",
        xmldecl=False,
        omitsize=True,
    )
    return out.getvalue()
