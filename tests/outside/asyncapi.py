"""`docs/asyncapi.yaml` as a measure: which message of the document something heard on a broker is, and whether it fits.

Readers ignore keys that they do not know; here a key that is not in the document is a fault.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from .broker import Heard

FILE = Path(__file__).parents[2] / "docs/asyncapi.yaml"
DOCUMENT: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
OURS = ("dambord/", "homeassistant/device/dambord-")


def found(reference: dict[str, str]) -> Any:
    """What a `$ref` leads to."""
    place: Any = DOCUMENT
    for level in reference["$ref"].removeprefix("#/").split("/"):
        place = place[level]
    return place


def _pattern(address: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(address)))


CHANNELS = [(name, _pattern(channel["address"])) for name, channel in DOCUMENT["channels"].items()]
OPERATIONS = {one["channel"]["$ref"].rpartition("/")[2]: one for one in DOCUMENT["operations"].values()}


def channel_of(topic: str) -> str | None:
    """The channel of a topic."""
    return next((name for name, pattern in CHANNELS if pattern.fullmatch(topic)), None)


def _closed(schema: Any) -> Any:
    """A schema that forbids what it does not name."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "allOf" in schema:
        return {**schema, "unevaluatedProperties": False}
    closed = {key: _closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **closed} if "properties" in schema and "type" in schema else closed


def _measured() -> dict[str, Any]:
    schemas = DOCUMENT["components"]["schemas"]
    whole = {name: schema if name == "eventHead" else _closed(schema) for name, schema in schemas.items()}
    return {"schemas": whole}


@cache
def validator(message: str) -> Draft202012Validator:
    """What measures a message's payload."""
    payload = _closed(DOCUMENT["components"]["messages"][message]["payload"])
    return Draft202012Validator({**payload, "components": _measured()})


def fault(message: str, payload: Any) -> str | None:
    """What is wrong with a payload, None when it is as the document says."""
    errors = sorted(validator(message).iter_errors(payload), key=lambda error: len(error.path))
    return f"{message}: {errors[0].json_path}: {errors[0].message}" if errors else None


def message_of(heard: Heard) -> tuple[str, Any]:
    """The name of a message in the document, and its payload."""
    channel = channel_of(heard.topic)
    assert channel is not None, f"{heard.topic} is not in the document"
    named = DOCUMENT["channels"][channel]["messages"]
    first = found(next(iter(named.values())))
    if first.get("contentType", DOCUMENT["defaultContentType"]) != "application/json":
        return next(iter(named)), heard.payload.decode()
    payload = json.loads(heard.payload)
    name = payload["type"] if len(named) > 1 else next(iter(named))
    assert name in named, f"{heard.topic}: {name} is not in the document"
    return name, payload


def check(messages: list[Heard]) -> set[str]:
    """See that everything that stations said is in the document and fits; the channels and events that were heard."""
    seen = set()
    for heard in messages:
        if not heard.topic.startswith(OURS):
            continue
        channel = channel_of(heard.topic)
        operation = OPERATIONS.get(channel or "")
        if operation is None or operation["action"] == "receive":
            # What tests send may be anything; a station sends on no topic that the document lacks.
            assert channel is not None or "/cmd/" in heard.topic, f"{heard.topic} is not in the document"
            seen |= {channel} if channel else set()
            continue
        bound = operation["bindings"]["mqtt"]
        if bound["retain"] and not heard.payload:
            continue  # taken away
        assert heard.qos == bound["qos"], f"{heard.topic}: QoS {heard.qos}"
        assert bound["retain"] or not heard.retained, f"{heard.topic}: retained"
        name, payload = message_of(heard)
        wrong = fault(name, payload)
        assert wrong is None, f"{heard.topic}: {wrong}"
        seen |= {channel, name}
    return seen
