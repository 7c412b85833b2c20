"""Soft evidence made hard: what a camera is sure of, and what the game tells of the rest.

A camera says of each square how likely each content is. The boards that may be seen now (the game's position, a move
done, the last one withdrawn or changed) are weighed against all it says. One that explains it better than every other
by a margin says what stands on the squares; what those within the margin have differently is left open. Where none of
them explains it, or two moves on explain it better, each square shows what the camera cannot rule out by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from engine.position import CONTENTS, Piece
from engine.view import BoardView, Evidence, evidence_for
from station.tracking.expectation import expect
from station.tracking.masks import Masks, differing, squares_in
from station.tracking.memory import Context
from station.tracking.single import bases

MARGIN = 2.0
"""By so many nats a board must explain a view better than any other."""
SURE = 4.5
"""What is less likely than the best by more nats than this (1 in 90) is ruled out by itself, against the game too."""
MOST_AGAINST = 6.0
"""A board against which more nats speak in all is none of those expected: a slip, or something nobody foresaw."""


def weighed(view: BoardView, context: Context) -> BoardView:
    """The view with every square either ruled out or allowed, as `BoardView.is_hard` has it."""
    if view.is_hard:
        return view
    likeliest = _likeliest(view.seen, context)
    untouched = (context.expected.untouched,)
    allowed = (
        _likely(evidence, MARGIN if _is_likeliest(_had_by(untouched, square), evidence) else SURE)
        if _tells_nothing(evidence) or not likeliest
        else _had_by(likeliest, square)
        for square, evidence in enumerate(view.seen)
    )
    return BoardView(tuple(map(evidence_for, allowed)), view.stray, view.firm, view.weak)


def _likeliest(seen: tuple[Evidence, ...], context: Context) -> tuple[Masks, ...]:
    """The boards that explain a view best, all within the margin; none where none explains it."""
    best = _best(seen)
    against = {board: _against(seen, best, board) for board in dict.fromkeys(_expected(context))}
    least = min(against.values())
    if least > MOST_AGAINST or (least > MARGIN and _two_on(seen, best, context) < least - MARGIN):
        return ()
    return tuple(board for board, nats in against.items() if nats < least + MARGIN)


def _expected(context: Context) -> Iterator[Masks]:
    """Boards that may be seen when no hand is at work."""
    for _, expectation in bases(context):
        yield expectation.untouched
        for candidate in expectation.candidates:
            yield candidate.final


def _two_on(seen: tuple[Evidence, ...], best: Masks, context: Context) -> float:
    """How many nats speak against the likeliest board two moves on: both may have been made unseen."""
    boards = {
        further.final
        for candidate in context.expected.candidates
        for further in expect(context.expected.position.after(candidate.move), context.ruleset).candidates
    }
    return min((_against(seen, best, board) for board in boards), default=MOST_AGAINST)


def _best(seen: tuple[Evidence, ...]) -> Masks:
    """For each content the squares on which nothing is likelier."""
    masks = [0, 0, 0, 0, 0]
    for square, evidence in enumerate(seen):
        highest = max(evidence)
        for place, told in enumerate(evidence):
            if told == highest:
                masks[place] |= 1 << square
    return (masks[0], masks[1], masks[2], masks[3], masks[4])


def _against(seen: tuple[Evidence, ...], best: Masks, board: Masks) -> float:
    """How many nats a view speaks against a board."""
    nats = 0.0
    for square in squares_in(differing(board, best)):
        evidence = seen[square]
        had = [told for told, mask in zip(evidence, board, strict=True) if mask >> square & 1]
        nats += max(evidence) - max(had)
    return nats


def _had_by(boards: tuple[Masks, ...], square: int) -> Piece:
    """What some boards have on a square."""
    contents = Piece(0)
    for place, content in enumerate(CONTENTS):
        if any(board[place] >> square & 1 for board in boards):
            contents |= content
    return contents


@lru_cache(maxsize=1024)
def _likely(evidence: Evidence, sure: float) -> Piece:
    """What evidence does not rule out by itself: nothing else is likelier by so many nats."""
    highest = max(evidence)
    contents = Piece(0)
    for content, told in zip(CONTENTS, evidence, strict=True):
        if told > highest - sure:
            contents |= content
    return contents


def _is_likeliest(contents: Piece, evidence: Evidence) -> bool:
    """Whether nothing is likelier than one of these contents."""
    return any(content & contents and told == max(evidence) for content, told in zip(CONTENTS, evidence, strict=True))


def _tells_nothing(evidence: Evidence) -> bool:
    """Whether a square cannot be seen: what the game has there is no observation."""
    return max(evidence) - min(evidence) < MARGIN
