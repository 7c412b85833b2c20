"""Everything a session can ask for. What it brings about comes back as an event."""

from __future__ import annotations

from dataclasses import dataclass

from engine.game import Game
from firmware_bridge.driver import Cues
from firmware_bridge.manipulations import Act
from station.announcements import What


@dataclass(frozen=True, slots=True)
class Show:
    """Light these squares, and no others."""

    cues: Cues


@dataclass(frozen=True, slots=True)
class Announce:
    """Tell the world; `seq` counts from 1 in each game without gaps."""

    seq: int
    game: str
    what: What


@dataclass(frozen=True, slots=True)
class Clock:
    """What a player may use for its move, in ms: its own time left, and what it gets for each move."""

    left_ms: int
    increment_ms: int


@dataclass(frozen=True, slots=True)
class Choose:
    """Ask a player for a move; the answer carries the request's number."""

    request: int
    player: str
    game: Game
    clock: Clock | None = None


@dataclass(frozen=True, slots=True)
class StopChoosing:
    """The question of this number is no longer wanted."""

    request: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A request was carried out, or refused for a reason."""

    request: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Handle:
    """Have the arm do the first of these acts; the others come after it, and have to be in reach as well."""

    job: int
    acts: tuple[Act, ...]
    attempt: int = 0
    """How often it was tried before, 0 the first time."""


@dataclass(frozen=True, slots=True)
class Halt:
    """Have the arm stand still at once."""

    reason: str


Effect = Show | Announce | Choose | StopChoosing | Answer | Handle | Halt
