"""The page's addresses: the page itself, its stream of events, what it asks the station and what its hands do."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from engine.errors import NotationError
from engine.geometry import Cell
from station.session import REQUESTS
from station.texts import SOURCE, Texts
from station.web.arms import Arms, arm_routes
from station.web.cameras import Cameras, camera_routes
from station.web.codes import WHAT, address_for, link, svg
from station.web.feed import Feed
from station.web.files import STATIC, Static, page_version
from station.web.guard import Guard, Limits
from station.web.hands import BUTTONS, CONTENT_NAMES, Hands, Watch
from station.web.record import pdn_of, problem_for, variants_for
from station.web.rights import Rights
from station.web.signing import rights_of, sign_in_routes
from station.web.stream import EventStream
from station.web.words import texts_for, words

BODY_BYTES = 16 * 1024
"""Largest request body that is read."""

ANSWER_S = 5.0
"""How long the station's loop may take to answer a request."""

Arguments = Mapping[str, str | int | bool]
Ask = Callable[[str, str, Arguments], "Future[str | None]"]
"""(board, name, arguments) -> None when it was done, the reason when it was refused."""


class _Place(msgspec.Struct, forbid_unknown_fields=True):
    cell: tuple[int, int]


class _Put(msgspec.Struct, forbid_unknown_fields=True):
    cell: tuple[int, int]
    content: str


class _Press(msgspec.Struct, forbid_unknown_fields=True):
    button: str


class _Nothing(msgspec.Struct, forbid_unknown_fields=True):
    pass


_arguments: msgspec.json.Decoder[dict[str, str | int | bool]] = msgspec.json.Decoder(dict[str, str | int | bool])
_place = msgspec.json.Decoder(_Place)
_put = msgspec.json.Decoder(_Put)
_press = msgspec.json.Decoder(_Press)
_nothing = msgspec.json.Decoder(_Nothing)


def create_app(  # noqa: PLR0913 - keywords, each with its own meaning
    feed: Feed,
    ask: Ask,
    hands: Hands | None = None,
    *,
    station: str,
    language: str = SOURCE,
    allowed_hosts: Collection[str] = (),
    cameras: Cameras | None = None,
    arms: Arms | None = None,
    rights: Rights | None = None,
    limits: Limits | None = None,
    address: tuple[str, str] = ("", "127.0.0.1"),
) -> Starlette:
    """The page for a station; with `hands`, pieces of simulated boards can be dragged on it.

    `language` is that of displays which ask for none of their own.
    `allowed_hosts` are the names it may be called by, beside localhost and the address a request comes in on.
    `rights` tells who may do more than watch; without it everybody may. `address` is what others open the page by, when
    it is known, and what it is served on.
    """
    rights = rights or Rights(is_open=True)
    watch = Watch(hands, feed) if hands is not None else None
    page = _Page(feed, ask, (station, language), watch)
    page.show(cameras=cameras, arms=arms)
    page.rights, page.address = rights, address
    routes = [
        Route("/", page.index),
        Route("/health", page.health),
        Route("/events", page.events),
        Route("/texts", page.texts),
        Route("/boards/{board}/game.pdn", page.game),
        Route("/boards/{board}/variants", page.variants),
        Route("/boards/{board}/problem", page.problem),
        Route("/boards/{board}/code/{what}.svg", page.code),
        *sign_in_routes(rights, read_body),
        *(camera_routes(cameras, read_body, rights) if cameras is not None else ()),
        *(arm_routes(arms, read_body, rights) if arms is not None else ()),
        Route("/boards/{board}/{name}", page.request, methods=["POST"]),
        Mount("/static", Static(directory=STATIC)),
    ]
    if hands is not None and watch is not None:
        routes.insert(-1, Route("/demo/{board}/{act}", _Demo(hands, watch, page).touch, methods=["POST"]))
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, allowed_hosts=allowed_hosts, rights=rights, limits=limits)],
        exception_handlers={HTTPException: _failure, msgspec.MsgspecError: _bad_body},
    )
    app.state.feed = feed
    return app


class _Page:
    def __init__(
        self,
        feed: Feed,
        ask: Ask,
        station: tuple[str, str],
        watch: Watch | None,
    ) -> None:
        self.feed, self._ask = feed, ask
        name, self._language = station
        self.rights = Rights(is_open=True)
        self.address = ("", "")
        self._watch = watch
        self._hello = {"station": name, "demo": watch is not None, "page": page_version()}

    def show(self, **boards: Cameras | Arms | None) -> None:
        """Which boards have pages on which something is shown to them."""
        self._hello |= {kind: [*found.boards()] if found is not None else [] for kind, found in boards.items()}

    async def index(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})

    async def health(self, request: Request) -> Response:
        phases = {board: snapshot["state"]["phase"] for board, snapshot in self.feed.latest().items()}
        return JSONResponse({"ok": True, **self._hello, "boards": phases})

    async def events(self, request: Request) -> Response:
        inside = self._watch.watching() if self._watch else nullcontext()
        hello = {**self._hello, **rights_of(request, self.rights), "address": address_for(request, *self.address)}
        return EventStream(self.feed, hello, inside, self._texts_for(request))

    async def code(self, request: Request) -> Response:
        """A code to scan; as the page's own picture it needs nothing of what the page forbids."""
        board, _ = self.snapshot(request)
        what, where = str(request.path_params["what"]), address_for(request, *self.address)
        if what not in WHAT:
            raise HTTPException(404, f"{what}: no such code, expected one of {', '.join(WHAT)}")
        if not where:
            raise HTTPException(404, "only this machine can open the page: host and address in [web] say where it is")
        return Response(svg(link(where, board, what)), media_type="image/svg+xml")

    async def texts(self, request: Request) -> Response:
        """The page's own words, each sentence of several forms with the place whose number decides."""
        return JSONResponse(words(self._texts_for(request)))

    def _texts_for(self, request: Request) -> Texts:
        return texts_for(request, self._language)

    async def game(self, request: Request) -> Response:
        board, snapshot = self.snapshot(request)
        try:
            pdn = pdn_of(snapshot)
        except NotationError as error:
            raise HTTPException(409, str(error)) from None
        disposition = f'attachment; filename="{_file_name(board, snapshot)}"'
        return PlainTextResponse(
            pdn, media_type="application/x-draughts-pdn", headers={"Content-Disposition": disposition}
        )

    async def variants(self, request: Request) -> Response:
        return JSONResponse(variants_for(self.snapshot(request)[1], self._texts_for(request)))

    async def problem(self, request: Request) -> Response:
        number = request.query_params.get("number", "")
        if not re.fullmatch(r"[0-9]{1,9}", number):
            raise HTTPException(400, f"number = {number[:20]!r}: expected a whole number")
        found = problem_for(self.snapshot(request)[1], int(number), self._texts_for(request))
        if found is None:
            raise HTTPException(404, "this variant has no problems")
        return JSONResponse(found)

    async def request(self, request: Request) -> Response:
        board, _ = self.snapshot(request)
        name = request.path_params["name"]
        if name not in REQUESTS:
            raise HTTPException(404, f"{name}: no such request, expected one of {', '.join(REQUESTS)}")
        body = await read_body(request)
        arguments = _arguments.decode(body or b"{}")
        answer = asyncio.wrap_future(self._ask(board, name, arguments))
        try:
            error = await asyncio.wait_for(answer, ANSWER_S)
        except TimeoutError:
            raise HTTPException(504, "the station does not answer") from None
        return JSONResponse({"ok": True}) if error is None else _refused(400, error)

    def snapshot(self, request: Request) -> tuple[str, Mapping[str, Any]]:
        """The board that a request names, and its newest snapshot."""
        board, boards = str(request.path_params["board"]), self.feed.latest()
        if board not in boards:
            raise HTTPException(404, f"{board}: no such board, expected one of {', '.join(boards) or 'none yet'}")
        return board, boards[board]


class _Demo:
    """Hands on simulated boards, by request."""

    def __init__(self, hands: Hands, watch: Watch, page: _Page) -> None:
        self._hands, self._watch, self._page = hands, watch, page

    async def touch(self, request: Request) -> Response:
        board, snapshot = self._page.snapshot(request)
        if board not in self._hands.boards():
            raise HTTPException(
                404, f"{board}: a real board, only {', '.join(self._hands.boards())} can be touched here"
            )
        body = await read_body(request) or b"{}"
        try:
            self._carry_out(board, request.path_params["act"], body, snapshot["geometry"])
        except ValueError as error:
            raise HTTPException(400, str(error)) from None
        return JSONResponse({"ok": True, "touches": self._watch.touched(board)})

    def _carry_out(self, board: str, act: str, body: bytes, geometry: Mapping[str, Any]) -> None:
        match act:
            case "take":
                self._hands.take(board, _on_board(_place.decode(body).cell, geometry))
            case "put":
                put = _put.decode(body)
                content = _one_of("content", put.content, CONTENT_NAMES)
                self._hands.put(board, _on_board(put.cell, geometry), content)
            case "press":
                self._hands.press(board, _one_of("button", _press.decode(body).button, BUTTONS))
            case "unplug":
                _nothing.decode(body)
                self._hands.unplug(board)
            case "plug":
                _nothing.decode(body)
                self._hands.plug(board)
            case _:
                raise HTTPException(404, f"{act}: hands do take, put, press, unplug, plug")


async def read_body(request: Request) -> bytes:
    """A request's body; HTTPException 413 when it is over 16 KiB."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_BYTES:
            raise HTTPException(413, f"the body is over {BODY_BYTES} bytes")
    return bytes(body)


def _on_board(cell: Cell, geometry: Mapping[str, Any]) -> Cell:
    columns, rows = geometry["columns"], geometry["rows"]
    if not (0 <= cell[0] < columns and 0 <= cell[1] < rows):
        raise ValueError(f"cell = {list(cell)}: expected column 0 to {columns - 1}, row 0 to {rows - 1}")
    return cell


def _one_of(key: str, value: str, allowed: Collection[str]) -> str:
    if value not in allowed:
        raise ValueError(f"{key} = {value!r}: expected one of {', '.join(allowed)}")
    return value


def _file_name(board: str, snapshot: Mapping[str, Any]) -> str:
    name = f"{board}-{snapshot['state']['game']}"
    return (
        "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_") else "_" for letter in name)
        + ".pdn"
    )


def _refused(status: int, error: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"ok": False, "error": error}, status_code=status, headers=headers)


def _failure(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _refused(error.status_code, error.detail, error.headers)


def _bad_body(request: Request, error: Exception) -> Response:
    return _refused(400, f"body: {error}; expected a JSON object of texts, whole numbers, true and false")
