"""Rules: what follows from the facts of a rule set. One protocol, whatever the family of games."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol

from engine.draughts import DraughtsRules
from engine.errors import RulesetError
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

    def legal_moves(self, position: Position) -> tuple[Move, ...]:
        """Legal moves, one for each effect (from, to, captured as a set, promotes), in a fixed order."""
        ...

    def ways(self, position: Position) -> Mapping[Effect, tuple[Move, ...]]:
        """Every way a legal move can be made: each list of landing squares and order of capture, by effect."""
        ...

    def winner(self, position: Position) -> Side | None:
        """Who has won because of what stands here or because the side to move cannot move; None while it goes on."""
        ...


@lru_cache(maxsize=64)
def rules_for(ruleset: Ruleset) -> Rules:
    """The rules of a rule set; RulesetError for a family that has none yet."""
    if ruleset.family == "capture" and not ruleset.prisoners:
        return DraughtsRules(ruleset)
    raise RulesetError(
        f"{ruleset.name}: family = {ruleset.family!r}, prisoners = {ruleset.prisoners}: no rules for it yet"
    )
