"""Board and tray as a plan changes them: what one act does to them, and what an arm cannot do."""

from __future__ import annotations

from engine.geometry import Cell, Square
from engine.position import EMPTY, MEN, SIDES, Piece, Position, is_king
from engine.ruleset import Ruleset
from firmware_bridge.manipulations import Act, Fetch, Lift, Park, Place, Remove, Slide, Slot
from station.handling.plans import EMPTY_TRAY, Ask, Contents, Plan, Step, Tool
from station.handling.routes import route, tray_cell


class BeyondArmError(Exception):
    """The arm cannot do it; `why` is a reason of `Ask`."""

    def __init__(self, why: str, *squares: Square) -> None:
        super().__init__(why)
        self.why, self.squares = why, squares


class Bench:
    """Board and tray, and the steps so far."""

    def __init__(self, position: Position, ruleset: Ruleset, tray: Contents, tool: Tool) -> None:
        self.tool, self.geometry = tool, ruleset.geometry
        self.contents, self.tray = list(position.contents), list(tray)
        self.heights = [tool.height(position, square) for square in range(len(position.contents))]
        self._start = position.contents
        self._steps: list[Step] = []

    def plan(self, *, crowned: bool = True) -> Plan:
        """What has been planned."""
        return Plan(tuple(self._steps), self._start, crowned)

    def cell(self, square: Square) -> Cell:
        """Where a square is."""
        return self.geometry.cells[square]

    def step(self, what: Act | Ask, changes: dict[Square, tuple[Piece, int]] | None = None) -> None:
        """Add a step; `changes` is what stands on a square after it: the top piece, and how many pieces."""
        before = tuple(self.contents)
        for square, (piece, height) in (changes or {}).items():
            self.contents[square], self.heights[square] = piece, height
        self._steps.append(Step(what, before, tuple(self.contents), tuple(self.tray)))

    def ask(self, reason: str, why: str = "", squares: tuple[Square, ...] = ()) -> None:
        """Add a step that a person takes; the tool is out of the way then."""
        self.park()
        self.step(Ask(reason, why, squares))

    def park(self) -> None:
        """Have the tool go out of the way, if it has been over the board."""
        if self._steps and not isinstance(self._steps[-1].what, Ask | Park):
            self.step(Park())

    def free_slot(self) -> Slot:
        """The first free slot; a full tray is emptied by a person first, but for the kings that crown."""
        if EMPTY not in self.tray:
            kept = [piece if is_king(piece) and self.tool.crown == "swap" else EMPTY for piece in self.tray]
            if EMPTY not in kept:
                raise BeyondArmError("tray")
            self.tray = kept
            self.ask(EMPTY_TRAY)
        return self.tray.index(EMPTY)

    def carry(self, start: Square, end: Square) -> None:
        """What stands on a square goes to a free one; where it is too high for the tool, its top waits in the tray."""
        piece, height = self.contents[start], self.heights[start]
        if height > self.tool.highest or (height > self.tool.carries and height > 2):
            raise BeyondArmError("stack", start)
        slot = None
        if height > self.tool.carries:
            slot, height = self.free_slot(), height - 1
            self.tray[slot] = _man(piece)
            self.step(Remove(self.cell(start), slot, height), {start: (_man(piece), height)})
        held = self.contents[start]
        self.step(Lift(self.cell(start)), {start: (EMPTY, 0)})
        self.step(Place(self.cell(end)), {end: (held, height)})
        if slot is not None:
            self.fetch(slot, end, piece)

    def fetch(self, slot: Slot, square: Square, becomes: Piece) -> None:
        """What lies in a slot goes on a square, on top of what stands there, which is this piece then."""
        level = self.heights[square]
        if level >= self.tool.highest:
            raise BeyondArmError("stack", square)
        self.tray[slot] = EMPTY
        self.step(Fetch(slot, self.cell(square), level), {square: (becomes, level + 1)})

    def take_off(self, square: Square) -> None:
        """What stands on a square goes to the tray, the top piece first."""
        piece, height = self.contents[square], self.heights[square]
        if height > self.tool.highest:
            raise BeyondArmError("stack", square)
        for level in range(height - 1, -1, -1):
            slot = self.free_slot()
            self.tray[slot] = piece if height == 1 else _man(piece)
            left = (_man(piece), level) if level else (EMPTY, 0)
            self.step(Remove(self.cell(square), slot, level), {square: left})

    def slide(self, start: Square, end: Square) -> bool:
        """Draw a piece to another square; False when no way is free."""
        return self._draw(start, self.cell(end), {end: (self.contents[start], 1)})

    def slide_off(self, start: Square) -> bool:
        """Draw a piece to the tray beside the board; False when no way to any free slot is free."""
        piece = self.contents[start]
        self.free_slot()
        for slot in (slot for slot, content in enumerate(self.tray) if content is EMPTY):
            self.tray[slot] = piece
            if self._draw(start, tray_cell(slot, self.geometry), {}):
                return True
            self.tray[slot] = EMPTY
        return False

    def _draw(self, start: Square, goal: Cell, changes: dict[Square, tuple[Piece, int]]) -> bool:
        if self.heights[start] > 1:
            raise BeyondArmError("stack", start)
        slots = (tray_cell(slot, self.geometry) for slot in range(len(self.tray)))
        standing = zip((*self.geometry.cells, *slots), (*self.contents, *self.tray), strict=True)
        ends = (self.cell(start), goal)
        others = tuple(cell for cell, piece in standing if piece is not EMPTY and cell not in ends)
        way = route(*ends, others, self.tool.diameter, self.geometry)
        if way is not None:
            self.step(Slide(way), {start: (EMPTY, 0), **changes})
        return way is not None


def _man(piece: Piece) -> Piece:
    return MEN[SIDES[piece]]
