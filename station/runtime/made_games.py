"""Games for the hands to play where no recorded ones are at hand, made from a seed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from engine.position import Move, Position
from engine.rules import Rules, rules_for
from engine.ruleset import Ruleset

MOST_PLIES = 120
"""A made game ends here at the latest."""

HEEDLESS = 0.25
"""How often a move is made without a look at what the opponent can take."""


class Game(Protocol):
    """What hands need of a game, recorded or made."""

    @property
    def ruleset(self) -> Ruleset:
        """The rules it is played by."""

    @property
    def start(self) -> Position:
        """The position it begins with."""

    @property
    def moves(self) -> tuple[Move, ...]:
        """All its moves."""


@dataclass(frozen=True, slots=True)
class Made:
    """A game that nobody has played before."""

    ruleset: Ruleset
    start: Position
    moves: tuple[Move, ...]


def made_game(ruleset: Ruleset, chance: Random) -> Made:
    """A game in which both sides mostly avoid losing pieces at once: long enough for kings to come up."""
    rules = rules_for(ruleset)
    start = position = rules.start()
    moves: list[Move] = []
    while len(moves) < MOST_PLIES and (legal := rules.legal_moves(position)):
        moves.append(_chosen(position, legal, rules, chance))
        position = position.after(moves[-1])
    return Made(ruleset, start, tuple(moves))


def made_games(ruleset: Ruleset, seed: int) -> Iterator[Made]:
    """Any number of games, each with at least one move."""
    chance = Random(seed)
    while True:
        game = made_game(ruleset, chance)
        if game.moves:
            yield game


def mixed_games(recorded: Sequence[Game], ruleset: Ruleset, seed: int) -> Iterator[Game]:
    """Any number of games: in turn a recorded one, round and round from a place the seed says, and a made one."""
    made = made_games(ruleset, seed)
    for number in itertools.count(seed):
        if recorded:
            yield recorded[number % len(recorded)]
        yield next(made)


def _chosen(position: Position, legal: tuple[Move, ...], rules: Rules, chance: Random) -> Move:
    if len(legal) == 1 or chance.random() < HEEDLESS:
        return chance.choice(legal)
    tried = chance.sample(legal, min(len(legal), 6))
    return max(tried, key=lambda move: len(move.captured) - _threatened(position.after(move), rules))


def _threatened(position: Position, rules: Rules) -> int:
    """How many pieces the side to move can take at most."""
    return max((len(move.captured) for move in rules.legal_moves(position)), default=0)
