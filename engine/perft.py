"""Perft: how many lines of play of a given length there are, the reference number of every move generator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.errors import TooManyCapturesError
from engine.position import Move, Position
from engine.rules import Rules

_REMEMBERED = 200_000
_FEW_PLIES = 4
"""So many plies the kernel counts in no time; more are split at the first move, so that an interrupt is heard."""

Counting = Callable[[Position, int], "Perft"]
"""Counts the leaves so many plies on."""


@dataclass(frozen=True, slots=True)
class Perft:
    """Leaves of the tree of moves: `nodes` one for each effect, `ordered` one for each order of capture.

    `ordered` is None where a position has more orders than can be listed.
    """

    nodes: int
    ordered: int | None


def perft(rules: Rules, position: Position, depth: int) -> Perft:
    """The leaves `depth` plies on; a node without moves above them counts nothing, draws are ignored."""
    return _count(rules, position, depth, {})


def divide(
    rules: Rules, position: Position, depth: int, count: Counting | None = None
) -> tuple[tuple[Move, Perft], ...]:
    """Every legal move with the leaves behind it, for finding where two generators differ; `depth` from 1.

    What is behind is counted by the readable generator, or by `count`.
    """
    known: dict[tuple[Position, int], Perft] = {}

    def readable(position: Position, depth: int) -> Perft:
        return _count(rules, position, depth, known)

    weighted = _moves_with_orders(rules, position)
    return tuple(
        (move, _times(orders, (count or readable)(position.after(move), depth - 1))) for move, orders in weighted
    )


def kernel_perft(rules: Rules) -> Counting | None:
    """`perft` by the compiled kernel; None where it is not built or cannot play these rules."""
    try:
        from engine.kernel import counting, moves
    except ImportError:
        return None
    if str(moves.__file__).endswith(".py"):
        return None
    try:
        trees = [counting.counting_tree(rules.ruleset, every_order) for every_order in (False, True)]
    except ValueError:
        return None

    def count(position: Position, depth: int) -> Perft:
        if depth > _FEW_PLIES:
            return _sum(leaves for _, leaves in divide(rules, position, depth, count_all))
        return count_all(position, depth)

    def count_all(position: Position, depth: int) -> Perft:
        nodes = counting.leaves(trees[0], position, depth, every_order=False)
        try:
            return Perft(nodes, counting.leaves(trees[1], position, depth, every_order=True))
        except TooManyCapturesError:
            return Perft(nodes, None)

    return count


def _count(rules: Rules, position: Position, depth: int, known: dict[tuple[Position, int], Perft]) -> Perft:
    if depth == 0:
        return Perft(1, 1)
    if depth == 1:
        return _sum(Perft(1, orders) for _, orders in _moves_with_orders(rules, position))
    # What follows depends on position and depth alone, so a position met again is not counted anew.
    count = known.get((position, depth))
    if count is None:
        count = _sum(
            _times(orders, _count(rules, position.after(move), depth - 1, known))
            for move, orders in _moves_with_orders(rules, position)
        )
        if len(known) < _REMEMBERED:
            known[position, depth] = count
    return count


def _sum(counts: Iterable[Perft]) -> Perft:
    nodes, ordered = 0, 0
    unlisted = False
    for count in counts:
        nodes += count.nodes
        unlisted |= count.ordered is None
        ordered += count.ordered or 0
    return Perft(nodes, None if unlisted else ordered)


def _times(orders: int | None, count: Perft) -> Perft:
    return Perft(count.nodes, None if orders is None or count.ordered is None else orders * count.ordered)


def _moves_with_orders(rules: Rules, position: Position) -> list[tuple[Move, int | None]]:
    """Each legal move with the number of orders in which it can take its pieces; None where these are too many."""
    moves = rules.legal_moves(position)
    if all(len(move.captured) < 2 for move in moves):
        return [(move, 1) for move in moves]
    try:
        ways = rules.ways(position)
    except TooManyCapturesError:
        return [(move, None) for move in moves]
    return [(move, len({way.captured for way in ways[move.effect]})) for move in moves]
