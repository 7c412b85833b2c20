"""Perft: how many lines of play of a given length there are, the reference number of every move generator."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.errors import TooManyCapturesError
from engine.position import Move, Position
from engine.rules import Rules

_REMEMBERED = 200_000


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


def divide(rules: Rules, position: Position, depth: int) -> tuple[tuple[Move, Perft], ...]:
    """Every legal move with the leaves behind it, for finding where two generators differ; `depth` from 1."""
    known: dict[tuple[Position, int], Perft] = {}
    weighted = _moves_with_orders(rules, position)
    return tuple(
        (move, _times(orders, _count(rules, position.after(move), depth - 1, known))) for move, orders in weighted
    )


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
