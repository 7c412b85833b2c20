"""Rereading: where a board has gone astray, the last moves are read again from all that was seen of each square.

A slow board may show a move only when the next ones are made, and one that was read wrongly leads every later one
astray. The lines looked for begin at an earlier position that the board showed, tell of every square what it showed
after another, in an order that was possible, and leave what stands there now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count, pairwise

from engine.geometry import Square
from engine.position import Position
from engine.ruleset import Ruleset
from engine.view import WHITE
from station.tracking.expectation import Candidate, Expectation, expect, in_reach, is_stage
from station.tracking.history import BOUNCE_MS, SCAN_MS, History
from station.tracking.masks import Masks, bits, differing, masks_of_position, squares_in, unknown
from station.tracking.memory import BLIP_MS, Context, Memory
from station.tracking.readings import Ambiguous, Line, Story, Turned

MOST_MOVES = 16
"""Longer lines are not looked for."""

MOST_BEGINNINGS = 3
"""From so many earlier positions a line is looked for."""

MOST_POSITIONS = 250
"""The search is given up after so many: about a second on the slowest device, and only where all is in disorder."""

SLOW_MS = SCAN_MS + 110
"""How late a slow board may tell of a square: after a scan, and when a dump of 100 fields is through."""

MOST_LINES = 6
"""A person is asked to choose from no more lines than this."""

UNSEEN = 1.0
"""What it counts against a line that a piece was never seen where a move brought it."""

STRAY = 0.3
"""What each change that a line does not tell of counts against it; a piece pushed aside makes two or four."""

UNFINISHED = 0.25
"""What counts against a line after which a move is under way."""

IN_DISORDER = 0.6
"""What counts against the record as it is, where no move that is under way explains the board."""

MARGIN = 0.55
"""By so much a line must be better than any other to be believed."""

WORST = 3.0
"""A line against which more counts is no explanation."""

NOTHING_STANDS, WHITE_STANDS, BLACK_STANDS = 1, 2, 4

Entry = tuple[int, int]
"""When (ms) a square was seen to change, and what may have stood there from then on."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A move of a line, between when and when it was made (ms), and whose piece went."""

    candidate: Candidate
    from_ms: int
    until_ms: int
    stands: int


@dataclass(frozen=True, slots=True)
class _Log:
    """What the squares that changed showed one thing after another, and how late (ms) a change may have been told."""

    timelines: Mapping[Square, tuple[Entry, ...]]
    late_ms: int
    changed: int
    """Their squares."""

    def untold(self, way: _Way, before_ms: int, at_work: int = 0) -> int:
        """How many changes before a time a way does not tell of; pieces may pass over the squares of their way.

        `at_work`: squares of a move under way.
        """
        untold = 0
        for square, entries in self.timelines.items():
            told = way.told.get(square, (0,))
            since_ms = way.not_before_ms if at_work >> square & 1 else before_ms
            for place, entry in enumerate(entries):
                if entry[0] >= since_ms:
                    break
                if place not in told and not any(
                    made.candidate.carried >> square & 1 and _passes(made, entry, self.late_ms) for made in way.made
                ):
                    untold += 1
        return untold


@dataclass(frozen=True, slots=True)
class _Way:
    """Moves read so far, and how far what was seen of each square is told by them."""

    position: Position
    not_before_ms: int
    cost: float = 0.0
    made: tuple[_Made, ...] = ()
    told: Mapping[Square, tuple[int, ...]] = field(default_factory=dict)
    """For squares of which something is told: the places of those entries."""
    hidden: int = 0
    """Squares on which a piece stands by these moves that was not seen there."""


def read_again(context: Context, memory: Memory) -> Turned | Ambiguous | None:
    """The record's last moves changed and what else was made, as one line; None where it is not told or not settled."""
    if memory.seen is None or not memory.firm or memory.blind or not context.positions:
        return None
    if unknown(memory.seen) or context.positions[-1].towers is not None:
        return None
    if context.now_ms - memory.changed_ms < context.reread_ms:
        return None
    lines = _lines(context.positions, context.record, memory.log, context.ruleset)
    stories = tuple(_story(line, context.positions) for line in lines)
    if not stories or any(not story.moves for story in stories):
        return None
    return Turned(stories[0]) if len(stories) == 1 else Ambiguous(stories)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, and which of the record's positions it begins at, counted from the first one given."""

    begins: int
    moves: Line


def _story(line: _Line, positions: tuple[Position, ...]) -> Story:
    """What has to be withdrawn and made for the record to hold a line: what both begin with stays."""
    common = 0
    position = positions[line.begins]
    for move, recorded in zip(line.moves, positions[line.begins + 1 :], strict=False):
        position = position.after(move)
        if position != recorded:
            break
        common += 1
    return Story(len(positions) - 1 - line.begins - common, line.moves[common:])


@lru_cache(maxsize=8)
def _lines(positions: tuple[Position, ...], record: Line, log: History, ruleset: Ruleset) -> tuple[_Line, ...]:
    """The lines that explain a log best, from the earliest of some positions from which any does.

    Where the board showed an earlier position once more after the record's last one, moves were taken back: from there.
    """
    anchors = _anchors(positions, log)
    some = anchors[:: max(1, len(anchors) // (MOST_BEGINNINGS - 1))]
    for begins, place in (*_gone_back_to(positions, log, anchors), *some):
        found = _search(positions[begins], record[begins:], log[place:], ruleset)
        if found is not None:
            return tuple(_Line(begins, line) for line in found) if len(found) <= MOST_LINES else ()
    return ()


def _anchors(positions: tuple[Position, ...], log: History) -> tuple[tuple[int, int], ...]:
    """Positions that the board showed, the earliest first, and where in the log it did so last."""
    places: list[tuple[int, int]] = []
    for number in range(len(positions) - 1, -1, -1):
        place = _last_shown(positions[number], log[: places[-1][1]] if places else log)
        if place is not None:
            places.append((number, place))
    return tuple(reversed(places))


def _gone_back_to(
    positions: tuple[Position, ...], log: History, anchors: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    """The position that the board showed last, and where, when it had shown a later one before; else none."""
    since = anchors[-1][1] + 1 if anchors else 0
    shown = [
        (place, number)
        for number, position in enumerate(positions[:-1])
        if (place := _last_shown(position, log[since:])) is not None
    ]
    if not shown:
        return ()
    place, number = max(shown)
    return ((number, since + place),)


def _last_shown(position: Position, log: History) -> int | None:
    masks = masks_of_position(position.contents)
    return next((at for at in range(len(log) - 1, -1, -1) if not differing(masks, log[at][1])), None)


def _search(start: Position, record: Line, log: History, ruleset: Ruleset) -> tuple[Line, ...] | None:
    """The line from a position that tells best of a log and leaves its last frame, and those about as good.

    None of them where a move is still under way, or the record may be right; None where nothing explains the log.

    The best beginning is gone on with first: what counts against a way never becomes less.
    """
    is_firm = all(firm for _, _, firm in log)
    seen, timelines = log[-1][1], _timelines(log, BLIP_MS if is_firm else 0)
    told = _Log(timelines, BOUNCE_MS if is_firm else SLOW_MS, bits(tuple(timelines)))
    found: dict[tuple[Line, bool], float] = {}
    order = count()
    waiting = [(0.0, 0, next(order), _Way(start, log[0][0] - told.late_ms))]
    for _ in range(MOST_POSITIONS):
        enough = min(min(found.values(), default=WORST) + MARGIN, WORST)
        if not waiting or waiting[0][0] >= enough:
            break
        _, _, _, way = heappop(waiting)
        expectation = expect(way.position, ruleset)
        line = tuple(made.candidate.move for made in way.made)
        for against, at_work in _endings(
            expectation, seen, line[: len(record)] == record and len(line) <= len(record) + 1
        ):
            cost = way.cost + STRAY * told.untold(way, log[-1][0] + 1, at_work) + against
            is_made = not against
            found[line, is_made] = min(cost, found.get((line, is_made), cost))
        if len(way.made) < MOST_MOVES:
            for longer in _longer(way, expectation, told):
                cost = longer.cost + STRAY * told.untold(longer, longer.not_before_ms)
                heappush(waiting, (cost, -len(longer.made), next(order), longer))
    else:
        return None
    return _best(found) if min(found.values(), default=WORST) < WORST else None


def _endings(expectation: Expectation, seen: Masks, goes_on: bool) -> Iterator[tuple[float, int]]:
    """In which ways a frame may end a line: it is what the line leaves, or the next move is under way in it.

    What counts against each, and the squares of what is under way. After the record as it is, and after one move more,
    anything may be: a piece was pushed aside.
    """
    if not differing(expectation.untouched, seen):
        yield 0.0, 0
        return
    begun = in_reach(expectation, seen)
    if not all(differing(item.final, seen) for item in begun):
        return  # a line that is longer by one move
    stages = [item.carried for item in begun if is_stage(item, seen)]
    yield from ((UNFINISHED, squares) for squares in stages)
    if goes_on and not stages:
        yield IN_DISORDER, 0


def _best(found: Mapping[tuple[Line, bool], float]) -> tuple[Line, ...]:
    """The line that is better than all others by a margin, or those about as good; none while a move is under way."""
    least = min(found.values())
    alike = [key for key, cost in found.items() if cost < least + MARGIN]
    if not all(is_made for _, is_made in alike):
        return ()
    return tuple(line for line, _ in alike)


def _timelines(log: History, blip_ms: int) -> dict[Square, tuple[Entry, ...]]:
    """What the squares showed one thing after another; only those that changed.

    A piece that was lost to sight for no longer than `blip_ms` was never gone.
    """
    found: dict[Square, list[Entry]] = {}
    for (before_ms, before, _), (at_ms, after, _) in pairwise(log):
        changed = (before[0] ^ after[0]) | (before[1] ^ after[1]) | (before[3] ^ after[3])
        for square in squares_in(changed):
            entries = found.setdefault(square, [(before_ms, _stands(before, square))])
            shows = _stands(after, square)
            if len(entries) > 1 and _is_back(entries[-2], entries[-1], (at_ms, shows), blip_ms):
                entries.pop()
            else:
                entries.append((at_ms, shows))
    return {square: tuple(entries) for square, entries in found.items() if len(entries) > 1}


def _is_back(stood: Entry, gone: Entry, again: Entry, blip_ms: int) -> bool:
    return gone[1] == NOTHING_STANDS and stood[1] == again[1] and again[0] - gone[0] <= blip_ms


def _stands(seen: Masks, square: Square) -> int:
    empty, white, black = (seen[content] >> square & 1 for content in (0, 1, 3))
    return empty * NOTHING_STANDS | white * WHITE_STANDS | black * BLACK_STANDS


def _longer(way: _Way, expectation: Expectation, log: _Log) -> Iterator[_Way]:
    """A way with each move that may have come next."""
    for candidate in expectation.candidates:
        if not candidate.home & (log.changed | way.hidden):
            continue
        home = candidate.move.from_square
        lifts: Iterator[tuple[_Way, int]] = iter([(way, way.not_before_ms)])
        if not candidate.home & way.hidden:
            lifts = _changes(way, home, NOTHING_STANDS, log, way.not_before_ms)
        for lifted, at_ms in lifts:
            yield from _completed(lifted, candidate, max(way.not_before_ms, at_ms - log.late_ms), log)


def _changes(way: _Way, square: Square, stands: int, log: _Log, not_before_ms: int) -> Iterator[tuple[_Way, int]]:
    """The way with each later moment told at which a square began to show just this, and when that was."""
    told = way.told.get(square, (0,))
    entries = log.timelines.get(square, ())
    for place in range(told[-1] + 1, len(entries)):
        at_ms, shows = entries[place]
        if at_ms >= not_before_ms and shows & stands and bool(shows & NOTHING_STANDS) == (stands == NOTHING_STANDS):
            yield replace(way, told={**way.told, square: (*told, place)}), at_ms


def _completed(way: _Way, candidate: Candidate, from_ms: int, log: _Log) -> Iterator[_Way]:
    """The way with a move whose piece was lifted: captured pieces seen to go, the piece seen to come, or not seen."""
    move, until_ms = candidate.move, from_ms
    for square in squares_in(candidate.captured & ~(1 << move.to_square) & ~way.hidden):
        gone = next(_changes(way, square, NOTHING_STANDS, log, from_ms), None)
        if gone is None:
            return
        way, at_ms = gone
        until_ms = max(until_ms, at_ms - log.late_ms)
    stands = WHITE_STANDS if way.position.contents[move.from_square] & WHITE else BLACK_STANDS
    hidden = way.hidden & ~(candidate.captured | candidate.home)
    made = _Made(candidate, from_ms, until_ms, stands)
    moved = replace(way, position=way.position.after(move), not_before_ms=until_ms, hidden=hidden)
    come = next(_changes(moved, move.to_square, stands, log, from_ms), None)
    if come is not None:
        seen, at_ms = come
        done_ms = max(until_ms, at_ms - log.late_ms)
        yield replace(seen, not_before_ms=done_ms, made=(*way.made, replace(made, until_ms=done_ms)))
    yield replace(moved, cost=way.cost + UNSEEN, made=(*way.made, made), hidden=hidden | 1 << move.to_square)


def _passes(made: _Made, entry: Entry, late_ms: int) -> bool:
    """Whether a moving piece makes a square show this, or leave it, on its way."""
    at_ms, shows = entry
    return bool(shows & (NOTHING_STANDS | made.stands)) and made.from_ms <= at_ms <= made.until_ms + late_ms
