"""Slips: touches that belong to no move, each put right by the hand that made it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.geometry import Square
from engine.position import EMPTY
from station.simulation.habits import Slip, Span
from station.simulation.intent import Intent, neighbours, way_squares
from station.simulation.pair import Pair


def hesitation_square(pair: Pair, intent: Intent, leg: int) -> Square | None:
    """Where the moving piece is parked before this leg: a free square legal for it or on its way; None for nowhere."""
    if leg < intent.hesitates_from or Slip.HESITATION in pair.slips:
        return None
    way = intent.way
    tempting = {move.to_square for move in intent.legal if move.from_square == way.from_square}
    tempting |= way_squares(intent.geometry, way)
    tempting -= {way.from_square, way.to_square, intent.stops[leg]}
    return _any(pair, [square for square in sorted(tempting) if pair.is_free(square)])


def bump(pair: Pair, intent: Intent, near: Square, moment: int) -> None:
    """Pushes a piece beside `near` off its square, and has the other hand put it back a little later."""
    if moment < intent.bumps_from or Slip.BUMP in pair.slips:
        return
    pushed = _any(pair, [square for square in neighbours(intent.geometry, near) if _is_bystander(pair, intent, square)])
    if pushed is None:
        return
    pair.linger(pair.habits.push)
    if not _is_bystander(pair, intent, pushed):
        return
    pair.slips.append(Slip.BUMP)
    piece = pair.take(pushed)
    back_ms = pair.habits.bump_time.draw(pair.chance)
    stray = _stray_square(pair, intent, pushed)
    if stray is not None:
        pair.put(stray, piece)
        pair.plan(back_ms * 2 // 3, "take", stray, piece)
    pair.plan(back_ms, "put", pushed, piece)


def lift_wrong_piece(pair: Pair, intent: Intent, near: Square) -> None:
    """Takes a piece of the opponent that is not captured, and puts it back."""
    enemies = intent.position.pieces(intent.position.turn.other)
    standing = [square for square in enemies if _is_bystander(pair, intent, square)]
    beside = [square for square in standing if square in neighbours(intent.geometry, near)]
    square = _any(pair, beside or standing)
    if square is None or Slip.WRONG_REMOVAL in pair.slips:
        return
    pair.pause(pair.habits.removal_gap)
    _lift_and_put_back(pair, square, pair.habits.wrong_time, Slip.WRONG_REMOVAL)


def look(pair: Pair, intent: Intent) -> None:
    """Lifts another piece of one's own, and puts it back."""
    own = intent.position.pieces(intent.position.turn)
    square = _any(pair, [square for square in own if square != intent.way.from_square])
    if square is not None:
        _lift_and_put_back(pair, square, pair.habits.look_time, Slip.LOOK)
        pair.pause(pair.habits.rest)


def adjust(pair: Pair) -> None:
    """Lifts any piece that stands on its square, and puts it back."""
    standing = [square for square, piece in enumerate(pair.world) if piece is not EMPTY and not pair.is_planned(square)]
    square = _any(pair, standing)
    if square is not None:
        pair.pause(pair.habits.removal_gap)
        _lift_and_put_back(pair, square, pair.habits.adjust_time, Slip.ADJUST)
        pair.pause(pair.habits.rest)


def _any(pair: Pair, squares: Sequence[Square]) -> Square | None:
    return pair.chance.choice(squares) if squares else None


def _lift_and_put_back(pair: Pair, square: Square, span: Span, slip: Slip) -> None:
    piece = pair.take(square)
    pair.linger(span)
    pair.put(square, piece)
    pair.slips.append(slip)


def _is_bystander(pair: Pair, intent: Intent, square: Square) -> bool:
    """Whether a piece that has no part in the move stands here, on its own square."""
    way = intent.way
    has_part = square == way.from_square or square in way.captured
    belongs = intent.position.contents[square] is not EMPTY
    return belongs and not has_part and pair.world[square] is not EMPTY and not pair.is_planned(square)


def _stray_square(pair: Pair, intent: Intent, pushed: Square) -> Square | None:
    """A playing square on which a pushed piece comes to stand; None for between squares."""
    if not pair.happens(pair.habits.bump_to_square):
        return None
    needed = way_squares(intent.geometry, intent.way) | {intent.way.from_square, *intent.way.captured}
    around = neighbours(intent.geometry, pushed)
    return _any(pair, [square for square in around if square not in needed and pair.is_free(square)])
