"""Everything a session can ask for. What it brings about comes back as an event."""

from __future__ import annotations

import msgspec

from engine.game import Game
from firmware_bridge.driver import Cues
from firmware_bridge.manipulations import Act
from station.announcements import What


class Show(msgspec.Struct, frozen=True):
    """Light these squares, and no others."""

    cues: Cues


class Announce(msgspec.Struct, frozen=True):
    """Tell the world; `seq` counts from 1 in each game without gaps."""

    seq: int
    game: str
    what: What


class Clock(msgspec.Struct, frozen=True):
    """What a player may use for its move, in ms: its own time left, and what it gets for each move."""

    left_ms: int
    increment_ms: int


class Choose(msgspec.Struct, frozen=True):
    """Ask a player for a move; the answer carries the request's number."""

    request: int
    player: str
    game: Game
    clock: Clock | None = None


class StopChoosing(msgspec.Struct, frozen=True):
    """The question of this number is no longer wanted."""

    request: int


class Answer(msgspec.Struct, frozen=True):
    """A request was carried out, or refused for a reason."""

    request: str
    error: str | None


class Handle(msgspec.Struct, frozen=True):
    """Have the arm do the first of these acts; the others come after it, and have to be in reach as well."""

    job: int
    acts: tuple[Act, ...]
    attempt: int = 0
    """How often it was tried before, 0 the first time."""


class Halt(msgspec.Struct, frozen=True):
    """Have the arm stand still at once."""

    reason: str


Effect = Show | Announce | Choose | StopChoosing | Answer | Handle | Halt
