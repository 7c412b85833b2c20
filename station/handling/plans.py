"""A plan: steps for an arm, each with what the board shows before and after it; what the planner knows of the arm."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from engine.geometry import Geometry, Square
from engine.position import EMPTY, Piece, Position, is_king
from firmware_bridge.manipulations import Act, Lift, Slide
from station.handling.routes import distance
from station.tracking.masks import Masks, differing, masks_of_position

Contents = tuple[Piece, ...]
"""The top piece of every square in official order; or, of the tray, of every slot."""

PASSED = 0.8
"""So near, in pitches, a piece drawn past a free square may be seen there."""
EMPTY_TRAY, BY_HAND = "empty_tray", "by_hand"


@dataclass(frozen=True, slots=True)
class Tool:
    """What an arm can do, as far as a plan depends on it."""

    slides: bool = False
    """Draws pieces over the board with a magnet under it, and lifts none."""
    flips: bool = False
    carries: int = 1
    """How many pieces one above another it lifts at once."""
    highest: int = 3
    """How many pieces one above another it works on."""
    crown: str = "swap"
    """What makes a king: `swap` (one from the tray), `stack` (a second man on top), `flip`, or `ask` a person."""
    diameter: float = 0.75
    """Of a piece, in pitches."""

    def height(self, position: Position, square: Square) -> int:
        """How many pieces stand on a square: kings are two men where they are made so."""
        piece = position.contents[square]
        if piece is EMPTY:
            return 0
        if position.towers is not None:
            return 1 + len(position.towers.beneath[square])
        return 2 if self.crown == "stack" and is_king(piece) else 1


@dataclass(frozen=True, slots=True)
class Ask:
    """A person is needed: to empty the tray, or to make the rest of the move by hand."""

    reason: str
    """`empty_tray` (the plan goes on when it is done) or `by_hand` (the plan ends here)."""
    why: str = ""
    """What the arm cannot do: `stack`, `route`, `tray`, `piece`, `tower`."""
    squares: tuple[Square, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done, what the board shows before and after it, and what lies in the tray then."""

    what: Act | Ask
    before: Contents
    after: Contents
    tray: Contents

    @property
    def holds(self) -> bool:
        """Whether a piece is in the tool when the step is done."""
        return isinstance(self.what, Lift)


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in order; `crowned` is whether a king that the move makes is crowned when they are done."""

    steps: tuple[Step, ...]
    start: Contents
    crowned: bool = True

    @property
    def end(self) -> Contents:
        """What the board shows when the plan is carried out as far as it goes."""
        return self.steps[-1].after if self.steps else self.start

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the move is left to a person."""
        return not any(isinstance(step.what, Ask) and step.what.reason == BY_HAND for step in self.steps)


def changed(step: Step, geometry: Geometry) -> int:
    """The squares, as bits, that may show anything while a step is carried out: those it changes or passes over."""
    own = {square for square, (one, other) in enumerate(zip(step.before, step.after, strict=True)) if one != other}
    if isinstance(step.what, Slide):
        free = (square for square, piece in enumerate(step.before) if piece is EMPTY)
        ways = tuple(pairwise(step.what.way))
        own |= {s for s in free if any(distance(geometry.cells[s], *line) < PASSED for line in ways)}
    return sum(1 << square for square in own)


def differs(contents: Contents, seen: Masks) -> int:
    """The squares, as bits, on which a board does not show these contents."""
    return differing(masks_of_position(contents), seen)


def shown(contents: Contents, seen: Masks) -> bool:
    """Whether a board shows these contents, as far as its sensors tell."""
    return not differs(contents, seen)


def entry(plan: Plan, seen: Masks, *, by_person: bool = False) -> int | None:
    """With which step to go on from what a board shows and an empty tool; None when with none.

    The latest one: what is done is not done again. `len(plan.steps)` when all of it is done. A person knows what is in
    the hand.
    """
    if plan.steps and shown(plan.end, seen) and plan.is_whole:
        return len(plan.steps)
    for number in range(len(plan.steps) - 1, -1, -1):
        held = not by_person and number > 0 and plan.steps[number - 1].holds
        if not held and shown(plan.steps[number].before, seen):
            return number
    return None
