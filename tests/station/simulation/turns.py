"""Turns for the hands to play: random games, positions full of kings, circular captures, and removal at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from engine.geometry import Geometry
from engine.position import (
    BLACK_KING,
    BLACK_MAN,
    EMPTY,
    WHITE_KING,
    WHITE_MAN,
    Move,
    Piece,
    Position,
    Side,
    position_of,
    side_of,
)
from engine.rules import Rules, rules_for
from engine.ruleset import load_ruleset, read_ruleset
from station.simulation.hands import Habits, Performance, Touch, play_move

VARIANTS = ("brazilian", "english", "international", "russian")

REMOVAL_AT_ONCE = """
title = "Straight draughts with removal at once"
source = "house rule of this test"
corner = "all"
men_rows = 2
skipped_rows = 1
man_moves = ["forward", "sideways"]
man_captures = ["forward", "sideways"]
king_moves = ["forward", "backward", "sideways"]
king_captures = ["forward", "backward", "sideways"]
precedence = ["most pieces"]
removal = "now"
turn_back = false
"""


@dataclass(frozen=True)
class Turn:
    position: Position
    move: Move
    ways: tuple[Move, ...]
    legal: tuple[Move, ...]
    geometry: Geometry

    @property
    def is_circular(self) -> bool:
        return self.move.from_square == self.move.to_square

    def play(self, habits: Habits, seed: int, start_ms: int = 0, world: Sequence[Piece] | None = None) -> Performance:
        return play_move(
            self.position, self.move, self.ways, self.legal, self.geometry, habits, Random(seed), start_ms, world
        )


@cache
def rules_of(name: str) -> Rules:
    if name == "removal at once":
        return rules_for(read_ruleset(REMOVAL_AT_ONCE, name))
    return rules_for(load_ruleset(name))


def turn_of(rules: Rules, position: Position, move: Move) -> Turn:
    ways = rules.ways(position)[move.effect]
    return Turn(position, move, ways, rules.legal_moves(position), rules.ruleset.geometry)


def random_moves(rules: Rules, chance: Random, plies: int) -> list[Move]:
    position, moves = rules.start(), []
    while len(moves) < plies and (legal := rules.legal_moves(position)):
        moves.append(chance.choice(legal))
        position = position.after(moves[-1])
    return moves


def game_turns(rules: Rules, chance: Random, plies: int = 80) -> Iterator[Turn]:
    position = rules.start()
    for move in random_moves(rules, chance, plies):
        yield turn_of(rules, position, move)
        position = position.after(move)


def kings_position(rules: Rules, chance: Random) -> Position:
    size = len(rules.ruleset.geometry)
    pieces = chance.choices((WHITE_KING, BLACK_MAN, BLACK_KING, WHITE_MAN), (3, 6, 2, 1), k=chance.randint(4, 14))
    squares = chance.sample(range(size), len(pieces))
    contents = [EMPTY] * size
    for square, piece in zip(squares, pieces, strict=True):
        contents[square] = piece
    return Position(tuple(contents), Side.WHITE)


def kings_turns(rules: Rules, chance: Random, count: int) -> Iterator[Turn]:
    """The largest capture of each position, or its circular one, else any move."""
    while count:
        position = kings_position(rules, chance)
        legal = rules.legal_moves(position)
        if not legal:
            continue
        count -= 1
        move = max(legal, key=lambda move: (move.from_square == move.to_square, len(move.captured), chance.random()))
        yield turn_of(rules, position, move)


def circular_turn() -> Turn:
    """A Russian king that takes four men and ends where it began."""
    rules = rules_of("russian")
    geometry = rules.ruleset.geometry
    at = geometry.squares_by_cell
    men = [at[cell] for cell in ((3, 6), (5, 6), (5, 4), (3, 4))]
    position = position_of(len(geometry), Side.WHITE, white_kings=[at[4, 7]], black_men=men)
    move = next(move for move in rules.legal_moves(position) if move.from_square == move.to_square)
    return turn_of(rules, position, move)


@cache
def pool() -> tuple[Turn, ...]:
    """Some thousands of turns of all rules, big and circular captures among them."""
    chance = Random(7)
    turns = [circular_turn()]
    for name in (*VARIANTS, "removal at once"):
        rules = rules_of(name)
        for _ in range(6):
            turns.extend(game_turns(rules, chance))
        turns.extend(kings_turns(rules, chance, 300))
    return tuple(turns)


def sides(contents: Sequence[Piece]) -> list[Side | None]:
    return [side_of(piece) for piece in contents]


def stands_after(world: Sequence[Piece], touches: Sequence[Touch]) -> list[Piece]:
    """The board after the touches; fails at the first that cannot be. Written apart from the hands' own check."""
    board, now_ms = list(world), -(10**9)
    for touch in touches:
        assert touch.at_ms >= now_ms
        now_ms = touch.at_ms
        assert touch.piece is not EMPTY
        if touch.kind == "take":
            assert board[touch.square] is touch.piece
            board[touch.square] = EMPTY
        elif touch.kind == "change":
            assert board[touch.square] is not EMPTY
            board[touch.square] = touch.piece
        else:
            assert board[touch.square] is EMPTY
            board[touch.square] = touch.piece
    return board
