"""Levels 1 to 9: opponents that see less than the engine does, as people do; level 10 holds nothing back.

A level is made of what it cannot see, not of blunders thrown in: how far it looks, which moves it overlooks (long
captures, captures backwards, far moves of kings, sacrifices), and how coarse its judgement is. All chance comes from a
seed, so the same seed plays the same way in the same position, on a slow computer too: nothing here is bound by time.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.errors import TooManyCapturesError
from engine.game import Game
from engine.position import Effect, Move, Position, Side, is_king
from engine.rules import Rules
from engine.search import Iteration

if TYPE_CHECKING:
    from engine.thinking import Thinker

STRONGEST = 10
"""The level that plays as well as the engine can."""

GOOD_WIN, DRAW, LOSS = 1.0, 0.5, 0.0
"""Results as points of the person."""


@dataclass(frozen=True, slots=True)
class Level:
    """What an opponent sees.

    depth: plies looked beyond its own move; nodes: positions for each of its moves.
    coarseness: how far off its judgement of a move may be, in hundredths of a man; it is fixed for a game.
    blindness: the chance that it overlooks a move with one thing about it that is hard to see; see `difficulty`.
    carelessness: the chance that it overlooks that a piece can simply be taken; likewise more where it is hard to see.
    """

    name: str
    depth: int
    nodes: int
    coarseness: int
    blindness: float
    carelessness: float = 0.0


LEVELS: tuple[Level, ...] = (
    Level("beginner", 1, 4_000, 70, 0.50, 0.35),
    Level("learner", 1, 4_000, 60, 0.40, 0.15),
    Level("casual", 1, 4_000, 50, 0.30, 0.05),
    Level("careful", 1, 4_000, 40, 0.30),
    Level("steady", 2, 4_000, 40, 0.30),
    Level("club", 3, 6_000, 30, 0.20),
    Level("skilled", 4, 10_000, 25, 0.12),
    Level("expert", 5, 15_000, 20, 0.06),
    Level("master", 7, 20_000, 10, 0.02),
)
"""Levels 1 to 9. Calibrated by benchmarks/levels.py."""

LEVEL_NAMES: tuple[str, ...] = (*(level.name for level in LEVELS), "unbound")
"""What levels 1 to 10 are called."""

_FAR = 4
"""A move of a king over so many rows or columns is hard to see."""


def choose(
    thinker: Thinker, game: Game, legal: Sequence[Move], level: Level, seed: int, most_nodes: int = 0
) -> Iteration | None:
    """What a level plays here, after `thinker.begin(game)`; None where no move is legal.

    It looks at no more than `most_nodes` positions (0: as the level does). When the thinker is stopped, the best of the
    moves weighed so far, or the first one.
    """
    if not legal:
        return None
    if most_nodes:
        level = replace(level, nodes=max(1, min(level.nodes, most_nodes // len(legal))))
    player = _Player(thinker, game, level, seed)
    found = player.best(legal)
    return found or Iteration(0, 0, tuple(legal[:1]), 0, complete=False)


@dataclass(slots=True)
class _Player:
    """An opponent at one move. Every answer follows from the seed, the position and the level."""

    thinker: Thinker
    game: Game
    level: Level
    seed: int
    answers: dict[Effect, tuple[Move, ...]] = field(default_factory=dict)
    """The replies to moves, once they were listed."""

    def best(self, legal: Sequence[Move]) -> Iteration | None:
        """The move it takes to be the best; None when it was stopped before it had weighed any."""
        seen = tuple(move for move in legal if not self._overlooks(move)) or tuple(legal)
        weighed = self._weigh(seen)
        if not weighed:
            return None
        chosen = self._taken(weighed)
        if len(seen) < len(legal) and self._is_careful and self._hangs(chosen[0]):
            # It sees that this loses a piece, so it looks again at what else there is.
            weighed += self._weigh(tuple(move for move in legal if move not in seen))
            chosen = self._taken(weighed)
        move, score = chosen
        return Iteration(self.level.depth + 1, score, (move,), self.thinker.nodes, choices=tuple(weighed))

    @property
    def _is_careful(self) -> bool:
        return not self.level.carelessness and self.game.ruleset.goal != "inverted"

    def _weigh(self, moves: Sequence[Move]) -> list[tuple[Move, int]]:
        """The moves with what they seem to be worth, until stopped."""
        weighed: list[tuple[Move, int]] = []
        for move in moves:
            score = self.thinker.judge(move, self.level.depth, self.level.nodes, self._unseen_replies(move))
            if score is None:
                break
            weighed.append((move, score))
        return weighed

    def _taken(self, weighed: Sequence[tuple[Move, int]]) -> tuple[Move, int]:
        """The choice among what seems equal: by a taste that is fixed for the game."""
        top = max(score for _, score in weighed)
        close = [(move, score) for move, score in weighed if score >= top - self.level.coarseness]
        if self._is_careful and len(close) > 1:
            close = [pair for pair in close if not self._hangs(pair[0])] or close
        return max(close, key=lambda pair: pair[1] + self.level.coarseness * self._taste(pair[0]))

    # Attention is drawn once a turn, not once a move: else the more moves there are, the surer one of them would be
    # misjudged, and the misjudged one be played.

    def _overlooks(self, move: Move) -> bool:
        """Whether it does not think of a move of its own."""
        hard = difficulty(move, self.game.position, self.thinker.rules)
        if not move.captured and any(reply.captured for reply in self._replies(move)):
            hard += 1  # it offers something
        return self._attention("own") >= (1 - self.level.blindness) ** hard

    def _unseen_replies(self, move: Move) -> set[Effect]:
        """The replies to a move that it does not think of."""
        after = self.game.position.after(move)
        attention = self._attention("reply")
        unseen: set[Effect] = set()
        for reply in self._replies(move):
            if reply.captured and self._is_careful:
                continue
            overlooked = self.level.carelessness if reply.captured else self.level.blindness
            sees = (1 - overlooked) ** (difficulty(reply, after, self.thinker.rules) + bool(reply.captured))
            if attention >= sees:
                unseen.add(reply.effect)
        return unseen

    def _hangs(self, move: Move) -> bool:
        """Whether the other side can take more at once after a move than can be taken back."""
        after = self.game.position.after(move)
        return any(
            len(reply.captured)
            > max((len(back.captured) for back in _legal(self.thinker.rules, after.after(reply))), default=0)
            for reply in self._replies(move)
            if reply.captured
        )

    def _replies(self, move: Move) -> tuple[Move, ...]:
        if move.effect not in self.answers:
            self.answers[move.effect] = _legal(self.thinker.rules, self.game.position.after(move))
        return self.answers[move.effect]

    def _attention(self, about: str) -> float:
        """What it pays no attention to in this turn: whatever is seen with a smaller chance than this."""
        return drawn(self.seed, about, self.game.position)

    def _taste(self, move: Move) -> float:
        """How much it likes a move, from 0 to 1."""
        return drawn(self.seed, "taste", self.game.position, move.effect)


def difficulty(move: Move, position: Position, rules: Rules) -> int:
    """How many things about a move are hard to see.

    Each piece after the first that it takes or jumps over, a man's capture backwards, a king's way of four rows or
    columns and more.
    """
    geometry = rules.ruleset.geometry
    king = is_king(position.contents[move.from_square])
    (column, row), (to_column, to_row) = geometry.cells[move.from_square], geometry.cells[move.to_square]
    far = king and max(abs(to_column - column), abs(to_row - row)) >= _FAR
    forward = -1 if position.turn is Side.WHITE else 1
    back = not king and any((geometry.cells[square][1] - row) * forward < 0 for square in move.captured)
    steps = len(move.captured) if move.captured else len(move.path)
    return max(0, steps - 1) + far + back


def _legal(rules: Rules, position: Position) -> tuple[Move, ...]:
    try:
        return rules.legal_moves(position)
    except TooManyCapturesError:
        return ()  # the game ends there


def drawn(seed: int, about: str, position: Position, effect: Effect | None = None) -> float:
    """A number from 0 up to 1, as by chance, that follows from its arguments."""
    pieces = ",".join(str(int(piece)) for piece in position.contents)
    number = zlib.crc32(f"{about} {position.turn} {pieces} {effect}".encode()) + (seed << 32)
    # The finish of splitmix64 (Steele, Lea and Flood 2014) spreads neighbouring numbers.
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    return ((number ^ (number >> 31)) >> 11) / 2**53


VARIED_SQUARES = 12
"""A position is of the opening while no more squares than this differ from the start."""


def is_opening(game: Game) -> bool:
    """Whether the position on the board is still near the start of a game."""
    start = game.rules.start()
    pairs = zip(start.contents, game.position.contents, strict=True)
    return sum(1 for before, now in pairs if before is not now) <= VARIED_SQUARES


def varied(found: Iteration, game: Game, margin: int, seed: int) -> Iteration:
    """The iteration with another first move, by chance, that is worth at most `margin` hundredths of a man less."""
    close = [(move, score) for move, score in found.choices if score >= found.score - margin]
    if len(close) < 2:
        return found
    move, score = close[int(len(close) * drawn(seed, "opening", game.position))]
    if move == found.line[0]:
        return found
    return Iteration(found.depth, score, (move,), found.nodes, found.deepest, choices=found.choices)


def thinking_ms(game: Game, legal: Sequence[Move], level: int, seed: int) -> int:
    """How long a person of a level looks at this position: longer the more there is to choose from, never the same."""
    chance = drawn(seed, "time", game.position)
    if len(legal) < 2:
        return round(400 + 500 * chance)
    taking = any(move.captured for move in legal)
    moves_ms = 110 * min(len(legal), 20) * (0.6 if taking or is_opening(game) else 1)
    return round((500 + moves_ms + 90 * level) * (0.5 + chance + chance**4))


def next_level(level: int, results: Sequence[float]) -> int:
    """The level for the next game, after a person's results (1 won, 0.5 drawn, 0 lost) at this one, the latest last.

    One up after a win, one down after two losses in a row; a draw was about right.
    """
    if results and results[-1] == GOOD_WIN:
        return min(STRONGEST, level + 1)
    if len(results) >= 2 and results[-1] == results[-2] == LOSS:
        return max(1, level - 1)
    return level
