"""The board's end of a Millennium ChessLink line (unofficial), from the maker's description of its protocol.

8x8 cells read within one scan, reported after every scan or after every change; 81 lamps at the corners of the cells.
Each byte carries odd parity in bit 7, each message an exclusive or in two digits.
"""

from __future__ import annotations

from math import ceil

from engine.geometry import Cell
from engine.position import Piece
from firmware_bridge.simulator.cable import Cable
from firmware_bridge.simulator.faults import NONE, Faults, Noise
from firmware_bridge.simulator.scan import Scanner

SCAN_MS = 41
BOOT_MS = 3000
"""What the maker says of its reset."""
BYTES_PER_MS = 3.84
PATIENCE_MS = 60
"""Half a command that gets no byte for so long is forgotten; an assumption."""
LETTERS = ".Pp?Qq"
_PIECES = (Piece.EMPTY, Piece.WHITE_MAN, Piece.BLACK_MAN, None, Piece.WHITE_KING, Piece.BLACK_KING)
_CODES = {piece: code for code, piece in enumerate(_PIECES) if piece is not None}
_COMMANDS = {"S": 3, "L": 167, "X": 3, "V": 3, "T": 3, "W": 7, "R": 5}
"""Characters of each command, with its check."""
_ROLES = {0xF0: "lift", 0xFF: "place", 0x80: "path", 0xCC: "remove", 0xAA: "wrong", 0xC0: "hint"}
"""How people see which pattern: what our driver has agreed with them, and no fact of the board."""


class MillenniumBoard:
    """A board of 64 cells; `chatty` boards report every scan, others what has changed."""

    def __init__(
        self,
        *,
        seed: int = 0,
        faults: Faults = NONE,
        chatty: bool = True,
        reports: bool = True,
        quarters: int = 0,
    ) -> None:
        self._noise = Noise(faults, seed)
        self._scanner = Scanner(64, SCAN_MS, _CODES, self._noise)
        self._cable = Cable(BYTES_PER_MS, self._noise)
        self._chatty, self._reports, self._quarters = chatty, reports, quarters
        self._input = ""
        self._input_ms = 0
        self._lamps = bytes(81)
        self._boot_ms = 0
        self._report_ms = SCAN_MS
        self._changed = True
        self.memory = bytearray(256)
        """The board's own memory; whoever writes to it is to be found out."""
        self.writes = 0

    def put(self, cell: Cell, piece: Piece, now_ms: int) -> None:
        """A hand puts a piece on a cell; nothing else stands there afterwards."""
        self._scanner.put(self._index(cell), piece, now_ms)

    def take(self, cell: Cell, now_ms: int) -> None:
        """A hand takes away what stands on a cell."""
        self.put(cell, Piece.EMPTY, now_ms)

    def contents(self, cell: Cell) -> Piece:
        """What stands on a cell, whatever the board says."""
        return self._scanner.contents(self._index(cell))

    def break_sensor(self, cell: Cell) -> None:
        """From now on a cell reads empty whatever stands there."""
        self._scanner.break_sensor(self._index(cell))
        self._changed = True

    def press(self, button: str, now_ms: int) -> None:
        """ValueError: this board has no buttons."""
        raise ValueError(f"no button {button!r} on this board: it has none")

    def lamps(self, now_ms: int) -> dict[Cell, str]:
        """The cells whose four corners are lit alike, as far as people can tell."""
        lit = {}
        for index in range(64):
            row, column = divmod(index, 8)
            corners = [self._lamps[(column + x) * 9 + row + y] for x in (0, 1) for y in (0, 1)]
            common = corners[0] & corners[1] & corners[2] & corners[3]
            if common in _ROLES:
                lit[self._cell(index)] = _ROLES[common]
        return lit

    def power_cycle(self, now_ms: int) -> None:
        """The power goes and comes back; what stood on the board still stands there."""
        self._boot_ms = now_ms + BOOT_MS
        self._input = ""
        self._cable.cut(now_ms)
        self._lamps = bytes(81)
        self._scanner.restart(now_ms)
        self._report_ms = self._boot_ms + SCAN_MS
        self._changed = True

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Takes bytes from the host, gives bytes for it."""
        out = self.tick(now_ms)
        if now_ms < self._boot_ms:
            return out
        if now_ms > self._input_ms + PATIENCE_MS:
            self._input = ""
        self._input_ms = now_ms
        for byte in self._noise.spoil(data):
            is_odd = byte.bit_count() % 2 == 1
            self._hear(chr(byte & 0x7F) if is_odd else "?", now_ms)
        return out + self._cable.arrived(now_ms)

    def tick(self, now_ms: int) -> bytes:
        """Gives the bytes that have left the board by this time."""
        if now_ms >= self._boot_ms:
            for _ in self._scanner.advance(now_ms):
                self._changed = True
            if now_ms >= self._report_ms and self._reports and (self._chatty or self._changed):
                # What the wire has not carried away yet is not reported again.
                if self._cable.free_ms <= now_ms:
                    self._status(now_ms)
                self._report_ms = now_ms - now_ms % SCAN_MS + SCAN_MS
        return self._cable.arrived(now_ms)

    def deadline_ms(self) -> int | None:
        """When tick has something to do, None when nothing will happen by itself."""
        due = [self._cable.deadline_ms(), self._scanner.deadline_ms()]
        if self._reports and (self._chatty or self._changed):
            due.append(self._report_ms)
        moments = [ceil(at_ms) for at_ms in due if at_ms is not None]
        return max(self._boot_ms, min(moments)) if moments else None

    def _index(self, cell: Cell) -> int:
        column, row = cell
        for _ in range(self._quarters):
            column, row = row, 7 - column
        return row * 8 + column

    def _cell(self, index: int) -> Cell:
        row, column = divmod(index, 8)
        for _ in range(-self._quarters % 4):
            column, row = row, 7 - column
        return column, row

    def _hear(self, character: str, now_ms: int) -> None:
        """One character of a command; whatever is wrong with it, the whole command is not heeded."""
        self._input += character
        while self._input and self._input[0] not in _COMMANDS:
            self._input = self._input[1:]
        if not self._input or len(self._input) < _COMMANDS[self._input[0]]:
            return
        body, check, self._input = self._input[:-2], self._input[-2:], ""
        if _check(body) == check:
            self._obey(body, now_ms)

    def _obey(self, body: str, now_ms: int) -> None:
        match body[0]:
            case "S":
                self._status(now_ms)
            case "V":
                self._say("v0104", now_ms)
            case "X":
                self._lamps = bytes(81)
                self._say("x", now_ms)
            case "T":
                self.power_cycle(now_ms)
            case "L" if set(body[1:]) <= set("0123456789ABCDEF"):
                self._lamps = bytes.fromhex(body[3:])
                self._say("l", now_ms)
            case "R":
                self._say(f"r{body[1:3]}{self.memory[int(body[1:3], 16)]:02X}", now_ms)
            case "W":
                self.memory[int(body[1:3], 16)] = int(body[3:5], 16)
                self.writes += 1
                self._say(f"w{body[1:5]}", now_ms)

    def _status(self, now_ms: int) -> None:
        self._changed = False
        self._say("s" + "".join(LETTERS[code] for code in self._scanner.read), now_ms)

    def _say(self, text: str, now_ms: int) -> None:
        if self._noise.happens(self._noise.faults.power_cycle):
            self.power_cycle(now_ms)
            return
        whole = text + _check(text)
        self._cable.send(bytes(ord(one) | (0x80 if ord(one).bit_count() % 2 == 0 else 0) for one in whole), now_ms)


def _check(text: str) -> str:
    value = 0
    for character in text:
        value ^= ord(character)
    return f"{value:02X}"
