"""Perft: how many lines of play of a given length there are, the reference number of every move generator."""

from __future__ import annotations

from dataclasses import dataclass

from engine.position import Move, Position
from engine.rules import Rules

_REMEMBERED = 200_000


@dataclass(frozen=True, slots=True)
class Perft:
    """Leaves of the tree of moves: `nodes` one for each effect, `ordered` one for each order of capture."""

    nodes: int
    ordered: int


def perft(rules: Rules, position: Position, depth: int) -> Perft:
    """The leaves `depth` plies on; a node without moves above them counts nothing, draws are ignored."""
    return _count(rules, position, depth, {})


def divide(rules: Rules, position: Position, depth: int) -> tuple[tuple[Move, Perft], ...]:
    """Every legal move with the leaves behind it, for finding where two generators differ; `depth` from 1."""
    known: dict[tuple[Position, int], Perft] = {}
    weighted = _moves_with_orders(rules, position)
    below = ((move, orders, _count(rules, position.after(move), depth - 1, known)) for move, orders in weighted)
    return tuple((move, Perft(count.nodes, orders * count.ordered)) for move, orders, count in below)


def _count(rules: Rules, position: Position, depth: int, known: dict[tuple[Position, int], Perft]) -> Perft:
    if depth == 0:
        return Perft(1, 1)
    if depth == 1:
        weighted = _moves_with_orders(rules, position)
        return Perft(len(weighted), sum(orders for _, orders in weighted))
    # What follows depends on position and depth alone, so a position met again is not counted anew.
    count = known.get((position, depth))
    if count is None:
        count = _count_below(rules, position, depth, known)
        if len(known) < _REMEMBERED:
            known[position, depth] = count
    return count


def _count_below(rules: Rules, position: Position, depth: int, known: dict[tuple[Position, int], Perft]) -> Perft:
    nodes = ordered = 0
    for move, orders in _moves_with_orders(rules, position):
        count = _count(rules, position.after(move), depth - 1, known)
        nodes += count.nodes
        ordered += orders * count.ordered
    return Perft(nodes, ordered)


def _moves_with_orders(rules: Rules, position: Position) -> list[tuple[Move, int]]:
    """Each legal move with the number of orders in which it can take its pieces."""
    moves = rules.legal_moves(position)
    if all(len(move.captured) < 2 for move in moves):
        return [(move, 1) for move in moves]
    ways = rules.ways(position)
    return [(move, len({way.captured for way in ways[move.effect]})) for move in moves]
