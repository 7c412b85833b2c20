"""Motions: the moving piece travels, captured pieces go off, a man is crowned."""

from __future__ import annotations

from engine.geometry import Geometry, Square
from engine.position import CROWNED, Piece, is_king
from station.simulation.habits import Crowning, Removal, Slip, Span, Style, pick
from station.simulation.intent import Intent
from station.simulation.pair import Pair
from station.simulation.slips import bump, hesitation_square, lift_wrong_piece


def travel(pair: Pair, intent: Intent) -> None:
    """Takes the moving piece from its square to the destination, by the stops intended."""
    here = intent.way.from_square
    mover = pair.take(here)
    bump(pair, intent, here, 0)
    for leg, stop in enumerate(intent.stops):
        if intent.style is Style.TWO_HANDS:
            _plan_removal(pair, intent, leg)
        here = _hesitate(pair, intent, leg, mover, here)
        _go(pair, intent, mover, here, stop)
        bump(pair, intent, stop, leg + 1)
        is_last = leg + 1 == len(intent.stops)
        holds = not is_last and pair.happens(pair.habits.holds_while_removing)
        if not holds:
            _remove_on_the_way(pair, intent, leg)
        if is_last:
            return
        pair.pause(pair.habits.rest)
        here = stop
        mover = pair.take(here)
        if holds:
            _remove_on_the_way(pair, intent, leg)


def huff(pair: Pair, intent: Intent) -> None:
    """Takes off, before the move, the pieces that could have captured and did not."""
    for square in intent.way.huffed:
        pair.collect(square)
        pair.pause(pair.habits.removal_gap)


def put_prisoners_under(pair: Pair, intent: Intent) -> None:
    """In a game with towers: lifts the tower that has captured, and puts it down on what it took."""
    if intent.position.towers is None or not intent.way.captured:
        return
    pair.pause(pair.habits.removal_gap)
    tower = pair.take(intent.way.to_square)
    pair.pause(pair.habits.rest)
    pair.put(intent.way.to_square, tower)


def remove_captured(pair: Pair, intent: Intent) -> None:
    """Takes off every captured piece that still stands, the forgotten one excepted."""
    gap = pair.habits.removal_gap
    for square in intent.removal:
        if square != intent.forgets and not pair.is_collected(square, intent.removal.count(square)):
            _collect(pair, intent, square, gap)
            if intent.order is Removal.AT_ONCE:
                gap = pair.habits.together
    if intent.style is Style.TWO_HANDS and intent.confuses is not None:
        lift_wrong_piece(pair, intent, intent.confuses)


def notice_forgotten(pair: Pair, intent: Intent) -> None:
    """Takes off the forgotten piece once its player has seen it."""
    taken = intent.way.captured
    if intent.forgets is None or pair.is_collected(intent.forgets, taken.count(intent.forgets)):
        return
    pair.finish()
    pair.linger(pair.habits.notice)
    pair.slips.append(Slip.FORGOTTEN)
    while not pair.is_collected(intent.forgets, taken.count(intent.forgets)):
        pair.collect(intent.forgets)


def crown(pair: Pair, square: Square) -> Crowning:
    """Makes a physical man a king, or leaves it as it is."""
    man = pair.world[square]
    crowning = Crowning.NOTHING if is_king(man) else pick(pair.habits.crownings, pair.chance)
    if crowning is Crowning.NOTHING:
        return crowning
    pair.pause(pair.habits.before_crowning)
    pair.take(square)
    pair.pause(_crowning_time(pair, crowning))
    pair.put(square, CROWNED[man])
    return crowning


def carry(pair: Pair, piece: Piece, square: Square, span: Span) -> None:
    """Puts a piece that is in the hand on a square, after the time it takes to get there."""
    pair.pause(span)
    pair.put(square, piece)


def _crowning_time(pair: Pair, crowning: Crowning) -> Span:
    habits = pair.habits
    return {
        Crowning.STACK: habits.stack_time,
        Crowning.REPLACE: habits.replace_time,
        Crowning.TURN_OVER: habits.turn_over_time,
    }[crowning]


def _go(pair: Pair, intent: Intent, piece: Piece, here: Square, there: Square) -> None:
    if there in intent.way.captured:
        pair.make_room(there)
    if _slides(pair, intent) and _in_line(intent.geometry, here, there):
        _slide(pair, intent.geometry, piece, here, there)
    else:
        is_hop = intent.way.is_capture and len(intent.stops) == len(intent.way.path)
        carry(pair, piece, there, pair.habits.hop if is_hop else pair.habits.carry)


def _slides(pair: Pair, intent: Intent) -> bool:
    if intent.style is Style.SLID:
        return True
    return intent.way.is_capture and intent.is_king and pair.happens(pair.habits.leg_slides)


def _in_line(geometry: Geometry, here: Square, there: Square) -> bool:
    return any(there in line for line in geometry.lines[here])


def _slide(pair: Pair, geometry: Geometry, piece: Piece, here: Square, there: Square) -> None:
    for square in geometry.between(here, there):
        if pair.is_free(square):
            pair.pause(pair.habits.slide_step)
            pair.put(square, piece)
            pair.pause(pair.habits.slide_step)
            pair.take(square)
    carry(pair, piece, there, pair.habits.slide_step)


def _hesitate(pair: Pair, intent: Intent, leg: int, piece: Piece, here: Square) -> Square:
    """Parks the piece on another square and picks it up again; the square it is then above."""
    parking = hesitation_square(pair, intent, leg)
    if parking is None:
        return here
    _go(pair, intent, piece, here, parking)
    pair.linger(pair.habits.hesitation_time)
    pair.take(parking)
    pair.slips.append(Slip.HESITATION)
    return parking


def _remove_on_the_way(pair: Pair, intent: Intent, leg: int) -> None:
    if intent.style is not Style.WHILE_HOPPING:
        return
    square, times = _jumped(intent, leg)
    if square != intent.forgets and not pair.is_collected(square, times):
        _collect(pair, intent, square, pair.habits.removal_gap)


def _jumped(intent: Intent, leg: int) -> tuple[Square, int]:
    """The square a leg jumps, and how often it has been jumped by then: a tower may be jumped again."""
    square = intent.way.captured[leg]
    return square, intent.way.captured[: leg + 1].count(square)


def _collect(pair: Pair, intent: Intent, square: Square, gap: Span) -> None:
    if square == intent.confuses:
        lift_wrong_piece(pair, intent, square)
    pair.pause(gap)
    pair.collect(square)


def _plan_removal(pair: Pair, intent: Intent, leg: int) -> None:
    square, times = _jumped(intent, leg)
    if square != intent.forgets and not pair.is_collected(square, times):
        after_ms = pair.habits.removal_gap.draw(pair.chance, pair.habits.pace)
        pair.plan_collecting(after_ms, square)
