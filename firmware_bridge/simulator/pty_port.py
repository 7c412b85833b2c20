"""Runs a simulated board on a real pseudo-terminal with the wall clock, so that programs open it like a serial port."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from engine.geometry import Cell
from engine.position import Piece
from firmware_bridge.simulator import SimulatedBoard
from firmware_bridge.simulator.pty_wire import PtyWire

_T = TypeVar("_T")


class PtyPort:
    """A board at the other end of `path`, a name that stays the same when the cable is pulled and put back.

    All methods may be called from any thread.
    """

    def __init__(self, board: SimulatedBoard, path: Path | None = None) -> None:
        self._board = board
        self._wire = PtyWire(board, path)
        self.path = self._wire.path

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def touch(self, act: Callable[[int], _T]) -> _T:
        """Does something to the board at the present time (ms), between two turns of its loop; its result."""
        return self._wire.touch(act)

    def put(self, cell: Cell, piece: Piece) -> None:
        """A hand puts a piece on a cell; Piece.EMPTY takes away."""
        self.touch(lambda now_ms: self._board.put(cell, piece, now_ms))

    def take(self, cell: Cell) -> None:
        """A hand takes away what stands on a cell."""
        self.touch(lambda now_ms: self._board.take(cell, now_ms))

    def contents(self, cell: Cell) -> Piece:
        """What stands on a cell, whatever the sensors say."""
        return self.touch(lambda _: self._board.contents(cell))

    def break_sensor(self, cell: Cell) -> None:
        """From now on the sensor of a cell reads empty whatever stands there."""
        self.touch(lambda _: self._board.break_sensor(cell))

    def press(self, button: str) -> None:
        """A hand presses a button; ValueError when the board has no such button."""
        self.touch(lambda now_ms: self._board.press(button, now_ms))

    def lamps(self) -> dict[Cell, str]:
        """The lit cells with the role each shows."""
        return self.touch(self._board.lamps)

    def power_cycle(self) -> None:
        """The power goes and comes back."""
        self.touch(self._board.power_cycle)

    def unplug(self) -> None:
        """Pulls the cable: whoever has the port open gets an error, and the name is gone."""
        self._wire.unplug()

    def plug(self) -> None:
        """Puts the cable back: the same name leads to a new terminal."""
        self._wire.plug()

    def close(self) -> None:
        """Ends the board and its thread."""
        self._wire.close()
