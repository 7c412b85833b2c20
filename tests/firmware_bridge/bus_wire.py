"""Several drivers at one line with several boards, in simulated time; each speaks in its turn."""

from __future__ import annotations

from typing import Any

from wiring import driver_of, home_of, straight

from engine.geometry import Geometry, geometry
from firmware_bridge.simulator import DgtBus


class End:
    """One driver at the line, and what it has told; in the place of a Wire for those who ask what it shows."""

    def __init__(self, line: BusLine, place: int) -> None:
        self.line, self.board = line, line.bus.boards[place]
        self.geometry: Geometry = line.boards[place]
        self.driver: Any = driver_of("dgt_bus", self.geometry, home_of(self.geometry))
        self.views: list = []
        self.online: list[tuple[int, bool]] = []
        self.pressed: list[str] = []
        self.unread: list[bytes] = []

    @property
    def view(self):
        return self.views[-1][1]

    @property
    def is_online(self) -> bool:
        return bool(self.online) and self.online[-1][1]

    def take(self, output) -> None:
        now_ms = self.line.now_ms
        self.views += [(now_ms, view) for view in output.views]
        self.pressed += output.pressed
        if output.online is not None:
            self.online.append((now_ms, output.online))


class BusLine:
    """Runs all ends; `to_host` and `to_board` turn bytes written at one moment into the pieces that arrive."""

    def __init__(self, boards: list[Geometry], **options) -> None:
        self.boards = boards
        self.bus = DgtBus([(board.columns, board.rows) for board in boards], **options)
        self.now_ms = 0
        self.ends = [End(self, place) for place in range(len(boards))]
        self.turns = self.ends[0].driver.turns()
        self.to_host = self.to_board = straight
        self.sent: list[tuple[int, bytes]] = []
        self._waiting: set[int] = set()
        for end in self.ends:
            for cell, piece in zip(end.geometry.cells, home_of(end.geometry), strict=True):
                end.board.put(cell, piece, 0)

    def start(self, *, called: bool = True) -> BusLine:
        for place, end in enumerate(self.ends):
            if called:
                end.driver.call(f"{self.bus.boards[place]._serial:05d}")
            self._take(place, end.driver.start(self.now_ms))
        return self

    def run(self, for_ms: int) -> BusLine:
        end_ms = self.now_ms + for_ms
        while (due := self._next_ms()) is not None and due <= end_ms:
            self.now_ms = max(due, self.now_ms)
            self._hear(self.bus.tick(self.now_ms))
            self._send()
            for place, end in enumerate(self.ends):
                self._work(place, end)
        self.now_ms = end_ms
        return self

    def _next_ms(self) -> int | None:
        free = [end.driver.deadline_ms() for place, end in enumerate(self.ends) if place not in self._waiting]
        due = (*free, self.bus.deadline_ms(), self.turns.deadline_ms())
        return min((at_ms for at_ms in due if at_ms is not None), default=None)

    def _work(self, place: int, end: End) -> None:
        """One round of a worker at its port; who waits for his turn does nothing else."""
        while place not in self._waiting and end.unread:
            self._take(place, end.driver.receive(end.unread.pop(0), self.now_ms))
        deadline = end.driver.deadline_ms()
        if place not in self._waiting and deadline is not None and deadline <= self.now_ms:
            self._take(place, end.driver.tick(self.now_ms))

    def _take(self, place: int, output) -> None:
        self.ends[place].take(output)
        if output.send:
            self._waiting.add(place)
            self.turns.ask(place, output.send)
            self._send()

    def _send(self) -> None:
        while (due := self.turns.due(self.now_ms)) is not None:
            place, data = due
            self.sent.append((place, data))
            self._waiting.discard(place)
            self.ends[place].driver.sent(self.now_ms)
            for piece in self.to_board(data):
                self._hear(self.bus.receive(piece, self.now_ms))

    def _hear(self, data: bytes) -> None:
        for piece in self.to_host(data) if data else ():
            self.turns.hear(piece, self.now_ms)
            for end in self.ends:
                end.unread.append(piece)


SMALL, BIG = geometry(8, 8), geometry(10, 10)
