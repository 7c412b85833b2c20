"""The kernel's trees of towers and of the race games beside the readable rules, position by position."""

from __future__ import annotations

from random import Random

from engine.errors import TooManyCapturesError
from engine.fen import write_fen
from engine.kernel.corners import Corners
from engine.kernel.race_tables import race_tables
from engine.kernel.towers import Towers
from engine.kernel.towers_tables import towers_tables
from engine.position import Position, Side
from engine.rules import Rules
from engine.ruleset import Ruleset
from tests.data_files import DATA
from tests.engine.boards import turned, turned_position


def tree_of(ruleset: Ruleset) -> Towers | Corners:
    return Corners(race_tables(ruleset)) if ruleset.family == "race" else Towers(towers_tables(ruleset))


def effects(moves):
    return [move.effect for move in moves]


def answers_alike(tree: Towers | Corners, rules: Rules, position: Position) -> int:
    """How many moves both list at the root, in the same order; -1 where both refuse to."""
    try:
        expected = effects(rules.legal_moves(position))
    except TooManyCapturesError:
        expected = None
    try:
        found = tree.effects()
    except TooManyCapturesError:
        found = None
    assert found == expected, f"{rules.ruleset.name} {write_fen(position, rules.ruleset)}"
    return -1 if found is None else len(found)


def walk(tree: Towers | Corners, rules: Rules, position: Position, chance: Random, plies: int) -> list[Position]:
    """A random game both play from `position`: moves, positions and keys agree at every ply; the positions met."""
    fresh = tree_of(rules.ruleset)
    met = [position]
    tree.set(position)
    made = [0, 0]
    for _ in range(plies):
        moves = answers_alike(tree, rules, position)
        if moves <= 0:
            break
        number = chance.randrange(moves)
        made[int(position.turn is Side.BLACK)] += 1
        tree.play(number)
        position = position.after(rules.legal_moves(position)[number])
        assert tree.position() == position
        fresh.set(position, tuple(made)) if isinstance(fresh, Corners) else fresh.set(position)
        assert tree.key_at() == fresh.key_at()
        assert tree.features() == fresh.features()
        met.append(position)
    return met


def other_side_up(position: Position, ruleset: Ruleset) -> Position:
    """The position with the board turned round and the colours changed, towers as well."""
    around = turned_position(position, ruleset)
    if position.towers is None:
        return around
    beneath = [()] * len(position.contents)
    for square, stack in enumerate(position.towers.beneath):
        changed = turned_position(Position((*stack, *position.contents[len(stack) :]), position.turn), ruleset)
        beneath[turned(square, ruleset)] = tuple(changed.contents[turned(n, ruleset)] for n in range(len(stack)))
    return Position(around.contents, around.turn, type(position.towers)(tuple(beneath), position.towers.keep_rank))


def own_rows(variant: str) -> list[tuple[str, int, int, int]]:
    """FEN by rows, depth, leaves and leaves with orders apart, from this repository's table."""
    rows = []
    for line in (DATA / "perft" / f"{variant}.perft").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            fen, depth, nodes, ordered, _ = (part.strip() for part in line.split("|"))
            rows.append((fen, int(depth), int(nodes), int(ordered)))
    return rows
