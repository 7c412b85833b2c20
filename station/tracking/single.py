"""Stories of one move: complete in a frame, or under way in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

from engine.position import Move
from station.tracking.expectation import Candidate, Expectation, in_reach, is_stage
from station.tracking.history import came
from station.tracking.masks import Masks, differing, either, occupied, squares_in
from station.tracking.memory import Context, Memory
from station.tracking.readings import Clearing, Moving, Story


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
    shown = reduce(or_, (possible & allowed for possible, allowed in zip(been[1:], candidate.final[1:], strict=True)))
    gone = (candidate.home | candidate.captured) & ~been[0]
    return gone.bit_count() + ((target | candidate.uncovered) & ~shown).bit_count()


def is_contradicted(context: Context, memory: Memory, move: Move) -> bool:
    """Whether the mover was put down where this move does not land, and another one to the same end does."""
    stops = came(memory.history) & context.expected.untouched[0] & ~(1 << move.to_square)
    lands = {
        item.move.effect: item.landings for item in context.expected.candidates if item.move.to_square == move.to_square
    }
    if not stops & ~lands.get(move.effect, stops):
        return False
    return any(not stops & ~landings for effect, landings in lands.items() if effect != move.effect)


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
