"""What a walk over the squares teaches of a board: how it lies, which colour is which, which sensors do not answer.

First the board was empty, then the start position stood on it, then one piece was put on each square that had been
free. Cells are those of the board's own counting; what they must have shown follows from how it lies, so every way it
may lie is tried, and the one that fits best is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from engine.geometry import Cell, Geometry, Square
from engine.position import EMPTY, Piece, Side, side_of
from engine.view import ANYTHING, BLACK, WHITE, BoardView, evidence_for
from firmware_bridge.driver import Calibration, Device
from firmware_bridge.messages import Thresholds
from firmware_bridge.placement import own_cell, turns

Seen = Mapping[Cell, Piece]
"""For each cell with a sensor what it does not rule out."""
LEAST_FIT = 0.75
"""Of the squares looked at so many must have shown what they had to, or nothing is learned at all."""
PRESENT, WEAK, KING = 0.4, 0.6, 1.45
"""Thresholds in shares of what a man's magnet gives; two magnets give nearly twice as much, a lost half is weak."""
DEAD = 0.15
"""A sensor that gives less than this share of what others do is not to be believed."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What a walk has taught."""

    calibration: Calibration
    fit: float
    """The share of squares that showed what they had to, stuck ones left out."""
    dead: tuple[Square, ...] = ()
    stuck: tuple[Square, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Whether it may be kept."""
        return self.fit >= LEAST_FIT


def free_squares(home: Sequence[Piece]) -> tuple[Square, ...]:
    """The squares on which nothing stands in the start position: one piece walks over them."""
    return tuple(square for square, piece in enumerate(home) if piece is EMPTY)


def learn(
    geometry: Geometry,
    home: Sequence[Piece],
    empty: Seen,
    start: Seen,
    placed: Sequence[tuple[Square, Cell | None]],
) -> Learned:
    """What the walk has taught; `placed` says for each free square which cell then showed a piece, None for none."""
    stuck = frozenset(cell for cell, seen in empty.items() if EMPTY not in seen)
    tells_colours = any(seen in (WHITE, BLACK) or not seen & ~WHITE or not seen & ~BLACK for seen in _pieces(start))
    ways = [
        (turned, swapped)
        for turned in turns(geometry)
        if all(own_cell(geometry, turned, cell) in start for cell in geometry.cells)
        for swapped in ((False, True) if tells_colours else (False,))
    ]
    scores = {way: _fit(geometry, home, start, placed, stuck, *way) for way in ways}
    best = max(scores.values(), default=0.0)
    (turned, swapped), *others = [way for way, score in scores.items() if score == best] or [(0, False)]
    is_one_way = all(other[0] == turned for other in others)
    cells = {square: own_cell(geometry, turned, cell) for square, cell in enumerate(geometry.cells)}
    walked = dict(placed)
    dead = tuple(
        square
        for square, cell in cells.items()
        if cell not in stuck
        and (start[cell] is EMPTY if home[square] is not EMPTY else walked.get(square, cell) is None)
    )
    # Which cell a dead square lies on is known only where it is known how the board lies.
    dead_cells = tuple(cells[square] for square in dead) if is_one_way else ()
    calibration = Calibration(turned if is_one_way else None, swapped, dead_cells, tuple(sorted(stuck)))
    return Learned(calibration, best, dead, tuple(square for square, cell in cells.items() if cell in stuck))


def _pieces(seen: Seen) -> list[Piece]:
    return [possible for possible in seen.values() if EMPTY not in possible]


def _fit(
    geometry: Geometry,
    home: Sequence[Piece],
    start: Seen,
    placed: Sequence[tuple[Square, Cell | None]],
    stuck: frozenset[Cell],
    turned: int,
    swapped: bool,
) -> float:
    """The share of squares that showed what they had to if the board lies so."""
    walked = dict(placed)
    right, asked = 0, 0
    for square, at in enumerate(geometry.cells):
        cell = own_cell(geometry, turned, at)
        shown_at = walked.get(square, cell)
        if shown_at is None or (cell in stuck and square not in walked):
            continue  # it tells nothing
        asked += 1
        possible = _other_side(start[cell]) if swapped else start[cell]
        right += shown_at == cell and (bool(home[square] & possible) or cell in stuck)
    return right / asked if asked else 0.0


def _other_side(possible: Piece) -> Piece:
    """What a sensor that takes white for black really says."""
    flipped = possible & EMPTY
    for one, other in ((Piece.WHITE_MAN, Piece.BLACK_MAN), (Piece.WHITE_KING, Piece.BLACK_KING)):
        flipped |= (other if one & possible else Piece(0)) | (one if other & possible else Piece(0))
    return flipped


def fixed_turn(calibration: Calibration, device: Device | None) -> int | None:
    """How a board has to lie, None where its driver finds that out at every start position.

    It can where colours are told rightly and every square answers; such a board may be put down the other way round.
    """
    finds_out = device is not None and device.colour
    is_sound = not (calibration.swapped or calibration.dead or calibration.stuck)
    return None if finds_out and is_sound else calibration.turned


def corrected(view: BoardView, calibration: Calibration, geometry: Geometry, turned: int) -> BoardView:
    """A view with what is known of the board put right: colours as they are, unknown where a sensor cannot tell."""
    if not (calibration.swapped or calibration.dead or calibration.stuck):
        return view
    silent = {*calibration.dead, *calibration.stuck}
    own = [own_cell(geometry, turned, cell) for cell in geometry.cells]
    seen = tuple(
        evidence_for(ANYTHING) if cell in silent else _swapped(evidence) if calibration.swapped else evidence
        for cell, evidence in zip(own, view.seen, strict=True)
    )
    stray = tuple(cell for cell in view.stray if own_cell(geometry, turned, cell) not in silent)
    return replace(view, seen=seen, stray=stray)


def _swapped(evidence: tuple[float, float, float, float, float]) -> tuple[float, float, float, float, float]:
    empty, white_man, white_king, black_man, black_king = evidence
    return (empty, black_man, black_king, white_man, white_king)


def thresholds(
    rests: Mapping[Cell, float],
    readings: Mapping[Cell, float],
    sides: Mapping[Cell, Side],
    *,
    tells_kings: bool,
) -> dict[Cell, Thresholds]:
    """What the readings of each cell mean: `readings` with a piece of this side on the cell, `rests` without any.

    Cells on which none stood take the strength that is usual, and the polarity of most.
    """
    pulls = {cell: readings[cell] - rests[cell] for cell in sides if cell in rests and cell in readings}
    usual = median(map(abs, pulls.values())) if pulls else 0.0
    if usual < 1:
        return {}
    strong = {cell: pull for cell, pull in pulls.items() if abs(pull) >= DEAD * usual}
    high = [(pull > 0) == (sides[cell] is Side.BLACK) for cell, pull in strong.items()]
    mostly_high = sum(high) * 2 > len(high)
    found = {}
    for cell, rest in rests.items():
        pull = strong.get(cell)
        strength = usual if pull is None else min(abs(pull), usual)
        found[cell] = Thresholds(
            rest=_word(rest),
            present=max(1, _word(PRESENT * strength)),
            weak=_word(WEAK * strength),
            king=_word(KING * (usual if pull is None else abs(pull))) if tells_kings else 0,
            black_is_high=mostly_high if pull is None else (pull > 0) == (sides[cell] is Side.BLACK),
            is_dead=cell in pulls and pull is None,
        )
    return found


def _word(value: float) -> int:
    return min(65535, max(0, round(value)))


def sides_on(
    geometry: Geometry, home: Sequence[Piece], turned: int, placed: Sequence[tuple[Square, Cell | None]]
) -> dict[Cell, Side]:
    """Whose piece stood on each cell at some time of the walk; the piece that walked was white."""
    stood = {own_cell(geometry, turned, at): side_of(home[square]) for square, at in enumerate(geometry.cells)}
    walked = {cell: Side.WHITE for _, cell in placed if cell is not None}
    return {cell: side for cell, side in {**stood, **walked}.items() if side is not None}
