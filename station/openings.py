"""How a game at a board begins: from the variant's start, from a position asked for, or with a drawn opening."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from engine.errors import NotationError, TooManyCapturesError
from engine.fen import read_fen
from engine.game import Game, new_game
from engine.position import Position
from engine.rules import rules_for
from engine.ruleset import Ruleset, load_ruleset, variant_names

if TYPE_CHECKING:
    from engine.ballot import Ballot


@dataclass(frozen=True, slots=True)
class Opened:
    """A game that is to begin: the drawn moves are made in it, and nothing after them.

    `opening` is the table and the label of what was drawn, empty when nothing was.
    """

    game: Game
    drawn_plies: int = 0
    opening: str = ""


def opened(ruleset: Ruleset, start_fen: str, ballot: str, game_id: str) -> Opened:
    """The game of this identity as its players find it; NotationError when start position or ballot is impossible.

    What a ballot draws follows from the identity alone, so that a replay of the journal draws the same.
    """
    if not ballot:
        return Opened(new_game(ruleset, start_position(ruleset, start_fen)))
    from engine.ballot import drawn

    found = drawn(checked_ballot(ballot, ruleset), ruleset, seed_of(game_id))
    return Opened(found.game, len(found.moves), found.text)


def start_position(ruleset: Ruleset, start_fen: str) -> Position:
    """The position that a FEN states, or the variant's start; NotationError when no game can be played from it."""
    rules = rules_for(ruleset)
    position = rules.opened(read_fen(start_fen, ruleset)) if start_fen else rules.start()
    try:
        rules.legal_moves(position)
    except TooManyCapturesError as error:
        raise NotationError(f"{error}, expected a position whose captures can be listed") from error
    return position


def seed_of(game_id: str) -> int:
    """The seed of a game's ballot: the first 64 bits of the SHA-256 of its identity (boot, then number)."""
    return int.from_bytes(hashlib.sha256(game_id.encode()).digest()[:8], "big")


@lru_cache(maxsize=64)
def checked_ballot(text: str, ruleset: Ruleset) -> Ballot:
    """The ballot that a text asks for under these rules; NotationError when it may draw what they do not allow."""
    from engine.ballot import load_table, read_ballot, start_of

    ballot = read_ballot(text, ruleset)
    if ruleset.name not in variant_names() or ruleset != load_ruleset(ruleset.name):
        # The tables were drawn up for the built-in rules; house rules may forbid a move of theirs.
        table = load_table(ballot.table)
        for opening in table.openings:
            if not ballot.label or opening.label == ballot.label:
                start_of(opening, table, ruleset)
    return ballot
