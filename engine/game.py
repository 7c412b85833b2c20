"""Game: how a position came about and what it is worth: moves, repetition, move-count draws, outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.errors import IllegalMoveError
from engine.geometry import Square
from engine.notation import full_move_text, move_text
from engine.position import KINGS, MEN, Move, Position, Side
from engine.rules import Rules, rules_for
from engine.ruleset import DrawRule, Material, Ruleset


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the winner (None for a draw), the reason in one word or name of rule, and its article."""

    winner: Side | None
    reason: str
    article: str = ""
    on_board: bool = True
    """Whether it follows from the position and the moves; False for what players agreed or declared."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game so far: positions[n] is the one before moves[n]; the last position is on the board."""

    ruleset: Ruleset
    positions: tuple[Position, ...]
    moves: tuple[Move, ...] = ()

    @property
    def rules(self) -> Rules:
        """The rules that this game is played by."""
        return rules_for(self.ruleset)

    @property
    def start(self) -> Position:
        """The position it began from."""
        return self.positions[0]

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.positions[-1]

    @property
    def ply(self) -> int:
        """How many moves were made."""
        return len(self.moves)

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """Legal moves in the position on the board."""
        return self.rules.legal_moves(self.position)

    def play(self, move: Move) -> Game:
        """The game with one more move; IllegalMoveError when the rules do not allow its effect here."""
        if all(move.effect != legal.effect for legal in self.legal_moves):
            raise IllegalMoveError(f"{full_move_text(move, self.ruleset)} is not legal at ply {self.ply + 1}")
        return Game(self.ruleset, (*self.positions, self.position.after(move)), (*self.moves, move))

    def back(self, plies: int) -> Game:
        """The game as it stood `plies` moves ago."""
        kept = max(0, self.ply - plies)
        return Game(self.ruleset, self.positions[: kept + 1], self.moves[:kept])

    def text_of(self, ply: int) -> str:
        """Move number `ply` (0..) as the variant writes it."""
        return move_text(self.moves[ply], self.rules.legal_moves(self.positions[ply]), self.ruleset)

    def outcome(self, claimed: bool = False) -> Outcome | None:
        """How the game has ended by the rules, or None; draws on claim count when `claimed`."""
        winner = self.rules.winner(self.position)
        if winner is not None:
            reason = "goal reached" if self.legal_moves else "no move left" if self._moves_to_make else "no piece left"
            return Outcome(winner, reason)
        return self.draw(claimed)

    @property
    def _moves_to_make(self) -> bool:
        return bool(self.position.pieces(self.position.turn))

    def draw(self, claimed: bool = False) -> Outcome | None:
        """The first draw rule that holds here, or None."""
        for rule in self.ruleset.draws:
            if (rule.on == "automatic" or claimed) and _holds(rule, self):
                return Outcome(None, rule.name, rule.article)
        return None

    def result_text(self, outcome: Outcome | None) -> str:
        """A result as the variant's PDN writes it; `*` while there is none."""
        white, black, draw = self.ruleset.results
        if outcome is None:
            return "*"
        return draw if outcome.winner is None else white if outcome.winner is Side.WHITE else black


def new_game(ruleset: Ruleset, start: Position | None = None) -> Game:
    """A game that has just begun, from the variant's start or from another position."""
    return Game(ruleset, (start or rules_for(ruleset).start(),))


def _holds(rule: DrawRule, game: Game) -> bool:
    if rule.times:
        return sum(1 for position in game.positions if position == game.position) >= rule.times
    if not _condition(rule, game.position, game.ruleset):
        return False
    counted = {Side.WHITE: 0, Side.BLACK: 0}
    for position in _stretch(rule, game):
        counted[position.turn] += _counts(rule, position)
    if rule.counts == "stronger":
        return max(counted.values()) >= rule.limit
    return min(counted.values()) >= rule.limit


def _counts(rule: DrawRule, position: Position) -> int:
    if rule.counts == "each":
        return 1
    stronger, _ = _sides_by_strength(rule, position) or (position.turn, None)
    return int(position.turn is stronger)


def _stretch(rule: DrawRule, game: Game) -> Iterator[Position]:
    """Positions of the latest moves, newest first: the condition held and nothing started the count anew."""
    for move, position in zip(reversed(game.moves), reversed(game.positions[:-1]), strict=True):
        if _resets(rule, move, position) or not _condition(rule, position, game.ruleset):
            return
        yield position


def _resets(rule: DrawRule, move: Move, position: Position) -> bool:
    return (
        (bool(move.captured) and "capture" in rule.resets)
        or (move.promotes and "crowning" in rule.resets)
        or ("man move" in rule.resets and position.contents[move.from_square] is MEN[position.turn])
    )


@lru_cache(maxsize=8192)
def _condition(rule: DrawRule, position: Position, ruleset: Ruleset) -> bool:
    if rule.pieces and not rule.pieces[0] <= sum(len(position.pieces(side)) for side in Side) <= rule.pieces[1]:
        return False
    if rule.both_have_kings and not all(position.count(KINGS[side]) for side in Side):
        return False
    sides = _sides_by_strength(rule, position)
    if sides is None:
        return rule.stronger is None and rule.weaker is None
    stronger, weaker = sides
    road = main_road(ruleset)
    if rule.weaker_on_main_road and not any(square in road for square in position.pieces(weaker)):
        return False
    return not (rule.stronger_off_main_road and any(square in road for square in position.pieces(stronger)))


def _sides_by_strength(rule: DrawRule, position: Position) -> tuple[Side, Side] | None:
    for stronger in Side:
        if _fits(rule.stronger, position, stronger) and _fits(rule.weaker, position, stronger.other):
            return stronger, stronger.other
    return None


def _fits(material: Material | None, position: Position, side: Side) -> bool:
    if material is None:
        return True
    men, kings = position.count(MEN[side]), position.count(KINGS[side])
    bounds = ((material.pieces, men + kings), (material.men, men), (material.kings, kings))
    return all(bound is None or bound[0] <= count <= bound[1] for bound, count in bounds)


@lru_cache(maxsize=64)
def main_road(ruleset: Ruleset) -> frozenset[Square]:
    """The long diagonal from White's playing lower corner."""
    geometry = ruleset.geometry
    column, step = (geometry.columns - 1, -1) if ruleset.corner == "right" else (0, 1)
    squares = (geometry.square_at(column + step * place, geometry.rows - 1 - place) for place in range(geometry.rows))
    return frozenset(square for square in squares if square is not None)
