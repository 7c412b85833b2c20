"""The page on which an arm is shown its board: what is asked for, and what moves the tool; `halt` stops it as ever."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from station.web.rights import Rights
from station.web.signing import only_who_may_act

STATIC = Path(__file__).parent / "static"


class Arms(Protocol):
    """Boards with arms, as the page asks for them; from any thread."""

    def boards(self) -> tuple[str, ...]:
        """The boards whose arm can be shown its board."""
        ...

    def ask(self, board: str, act: str, way: str, step_mm: float) -> dict[str, Any]:
        """Look, or go on: one of ACTS; ValueError says what is wrong."""
        ...


class _Asked(msgspec.Struct, forbid_unknown_fields=True):
    act: str = "look"
    way: str = ""
    step_mm: float = 0.0


_asked = msgspec.json.Decoder(_Asked)
ACTS = ("look", "start", "jog", "next", "no", "end")


def arm_routes(arms: Arms, read_body: Callable[[Request], Any], rights: Rights) -> list[Route]:
    """The address `/boards/BOARD/arm-place`; who may only watch moves nothing."""

    def board_of(request: Request) -> str:
        only_who_may_act(request, rights)
        board = str(request.path_params["board"])
        if board not in arms.boards():
            raise HTTPException(404, f"{board}: no board with an arm, expected one of {', '.join(arms.boards())}")
        return board

    async def page(request: Request) -> Response:
        board_of(request)
        return FileResponse(STATIC / "teach.html", headers={"Cache-Control": "no-cache"})

    async def ask(request: Request) -> Response:
        board, body = board_of(request), await read_body(request)
        asked = _asked.decode(body or b"{}")
        if asked.act not in ACTS:
            raise HTTPException(400, f"act = {asked.act!r}: expected one of {', '.join(ACTS)}")
        try:
            answer: Mapping[str, Any] = await run_in_threadpool(arms.ask, board, asked.act, asked.way, asked.step_mm)
        except ValueError as error:
            raise HTTPException(400, str(error)) from None
        return JSONResponse({"ok": True, **answer})

    return [
        Route("/boards/{board}/arm-place", page),
        Route("/boards/{board}/arm-place", ask, methods=["POST"]),
    ]
