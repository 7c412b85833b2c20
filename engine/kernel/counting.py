"""Which generator of the kernel counts a rule set's moves: the bare trees, without evaluation."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from engine.kernel.corners import Corners
from engine.kernel.mailbox import Mailbox
from engine.kernel.race_tables import race_tables
from engine.kernel.tables import tables_for
from engine.kernel.towers import Towers
from engine.kernel.towers_tables import towers_tables
from engine.position import Position
from engine.ruleset import Ruleset

NARROW = 64
"""Boards of more bits need the wide generator."""


def counting_tree(ruleset: Ruleset, every_order: bool = False) -> Any:
    """A tree that lists a rule set's moves; ValueError where the kernel cannot play it.

    With `every_order` a capture game's tree lists captures that differ in the order of what they take apart; towers
    are asked for that in `perft`.
    """
    if ruleset.family == "race":
        return Corners(race_tables(ruleset))
    if ruleset.prisoners != "none":
        return Towers(towers_tables(ruleset))
    tables = tables_for(ruleset)
    # Not every machine has the wide one: it needs a compiler that knows integers of 128 bits.
    name = "moves" if tables.width <= NARROW else "wide_moves"
    try:
        module = import_module(f"engine.kernel.{name}")
    except ImportError as error:
        raise ValueError(f"{ruleset.name}: the kernel for a board of {tables.width} bits is not built") from error
    return module.Draughts(tables, every_order)


def leaves(tree: Any, position: Position, depth: int, every_order: bool) -> int:
    """The leaves `depth` plies below a position, on a tree made for this; see its `perft` for errors."""
    tree.set(position)
    count: int = tree.perft(depth, ordered=every_order) if isinstance(tree, Mailbox) else tree.perft(depth)
    return count
