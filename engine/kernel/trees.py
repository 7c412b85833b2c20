"""Which tree the kernel plays a rule set on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from engine.features import layout_of
from engine.kernel import evaluate, wide_evaluate
from engine.kernel.corners import Corners
from engine.kernel.race_tables import race_tables
from engine.kernel.tables import Tables, tables_for
from engine.kernel.towers import Towers
from engine.kernel.towers_tables import towers_tables
from engine.kernel.tree import Tree
from engine.ruleset import Ruleset
from engine.weights import weights_for


def kernel_tree(ruleset: Ruleset) -> Tree:
    """A tree with the best weights there are; ValueError where the kernel cannot play this rule set."""
    if ruleset.family == "race":
        return Corners(race_tables(ruleset))
    if ruleset.prisoners != "none":
        return Towers(towers_tables(ruleset))
    return _draughts(ruleset, _shared_weights(ruleset))


def judged_tree(ruleset: Ruleset, numbers: Sequence[int]) -> Tree:
    """A tree of a capture game without towers that judges by these weights."""
    return _draughts(ruleset, _weights(ruleset, numbers))


def _draughts(ruleset: Ruleset, weights: object) -> Tree:
    return _module(tables_for(ruleset)).JudgedDraughts(tables_for(ruleset), weights)


@lru_cache(maxsize=8)
def _shared_weights(ruleset: Ruleset) -> object:
    """Read once: trees of several threads share them."""
    return _weights(ruleset, weights_for(ruleset).numbers)


def _weights(ruleset: Ruleset, numbers: Sequence[int]) -> object:
    tables = tables_for(ruleset)
    columns = [column for column, _ in ruleset.geometry.cells]
    return _module(tables).Weights(layout_of(ruleset), tables, columns, numbers)


def _module(tables: Tables) -> Any:
    if tables.width > 128:
        raise ValueError(f"a board of {tables.width} bits is wider than the kernel's 128")
    return wide_evaluate if tables.width > 64 else evaluate
