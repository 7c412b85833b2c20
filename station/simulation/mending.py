"""Mending: moves taken back, replies carried out wrongly and then put right."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from engine.geometry import Geometry, Square
from engine.position import EMPTY, Move, Piece, Position, is_king
from station.simulation.habits import Habits, Style
from station.simulation.intent import neighbours
from station.simulation.motions import carry, crown
from station.simulation.pair import Pair, pair_at
from station.simulation.touches import Performance, Touch


def take_back(
    position_before: Position,
    move: Move,
    habits: Habits,
    chance: Random,
    start_ms: int,
    world: Sequence[Piece] | None = None,
) -> Performance:
    """A move undone, its pieces put back in any order; `world` is the physical board after the move."""
    after = position_before.after(move)
    pair = pair_at(world or after.contents, after, habits, chance, start_ms)
    restored = list(dict.fromkeys(move.captured + move.huffed))
    chance.shuffle(restored)
    early = [square for square in restored[: chance.randint(0, len(restored))] if square != move.to_square]
    for square in early:
        _put_back(pair, position_before, square)
    _carry_back(pair, position_before, move)
    for square in restored:
        if square not in early:
            _put_back(pair, position_before, square)
    return pair.performance(Style.TAKEN_BACK)


def wrong_reply(  # noqa: PLR0913, PLR0917 - a turn and who plays it, as in play_move
    position: Position,
    move: Move,
    legal: Sequence[Move],
    geometry: Geometry,
    habits: Habits,
    chance: Random,
    start_ms: int,
    world: Sequence[Piece] | None = None,
) -> tuple[tuple[Touch, ...], tuple[Touch, ...]]:
    """A shown move carried out wrongly (square or piece), and what puts it right once the person is told."""
    pair = pair_at(world or position.contents, position, habits, chance, start_ms)
    step = moved, astray = _wrong_step(pair, position, move, legal, geometry)
    pair.put(astray, _lifted(pair, moved))
    removes = moved == move.from_square and pair.happens(habits.removes_anyway)
    for square in move.huffed + move.captured if removes else ():
        pair.pause(habits.removal_gap)
        pair.collect(square)
    wrong = pair.touches
    pair.pause(habits.told)
    _put_right(pair, move, step)
    return wrong, pair.touches[len(wrong) :]


def _put_back(pair: Pair, before: Position, square: Square) -> None:
    pair.pause(pair.habits.removal_gap)
    pair.cover(square, before.contents[square])


def _carry_back(pair: Pair, before: Position, move: Move) -> None:
    """Carries the moved piece to where it came from; a circular capture is already there."""
    if move.from_square == move.to_square and move.captured and pair.touches and not move.promotes:
        return
    pair.pause(pair.habits.carry)
    piece = pair.take(move.to_square)
    if move.promotes and is_king(piece):
        piece = before.contents[move.from_square]
    for square in reversed(move.path[:-1]) if pair.happens(pair.habits.undo_hops) else ():
        if pair.is_free(square):
            carry(pair, piece, square, pair.habits.hop)
            pair.pause(pair.habits.rest)
            pair.take(square)
    carry(pair, piece, move.from_square, pair.habits.carry)


def _lifted(pair: Pair, square: Square) -> Piece:
    """The piece of a square, taken and carried to where it is to be put."""
    piece = pair.take(square)
    pair.pause(pair.habits.carry)
    return piece


def _wrong_step(
    pair: Pair, position: Position, move: Move, legal: Sequence[Move], geometry: Geometry
) -> tuple[Square, Square]:
    """(piece, square) that the person takes for the move shown."""
    steps = _wrong_pieces(pair, position, move, geometry) if pair.happens(pair.habits.wrong_piece) else []
    return pair.chance.choice(steps or _wrong_squares(pair, move, legal, geometry))


def _wrong_pieces(pair: Pair, position: Position, move: Move, geometry: Geometry) -> list[tuple[Square, Square]]:
    """Steps of another piece of the same side: to the square shown, or to one beside it."""
    steps = []
    for piece in position.pieces(position.turn):
        targets = [square for square in (move.to_square, *neighbours(geometry, piece)) if pair.is_free(square)]
        if piece != move.from_square and targets:
            steps.append((piece, pair.chance.choice(targets)))
    return steps


def _wrong_squares(pair: Pair, move: Move, legal: Sequence[Move], geometry: Geometry) -> list[tuple[Square, Square]]:
    """Steps of the piece shown to squares legal for it or beside the right one; to any free square if there is none."""
    near = {other.to_square for other in legal if other.from_square == move.from_square}
    near.update(neighbours(geometry, move.to_square), neighbours(geometry, move.from_square))
    for squares in (sorted(near), range(len(geometry))):
        steps = [
            (move.from_square, square)
            for square in squares
            if pair.world[square] is EMPTY and square not in (move.from_square, move.to_square)
        ]
        if steps:
            return steps
    raise ValueError(f"{move}: the board has no free square to go wrong on")


def _put_right(pair: Pair, move: Move, step: tuple[Square, Square]) -> None:
    moved, astray = step
    piece = _lifted(pair, astray)
    if moved != move.from_square:
        pair.put(moved, piece)
        pair.pause(pair.habits.rest)
        piece = _lifted(pair, move.from_square)
    off = move.huffed + move.captured
    if move.to_square in off:
        pair.make_room(move.to_square)
    pair.put(move.to_square, piece)
    for square in off:
        if not pair.is_collected(square, off.count(square)):
            pair.pause(pair.habits.removal_gap)
            pair.collect(square)
    if move.promotes:
        crown(pair, move.to_square)
