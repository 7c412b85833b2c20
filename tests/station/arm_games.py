"""Whole games by an arm: an engine against itself, from openings that chance draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from engine.game import Game
from engine.position import Move, side_of
from engine.thinking import Thinker, think
from station.announcements import ArmStopped
from tests.station.arm_table import ArmTable

OPENING_PLIES = 6
NODES = 400
"""Of a move's search: enough to see a capture coming."""
LONGEST = 200
"""Plies after which a game is long enough."""
LIMIT_MS = 20_000_000
SLOTS = 48
"""Of the tray: room for all that a game of forty pieces captures, so that nobody has to empty it."""


def engine(thinker: Thinker, seed: int) -> Callable[[Game], Move]:
    """Both players of a game: what they choose."""
    chance = Random(seed)

    def choose(game: Game) -> Move:
        if game.ply < OPENING_PLIES:
            return chance.choice(game.legal_moves)
        found = think(thinker, game, nodes=NODES)
        assert found is not None
        return found.line[0]

    return choose


def table_for(variant: str, seed: int, crown: str, chooses: Callable[[Game], Move]) -> ArmTable:
    """A table at which the arm makes both players' moves."""
    sides = {"white": "engine:1", "black": "engine:1"}
    return ArmTable(variant, seed=seed, crown=crown, slots=SLOTS, chooses=chooses, **sides)


@dataclass(frozen=True, slots=True)
class Played:
    """How a game by an arm went."""

    plies: int
    is_over: bool
    collisions: tuple[str, ...]
    stops: tuple[str, ...]
    """Why the arm stood still by itself."""
    sent_shut: tuple[bytes, ...]
    """What would have moved it, sent while the gate was shut."""
    is_board_right: bool
    """Whether in the end the board shows the record's position: whose piece stands where."""

    @property
    def is_good(self) -> bool:
        """Whether nothing at all was wrong."""
        return self.is_board_right and not (self.collisions or self.stops or self.sent_shut)


def play_game(table: ArmTable, plies: int = LONGEST) -> Played:
    """Have the arm play both sides, to the end or for so many plies."""
    table.until(lambda: table.phase == "Over" or table.session.game.ply >= plies, LIMIT_MS)
    contents = table.session.game.position.contents
    return Played(
        table.session.game.ply,
        table.phase == "Over",
        tuple(table.shop.collisions),
        tuple(stopped.reason for stopped in table.heard_of(ArmStopped)),
        tuple(table.sent_shut),
        [side_of(piece) for piece in table.stands] == [side_of(piece) for piece in contents],
    )
