"""Masks: what may stand on each square, as bits. Bit n of mask c is set when square n may hold content c."""

from __future__ import annotations

from functools import lru_cache

from engine.geometry import Square
from engine.position import CONTENTS, CROWNED, Piece
from engine.view import BoardView, Evidence, possible_by

Masks = tuple[int, int, int, int, int]

NOTHING: Masks = (0, 0, 0, 0, 0)

ANYTHING: Masks = (-1, -1, -1, -1, -1)
"""Every content on every square."""


def masks_of_view(view: BoardView) -> Masks:
    """For each content, the squares where a view does not rule it out."""
    return _masks_of(view.seen)


# Boards come back to frames they have shown: a marginal square flickers, pieces are lifted and put back.
@lru_cache(maxsize=64)
def _masks_of(seen: tuple[Evidence, ...]) -> Masks:
    by_evidence: dict[Evidence, int] = {}
    for square, evidence in enumerate(seen):
        by_evidence[evidence] = by_evidence.get(evidence, 0) | 1 << square
    masks = [0, 0, 0, 0, 0]
    for evidence, squares in by_evidence.items():
        possible = possible_by(evidence)
        for place, content in enumerate(CONTENTS):
            if content & possible:
                masks[place] |= squares
    return (masks[0], masks[1], masks[2], masks[3], masks[4])


def kinds_left_open(seen: Masks) -> Masks:
    """What a board shows of men and kings as pieces of their colour: it is the game that knows which are kings.

    A chip read wrongly, a man crowned by nobody, a king set where a man belongs: none of them makes or stops a move.
    """
    white, black = seen[1] | seen[2], seen[3] | seen[4]
    return (seen[0], white, white, black, black)


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


def occupied(seen: Masks) -> int:
    """Squares on which something is seen to stand."""
    return (seen[1] | seen[2] | seen[3] | seen[4]) & ~seen[0]


def unknown(seen: Masks) -> int:
    """Squares of which nothing is known."""
    return seen[0] & seen[1] & seen[2] & seen[3] & seen[4]


def tells_colour(seen: Masks) -> bool:
    """Whether a frame tells white pieces from black ones wherever it tells that something stands."""
    return not occupied(seen) & (seen[1] | seen[2]) & (seen[3] | seen[4])


def bits(squares: tuple[Square, ...]) -> int:
    """The mask of some squares."""
    return sum(1 << square for square in set(squares))


def either(one: Masks, other: Masks) -> Masks:
    """What one or the other allows."""
    return (one[0] | other[0], one[1] | other[1], one[2] | other[2], one[3] | other[3], one[4] | other[4])


def allow(masks: Masks, squares: int, content: Piece) -> Masks:
    """Masks with a content allowed on squares too."""
    changed = list(masks)
    changed[CONTENTS.index(content)] |= squares
    return (changed[0], changed[1], changed[2], changed[3], changed[4])


def clear(masks: Masks, squares: int) -> Masks:
    """Masks with squares that must be empty."""
    return (masks[0] | squares, masks[1] & ~squares, masks[2] & ~squares, masks[3] & ~squares, masks[4] & ~squares)


def put(masks: Masks, squares: int, piece: Piece, promotes: bool, also: bool = False) -> Masks:
    """Masks with a piece on squares, instead of or besides what they allow; kings may be unmarked."""
    if not also:
        masks = clear(masks, squares)
        masks = (masks[0] & ~squares, *masks[1:])
    king = CROWNED[piece]
    man = CONTENTS[CONTENTS.index(king) - 1]
    masks = allow(masks, squares, man)
    return allow(masks, squares, king) if promotes or piece is king else masks
