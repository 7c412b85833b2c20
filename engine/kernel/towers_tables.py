"""The game of towers as numbers: what the kernel's generator and its judgement of positions run on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine.draughts import MOST_JUMPS, MOST_JUMPS_CHANGING
from engine.geometry import Direction, Geometry
from engine.kernel.mailbox_tables import Mailbox, mailbox_of
from engine.kernel.tables import CAPTURES, CROWNINGS, LANDINGS, MIRRORED, Counter
from engine.ruleset import PRECEDENCES, Ruleset

TERMS: dict[str, int] = {
    "men on top": 1429,
    "kings on top": 4276,
    "own pieces beneath": 1076,
    "prisoners": 967,
    "prisoners right beneath a lone top": -1348,
    "rows that men have advanced": -131,
    "men two rows or less from crowning": 1598,
    "tops on the own back row": 519,
    "tops in the centre": -77,
    "kings on a longest diagonal": -800,
    "free squares next to men": 170,
    "free squares next to kings": -300,
    "to move": 607,
}
"""What is counted, the other side's off ours, and its weight: sixteenths of a hundredth of a man.

Fitted to 1,000 games of self-play at 400 positions a move (39,405 positions at rest), two of the weights of kings
lessened by hand; +122 =10 -68 against the weights that played those games, 400 positions a move, 200 games.
"""

_FIRST_KING_TERMS = {"rows that men have advanced": 400, "men two rows or less from crowning": 3000}


@dataclass(frozen=True, slots=True)
class TowersTables:
    """A rule set with prisoners. Sides are 0 (White) and 1 (Black); precedences are numbers in PRECEDENCES.

    `advanced[side][square]` are rows from the own back row; `last_rows`, `centre` and `longest` squares as 0 or 1.
    """

    mailbox: Mailbox
    last_rows: tuple[tuple[int, ...], tuple[int, ...]]
    advanced: tuple[tuple[int, ...], tuple[int, ...]]
    centre: tuple[int, ...]
    longest: tuple[int, ...]
    rows: int
    flying: bool
    landing: int
    capture: int
    precedence: tuple[int, ...]
    man_may_capture_king: bool
    crowning: int
    removed_now: bool
    turn_back: bool
    men_return: bool
    second_jump: bool
    keep_rank: bool
    first_king_wins: bool
    no_move_wins: bool
    most_jumps: int
    weights: tuple[int, ...]

    @property
    def counters(self) -> tuple[Counter, ...]:
        """The draw rules that count moves."""
        return self.mailbox.counters


@lru_cache(maxsize=64)
def towers_tables(ruleset: Ruleset) -> TowersTables:
    """The tables of a rule set with prisoners; ValueError for other games and for facts the kernel does not know."""
    if ruleset.prisoners == "none":
        raise ValueError(f"{ruleset.name}: prisoners = 'none': expected a game of towers")
    for key, is_known in (("capture", ruleset.capture != "huff"), ("king_move_limit", not ruleset.king_move_limit)):
        if not is_known:
            raise ValueError(
                f"{ruleset.name}: the kernel does not know {key} = {getattr(ruleset, key)!r} with prisoners; "
                "the readable search plays it"
            )
    geometry = ruleset.geometry
    rows = [geometry.row(square) for square in range(len(geometry))]
    last = ruleset.rows - 1
    unchanging = ruleset.removal == "end" and not ruleset.second_jump
    return TowersTables(
        mailbox=mailbox_of(ruleset, lambda direction: MIRRORED[direction]),
        last_rows=(tuple(int(row == 0) for row in rows), tuple(int(row == last) for row in rows)),
        advanced=(tuple(last - row for row in rows), tuple(rows)),
        centre=_centre(geometry),
        longest=_longest(geometry),
        rows=ruleset.rows,
        flying=ruleset.king_range == "flying",
        landing=LANDINGS[ruleset.king_landing],
        capture=CAPTURES[ruleset.capture],
        precedence=tuple(map(PRECEDENCES.index, ruleset.precedence)),
        man_may_capture_king=ruleset.man_may_capture_king,
        crowning=CROWNINGS[ruleset.crowning],
        removed_now=ruleset.removal == "now",
        turn_back=ruleset.turn_back,
        men_return=any(direction.opposite in ruleset.man_moves for direction in ruleset.man_moves),
        second_jump=ruleset.second_jump,
        keep_rank=ruleset.prisoners == "keep rank",
        first_king_wins=ruleset.goal == "first king",
        no_move_wins=ruleset.goal == "inverted",
        # The readable generator's own bound, so that both refuse the same positions.
        most_jumps=MOST_JUMPS if unchanging else MOST_JUMPS_CHANGING,
        weights=_weights(ruleset),
    )


def _weights(ruleset: Ruleset) -> tuple[int, ...]:
    terms = TERMS | _FIRST_KING_TERMS if ruleset.goal == "first king" else TERMS
    sign = -1 if ruleset.goal == "inverted" else 1
    return tuple(sign * weight if name != "to move" else weight for name, weight in terms.items())


def _centre(geometry: Geometry) -> tuple[int, ...]:
    """1 on the squares of the middle half of columns and rows."""

    def is_inner(place: int, size: int) -> bool:
        return size // 4 <= place < size - size // 4

    return tuple(int(is_inner(c, geometry.columns) and is_inner(r, geometry.rows)) for c, r in geometry.cells)


def _longest(geometry: Geometry) -> tuple[int, ...]:
    """1 on the squares of the longest diagonals."""
    lengths = [
        max(len(lines[direction]) + len(lines[direction.opposite]) for direction in list(Direction)[:2])
        for lines in geometry.lines
    ]
    return tuple(int(length == max(lengths)) for length in lengths)
