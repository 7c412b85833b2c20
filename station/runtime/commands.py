"""Commands as they come over MQTT: bytes in, a command or the reason for refusing it out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from station.runtime.clock import read_wall
from station.session import REQUESTS

MOST_BYTES = 16 * 1024
ANSWERABLE_BYTES = 64 * 1024
"""A payload that is too large is still answered up to this size; a larger one is not even read."""
HALT = "halt"
"""Always obeyed, however old."""
ARM = "arm"
"""Never obeyed: an arm is set going at the table."""


class Command(msgspec.Struct, frozen=True):
    """What a command's payload says."""

    id: str
    at: str = ""
    ttl_s: float = 30.0
    args: dict[str, str | int | bool] = {}


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A command that cannot be understood, but answered."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Noise:
    """Something that carries no identity an answer could bear."""

    reason: str


def read_command(payload: bytes) -> Command | Spoilt | Noise:
    """What a payload asks for."""
    if len(payload) > ANSWERABLE_BYTES:
        return Noise(f"more than {ANSWERABLE_BYTES} bytes")
    try:
        command = msgspec.json.decode(payload, type=Command)
    except (ValueError, RecursionError) as error:
        return _answerable(payload, f"payload: {error}")
    if not _is_identity(command.id):
        return Noise("no id of 1 to 64 letters, digits, - and _")
    if len(payload) > MOST_BYTES:
        return Spoilt(command.id, f"payload: found {len(payload)} bytes, expected at most {MOST_BYTES}")
    return command


def _answerable(payload: bytes, reason: str) -> Spoilt | Noise:
    try:
        found = msgspec.json.decode(payload)
    except (ValueError, RecursionError):
        return Noise("no JSON")
    identity = found.get("id") if isinstance(found, dict) else None
    if isinstance(identity, str) and _is_identity(identity):
        return Spoilt(identity, reason)
    return Noise("no id")


def _is_identity(text: str) -> bool:
    return 0 < len(text) <= 64 and text.isascii() and all(letter.isalnum() or letter in "-_" for letter in text)


def refusal(name: str, command: Command, retained: bool, now: datetime) -> str | None:
    """Why a command is not carried out; None when it is. `now` is the wall clock."""
    if retained:
        return "retained: a command that waits on the broker is never carried out"
    if name == HALT:
        return None
    if name == ARM:
        return f"{name}: only at the table: by the button at the board, or on the page"
    if name not in REQUESTS:
        return f"{name}: no such command, expected one of {', '.join(REQUESTS)}"
    return _stale(command, now) if command.at else None


def _stale(command: Command, now: datetime) -> str | None:
    try:
        sent = read_wall(command.at)
    except ValueError:
        return f"at = {command.at!r}: expected UTC, ISO 8601"
    sent = sent if sent.tzinfo else sent.replace(tzinfo=UTC)
    age_s = (now - sent).total_seconds()
    return f"stale: {age_s:.0f} s old, its ttl_s is {command.ttl_s:g}" if age_s > command.ttl_s else None
