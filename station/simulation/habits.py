"""Habits: how a person handles pieces. Every percentage and time of the hands stands here.

All numbers are assumptions (boards research, section 9) until somebody films some hundred real moves. The model is
told in `docs/hands.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import TypeVar

_Choice = TypeVar("_Choice")


class Style(StrEnum):
    """How the moving piece and the captured ones travel."""

    CARRIED = "carried"
    SLID = "slid"
    HOPS = "hop by hop"
    STRAIGHT = "straight to the end"
    WHILE_HOPPING = "remove while hopping"
    CAPTURED_FIRST = "captured first"
    TWO_HANDS = "two hands"
    TAKEN_BACK = "taken back"


class Removal(StrEnum):
    """In which order captured pieces are taken off."""

    ASCENDING = "ascending"
    DESCENDING = "descending"
    RANDOM = "random"
    AT_ONCE = "all at once"


class Crowning(StrEnum):
    """What is done with a man that has become a king."""

    NOTHING = "nothing"
    STACK = "stack"
    REPLACE = "replace"
    TURN_OVER = "turn over"


class Slip(StrEnum):
    """What people do that belongs to no move."""

    HESITATION = "hesitation"
    BUMP = "bump"
    FORGOTTEN = "forgotten piece"
    WRONG_REMOVAL = "wrong removal"
    ADJUST = "adjust"
    LOOK = "look"


@dataclass(frozen=True, slots=True)
class Span:
    """A log-normal time between two bounds in milliseconds, which lie two deviations from its median."""

    low_ms: int
    high_ms: int

    def draw(self, chance: Random, pace: float = 1.0) -> int:
        """One time, stretched by `pace`, never outside the stretched bounds."""
        middle = math.log(self.low_ms * self.high_ms) / 2
        deviation = math.log(self.high_ms / self.low_ms) / 4
        drawn = chance.lognormvariate(middle, deviation)
        return round(min(max(drawn, self.low_ms), self.high_ms) * pace)


Weights = tuple[tuple[_Choice, float], ...]
"""Choices and how often each is made; the weights need not sum to one."""


def pick(weights: Sequence[tuple[_Choice, float]], chance: Random) -> _Choice:
    """One of the choices, as often as its weight says."""
    mark = chance.random() * sum(weight for _, weight in weights)
    for choice, weight in weights:
        mark -= weight
        if mark < 0:
            return choice
    return weights[-1][0]


@dataclass(frozen=True, slots=True)
class Habits:
    """One person at the board. Chances are per move that gives the opportunity; only times marked * follow `pace`."""

    pace: float = 1.0
    variety: float = 0.0
    """How much people of these habits differ: the deviation of the logarithm of their pace and of their weights."""

    captures: Weights[Style] = (
        (Style.HOPS, 0.42),
        (Style.STRAIGHT, 0.33),
        (Style.WHILE_HOPPING, 0.12),
        (Style.CAPTURED_FIRST, 0.07),
        (Style.TWO_HANDS, 0.06),
    )
    removals: Weights[Removal] = (
        (Removal.ASCENDING, 0.50),
        (Removal.DESCENDING, 0.20),
        (Removal.RANDOM, 0.15),
        (Removal.AT_ONCE, 0.15),
    )
    crownings: Weights[Crowning] = (
        (Crowning.NOTHING, 0.25),
        (Crowning.STACK, 0.30),
        (Crowning.REPLACE, 0.25),
        (Crowning.TURN_OVER, 0.20),
    )
    king_slides: float = 0.30  # of quiet king moves
    man_slides: float = 0.15  # of quiet moves of men
    leg_slides: float = 0.10  # of a king's hops, over the free squares before and behind the captured piece
    hops_after_removal: float = 0.50  # of "captured first": the piece then hops, else it goes straight
    holds_while_removing: float = 0.40  # of removals while hopping: the moving piece is in the hand meanwhile
    crowns_before_removal: float = 0.50

    hesitation: float = 0.06
    bump: float = 0.035
    bump_to_square: float = 0.30  # of bumps: the piece ends on a playing square, else between squares
    forgotten: float = 0.03  # of captures
    wrong_removal: float = 0.015  # of captures
    adjust: float = 0.03
    adjusts_first: float = 0.50  # of adjustments: before the move, else after it
    look: float = 0.03
    regret: float = 0.0  # another legal move is made first, and taken back
    goes_wrong: float = 0.0  # of replies shown by lamps: carried out wrongly, and put right
    sweep: float = 0.0  # of games: when it is over, everything is swept off the board
    wrong_piece: float = 0.40  # of replies gone wrong, else the right piece goes to a wrong square
    removes_anyway: float = 0.50  # of captures that end on a wrong square: the captured pieces go off all the same
    undo_hops: float = 0.25  # of takebacks: the piece goes back the way it came

    carry: Span = Span(250, 900)  # *
    hop: Span = Span(150, 450)  # *
    rest: Span = Span(80, 450)  # * on a landing square
    removal_gap: Span = Span(250, 600)  # *
    together: Span = Span(5, 60)  # between pieces taken off at once
    slide_step: Span = Span(30, 120)  # * each on and each off a square
    hesitation_time: Span = Span(300, 1500)
    push: Span = Span(20, 150)  # from the contact that bumps to the bumped piece leaving its square
    bump_time: Span = Span(300, 2000)  # until it stands again
    notice: Span = Span(2500, 6000)  # until a forgotten piece is seen
    wrong_time: Span = Span(300, 1500)  # a wrong piece in the hand
    adjust_time: Span = Span(120, 600)
    look_time: Span = Span(250, 1500)
    before_crowning: Span = Span(200, 1500)  # *
    stack_time: Span = Span(400, 1200)  # *
    replace_time: Span = Span(600, 2500)  # *
    turn_over_time: Span = Span(200, 600)  # *

    regret_time: Span = Span(1500, 5000)  # from the move that will be regretted to the first touch that undoes it
    second_thought: Span = Span(1500, 6000)  # from a move undone to the first touch of the other one

    thinking: Span = Span(1200, 6000)  # last contact of a move to the first touch of the next
    told: Span = Span(800, 3000)  # * lamps show that something is wrong, to the first touch that mends it


SET_UP_GAP = Span(200, 900)  # between pieces put on an empty board
SWEEP_GAP = Span(10, 150)  # between pieces swept off


def clean(habits: Habits) -> Habits:
    """The same person on a day without slips."""
    return replace(
        habits,
        hesitation=0.0,
        bump=0.0,
        forgotten=0.0,
        wrong_removal=0.0,
        adjust=0.0,
        look=0.0,
        regret=0.0,
        goes_wrong=0.0,
        sweep=0.0,
    )


def guided(habits: Habits) -> Habits:
    """The same person carrying out what lamps show: slower, sure of the square, told at once of a piece left behind."""
    return replace(
        habits,
        pace=habits.pace * 1.2,
        hesitation=habits.hesitation / 2,
        look=0.0,
        notice=Span(600, 1500),
    )


def someone(habits: Habits, chance: Random) -> Habits:
    """One of the people who have such habits: quicker or slower than most, with ways of their own."""
    if not habits.variety:
        return habits

    def differing(weights: Weights[_Choice]) -> Weights[_Choice]:
        return tuple((choice, weight * chance.lognormvariate(0.0, habits.variety)) for choice, weight in weights)

    pace = min(max(chance.lognormvariate(0.0, habits.variety / 2), 0.5), 2.0)
    return replace(
        habits,
        pace=habits.pace * pace,
        captures=differing(habits.captures),
        removals=differing(habits.removals),
        crownings=differing(habits.crownings),
    )


_CALM = Habits()

PRESETS: dict[str, Habits] = {
    "calm": _CALM,
    "real": replace(
        _CALM,
        variety=0.5,
        bump=0.04,
        forgotten=0.04,
        regret=0.01,
        goes_wrong=0.01,
        sweep=0.25,
    ),
    "senior": replace(
        _CALM,
        pace=2.0,
        hesitation=0.09,
        bump=0.04,
        forgotten=0.04,
        adjust=0.04,
        thinking=Span(2000, 12000),
    ),
    "blitz": replace(
        _CALM,
        pace=0.45,
        hesitation=0.03,
        hesitation_time=Span(300, 900),
        bump=0.04,
        look=0.01,
        adjust=0.02,
        thinking=Span(70, 700),
    ),
    "child": replace(
        _CALM,
        pace=1.6,
        variety=0.7,
        captures=(
            (Style.HOPS, 0.40),
            (Style.STRAIGHT, 0.20),
            (Style.WHILE_HOPPING, 0.15),
            (Style.CAPTURED_FIRST, 0.10),
            (Style.TWO_HANDS, 0.15),
        ),
        crownings=(
            (Crowning.NOTHING, 0.50),
            (Crowning.STACK, 0.30),
            (Crowning.REPLACE, 0.10),
            (Crowning.TURN_OVER, 0.10),
        ),
        king_slides=0.5,
        man_slides=0.4,
        hesitation=0.12,
        hesitation_time=Span(300, 4000),
        bump=0.08,
        bump_time=Span(500, 4000),
        forgotten=0.08,
        wrong_removal=0.04,
        adjust=0.06,
        look=0.08,
        regret=0.03,
        goes_wrong=0.05,
        sweep=0.5,
        thinking=Span(800, 8000),
    ),
    "clean": clean(_CALM),
}
"""`calm`: two people who are alike; `real`: any two people, who also think better of a move; `senior` and `child`: the
slow and the restless; `blitz`: touches 70 to 700 ms after the last contact of the opponent; `clean`: calm, no slips."""
