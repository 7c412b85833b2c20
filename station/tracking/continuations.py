"""Continuations: the shortest lines of several moves that leave exactly what a still board shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.ruleset import Ruleset
from station.tracking.expectation import Candidate, Expectation, expect, is_stage
from station.tracking.masks import NOTHING, Masks, differing, occupied, unknown
from station.tracking.memory import Context, Memory, is_still
from station.tracking.readings import Ambiguous, Done, Line, Story
from station.tracking.several import is_in_order
from station.tracking.single import unseen_squares
from station.values import replace

MOST_ALTERNATIVES = 6
"""A person is asked to choose from no more lines than this."""

MOST_POSITIONS = 1500
"""The search ends after so many positions: some seconds on the slowest device, and only where far too much differs."""

MOST_UNKNOWN = 2
"""Nothing is read while more squares than this cannot be seen: a hand or a cloth is over the board."""


@dataclass(frozen=True, slots=True)
class _Target:
    """What the lines are to lead to, and what is known of the way."""

    seen: Masks
    been: Masks
    ruleset: Ruleset
    pieces: int
    """How many squares are occupied for certain."""
    keeps_count: bool
    """Whether each captured piece leaves a square empty: not where captured pieces go under a tower."""


@dataclass(frozen=True, slots=True)
class _ComeBack:
    """The board that was seen first after it had been out of sight: what has changed since then was in sight."""

    seen: Masks
    plies: int
    """How many moves completed it."""
    since: Masks
    """What may have stood on each square at some moment since."""


def read_continuation(context: Context, memory: Memory) -> Done | Ambiguous | None:
    """Several moves that are complete in a frame that has stood still; None while it has not, or none explain it.

    A board that was in sight all the time must have shown what each of the moves did. Out of sight the last move may
    have gone on before the next were made: its piece was in the hand, or only resting, when the board was lost. That is
    thought of too where fewer moves were made then.
    """
    if memory.seen is None or context.plies < 2 or not is_still(context, memory):
        return None
    if is_covered(memory.seen):
        return None
    come_back = _come_back(context, memory) if memory.blind else None
    lines = shortest_lines(context.expected, memory.seen, memory.been[0], context.plies, context.ruleset, come_back)
    if not memory.blind:
        lines = tuple(line for line in lines if is_in_order(context.expected, line[:-1], memory, 0, context.ruleset))
    stories = tuple(Story(0, line) for line in lines)
    if memory.blind:
        most = len(lines[0]) if lines else context.plies
        changed = _last_changed(context, memory.seen, memory.been[1], most, come_back)
        stories += tuple(Story(1, line) for line in changed)
    if not stories or len(stories) > MOST_ALTERNATIVES:
        return None
    return Done(stories[0], extendable=True) if len(stories) == 1 else Ambiguous(stories)


def leads_here(story: Story, context: Context, memory: Memory) -> bool:
    """Whether a story explains the board as it is: its last move may still be under way, or others have followed."""
    seen, after = memory.seen or NOTHING, expect(context.positions[-1 - story.back], context.ruleset)
    last: tuple[Candidate, ...] = ()
    for move in story.moves:
        last = tuple(item for item in after.candidates if item.move.effect == move.effect)
        after = expect(after.position.after(move), context.ruleset)
    under_way = (*last, *after.candidates)
    if not differing(after.untouched, seen) or any(is_stage(item, seen) for item in under_way):
        return True
    if any(not differing(item.final, seen) for item in after.candidates):
        return True
    return bool(shortest_lines(after, seen, memory.been[0], context.plies, context.ruleset))


def _come_back(context: Context, memory: Memory) -> _ComeBack | None:
    """The board that was seen first after it had been out of sight; None where no moves complete it."""
    first = memory.come_back
    if first is None or first == memory.seen:
        return None
    if any(not differing(item.final, first) for item in context.expected.candidates):
        return _ComeBack(first, 1, memory.since_back)
    lines = shortest_lines(context.expected, first, memory.been[0], context.plies, context.ruleset)
    return _ComeBack(first, len(lines[0]), memory.since_back) if lines else None


def _last_changed(
    context: Context, seen: Masks, been: Masks, plies: int, come_back: _ComeBack | None
) -> tuple[Line, ...]:
    """Lines that begin with another move of the piece that moved last, while that may still be changed."""
    last = context.last
    if context.earlier is None or last is None:
        return ()
    lines = shortest_lines(context.earlier, seen, been, plies, context.ruleset, come_back)
    others = (line for line in lines if line[0].effect != last.effect)
    return tuple(line for line in others if line[0].from_square == last.from_square)


@lru_cache(maxsize=32)
def shortest_lines(
    expectation: Expectation,
    seen: Masks,
    been: Masks,
    plies: int,
    ruleset: Ruleset,
    come_back: _ComeBack | None = None,
) -> tuple[Line, ...]:
    """Lines of two moves that leave a frame, else of three, up to `plies`; of each length, all that there are.

    Where an earlier frame is given that so many moves completed, only those that led through it.
    """
    keeps_count = expectation.position.towers is None
    target = _Target(seen, been, ruleset, occupied(seen).bit_count(), keeps_count)
    if _is_out_of_reach(expectation.untouched, target, plies, len(expectation.position.contents)):
        return ()
    for length in range(2, plies + 1):
        budget = [MOST_POSITIONS]
        lines = tuple(_lines(expectation, target, length, budget))
        if budget[0] <= 0:
            return ()
        if come_back is not None:
            lines = tuple(line for line in lines if _leads_through(expectation, line, come_back, ruleset))
        if lines:
            return lines
    return ()


def _leads_through(expectation: Expectation, line: Line, come_back: _ComeBack, ruleset: Ruleset) -> bool:
    """Whether the frame was seen after one of these moves or while it was under way, and all that was made since.

    Whoever moved a piece may have thought again, and put it elsewhere.
    """
    is_reached = False
    for number, move in enumerate(line):
        (own,) = (item for item in expectation.candidates if item.move.effect == move.effect)
        if not is_reached:
            if number == come_back.plies:
                return False
            pieces = (item for item in expectation.candidates if item.move.from_square == move.from_square)
            is_reached = any(
                not differing(item.final, come_back.seen) or is_stage(item, come_back.seen) for item in pieces
            )
        if is_reached and differing(own.final, come_back.seen) and unseen_squares(own, come_back.since):
            return False
        expectation = expect(expectation.position.after(move), ruleset)
    return is_reached


def _lines(expectation: Expectation, target: _Target, length: int, budget: list[int]) -> Iterator[Line]:
    """All lines of a length; the budget counts down positions, and at its end the search is given up."""
    for candidate in expectation.candidates:
        if not _may_lead_on(candidate, target, length - 1, len(expectation.position.contents)):
            continue
        if length == 1:
            yield (candidate.move,)
            continue
        budget[0] -= 1
        if budget[0] <= 0:
            return
        following = expect(expectation.position.after(candidate.move), target.ruleset)
        for line in _lines(following, target, length - 1, budget):
            yield (candidate.move, *line)


def _may_lead_on(candidate: Candidate, target: _Target, left: int, squares: int) -> bool:
    if unseen_squares(candidate, target.been):
        return False
    return not _is_out_of_reach(candidate.final, target, left, squares)


def _is_out_of_reach(stands: Masks, target: _Target, left: int, squares: int) -> bool:
    """Whether so many moves cannot turn one board into another: each brings one piece, and takes away its own."""
    wrong = differing(stands, target.seen)
    if not left:
        return bool(wrong)
    if not target.keeps_count:
        return False
    brought = (wrong & occupied(target.seen)).bit_count()
    # Squares that cannot be seen may hold pieces.
    captured = squares - stands[0].bit_count() - target.pieces
    gone = wrong.bit_count() - brought
    return captured < 0 or brought > left or gone > left + captured


def is_covered(seen: Masks) -> bool:
    """Whether so much of a board cannot be seen that anything may be done on it: a hand or a cloth is over it.

    Nothing is read from it, and nothing decided, until it can be seen again.
    """
    return unknown(seen).bit_count() > MOST_UNKNOWN


def with_come_back(memory: Memory, seen: Masks) -> Memory:
    """The memory with a firm frame, where that is the first one since the board was out of sight."""
    if is_covered(seen):
        return memory if memory.come_back is None else replace(memory, come_back=None)
    if not memory.blind or memory.come_back is not None:
        return memory
    return replace(memory, come_back=seen, since_back=seen)


def without_blindness(memory: Memory) -> Memory:
    """The memory of a board that has been seen to show the game's position again."""
    if not memory.blind or memory.seen is None or is_covered(memory.seen):
        return memory
    return replace(memory, been=(memory.seen, memory.seen), blind=False, come_back=None)
