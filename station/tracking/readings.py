"""Readings: the stories that may explain a board, and what the latest frame tells of them."""

from __future__ import annotations

from dataclasses import dataclass

from engine.geometry import Square
from engine.position import Move


@dataclass(frozen=True, slots=True)
class Story:
    """What was done since the record's last move: withdraw `back` moves, then make `moves`."""

    back: int
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Untouched:
    """The board shows the game's position."""


@dataclass(frozen=True, slots=True)
class Done:
    """One story explains the board, and its last move is complete."""

    story: Story
    extendable: bool
    contradicted: bool = False
    """Whether the mover was seen where this move does not lead, but one does that ends on the same square: a piece
    may have been taken off by mistake."""


@dataclass(frozen=True, slots=True)
class Turned:
    """A story is complete, and the other side has already begun or even made the next move: it can wait no longer."""

    story: Story


@dataclass(frozen=True, slots=True)
class Moving:
    """These moves may be under way."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Clearing:
    """The mover has arrived; these captured pieces are still to be taken off."""

    move: Move
    squares: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """More than one story is complete; a person has to say which."""

    stories: tuple[Story, ...]


@dataclass(frozen=True, slots=True)
class Back:
    """The position of `plies` moves ago stands again."""

    plies: int


@dataclass(frozen=True, slots=True)
class Astray:
    """No story explains the board; it differs from the game on these squares."""

    squares: tuple[Square, ...]


Line = tuple[Move, ...]

Reading = Untouched | Done | Turned | Moving | Clearing | Ambiguous | Back | Astray
