"""BoardView: what a sensor knows of a position, as evidence per square."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from engine.geometry import Cell, Square
from engine.position import BLACK_KING, BLACK_MAN, CONTENTS, EMPTY, WHITE_KING, WHITE_MAN, Piece

Evidence = tuple[float, float, float, float, float]
"""Log-likelihood (nats, 0 at best) of EMPTY, WHITE_MAN, WHITE_KING, BLACK_MAN, BLACK_KING on one square."""

FLOOR = -20.0
"""The least log-likelihood a sensor may give: what it rules out."""

ANYTHING = EMPTY | WHITE_MAN | WHITE_KING | BLACK_MAN | BLACK_KING
OCCUPIED = WHITE_MAN | WHITE_KING | BLACK_MAN | BLACK_KING
WHITE = WHITE_MAN | WHITE_KING
BLACK = BLACK_MAN | BLACK_KING


@cache
def evidence_for(possible: Piece) -> Evidence:
    """Evidence of a hard sensor that rules out all but `possible`; all equal means unknown."""
    empty, white_man, white_king, black_man, black_king = (0.0 if content & possible else FLOOR for content in CONTENTS)
    return (empty, white_man, white_king, black_man, black_king)


@lru_cache(maxsize=1 << 14)  # a camera's evidence is hardly ever the same twice
def possible_by(evidence: Evidence) -> Piece:
    """The set of contents that evidence does not rule out."""
    possible = Piece(0)
    for content, log_likelihood in zip(CONTENTS, evidence, strict=True):
        if log_likelihood > FLOOR:
            possible |= content
    return possible


@dataclass(frozen=True, slots=True)
class BoardView:
    """Evidence for every square in official order, and cells out of play on which something stands."""

    seen: tuple[Evidence, ...]
    stray: tuple[Cell, ...] = ()
    firm: bool = True
    """Whether the sensor stands by the whole of this view. One that is not firm (single squares reported
    in the middle of a slow scan) shows the way a piece went; nothing is decided on it."""
    weak: tuple[Square, ...] = ()
    """Squares whose sensor flickers; the view holds on to what stood there."""

    def possible(self, square: Square) -> Piece:
        """The set of contents not ruled out on a square."""
        return possible_by(self.seen[square])

    @property
    def is_hard(self) -> bool:
        """Whether every square is either ruled out or allowed, nothing in between."""
        return all(value in (0.0, FLOOR) for evidence in set(self.seen) for value in evidence)


def view_of(
    possible: Iterable[Piece], stray: Iterable[Cell] = (), firm: bool = True, weak: Iterable[Square] = ()
) -> BoardView:
    """The view of a hard sensor: for each square the set of contents it does not rule out."""
    return BoardView(tuple(evidence_for(contents) for contents in possible), tuple(stray), firm, tuple(weak))
