"""What the piece codes of a DGT-compatible board mean, and how that is learned from a start position."""

from __future__ import annotations

from dataclasses import dataclass

from engine.geometry import Geometry
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Piece, Side, side_of
from engine.view import OCCUPIED
from firmware_bridge.driver import Calibration
from firmware_bridge.placement import placement

Codes = dict[int, Piece]
"""Code 1..12 to piece; a code that is not in it is a piece of unknown kind."""

RESULTS = frozenset((0x0D, 0x0E, 0x0F))
"""Codes of the pieces that announce a result; never men or kings."""

PRESETS: dict[str, Codes] = {
    "draughts-2011": {0x01: WHITE_MAN, 0x04: BLACK_MAN, 0x07: WHITE_KING, 0x0A: BLACK_KING},
    "draughts-old": {0x01: WHITE_MAN, 0x07: BLACK_MAN, 0x04: WHITE_KING, 0x0A: BLACK_KING},
    "chess-pawns": {0x01: WHITE_MAN, 0x07: BLACK_MAN, 0x06: WHITE_KING, 0x0C: BLACK_KING},
}


@dataclass(frozen=True)
class Reading:
    """How the fields of one board are read."""

    codes: Codes
    turned: int
    """In degrees, clockwise as White sees it."""
    learned: bool = False

    @property
    def rotated(self) -> bool:
        """Whether White sits at the board's far side."""
        return self.turned == 180

    def possible(self, code: int) -> Piece:
        """What may stand on a field that reports this code."""
        return EMPTY if code == 0 else self.codes.get(code, OCCUPIED)


UNTAUGHT = Reading(PRESETS["draughts-2011"], turned=0)
"""How a board is read before a start position has been seen on it."""


def learn(
    fields: bytes, geometry: Geometry, home: tuple[Piece, ...], before: Reading, may_lie: tuple[int, ...] = (0, 180)
) -> Reading | None:
    """How to read a board on which the start position stands; None when it does not stand there.

    The man codes of a preset also tell how the board lies, of the ways in which it `may_lie`. Other codes leave that
    as it was before.
    """
    codes_here = {turned: _home_codes(fields, geometry, home, turned) for turned in may_lie}
    for turned, men in codes_here.items():
        if men is not None and (codes := _preset_codes(*men)):
            return Reading(codes, turned, learned=True)
    men = codes_here[before.turned]
    if men is None:
        return None
    return Reading({men[0]: WHITE_MAN, men[1]: BLACK_MAN}, before.turned, learned=True)


def _home_codes(fields: bytes, geometry: Geometry, home: tuple[Piece, ...], turned: int) -> tuple[int, int] | None:
    """The one code on all of White's home squares and the one on all of Black's, everything else being empty."""
    found: dict[Side | None, set[int]] = {None: {0}, Side.WHITE: set(), Side.BLACK: set()}
    for index, piece in zip(placement(geometry, turned).squares, home, strict=True):
        found[side_of(piece)].add(fields[index])
    white, black = found[Side.WHITE], found[Side.BLACK]
    if found[None] != {0} or len(white) != 1 or len(black) != 1 or white == black or (white | black) & ({0} | RESULTS):
        return None
    return min(white), min(black)


def _preset_codes(white_man: int, black_man: int) -> Codes:
    """All presets with these codes for men in one; they never contradict each other."""
    codes: Codes = {}
    for preset in PRESETS.values():
        if preset.get(white_man) is WHITE_MAN and preset.get(black_man) is BLACK_MAN:
            codes |= preset
    return codes


def as_known(reading: Reading) -> Calibration | None:
    """What was learned of a board, as it is kept; None for nothing. Codes are written in decimal."""
    if not reading.learned:
        return None
    pieces = ((str(code), (piece.name or "").lower()) for code, piece in sorted(reading.codes.items()))
    return Calibration(lay=reading.turned, pieces=tuple(pieces))


def as_read(known: Calibration, usual: int) -> Reading | None:
    """How a board is read of which this is known; None where its pieces are not. It lies the usual way if unknown."""
    named = {str(piece.name).lower(): piece for piece in (WHITE_MAN, WHITE_KING, BLACK_MAN, BLACK_KING)}
    codes = {
        int(code): named[name]
        for code, name in known.pieces
        if code.isascii() and code.isdecimal() and 0 < int(code) < min(RESULTS) and name in named
    }
    if not {WHITE_MAN, BLACK_MAN} <= set(codes.values()):
        return None
    return Reading(codes, usual if known.lay is None else known.lay, learned=True)
