"""A pair of hands over one board: the only place where simulated touches come into being."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from random import Random

from engine.geometry import Square
from engine.position import EMPTY, Piece, Position, side_of
from station.simulation.errors import ImpossibleTouchError
from station.simulation.habits import Crowning, Habits, Removal, Slip, Span, Style
from station.simulation.touches import Kind, Performance, Touch, apply, beneath


class Pair:
    """What stands on the board, the time, and every contact so far.

    One hand acts now (`take`, `put`); what the other hand will do meanwhile is planned (`plan`) and happens while
    the first one waits. The clock starts with the first contact: waiting before it takes no time.
    `towers` is what stands under the top pieces, from the bottom upwards.
    """

    def __init__(
        self,
        world: Sequence[Piece],
        habits: Habits,
        chance: Random,
        start_ms: int,
        towers: Mapping[Square, tuple[Piece, ...]] | None = None,
    ) -> None:
        self.world = list(world)
        self._towers = dict(towers or {})
        self.habits = habits
        self.chance = chance
        self.now_ms = start_ms
        self.slips: list[Slip] = []
        self._collected: Counter[Square] = Counter()
        self._touches: list[Touch] = []
        self._planned: list[tuple[int, int, Kind, Square, Piece]] = []
        self._plans = 0

    @property
    def touches(self) -> tuple[Touch, ...]:
        """Every contact so far, in order of time."""
        return tuple(self._touches)

    def happens(self, probability: float) -> bool:
        """Whether a habit of this probability shows now."""
        return self.chance.random() < probability

    def wait(self, duration_ms: int) -> None:
        """Lets time pass; what the other hand has planned for it happens."""
        if not self._touches:
            return
        until_ms = self.now_ms + duration_ms
        while self._planned and self._planned[0][0] <= until_ms:
            self._do_planned(heappop(self._planned))
        self.now_ms = until_ms

    def pause(self, span: Span) -> None:
        """Waits for a time that follows the pace."""
        self.wait(span.draw(self.chance, self.habits.pace))

    def linger(self, span: Span) -> None:
        """Waits for a time that does not follow the pace."""
        self.wait(span.draw(self.chance))

    def take(self, square: Square) -> Piece:
        """Takes the piece off a square."""
        piece = self.world[square]
        self._touch("take", square, piece)
        return piece

    def put(self, square: Square, piece: Piece) -> None:
        """Puts a piece on a square."""
        self._touch("put", square, piece)

    def plan(self, after_ms: int, kind: Kind, square: Square, piece: Piece) -> None:
        """Has the other hand take or put a piece some time from now."""
        self._plans += 1
        heappush(self._planned, (self.now_ms + after_ms, self._plans, kind, square, piece))

    def is_free(self, square: Square) -> bool:
        """Whether nothing stands on a square and nothing is planned there."""
        return self.world[square] is EMPTY and not self.is_planned(square)

    def is_planned(self, square: Square) -> bool:
        """Whether the other hand has something to do on a square."""
        return any(planned[3] == square for planned in self._planned)

    def is_collected(self, square: Square, times: int = 1) -> bool:
        """Whether so many captured pieces of a square are off, or the other hand is about to take them off."""
        return self._collected[square] >= times

    def collect(self, square: Square) -> None:
        """Takes a captured piece off for good; of a tower its top, and the next one shows."""
        self._touch(*self._collecting(square))

    def cover(self, square: Square, piece: Piece) -> None:
        """Puts a piece on a square, or on top of the tower that stands there."""
        self._touch("put" if self.world[square] is EMPTY else "change", square, piece)

    def plan_collecting(self, after_ms: int, square: Square) -> None:
        """Has the other hand take a captured piece off for good."""
        self.plan(after_ms, *self._collecting(square))

    def _collecting(self, square: Square) -> tuple[Kind, Square, Piece]:
        self._collected[square] += 1
        left = self._towers.pop(square, ())
        if not left:
            return "take", square, self.world[square]
        self._towers[square] = left[:-1]
        return "change", square, left[-1]

    def make_room(self, square: Square) -> None:
        """Takes a captured piece off where the moving one is about to land."""
        if self.world[square] is EMPTY:
            return
        self._planned = sorted(planned for planned in self._planned if planned[3] != square)
        self.collect(square)
        self.pause(self.habits.rest)

    def finish(self) -> None:
        """Lets the other hand do all that is still planned."""
        while self._planned:
            self.wait(self._planned[0][0] - self.now_ms)

    def performance(
        self, style: Style, removal: Removal | None = None, crowning: Crowning | None = None
    ) -> Performance:
        """All of it, once nothing is left to do."""
        self.finish()
        last_ms = self._touches[-1].at_ms
        return Performance(self.touches, last_ms, tuple(self.slips), style, tuple(self.world), removal, crowning)

    def _do_planned(self, planned: tuple[int, int, Kind, Square, Piece]) -> None:
        self.now_ms, _, kind, square, piece = planned
        self._touch(kind, square, piece)

    def _touch(self, kind: Kind, square: Square, piece: Piece) -> None:
        touch = Touch(self.now_ms, kind, square, piece)
        apply(self.world, touch)
        self._touches.append(touch)


def pair_at(world: Sequence[Piece], position: Position, habits: Habits, chance: Random, start_ms: int) -> Pair:
    """Hands at a physical board on which a game's position stands; ImpossibleTouchError when another does."""
    different = [
        square
        for square, (stands, expected) in enumerate(zip(world, position.contents, strict=True))
        if stands is not expected and side_of(stands) is not side_of(expected)
    ]
    if different:
        raise ImpossibleTouchError(f"squares {different} hold something else than the position")
    return Pair(world, habits, chance, start_ms, beneath(position))
