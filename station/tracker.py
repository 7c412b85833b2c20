"""Views and hypotheses in, a reading out: which story explains what stands on the board.

A story withdraws none or one of the moves in the record and then makes one or more. It is believed when the board
shows what it leaves and every move in it was borne out by what was seen meanwhile. Every hypothesis is checked square
by square on bit masks: bit n of mask c is set when square n may hold content c.
"""

from __future__ import annotations

from engine.explain import Violation, violations
from engine.position import Position
from engine.rules import rules_for
from engine.ruleset import Ruleset
from engine.view import BoardView
from station.tracking.continuations import (
    is_covered,
    leads_here,
    read_continuation,
    with_come_back,
    without_blindness,
)
from station.tracking.expectation import Candidate, Expectation, expect, nobody, only
from station.tracking.history import with_frame
from station.tracking.masks import (
    Masks,
    bits,
    differing,
    either,
    kinds_left_open,
    masks_of_position,
    masks_of_view,
    squares_in,
    tells_colour,
)
from station.tracking.memory import (
    Context,
    Memory,
    after_story,
    begun_ms,
    forget,
    is_still,
    not_told_by,
    out_of_sight,
    recently_left,
    with_arrivals,
)
from station.tracking.readings import (
    Ambiguous,
    Astray,
    Back,
    Clearing,
    Done,
    Moving,
    Reading,
    Story,
    Turned,
    Untouched,
)
from station.tracking.rereading import read_again
from station.tracking.several import read_turned
from station.tracking.single import finished_stories, is_contradicted, longer_captures, read_under_way, standing_stories
from station.values import replace

__all__ = [
    "Ambiguous",
    "Astray",
    "Back",
    "Candidate",
    "Clearing",
    "Context",
    "Done",
    "Expectation",
    "Masks",
    "Memory",
    "Moving",
    "Reading",
    "Story",
    "Turned",
    "Untouched",
    "after_story",
    "differing",
    "expect",
    "forget",
    "is_covered",
    "is_still",
    "kinds_left_open",
    "leads_here",
    "masks_of_position",
    "masks_of_view",
    "nobody",
    "not_told_by",
    "only",
    "out_of_sight",
    "read",
    "read_back",
    "read_illegal",
    "remember",
    "squares_in",
    "standing_stories",
    "tells_colour",
]


def remember(memory: Memory, view: BoardView, at_ms: int, context: Context) -> Memory:
    """The memory after one more view: when the frame changed, what stood before, which squares were empty."""
    # Drivers share evidence between views: comparing two is far quicker than weighing one.
    if memory.seen is not None and memory.view is not None and view.seen == memory.view.seen:
        seen = memory.seen
    else:
        seen = kinds_left_open(masks_of_view(view))
    if view.firm:
        memory = with_come_back(with_arrivals(memory, seen), seen)
    if seen == memory.seen:
        return replace(memory, view=view, firm=memory.firm or view.firm)
    if memory.seen is not None and memory.firm and not differing(context.expected.untouched, memory.seen):
        memory = replace(without_blindness(memory), stood=())
    stood = memory.stood
    if memory.seen is not None:
        finished = tuple(story for story, _ in finished_stories(context, memory, memory.seen))
        stood = (*(story for story in stood if story not in finished), *finished)[-4:]
    been = (either(memory.been[0], seen), either(memory.been[1], seen))
    before = memory.seen if memory.firm else memory.before
    leaves = memory.seen is None or not differing(context.expected.untouched, memory.seen)
    left_ms = at_ms if leaves else memory.left_ms
    recent = recently_left(memory, at_ms)
    return replace(
        memory,
        seen=seen,
        view=view,
        since_ms=begun_ms(recent, seen, at_ms) if view.firm else at_ms,
        changed_ms=at_ms,
        recent=recent,
        firm=view.firm,
        been=been,
        since_back=either(memory.since_back, seen),
        stood=stood,
        before=before,
        left_ms=left_ms,
        history=with_frame(memory.history, at_ms, seen, view.firm),
        blind=memory.blind or is_covered(seen),
        log=with_frame(memory.log, at_ms, seen, view.firm),
    )


def read(context: Context, memory: Memory) -> Reading:
    """What the latest frame tells. Stories are tried in order; the first kind that explains the board is taken."""
    seen = memory.seen
    if seen is None or not differing(context.expected.untouched, seen):
        return _otherwise(context, memory) or Untouched()
    if context.asked:
        return _read_again(context, memory, seen)
    forgotten = longer_captures(context, memory, seen) if context.earlier is not None else ()
    if context.earlier is not None and not _is_in_doubt(context, memory):
        context = replace(context, earlier=None)
    finished = tuple(finished_stories(context, memory, seen))
    if finished:
        return _otherwise(context, memory) or _one_of(finished, context, memory)
    # What happened out of sight is over by the time the board is seen again: a complete line comes before a stage.
    continued = read_continuation(context, memory)
    if continued is not None and memory.blind:
        return continued
    under_way = read_under_way(context, seen)
    if under_way is not None and forgotten and memory.firm and context.now_ms - memory.since_ms >= context.rest_ms:
        return Ambiguous(forgotten)
    if under_way is not None:
        return under_way
    turned = read_turned(context, memory, seen) if not memory.blind or is_still(context, memory) else None
    if turned is not None:
        return turned
    if continued is not None:
        return continued
    return _read_again(context, memory, seen)


def _otherwise(context: Context, memory: Memory) -> Turned | Ambiguous | None:
    """What changes moves in the record that were read in haste, where that explains better all that was seen."""
    again = read_again(context, memory) if context.doubtful else None
    changes = isinstance(again, Ambiguous) or (again is not None and again.story.back > 0)
    return again if changes else None


def _read_again(context: Context, memory: Memory, seen: Masks) -> Reading:
    again = read_again(context, memory)
    return Astray(squares_in(differing(context.expected.untouched, seen))) if again is None else again


def _is_in_doubt(context: Context, memory: Memory) -> bool:
    """Whether the last move may still be changed: it is not there to be seen, and nobody has acted on it."""
    if context.last is None or context.earlier is None or memory.seen is None:
        return False
    last = context.last
    touched = bits((last.from_square, last.to_square, *last.captured, *last.huffed))
    stands = not differing(context.expected.untouched, memory.seen) & touched
    return not stands and all(story.back for story in memory.stood)


def _one_of(finished: tuple[tuple[Story, bool], ...], context: Context, memory: Memory) -> Reading:
    nearest = [(story, extendable) for story, extendable in finished if story.back == finished[0][0].back]
    if len(nearest) > 1:
        return Ambiguous(tuple(story for story, _ in nearest))
    story, extendable = nearest[0]
    return Done(story, extendable, not story.back and is_contradicted(context, memory, story.moves[0]))


def read_back(positions: tuple[Position, ...], memory: Memory) -> Back | None:
    """How many moves ago the board looked as it does now, the fewest first; None when it never did."""
    if memory.seen is None:
        return None
    for plies, position in enumerate(reversed(positions[:-1]), 1):
        if not differing(masks_of_position(position.contents), memory.seen):
            return Back(plies)
    return None


def read_illegal(position: Position, ruleset: Ruleset, memory: Memory) -> Violation | None:
    """The move that was made although exactly one rule forbids it; None when no single rule explains the board."""
    if memory.seen is None:
        return None
    for violation in violations(rules_for(ruleset), position):
        if not differing(masks_of_position(position.after(violation.move).contents), memory.seen):
            return violation
    return None
