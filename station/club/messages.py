"""What stations tell a club over MQTT: topic and payload in, a value out; what cannot be understood is named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import msgspec

from station.announcements import GameOver, GameStarted, Moved, MoveObject, Revised, TakenBack

MOST_BYTES = 256 * 1024
"""A record of 1,000 moves is no larger."""
KINDS = ("status", "info", "bridge", "+/availability", "+/state", "+/game", "+/previous", "+/event")
"""Topics below a station that a club listens to. `bridge` is what a table's broker has its bridge tell: 1 or 0."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")
_GAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_Seq = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]


class Place(NamedTuple):
    """A board: the id of its station, and its own id there."""

    station: str
    board: str


class Key(NamedTuple):
    """A game, wherever it was played."""

    place: Place
    game: str


Change = GameStarted | Moved | Revised | TakenBack | GameOver
"""Announcements that change a record."""


class Happened(msgspec.Struct, frozen=True):
    """An event of a game; `what` is None for one that leaves the record as it is. `at` is UTC, empty if not told."""

    key: Key
    seq: int
    at: str
    what: Change | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A game's whole record, as it stood after event `seq`."""

    key: Key
    seq: int
    variant: str
    start_fen: str
    rules: str
    white: str
    black: str
    opening: str
    moves: tuple[MoveObject, ...]
    result: str


class Clock(msgspec.Struct, frozen=True):
    """The time control, whose clock runs, and the periods after the main time."""

    control: str = ""
    running: str | None = None
    periods: int = 0
    period_ms: int = 0


class Guidance(msgspec.Struct, frozen=True):
    """What people at the board are told."""

    prompt: str = ""
    sentence: str = ""


class State(msgspec.Struct, frozen=True):
    """What is going on at a board; `at` is told while a clock runs."""

    game: str
    seq: _Seq
    boot: str
    phase: str
    turn: str
    players: dict[str, str]
    guidance: Guidance
    problem: str | None = None
    clocks_ms: dict[str, int] | None = None
    clock: Clock | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class StateTold:
    """The state of a board."""

    place: Place
    state: State


@dataclass(frozen=True, slots=True)
class StationTold:
    """Whether a station is there; `by` is the topic that says so."""

    station: str
    by: str
    is_online: bool


@dataclass(frozen=True, slots=True)
class BoardTold:
    """Whether a board's hardware answers."""

    place: Place
    is_online: bool


@dataclass(frozen=True, slots=True)
class BoardsTold:
    """The boards that a station is configured with."""

    station: str
    boards: frozenset[str]


@dataclass(frozen=True, slots=True)
class Cleared:
    """A retained topic was taken back: of a station, or of one of its boards."""

    station: str
    board: str | None


@dataclass(frozen=True, slots=True)
class Noise:
    """Something that a club leaves out, and why."""

    reason: str


Told = Happened | Recorded | StateTold | StationTold | BoardTold | BoardsTold | Cleared


class _Head(msgspec.Struct):
    seq: _Seq
    type: str
    game: str
    at: str = ""


class _Record(msgspec.Struct):
    game: str
    variant: str
    players: dict[str, str]
    moves: tuple[MoveObject, ...]
    result: str
    seq: _Seq = 0
    start_fen: str = ""
    opening: str = ""
    rules: str = ""


class _Info(msgspec.Struct):
    boards: dict[str, dict[str, str]]


_CHANGES = ("game_started", "move", "revised", "taken_back", "game_over")
_head = msgspec.json.Decoder(_Head)
_change: msgspec.json.Decoder[Change] = msgspec.json.Decoder(Change)
_record = msgspec.json.Decoder(_Record)
_state = msgspec.json.Decoder(State)
_info = msgspec.json.Decoder(_Info)


def topics(base: str) -> tuple[str, ...]:
    """The topic filters of a club, all of quality 1."""
    return tuple(f"{base}/+/{kind}" for kind in KINDS)


def read(base: str, topic: str, payload: bytes) -> Told | Noise:
    """What a message tells; never raises."""
    levels = topic.removeprefix(f"{base}/").split("/")
    if topic == levels[0] or not 2 <= len(levels) <= 3 or not all(map(_NAME.fullmatch, levels)):
        return Noise("a topic that is not of a station")
    if not payload:
        return Cleared(levels[0], levels[1] if len(levels) == 3 else None)
    if len(payload) > MOST_BYTES:
        return Noise(f"more than {MOST_BYTES} bytes on {levels[-1]}")
    if b"\\u0000" in payload or b"\0" in payload:
        return Noise(f"a NUL on {levels[-1]}")
    try:
        return (
            _of_station(levels[0], levels[1], payload)
            if len(levels) == 2
            else _of_board(Place(levels[0], levels[1]), levels[2], payload)
        )
    except (ValueError, RecursionError) as error:
        return Noise(f"{levels[-1]}: {error}")


def _of_station(station: str, kind: str, payload: bytes) -> Told | Noise:
    match kind:
        case "status":
            return StationTold(station, kind, payload == b"online")
        case "bridge":
            return StationTold(station, kind, payload == b"1")
        case "info":
            return BoardsTold(station, frozenset(_info.decode(payload).boards))
    return Noise("a topic that a club does not listen to")


def _of_board(place: Place, kind: str, payload: bytes) -> Told | Noise:
    match kind:
        case "availability":
            return BoardTold(place, payload == b"online")
        case "state":
            state = _state.decode(payload)
            _checked(state.game)
            return StateTold(place, state)
        case "game" | "previous":
            told = _record.decode(payload)
            head = (told.variant, told.start_fen, told.rules, told.players.get("white", ""))
            return Recorded(
                _key(place, told.game),
                told.seq,
                *head,
                told.players.get("black", ""),
                told.opening,
                told.moves,
                told.result,
            )
        case "event":
            event = _head.decode(payload)
            what = _change.decode(payload) if event.type in _CHANGES else None
            at = event.at if _TIME.fullmatch(event.at) else ""
            return Happened(_key(place, event.game), event.seq, at, what)
    return Noise("a topic that a club does not listen to")


def _key(place: Place, game: str) -> Key:
    return Key(place, _checked(game))


def _checked(game: str) -> str:
    if not _GAME.fullmatch(game):
        raise ValueError(f"game = {game[:80]!r}: expected 1 to 64 letters, digits, - and _")
    return game
