"""Where board and tray lie in an arm's space, as its calibration found them: cells and slots to millimetres."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from firmware_bridge.arm_driver import FindHome, Go, Grip, Order
from firmware_bridge.manipulations import Act, Fetch, Flip, Home, Lift, Park, Place, Remove, Slide, Slot, Spot

Point = tuple[float, float, float]
"""(x, y, z) in mm of the machine."""

SHORT_MM = 60.0
"""No waypoint is farther: a controller that loses its host finishes the one it has."""
SEARCH_MM = ((0.0, 0.0), (1.2, 0.0), (-0.6, 1.0))
"""Where a piece is gripped at the first, second and third try: always within its own square."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A board of `columns` x `rows` cells, its tray and the reachable box; everything in mm of the machine.

    `near_left`, `near_right` and `far_left` are the centres of the corner cells as White sees the board; all the same
    while nobody has touched them.
    """

    columns: int
    rows: int
    lowest: Point
    highest: Point
    park: Point
    near_left: tuple[float, float] = (0.0, 0.0)
    near_right: tuple[float, float] = (0.0, 0.0)
    far_left: tuple[float, float] = (0.0, 0.0)
    board_z: float = 0.0
    """The tool's height when it touches the board."""
    piece_mm: float = 8.0
    """Height of a man."""
    grip_mm: float = 5.0
    """How far above the foot of a piece the tool holds it."""
    carry_mm: float = 40.0
    """How far above the board the tool travels."""
    tray: tuple[tuple[float, float], ...] = ()
    """The slots, by number."""
    tray_z: float = 0.0
    feed: float = 6000.0
    """mm/min on the way."""
    plunge: float = 1200.0
    """mm/min down to a piece and up from it."""
    is_below: bool = False
    """A magnet under the board: nothing goes up and down, and the pieces follow."""
    corrections: tuple[tuple[float, float], ...] = ()
    """What nine touched points add, rows from the far side, left to right; between them by their distance."""

    def xy(self, spot: Spot) -> tuple[float, float]:
        """Where a spot lies, in mm."""
        across, along = spot[0] / (self.columns - 1), 1 - spot[1] / (self.rows - 1)
        x, y = (
            near + across * (right - near) + along * (far - near)
            for near, right, far in zip(self.near_left, self.near_right, self.far_left, strict=True)
        )
        off_x, off_y = self._correction(across, 1 - along)
        return x + off_x, y + off_y

    def _correction(self, across: float, down: float) -> tuple[float, float]:
        if not self.corrections:
            return 0.0, 0.0
        column, row = (min(max(place * 2, 0.0), 2.0) for place in (across, down))
        left, top = min(int(column), 1), min(int(row), 1)
        u, v = column - left, row - top
        corners = (
            (top, left, (1 - u) * (1 - v)),
            (top, left + 1, u * (1 - v)),
            (top + 1, left, (1 - u) * v),
            (top + 1, left + 1, u * v),
        )
        x = sum(self.corrections[3 * r + c][0] * share for r, c, share in corners)
        return x, sum(self.corrections[3 * r + c][1] * share for r, c, share in corners)

    @property
    def is_placed(self) -> bool:
        """Whether it is known where the board lies."""
        return len({self.near_left, self.near_right, self.far_left}) == 3

    @property
    def pitch_mm(self) -> float:
        """From one cell's centre to the next."""
        return math.dist(self.near_left, self.near_right) / (self.columns - 1)

    def fault(self) -> str | None:
        """What of board, tray and parking place is out of reach or does not fit; None when all is well."""
        if self.carry_mm < self.grip_mm + 2 * self.piece_mm:
            least = self.grip_mm + 2 * self.piece_mm
            return f"carry_mm = {self.carry_mm:g}: expected at least {least:g}: what is carried passes over a king"
        columns, rows = (0, self.columns - 1), (0, self.rows - 1)
        acts: list[Act] = [Park()]
        if self.is_below:
            acts += [Slide(((column, row),)) for column in columns for row in rows]
        else:
            acts += [Lift((column, row)) for column in columns for row in rows]
            acts += [Fetch(slot, (0, 0)) for slot in range(len(self.tray))]
        return next((out for act in acts if (out := self.out_of_reach(act)) is not None), None)

    def out_of_reach(self, act: Act) -> str | None:
        """Where an act would leave the reachable box, or which slot there is not; None when it stays inside."""
        if isinstance(act, Remove | Fetch) and not 0 <= act.slot < len(self.tray):
            return f"slot {act.slot}: expected 0 to {len(self.tray) - 1}"
        outside = next((out for order in self.orders(act) if (out := self.outside(order)) is not None), None)
        return None if outside is None else f"{act}: {outside}"

    def outside(self, order: Order) -> str | None:
        """By which axis an order leaves the reachable box; None when it stays inside."""
        if not isinstance(order, Go):
            return None
        for axis, place, low, high in zip("xyz", _point(order), self.lowest, self.highest, strict=True):
            if not low - 1e-6 <= place <= high + 1e-6:
                return f"{axis} = {place:.2f} mm: expected {low:g} to {high:g} mm"
        return None

    def orders(self, act: Act, attempt: int = 0) -> tuple[Order, ...]:
        """What carries out an act, from wherever the tool is above the board."""
        offset = SEARCH_MM[attempt % len(SEARCH_MM)]
        if attempt:  # the tool has closed on nothing
            return (Grip(False), *self._first(act, offset))
        return self._first(act, offset)

    def _first(self, act: Act, offset: tuple[float, float]) -> tuple[Order, ...]:
        match act:
            case Home():
                return (FindHome(),)
            case Park():
                return (Go(*self.park, self.feed),)
            case Lift(cell=cell, level=level):
                return tuple(self._take(self.xy(cell), self.board_z + level * self.piece_mm, offset))
            case Place(cell=cell, level=level):
                return tuple(self._put(self.xy(cell), self.board_z + level * self.piece_mm))
            case Remove(cell=cell, slot=slot, level=level):
                taken = self._take(self.xy(cell), self.board_z + level * self.piece_mm, offset)
                return (*taken, *self._put(self._slot(slot), self.tray_z))
            case Fetch(slot=slot, cell=cell, level=level):
                taken = self._take(self._slot(slot), self.tray_z, offset)
                return (*taken, *self._put(self.xy(cell), self.board_z + level * self.piece_mm))
            case Slide(way=way):
                return tuple(self._draw(way))
            case Flip(cell=cell):
                raise NotImplementedError(f"no machine that is known turns pieces over: {cell}")

    def _slot(self, slot: Slot) -> tuple[float, float]:
        return self.tray[slot] if 0 <= slot < len(self.tray) else (math.inf, math.inf)

    @property
    def _carry_z(self) -> float:
        return self.board_z + self.carry_mm

    def _take(self, place: tuple[float, float], foot_z: float, offset: tuple[float, float]) -> Iterator[Order]:
        x, y = place[0] + offset[0], place[1] + offset[1]
        yield Go(x, y, self._carry_z, self.feed)
        yield Go(x, y, foot_z + self.grip_mm, self.plunge)
        yield Grip(True)
        yield Go(x, y, self._carry_z, self.plunge)

    def _put(self, place: tuple[float, float], foot_z: float) -> Iterator[Order]:
        yield Go(*place, self._carry_z, self.feed)
        yield Go(*place, foot_z + self.grip_mm, self.plunge)
        yield Grip(False)
        yield Go(*place, self._carry_z, self.plunge)

    def _draw(self, way: tuple[Spot, ...]) -> Iterator[Order]:
        yield Grip(False)
        yield Go(*self.xy(way[0]), self.board_z, self.feed)
        yield Grip(True)
        for spot in way[1:]:
            yield Go(*self.xy(spot), self.board_z, self.plunge)
        yield Grip(False)


def _point(order: Go) -> Point:
    return order.x_mm, order.y_mm, order.z_mm


def in_short_lines(start: Point | None, order: Order) -> tuple[Order, ...]:
    """An order as waypoints none of which is far from the one before; from an unknown place it is one."""
    if start is None or not isinstance(order, Go):
        return (order,)
    count = max(1, math.ceil(math.dist(start, _point(order)) / SHORT_MM))
    return tuple(_between(start, order, number / count) for number in range(1, count + 1))


def _between(start: Point, end: Go, share: float) -> Go:
    x, y, z = (a + share * (b - a) for a, b in zip(start, _point(end), strict=True))
    return Go(x, y, z, end.feed)


def length_mm(start: Point | None, order: Go) -> float:
    """How far an order goes; from an unknown place as far as an arm is long."""
    return 600.0 if start is None else math.dist(start, _point(order))
