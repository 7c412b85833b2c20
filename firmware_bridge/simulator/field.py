"""Linear hall sensors under a simulated board, and what it keeps of them; written from PROTOCOL.md alone.

The fields are assumptions until somebody measures a board: a man moves the reading by an eighth of the converter's
whole range, a king (two magnets) by a quarter, and no two sensors rest at the same reading.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from engine.position import Piece

REST = 32768
REST_SPREAD = 900
MAN, KING = 8200, 15500
FAINT = 0.45
"""The share of its field that a weak magnet still has."""
RIPPLE = 60
"""The noise of one reading, to both sides."""
_KINGS = Piece.WHITE_KING | Piece.BLACK_KING
_WHITE = Piece.WHITE_MAN | Piece.WHITE_KING
_CELL_BYTES = 9


@dataclass(frozen=True, slots=True)
class _Calibrated:
    rest: int = REST
    present: int = 3000
    weak: int = 5000
    king: int = 12000
    flags: int = 0
    """Of PROTOCOL.md: 1 readings above rest are black, 2 not to be believed."""


class Field:
    """The sensors of `columns` x `rows` cells, each with a rest of its own, and the calibration in use."""

    def __init__(self, columns: int, rows: int, seed: int) -> None:
        self._columns, self._rows = columns, rows
        self._random = Random(seed)
        self._rests = [REST + self._random.randint(-REST_SPREAD, REST_SPREAD) for _ in range(columns * rows)]
        self._reversed: set[int] = set()
        self._calibrated = self._kept = [_Calibrated() for _ in self._rests]

    def reverse(self, cell: int) -> None:
        """The sensor of a cell was put in upside down."""
        self._reversed.add(cell)

    def reading(self, cell: int, piece: Piece, *, is_faint: bool = False, is_dead: bool = False) -> int:
        """What a cell's sensor reads of the piece above it, without noise."""
        if piece is Piece.EMPTY or is_dead:
            return self._rests[cell]
        pull = (KING if piece & _KINGS else MAN) * (FAINT if is_faint else 1)
        up = bool(piece & _WHITE) is not (cell in self._reversed)
        return min(65535, max(0, self._rests[cell] + round(pull if up else -pull)))

    def code(self, cell: int, reading: int, before: int, *, tells_colours: bool) -> int:
        """What STATE says of a cell that reads so and said `before`."""
        known = self._calibrated[cell]
        strength = abs(reading - known.rest)
        if known.flags & 2 or 4 * strength < 3 * known.present or (strength < known.present and not before):
            return 0
        if not tells_colours:
            return 1
        return 3 if (reading > known.rest) == bool(known.flags & 1) else 2

    def marks(self, cell: int, reading: int) -> tuple[bool, bool]:
        """Whether a cell on which something stands holds a king, and whether its magnet is weak."""
        known = self._calibrated[cell]
        strength = abs(reading - known.rest)
        return 0 < known.king <= strength, strength < known.weak

    def noisy(self, reading: int) -> int:
        """One reading as the converter gives it."""
        return min(65535, max(0, reading + self._random.randint(-RIPPLE, RIPPLE)))

    def told(self, row: int) -> bytes:
        """The calibration of a row as CALIBRATION carries it."""
        cells = self._calibrated[row * self._columns : (row + 1) * self._columns]
        fields = ((c.rest, c.present, c.weak, c.king) for c in cells)
        each = (b"".join(n.to_bytes(2, "little") for n in four) for four in fields)
        return bytes((row,)) + b"".join(four + bytes((c.flags,)) for four, c in zip(each, cells, strict=True))

    def fits(self, payload: bytes) -> bool:
        """Whether this is a CALIBRATE for a row of this board."""
        if len(payload) != 1 + _CELL_BYTES * self._columns or payload[0] >= self._rows:
            return False
        return all(cell.present and cell.flags <= 3 for cell in _cells(payload))

    def use(self, payload: bytes) -> None:
        """The row that a CALIBRATE carries counts from now on."""
        first = payload[0] * self._columns
        self._calibrated = list(self._calibrated)
        self._calibrated[first : first + self._columns] = _cells(payload)

    def keep(self, is_kept: bool) -> None:
        """What is in use outlives a start; or the first calibration is used and kept."""
        if not is_kept:
            self._calibrated = [_Calibrated() for _ in self._rests]
        self._kept = self._calibrated

    def start(self) -> None:
        """The power comes: what was kept is in use."""
        self._calibrated = self._kept

    def drift(self, cell: int, by: int) -> None:
        """From now on a cell's sensor rests elsewhere."""
        self._rests[cell] += by


def _cells(payload: bytes) -> list[_Calibrated]:
    rows = (payload[at : at + _CELL_BYTES] for at in range(1, len(payload), _CELL_BYTES))
    numbers = ([int.from_bytes(row[at : at + 2], "little") for at in (0, 2, 4, 6)] for row in rows)
    flags = payload[_CELL_BYTES::_CELL_BYTES]
    return [replace(_Calibrated(*four), flags=flag) for four, flag in zip(numbers, flags, strict=True)]
