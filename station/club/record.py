"""A game as a club knows it, put together from events and records in whatever order they come.

Whatever was heard twice, late or in another order, the same is known in the end. Events count in the order of their
numbers; one that comes before an earlier one waits for it. A record tells what all events up to its number have done,
so it closes every gap before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.pdn_results import RESULTS
from station.announcements import GameOver, GameStarted, Moved, MoveObject, Revised, TakenBack
from station.club.messages import Change, Happened, Key, Recorded

NO_RESULT = "*"
MOST_WAITING = 2000
"""Events beyond a gap that are kept; a record comes with the next one and closes it."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a game is and who plays it; `as_of` is the number of the event that named the players."""

    variant: str = ""
    start_fen: str = ""
    rules: str = ""
    white: str = ""
    black: str = ""
    opening: str = ""
    clock: str = ""
    as_of: int = -1


Numbered = tuple[int, str]
"""Something told by an event, with the event's number: of two, the later one counts."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a game: its record after event `seq`, and events that wait for those before them."""

    key: Key
    seq: int = 0
    head: Head = field(default_factory=Head)
    moves: tuple[MoveObject, ...] = ()
    result: str = NO_RESULT
    reason: Numbered = (0, "")
    times: Mapping[int, Numbered] = field(default_factory=dict)
    """When each move was made: ply from 1 -> UTC."""
    began: str = ""
    last: str = ""
    """The times of the first and the last event heard."""
    waiting: Mapping[int, Happened] = field(default_factory=dict)

    @property
    def is_game(self) -> bool:
        """Whether there is anything to keep: a move or a result."""
        return bool(self.moves) or self.result != NO_RESULT


def hear(known: Known, event: Happened) -> Known:
    """What is known after one more event."""
    known = _timed(known, event)
    if event.seq <= known.seq:
        return _told_of(known, event)
    if event.seq in known.waiting:
        return known
    waiting = {**known.waiting, event.seq: event}
    if len(waiting) > MOST_WAITING:
        del waiting[max(waiting)]
    return _drained(replace(known, waiting=waiting))


def adopt(known: Known, record: Recorded) -> Known:
    """What is known after a record: all of it, unless later events were heard already."""
    head = _with_players(known.head, record.seq, record.white, record.black)
    head = replace(
        head,
        variant=record.variant,
        start_fen=head.start_fen or record.start_fen,
        rules=head.rules or record.rules,
        opening=head.opening or record.opening,
    )
    known = replace(known, head=head)
    if record.seq <= known.seq and known.seq:
        return known
    passed = [event for seq, event in sorted(known.waiting.items()) if seq <= record.seq]
    beyond = {seq: event for seq, event in known.waiting.items() if seq > record.seq}
    known = replace(known, seq=record.seq, moves=record.moves, result=_result(record.result), waiting=beyond)
    for event in passed:
        known = _told_of(known, event)
    return _drained(known)


def joined(one: Known, other: Known) -> Known:
    """What is known of a game of which two were kept: the further one, and what the other heard beyond it."""
    further, behind = (one, other) if one.seq >= other.seq else (other, one)
    times = {ply: max(found) for ply in {*one.times, *other.times} if (found := _both(one, other, ply))}
    head, early = further.head, behind.head
    known = replace(
        further,
        head=replace(head, rules=head.rules or early.rules, clock=head.clock or early.clock),
        reason=max(one.reason, other.reason),
        times=times,
        began=min(filter(None, (one.began, other.began)), default=""),
        last=max(one.last, other.last),
    )
    for event in behind.waiting.values():
        known = hear(known, event)
    return known


def _both(one: Known, other: Known, ply: int) -> list[Numbered]:
    return [known.times[ply] for known in (one, other) if ply in known.times]


def _timed(known: Known, event: Happened) -> Known:
    if not event.at or (known.began <= event.at <= known.last and known.began):
        return known
    return replace(known, began=min(known.began or event.at, event.at), last=max(known.last, event.at))


def _drained(known: Known) -> Known:
    """The record after every event that need not wait any more."""
    while (event := known.waiting.get(known.seq + 1)) is not None:
        changed = _applied(known, event.what)
        if changed is None:
            return known  # it does not fit: the next record tells how it is
        waiting = {seq: other for seq, other in known.waiting.items() if seq != event.seq}
        known = _told_of(replace(changed, seq=event.seq, waiting=waiting), event)
    return known


def _applied(known: Known, what: Change | None) -> Known | None:
    """The record after one change; None when it does not fit what is known."""
    match what:
        case Moved():
            return replace(known, moves=(*known.moves, move_of(what))) if what.ply == len(known.moves) + 1 else None
        case Revised():
            fits = 1 <= what.ply <= len(known.moves)
            return replace(known, moves=(*known.moves[: what.ply - 1], what.new)) if fits else None
        case TakenBack():
            kept = len(known.moves) - what.plies
            return replace(known, moves=known.moves[:kept], result=NO_RESULT) if kept >= 0 and what.plies >= 0 else None
        case GameOver():
            return replace(known, result=_result(what.result))
    return known


def _told_of(known: Known, event: Happened) -> Known:
    """What an event says that a record does not: when its move was made, what ended the game, the clock."""
    match event.what:
        case Moved(ply=ply) | Revised(ply=ply) if event.at and known.times.get(ply, (-1, ""))[0] < event.seq:
            return replace(known, times={**known.times, ply: (event.seq, event.at)})
        case GameOver(reason=reason) if known.reason[0] < event.seq:
            return replace(known, reason=(event.seq, reason))
        case GameStarted() as begun:
            head = _with_players(known.head, event.seq, begun.white, begun.black)
            return replace(
                known,
                head=replace(
                    head, variant=begun.variant, start_fen=begun.fen, opening=begun.opening, clock=begun.clock
                ),
            )
    return known


def _with_players(head: Head, seq: int, white: str, black: str) -> Head:
    return replace(head, white=white, black=black, as_of=seq) if seq > head.as_of else head


def _result(text: str) -> str:
    """A result as PDN knows it, so that nothing else gets into a file."""
    return text if text in RESULTS else NO_RESULT


def move_of(told: Moved) -> MoveObject:
    """The move that an event tells of."""
    return MoveObject(
        text=told.text,
        from_square=told.from_square,
        path=told.path,
        captured=told.captured,
        to=told.to,
        promotes=told.promotes,
        huffed=told.huffed,
    )
