"""Which generator of the kernel counts a rule set's moves: the bare trees, without evaluation."""

from __future__ import annotations

from engine.kernel import moves, wide_moves
from engine.kernel.corners import Corners
from engine.kernel.mailbox import Mailbox
from engine.kernel.moves import Draughts
from engine.kernel.race_tables import race_tables
from engine.kernel.tables import tables_for
from engine.kernel.towers import Towers
from engine.kernel.towers_tables import towers_tables
from engine.ruleset import Ruleset


def counting_tree(ruleset: Ruleset, every_order: bool = False) -> Draughts | Mailbox:
    """A tree that lists a rule set's moves; ValueError where the kernel cannot play it.

    With `every_order` a capture game's tree lists captures that differ in the order of what they take apart; towers
    are asked for that in `perft`.
    """
    if ruleset.family == "race":
        return Corners(race_tables(ruleset))
    if ruleset.prisoners != "none":
        return Towers(towers_tables(ruleset))
    tables = tables_for(ruleset)
    return (moves if tables.width <= NARROW else wide_moves).Draughts(tables, every_order)


NARROW = 64
"""Boards of more bits need the wide generator."""
