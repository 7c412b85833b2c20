"""A simulated arm for the demo: a controller on a pseudo-terminal, a workshop of wood, and the board that senses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from threading import RLock

from engine.geometry import Cell
from engine.position import EMPTY, Piece
from engine.rules import rules_for
from engine.ruleset import Ruleset
from firmware_bridge.arm_driver import Machine
from firmware_bridge.simulator.carpentry import Timber, Tool, Workshop
from firmware_bridge.simulator.grbl_chip import GrblChip
from firmware_bridge.simulator.pty_wire import PtyWire
from firmware_bridge.workspace import Workspace
from station.arm_config import ArmSetup
from station.handling.arm import ArmSettings
from station.handling.plans import Tool as Abilities

PITCH = 40.0
ORIGIN = (-430.0, -400.0)
BOARD_Z = -70.0
TRAVEL = (640.0, 640.0, 80.0)
SLOTS = 36


class DemoArm:
    """The machine beside one simulated board; what it does to the wood, `sense` tells the board's sensors."""

    def __init__(self, ruleset: Ruleset, path: Path, sense: Callable[[Cell, Piece], None]) -> None:
        self._sense, self._lock = sense, RLock()
        self._columns, self._rows = ruleset.columns, ruleset.rows
        self.timber = Timber(ruleset.columns, ruleset.rows, PITCH, ORIGIN, board_z=BOARD_Z, tray_z=BOARD_Z)
        self.setup = self._setup(str(path))
        self._shop = Workshop(self.timber, Tool((0.0, 0.0, 0.0)))
        for square, piece in enumerate(rules_for(ruleset).start().contents):
            if piece is not EMPTY:
                self._shop.put(ruleset.geometry.cells[square], piece)
        for place, piece in zip(self.setup.workspace.tray, self.setup.settings.tray, strict=True):
            if piece is not EMPTY:
                self._shop.put_at(*place, piece)
        self._told = self._tops()
        self._chip = GrblChip(self._shop, TRAVEL)
        self._chip.power(0)
        self._wire = PtyWire(self, path)

    def close(self) -> None:
        """End the machine and its thread."""
        self._wire.close()

    def hand_put(self, cell: Cell, piece: Piece) -> None:
        """A hand puts a piece on a cell; the board has been told."""
        with self._lock:
            self._shop.take(cell)
            self._shop.put(cell, piece)
            self._told = self._tops()

    def hand_take(self, cell: Cell) -> None:
        """A hand takes what stands on a cell; the board has been told."""
        with self._lock:
            self._shop.take(cell)
            self._told = self._tops()

    def shown(self) -> Mapping[str, object]:
        """Where the tool is, in pitches (row 0 is the farthest from White), and what it holds."""
        with self._lock:
            x, y, z = self._shop.tool.at
            held = [wood.piece.name.lower() for wood in self._shop.tool.held if wood.piece.name]
        column, row = (x - ORIGIN[0]) / PITCH, self._rows - 1 - (y - ORIGIN[1]) / PITCH
        height = (z - BOARD_Z) / PITCH
        return {"column": round(column, 2), "row": round(row, 2), "height": round(height, 2), "holds": held}

    # --- the far end of the wire

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Bytes for the controller."""
        with self._lock:
            heard = self._chip.receive(data, now_ms)
            self._tell()
        return heard

    def tick(self, now_ms: int) -> bytes:
        """Time has passed."""
        with self._lock:
            heard = self._chip.tick(now_ms)
            self._tell()
        return heard

    def deadline_ms(self) -> int | None:
        """When time has to pass."""
        return self._chip.deadline_ms()

    def _tell(self) -> None:
        """Have the board's sensors see what has changed."""
        tops = self._tops()
        for cell in {*tops, *self._told}:
            if tops.get(cell) is not self._told.get(cell):
                self._sense(cell, tops.get(cell, EMPTY))
        self._told = tops

    def _tops(self) -> dict[Cell, Piece]:
        return {cell: pile[-1] for cell, pile in self._shop.seen().items()}

    def _setup(self, port: str) -> ArmSetup:
        timber = self.timber
        tray = tuple((-480.0 - 36.0 * (slot // 12), -440.0 + 36.0 * (slot % 12)) for slot in range(SLOTS))
        workspace = Workspace(
            self._columns,
            self._rows,
            near_left=timber.centre(0, self._rows - 1),
            near_right=timber.centre(self._columns - 1, self._rows - 1),
            far_left=timber.centre(0, 0),
            lowest=(-639.0, -639.0, -79.0),
            highest=(-1.0, -1.0, -1.0),
            park=(-440.0, -500.0, -20.0),
            board_z=BOARD_Z,
            tray=tray,
            tray_z=BOARD_Z,
        )
        return ArmSetup(ArmSettings("gcode", Abilities(crown="swap"), SLOTS, 2), workspace, Machine(), port=port)
