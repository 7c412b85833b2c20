"""Turns: what people do between two moves of the record, second thoughts and replies gone wrong included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random

from engine.position import Move, Piece, Position
from engine.rules import Rules
from station.simulation.habits import Habits
from station.simulation.hands import follow, play_move
from station.simulation.mending import take_back, wrong_reply
from station.simulation.touches import Performance, Touch, World, world_after


class Aim(Enum):
    """What an act is for."""

    MOVE = "move"
    """The move that counts; made with slips or without."""
    REGRETTED = "regretted"
    """Another legal move, which its player will take back."""
    UNDONE = "undone"
    """The regretted move is taken back."""


@dataclass(frozen=True, slots=True)
class Act:
    """Touches with one aim, in order of time, and the board they leave."""

    aim: Aim
    move: Move
    touches: tuple[Touch, ...]
    last_contact_ms: int
    world: World
    troubled: bool
    """Whether something was done that belongs to no move: then a station may well say something."""


def turn_acts(  # noqa: PLR0913, PLR0917 - a turn (position, move, rules, board), who plays it when, and whether lamps show it
    position: Position,
    move: Move,
    rules: Rules,
    world: Sequence[Piece],
    habits: Habits,
    chance: Random,
    start_ms: int,
    is_reply: bool = False,
) -> tuple[Act, ...]:
    """One turn as a person takes it, the first touch at `start_ms`: usually one act, the move."""
    legal = rules.legal_moves(position)
    geometry = rules.ruleset.geometry
    if is_reply and _happens(habits.goes_wrong, chance):
        wrong, right = wrong_reply(position, move, legal, geometry, habits, chance, start_ms, world)
        touches = wrong + right
        return (Act(Aim.MOVE, move, touches, touches[-1].at_ms, world_after(world, touches), troubled=True),)
    regretted = _another(position, move, rules, chance) if not is_reply and _happens(habits.regret, chance) else None
    if regretted is None:
        carry_out = follow if is_reply else play_move
        ways = rules.ways(position)[move.effect]
        performed = carry_out(position, move, ways, legal, geometry, habits, chance, start_ms, world)
        return (_act(Aim.MOVE, move, performed),)
    ways = rules.ways(position)[regretted.effect]
    first = play_move(position, regretted, ways, legal, geometry, habits, chance, start_ms, world)
    undoing_ms = first.last_contact_ms + habits.regret_time.draw(chance)
    undone = take_back(position, regretted, habits, chance, undoing_ms, first.world)
    again_ms = undone.last_contact_ms + habits.second_thought.draw(chance)
    ways = rules.ways(position)[move.effect]
    then = play_move(position, move, ways, legal, geometry, habits, chance, again_ms, undone.world)
    return (
        _act(Aim.REGRETTED, regretted, first),
        _act(Aim.UNDONE, regretted, undone, troubled=True),
        _act(Aim.MOVE, move, then),
    )


def _act(aim: Aim, move: Move, performed: Performance, troubled: bool = False) -> Act:
    troubled = troubled or bool(performed.slips)
    return Act(aim, move, performed.touches, performed.last_contact_ms, performed.world, troubled)


def _happens(probability: float, chance: Random) -> bool:
    return probability > 0.0 and chance.random() < probability


def _another(position: Position, move: Move, rules: Rules, chance: Random) -> Move | None:
    """A legal move with another effect that does not end the game; None where there is none, or with towers."""
    if position.towers is not None:
        return None
    others = [other for other in rules.legal_moves(position) if other.effect != move.effect]
    chance.shuffle(others)
    return next((other for other in others if rules.legal_moves(position.after(other))), None)
