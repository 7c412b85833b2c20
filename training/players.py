"""A player for training: a tree, a searcher and weights in one process, moves by number of nodes, no clock."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.endings import EndingTables
from engine.kernel.hashing import Table
from engine.kernel.search import Search
from engine.kernel.thinking import deepen
from engine.kernel.tree import UNKNOWN
from engine.kernel.trees import judged_tree
from engine.rules import rules_for
from engine.ruleset import Ruleset

MOST_PLIES = 200
"""Plies after which a game in training is drawn."""

TABLE_BYTES = 4 << 20


class Player:
    """Plays one side, or both, of games by one rule set; `knobs` are settings of its `Search`."""

    def __init__(
        self,
        ruleset: Ruleset,
        numbers: Sequence[int],
        endings: EndingTables | None = None,
        knobs: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.knobs = knobs
        self.tree = judged_tree(ruleset, numbers)
        if endings is not None:
            self.tree.use_endings(endings.for_search())
        self.table = Table(TABLE_BYTES)
        self.search = self._searcher()

    def new_game(self, ruleset: Ruleset) -> None:
        """Stand at the start, with nothing remembered from the game before."""
        self.tree.set(rules_for(ruleset).start())
        self.table.clear()
        self.search = self._searcher()

    def _searcher(self) -> Search:
        search = Search(self.tree, self.table)
        for name, number in self.knobs.items():
            setattr(search, name, number)
        search.set_reductions()
        return search


@dataclass(slots=True)
class Record:
    """One position of a game: boards as Draughts.boards gives them, the score for White, whether it is at rest."""

    boards: tuple[int, int, int, int, int]
    score: int
    quiet: bool


def play_game(
    ruleset: Ruleset, white: Player, black: Player, opening: Sequence[int], nodes: int
) -> tuple[float, list[Record]]:
    """A game from an opening (numbers of moves): White's points (1, 0.5, 0) and the positions after the opening.

    It ends as soon as an endgame table knows how it ends.
    """
    players = (white, black)
    for player in set(players):
        player.new_game(ruleset)
    keys: list[int] = []
    for number in opening:
        _advance(players, number)
    records: list[Record] = []
    side = 0
    for _ in range(MOST_PLIES):
        side = players[0].tree.boards()[4]
        player = players[side]
        if player.tree.decided_at(0):
            return _points(player.tree.decided_at(0), side), records
        known = player.tree.ending_at(0)
        if known != UNKNOWN:
            return (_points(known, side) if known else 0.5), records
        drawn = player.tree.drawn_at(0)
        if drawn:
            return (0.5 if drawn == 1 else 1.0 if drawn == 2 else 0.0), records
        key = player.tree.key_at(0)
        if keys.count(key) >= 2:
            return 0.5, records
        found = deepen(player.search, nodes, history=keys)
        if found.best is None:
            return _points(1 if player.tree.no_move_wins else -1, side), records
        quiet = player.tree.is_quiet()
        records.append(Record(player.tree.boards(), found.score if side == 0 else -found.score, quiet))
        keys.append(key)
        _advance(players, found.best.index)
    return 0.5, records


def _points(result: int, side: int) -> float:
    """White's points when the side to move has won (1) or lost (-1)."""
    return 1.0 if (result > 0) == (side == 0) else 0.0


def _advance(players: tuple[Player, Player], number: int) -> None:
    for player in set(players):
        player.tree.moves_at(0)
        player.tree.play(number)


def random_opening(ruleset: Ruleset, player: Player, plies: int, chance: random.Random) -> list[int]:
    """Numbers of random moves from the start; shorter where the game ends before."""
    player.new_game(ruleset)
    numbers = []
    for _ in range(plies):
        count = player.tree.moves_at(0)
        if count <= 0 or player.tree.decided_at(0):
            break
        number = chance.randrange(count)
        numbers.append(number)
        player.tree.play(number)
    return numbers
