"""Memory: what was seen of the board until now, and the context it is read against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from engine.position import Move
from engine.ruleset import Ruleset
from engine.view import BoardView
from station.tracking.expectation import Expectation
from station.tracking.masks import NOTHING, Masks, either
from station.tracking.readings import Story


@dataclass(frozen=True, slots=True)
class Memory:
    """What the tracker knows of the board: the latest frame, since when, and what stood before it."""

    seen: Masks | None = None
    view: BoardView | None = None
    since_ms: int = 0
    firm: bool = False
    been: tuple[Masks, Masks] = (NOTHING, NOTHING)
    """What may have stood on each square at some moment: as for the next move, and as for changing the last one."""
    stood: tuple[Story, ...] = ()
    """Stories whose finished frame stood since the last move in the record, or since all was undone; latest last."""
    before: Masks | None = None
    """The last frame but the latest that was firm: what it shows on two squares was so at one time."""
    left_ms: int = 0
    """When the board last ceased to show the game's position."""
    arrived: tuple[int, ...] = ()
    """Squares on which firm frames showed something for the first time, frame by frame."""
    shown: Masks = NOTHING
    """What firm frames showed at some moment."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the board is read against."""

    expected: Expectation
    ruleset: Ruleset
    earlier: Expectation | None = None
    """The position before the last move, while its mover may still change it."""
    last: Move | None = None
    plies: int = 1
    """How many unseen plies may be read from one frame."""
    now_ms: int = 0
    ply_ms: int = 0
    """A person makes a move and lets go in no less; the next begins after that."""
    answering: bool = False
    """Whether the one expected move is a reply that was shown: who changes the move before it gets a new reply."""


def with_arrivals(memory: Memory, seen: Masks) -> Memory:
    """The memory with what a firm frame shows for the first time."""
    if memory.shown == NOTHING:
        return replace(memory, shown=seen)
    new = reduce(or_, (now & ~before for now, before in zip(seen[1:], memory.shown[1:], strict=True)))
    arrived = (*memory.arrived, new) if new else memory.arrived
    return replace(memory, arrived=arrived, shown=either(memory.shown, seen))


def forget(memory: Memory) -> Memory:
    """The memory of what is seen now, and of nothing before."""
    seen = memory.seen or NOTHING
    shown = seen if memory.firm else NOTHING
    return replace(memory, been=(seen, seen), stood=(), left_ms=memory.since_ms, arrived=(), shown=shown)


def after_story(memory: Memory, story: Story) -> Memory:
    """The memory after a story went into the record: its last move may still be changed.

    The piece may have been lifted for that before; where it goes instead must be seen from now on.
    """
    seen = memory.seen or NOTHING
    lifted = memory.been[story.back][0] | seen[0]
    return replace(forget(memory), been=(seen, (lifted, *seen[1:])))
