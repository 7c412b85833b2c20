"""The document of all topics is whole, and says of each event what the program says; `asyncapi.py` holds traffic to it.

What stations of other tests publish is checked where those tests end: `listen` of both `conftest.py`.
"""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from station.announcements import What
from station.runtime.commands import ARM
from station.session import REQUESTS

from .asyncapi import CHANNELS, DOCUMENT, OPERATIONS, channel_of, fault, found
from .station import BASE

KINDS = {kind.__struct_config__.tag: kind for kind in get_args(What)}


def references(place):
    """All that is referred to below a place."""
    if isinstance(place, dict):
        yield from ([place] if "$ref" in place else [])
        for value in place.values():
            yield from references(value)
    elif isinstance(place, list):
        for value in place:
            yield from references(value)


def test_every_reference_leads_somewhere_and_everything_is_used():
    used = {reference["$ref"] for reference in references(DOCUMENT) if found(reference) is not None}
    for kind in ("messages", "schemas", "parameters"):
        assert {f"#/components/{kind}/{name}" for name in DOCUMENT["components"][kind]} <= used
    assert set(OPERATIONS) == set(DOCUMENT["channels"])


@pytest.mark.parametrize("tag", sorted(KINDS))
def test_an_event_has_the_fields_that_the_document_gives_it(tag):
    head, *own = DOCUMENT["components"]["messages"][tag]["payload"]["allOf"]
    assert head == {"$ref": "#/components/schemas/eventHead"}
    fields = msgspec.structs.fields(KINDS[tag])
    told = own[0] if own else {}
    assert set(told.get("properties", {})) == {field.encode_name for field in fields}
    assert set(told.get("required", [])) == {field.encode_name for field in fields if field.required}


def test_every_event_and_every_command_is_in_the_document():
    assert set(DOCUMENT["channels"]["event"]["messages"]) == set(KINDS)
    assert set(DOCUMENT["channels"]["command"]["parameters"]["name"]["enum"]) == {*REQUESTS, ARM}


def test_a_topic_belongs_to_one_channel():
    topics = ("status", "info", "table/state", "table/event", "table/cmd/draw", "table/ack/a-1")
    for topic in topics:
        assert sum(bool(pattern.fullmatch(f"{BASE}/{topic}")) for _, pattern in CHANNELS) == 1
    assert channel_of(f"{BASE}/table/state/more") is None


@pytest.mark.parametrize(
    ("message", "payload"),
    [
        ("status", "on"),
        ("answer", {"id": "a", "ok": True}),
        ("answer", {"id": "a", "ok": True, "error": None, "more": 1}),
        (
            "halted",
            {"id": "g-1", "seq": 1, "type": "halted", "game": "g", "at": "2026-01-01T00:00:00Z", "pressed": True},
        ),
        (
            "halted",
            {
                "id": "g-1",
                "seq": 1,
                "type": "halted",
                "game": "g",
                "at": "2026-01-01T00:00:00.000Z",
                "pressed": True,
                "x": 1,
            },
        ),
        ("position", {"variant": "russian", "fen": "W:Wa1:Bh8", "seen": {"z9": ["empty"]}, "seq": 1}),
    ],
)
def test_a_payload_that_does_not_fit_is_found(message, payload):
    assert fault(message, payload)
