"""The library py-draughts as a Hub engine: `PYTHON benchmarks/peers/py_draughts_hub.py`, in an environment that has it.

It plays with the strongest engine that the library has for a game: TurboEngine in International, SimpleEngine in all
others. The time of a move is what these keep by themselves. At the root it is told our legal moves, for two reasons:
it does not know that Frisian kings rest after three moves, and a Hub engine must never lose by a difference in rules.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import draughts
import numpy as np
from draughts import Color, Figure

from engine import hub
from engine.notation import square_names
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Move, Position, Side
from engine.rules import rules_for
from engine.ruleset import load_ruleset

BOARDS = {
    "international": draughts.StandardBoard,
    "antidraughts": draughts.AntidraughtsBoard,
    "breakthrough": draughts.BreakthroughBoard,
    "russian": draughts.RussianBoard,
    "brazilian": draughts.BrazilianBoard,
    "frisian": draughts.FrisianBoard,
    "frysk": draughts.FryskBoard,
}
FIGURES = {
    EMPTY: Figure.EMPTY,
    WHITE_MAN: Figure.WHITE_MAN,
    WHITE_KING: Figure.WHITE_KING,
    BLACK_MAN: Figure.BLACK_MAN,
    BLACK_KING: Figure.BLACK_KING,
}
MOST_DEPTH = 64

Theirs = Any
"""The library's boards, moves and engines."""

Key = tuple[int, int, frozenset[int]]
"""From, to, captured: square indices by rows, as the library counts them."""


def key_of(move: Theirs) -> Key:
    """What the library's move does."""
    return move.square_list[0], move.square_list[-1], frozenset(move.captured_list)


def limited(board_class: Theirs) -> Theirs:
    """A board of the library whose legal moves at the root are those of `allowed` only."""

    class Limited(board_class):  # type: ignore[misc]
        allowed: frozenset[Key] | None = None
        root = 0

        @property
        def legal_moves(self) -> Theirs:
            moves = super().legal_moves
            if self.allowed is None or len(self._moves_stack) != self.root:
                return moves
            return [move for move in moves if key_of(move) in self.allowed]

    return Limited


class Game:
    """What is played, and where the game stands, here and in the library."""

    def __init__(self, variant: str) -> None:
        self.rules = rules_for(load_ruleset(variant))
        self.position = self.rules.start()
        # Where each of our squares is in the order of rows, from 0.
        self._row_place = [int(name) - 1 for name in square_names(self.rules.ruleset, by_rows=True)]
        self._is_international = variant == "international"
        self._class = BOARDS[variant] if self._is_international else limited(BOARDS[variant])
        self.new_engine()
        self.board = self._board(self.position)

    def new_engine(self) -> None:
        """Forget what was searched before."""
        if self._is_international:
            self._engine: Theirs = draughts.TurboEngine(depth_limit=MOST_DEPTH)
        else:
            self._engine = draughts.SimpleEngine(depth_limit=MOST_DEPTH)

    def _board(self, position: Position) -> Theirs:
        array = np.zeros(len(position.contents), dtype=np.int8)
        for square, piece in enumerate(position.contents):
            array[self._row_place[square]] = FIGURES[piece].value
        turn = Color.WHITE if position.turn is Side.WHITE else Color.BLACK
        return self._class(starting_position=array, turn=turn)

    def _key(self, move: Move) -> Key:
        place = self._row_place
        captured = frozenset(place[square] for square in move.captured)
        return place[move.from_square], place[move.to_square], captured

    def set(self, message: hub.SetPosition) -> None:
        """Take over a position and the moves made since."""
        self.position = hub.read_position_text(message.position, self.rules)
        self.board = self._board(self.position)
        for text in message.moves:
            move = hub.read_hub_move(text, self.rules.legal_moves(self.position))
            key = self._key(move)
            self.board.push(next(theirs for theirs in self.board.legal_moves if key_of(theirs) == key))
            self.position = self.position.after(move)

    def think(self, level: hub.Level) -> tuple[hub.Info, hub.Done]:
        """Let the library choose a move."""
        ours = {self._key(move): move for move in self.rules.legal_moves(self.position)}
        if not self._is_international:
            if not {key_of(move) for move in self.board.legal_moves} <= set(ours):
                self.new_engine()  # what it remembers may begin with a move that is not allowed
            self.board.root, self.board.allowed = len(self.board._moves_stack), frozenset(ours)
        self._engine.time_limit = None if level.move_time_ms is None else max(0.001, level.move_time_ms / 1000)
        self._engine.depth_limit = level.depth or MOST_DEPTH
        began = time.perf_counter()
        chosen = self._engine.get_best_move(self.board)
        took_s = time.perf_counter() - began
        move = ours.get(key_of(chosen))
        if move is None:
            raise hub.HubError(f"the library chose {chosen}, which is not legal")
        nodes = self._engine.nodes
        info = hub.Info(
            depth=getattr(self._engine, "completed_depth", None) or None,
            nodes=nodes,
            time_ms=round(1000 * took_s),
            speed=round(nodes / max(took_s, 1e-6) / 1e6, 6),
        )
        return info, hub.Done(hub.hub_move_text(move))


def say(message: hub.Message) -> None:
    """Send a message."""
    sys.stdout.write(hub.write_hub(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Speak Hub until the input ends."""
    variant = "international"
    game = Game(variant)
    level = hub.Level(move_time_ms=1000)
    for line in sys.stdin:
        try:
            match hub.read_hub(line):
                case hub.Hub():
                    say(hub.Id("py-draughts", draughts.__version__, "Michal Skibinski"))
                    say(hub.Param("variant", variant, "enum", values=tuple(BOARDS)))
                    say(hub.Wait())
                case hub.SetParam("variant", value) if value in BOARDS:
                    game = Game(value)
                case hub.Init():
                    say(hub.Ready())
                case hub.NewGame():
                    game.new_engine()
                case hub.SetPosition() as message:
                    game.set(message)
                case hub.Level() as level:
                    pass
                case hub.Go():
                    for message in game.think(level):
                        say(message)
                case hub.Ping():
                    say(hub.Pong())
                case hub.Quit():
                    return
        except Exception as error:  # whatever it raises is its answer
            say(hub.Error(f"{type(error).__name__}: {error}"))


if __name__ == "__main__":
    main()
