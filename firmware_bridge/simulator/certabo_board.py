"""The board's end of a Certabo or Tabutronic line (unofficial): it only tells, and its lamps obey.

With chips it tells the five numbers of the chip on each cell, without only that something stands there. How fast it
reads and tells is an assumption: 300 ms with chips, 100 ms without.
"""

from __future__ import annotations

from math import ceil

from engine.geometry import Cell
from engine.position import CONTENTS, Piece
from firmware_bridge.simulator.cable import Cable
from firmware_bridge.simulator.faults import NONE, Faults, Noise
from firmware_bridge.simulator.scan import Scanner

CHIP_SCAN_MS = 300
MAGNET_SCAN_MS = 100
BOOT_MS = 1000
BYTES_PER_MS = 3.84
BREAK_EVERY = 65
"""Characters after which a board that breaks its lines does so, be it within a number."""
GAP_MS = 5
"""Bytes of one command follow each other; after such a pause a new one begins."""
_CODES = {piece: code for code, piece in enumerate(CONTENTS)}
_WHITE = Piece.WHITE_MAN | Piece.WHITE_KING
_NO_CHIP = 199
_ROLES = {1: "lift", 2: "place", 3: "path", 4: "remove", 5: "wrong", 7: "hint"}
"""How people see which colour: what our driver has agreed with them, and no fact of the board."""


class CertaboBoard:
    """A board of 64 cells. Each draughtsman has its own chip; a hand takes any that is off the board."""

    def __init__(
        self,
        *,
        seed: int = 0,
        faults: Faults = NONE,
        chips: bool = True,
        coloured_lamps: bool = False,
        breaks_lines: bool = False,
        quarters: int = 0,
    ) -> None:
        self._noise = Noise(faults, seed)
        self._scan_ms = CHIP_SCAN_MS if chips else MAGNET_SCAN_MS
        self._scanner = Scanner(64, self._scan_ms, _CODES, self._noise, wrong_code=len(_CODES) if chips else 0)
        self._cable = Cable(BYTES_PER_MS, self._noise)
        self._reads_chips, self._has_colours, self._breaks_lines = chips, coloured_lamps, breaks_lines
        self._quarters = quarters
        self._chips: dict[int, int] = {}
        """For each cell the number of the draughtsman on it, counted by side: white ones are even."""
        self._gone: dict[int, int] = {}
        """The draughtsman that stood on a cell before: it is told until the cell is read again."""
        self._input = b""
        self._input_ms = 0
        self._lamps: dict[int, int] = {}
        self._boot_ms = 0
        self._report_ms = self._scan_ms
        self._has_said_lamps = False
        self.told = 0
        """Bytes that came from the host."""

    def put(self, cell: Cell, piece: Piece, now_ms: int) -> None:
        """A hand puts a piece on a cell; nothing else stands there afterwards."""
        index = self._index(cell)
        self._gone[index] = self._chips.pop(index, _NO_CHIP)
        if piece is not Piece.EMPTY:
            own = 0 if piece & _WHITE else 1
            self._chips[index] = next(n for n in range(own, 200, 2) if n not in self._chips.values())
        self._scanner.put(index, piece, now_ms)

    def take(self, cell: Cell, now_ms: int) -> None:
        """A hand takes away what stands on a cell."""
        self.put(cell, Piece.EMPTY, now_ms)

    def contents(self, cell: Cell) -> Piece:
        """What stands on a cell, whatever the board says."""
        return self._scanner.contents(self._index(cell))

    def break_sensor(self, cell: Cell) -> None:
        """From now on a cell reads empty whatever stands there."""
        self._scanner.break_sensor(self._index(cell))

    def press(self, button: str, now_ms: int) -> None:
        """ValueError: this board has no buttons."""
        raise ValueError(f"no button {button!r} on this board: it has none")

    def lamps(self, now_ms: int) -> dict[Cell, str]:
        """The lit cells; only coloured lamps show roles, all others show `lit`."""
        self._obey(now_ms)
        return {self._cell(index): _ROLES.get(colour, "lit") for index, colour in self._lamps.items()}

    def power_cycle(self, now_ms: int) -> None:
        """The power goes and comes back; what stood on the board still stands there."""
        self._boot_ms = now_ms + BOOT_MS
        self._input, self._lamps = b"", {}
        self._cable.cut(now_ms)
        self._scanner.restart(now_ms)
        self._report_ms = self._boot_ms + self._scan_ms
        self._has_said_lamps = False

    def receive(self, data: bytes, now_ms: int) -> bytes:
        """Takes bytes from the host, gives bytes for it."""
        out = self.tick(now_ms)
        self.told += len(data)
        if now_ms >= self._boot_ms:
            self._obey(now_ms)
            self._input += self._noise.spoil(data)
            self._input_ms = now_ms
        return out

    def tick(self, now_ms: int) -> bytes:
        """Gives the bytes that have left the board by this time."""
        if now_ms >= self._boot_ms:
            self._obey(now_ms)
            for _ in self._scanner.advance(now_ms):
                pass
            if now_ms >= self._report_ms:
                if self._cable.free_ms <= now_ms:
                    self._tell(now_ms)
                self._report_ms = now_ms - now_ms % self._scan_ms + self._scan_ms
        return self._cable.arrived(now_ms)

    def deadline_ms(self) -> int | None:
        """When tick has something to do."""
        due = (self._report_ms, self._cable.deadline_ms(), self._scanner.deadline_ms())
        return max(self._boot_ms, min(ceil(at_ms) for at_ms in due if at_ms is not None))

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

    def _tell(self, now_ms: int) -> None:
        if self._noise.happens(self._noise.faults.power_cycle):
            self.power_cycle(now_ms)
            return
        if not self._has_said_lamps:
            self._has_said_lamps = True
            self._cable.send(b"D\r\n" if self._has_colours else b"L\r\n", now_ms)
        text = ":" + " ".join(map(str, self._chip_numbers() if self._reads_chips else self._rows()))
        if self._breaks_lines:
            text = "\n".join(text[at : at + BREAK_EVERY] for at in range(0, len(text), BREAK_EVERY))
        self._cable.send(text.encode() + b"\r\n", now_ms)

    def _chip_numbers(self) -> list[int]:
        numbers = []
        for index, code in enumerate(self._scanner.read):
            chip = self._chips.get(index, self._gone.get(index, _NO_CHIP))
            if code == 0:
                numbers += [0, 0, 0, 0, 0]
            elif code == len(_CODES):
                numbers += [3, 0, 84, 44, 255]
            else:
                numbers += [3, 0, 84, 44, chip + 1]
        return numbers

    def _rows(self) -> list[int]:
        read = self._scanner.read
        return [sum(0x80 >> column for column in range(8) if read[row * 8 + column]) for row in range(8)]

    def _obey(self, now_ms: int) -> None:
        """Carries out the command whose bytes have all come."""
        if not self._input or now_ms < self._input_ms + GAP_MS:
            return
        command, self._input = self._input, b""
        if self._has_colours and len(command) == 247 and command[:2] == b"\xff\x55" and command[-2:] == b"\r\n":
            self._lamps = _cells_between(command[2:-2])
        elif not self._has_colours and len(command) == 8:
            self._lamps = {row * 8 + bit: 8 for row, byte in enumerate(command) for bit in range(8) if byte >> bit & 1}


def _cells_between(parts: bytes) -> dict[int, int]:
    """For each cell the colour that its four corners have in common; corners are counted from that of h1."""
    colours = [
        sum(bit for bit, part in zip((4, 2, 1), parts[at : at + 3], strict=True) if part) for at in range(0, 243, 3)
    ]
    lit = {}
    for index in range(64):
        row, column = 7 - index // 8, 7 - index % 8
        first = row * 9 + column
        common = colours[first] & colours[first + 1] & colours[first + 9] & colours[first + 10]
        if common:
            lit[index] = common
    return lit
