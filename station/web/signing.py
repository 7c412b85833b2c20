"""Signing in with the station's PIN, and out again."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from station.web.guard import SIGN_IN, watchers_only
from station.web.rights import COOKIE, SIGNED_IN_S, Rights, TooManyPins, WrongPin


class _Pin(msgspec.Struct, forbid_unknown_fields=True):
    pin: str


_pin = msgspec.json.Decoder(_Pin)


def rights_of(request: Request, rights: Rights) -> dict[str, bool]:
    """What the page is told of who looks at it: whether that one may act, and may sign in (or out)."""
    may_act, is_here = request.state.may_act, request.state.caller.is_here
    return {"may_act": may_act, "can_sign_in": bool(rights.pin) and not rights.is_open and not is_here}


def only_who_may_act(request: Request, rights: Rights) -> None:
    """HTTPException for who may only watch."""
    if not request.state.may_act:
        refusal = watchers_only(rights)
        raise HTTPException(refusal.status, refusal.error)


def sign_in_routes(rights: Rights, read_body: Callable[[Request], Any]) -> list[Route]:
    """`/sign-in` with `{"pin": "..."}` gives a cookie that scripts cannot read; `/sign-out` takes it away."""

    async def sign_in(request: Request) -> Response:
        if not rights.pin:
            refusal = watchers_only(rights)
            raise HTTPException(refusal.status, refusal.error)
        given = _pin.decode(await read_body(request) or b"{}").pin
        try:
            token = rights.sign_in(request.state.caller, given, monotonic())
        except WrongPin:
            raise HTTPException(401, "this is not the station's PIN") from None
        except TooManyPins:
            raise HTTPException(429, "too many wrong PINs; wait a minute", {"Retry-After": "60"}) from None
        answer = JSONResponse({"ok": True})
        is_secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, token, SIGNED_IN_S, httponly=True, samesite="strict", secure=is_secure)
        return answer

    async def sign_out(request: Request) -> Response:
        rights.sign_out(request.state.token)
        answer = JSONResponse({"ok": True})
        answer.delete_cookie(COOKIE)
        return answer

    return [Route(SIGN_IN, sign_in, methods=["POST"]), Route("/sign-out", sign_out, methods=["POST"])]
