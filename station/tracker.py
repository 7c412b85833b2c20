"""Views and hypotheses in, a reading out: which story explains what stands on the board.

A story withdraws none or one of the moves in the record and then makes one or more. It is believed when the board
shows what it leaves and every move in it was borne out by what was seen meanwhile. Every hypothesis is checked square
by square on bit masks: bit n of mask c is set when square n may hold content c.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import or_

from engine.errors import TooManyCapturesError
from engine.explain import Violation, violations
from engine.geometry import Geometry, Square
from engine.position import CONTENTS, CROWNED, EMPTY, Move, Piece, Position
from engine.rules import rules_for
from engine.ruleset import Ruleset
from engine.view import BoardView, Evidence, possible_by

Masks = tuple[int, int, int, int, int]

NOTHING: Masks = (0, 0, 0, 0, 0)


SCAN_MS = 225
"""How late the slowest board tells that a piece has left its square."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A legal move, what it leaves on the board, and what may be seen while it is under way."""

    move: Move
    final: Masks
    stage: Masks
    carried: int
    """Squares on which the mover may stand: home, on the way, destination."""
    captured: int
    """Squares that become empty because what stands there goes off."""
    home: int
    uncovered: int = 0
    """Squares of towers that show their next piece when the top one goes off."""
    extendable: bool = False
    """Whether what it leaves may also be a stage of another legal move."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """A position and the moves that may be made from it."""

    position: Position
    untouched: Masks
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """What was done since the record's last move: withdraw `back` moves, then make `moves`."""

    back: int
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Untouched:
    """The board shows the game's position."""


@dataclass(frozen=True, slots=True)
class Done:
    """One story explains the board, and its last move is complete."""

    story: Story
    extendable: bool


@dataclass(frozen=True, slots=True)
class Turned:
    """A story is complete, and the other side has already begun or even made the next move: it can wait no longer."""

    story: Story


@dataclass(frozen=True, slots=True)
class Moving:
    """These moves may be under way."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Clearing:
    """The mover has arrived; these captured pieces are still to be taken off."""

    move: Move
    squares: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """More than one story is complete; a person has to say which."""

    stories: tuple[Story, ...]


@dataclass(frozen=True, slots=True)
class Back:
    """The position of `plies` moves ago stands again."""

    plies: int


@dataclass(frozen=True, slots=True)
class Astray:
    """No story explains the board; it differs from the game on these squares."""

    squares: tuple[Square, ...]


Line = tuple[Move, ...]

Reading = Untouched | Done | Turned | Moving | Clearing | Ambiguous | Back | Astray


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


# --- masks ---------------------------------------------------------------------------------------------------------


def masks_of_view(view: BoardView) -> Masks:
    """For each content, the squares where a view does not rule it out."""
    by_evidence: dict[Evidence, int] = {}
    for square, evidence in enumerate(view.seen):
        by_evidence[evidence] = by_evidence.get(evidence, 0) | 1 << square
    masks = [0, 0, 0, 0, 0]
    for evidence, squares in by_evidence.items():
        possible = possible_by(evidence)
        for place, content in enumerate(CONTENTS):
            if content & possible:
                masks[place] |= squares
    return (masks[0], masks[1], masks[2], masks[3], masks[4])


def masks_of_position(contents: tuple[Piece, ...]) -> Masks:
    """For each content, the squares where it agrees with a position; a king may stand there unmarked, as a man."""
    empty = white = white_kings = black = black_kings = 0
    for square, piece in enumerate(contents):
        bit = 1 << square
        if piece is Piece.EMPTY:
            empty |= bit
        elif piece is Piece.WHITE_MAN:
            white |= bit
        elif piece is Piece.WHITE_KING:
            white |= bit
            white_kings |= bit
        elif piece is Piece.BLACK_MAN:
            black |= bit
        else:
            black |= bit
            black_kings |= bit
    return (empty, white, white_kings, black, black_kings)


def differing(allowed: Masks, seen: Masks) -> int:
    """Squares on which nothing that is allowed is also possible."""
    explained = (
        (allowed[0] & seen[0])
        | (allowed[1] & seen[1])
        | (allowed[2] & seen[2])
        | (allowed[3] & seen[3])
        | (allowed[4] & seen[4])
    )
    return (seen[0] | seen[1] | seen[2] | seen[3] | seen[4]) & ~explained


def squares_in(mask: int) -> tuple[Square, ...]:
    """The squares whose bits are set, in order."""
    squares = []
    while mask:
        low = mask & -mask
        squares.append(low.bit_length() - 1)
        mask ^= low
    return tuple(squares)


def _occupied(seen: Masks) -> int:
    return (seen[1] | seen[2] | seen[3] | seen[4]) & ~seen[0]


def _is_stage(candidate: Candidate, seen: Masks, at_most: int = 2) -> bool:
    """Whether a frame may be seen while a move is under way. A slide or a slow scan shows the mover twice."""
    return not differing(candidate.stage, seen) and (candidate.carried & _occupied(seen)).bit_count() <= at_most


def tells_colour(seen: Masks) -> bool:
    """Whether a frame tells white pieces from black ones wherever it tells that something stands."""
    return not _occupied(seen) & (seen[1] | seen[2]) & (seen[3] | seen[4])


# --- expectations --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def expect(position: Position, ruleset: Ruleset) -> Expectation:
    """All legal moves of a position, what they leave and what is seen on the way; none where they cannot be listed."""
    untouched = masks_of_position(position.contents)
    candidates = tuple(
        _candidate(move, ways, position, untouched, ruleset) for move, ways in _moves_with_ways(position, ruleset)
    )
    return Expectation(position, untouched, tuple(_with_extension(candidate, candidates) for candidate in candidates))


def _moves_with_ways(position: Position, ruleset: Ruleset) -> Iterator[tuple[Move, tuple[Move, ...]]]:
    """Legal moves, each with the ways in which it may go; where there are too many to be listed, with one of them."""
    rules = rules_for(ruleset)
    try:
        moves = rules.legal_moves(position)
    except TooManyCapturesError:
        return
    if ruleset.family == "race":
        # A chain wanders as it likes: where one move of a piece may go, another of its moves may pass.
        for move in moves:
            yield move, tuple(other for other in moves if other.from_square == move.from_square)
        return
    try:
        ways = rules.ways(position)
    except TooManyCapturesError:
        ways = {}
    for move in moves:
        yield move, ways.get(move.effect, (move,))


def only(expectation: Expectation, move: Move) -> Expectation:
    """An expectation of one move."""
    candidates = tuple(item for item in expectation.candidates if item.move.effect == move.effect)
    return replace(expectation, candidates=candidates)


def nobody(expectation: Expectation) -> Expectation:
    """An expectation of no move: it is the turn of a player who is not at the board."""
    return replace(expectation, candidates=())


def _with_extension(candidate: Candidate, candidates: tuple[Candidate, ...]) -> Candidate:
    empty = candidate.final[0]
    occupied = (candidate.final[1] | candidate.final[3]) & ~empty
    frame: Masks = (empty, occupied, occupied, occupied, occupied)
    others = (other for other in candidates if other.move.effect != candidate.move.effect)
    return replace(candidate, extendable=any(_is_stage(other, frame, 1) for other in others))


def _candidate(move: Move, ways: tuple[Move, ...], position: Position, untouched: Masks, ruleset: Ruleset) -> Candidate:
    mover = position.contents[move.from_square]
    home, target = 1 << move.from_square, 1 << move.to_square
    uncovered = _uncovered(move, position)
    captured = _bits(move.captured + move.huffed) & ~uncovered
    trace = _trace(ways, ruleset.geometry) & ~uncovered
    if ruleset.family == "race":
        trace &= untouched[0]
    elif ruleset.removal != "now":
        trace &= ~captured
    carried = home | trace | target
    emptied = _allow(untouched, home | captured | uncovered, EMPTY)
    if position.towers is None or not uncovered:
        final = _put(_clear(untouched, home | captured), target, mover, move.promotes)
    else:
        final = masks_of_position(position.after(move).contents)
        for square in squares_in(uncovered):
            for piece in set(position.towers.beneath[square]):
                emptied = _allow(emptied, 1 << square, piece)
    stage = _put(_allow(emptied, carried, EMPTY), carried, mover, move.promotes, also=True)
    return Candidate(move, final, stage, carried, captured, home, uncovered)


def _uncovered(move: Move, position: Position) -> int:
    """The captured towers of which something is left."""
    if position.towers is None or not move.captured:
        return 0
    left = position.after(move).contents
    return _bits(tuple(square for square in move.captured if square != move.to_square and left[square] is not EMPTY))


def _trace(ways: tuple[Move, ...], geometry: Geometry) -> int:
    trace = 0
    for way in ways:
        start = way.from_square
        for landing in way.path:
            trace |= 1 << landing | _bits(geometry.between(start, landing))
            start = landing
    return trace


def _bits(squares: tuple[Square, ...]) -> int:
    return sum(1 << square for square in set(squares))


def _allow(masks: Masks, squares: int, content: Piece) -> Masks:
    changed = list(masks)
    changed[CONTENTS.index(content)] |= squares
    return (changed[0], changed[1], changed[2], changed[3], changed[4])


def _clear(masks: Masks, squares: int) -> Masks:
    return (masks[0] | squares, masks[1] & ~squares, masks[2] & ~squares, masks[3] & ~squares, masks[4] & ~squares)


def _put(masks: Masks, squares: int, piece: Piece, promotes: bool, also: bool = False) -> Masks:
    """Masks with a piece on squares, instead of or besides what they allow; kings may be unmarked."""
    if not also:
        masks = _clear(masks, squares)
        masks = (masks[0] & ~squares, *masks[1:])
    king = CROWNED[piece]
    man = CONTENTS[CONTENTS.index(king) - 1]
    masks = _allow(masks, squares, man)
    return _allow(masks, squares, king) if promotes or piece is king else masks


# --- memory --------------------------------------------------------------------------------------------------------


def remember(memory: Memory, view: BoardView, at_ms: int, context: Context) -> Memory:
    """The memory after one more view: when the frame changed, what stood before, which squares were empty."""
    seen = masks_of_view(view)
    if view.firm:
        memory = _with_arrivals(memory, seen)
    if seen == memory.seen:
        return replace(memory, view=view, firm=memory.firm or view.firm)
    stood = memory.stood
    if memory.seen is not None:
        if memory.firm and not differing(context.expected.untouched, memory.seen):
            stood = ()
        finished = tuple(story for story, _ in _finished(context, memory, memory.seen))
        stood = (*(story for story in stood if story not in finished), *finished)[-4:]
    been = (_either(memory.been[0], seen), _either(memory.been[1], seen))
    before = memory.seen if memory.firm else memory.before
    leaves = memory.seen is None or not differing(context.expected.untouched, memory.seen)
    left_ms = at_ms if leaves else memory.left_ms
    return Memory(seen, view, at_ms, view.firm, been, stood, before, left_ms, memory.arrived, memory.shown)


def _with_arrivals(memory: Memory, seen: Masks) -> Memory:
    """The memory with what a firm frame shows for the first time."""
    if memory.shown == NOTHING:
        return replace(memory, shown=seen)
    new = reduce(or_, (now & ~before for now, before in zip(seen[1:], memory.shown[1:], strict=True)))
    arrived = (*memory.arrived, new) if new else memory.arrived
    return replace(memory, arrived=arrived, shown=_either(memory.shown, seen))


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


def _either(one: Masks, other: Masks) -> Masks:
    return (one[0] | other[0], one[1] | other[1], one[2] | other[2], one[3] | other[3], one[4] | other[4])


# --- reading -------------------------------------------------------------------------------------------------------


def read(context: Context, memory: Memory) -> Reading:
    """What the latest frame tells. Stories are tried in order; the first kind that explains the board is taken."""
    seen = memory.seen
    if seen is None or not differing(context.expected.untouched, seen):
        return Untouched()
    if not _is_in_doubt(context, memory):
        context = replace(context, earlier=None)
    finished = tuple(_finished(context, memory, seen))
    if finished:
        return _one_of(finished)
    under_way = _under_way(context, seen)
    if under_way is not None:
        return under_way
    turned = _turned(context, memory, seen)
    if turned is not None:
        return turned
    return Astray(squares_in(differing(context.expected.untouched, seen)))


def _is_in_doubt(context: Context, memory: Memory) -> bool:
    """Whether the last move may still be changed: it is not there to be seen, and nobody has acted on it."""
    if context.last is None or context.earlier is None or memory.seen is None:
        return False
    last = context.last
    touched = _bits((last.from_square, last.to_square, *last.captured, *last.huffed))
    stands = not differing(context.expected.untouched, memory.seen) & touched
    return not stands and all(story.back for story in memory.stood)


def _one_of(finished: tuple[tuple[Story, bool], ...]) -> Reading:
    nearest = [(story, extendable) for story, extendable in finished if story.back == finished[0][0].back]
    if len(nearest) > 1:
        return Ambiguous(tuple(story for story, _ in nearest))
    return Done(*nearest[0])


def _bases(context: Context) -> Iterator[tuple[int, Expectation]]:
    yield 0, context.expected
    if context.earlier is not None:
        yield 1, context.earlier


def _finished(context: Context, memory: Memory, seen: Masks) -> Iterator[tuple[Story, bool]]:
    """Stories of one move that are complete in a frame, those that withdraw nothing first."""
    for back, expectation in _bases(context):
        been = _either(memory.been[back], seen)
        for candidate in expectation.candidates:
            if back and _is_last(context, candidate.move):
                continue
            if not differing(candidate.final, seen) and not _unseen(candidate, been):
                yield Story(back, (candidate.move,)), candidate.extendable


def _unseen(candidate: Candidate, been: Masks) -> int:
    """On how many squares nobody saw what a move did: left its home, took a piece off, put its piece down."""
    target = 1 << candidate.move.to_square
    shown = reduce(or_, (possible & allowed for possible, allowed in zip(been[1:], candidate.final[1:], strict=True)))
    gone = (candidate.home | candidate.captured) & ~been[0]
    return gone.bit_count() + ((target | candidate.uncovered) & ~shown).bit_count()


def _under_way(context: Context, seen: Masks) -> Moving | Clearing | None:
    for _, expectation in _bases(context):
        stages = [candidate for candidate in expectation.candidates if _is_stage(candidate, seen)]
        if not stages:
            continue
        arrived = [item for item in stages if _occupied(seen) & item.carried == 1 << item.move.to_square]
        left = [squares_in(differing(item.final, seen) & (item.captured | item.uncovered)) for item in arrived]
        if len(arrived) == 1 and left[0]:
            return Clearing(arrived[0].move, left[0])
        return Moving(tuple(candidate.move for candidate in stages))
    return None


def _turned(context: Context, memory: Memory, seen: Masks) -> Turned | Ambiguous | None:
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
    begun = {story.moves[0].effect for story in memory.stood if not story.back}
    lengths = range(1, most if colour else min(2, most))
    # Lines that begin with what stood come first, however long; then any.
    for plies, from_begun in [*((plies, True) for plies in lengths if begun), *((plies, False) for plies in lengths)]:
        for back, expectation in _bases(context):
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
                return Turned(Story(back, common)) if common else None
    return None


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
    found: dict[tuple[bool, int], list[Line]] = {}
    last = 1 << context.last.to_square if context.last and not back else 0
    for line, unseen in _lines(expectation, seen, memory.been[back], plies, context.ruleset, last):
        if _out_of_order(expectation, line, seen, memory.before, context.ruleset):
            continue
        if _arrived_early(expectation, line, seen, memory.arrived, context.ruleset):
            continue
        if line[0].effect in stood and _lifted_again(line, seen, memory.before):
            continue
        if back and _is_last(context, line[0]):
            continue
        if not unseen or not _beside_a_bump(expectation, seen):
            found.setdefault((line[0].effect not in stood, unseen), []).append(line)
    return tuple(found[min(found)]) if found else ()


def _out_of_order(expectation: Expectation, line: Line, seen: Masks, before: Masks | None, ruleset: Ruleset) -> bool:
    """Whether a firm frame shows what the next move brought before its piece had left, or the last one had come."""
    if before is None:
        return False
    position = expectation.position
    for move in line:
        position = position.after(move)
    arrived = _occupied(before) & ~before[0]
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


def _lifted_again(line: Line, seen: Masks, before: Masks | None) -> bool:
    """Whether a piece that had moved was in the hand again before the other side acted: its mover thought again."""
    if before is None or len(line) < 2:
        return False
    home, target, other = 1 << line[0].from_square, 1 << line[0].to_square, 1 << line[1].from_square
    stands = _occupied(before)
    return not (stands | _occupied(seen)) & target and not stands & home and bool(stands & other)


def _beside_a_bump(expectation: Expectation, seen: Masks) -> bool:
    """Whether one move explains a frame but for a single piece that is missing, and may stand elsewhere."""
    occupied = _occupied(seen)
    wrong = [differing(candidate.final, seen) for candidate in expectation.candidates]
    return any((squares & ~occupied).bit_count() == 1 and (squares & occupied).bit_count() <= 1 for squares in wrong)


def _is_last(context: Context, move: Move) -> bool:
    return context.last is not None and move.effect == context.last.effect


def _common_beginning(lines: tuple[Line, ...]) -> Line:
    """The moves that all lines begin with: what every explanation has in common is certain."""
    common: list[Move] = []
    for moves in zip(*lines, strict=True):
        if len({move.effect for move in moves}) > 1:
            break
        common.append(moves[0])
    return tuple(common)


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
    if (wrong & _occupied(seen)).bit_count() > plies + 1:
        return
    noticed = wrong | been[0] & ~expectation.untouched[0]
    for candidate in expectation.candidates:
        target = 1 << candidate.move.to_square
        if not noticed & (candidate.home | candidate.captured | candidate.uncovered | target):
            continue
        so_far = unseen + _unseen(candidate, been)
        if so_far > 1:
            continue
        following = expect(expectation.position.after(candidate.move), ruleset)
        if plies > 1:
            for line, of_all in _lines(following, seen, been, plies - 1, ruleset, last, so_far):
                yield (candidate.move, *line), of_all
        elif _is_made(following, seen) or (
            not so_far
            and tells_colour(seen)
            and _occupied(seen) & target
            and _goes_on(following, seen, last | _still_captured(expectation, candidate.move))
        ):
            yield (candidate.move,), so_far


def _still_captured(expectation: Expectation, move: Move) -> int:
    """Squares of which a piece may be taken off because another capture of the same piece is meant."""
    rivals = (item.captured for item in expectation.candidates if item.move.from_square == move.from_square)
    return reduce(or_, rivals, 0) & ~_bits(move.captured)


def _is_made(expectation: Expectation, seen: Masks) -> bool:
    return any(not differing(candidate.final, seen) for candidate in expectation.candidates)


def _goes_on(expectation: Expectation, seen: Masks, but: int = 0) -> bool:
    """Whether a frame shows one of these moves under way or made: its piece has left its square, none of `but`."""
    occupied = seen[1] | seen[2] | seen[3] | seen[4] | but
    return any(
        not occupied & candidate.home and (_is_stage(candidate, seen, 1) or not differing(candidate.final, seen))
        for candidate in expectation.candidates
    )


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
