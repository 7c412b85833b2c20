"""Stories of one move: complete in a frame, or under way in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

from engine.position import Move
from station.tracking.expectation import Candidate, Expectation, in_reach, is_stage
from station.tracking.history import came, left_ms
from station.tracking.masks import Masks, differing, either, occupied, squares_in
from station.tracking.memory import Context, Memory
from station.tracking.readings import Clearing, Moving, Story

MISTAKEN_MS = 2500
"""A piece that was taken off by mistake is back on its square by then (measured slips: up to 1.5 s)."""


def bases(context: Context) -> Iterator[tuple[int, Expectation]]:
    """What may be moved from: how many moves it withdraws, and the position."""
    yield 0, context.expected
    if context.earlier is not None:
        yield 1, context.earlier


def finished_stories(context: Context, memory: Memory, seen: Masks) -> Iterator[tuple[Story, bool]]:
    """Stories of one move that are complete in a frame, those that withdraw nothing first."""
    for back, expectation in bases(context):
        been = either(memory.been[back], seen)
        for candidate in in_reach(expectation, seen):
            if back and is_last(context, candidate.move):
                continue
            if not differing(candidate.final, seen) and not unseen_squares(candidate, been):
                yield Story(back, (candidate.move,)), candidate.extendable


def standing_stories(context: Context, seen: Masks) -> tuple[Story, ...]:
    """Stories of one move that a frame shows complete, whether or not anybody saw it being made."""
    return tuple(Story(0, (item.move,)) for item in context.expected.candidates if not differing(item.final, seen))


def unseen_squares(candidate: Candidate, been: Masks) -> int:
    """On how many squares nobody saw what a move did: left its home, took a piece off, put its piece down."""
    target = 1 << candidate.move.to_square
    gone = (candidate.home | candidate.captured) & ~been[0]
    return gone.bit_count() + ((target | candidate.uncovered) & ~shown(candidate, been)).bit_count()


def shown(candidate: Candidate, been: Masks) -> int:
    """The squares that showed a piece which stands there when a move is complete."""
    return reduce(or_, (possible & allowed for possible, allowed in zip(been[1:], candidate.final[1:], strict=True)))


def is_contradicted(context: Context, memory: Memory, move: Move) -> bool:
    """Whether the mover was put down where this move does not land, but another one to the same end does.

    Only another one that it may be taken for: a piece was taken off by mistake just now, or one was forgotten.
    """
    stops = came(memory.history) & context.expected.untouched[0] & ~(1 << move.to_square)
    alike = [item for item in context.expected.candidates if item.move.to_square == move.to_square]
    own = next((item for item in alike if item.move.effect == move.effect), None)
    if own is None or not stops & ~own.landings:
        return False
    others = (item for item in alike if item is not own and not stops & ~item.landings)
    return any(_differ_by_a_slip(own, item, context, memory) for item in others)


def _differ_by_a_slip(done: Candidate, meant: Candidate, context: Context, memory: Memory) -> bool:
    """Whether a capture may be done on the board although another one is meant, for a single piece left or taken."""
    left, taken = (squares_in(one.captured & ~other.captured) for one, other in ((meant, done), (done, meant)))
    if max(len(left), len(taken)) > 1:
        return False
    off = [left_ms(memory.history, square) for square in taken]
    return all(at_ms is None or context.now_ms < at_ms + MISTAKEN_MS for at_ms in off)


def longer_captures(context: Context, memory: Memory, seen: Masks) -> tuple[Story, ...]:
    """Captures that take what the last move took and more, by the same piece to the same square, complete in a frame.

    A captured piece may have been forgotten; or the other side may hold a piece of its own in the hand.
    """
    last = context.last
    if last is None or context.earlier is None or context.answering:
        return ()
    been = either(memory.been[1], seen)
    longer = (
        item
        for item in in_reach(context.earlier, seen)
        if item.move.from_square == last.from_square
        and item.move.to_square == last.to_square
        and {*item.move.captured} > {*last.captured}
    )
    return tuple(
        Story(1, (item.move,)) for item in longer if not differing(item.final, seen) and not unseen_squares(item, been)
    )


def read_under_way(context: Context, seen: Masks) -> Moving | Clearing | None:
    """The moves that may be under way; of one that has arrived, what is still to be taken off."""
    for _, expectation in bases(context):
        stages = [candidate for candidate in in_reach(expectation, seen) if is_stage(candidate, seen)]
        if not stages:
            continue
        arrived = [item for item in stages if occupied(seen) & item.carried == 1 << item.move.to_square]
        # A tower that is in the hand is not one that is still to be taken from.
        standing = occupied(seen)
        left = [
            squares_in(differing(item.final, seen) & (item.captured | item.uncovered) & standing) for item in arrived
        ]
        if len(arrived) == 1 and left[0]:
            return Clearing(arrived[0].move, left[0])
        return Moving(tuple(candidate.move for candidate in stages))
    return None


def is_last(context: Context, move: Move) -> bool:
    """Whether a move amounts to the last one in the record."""
    return context.last is not None and move.effect == context.last.effect
