"""What a board shows, held against the start position or an empty board: which squares cannot be right, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.geometry import Geometry, Square
from engine.position import EMPTY, Piece
from engine.ruleset import Ruleset
from engine.view import BoardView
from station import announcements as say
from station.texts import Texts

FLAPS = 4
"""A square that changed so often while nobody touched it has a weak magnet or a bad contact."""
TOO_DIFFERENT = 0.4
"""The share of squares from which on a board shows something else than the position it is held against."""
SPOILT = 0.02
"""The share of messages from which on a cable is bad: at 115200 baud a good one loses none."""
LEAST_LINE = 2
"""So many squares at least make a whole row or column."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    part: str
    """`configuration`, `board`, `arm`, `port`, `broker`."""
    name: str
    fault: str | None
    """A word for programs; None when all is well."""
    sentence: str
    squares: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Odd:
    """Squares that cannot be right, and what they have in common."""

    fault: str
    """`dead_square`, `stuck_square`, `dead_row`, `stuck_row`, `dead_column`, `stuck_column`."""
    squares: tuple[Square, ...]
    line: int = 0
    """Which row (from White) or column (from White's left), from 1."""


def check_board(
    name: str, ruleset: Ruleset, home: Sequence[Piece], views: Sequence[BoardView], texts: Texts
) -> tuple[Finding, ...]:
    """What the squares tell, from views in the order in which they came; nobody touched the board meanwhile."""
    view = views[-1]
    seen = [view.possible(square) for square in range(len(home))]
    weak = tuple(sorted({*view.weak, *_flapping(views)}))
    reference = nearest(seen, home)
    findings = []
    if reference is None:
        count = sum(EMPTY not in possible for possible in seen)
        findings.append(Finding("board", name, None, texts.say("doctor.other", name=name, count=str(count))))
    else:
        odd = oddities(seen, reference, ruleset.geometry, without=weak)
        findings += [_told(name, item, ruleset, texts) for item in odd]
        if not odd:
            key = "empty" if all(piece is EMPTY for piece in reference) else "start"
            findings.append(Finding("board", name, None, texts.say(f"doctor.{key}", name=name)))
    if weak:
        squares = say.names(weak, ruleset)
        sentence = texts.say("doctor.weak_magnet", name=name, squares=", ".join(squares))
        findings.append(Finding("board", name, "weak_magnet", sentence, squares))
    return tuple(findings)


def nearest(seen: Sequence[Piece], home: Sequence[Piece]) -> tuple[Piece, ...] | None:
    """The start position or the empty board, whichever the squares show but for a few; None for something else."""
    known = (tuple(home), (EMPTY,) * len(home))
    different = [sum(_is_wrong(*pair) for pair in zip(seen, position, strict=True)) for position in known]
    least = min(different)
    return None if least > TOO_DIFFERENT * len(home) else known[different.index(least)]


def oddities(
    seen: Sequence[Piece], expected: Sequence[Piece], geometry: Geometry, without: Iterable[Square] = ()
) -> tuple[Odd, ...]:
    """The squares that do not show what is expected: whole rows and columns first, then what is left."""
    found: list[Odd] = []
    left_out = set(without)
    for kind, squares in (
        ("dead", [s for s, piece in enumerate(expected) if piece is not EMPTY]),
        ("stuck", [s for s, piece in enumerate(expected) if piece is EMPTY]),
    ):
        wrong = {square for square in squares if _is_wrong(seen[square], expected[square])} - left_out
        for axis, word in ((1, "row"), (0, "column")):
            for place in range(max(geometry.columns, geometry.rows)):
                line = tuple(square for square in squares if geometry.cells[square][axis] == place)
                if len(line) >= LEAST_LINE and wrong.issuperset(line):
                    number = geometry.rows - place if word == "row" else place + 1
                    found.append(Odd(f"{kind}_{word}", line, number))
                    wrong.difference_update(line)
        if wrong:
            found.append(Odd(f"{kind}_square", tuple(sorted(wrong))))
    return tuple(found)


def _is_wrong(seen: Piece, expected: Piece) -> bool:
    """Whether a square shows a piece where none is expected, or none where one is; its colour is another matter."""
    return EMPTY not in seen if expected is EMPTY else seen is EMPTY


def _flapping(views: Sequence[BoardView]) -> tuple[Square, ...]:
    squares = range(len(views[0].seen)) if views else ()
    return tuple(
        square
        for square in squares
        if sum(one.seen[square] != other.seen[square] for one, other in pairwise(views)) >= FLAPS
    )


def _told(name: str, odd: Odd, ruleset: Ruleset, texts: Texts) -> Finding:
    squares = say.names(odd.squares, ruleset)
    line = str(odd.line)
    sentence = texts.say(f"doctor.{odd.fault}", name=name, squares=", ".join(squares), row=line, column=line)
    return Finding("board", name, odd.fault, sentence, squares)
