"""A driver and a simulated board joined by a wire, in simulated time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from engine.geometry import Geometry, geometry
from engine.position import BLACK_MAN, EMPTY, WHITE_MAN, Piece
from engine.view import BLACK, OCCUPIED, WHITE, BoardView
from firmware_bridge.driver import Output, Role
from firmware_bridge.simulator import SimulatedBoard

BIG = geometry(10, 10)
SMALL = geometry(8, 8)


def home_of(board: Geometry) -> tuple[Piece, ...]:
    """The usual start: all rows full but the two in the middle."""
    middle = board.rows // 2
    return tuple(BLACK_MAN if row < middle - 1 else WHITE_MAN if row > middle else EMPTY for _, row in board.cells)


def driver_of(name: str, board: Geometry, home: tuple[Piece, ...] | None = None) -> Any:
    return import_module(f"firmware_bridge.boards.{name}").Driver(board, home)


def straight(data: bytes) -> tuple[bytes, ...]:
    return (data,)


@dataclass
class Wire:
    """Runs both ends; `to_host` and `to_board` turn bytes written at one moment into the pieces that arrive."""

    driver: Any
    board: SimulatedBoard
    to_host: Callable[[bytes], tuple[bytes, ...]] = straight
    to_board: Callable[[bytes], tuple[bytes, ...]] = straight
    now_ms: int = 0
    views: list[tuple[int, BoardView]] = field(default_factory=list)
    pressed: list[str] = field(default_factory=list)
    online: list[tuple[int, bool]] = field(default_factory=list)
    events: int = 0
    connected: bool = True

    def start(self) -> Wire:
        self._host(self.driver.start(self.now_ms))
        return self

    def show(self, cues: tuple[tuple[int, Role], ...]) -> None:
        self._host(self.driver.show(cues, self.now_ms))

    def say(self, text: str) -> None:
        self._host(self.driver.say(text, self.now_ms))

    def recollect(self, contents: tuple[Piece, ...]) -> None:
        self._host(self.driver.recollect(contents, self.now_ms))

    def run(self, for_ms: int) -> Wire:
        end = self.now_ms + for_ms
        while (due := self._next_ms()) is not None and due <= end:
            self.now_ms = max(due, self.now_ms)
            self.events += 1
            self._board(self.board.tick(self.now_ms))
            deadline = self.driver.deadline_ms()
            if deadline is not None and deadline <= self.now_ms:
                self._host(self.driver.tick(self.now_ms))
                again = self.driver.deadline_ms()
                assert again is None or again > self.now_ms, "a driver whose deadline does not move would spin"
        self.now_ms = end
        return self

    @property
    def view(self) -> BoardView:
        return self.views[-1][1]

    @property
    def is_online(self) -> bool:
        return bool(self.online) and self.online[-1][1]

    def _next_ms(self) -> int | None:
        return min(
            (due for due in (self.driver.deadline_ms(), self.board.deadline_ms()) if due is not None), default=None
        )

    def _host(self, output: Output) -> None:
        self.views += [(self.now_ms, view) for view in output.views]
        self.pressed += output.pressed
        if output.online is not None:
            self.online.append((self.now_ms, output.online))
        if output.send and self.connected:
            for piece in self.to_board(output.send):
                self._board(self.board.receive(piece, self.now_ms))

    def _board(self, data: bytes) -> None:
        if data and self.connected:
            for piece in self.to_host(data):
                self._host(self.driver.receive(piece, self.now_ms))


def set_up(wire: Wire, board: Geometry, contents: tuple[Piece, ...]) -> None:
    for square, piece in enumerate(contents):
        if wire.board.contents(board.cells[square]) is not piece:
            wire.board.put(board.cells[square], piece, wire.now_ms)


def agrees(wire: Wire, board: Geometry) -> bool:
    """Whether the last view is firm and allows exactly what stands on each square, as far as its sensors can tell."""
    view = wire.view
    device = wire.driver.device
    return view.firm and all(
        view.possible(square) == as_seen(wire.board.contents(cell), device.colour, device.identity)
        for square, cell in enumerate(board.cells)
    )


def as_seen(piece: Piece, colour: bool, identity: bool) -> Piece:
    if identity or piece is EMPTY:
        return piece
    if not colour:
        return OCCUPIED
    return WHITE if piece & WHITE else BLACK
