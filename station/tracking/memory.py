"""Memory: what was seen of the board until now, and the context it is read against."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_

from engine.position import Move, Position
from engine.ruleset import Ruleset
from engine.view import BoardView
from station.tracking.expectation import Expectation
from station.tracking.history import History
from station.tracking.masks import ANYTHING, NOTHING, Masks, either, unknown
from station.tracking.readings import Story
from station.values import replace

BLIP_MS = 150
"""A frame that is seen again so soon was never gone: hands take longer, sensors that lose a piece do not (30 to 90 ms
behind the debounce). Two such blips may overlap."""


@dataclass(frozen=True, slots=True)
class Left:
    """A frame that was left a moment ago."""

    seen: Masks
    since_ms: int
    left_ms: int


@dataclass(frozen=True)
class Memory:
    """What the tracker knows of the board: the latest frame, since when, and what stood before it."""

    seen: Masks | None = None
    view: BoardView | None = None
    since_ms: int = 0
    """Since when the board has shown the latest frame, blips apart."""
    changed_ms: int = 0
    """When it was last seen to change."""
    recent: tuple[Left, ...] = ()
    """Firm frames left within the last `BLIP_MS`."""
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
    history: History = ()
    """Frames since the last move in the record, firm or not."""
    log: History = ()
    """Frames seen, moves in the record or not: what they are read again from where the board has gone astray."""
    blind: bool = False
    """Whether the board was out of sight since it last showed the game's position."""
    come_back: Masks | None = None
    """The first firm frame after that."""
    since_back: Masks = NOTHING
    """What may have stood on each square at some moment since that frame."""


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
    still_ms: int = 900
    """How long a board that was out of sight stands still before several moves are read from it."""
    rest_ms: int = 3000
    """How long one does that was in sight: by then a piece that was pushed aside has been put back."""
    positions: tuple[Position, ...] = ()
    """The record's last positions, where its last moves may be read again: the game's is the last."""
    record: tuple[Move, ...] = ()
    """The moves made between them."""
    reread_ms: int = 0
    """How long a board stands still before that is done."""
    doubtful: bool = False
    """Whether the record's last moves were read in haste: they are read again although the board agrees with them."""
    asked: bool = False
    """Whether a person was asked which of several lines was played: until then nothing else follows the record."""
    answering: bool = False
    """Whether the one expected move is a reply that was shown: who changes the move before it gets a new reply."""


def out_of_sight() -> Memory:
    """The memory of a board that cannot be seen: anything may be done on it meanwhile."""
    return Memory(been=(ANYTHING, ANYTHING), blind=True)


def begun_ms(recent: tuple[Left, ...], seen: Masks, at_ms: int) -> int:
    """Since when a frame has stood that is seen now: from before it was left, where that was only a moment ago."""
    return next((frame.since_ms for frame in reversed(recent) if frame.seen == seen), at_ms)


def recently_left(memory: Memory, at_ms: int) -> tuple[Left, ...]:
    """The frames that a board has left within the last `BLIP_MS`, when its latest one is left now.

    Only firm frames: what a slow board has lost for one scan may as well have been lifted.
    """
    recent = tuple(frame for frame in memory.recent if at_ms - frame.left_ms <= BLIP_MS)
    if memory.seen is None or not memory.firm:
        return recent
    return (*recent, Left(memory.seen, memory.since_ms, at_ms))


def not_told_by(memory: Memory, square: int) -> Memory:
    """The memory without what a square has told: its sensor is dead, anything may have stood there."""
    bit = 1 << square

    def blurred(masks: Masks) -> Masks:
        return (masks[0] | bit, masks[1] | bit, masks[2] | bit, masks[3] | bit, masks[4] | bit)

    def retold(history: History) -> History:
        return tuple((at_ms, blurred(seen), firm) for at_ms, seen, firm in history)

    return replace(
        memory,
        seen=None if memory.seen is None else blurred(memory.seen),
        been=(blurred(memory.been[0]), blurred(memory.been[1])),
        before=None if memory.before is None else blurred(memory.before),
        shown=blurred(memory.shown),
        come_back=None if memory.come_back is None else blurred(memory.come_back),
        since_back=blurred(memory.since_back),
        arrived=tuple(new & ~bit for new in memory.arrived),
        history=retold(memory.history),
        log=retold(memory.log),
    )


def with_arrivals(memory: Memory, seen: Masks) -> Memory:
    """The memory with what a firm frame shows for the first time."""
    if memory.shown == NOTHING:
        return replace(memory, shown=seen)
    new = reduce(or_, (now & ~before for now, before in zip(seen[1:], memory.shown[1:], strict=True)))
    new &= ~unknown(seen)
    arrived = (*memory.arrived, new) if new else memory.arrived
    shown = either(memory.shown, seen)
    return memory if not new and shown == memory.shown else replace(memory, arrived=arrived, shown=shown)


def forget(memory: Memory) -> Memory:
    """The memory of what is seen now, and of nothing before."""
    seen = memory.seen or NOTHING
    shown = seen if memory.firm else NOTHING
    history = ((memory.since_ms, seen, memory.firm),) if memory.seen else ()
    return replace(
        memory,
        been=(seen, seen),
        stood=(),
        left_ms=memory.since_ms,
        arrived=(),
        shown=shown,
        history=history,
        blind=False,
        come_back=None,
        recent=(),
    )


def after_story(memory: Memory, story: Story) -> Memory:
    """The memory after a story went into the record: its last move may still be changed.

    The piece may have been lifted for that before; where it goes instead must be seen from now on.
    """
    seen = memory.seen or NOTHING
    lifted = memory.been[min(story.back, 1)][0] | seen[0]
    return replace(forget(memory), been=(seen, (lifted, *seen[1:])))


def is_still(context: Context, memory: Memory) -> bool:
    """Whether the frame has stood for so long that no hand is at work."""
    wait_ms = context.still_ms if memory.blind else context.rest_ms
    return memory.firm and context.now_ms - memory.since_ms >= wait_ms
