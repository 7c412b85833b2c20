"""The plan that makes a board show a position, from whatever it shows: a start position above all."""

from __future__ import annotations

from engine.geometry import Square
from engine.position import CONTENTS, CROWNED, EMPTY, Piece, Position, Side, is_king
from engine.ruleset import Ruleset
from station.handling.bench import Bench, BeyondArmError
from station.handling.plans import BY_HAND, Contents, Plan, Tool
from station.repairs import Act, Carry, Fetch, PutOn, Swap, TakeOff, mess_of, next_act
from station.tracking.masks import Masks, masks_of_position

MOST_ACTS = 400
"""No board needs more: every act puts a square right."""


def plan_reset(
    seen: Masks, target: Position, ruleset: Ruleset, tray: Contents, tool: Tool, last: Contents = ()
) -> Plan:
    """The steps that lead from what a board shows to a position; what is missing is asked of a person at the end.

    `last` is what is known to have stood there: kings above all. Where neither it nor the sensor can tell pieces
    apart, the nearest one that may serve is taken; a king serves as a man.
    """
    bench = Bench(Position(_likely(seen, target.contents, last), Side.WHITE), ruleset, tray, tool)
    missing: list[Square] = []
    wanted = list(target.contents)
    try:
        for _ in range(MOST_ACTS):
            act = next_act(mess_of(tuple(wanted), masks_of_position(tuple(bench.contents)), ruleset.geometry))
            if act is None:
                break
            for square in _do(bench, act):
                missing.append(square)
                wanted[square] = bench.contents[square]
    except BeyondArmError as reason:
        bench.ask(BY_HAND, reason.why, reason.squares)
        return bench.plan()
    if missing:
        bench.ask(BY_HAND, "piece", tuple(missing))
    bench.park()
    return bench.plan()


def _do(bench: Bench, act: Act) -> tuple[Square, ...]:
    """Plan one act; the squares that nothing in the tray can fill."""
    match act:
        case Carry(start=start, end=end):
            bench.carry(start, end)
        case Fetch(end=end, starts=starts):
            bench.carry(starts[0], end)
        case Swap(one=one, other=other):
            _swap(bench, one, other)
        case TakeOff(squares=squares):
            for square in squares:
                bench.take_off(square)
        case PutOn(piece=piece, squares=squares, instead=instead):
            return tuple(square for square in squares if not _put(bench, square, piece, is_taken=instead))
    return ()


def _swap(bench: Bench, one: Square, other: Square) -> None:
    """Two pieces change places, one of them by way of the tray."""
    slot = bench.free_slot()
    piece = bench.contents[one]
    bench.take_off(one)
    bench.carry(other, one)
    bench.fetch(slot, other, piece)


def _put(bench: Bench, square: Square, piece: Piece, *, is_taken: bool) -> bool:
    """A piece comes from the tray; False when none like it lies there."""
    found = next((kind for kind in (piece, CROWNED[piece]) if kind in bench.tray), None)
    if found is None:
        return False
    if is_taken:
        bench.take_off(square)
    bench.fetch(bench.tray.index(found), square, piece)
    return True


def _likely(seen: Masks, wanted: Contents, last: Contents) -> Contents:
    """One content a square: what stood there last if it may still, else the wanted one, else a man before a king."""
    found = []
    for square, piece in enumerate(wanted):
        possible = [content for content, mask in zip(CONTENTS, seen, strict=True) if mask >> square & 1]
        if last and last[square] in possible:
            found.append(last[square])
            continue
        if piece in possible or not possible:
            found.append(piece if possible else EMPTY)
            continue
        men = [content for content in possible if content is not EMPTY and not is_king(content)]
        found.append(EMPTY if EMPTY in possible else men[0] if men else possible[0])
    return tuple(found)
