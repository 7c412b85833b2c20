"""A club's addresses: the wall with its stream of events, the archive, and PDN of everything."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from engine.ruleset import load_ruleset, variant_names
from station.club.archive import Reader
from station.club.database import DatabaseError
from station.club.line import line_of
from station.club.pdn import pdn_of
from station.club.query import MOST_WRITTEN, OUTCOMES, Query, QueryError, read_query
from station.club.record import Head, Known
from station.club.wall import whole_game
from station.texts import SOURCE, VARIANT
from station.web.feed import Feed
from station.web.files import STATIC as PAGE_STATIC
from station.web.files import Static, page_version
from station.web.guard import Guard
from station.web.stream import EventStream
from station.web.words import texts_for, words

STATIC = Path(__file__).parent / "static"
PDN_TYPE = "application/x-draughts-pdn"
Endpoint = Callable[[Request], Awaitable[Response]]
OWN = "club."
"""Before the keys of what a club's pages say, beside those of the station's page."""


class Live(Protocol):
    """The games that are played now."""

    def live_pdn(self, station: str, board: str) -> str | None:
        """The games at the boards of a station, or at one board, or all, as PDN; None where there is no such board."""


def create_app(
    feed: Feed,
    live: Live,
    address: str,
    *,
    name: str,
    language: str = SOURCE,
    allowed_hosts: Collection[str] = (),
) -> Starlette:
    """The pages of a club; `address` is that of its archive."""
    club = _Club(feed, live, Reader(address), (name, language))
    app = Starlette(
        routes=[
            Route("/", club.page("wall.html")),
            Route("/archive", club.page("archive.html")),
            Route("/health", club.health),
            Route("/events", club.events),
            Route("/texts", club.texts),
            Route("/games.json", club.games),
            Route("/games.pdn", club.games_pdn),
            Route("/games/{number:int}.json", club.game),
            Route("/games/{number:int}.pdn", club.game_pdn),
            Route("/live.pdn", club.live_pdn),
            Mount("/static", Static(directory=PAGE_STATIC)),
            Mount("/club", Static(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, allowed_hosts=allowed_hosts)],
        exception_handlers={HTTPException: _failure, QueryError: _bad_question, DatabaseError: _no_archive},
    )
    app.state.feed = feed
    return app


class _Club:
    def __init__(self, feed: Feed, live: Live, reader: Reader, names: tuple[str, str]) -> None:
        self._feed, self._live, self._reader = feed, live, reader
        self._name, self._language = names
        self._hello = {"club": self._name, "page": page_version(STATIC)}

    def page(self, file: str) -> Endpoint:
        async def show(request: Request) -> Response:
            return FileResponse(STATIC / file, headers={"Cache-Control": "no-cache"})

        return show

    async def health(self, request: Request) -> Response:
        return JSONResponse({"ok": True, **self._hello, **self._feed.latest("club").get("", {})})

    async def events(self, request: Request) -> Response:
        texts = texts_for(request, self._language)
        return EventStream(self._feed, self._hello, nullcontext(), texts)

    async def texts(self, request: Request) -> Response:
        """The words of both pages, and what the variants are called."""
        texts = texts_for(request, self._language)
        titles = {VARIANT + name: texts.title(load_ruleset(name)) for name in variant_names()}
        told = words(texts, OWN)
        return JSONResponse({**told, "sentences": {**told["sentences"], **titles}, "outcomes": OUTCOMES})

    async def games(self, request: Request) -> Response:
        query = _asked(request)
        games = await run_in_threadpool(self._reader.games, query)
        count = await run_in_threadpool(self._reader.count, query)
        return JSONResponse({"count": count, "games": [_shown(game) for game in games]})

    async def games_pdn(self, request: Request) -> Response:
        query = _asked(request)
        count = await run_in_threadpool(self._reader.count, query)
        if count > MOST_WRITTEN:
            raise HTTPException(
                413, f"found {count} games, expected at most {MOST_WRITTEN}: ask for less, as by from and to"
            )
        return StreamingResponse(self._written(query), media_type=PDN_TYPE, headers=_file("games"))

    def _written(self, query: Query) -> Iterator[str]:
        for place, game in enumerate(self._reader.all_games(query, MOST_WRITTEN)):
            yield ("\n" if place else "") + pdn_of(game, self._name)

    async def game(self, request: Request) -> Response:
        game, moves = await self._found(request)
        head = Head(variant=game["variant"], start_fen=game["start_fen"], rules=game["rules"])
        line = await run_in_threadpool(line_of, Known(key=_NO_KEY, head=head, moves=tuple(moves)))
        return JSONResponse({**_shown(game), **whole_game(line)})

    async def game_pdn(self, request: Request) -> Response:
        game, _ = await self._found(request)
        return PlainTextResponse(pdn_of(game, self._name), media_type=PDN_TYPE, headers=_file(f"game-{game['number']}"))

    async def live_pdn(self, request: Request) -> Response:
        for name in request.query_params:
            if name not in ("station", "board"):
                raise QueryError(f"{name}: no such parameter, expected station and board")
        station, board = request.query_params.get("station", ""), request.query_params.get("board", "")
        pdn = await run_in_threadpool(self._live.live_pdn, station, board)
        if pdn is None:
            asked = ", ".join(f"{name} {value}" for name, value in request.query_params.items())
            raise HTTPException(404, f"{asked}: no such board on the wall")
        return PlainTextResponse(pdn, media_type=PDN_TYPE)

    async def _found(self, request: Request) -> tuple[dict[str, Any], list[Any]]:
        number = int(request.path_params["number"])
        found = await run_in_threadpool(self._reader.game, number) if number < 2**31 else None
        if found is None:
            raise HTTPException(404, f"{number}: no such game in the archive")
        return found


_NO_KEY: Any = None
_SHOWN = (
    *("number", "station", "board", "game", "variant", "white", "black", "opening", "clock", "result", "reason"),
    *("began", "last", "plies", "fault"),
)


def _shown(game: Mapping[str, Any]) -> dict[str, Any]:
    return {name: game[name] for name in _SHOWN}


def _asked(request: Request) -> Query:
    names = [name for name, _ in request.query_params.multi_items()]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise QueryError(f"{twice}: found {names.count(twice)} of it, expected one")
    return read_query(dict(request.query_params))


def _file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}.pdn"'}


def _refused(status: int, error: str) -> Response:
    return JSONResponse({"ok": False, "error": error}, status_code=status)


def _failure(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _refused(error.status_code, error.detail)


def _bad_question(request: Request, error: Exception) -> Response:
    return _refused(400, str(error))


def _no_archive(request: Request, error: Exception) -> Response:
    return _refused(503, f"the archive does not answer: {error}; games that are played now are at /live.pdn")
