"""Problems to solve at the board: a position, and the one line that wins. `training/problems.py` finds them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from engine.fen import read_fen
from engine.game import Game, new_game
from engine.notation import read_move
from engine.position import Move, Position, Side
from engine.ruleset import load_ruleset


@dataclass(frozen=True, slots=True)
class Problem:
    """A position whose side to move wins by the moves of `line`, in turns with the only answers there are."""

    variant: str
    number: int
    """From 1."""
    fen: str
    position: Position
    line: tuple[Move, ...]

    @property
    def solver(self) -> Side:
        """The side to move."""
        return self.position.turn

    def follows(self, game: Game) -> bool:
        """Whether a game has made nothing but moves of the line."""
        made = [move.effect for move in game.moves]
        return made == [move.effect for move in self.line[: len(made)]]


def count(variant: str) -> int:
    """How many problems there are; 0 for a variant without."""
    return len(_tables(variant))


@cache
def problem(variant: str, number: int) -> Problem:
    """A problem by its number; KeyError where there is none."""
    tables = _tables(variant)
    if not 1 <= number <= len(tables):
        raise KeyError(f"{variant}: problem {number}")
    (fen, line), ruleset = tables[number - 1], load_ruleset(variant)
    start = read_fen(fen, ruleset)
    game = new_game(ruleset, start)
    for text in line:
        ways = [way for ways in game.rules.ways(game.position).values() for way in ways]
        game = game.play(read_move(text, game.position, ways, ruleset))
    return Problem(variant, number, fen, start, game.moves)


@cache
def _tables(variant: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    file = resources.files("engine.problems") / f"{variant}.toml"
    if not file.is_file():
        return ()
    return tuple(
        (one["fen"], tuple(one["line"])) for one in tomllib.loads(file.read_text(encoding="utf-8"))["problems"]
    )
