"""What the generators of towers and of the race games know of a board: neighbours, directions, words for keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engine.game import main_road
from engine.geometry import Direction, Square
from engine.kernel.tables import Counter, counters_of
from engine.ruleset import Directions, Ruleset

OFF = 255
"""The neighbour of a square where the board ends."""

_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A board of one number a square, squares in official order; what depends on the side is a pair, White's first.

    `neighbours[8 * square + direction]` is the next square or OFF. Directions are those of `Direction`, in the order
    in which the readable generator tries them. `road` are the squares of the main road, where a draw rule asks for it.
    """

    neighbours: tuple[int, ...]
    man_moves: tuple[tuple[int, ...], tuple[int, ...]]
    man_captures: tuple[tuple[int, ...], tuple[int, ...]]
    king_moves: tuple[tuple[int, ...], tuple[int, ...]]
    king_captures: tuple[tuple[int, ...], tuple[int, ...]]
    road: tuple[Square, ...]
    counters: tuple[Counter, ...]

    @property
    def squares(self) -> int:
        """How many squares play."""
        return len(self.neighbours) // 8


def mailbox_of(ruleset: Ruleset, blacks: Callable[[Direction], Direction]) -> Mailbox:
    """The board of a rule set; `blacks` turns a direction as White plays it into Black's."""
    lines = ruleset.geometry.lines
    counters = counters_of(ruleset)
    asks_for_road = any(any(counter.facts[7:10]) for counter in counters)

    def both(stated: Directions) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return _in_order(stated), _in_order(map(blacks, stated))

    return Mailbox(
        neighbours=tuple(line[0] if line else OFF for seen in lines for line in seen),
        man_moves=both(ruleset.man_moves),
        man_captures=both(ruleset.man_captures),
        king_moves=both(ruleset.king_moves),
        king_captures=both(ruleset.king_captures),
        road=tuple(sorted(main_road(ruleset))) if asks_for_road else (),
        counters=counters,
    )


def _in_order(directions: Iterable[Direction]) -> tuple[int, ...]:
    return tuple(sorted(map(int, directions)))


def words(seed: int, count: int) -> tuple[int, ...]:
    """`count` numbers of 64 bits without a pattern, the same for the same seed (the generator known as splitmix64)."""
    found: list[int] = []
    state = seed
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
        found.append(word ^ (word >> 31))
    return tuple(found)
