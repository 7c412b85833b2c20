"""Stories of several moves: the other side has already acted, or more than one move went unseen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, reduce
from operator import or_

from engine.geometry import Square
from engine.position import Move
from engine.ruleset import Ruleset
from station.tracking.expectation import Candidate, Expectation, expect, in_reach, is_stage, only
from station.tracking.history import BOUNCE_MS, SCAN_MS, History, arrivals, came, come_ms, late_ms, left_ms, lifted_ms
from station.tracking.masks import Masks, bits, differing, occupied, tells_colour
from station.tracking.memory import BLIP_MS, Context, Memory, is_still
from station.tracking.readings import Ambiguous, Line, Story, Turned
from station.tracking.single import bases, is_last, shown, unseen_squares


def read_turned(context: Context, memory: Memory, seen: Masks) -> Turned | Ambiguous | None:
    """The moves that must have been made for the other side to be where it is; None when that is not told.

    A person has to say which where moves look alike: a tower jumped once or twice, towers with the same top.

    Hands need their time: what went too fast for so many moves was a slide, or a piece that was pushed aside.
    """
    most = min(context.plies, 1 + _moves_in(context.now_ms - memory.left_ms, context.ply_ms))
    if most < 2:
        return None
    stood_and_left = tuple(_stood_and_left(context, memory, seen))
    if stood_and_left:
        alike = tuple(story for story, left in stood_and_left if left == stood_and_left[0][1])
        return Turned(alike[0]) if len(alike) == 1 else Ambiguous(alike[::-1])
    colour = tells_colour(seen)
    stood = {story.moves[0].effect for story in memory.stood if story.back}
    in_hand = False
    second_best: Turned | None = None
    begun = {story.moves[0].effect for story in memory.stood if not story.back}
    lengths = range(1, most if colour else min(2, most))
    # Lines that begin with what stood come first, however long; then any.
    for plies, from_begun in [*((plies, True) for plies in lengths if begun), *((plies, False) for plies in lengths)]:
        for back, expectation in bases(context):
            if back and (from_begun or context.answering or not colour):
                continue
            likeliest = () if in_hand and not back else _likeliest(context, memory, seen, plies, back, expectation)
            in_hand = in_hand or (not back and not likeliest and _may_be_in_hand(context, memory, seen, plies))
            if in_hand:
                likeliest = tuple(line for line in likeliest if line[0].effect in stood)
            if from_begun:
                likeliest = tuple(line for line in likeliest if line[0].effect in begun)
            if likeliest:
                common = _common_beginning(likeliest)
                turned = Turned(Story(back, common)) if common else None
                if not _unexplained(expectation, likeliest[0], memory, seen, context.ruleset):
                    return turned
                # A longer line may tell what a piece did where it was seen; else this one has to do, where a piece
                # that was seen elsewhere is not just a spoilt byte.
                if is_still(context, memory) or not _stood_elsewhere(expectation, likeliest[0][0], memory, back):
                    second_best = second_best or turned
    return second_best


def _stood_and_left(context: Context, memory: Memory, seen: Masks) -> Iterator[tuple[Story, tuple[int, int]]]:
    """Stories whose finished frame stood before the other side began, latest first, and where the board has left it.

    Stories that withdraw as many moves and were left on the same squares look alike.
    """
    for story in reversed(memory.stood):
        base = context.expected if story.back == 0 else context.earlier
        if base is None:
            continue
        following = expect(base.position.after(story.moves[0]), context.ruleset)
        if _goes_on(following, seen, _still_captured(base, story.moves[0])):
            yield story, (story.back, differing(following.untouched, seen))


def _may_be_in_hand(context: Context, memory: Memory, seen: Masks, plies: int) -> bool:
    """Whether moves would explain a frame if the piece that moved last had been let go of before it was lifted.

    That is not believed before the next move is complete; nor is anything else that did not stand to be seen.
    """
    return any(True for _ in _lines(context.expected, seen, memory.been[0], plies, context.ruleset, 0))


def _moves_in(elapsed_ms: int, ply_ms: int) -> int:
    """How many moves there was time for."""
    return (elapsed_ms + SCAN_MS) // max(1, ply_ms)


def _likeliest(
    context: Context, memory: Memory, seen: Masks, plies: int, back: int, expectation: Expectation
) -> tuple[Line, ...]:
    """The lines of so many moves that are best borne out: they begin with what stood, and least of them was unseen.

    A line must have been seen whole where one move beside a piece that was pushed aside would explain the frame too.
    """
    stood = [story.moves[0].effect for story in memory.stood if story.back == back]
    lost = _lost_just_now(memory, seen, context.now_ms)
    found: dict[tuple[bool, int], list[Line]] = {}
    last = 1 << context.last.to_square if context.last and not back else 0
    for line, unseen in _lines_of(expectation, seen, memory.been[back], plies, context.ruleset, last):
        if not is_in_order(expectation, line, memory, back, context.ruleset):
            continue
        if _is_too_quick(expectation, line, memory.history, seen, context):
            continue
        if back and is_last(context, line[0]):
            continue
        if unseen and any(lost >> move.from_square & 1 for move in line):
            continue
        if unseen and _never_put_down(expectation, line, memory.been[back], seen, context.ruleset):
            continue
        if unseen + _not_seen_to_come(expectation, line, memory) > 1:
            continue
        if not unseen or not _beside_a_bump(expectation, seen):
            doubts = unseen + _unexplained(expectation, line, memory, seen, context.ruleset)
            found.setdefault((line[0].effect not in stood, doubts), []).append(line)
    return tuple(found[min(found)]) if found else ()


def _stood_elsewhere(expectation: Expectation, move: Move, memory: Memory, back: int) -> bool:
    """Whether the piece of a move was seen where another move puts it, and nobody saw it where this one does."""
    stood = any(story.back == back and story.moves[0].from_square == move.from_square for story in memory.stood)
    return stood and not _was_shown(expectation, move, memory.been[back])


def _was_shown(expectation: Expectation, move: Move, been: Masks) -> bool:
    """Whether the piece of a move was seen where that puts it."""
    return any(1 << move.to_square & shown(item, been) for item in only(expectation, move).candidates)


def _lost_just_now(memory: Memory, seen: Masks, now_ms: int) -> int:
    """Squares whose piece has been lost to sight for less than a blip, which may stand there still."""
    if not memory.firm or now_ms - memory.since_ms >= BLIP_MS:
        return 0
    stood = reduce(or_, (occupied(frame.seen) for frame in memory.recent if now_ms - frame.left_ms < BLIP_MS), 0)
    return stood & ~occupied(seen)


def _not_seen_to_come(expectation: Expectation, line: Line, memory: Memory) -> int:
    """How many pieces went where another one had stood, of which nobody saw them come."""
    empty = expectation.untouched[0]
    squares = [
        move.to_square for move in line if not empty >> move.to_square & 1 and move.to_square != move.from_square
    ]
    if not squares:
        return 0
    seen_to_come = came(memory.history)
    return sum(1 for square in squares if not seen_to_come >> square & 1)


def is_in_order(expectation: Expectation, line: Line, memory: Memory, back: int, ruleset: Ruleset) -> bool:
    """Whether what was seen allows these moves to have been made one after the other, and the next one begun."""
    seen = memory.seen
    if seen is None:
        return False
    if _stood_whole(expectation, line, memory.before, seen, ruleset):
        return True
    if _out_of_order(expectation, line, seen, memory.before, ruleset):
        return False
    if _arrived_early(expectation, line, seen, memory.arrived, ruleset):
        return False
    stood = any(story.back == back and story.moves[0].effect == line[0].effect for story in memory.stood)
    return not (stood and _lifted_again(expectation, line, memory.history, seen, ruleset))


def _stood_whole(expectation: Expectation, line: Line, before: Masks | None, seen: Masks, ruleset: Ruleset) -> bool:
    """Whether the last firm frame showed what a line leaves, and its first piece still stands where that put it.

    Then it does not matter that a piece was pushed aside for a while after it had come.
    """
    if before is None or len(line) < 2 or not occupied(seen) >> line[0].to_square & 1:
        return False
    position = expectation.position
    for move in line:
        position = position.after(move)
    return not differing(expect(position, ruleset).untouched, before)


def _out_of_order(expectation: Expectation, line: Line, seen: Masks, before: Masks | None, ruleset: Ruleset) -> bool:
    """Whether a firm frame shows what the next move brought before its piece had left, or the last one had come."""
    if before is None:
        return False
    position = expectation.position
    for move in line:
        position = position.after(move)
    arrived = occupied(before) & ~before[0]
    target = 1 << line[-1].to_square
    made = [item for item in expect(position, ruleset).candidates if not differing(item.final, seen)]
    return any(
        arrived >> item.move.to_square & 1
        and (arrived & item.home or (not item.captured & target and not arrived & target))
        for item in made
    )


def _arrived_early(
    expectation: Expectation, line: Line, seen: Masks, arrived: tuple[int, ...], ruleset: Ruleset
) -> bool:
    """Whether a piece stood where a later move brings it before the move in front of that had come: it was pushed."""
    places = [_first(arrived, square) for square in dict.fromkeys(move.to_square for move in line)]
    known = [place for place in places if place is not None]
    if known != sorted(known):
        return True
    last = _first(arrived, line[-1].to_square)
    position = expectation.position
    for move in line:
        position = position.after(move)
    following = [
        item.move.to_square for item in expect(position, ruleset).candidates if not differing(item.final, seen)
    ]
    return last is not None and bool(following) and all((_first(arrived, to) or last) < last for to in following)


def _first(arrived: tuple[int, ...], square: Square) -> int | None:
    """Which firm frame first showed something new on a square, from 1; None when none did."""
    return next((place for place, new in enumerate(arrived, 1) if new >> square & 1), None)


def _lifted_again(expectation: Expectation, line: Line, history: History, seen: Masks, ruleset: Ruleset) -> bool:
    """Whether a piece that had moved was in the hand again before the other side acted: its mover thought again."""
    if len(line) < 2 or line[0].to_square in line[1].captured:
        return False
    left, acted = left_ms(history, line[0].to_square), lifted_ms(history, line[1].from_square)
    # Where it has moved on since, a slow board may tell of that before it tells of what came between.
    late = late_ms(history) if _moved_on(expectation, line, seen, ruleset) else 0
    return left is not None and acted is not None and left + late < acted


def _moved_on(expectation: Expectation, line: Line, seen: Masks, ruleset: Ruleset) -> bool:
    """Whether the piece that a line moves first is moved again, later in the line or by the move made after it."""
    square = line[0].to_square
    if any(move.from_square == square for move in line[2:]):
        return True
    position = expectation.position
    for move in line:
        position = position.after(move)
    made = (item for item in expect(position, ruleset).candidates if not differing(item.final, seen))
    return any(item.move.from_square == square for item in made)


def _is_too_quick(expectation: Expectation, line: Line, history: History, seen: Masks, context: Context) -> bool:
    """Whether a piece was touched too soon after the other side had begun its move: a piece was pushed aside.

    What one frame shows together may have been done at any time before it.
    """
    position = expectation.position
    for move in line:
        position = position.after(move)
    begun = [_touched_ms(item.move, history) for item in _begun(expect(position, context.ruleset), seen, 0)]
    touched = [_touched_ms(move, history) for move in line[1:]]
    touched += [max(begun)] if begun else []
    least_ms = context.ply_ms - max(late_ms(history), BOUNCE_MS)
    lifted = (lifted_ms(history, move.from_square) for move in line)
    return any(
        first is not None and after != first and after - first < least_ms
        for first, after in zip(lifted, touched, strict=False)
    )


def _touched_ms(move: Move, history: History) -> int:
    """By when the piece of a move had been touched: it was seen to leave, or to come, or not yet."""
    left, come = left_ms(history, move.from_square), come_ms(history, move.to_square)
    return next((at_ms for at_ms in (left, come) if at_ms is not None), history[-1][0])


def _never_put_down(expectation: Expectation, line: Line, been: Masks, seen: Masks, ruleset: Ruleset) -> bool:
    """Whether nobody saw the first piece stand where it is said to have gone on from: it may still be on its way."""
    return not _was_shown(expectation, line[0], been) and _moved_on(expectation, line, seen, ruleset)


def _unexplained(expectation: Expectation, line: Line, memory: Memory, seen: Masks, ruleset: Ruleset) -> int:
    """On how many squares something was seen to come of which neither these moves nor the next one tell."""
    left = arrivals(memory.history)
    for move in line:
        left &= ~reduce(or_, (item.carried for item in only(expectation, move).candidates), 0)
        expectation = expect(expectation.position.after(move), ruleset)
    lifted = (item.carried for item in expectation.candidates if not occupied(seen) & item.home)
    return (left & ~reduce(or_, lifted, 0)).bit_count()


def _beside_a_bump(expectation: Expectation, seen: Masks) -> bool:
    """Whether one move explains a frame but for a single piece that is missing, and may stand elsewhere."""
    pieces = occupied(seen)
    wrong = [differing(candidate.final, seen) for candidate in expectation.candidates]
    return any((squares & ~pieces).bit_count() == 1 and (squares & pieces).bit_count() <= 1 for squares in wrong)


def _common_beginning(lines: tuple[Line, ...]) -> Line:
    """The moves that all lines begin with: what every explanation has in common is certain."""
    common: list[Move] = []
    for moves in zip(*lines, strict=True):
        if len({move.effect for move in moves}) > 1:
            break
        common.append(moves[0])
    return tuple(common)


# The same frame is read again whenever time passes.
@lru_cache(maxsize=32)
def _lines_of(
    expectation: Expectation, seen: Masks, been: Masks, plies: int, ruleset: Ruleset, last: int
) -> tuple[tuple[Line, int], ...]:
    return tuple(_lines(expectation, seen, been, plies, ruleset, last))


def _lines(
    expectation: Expectation, seen: Masks, been: Masks, plies: int, ruleset: Ruleset, last: int, unseen: int = 0
) -> Iterator[tuple[Line, int]]:
    """Sequences of so many moves after which a frame shows the next one begun, and how much of them was unseen.

    Each move puts one piece on a new square: where more of them differ, nothing is tried. A move is only tried where
    it touches a square on which the board differs or that was empty meanwhile. When the next move is complete, one
    thing may have gone unseen. When it is not, all must have been seen, in colours, and the last piece must still
    stand: one in nobody's sight may be in anybody's hand. Nor does the piece on `last`, which moved last in the
    record, tell anything by being lifted: its mover may not have let go of it.
    """
    wrong = differing(expectation.untouched, seen)
    if (wrong & occupied(seen)).bit_count() > plies + 1:
        return
    noticed = wrong | been[0] & ~expectation.untouched[0]
    for candidate in expectation.candidates:
        if not noticed & candidate.changed:
            continue
        target = 1 << candidate.move.to_square
        so_far = unseen + unseen_squares(candidate, been)
        if so_far > 1:
            continue
        following = expect(expectation.position.after(candidate.move), ruleset)
        in_hand = target & ~shown(candidate, been)
        if plies > 1:
            for line, of_all in _lines(following, seen, been, plies - 1, ruleset, last, so_far):
                if not in_hand & bits(line[0].huffed):
                    yield (candidate.move, *line), of_all
        elif _is_made(following, seen, in_hand) or (
            not so_far
            and tells_colour(seen)
            and occupied(seen) & target
            and _goes_on(following, seen, last | _still_captured(expectation, candidate.move))
        ):
            yield (candidate.move,), so_far


def _still_captured(expectation: Expectation, move: Move) -> int:
    """Squares of which a piece may be taken off because another capture of the same piece is meant."""
    rivals = (item.captured for item in expectation.candidates if item.move.from_square == move.from_square)
    return reduce(or_, rivals, 0) & ~bits(move.captured)


def _is_made(expectation: Expectation, seen: Masks, in_hand: int = 0) -> bool:
    return any(
        not differing(candidate.final, seen) and not in_hand & bits(candidate.move.huffed)
        for candidate in in_reach(expectation, seen)
    )


def _goes_on(expectation: Expectation, seen: Masks, but: int = 0) -> bool:
    """Whether a frame shows one of these moves under way or made: its piece has left its square, none of `but`."""
    return any(True for _ in _begun(expectation, seen, but))


def _begun(expectation: Expectation, seen: Masks, but: int) -> Iterator[Candidate]:
    """Those of the moves that a frame shows under way or made."""
    stands = seen[1] | seen[2] | seen[3] | seen[4] | but
    for candidate in expectation.candidates:
        if stands & candidate.home:
            continue
        if is_stage(candidate, seen, 1) or not differing(candidate.final, seen):
            yield candidate
