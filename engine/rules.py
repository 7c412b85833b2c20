"""Rules: what follows from the facts of a rule set. One protocol, whatever the family of games."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol

from engine.corners import CornersRules
from engine.draughts import DraughtsRules
from engine.geometry import Square
from engine.position import Effect, Move, Position, Side
from engine.ruleset import Ruleset


class Rules(Protocol):
    """Legal moves and their end, for one rule set."""

    @property
    def ruleset(self) -> Ruleset:
        """The facts these rules follow from."""
        ...

    def start(self) -> Position:
        """The position a game begins from."""
        ...

    def opened(self, position: Position) -> Position:
        """The position as the first of a game, with what the rules must remember from then on."""
        ...

    def legal_moves(self, position: Position) -> tuple[Move, ...]:
        """Legal moves, one for each effect (from, to, captured as a set, promotes), in a fixed order.

        TooManyCapturesError when a set-up position has too many ways of capturing to be listed.
        """
        ...

    def ways(self, position: Position) -> Mapping[Effect, tuple[Move, ...]]:
        """Every way a legal move can be made: each list of landing squares and order of capture, by effect."""
        ...

    def moves_between(self, position: Position, start: Square, end: Square) -> tuple[Move, ...]:
        """The legal moves from one square to another, found faster than among all."""
        ...

    def winner(self, position: Position) -> Side | None:
        """Who has won because of what stands here or because the side to move cannot move; None while it goes on."""
        ...


@lru_cache(maxsize=256)
def rules_for(ruleset: Ruleset) -> Rules:
    """The rules of a rule set."""
    return CornersRules(ruleset) if ruleset.family == "race" else DraughtsRules(ruleset)
