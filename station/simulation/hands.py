"""Hands: people who play moves on a wooden board, with habits and slips. Chance comes in as a seeded `Random`.

Every function here gives touches in order of time; carried out on the physical board they start from, they leave
what the game has after the move, kings that nobody crowned excepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from engine.geometry import Geometry
from engine.position import Move, Piece, Position
from engine.rules import Rules
from station.simulation import motions, slips
from station.simulation.errors import ImpossibleTouchError
from station.simulation.habits import PRESETS, Crowning, Habits, Removal, Slip, Style, guided
from station.simulation.intent import Intent, intent_of
from station.simulation.mending import take_back, wrong_reply
from station.simulation.pair import Pair, pair_at
from station.simulation.setting import set_up, sweep
from station.simulation.touches import GamePerformance, Performance, Touch, World, shifted, world_after

__all__ = [
    "PRESETS",
    "Crowning",
    "GamePerformance",
    "Habits",
    "ImpossibleTouchError",
    "Performance",
    "Removal",
    "Slip",
    "Style",
    "Touch",
    "World",
    "follow",
    "performances",
    "play_game",
    "play_move",
    "set_up",
    "shifted",
    "sweep",
    "take_back",
    "world_after",
    "wrong_reply",
]


def play_move(  # noqa: PLR0913, PLR0917 - a turn (position, move, ways, legal, geometry) and who plays it when
    position: Position,
    move: Move,
    ways: Sequence[Move],
    legal: Sequence[Move],
    geometry: Geometry,
    habits: Habits,
    chance: Random,
    start_ms: int,
    world: Sequence[Piece] | None = None,
) -> Performance:
    """A move as a person makes it, by one of its `ways`; the first touch is at `start_ms`.

    `world` is the physical board, by default the position's contents; ImpossibleTouchError when it differs from them
    in more than rank.
    """
    way = chance.choice(ways) if ways else move
    pair = pair_at(world or position.contents, position, habits, chance, start_ms)
    intent = intent_of(position, way, legal, geometry, habits, chance)
    adjusts, adjusts_first = pair.happens(habits.adjust), pair.happens(habits.adjusts_first)
    if pair.happens(habits.look):
        slips.look(pair, intent)
    if adjusts and adjusts_first:
        slips.adjust(pair)
    motions.huff(pair, intent)
    crowning = _carry_out(pair, intent)
    if adjusts and not adjusts_first:
        slips.adjust(pair)
    motions.notice_forgotten(pair, intent)
    return pair.performance(intent.style, intent.order, crowning)


def follow(  # noqa: PLR0913, PLR0917 - as play_move
    position: Position,
    move: Move,
    ways: Sequence[Move],
    legal: Sequence[Move],
    geometry: Geometry,
    habits: Habits,
    chance: Random,
    start_ms: int,
    world: Sequence[Piece] | None = None,
) -> Performance:
    """A move that lamps show, as the same person carries it out: calmer, and told at once of a forgotten piece."""
    return play_move(position, move, ways, legal, geometry, guided(habits), chance, start_ms, world)


def performances(
    start: Position,
    moves: Iterable[Move],
    rules: Rules,
    habits: Habits,
    chance: Random,
    start_ms: int = 0,
    world: Sequence[Piece] | None = None,
) -> Iterator[Performance]:
    """A game move by move; each begins a thinking time after the last contact of the one before."""
    position, at_ms = rules.opened(start), start_ms
    geometry = rules.ruleset.geometry
    stands = tuple(world or start.contents)
    for move in moves:
        legal = rules.legal_moves(position)
        ways = rules.ways(position)[move.effect]
        performance = play_move(position, move, ways, legal, geometry, habits, chance, at_ms, stands)
        yield performance
        position, stands = position.after(move), performance.world
        at_ms = performance.last_contact_ms + habits.thinking.draw(chance)


def play_game(
    start: Position, moves: Sequence[Move], rules: Rules, habits: Habits, chance: Random, start_ms: int = 0
) -> GamePerformance:
    """A whole game as `performances` gives it."""
    return GamePerformance(tuple(performances(start, moves, rules, habits, chance, start_ms)))


def _carry_out(pair: Pair, intent: Intent) -> Crowning | None:
    """Everything but the slips around the move; how the man was crowned, if one was."""
    if intent.style is Style.CAPTURED_FIRST:
        motions.remove_captured(pair, intent)
        pair.pause(pair.habits.removal_gap)
    motions.travel(pair, intent)
    crowns_first = intent.way.promotes and pair.happens(pair.habits.crowns_before_removal)
    crowning = motions.crown(pair, intent.way.to_square) if crowns_first else None
    motions.remove_captured(pair, intent)
    if intent.way.promotes and not crowns_first:
        crowning = motions.crown(pair, intent.way.to_square)
    motions.put_prisoners_under(pair, intent)
    return crowning
