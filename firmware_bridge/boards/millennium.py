"""Millennium ChessLink boards (unofficial) on a serial port: 8x8 cells that tell white from black, 81 lamps.

The board reports every scan by itself; where it was told not to, it is asked. Nothing is ever written to its memory.
Any of its chess pieces is a draughtsman: capital letters are white, the others black.
"""

from __future__ import annotations

from typing import ClassVar

from engine.geometry import Geometry
from engine.position import Piece
from engine.view import BoardView
from firmware_bridge.cells import BLACK_PIECE, VACANT, WHITE_PIECE, Cells, sides_of
from firmware_bridge.driver import NOTHING, Counters, Cues, Device, Output, Role
from firmware_bridge.millennium_frames import Parser, written
from firmware_bridge.placement import placement, turns

ASK_MS = 2000
"""A board that has not answered is asked again who it is and what stands on it after so long."""
POLL_MS = 100
"""A board that has not told what stands on it for so long is asked: it may not report by itself."""
SILENCE_MS = 3000
LAMPS_MS = 500
"""Lamps whose command has not been acknowledged for so long are ordered again."""
REFRESH_MS = 5000
"""Lit lamps are ordered anew so often: a board that lost its power for a moment has forgotten them."""
SLOT_TIME = 0x1F
"""How long one of the eight slots of a lamp's pattern lasts: 31 x 4.096 ms, so that a pattern takes a second."""
SIDE = 9
"""Lamps stand at the corners of the cells: 9 rows of 9."""
PATTERNS = {
    Role.LIFT: 0b11110000,
    Role.PLACE: 0b11111111,
    Role.PATH: 0b10000000,
    Role.REMOVE: 0b11001100,
    Role.WRONG: 0b10101010,
    Role.HINT: 0b11000000,
}
"""When the lamps of a cell are lit, slot by slot."""


class Driver:
    """Status messages to views, cues to the four lamps at the corners of each cell.

    A board that lies turned is recognised when the start position stands on it, unless `turned` says how it lies.
    """

    baud: ClassVar[int] = 38400
    sizes: ClassVar[tuple[tuple[int, int], ...]] = ((8, 8),)

    def __init__(self, geometry: Geometry, home: tuple[Piece, ...] | None = None, *, turned: int | None = None) -> None:
        self._geometry = geometry
        self._home = None if home is None else sides_of(home)
        self._turns = turns(geometry, turned)
        self._turned = self._turns[0]
        self._parser = Parser()
        self._cells = Cells()
        self._version: str | None = None
        self._online = False
        self._asked_ms: int | None = None
        self._heard_ms = 0
        self._status_ms = 0
        self._lamps = ""
        self._lamps_ms: int | None = None
        """When the lamps were ordered, while no acknowledgement has come."""
        self._lit_ms = 0
        self._resent = 0
        self._cues: Cues = ()
        self._delivered: BoardView | None = None

    @property
    def device(self) -> Device | None:
        """What the board said of itself, None before its first answer; it has no number of its own."""
        if self._version is None:
            return None
        return Device("Millennium ChessLink (unofficial)", "", self._version, True, False, True)

    @property
    def counters(self) -> Counters:
        """Traffic and faults so far."""
        drops = self._parser.drops
        return Counters(self._parser.messages, drops.total(), self._resent, tuple(sorted(drops.items())))

    @property
    def problem(self) -> str | None:
        """None: a board of this kind fits every game on 8x8."""
        return None

    def start(self, now_ms: int) -> Output:
        """Begins a conversation on a port that has just been opened."""
        self._parser.reset()
        self._forget()
        return Output(send=self._ask(now_ms))

    def receive(self, data: bytes, now_ms: int) -> Output:
        """Takes bytes from the board."""
        views: list[BoardView] = []
        was_online, send = self._online, b""
        for message in self._parser.receive(data, now_ms):
            self._heard_ms = now_ms
            match message[0]:
                case "v":
                    self._version = f"{int(message[1:3], 16)}.{int(message[3:5], 16)}"
                case "l":
                    self._lamps_ms = None
                case "s" if self._version is not None and self._asked_ms is not None:
                    views += self._take(message[1:], now_ms)
        if self._online and not was_online:
            send = self._order(now_ms)
        return Output(tuple(views), send=send, online=True if self._online and not was_online else None)

    def tick(self, now_ms: int) -> Output:
        """Does what is due at this time."""
        self._parser.expire(now_ms)
        if self._asked_ms is None:
            return NOTHING
        if not self._online:
            return Output(send=self._ask(now_ms)) if now_ms >= self._asked_ms + ASK_MS else NOTHING
        if now_ms >= self._heard_ms + SILENCE_MS:
            self._forget()
            return Output(send=self._ask(now_ms), online=False)
        send = b""
        if now_ms >= self._status_ms + POLL_MS:
            self._status_ms = now_ms
            send += written("S")
        if now_ms >= self._lamps_due_ms():
            self._resent += self._lamps_ms is not None
            send += self._order(now_ms)
        view = self._view() if self._cells.expire(now_ms) else None
        return Output(() if view is None else (view,), send=send)

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""
        if self._asked_ms is None:
            return None
        if not self._online:
            due = [self._asked_ms + ASK_MS]
        else:
            due = [self._heard_ms + SILENCE_MS, self._status_ms + POLL_MS, self._lamps_due_ms()]
        watched = (self._parser.deadline_ms(), self._cells.deadline_ms())
        return min((*due, *(at_ms for at_ms in watched if at_ms is not None)))

    def show(self, cues: Cues, now_ms: int) -> Output:
        """Lights these squares and darkens all others."""
        self._cues = cues
        if not self._online or self._pattern() == self._lamps:
            return NOTHING
        return Output(send=self._order(now_ms))

    def _forget(self) -> None:
        self._online = False
        self._version = None
        self._asked_ms = None
        self._lamps, self._lamps_ms = "", None
        self._delivered = None
        self._cells.clear()

    def _ask(self, now_ms: int) -> bytes:
        self._asked_ms = now_ms
        return written("V") + written("S")

    def _take(self, letters: str, now_ms: int) -> tuple[BoardView, ...]:
        self._online = True
        self._status_ms = now_ms
        codes = (VACANT if letter == "." else WHITE_PIECE if letter.isupper() else BLACK_PIECE for letter in letters)
        self._cells.take(tuple(codes), now_ms)
        self._learn_orientation()
        view = self._view()
        return () if view is None else (view,)

    def _view(self) -> BoardView | None:
        view = self._cells.view(placement(self._geometry, self._turned))
        if view == self._delivered:
            return None
        self._delivered = view
        return view

    def _learn_orientation(self) -> None:
        for turned in self._turns if self._home is not None else ():
            if tuple(self._cells.codes[index] for index in placement(self._geometry, turned).squares) == self._home:
                self._turned = turned
                return

    def _lamps_due_ms(self) -> int:
        if self._lamps_ms is not None:
            return self._lamps_ms + LAMPS_MS
        return self._lit_ms + REFRESH_MS if self._lamps.strip("0") or self._pattern() != self._lamps else _NEVER_MS

    def _order(self, now_ms: int) -> bytes:
        self._lamps, self._lamps_ms, self._lit_ms = self._pattern(), now_ms, now_ms
        return written(f"L{SLOT_TIME:02X}{self._lamps}")

    def _pattern(self) -> str:
        """The patterns of all lamps: down the columns from the corner of a8, as the board counts them."""
        lamps = bytearray(SIDE * SIDE)
        for square, role in self._cues:
            row, column = divmod(placement(self._geometry, self._turned).squares[square], self._geometry.columns)
            for corner in ((column, row), (column + 1, row), (column, row + 1), (column + 1, row + 1)):
                lamps[corner[0] * SIDE + corner[1]] |= PATTERNS[role]
        return lamps.hex().upper()


_NEVER_MS = 2**62
