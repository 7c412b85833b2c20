"""What a page says, in the language of the display that asks."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from station.texts import Texts, languages, load_texts, number_in

PAGE = "page."
"""Before the keys of what the page itself says."""


def texts_for(request: Request, otherwise: str) -> Texts:
    """Those of the language that a display names, if there are any; else those of another language."""
    named = request.query_params.get("lang", "")
    return load_texts(named if named in languages() else otherwise)


def words(texts: Texts, more: str = "") -> dict[str, Any]:
    """A page's own words and those whose keys begin with `more`; where a number decides the form, its place too."""
    beginnings = (PAGE, more) if more else (PAGE,)
    own = {key: text for key, text in texts.sentences.items() if key.startswith(beginnings)}
    return {
        "language": texts.language,
        "languages": languages(),
        "sentences": {key.removeprefix(PAGE): text for key, text in own.items()},
        "forms": {
            key.removeprefix(PAGE): (number_in(text), texts.forms[key])
            for key, text in own.items()
            if key in texts.forms
        },
    }
