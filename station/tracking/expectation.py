"""Expectations: the moves that may be made from a position, what each leaves and what is seen on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.errors import TooManyCapturesError
from engine.geometry import Geometry
from engine.position import EMPTY, Move, Position
from engine.rules import rules_for
from engine.ruleset import Ruleset
from station.tracking.masks import Masks, allow, bits, clear, differing, masks_of_position, occupied, put, squares_in


@dataclass(frozen=True, slots=True)
class Candidate:
    """A legal move, what it leaves on the board, and what may be seen while it is under way."""

    move: Move
    final: Masks
    stage: Masks
    carried: int
    """Squares on which nothing but the mover may stand: home, on the way, destination."""
    captured: int
    """Squares that become empty because what stands there goes off."""
    home: int
    uncovered: int = 0
    """Squares of towers that show their next piece when the top one goes off."""
    landings: int = 0
    """Squares on which the mover may be put down, its destination among them."""
    extendable: bool = False
    """Whether what it leaves may also be a stage of another legal move."""
    touched: int = 0
    """All squares on which anything may change."""
    changed: int = 0
    """Squares on which something has changed when it is complete, or has at least been lifted."""


# Compared by identity: positions are expected once, and lines are looked up by what they begin with.
@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """A position and the moves that may be made from it."""

    position: Position
    untouched: Masks
    candidates: tuple[Candidate, ...]


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


@lru_cache(maxsize=256)
def only(expectation: Expectation, move: Move) -> Expectation:
    """An expectation of one move."""
    candidates = tuple(item for item in expectation.candidates if item.move.effect == move.effect)
    return replace(expectation, candidates=candidates)


@lru_cache(maxsize=256)
def nobody(expectation: Expectation) -> Expectation:
    """An expectation of no move: it is the turn of a player who is not at the board."""
    return replace(expectation, candidates=())


def in_reach(expectation: Expectation, seen: Masks) -> tuple[Candidate, ...]:
    """The moves that touch every square on which a frame differs from the position: no other explains it."""
    wrong = differing(expectation.untouched, seen)
    return tuple(candidate for candidate in expectation.candidates if not wrong & ~candidate.touched)


def is_stage(candidate: Candidate, seen: Masks, at_most: int = 2) -> bool:
    """Whether a frame may be seen while a move is under way. A slide or a slow scan shows the mover twice."""
    return not differing(candidate.stage, seen) and (candidate.carried & occupied(seen)).bit_count() <= at_most


def _with_extension(candidate: Candidate, candidates: tuple[Candidate, ...]) -> Candidate:
    empty = candidate.final[0]
    occupied = (candidate.final[1] | candidate.final[3]) & ~empty
    frame: Masks = (empty, occupied, occupied, occupied, occupied)
    others = (other for other in candidates if other.move.effect != candidate.move.effect)
    return replace(candidate, extendable=any(is_stage(other, frame, 1) for other in others))


def _candidate(move: Move, ways: tuple[Move, ...], position: Position, untouched: Masks, ruleset: Ruleset) -> Candidate:
    mover = position.contents[move.from_square]
    home, target = 1 << move.from_square, 1 << move.to_square
    uncovered = _uncovered(move, position)
    captured = bits(move.captured + move.huffed) & ~uncovered
    trace = _trace(ways, ruleset.geometry) & ~uncovered
    if ruleset.family == "race":
        trace &= untouched[0]
    elif ruleset.removal != "now":
        trace &= ~captured
    carried = home | trace | target
    emptied = allow(untouched, home | captured | uncovered, EMPTY)
    if position.towers is None or not uncovered:
        final = put(clear(untouched, home | captured), target, mover, move.promotes)
    else:
        final = masks_of_position(position.after(move).contents)
        for square in squares_in(uncovered):
            for piece in set(position.towers.beneath[square]):
                emptied = allow(emptied, 1 << square, piece)
    stage = put(allow(emptied, carried, EMPTY), carried, mover, move.promotes, also=True)
    touched = carried | captured | uncovered
    changed = home | captured | uncovered | target
    alone = carried & ~captured | target
    landings = bits(tuple(square for way in ways for square in way.path))
    return Candidate(move, final, stage, alone, captured, home, uncovered, landings, touched=touched, changed=changed)


def _uncovered(move: Move, position: Position) -> int:
    """The captured towers of which something is left."""
    if position.towers is None or not move.captured:
        return 0
    left = position.after(move).contents
    return bits(tuple(square for square in move.captured if square != move.to_square and left[square] is not EMPTY))


def _trace(ways: tuple[Move, ...], geometry: Geometry) -> int:
    trace = 0
    for way in ways:
        start = way.from_square
        for landing in way.path:
            trace |= 1 << landing | bits(geometry.between(start, landing))
            start = landing
    return trace
