"""What stands on the fields of a DGT-compatible board (unofficial), out of single changes and whole dumps."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from engine.geometry import Geometry
from engine.position import CONTENTS, EMPTY, Piece
from engine.view import BLACK, WHITE, BoardView, view_of
from firmware_bridge.dgt_codes import UNTAUGHT, Reading, as_known, as_read, learn
from firmware_bridge.driver import Calibration
from firmware_bridge.flicker import Flicker
from firmware_bridge.placement import placement, turns
from firmware_bridge.swings import Swings


class Fields:
    """The fields as they were told, and how they are read.

    A dump is believed at once when it agrees with the changes before it, else when a second one says the same.
    """

    def __init__(self, geometry: Geometry, home: tuple[Piece, ...] | None, turned: int | None) -> None:
        self._turns = turns(geometry, turned)
        self._geometry = geometry
        self._home = home
        self.count = geometry.columns * geometry.rows
        self.serial = ""
        """The number of the board that answers; empty until it has told it."""
        self._readings: dict[str, Reading] = {}
        self._flicker = Flicker()
        self._swings = Swings()
        self._codes: bytearray | None = None
        self._dump: bytes | None = None
        self._settled = b""
        self._delivered: BoardView | None = None

    @property
    def codes(self) -> bytes | None:
        """The code of each field as the board counts them; None before the first dump."""
        return None if self._codes is None else bytes(self._codes)

    @property
    def reading(self) -> Reading:
        """The piece codes and the orientation in use for the board with this serial number."""
        return self._readings.get(self.serial, replace(UNTAUGHT, turned=self._turns[0]))

    @property
    def learned(self) -> Calibration | None:
        """The piece codes and the orientation learned of the board with this serial number; None for nothing."""
        return as_known(self.reading)

    def recall(self, unique_id: str, known: Calibration) -> None:
        """Takes what was learned of the board with a serial number at an earlier time, unless codes are not named."""
        reading = as_read(known, self._turns[0])
        if reading is not None:
            self._readings[unique_id] = (
                reading if reading.turned in self._turns else replace(reading, turned=self._turns[0])
            )

    def meet(self, serial: str) -> None:
        """From now on it is the board with this serial number; what was learned before any was told is its own."""
        untaught = replace(UNTAUGHT, turned=self._turns[0])
        self._readings.setdefault(serial, untaught if self.serial else self.reading)
        self.serial = serial

    def forget(self) -> None:
        """What stands there is not known any more; how it is read is."""
        self._codes = None
        self._dump = None
        self._settled = b""
        self._delivered = None
        self._flicker.clear()
        self._swings.clear()

    def change(self, field: int, code: int, now_ms: int) -> bool:
        """Takes the code of one field; whether something else stands there than before."""
        if self._codes is None:
            return False
        before, after = self._codes[field], code & 0x0F
        if self._is_swing(field, before, after, now_ms) or self._flicker.note(field, before, after, now_ms):
            return False
        self._codes[field] = after
        return True

    def replace(self, payload: bytes, now_ms: int, *, is_quiet: bool, is_doubtful: bool = False) -> bool:
        """Takes the codes of all fields; whether they are what stands there.

        `is_quiet`: nothing has moved since they were asked for. A doubtful dump confirms nothing.
        """
        fields = self._flicker.overlay(bytes(code & 0x0F for code in payload))
        if self._codes is not None:
            known = enumerate(zip(self._codes, fields, strict=True))
            fields = bytes(old if self._is_swing(field, old, new, now_ms) else new for field, (old, new) in known)
        agrees = fields in (self._codes, self._dump) and not is_doubtful
        self._dump = fields
        self._codes = bytearray(fields)
        if is_quiet and agrees:
            self._settled = fields
        self._learn(fields)
        return agrees

    def expire(self, now_ms: int) -> bool:
        """Believes what has lasted for long enough; whether something else stands there now."""
        gone = [(field, 0) for field in self._flicker.expire(now_ms)]
        changed = (*gone, *self._swings.expire(now_ms))
        if self._codes is None:
            return False
        for field, code in changed:
            self._codes[field] = code
        return bool(changed)

    def deadline_ms(self) -> int | None:
        """When expire has something to do."""
        due = (self._flicker.deadline_ms(), self._swings.deadline_ms())
        return min((at_ms for at_ms in due if at_ms is not None), default=None)

    def view(self, *, firm: bool) -> BoardView | None:
        """What is seen, None when it was told already."""
        if self._codes is None:
            return None
        view = self.seen(bytes(self._codes), firm, self._flicker.weak())
        if view == self._delivered:
            return None
        self._delivered = view
        return view

    def seen(self, fields: bytes, firm: bool, flickering: Container[int] = ()) -> BoardView:
        """What codes of all fields show."""
        reading = self.reading
        place = placement(self._geometry, reading.turned)
        stray = (cell for index, cell in place.others if fields[index])
        weak = (square for square, index in enumerate(place.squares) if index in flickering)
        return view_of((reading.possible(fields[index]) for index in place.squares), stray, firm, weak)

    def shows(self, fields: bytes, contents: tuple[Piece, ...]) -> bool:
        """Whether a position's pieces stand on a board, be they men or kings."""
        reading = self.reading
        squares = placement(self._geometry, reading.turned).squares
        sides = {EMPTY: EMPTY, **{piece: WHITE if piece & WHITE else BLACK for piece in CONTENTS[1:]}}
        told = zip(contents, (reading.possible(fields[index]) for index in squares), strict=True)
        return all(bool(sides[piece] & possible) for piece, possible in told)

    def _is_swing(self, field: int, before: int, after: int, now_ms: int) -> bool:
        """Whether a field holds what it held, though its piece is read as one of another kind for the moment.

        What it held must have been told twice: one telling may be spoilt.
        """
        reading = self.reading
        side = WHITE if reading.possible(before) & WHITE else BLACK
        is_settled = before in reading.codes and self._settled[field : field + 1] == bytes((before,))
        if is_settled and after and reading.possible(after) & side:
            return self._swings.note(field, before, after, now_ms)
        self._swings.drop(field)
        return False

    def _learn(self, fields: bytes) -> None:
        if self._home is not None:
            learned = learn(fields, self._geometry, self._home, self.reading, self._turns)
            if learned is not None:
                self._readings[self.serial] = learned


ONLY_DARK = (
    "The board answered with 64 fields, expected 100: it scans only its dark squares or is an 8x8 board; "
    "set it to scan all squares or choose a variant that fits it."
)


def wrong_size(found: int, expected: int) -> str:
    """Why a board of another size cannot be used, in one sentence."""
    return f"The board has {found} fields, expected {expected}: choose a variant that fits it or connect another board."
