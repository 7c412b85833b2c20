"""Random positions for the kernel's tests: met in random games, and scattered over the board, with many kings too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random

from engine.errors import TooManyCapturesError
from engine.game import Game, new_game
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Move, Position, Side, is_king
from engine.rules import Rules
from engine.ruleset import Ruleset


def scattered(ruleset: Ruleset, chance: Random) -> Position:
    """Any pieces anywhere but men where they are crowned: empty to well filled, now and then mostly kings."""
    geometry = ruleset.geometry
    share, kings, whites = chance.random() * 0.7, chance.choice((0.05, 0.3, 0.3, 0.9)), chance.choice((0.15, 0.5, 0.85))
    contents = [EMPTY] * len(geometry)
    for square in range(len(contents)):
        if chance.random() < share:
            white, king = chance.random() < whites, chance.random() < kings
            if king or geometry.row(square) != (0 if white else ruleset.rows - 1):
                contents[square] = (WHITE_KING if king else WHITE_MAN) if white else BLACK_KING if king else BLACK_MAN
    return Position(tuple(contents), chance.choice(tuple(Side)))


def few(ruleset: Ruleset, chance: Random) -> Position:
    """Two to six pieces, mostly kings: what the draw rules are about."""
    squares = chance.sample(range(len(ruleset.geometry)), chance.randint(2, 6))
    contents = [EMPTY] * len(ruleset.geometry)
    for number, square in enumerate(squares):
        white = number == 0 or (number > 1 and chance.random() < 0.7)
        king = chance.random() < 0.85 or ruleset.geometry.row(square) == (0 if white else ruleset.rows - 1)
        contents[square] = (WHITE_KING if king else WHITE_MAN) if white else BLACK_KING if king else BLACK_MAN
    return Position(tuple(contents), chance.choice(tuple(Side)))


def played(
    rules: Rules, chance: Random, start: Position | None = None, most_plies: int = 90, keeps_kings: bool = False
) -> Iterator[Game]:
    """A random game, as it stands after each move, until a side cannot move.

    With `keeps_kings` kings move, mostly, and to where nothing can be captured: such games last.
    """
    game = new_game(rules.ruleset, start)
    for _ in range(most_plies):
        yield game
        try:
            legal = rules.legal_moves(game.position)
        except TooManyCapturesError:
            return
        if not legal:
            return
        move = _lasting(game, legal, chance) if keeps_kings else chance.choice(legal)
        game = Game(game.ruleset, (*game.positions, game.position.after(move)), (*game.moves, move))


def _lasting(game: Game, legal: tuple[Move, ...], chance: Random) -> Move:
    """A move of a king after which the other side has no capture, if there is one and chance has it."""
    kings = [move for move in legal if not move.captured and is_king(game.position.contents[move.from_square])]
    for move in chance.sample(kings, len(kings)) if chance.random() < 0.97 else ():
        with suppress(TooManyCapturesError):
            if not any(reply.captured for reply in game.rules.legal_moves(game.position.after(move))):
                return move
    return chance.choice(legal)
