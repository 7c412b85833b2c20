"""Wood on a table: pieces as cylinders in millimetres, a tool that takes them, and whatever it runs into.

Nothing in here knows of squares' names, of moves or of plans. A board is a lattice of cells; what stands on a cell is
what stands within its sensor's reach.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from engine.geometry import Cell
from engine.position import Piece

Place = tuple[float, float, float]
STRIDE_MM = 2.0
"""How finely a way is looked at for collisions."""


@dataclass(frozen=True, slots=True)
class Timber:
    """Where a board of `columns` x `rows` cells lies on the table, and how big its pieces are; mm and degrees."""

    columns: int
    rows: int
    pitch: float = 40.0
    origin: tuple[float, float] = (0.0, 0.0)
    """Centre of the cell at White's left, in the row next to White."""
    turned_deg: float = 0.0
    """How the board's rows are turned against the table's x axis, anticlockwise."""
    diameter: float = 30.0
    height: float = 8.0
    board_z: float = 0.0
    tray_z: float = 0.0
    sensed: float = 0.33
    """How far from a cell's centre its sensor sees a piece, in pitches."""

    def centre(self, column: float, row: float) -> tuple[float, float]:
        """The middle of a cell; row 0 is the farthest from White."""
        across, along = column * self.pitch, (self.rows - 1 - row) * self.pitch
        angle = math.radians(self.turned_deg)
        x = self.origin[0] + across * math.cos(angle) - along * math.sin(angle)
        return x, self.origin[1] + across * math.sin(angle) + along * math.cos(angle)

    def cell(self, x: float, y: float) -> Cell | None:
        """The cell whose sensor sees a piece that stands here."""
        return self._near(x, y, self.sensed)

    def is_on_board(self, x: float, y: float) -> bool:
        """Whether what stands here stands on the board."""
        return self._near(x, y, 1.0) is not None

    def _near(self, x: float, y: float, reach: float) -> Cell | None:
        angle = math.radians(-self.turned_deg)
        right, up = x - self.origin[0], y - self.origin[1]
        across = (right * math.cos(angle) - up * math.sin(angle)) / self.pitch
        row = self.rows - 1 - (right * math.sin(angle) + up * math.cos(angle)) / self.pitch
        near = (round(across), round(row))
        if not (0 <= near[0] < self.columns and 0 <= near[1] < self.rows):
            return None
        return near if math.dist(near, (across, row)) <= reach else None


@dataclass(slots=True, eq=False)
class Wood:
    """One piece: its foot's centre, and what it is."""

    x: float
    y: float
    z: float
    piece: Piece


@dataclass(slots=True)
class Tool:
    """What the machine moves: it takes what is under it when it closes."""

    at: Place
    radius: float = 6.0
    """Of the part that goes down beside a piece's top."""
    catch: float = 5.0
    """How far off a piece's middle it still takes it."""
    is_closed: bool = False
    is_below: bool = False
    """A magnet under the board."""
    is_stuck: bool = False
    """It does not let go."""
    misses: int = 0
    """So many times it does not take what is under it."""
    drops_after_mm: float | None = None
    """It loses what it carries after so long a way."""
    held: list[Wood] = field(default_factory=list)


class Workshop:
    """A table with a board, pieces and one tool."""

    def __init__(self, timber: Timber, tool: Tool) -> None:
        self.timber, self.tool = timber, tool
        self.wood: list[Wood] = []
        self.collisions: list[str] = []
        self._seen: dict[Cell, tuple[Piece, ...]] | None = None
        """What the sensors see, until something changes on the table."""

    # --- hands

    def put(self, cell: Cell, piece: Piece) -> None:
        """A hand puts a piece on a cell, on top of what stands there."""
        self.put_at(*self.timber.centre(*cell), piece)

    def take(self, cell: Cell) -> None:
        """A hand takes away all that stands on a cell."""
        gone, self._seen = self.on(cell), None
        self.wood = [wood for wood in self.wood if wood not in gone]

    def put_at(self, x: float, y: float, piece: Piece) -> None:
        """A hand puts a piece on the table."""
        self._seen = None
        self.wood.append(Wood(x, y, self._ground(x, y, None), piece))

    def push(self, cell: Cell, by: tuple[float, float]) -> None:
        """Something pushes what stands on a cell."""
        self._seen = None
        for wood in self.on(cell):
            wood.x, wood.y = wood.x + by[0], wood.y + by[1]

    def free_hand(self) -> None:
        """A hand takes what the tool holds off it, and away."""
        held, self.tool.held, self._seen = self.tool.held, [], None
        self.wood = [wood for wood in self.wood if wood not in held]

    def look_again(self) -> None:
        """A hand has moved wood by itself."""
        self._seen = None

    # --- what is seen

    def on(self, cell: Cell) -> list[Wood]:
        """What stands on a cell, from the bottom up."""
        low = self.timber.board_z - 1
        found = [
            wood
            for wood in self.wood
            if wood not in self.tool.held and wood.z > low and self.timber.cell(wood.x, wood.y) == cell
        ]
        return sorted(found, key=lambda wood: wood.z)

    def seen(self) -> dict[Cell, tuple[Piece, ...]]:
        """What stands on each cell that is not empty, from the bottom up."""
        if self._seen is not None:
            return self._seen
        found: dict[Cell, list[Wood]] = {}
        for wood in self.wood:
            if wood in self.tool.held and not self.tool.is_below:
                continue
            cell = self.timber.cell(wood.x, wood.y)
            if cell is not None:
                found.setdefault(cell, []).append(wood)
        self._seen = {
            cell: tuple(wood.piece for wood in sorted(pile, key=lambda wood: wood.z)) for cell, pile in found.items()
        }
        return self._seen

    # --- the machine

    def go(self, to: Place) -> None:
        """The tool moves in a straight line; what is in its way is told of."""
        start, loses_mm = self.tool.at, self.tool.drops_after_mm
        length = math.dist(start, to)
        if loses_mm is None or not self.tool.held:
            self._go(to)
            return
        if loses_mm < length:
            self._go(_between(start, to, loses_mm / length))
            self._lose()
            self._go(to)
            return
        self.tool.drops_after_mm = loses_mm - length
        self._go(to)

    def _go(self, to: Place) -> None:
        start = self.tool.at
        if self._is_above_all(to):
            self._carry(to)
            return
        length, beside = math.dist(start, to), self._beside(start, to)
        for number in range(1, max(1, math.ceil(length / STRIDE_MM)) + 1):
            share = min(1.0, number * STRIDE_MM / length) if length else 1.0
            self._carry(_between(start, to, share))
            self._collide(beside)

    def _beside(self, start: Place, to: Place) -> list[Wood]:
        """The wood that a straight way may run into: what stands in the box around it."""
        tool = self.tool
        reach = self.timber.diameter + tool.radius + tool.catch
        (left, right), (near, far) = sorted((start[0], to[0])), sorted((start[1], to[1]))
        return [
            wood
            for wood in self.wood
            if left - reach <= wood.x <= right + reach and near - reach <= wood.y <= far + reach
            if wood not in tool.held
        ]

    def _is_above_all(self, to: Place) -> bool:
        """Whether nothing stands as high as the tool and what it holds, now and where it goes."""
        tool = self.tool
        hanging = max((tool.at[2] - wood.z for wood in tool.held), default=0.0)
        top = max((wood.z + self.timber.height for wood in self.wood if wood not in tool.held), default=-math.inf)
        return not tool.is_below and min(tool.at[2], to[2]) - hanging > top

    def close(self) -> None:
        """The tool takes what is under it, with all that stands on that."""
        tool = self.tool
        if tool.is_closed:
            return
        tool.is_closed, self._seen = True, None
        if tool.misses:
            tool.misses -= 1
            return
        x, y, z = tool.at
        near = [wood for wood in self.wood if math.dist((wood.x, wood.y), (x, y)) <= tool.catch]
        if tool.is_below:
            tool.held = near
            return
        reached = [wood for wood in near if wood.z < z < wood.z + self.timber.height]
        tool.held = [wood for wood in near if reached and wood.z >= reached[0].z]

    def open(self) -> None:
        """The tool lets go: what it held falls on what is beneath."""
        tool = self.tool
        if tool.is_stuck:
            return
        tool.is_closed = False
        if not tool.held:
            return
        self._seen = None
        held, tool.held = sorted(tool.held, key=lambda wood: wood.z), []
        for wood in held if not tool.is_below else ():
            fell_from = wood.z
            wood.z = self._ground(wood.x, wood.y, wood)
            if fell_from - wood.z > self.timber.height:
                self.collisions.append(f"{wood.piece.name} fell {fell_from - wood.z:.1f} mm")
            self._tumble(wood)

    def _carry(self, to: Place) -> None:
        by = [b - a for a, b in zip(self.tool.at, to, strict=True)]
        self.tool.at = to
        if self.tool.is_below and self.tool.held:
            self._seen = None
        for wood in self.tool.held:
            wood.x, wood.y = wood.x + by[0], wood.y + by[1]
            wood.z += 0.0 if self.tool.is_below else by[2]

    def _lose(self) -> None:
        """What the tool carries falls."""
        tool = self.tool
        tool.drops_after_mm = None
        held, tool.held, self._seen = tool.held, [], None
        for wood in held:
            wood.z = self._ground(wood.x, wood.y, wood)

    def _ground(self, x: float, y: float, but: Wood | None) -> float:
        """How high what stands here stands: on the board, on the tray, or on a piece that is beneath."""
        ground = self.timber.board_z if self.timber.is_on_board(x, y) else self.timber.tray_z
        for wood in self.wood:
            is_beneath = wood is not but and wood not in self.tool.held and (but is None or wood.z <= but.z)
            if is_beneath and math.dist((wood.x, wood.y), (x, y)) < self.timber.diameter / 2:
                ground = max(ground, wood.z + self.timber.height)
        return ground

    def _tumble(self, fallen: Wood) -> None:
        """A piece that is put down half on another one falls over."""
        for wood in self.wood:
            apart = math.dist((wood.x, wood.y), (fallen.x, fallen.y))
            is_beside = abs(wood.z - fallen.z) < self.timber.height - 0.1
            if wood is not fallen and is_beside and apart < self.timber.diameter - 0.5:
                self.collisions.append(f"{fallen.piece.name} was put into {wood.piece.name}, {apart:.1f} mm apart")

    def _collide(self, beside: list[Wood]) -> None:
        """Tell when what is carried, or the tool itself, runs into a piece beside its way or into the board."""
        tool, timber = self.tool, self.timber
        if not tool.is_below and tool.at[2] < min(timber.board_z, timber.tray_z) - 0.5:
            self.collisions.append(f"the tool hits the table at {tool.at}")
        for wood in beside:
            for carried in tool.held:
                apart = math.dist((wood.x, wood.y), (carried.x, carried.y))
                is_level = abs(wood.z - carried.z) < timber.height - 0.1
                if is_level and apart < timber.diameter - 0.5:
                    self.collisions.append(f"{carried.piece.name} runs into {wood.piece.name}, {apart:.1f} mm apart")
                    return
            clear = timber.diameter / 2 + tool.radius - 0.5
            apart = math.dist((wood.x, wood.y), tool.at[:2])
            is_in_way = tool.catch < apart < clear and not tool.is_below
            if is_in_way and wood.z < tool.at[2] < wood.z + timber.height:
                self.collisions.append(f"the tool runs into {wood.piece.name}, {apart:.1f} mm off")
                return


def _between(start: Place, end: Place, share: float) -> Place:
    x, y, z = (a + share * (b - a) for a, b in zip(start, end, strict=True))
    return x, y, z
