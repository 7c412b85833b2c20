"""From what stands on a board to a position: the differences, and the one next thing that brings the board nearer.

Every act below puts at least one square right and none wrong, so a board is right after no more acts than pieces are
out of place. What stands on a square is known as far as the sensor tells: where it cannot tell the pieces apart that
are wanted, the sentence names the piece and the person looks.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.geometry import Geometry, Square
from engine.position import CONTENTS, EMPTY, Piece, is_king
from station.tracker import Masks, differing, masks_of_position, squares_in

TOGETHER = 4
"""One act names at most so many squares: as many as are lit."""


@dataclass(frozen=True, slots=True)
class Carry:
    """A piece goes from one square to another."""

    start: Square
    end: Square


@dataclass(frozen=True, slots=True)
class Fetch:
    """A piece of this kind goes to a square; it may stand on one of `starts`: the sensor cannot tell."""

    piece: Piece
    end: Square
    starts: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class Swap:
    """Two pieces change places: one of them at least comes home."""

    one: Square
    other: Square


@dataclass(frozen=True, slots=True)
class TakeOff:
    """Pieces go off the board."""

    squares: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class PutOn:
    """Pieces of one kind go on empty squares, or on squares where the wrong piece stands, which goes off."""

    piece: Piece
    squares: tuple[Square, ...]
    instead: bool = False


Act = Carry | Fetch | Swap | TakeOff | PutOn


@dataclass(frozen=True, slots=True)
class Mess:
    """A board and the position it should show: squares to fill, pieces in the wrong place."""

    wanted: tuple[Piece, ...]
    seen: Masks
    geometry: Geometry
    gaps: tuple[Square, ...]
    """Empty squares on which a piece is wanted."""
    misplaced: tuple[Square, ...]
    """Occupied squares on which nothing, or another piece, is wanted."""

    @property
    def wrong(self) -> tuple[Square, ...]:
        """Occupied squares on which another piece is wanted."""
        return tuple(square for square in self.misplaced if self.wanted[square] is not EMPTY)


def mess_of(wanted: tuple[Piece, ...], seen: Masks, geometry: Geometry) -> Mess:
    """What is out of place on a board that should show these contents."""
    differs = squares_in(differing(masks_of_position(wanted), seen))
    gaps = tuple(square for square in differs if seen[0] >> square & 1)
    return Mess(wanted, seen, geometry, gaps, tuple(square for square in differs if square not in gaps))


def pieces_amiss(mess: Mess) -> int:
    """How many pieces are to be touched at least: each square to fill needs one, each piece too many goes off."""
    return max(len(mess.gaps) + len(mess.wrong), len(mess.misplaced))


def next_act(mess: Mess) -> Act | None:
    """The next thing to do; None when the board is right, as far as the sensor tells.

    Pieces come home before others go off or come from the box.
    """
    if mess.gaps and mess.misplaced and (homecoming := _homecoming(mess)):
        return homecoming
    if mess.wrong and (swap := _swap(mess)):
        return swap
    surplus = tuple(square for square in mess.misplaced if mess.wanted[square] is EMPTY)
    if surplus:
        return TakeOff(surplus[:TOGETHER])
    return _put_on(mess, mess.wrong, instead=True) or _put_on(mess, mess.gaps, instead=False)


def _homecoming(mess: Mess) -> Carry | Fetch | None:
    """The misplaced piece that is surest of its square, and nearest to it."""
    pairs = [
        (not _is_exactly(mess, start, mess.wanted[end]), _distance(mess.geometry, start, end), end, start)
        for end in mess.gaps
        for start in mess.misplaced
        if _may_be(mess, start, mess.wanted[end])
    ]
    if not pairs:
        return None
    unsure, _, end, start = min(pairs)
    piece = mess.wanted[end]
    starts = [other for *_, place, other in sorted(pairs) if place == end]
    if unsure and len(_served_by(mess, starts)) > 1:
        return Fetch(piece, end, tuple(starts))
    return Carry(start, end)


def _served_by(mess: Mess, starts: list[Square]) -> set[Piece]:
    """The kinds of pieces wanted somewhere that some of these may be."""
    wanted = {mess.wanted[square] for square in (*mess.gaps, *mess.wrong)}
    return {piece for piece in wanted if any(_may_be(mess, start, piece) for start in starts)}


def _swap(mess: Mess) -> Swap | None:
    """Two misplaced pieces of which one stands where the other belongs; both, if there are two such."""
    pairs = [
        (
            not _may_be(mess, one, mess.wanted[other]),
            not _is_exactly(mess, other, mess.wanted[one]),
            _distance(mess.geometry, one, other),
            one,
            other,
        )
        for one in mess.wrong
        for other in mess.misplaced
        if one != other and _may_be(mess, other, mess.wanted[one])
    ]
    return Swap(*min(pairs)[-2:]) if pairs else None


def _put_on(mess: Mess, squares: tuple[Square, ...], instead: bool) -> PutOn | None:
    """The pieces of one kind that are wanted on these squares."""
    if not squares:
        return None
    piece = mess.wanted[squares[0]]
    alike = tuple(square for square in squares if mess.wanted[square] is piece)
    return PutOn(piece, alike[:TOGETHER], instead)


def _may_be(mess: Mess, square: Square, piece: Piece) -> bool:
    """Whether what stands on a square can serve as a piece; a man serves as a king that nobody has crowned."""
    if piece is EMPTY:
        return False
    place = CONTENTS.index(piece)
    possible = mess.seen[place] | (mess.seen[place - 1] if is_king(piece) else 0)
    return bool(possible >> square & 1)


def _is_exactly(mess: Mess, square: Square, piece: Piece) -> bool:
    """Whether what stands on a square is known to be this piece, and no other."""
    return [bool(mask >> square & 1) for mask in mess.seen] == [content is piece for content in CONTENTS]


def _distance(geometry: Geometry, one: Square, other: Square) -> int:
    (column, row), (to_column, to_row) = geometry.cells[one], geometry.cells[other]
    return max(abs(column - to_column), abs(row - to_row))
