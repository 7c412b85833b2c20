"""Thinking: one move's search without a clock, for self-play and tests. Whoever has a clock calls `iterate` itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.kernel.hashing import Table
from engine.kernel.search import MOST_DEPTH, WIN, Found, Search
from engine.kernel.tree import Tree


def think(
    tree: Tree,
    table: Table,
    nodes: int = 0,
    depth: int = MOST_DEPTH,
    history: Sequence[int] = (),
) -> Found:
    """Search the position at ply 0 of `tree` with a new searcher; see `deepen`."""
    return deepen(Search(tree, table), nodes, depth, history)


def deepen(
    search: Search,
    nodes: int = 0,
    depth: int = MOST_DEPTH,
    history: Sequence[int] = (),
    exclude: Collection[int] = (),
    margin: int = 0,
) -> Found:
    """One iteration after another up to `depth` plies or `nodes` positions (0: no bound); the last result.

    See `Search.begin` for the rest. Ends early when a win or a loss is proven. Without a legal move the result's `best`
    is None.
    """
    search.begin(history, nodes, exclude, margin)
    found = search.result()
    for plies in range(1, depth + 1):
        found = search.iterate(plies)
        if not found.complete or is_proven(found):
            break
    return found


def is_proven(found: Found) -> bool:
    """Whether searching deeper cannot change the result: no move, or a win or a loss that lies within the depth."""
    return found.best is None or WIN - abs(found.score) <= found.depth
