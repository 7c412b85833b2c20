"""The question which of several stories was played: its words, its lamps, the one a button points at."""

from __future__ import annotations

from collections.abc import Sequence

from engine.geometry import Square
from engine.notation import full_move_text
from engine.position import Move
from engine.ruleset import Ruleset
from firmware_bridge.driver import Cues, Role
from station.tracker import Story

OF_EACH = 2
"""So many squares are lit for the story that is pointed at, and for all others."""


def story_text(story: Story, ruleset: Ruleset) -> str:
    """The moves of a story, one after the other."""
    return " ".join(full_move_text(move, ruleset) for move in story.moves)


def lit(stories: Sequence[Story], pointed: int) -> Cues:
    """Squares of the first move in which the stories differ: of the one pointed at, and of the others alone."""
    place = _first_difference(stories)
    touched = [_touched(story.moves[place]) for story in stories]
    own = touched[pointed]
    others = [square for number, squares in enumerate(touched) if number != pointed for square in squares]
    told_apart = [square for square in own if square not in others] or list(own)
    elsewhere = [square for square in dict.fromkeys(others) if square not in own]
    return (
        *((square, Role.PLACE) for square in told_apart[:OF_EACH]),
        *((square, Role.HINT) for square in elsewhere[:OF_EACH]),
    )


def _first_difference(stories: Sequence[Story]) -> int:
    lines = [tuple(move.effect for move in story.moves) for story in stories]
    shortest = min(map(len, lines))
    return next((place for place in range(shortest) if len({line[place] for line in lines}) > 1), shortest - 1)


def _touched(move: Move) -> tuple[Square, ...]:
    """The squares of a move, those first that tell most of it."""
    return tuple(dict.fromkeys((move.to_square, *move.captured, move.from_square, *move.path)))
