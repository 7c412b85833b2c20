"""What the rules' texts say about each game, and what the board looks like: the oracle's own transcription.

A cell is (file, rank), both from 0, rank 0 nearest to White. A step is (files, ranks) towards a neighbour.
Pieces are letters: w and b men, W and B kings. Directions are White's; Black's are the same turned round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

Cell = tuple[int, int]
Step = tuple[int, int]

AHEAD: frozenset[Step] = frozenset({(-1, 1), (1, 1)})
BACK: frozenset[Step] = frozenset({(-1, -1), (1, -1)})
DIAGONAL = AHEAD | BACK
STRAIGHT_AHEAD: frozenset[Step] = frozenset({(0, 1)})
STRAIGHT_BACK: frozenset[Step] = frozenset({(0, -1)})
SIDEWAYS: frozenset[Step] = frozenset({(-1, 0), (1, 0)})
ORTHOGONAL = STRAIGHT_AHEAD | STRAIGHT_BACK | SIDEWAYS
EIGHT = DIAGONAL | ORTHOGONAL


@dataclass(frozen=True)
class Facts:
    """The facts of one game that decide which moves are legal."""

    files: int = 8
    ranks: int = 8
    playing: Literal["a1", "h1", "all"] = "a1"
    man_steps: frozenset[Step] = AHEAD
    man_jumps: frozenset[Step] = DIAGONAL
    king_steps: frozenset[Step] = DIAGONAL
    king_jumps: frozenset[Step] = DIAGONAL
    king_flies: bool = True
    king_lands: Literal["anywhere", "right behind", "right behind after a last king"] = "anywhere"
    choice: tuple[str, ...] = ()
    crowned: Literal["at the end", "in passing", "and stops"] = "at the end"
    taken_off_at_once: bool = False
    may_turn_back: bool = True
    man_takes_king: bool = True
    must_capture: bool = True
    huffing: bool = False
    prisoners: Literal["", "become men", "keep their rank"] = ""
    second_jump: bool = False
    quiet_moves_of_one_king: int = 0


@cache
def cells(facts: Facts) -> tuple[Cell, ...]:
    """The cells that are played on."""
    everything = [(file, rank) for rank in range(facts.ranks) for file in range(facts.files)]
    parity = {"a1": (0,), "h1": (1,), "all": (0, 1)}[facts.playing]
    return tuple(cell for cell in everything if sum(cell) % 2 in parity)


@cache
def sights(facts: Facts) -> dict[Cell, tuple[tuple[Cell, Step, tuple[Cell, ...]], ...]]:
    """From each cell every other on a common line: it, the step towards it, the cells played on that lie between."""
    played = cells(facts)
    return {
        here: tuple(
            (there, step, between)
            for there in played
            if there != here and (step := _step(here, there)) is not None
            for between in [_between(here, there, step, frozenset(played))]
        )
        for here in played
    }


def _step(here: Cell, there: Cell) -> Step | None:
    files, ranks = there[0] - here[0], there[1] - here[1]
    if files and ranks and abs(files) != abs(ranks):
        return None
    return ((files > 0) - (files < 0), (ranks > 0) - (ranks < 0))


def _between(here: Cell, there: Cell, step: Step, played: frozenset[Cell]) -> tuple[Cell, ...]:
    distance = max(abs(there[0] - here[0]), abs(there[1] - here[1]))
    on_line = ((here[0] + step[0] * n, here[1] + step[1] * n) for n in range(1, distance))
    return tuple(cell for cell in on_line if cell in played)


RUSSIAN = Facts(crowned="in passing")
POOL = Facts()
BRAZILIAN = Facts(choice=("most",))
INTERNATIONAL = replace(BRAZILIAN, files=10, ranks=10)
CANADIAN = replace(BRAZILIAN, files=12, ranks=12)
ENGLISH = Facts(man_jumps=AHEAD, king_flies=False, crowned="and stops")
ITALIAN = Facts(
    playing="h1",
    man_jumps=AHEAD,
    king_flies=False,
    crowned="and stops",
    man_takes_king=False,
    choice=("most", "by a king", "most kings", "kings early"),
)
SPANISH = Facts(playing="h1", man_jumps=AHEAD, crowned="and stops", choice=("most", "most kings"))
TURKISH = Facts(
    playing="all",
    man_steps=STRAIGHT_AHEAD | SIDEWAYS,
    man_jumps=STRAIGHT_AHEAD | SIDEWAYS,
    king_steps=ORTHOGONAL,
    king_jumps=ORTHOGONAL,
    choice=("most",),
    taken_off_at_once=True,
    may_turn_back=False,
)
ARMENIAN = replace(TURKISH, man_steps=STRAIGHT_AHEAD | SIDEWAYS | AHEAD, king_steps=EIGHT, crowned="in passing")
FRISIAN = Facts(
    files=10,
    ranks=10,
    man_jumps=EIGHT,
    king_jumps=EIGHT,
    choice=("value", "by a king"),
    quiet_moves_of_one_king=3,
)
TOWERS = replace(RUSSIAN, prisoners="become men")

FACTS: dict[str, Facts] = {
    "russian": RUSSIAN,
    "diagonal": RUSSIAN,
    "giveaway-russian": RUSSIAN,
    "spantsireti": replace(RUSSIAN, files=10),
    "russian-optional": replace(RUSSIAN, must_capture=False),
    "russian-huff": replace(RUSSIAN, must_capture=False, huffing=True),
    "russian-majority": replace(RUSSIAN, choice=("most",)),
    "towers": TOWERS,
    "towers-emptied-free": replace(TOWERS, taken_off_at_once=True),
    "towers-keep-rank": replace(TOWERS, prisoners="keep their rank"),
    "towers-second-jump": replace(TOWERS, second_jump=True),
    "brazilian": BRAZILIAN,
    "brazilian-stop": replace(BRAZILIAN, crowned="and stops"),
    "filipino": replace(BRAZILIAN, playing="h1"),
    "international": INTERNATIONAL,
    "international-80": replace(INTERNATIONAL, ranks=8),
    "breakthrough": INTERNATIONAL,
    "antidraughts": INTERNATIONAL,
    "killer": replace(INTERNATIONAL, king_lands="right behind after a last king"),
    "canadian": CANADIAN,
    "srilankan": replace(CANADIAN, playing="h1"),
    "pool": POOL,
    "pool-forward": replace(POOL, man_jumps=AHEAD),
    "jamaican": replace(POOL, playing="h1"),
    "english": ENGLISH,
    "giveaway-english": ENGLISH,
    "italian": ITALIAN,
    "italian-s003": replace(ITALIAN, choice=("most",)),
    "spanish": SPANISH,
    "portuguese": SPANISH,
    "argentinian": replace(SPANISH, king_lands="right behind"),
    "czech": Facts(man_jumps=AHEAD, crowned="and stops", choice=("by a king",)),
    "tanzanian": Facts(crowned="and stops"),
    "thai": Facts(man_jumps=AHEAD, crowned="and stops", king_lands="right behind", taken_off_at_once=True),
    "turkish": TURKISH,
    "turkish-passing": replace(TURKISH, crowned="in passing"),
    "turkish-stop": replace(TURKISH, crowned="and stops"),
    "armenian": ARMENIAN,
    "armenian-crowning-end": replace(ARMENIAN, crowned="at the end"),
    "armenian-removal-end": replace(ARMENIAN, taken_off_at_once=False),
    "gothic": Facts(
        playing="all",
        man_steps=AHEAD,
        man_jumps=STRAIGHT_AHEAD | SIDEWAYS | AHEAD,
        king_steps=EIGHT,
        king_jumps=EIGHT,
        king_flies=False,
        choice=("most",),
        crowned="and stops",
    ),
    "frisian": FRISIAN,
    "frysk": FRISIAN,
}
"""Facts by the name of the rule set, from the table and the sections of `rules/variants.md`."""
