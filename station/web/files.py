"""The files that a page is made of."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import station.texts
from station.texts import SOURCE

STATIC = Path(__file__).parent / "static"
TEXTS = Path(station.texts.__file__).parent


class Static(StaticFiles):
    """Files that are asked for again each time, and sent only when they have changed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, or that it has not changed."""
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, "only GET")
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


def page_version(*more: Path) -> str:
    """Changes whenever a file of the page or its texts does, or one of `more` folders."""
    digest = hashlib.sha256()
    folders = [file for folder in (STATIC, *more) for file in folder.iterdir()]
    for file in sorted([*folders, *TEXTS.glob("*.po"), TEXTS / f"{SOURCE}.toml"]):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:12]
