"""Boards that exist only in memory: the device's side of every link, with its physics and a menu of faults."""

from __future__ import annotations

from typing import Protocol

from engine.geometry import Cell
from engine.position import Piece
from firmware_bridge.simulator.certabo_board import CertaboBoard
from firmware_bridge.simulator.dgt_board import DgtBoard
from firmware_bridge.simulator.dgt_bus import DgtBus
from firmware_bridge.simulator.faults import NONE, PRESETS, Faults
from firmware_bridge.simulator.gpio_board import GpioBoard
from firmware_bridge.simulator.matrix_board import MatrixBoard
from firmware_bridge.simulator.millennium_board import MillenniumBoard

__all__ = [
    "NONE",
    "PRESETS",
    "SIMULATED",
    "CertaboBoard",
    "DgtBoard",
    "DgtBus",
    "Faults",
    "GpioBoard",
    "MatrixBoard",
    "MillenniumBoard",
    "SimulatedBoard",
    "device_for",
]

SIMULATED = ("matrix", "dgt", "dgt-bus", "millennium", "certabo", "gpio-matrix")
"""Drivers for whose boards there is a simulated one."""
QUIET_PERIOD_MS = 100
"""Boards that repeat themselves less often than this report what has changed at once, and little else."""


class SimulatedBoard(Protocol):
    """A board that can be touched on one side and wired to a driver on the other; times in ms, never going back."""

    def put(self, cell: Cell, piece: Piece, now_ms: int) -> None:
        """A hand puts a piece on a cell; Piece.EMPTY takes away."""

    def take(self, cell: Cell, now_ms: int) -> None:
        """A hand takes away what stands on a cell."""

    def contents(self, cell: Cell) -> Piece:
        """What stands on a cell, whatever the sensors say."""

    def break_sensor(self, cell: Cell) -> None:
        """From now on the sensor of a cell reads empty whatever stands there."""

    def press(self, button: str, now_ms: int) -> None:
        """A hand presses a button; ValueError when the board has no such button."""

    def lamps(self, now_ms: int) -> dict[Cell, str]:
        """The lit cells with the role each shows."""

    def power_cycle(self, now_ms: int) -> None:
        """The power goes and comes back."""

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Takes bytes from the host, gives bytes for it."""

    def tick(self, now_ms: int) -> bytes:
        """Gives the bytes that are due at this time."""

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""


def device_for(  # noqa: PLR0913
    driver: str,
    columns: int,
    rows: int,
    *,
    seed: int = 0,
    faults: Faults = NONE,
    colour: bool = False,
    period_ms: int = 20,
    codes: str = "draughts-2011",
    rotated: bool = False,
    quarters: int = 0,
    measures: bool = False,
    kings: bool = False,
    dims: bool = False,
) -> SimulatedBoard:
    """The simulated board for a driver of this name; `codes` are the DGT-compatible board's.

    `colour` makes a matrix tell colours, and a Certabo read chips. `period_ms`, `quarters`, `measures` (how strong
    magnets are), `kings` (told by it) and `dims` (lamps) are the matrix's.
    """
    match driver:
        case "matrix":
            return MatrixBoard(
                columns,
                rows,
                colour=colour,
                seed=seed,
                faults=faults,
                period_ms=period_ms,
                rotated=rotated,
                quarters=quarters,
                measures=measures,
                kings=kings,
                dims=dims,
            )
        case "dgt":
            return DgtBoard(columns, rows, seed=seed, faults=faults, codes=codes, rotated=rotated)
        case "dgt_bus" | "dgt-bus":
            return DgtBus([(columns, rows)], seed=seed, faults=faults, codes=codes, rotated=rotated)
        case "millennium" | "certabo" if (columns, rows) != (8, 8):
            raise ValueError(f"no {driver} board of {columns}x{rows} cells, only of 8x8")
        case "millennium":
            # One that reports changes alone where a matrix would rest: simulated time then runs as fast.
            chatty = period_ms < QUIET_PERIOD_MS
            return MillenniumBoard(seed=seed, faults=faults, chatty=chatty, quarters=2 if rotated else quarters)
        case "certabo":
            return CertaboBoard(seed=seed, faults=faults, chips=colour, quarters=2 if rotated else quarters)
        case "gpio_matrix" | "gpio-matrix":
            return GpioBoard(columns, rows, seed=seed, faults=faults)
    raise ValueError(f"no simulated board for driver {driver!r}, only for {', '.join(SIMULATED)}")
