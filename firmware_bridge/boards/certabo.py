"""Certabo and Tabutronic boards (unofficial) on a serial port: 8x8 cells that read chips or only magnets, with lamps.

The board cannot be asked anything and has no number of its own; nothing is written to a port before it has told a
whole board there. A line has no checksum: a frame is firm when it was told more than once in a row.
Chips under draughtsmen are learned at the start position: those on White's home squares are white.
"""

from __future__ import annotations

from typing import ClassVar

from engine.geometry import Geometry
from engine.position import Piece
from engine.view import BoardView
from firmware_bridge.cells import BLACK_PIECE, SOMETHING, VACANT, WHITE_PIECE, Cells, sides_of
from firmware_bridge.certabo_frames import Chip, Chips, Occupied, Parser, chip_of, coloured_lamps, plain_lamps
from firmware_bridge.driver import NOTHING, Calibration, Counters, Cues, Device, Output, Role
from firmware_bridge.placement import placement, turns

TOLD_CHIPS, TOLD_MAGNETS = 2, 3
"""A frame is firm when it has been told so often in a row: in a short one, two digits are easily spoilt alike."""
SILENCE_MS = 3000
LAMPS_MS = 600
"""Between two commands to the lamps: what picochess found that boards stand."""
REFRESH_MS = 5000
"""Lit lamps are ordered anew so often: a board that lost its power for a moment has forgotten them."""
COLOURS = {Role.LIFT: 1, Role.PLACE: 2, Role.PATH: 3, Role.REMOVE: 4, Role.WRONG: 5, Role.HINT: 7}
"""Blue, green, cyan, red, magenta, white: red 4, green 2, blue 1."""
_NAMES = {WHITE_PIECE: "white", BLACK_PIECE: "black"}


class Driver:
    """Frames to views, cues to lamps."""

    baud: ClassVar[int] = 38400
    sizes: ClassVar[tuple[tuple[int, int], ...]] = ((8, 8),)

    def __init__(self, geometry: Geometry, home: tuple[Piece, ...] | None = None, *, turned: int | None = None) -> None:
        self._geometry = geometry
        self._home = None if home is None else sides_of(home)
        self._turns = turns(geometry, turned)
        self._turned = self._turns[0]
        self._parser = Parser()
        self._cells = Cells()
        self._sides: dict[Chip, int] = {}
        self._reads_chips = False
        self._frame: Chips | Occupied | None = None
        self._told = 0
        """How often in a row the frame has been told."""
        self._started = False
        self._online = False
        self._heard_ms = 0
        self._cues: Cues = ()
        self._shown: Cues | None = None
        self._lamps_ms = -LAMPS_MS
        self._is_firm = False
        self._delivered: BoardView | None = None

    @property
    def device(self) -> Device | None:
        """What is known of the board, None before it has told anything."""
        if self._frame is None:
            return None
        name = "Certabo (unofficial)" if self._reads_chips else "Tabutronic (unofficial)"
        return Device(name, "", "", self._reads_chips and bool(self._sides), False, True)

    @property
    def counters(self) -> Counters:
        """Traffic and faults so far."""
        drops = self._parser.drops
        return Counters(self._parser.frames, drops.total(), 0, tuple(sorted(drops.items())))

    @property
    def problem(self) -> str | None:
        """None: a board of this kind fits every game on 8x8."""
        return None

    @property
    def learned(self) -> Calibration | None:
        """Which chips are white and black, and how the board lies; None before a start position was seen."""
        if not self._sides:
            return None
        pieces = ((" ".join(map(str, chip)), _NAMES[side]) for chip, side in self._sides.items())
        return Calibration(lay=self._turned, pieces=tuple(pieces))

    def recall(self, unique_id: str, known: Calibration) -> None:
        """Takes what was learned at an earlier time; what is no chip is left out. The board has no id to compare."""
        sides = {name: side for side, name in _NAMES.items()}
        chips = ((chip_of(text), sides.get(name)) for text, name in known.pieces)
        self._sides = {chip: side for chip, side in chips if chip and side}
        if self._sides and known.lay in self._turns:
            self._turned = known.lay

    def start(self, now_ms: int) -> Output:
        """The port has been opened: listens."""
        self._started = True
        self._parser.reset()
        self._forget()
        return NOTHING

    def receive(self, data: bytes, now_ms: int) -> Output:
        """Takes bytes from the board."""
        views: list[BoardView] = []
        was_online = self._online
        for frame in self._parser.receive(data, now_ms):
            if self._started:
                views += self._take(frame, now_ms)
        send = self._light(now_ms) if self._online else b""
        return Output(tuple(views), send=send, online=True if self._online and not was_online else None)

    def tick(self, now_ms: int) -> Output:
        """Does what is due at this time."""
        self._parser.expire(now_ms)
        if not self._online:
            return NOTHING
        if now_ms >= self._heard_ms + SILENCE_MS:
            self._forget()
            return Output(online=False)
        view = self._view() if self._cells.expire(now_ms) else None
        return Output(() if view is None else (view,), send=self._light(now_ms))

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""
        due = [self._parser.deadline_ms(), self._cells.deadline_ms()]
        if self._online:
            due += [self._heard_ms + SILENCE_MS, self._lamps_due_ms()]
        return min((at_ms for at_ms in due if at_ms is not None), default=None)

    def show(self, cues: Cues, now_ms: int) -> Output:
        """Lights these squares and darkens all others, as soon as the board takes a command."""
        self._cues = cues
        return Output(send=self._light(now_ms)) if self._online else NOTHING

    def _forget(self) -> None:
        self._online = False
        self._frame = None
        self._told = 0
        self._shown = None
        self._is_firm = False
        self._delivered = None
        self._cells.clear()

    def _take(self, frame: Chips | Occupied, now_ms: int) -> tuple[BoardView, ...]:
        if isinstance(frame, Chips) is not self._reads_chips:
            self._reads_chips = isinstance(frame, Chips)
            self._forget()
        self._online = True
        self._heard_ms = now_ms
        self._told = self._told + 1 if frame == self._frame else 1
        self._frame = frame
        self._is_firm = self._told >= (TOLD_CHIPS if isinstance(frame, Chips) else TOLD_MAGNETS)
        if isinstance(frame, Chips) and self._is_firm:
            self._learn(frame.cells)
        self._cells.take(self._codes(frame), now_ms)
        view = self._view()
        return () if view is None else (view,)

    def _codes(self, frame: Chips | Occupied) -> tuple[int, ...]:
        if isinstance(frame, Occupied):
            return tuple(SOMETHING if cell else VACANT for cell in frame.cells)
        return tuple(self._sides.get(chip, SOMETHING) if chip else VACANT for chip in frame.cells)

    def _learn(self, chips: tuple[Chip, ...]) -> None:
        """Takes the chips of a start position for those of its sides; chips that are known tell how the board lies."""
        if self._home is None or len({chip for chip in chips if chip}) != sum(map(bool, chips)):
            return
        known = [self._sides.get(chip, SOMETHING) if chip else VACANT for chip in chips]
        fitting = [turned for turned in self._turns if self._is_home(known, turned)]
        if not fitting:
            return
        self._turned = self._turned if self._turned in fitting else fitting[0]
        squares = placement(self._geometry, self._turned).squares
        learned = {chips[index]: side for index, side in zip(squares, self._home, strict=True) if side}
        if not learned.items() <= self._sides.items():
            self._sides = {**self._sides, **learned}
            self._cells.clear()

    def _is_home(self, known: list[int], turned: int) -> bool:
        """Whether the start position may stand on a board that lies so: chips of unknown side are of any."""
        place = placement(self._geometry, turned)
        told = (known[index] for index in place.squares)
        fits = all(one == side or (side and one == SOMETHING) for one, side in zip(told, self._home or (), strict=True))
        return fits and not any(known[index] for index, _ in place.others)

    def _view(self) -> BoardView | None:
        view = self._cells.view(placement(self._geometry, self._turned), firm=self._is_firm)
        if view == self._delivered:
            return None
        self._delivered = view
        return view

    def _lamps_due_ms(self) -> int | None:
        if self._shown == self._cues:
            return self._lamps_ms + REFRESH_MS if self._cues else None
        return self._lamps_ms + LAMPS_MS

    def _light(self, now_ms: int) -> bytes:
        due_ms = self._lamps_due_ms()
        if due_ms is None or now_ms < due_ms:
            return b""
        self._shown, self._lamps_ms = self._cues, now_ms
        squares = placement(self._geometry, self._turned).squares
        if self._parser.coloured_lamps:
            return coloured_lamps({squares[square]: COLOURS[role] for square, role in self._cues})
        return plain_lamps(frozenset(squares[square] for square, _ in self._cues))
