"""The page on which a camera is shown its board: its picture, what is said of it, and the next step."""

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


class Cameras(Protocol):
    """Boards under cameras, as the page asks for them; from any thread."""

    def boards(self) -> tuple[str, ...]:
        """The boards that have a camera."""
        ...

    def picture(self, board: str) -> bytes | None:
        """The newest picture as a JPEG; None when there is none."""
        ...

    def ask(self, board: str, act: str, corners: list[list[float]] | None) -> dict[str, Any]:
        """Look at the newest picture, or go a step on: `look`, `next`, `again`; ValueError says what is wrong."""
        ...


class _Asked(msgspec.Struct, forbid_unknown_fields=True):
    act: str = "look"
    corners: list[list[float]] | None = None


_asked = msgspec.json.Decoder(_Asked)
ACTS = ("look", "next", "again")


def camera_routes(cameras: Cameras, read_body: Callable[[Request], Any], rights: Rights) -> list[Route]:
    """The addresses below `/boards/BOARD/camera`; who may only watch sees no pictures of people."""

    def board_of(request: Request) -> str:
        only_who_may_act(request, rights)
        board = str(request.path_params["board"])
        if board not in cameras.boards():
            raise HTTPException(404, f"{board}: no board under a camera, expected one of {', '.join(cameras.boards())}")
        return board

    async def page(request: Request) -> Response:
        board_of(request)
        return FileResponse(STATIC / "camera.html", headers={"Cache-Control": "no-cache"})

    async def picture(request: Request) -> Response:
        data = await run_in_threadpool(cameras.picture, board_of(request))
        if data is None:
            raise HTTPException(404, "the camera has sent no picture yet")
        return Response(data, media_type="image/jpeg", headers={"Cache-Control": "no-store"})

    async def ask(request: Request) -> Response:
        board, body = board_of(request), await read_body(request)
        asked = _asked.decode(body or b"{}")
        if asked.act not in ACTS:
            raise HTTPException(400, f"act = {asked.act!r}: expected one of {', '.join(ACTS)}")
        try:
            answer: Mapping[str, Any] = await run_in_threadpool(cameras.ask, board, asked.act, asked.corners)
        except ValueError as error:
            raise HTTPException(400, str(error)) from None
        return JSONResponse({"ok": True, **answer})

    return [
        Route("/boards/{board}/camera", page),
        Route("/boards/{board}/camera", ask, methods=["POST"]),
        Route("/boards/{board}/view.jpg", picture),
    ]
