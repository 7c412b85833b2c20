"""Our own board: a matrix of magnetic sensors and lamps that speaks link version 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from engine.geometry import Geometry, Square
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Piece, Side, side_of
from engine.view import BLACK, OCCUPIED, WHITE, BoardView, view_of
from firmware_bridge.driver import Calibration, Counters, Cues, Device, Output
from firmware_bridge.flicker import Flicker
from firmware_bridge.link import Heard, Link
from firmware_bridge.messages import (
    BUTTONS,
    KEY_BUTTONS,
    MAX_LAMPS,
    VERSION,
    Brightness,
    Calibrate,
    Capability,
    CellState,
    Hello,
    Keep,
    Keys,
    Lamps,
    Magnets,
    Problem,
    Read,
    Readings,
    State,
    Table,
    Thresholds,
    ToHost,
    cells_of,
)
from firmware_bridge.placement import own_cell, placement, turns

_POSSIBLE = {CellState.EMPTY: EMPTY, CellState.OCCUPIED: OCCUPIED, CellState.WHITE: WHITE, CellState.BLACK: BLACK}
_MEN, _KINGS = EMPTY | WHITE_MAN | BLACK_MAN, EMPTY | WHITE_KING | BLACK_KING
_HOME_STATES = {None: CellState.EMPTY, Side.WHITE: CellState.WHITE, Side.BLACK: CellState.BLACK}
_NO_MAGNETS = Magnets(b"", b"")
_STALE_MS = 1000
HELD = "new_game"
"""The button that means something else when it is held down: a position is to be set up by hand."""
HOLD_MS = 2000
"""How long it is to be held: nobody leans on a button for so long by chance and then wants a new game."""
_MOST_PRESSES = 127
"""Nobody presses a button more often between two packets: a counter that seems to has gone back."""


class Driver:
    """STATE to views, cues to LAMPS.

    A board that tells colours may lie turned by 90, 180 or 270 degrees: it is recognised when the start position stands
    on it, and known by the board's id from then on. `turned` says how it lies once and for all, clockwise as White sees
    it.
    """

    baud: ClassVar[int] = 115200

    def __init__(self, geometry: Geometry, home: tuple[Piece, ...] | None = None, *, turned: int | None = None) -> None:
        self._geometry = geometry
        self._home = None if home is None else tuple(_HOME_STATES[side_of(piece)] for piece in home)
        self._packed_size = (geometry.columns * geometry.rows + 3) // 4
        self._link = Link()
        self._turns = turns(geometry, turned)
        self._turned = self._turns[0]
        self._lays: dict[str, int] = {}
        """How boards lie, by unique id, as far as a start position or somebody has told."""
        self._device: Device | None = None
        self._problem: str | None = None
        self._trouble = ""
        self._cues: Cues = ()
        self._held_since_ms: int | None = None
        self._state: State | None = None
        self._keys: Keys | None = None
        self._told: tuple[CellState, ...] = ()
        self._cells: list[CellState] = []
        self._magnets = _NO_MAGNETS
        self._are_new = False
        self._readings: dict[int, tuple[int, ...]] = {}
        self._kings: frozenset[int] = frozenset()
        self._flicker = Flicker()
        self._fresh = True
        self._delivered: BoardView | None = None
        self._drops: Counter[str] = Counter()
        self._starts_told: int | None = None
        self._restarts = 0
        self._brightness: int | None = None

    @property
    def device(self) -> Device | None:
        """What the board said of itself, None before its first answer."""
        return self._device

    @property
    def counters(self) -> Counters:
        """Traffic and faults so far."""
        link = self._link.counters
        reasons = tuple(sorted((*link.by_reason, *self._drops.items())))
        return Counters(link.packets, link.dropped + self._drops.total(), link.resent, reasons, self._restarts)

    @property
    def problem(self) -> str | None:
        """Why this board cannot be used for this game, in one sentence."""
        return self._problem

    @property
    def trouble(self) -> str:
        """Which kind of problem it is: `wrong_firmware`, `wrong_board` or `board_reports`; empty for none."""
        return self._trouble

    @property
    def learned(self) -> Calibration | None:
        """How the board that answers lies; None before a start position was seen on it."""
        lay = self._lays.get(self._device.unique_id) if self._device is not None else None
        return None if lay is None else Calibration(lay=lay)

    def recall(self, unique_id: str, known: Calibration) -> None:
        """Takes how a board lay at an earlier time, unless it cannot lie so in this game."""
        lay = known.turned if known.lay is None else known.lay
        if lay in self._turns:
            self._lays[unique_id] = lay

    def start(self, now_ms: int) -> Output:
        """Begins a conversation on a port that has just been opened."""
        self._forget()
        return self._output(self._link.start(now_ms), now_ms)

    def receive(self, data: bytes, now_ms: int) -> Output:
        """Takes bytes from the board."""
        return self._output(self._link.receive(data, now_ms), now_ms)

    def tick(self, now_ms: int) -> Output:
        """Does what is due at this time."""
        output = self._output(self._link.tick(now_ms), now_ms)
        gone = self._flicker.expire(now_ms)
        if not gone or output.online is not None:
            return output
        for cell in gone:
            self._cells[cell] = CellState.EMPTY
        view = self._view()
        return output if view is None else replace(output, views=(*output.views, view))

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""
        due = (self._link.deadline_ms(), self._flicker.deadline_ms())
        return min((at_ms for at_ms in due if at_ms is not None), default=None)

    def show(self, cues: Cues, now_ms: int) -> Output:
        """Lights these squares and darkens all others."""
        self._cues = cues
        if self._device is not None and not self._device.lamps:
            return Output()
        return Output(send=self._link.command(self._lamps(), now_ms))

    def dim(self, percent: int, now_ms: int) -> Output:
        """Has the lamps lit so brightly from now on, 0 to 100 percent; nothing on a board that cannot."""
        if percent == self._brightness:
            return Output()
        self._brightness = percent
        return Output(send=self._dimmed(now_ms))

    @property
    def measures(self) -> bool:
        """Whether the board tells how strong its magnets are, and takes thresholds."""
        hello = self._link.hello
        return hello is not None and Capability.STRENGTHS in hello.capabilities

    @property
    def readings(self) -> Mapping[int, tuple[int, ...]]:
        """What the sensors of each row read when they were measured last, 0 to 65535, by the board's own rows."""
        return self._readings

    @property
    def is_waiting(self) -> bool:
        """Whether a command has not been acknowledged yet."""
        return self._link.is_waiting

    def measure(self) -> Output:
        """Asks what the sensors read; rows come in one by one."""
        self._readings = {}
        return Output(send=self._link.read(Read(Table.READINGS)))

    def teach(self, row: int, cells: tuple[Thresholds, ...], now_ms: int) -> Output:
        """Has the board use these thresholds for a row, until its next start."""
        return Output(send=self._link.command(Calibrate(row, cells), now_ms))

    def keep(self, now_ms: int) -> Output:
        """Has the board keep what it was taught."""
        return Output(send=self._link.command(Keep(), now_ms))

    def _dimmed(self, now_ms: int) -> bytes:
        hello = self._link.hello
        if self._brightness is None or hello is None or Capability.DIMMER not in hello.capabilities:
            return b""
        return self._link.command(Brightness(self._brightness), now_ms)

    def _output(self, heard: Heard, now_ms: int) -> Output:
        if heard.online is not None:
            self._forget()
        send = heard.send
        views: list[BoardView] = []
        pressed: list[str] = []
        for message in heard.messages:
            turned, restarts = self._turned, self._restarts
            view, buttons = self._take(message, now_ms)
            if view is not None:
                views.append(view)
            pressed += buttons
            if isinstance(message, Hello) or self._restarts != restarts:
                send += self._dimmed(now_ms)
            if self._turned != turned and self._cues:
                send += self._link.command(self._lamps(), now_ms)
        return Output(tuple(views), tuple(pressed), send, heard.online)

    def _forget(self) -> None:
        self._held_since_ms = None
        self._state = None
        self._keys = None
        self._told = ()
        self._magnets, self._are_new = _NO_MAGNETS, False
        self._kings = frozenset()
        self._flicker.clear()
        self._fresh = True

    def _take(self, message: ToHost, now_ms: int) -> tuple[BoardView | None, tuple[str, ...]]:
        match message:
            case Hello():
                self._greet(message)
            case State() if self._link.hello is not None and self._problem is None:
                return self._sense(message, now_ms)
            case Keys() if self._link.hello is not None and self._problem is None:
                return None, self._take_keys(message)
            case Magnets() if self._link.hello is not None and self._problem is None:
                self._take_magnets(message)
            case Readings():
                self._readings[message.row] = message.values
            case Problem():
                self._problem, self._trouble = message.text, "board_reports"
        return None, ()

    def _take_magnets(self, magnets: Magnets) -> None:
        if len(magnets.kings) != (self._geometry.columns * self._geometry.rows + 7) // 8:
            self._drops["wrong number of cells"] += 1
            return
        self._are_new |= magnets != self._magnets
        self._magnets = magnets

    def _greet(self, hello: Hello) -> None:
        unique_id = hello.unique_id.hex()
        if self._device is not None and self._device.unique_id != unique_id:
            self._forget()
            self._starts_told = None
            self._turned = self._turns[0]
        self._turned = self._lays.get(unique_id, self._turned)
        self._device = Device(
            "Dambord matrix",
            unique_id,
            ".".join(map(str, hello.firmware)),
            Capability.COLOUR in hello.capabilities,
            Capability.KINGS | Capability.COLOUR in hello.capabilities,
            Capability.LAMPS in hello.capabilities,
        )
        self._problem = _problem(hello, self._geometry, self._turned)
        self._trouble = "" if self._problem is None else "wrong_board"
        if hello.version != VERSION:
            self._trouble = "wrong_firmware"

    def _sense(self, state: State, now_ms: int) -> tuple[BoardView | None, tuple[str, ...]]:
        if len(state.packed) != self._packed_size:
            self._drops["wrong number of cells"] += 1
            return None, ()
        before = self._state
        if before is not None and before.restarts == state.restarts:
            if 0 < (before.time_ms - state.time_ms) & 0xFFFFFFFF <= _STALE_MS:
                self._drops["out of order"] += 1
                return None, ()
            pressed = self._with_hold(_pressed(before, state), state)
        else:
            pressed, self._held_since_ms = (), None
        self._state = state
        self._count_restarts(state.restarts)
        is_old = before is not None and before.packed == state.packed
        if is_old and not self._fresh and not self._are_new:
            return None, pressed
        self._take_cells(state.cells(self._geometry.columns * self._geometry.rows), now_ms)
        return self._view(), pressed

    def _with_hold(self, pressed: tuple[str, ...], state: State) -> tuple[str, ...]:
        """Buttons pressed, where the one for a new game waits until it is known whether it is a long press."""
        is_down = bool(state.held >> BUTTONS.index(HELD) & 1)
        if HELD in pressed and is_down:
            self._held_since_ms = state.time_ms
            return tuple(button for button in pressed if button != HELD)
        since_ms = self._held_since_ms
        if since_ms is None:
            return pressed
        if not is_down:
            self._held_since_ms = None
            return (*pressed, HELD)
        if state.time_ms - since_ms < HOLD_MS:
            return pressed
        self._held_since_ms = None
        return (*pressed, "set_up")

    def _count_restarts(self, starts: int) -> None:
        if self._starts_told is not None:
            self._restarts += (starts - self._starts_told) & 0xFF
        self._starts_told = starts

    def _take_keys(self, keys: Keys) -> tuple[str, ...]:
        before = self._keys
        if keys == before:
            return ()
        if before is None or before.restarts != keys.restarts:
            self._keys = keys
            return ()
        if any((new - old) & 0xFF > _MOST_PRESSES for old, new in zip(before.presses, keys.presses, strict=False)):
            self._drops["out of order"] += 1  # a late copy, from before the last press
            return ()
        self._keys = keys
        return _went_down(KEY_BUTTONS, before.presses, keys.presses)

    def _take_cells(self, told: tuple[CellState, ...], now_ms: int) -> None:
        if self._fresh:
            self._cells = list(told)
        for cell, (before, now) in enumerate(zip(self._told, told, strict=False)):
            if before is not now and not self._flicker.note(cell, self._cells[cell], now, now_ms):
                self._cells[cell] = now
        self._told = told
        self._are_new = False
        held = {cell for cell in self._kings if not told[cell] and self._cells[cell]}
        self._kings = cells_of(self._magnets.kings) | held

    def _view(self) -> BoardView | None:
        cells = self._cells
        self._learn_orientation()
        place = placement(self._geometry, self._turned)
        stray = (cell for index, cell in place.others if cells[index] is not CellState.EMPTY)
        flickering = self._flicker.weak()
        faint = cells_of(self._magnets.weak)
        weak = (square for square, index in enumerate(place.squares) if index in flickering or index in faint)
        view = view_of(map(self._possible, place.squares), stray, weak=weak)
        if view == self._delivered and not self._fresh:
            return None
        self._delivered = view
        self._fresh = False
        return view

    def _possible(self, cell: int) -> Piece:
        possible = _POSSIBLE[self._cells[cell]]
        if self._device is None or not self._device.identity:
            return possible
        return possible & (_KINGS if cell in self._kings else _MEN)

    def _learn_orientation(self) -> None:
        if self._home is None or self._device is None or not self._device.colour:
            return
        for turned in self._turns:
            squares = placement(self._geometry, turned).squares
            if tuple(self._cells[index] for index in squares) == self._home:
                self._turned = self._lays[self._device.unique_id] = turned
                return

    def _lamps(self) -> Lamps:
        squares = placement(self._geometry, self._turned).squares
        return Lamps(tuple((squares[square], role) for square, role in self._cues[:MAX_LAMPS]))


def _pressed(before: State, now: State) -> tuple[str, ...]:
    return _went_down(BUTTONS, before.presses, now.presses) if before.presses != now.presses else ()


def _went_down(buttons: tuple[str, ...], before: tuple[int, ...], now: tuple[int, ...]) -> tuple[str, ...]:
    counts = ((new - old) & 0xFF for old, new in zip(before, now, strict=False))
    return tuple(button for button, count in zip(buttons, counts, strict=False) for _ in range(count))


def _problem(hello: Hello, geometry: Geometry, turned: int) -> str | None:
    if hello.version != VERSION:
        return (
            f"The board speaks link version {hello.version}, expected version {VERSION}: "
            "update its firmware or this program."
        )
    if (hello.columns, hello.rows) != (geometry.columns, geometry.rows):
        return (
            f"The board has {hello.columns}x{hello.rows} cells, expected {geometry.columns}x{geometry.rows}: "
            "choose a variant that fits it or connect another board."
        )
    blind: list[Square] = [
        square
        for square, cell in enumerate(geometry.cells)
        if not hello.sensors.covers(own_cell(geometry, turned, cell), hello.rows)
    ]
    if blind:
        return (
            f"The board has no sensor under {len(blind)} of the {len(geometry)} squares, expected one under each: "
            "choose a variant that fits it or connect another board."
        )
    return None
