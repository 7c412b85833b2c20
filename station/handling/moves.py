"""The plan for a move: the mover first, then what it captured in that order, then the crown."""

from __future__ import annotations

from engine.geometry import Square
from engine.position import CROWNED, EMPTY, KINGS, MEN, SIDES, Move, Position
from engine.ruleset import Ruleset
from firmware_bridge.manipulations import Flip, Lift, Place
from station.handling.bench import Bench, BeyondArmError
from station.handling.plans import BY_HAND, Contents, Plan, Tool


def plan_move(position: Position, move: Move, ruleset: Ruleset, tray: Contents, tool: Tool) -> Plan:
    """The steps that make a legal move on a board that shows `position`.

    What the arm cannot do is left to a person by an `Ask`; what was planned before it still stands.
    """
    bench = Bench(position, ruleset, tray, tool)
    try:
        if position.towers is not None:
            _carry_towers(bench, position, move)
        elif tool.slides:
            _slide(bench, move)
        else:
            _carry(bench, move)
    except BeyondArmError as reason:
        bench.ask(BY_HAND, reason.why, reason.squares)
        return bench.plan(crowned=False)
    crowned = not move.promotes or _crown(bench, move.to_square)
    bench.park()
    return bench.plan(crowned=crowned)


def _taken(move: Move) -> tuple[Square, ...]:
    """What leaves the board, in the order in which it goes."""
    return tuple(dict.fromkeys((*move.huffed, *move.captured)))


def _carry(bench: Bench, move: Move) -> None:
    start, end = move.from_square, move.to_square
    # A rule that takes pieces off during the move lets it end where one stood.
    first = [square for square in _taken(move) if square == end or square in move.huffed]
    for square in first:
        bench.take_off(square)
    if start != end:
        bench.carry(start, end)
    for square in _taken(move):
        if square not in first:
            bench.take_off(square)


def _slide(bench: Bench, move: Move) -> None:
    """The mover goes first where a way is free, else what it captured; of those, whatever can leave."""
    start, end = move.from_square, move.to_square
    waiting = [*_taken(move)]
    is_there = start == end
    while waiting or not is_there:
        if not is_there and bench.contents[end] is EMPTY and bench.slide(start, end):
            is_there = True
            continue
        gone = next((square for square in waiting if bench.slide_off(square)), None)
        if gone is None:
            raise BeyondArmError("route", *((start,) if not is_there else ()), *waiting)
        waiting.remove(gone)


def _carry_towers(bench: Bench, position: Position, move: Move) -> None:
    """What is captured goes under the tower that captures: the prisoners first, the last captured lowest."""
    start, end, towers = move.from_square, move.to_square, position.towers
    assert towers is not None
    for square in move.huffed:
        bench.take_off(square)
    own, height = bench.contents[start], bench.heights[start]
    is_hard = height > bench.tool.carries and bool(move.captured)
    if is_hard or start == end or end in move.captured or len(set(move.captured)) < len(move.captured):
        raise BeyondArmError("tower", start)
    if height + len(move.captured) > bench.tool.highest or height > bench.tool.carries:
        raise BeyondArmError("tower", start)
    for number, square in enumerate(reversed(move.captured)):
        if bench.heights[square] > bench.tool.highest:
            raise BeyondArmError("tower", square)
        prisoner, level = towers.prisoner(position.contents[square]), bench.heights[square] - 1
        beneath = towers.beneath[square]
        bench.step(Lift(bench.cell(square), level), {square: (beneath[-1] if beneath else EMPTY, level)})
        bench.step(Place(bench.cell(end), number), {end: (prisoner, number + 1)})
    bench.step(Lift(bench.cell(start)), {start: (EMPTY, 0)})
    taken = len(move.captured)
    bench.step(Place(bench.cell(end), taken), {end: (own, taken + height)})


def _crown(bench: Bench, square: Square) -> bool:
    """Plan what makes a king of the man on a square; False where a person has to."""
    side = SIDES[bench.contents[square]]
    man, king = MEN[side], KINGS[side]
    try:
        match bench.tool.crown:
            case "flip" if bench.tool.flips:
                bench.step(Flip(bench.cell(square)), {square: (king, bench.heights[square])})
                return True
            case "stack" if man in bench.tray and not bench.tool.slides:
                bench.fetch(bench.tray.index(man), square, CROWNED[man])
                return True
            case "swap" if king in bench.tray and not bench.tool.slides and EMPTY in bench.tray:
                bench.take_off(square)
                bench.fetch(bench.tray.index(king), square, king)
                return True
    except BeyondArmError:
        return False
    return False
