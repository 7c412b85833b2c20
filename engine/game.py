"""Game: how a position came about and what it is worth: moves, repetition, move-count draws, outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.corners import camp
from engine.errors import IllegalMoveError, TooManyCapturesError
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
class Counter:
    """A draw rule whose condition holds, and how far it is: own moves (or times the position stood) of its limit."""

    rule: DrawRule
    count: int

    @property
    def limit(self) -> int:
        """When the rule ends the game: own moves made, or the n-th time of a position."""
        return self.rule.times or self.rule.limit


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
        """Legal moves in the position on the board; none where they cannot be listed, which ends the game."""
        try:
            return self.rules.legal_moves(self.position)
        except TooManyCapturesError:
            return ()

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
        try:
            winner = self.rules.winner(self.position)
        except TooManyCapturesError:
            return Outcome(None, "captures beyond counting")
        if winner is not None:
            return Outcome(winner, self._reason, self.ruleset.article("goal"))
        late = _late_at_home(self)
        if late is not None:
            return Outcome(late.other, "home not left in time", self.ruleset.article("home_limit"))
        return self.draw(claimed)

    @property
    def _reason(self) -> str:
        if self.legal_moves:
            return "goal reached"
        return "no move left" if self.position.pieces(self.position.turn) else "no piece left"

    def draw(self, claimed: bool = False) -> Outcome | None:
        """The first of the rule set's `draws` that holds here, or None."""
        for rule in self.ruleset.draws:
            count = _count(rule, self) if rule.on == "automatic" or claimed else None
            if count is not None and count >= (rule.times or rule.limit):
                sides = _sides_by_strength(rule, self.position) if rule.result == "stronger wins" else None
                return Outcome(sides[0] if sides else None, rule.name, rule.article)
        return None

    def counters(self) -> tuple[Counter, ...]:
        """The draw rules that count here, in the order of the rule set."""
        counted = ((rule, _count(rule, self)) for rule in self.ruleset.draws)
        return tuple(Counter(rule, count) for rule, count in counted if count is not None)

    def result_text(self, outcome: Outcome | None) -> str:
        """A result as the variant's PDN writes it; `*` while there is none."""
        white, black, draw = self.ruleset.results
        if outcome is None:
            return "*"
        return draw if outcome.winner is None else white if outcome.winner is Side.WHITE else black


def agreed(ruleset: Ruleset) -> Outcome:
    """A draw that both players agreed to."""
    return Outcome(None, "agreed", ruleset.article("agreement"), on_board=False)


def resigned(ruleset: Ruleset, side: Side) -> Outcome:
    """A side has given up."""
    return Outcome(side.other, "resigned", ruleset.article("resignation"), on_board=False)


def flag_fell(ruleset: Ruleset, side: Side) -> Outcome:
    """A side has overstepped its time."""
    return Outcome(side.other, "flag fell", ruleset.article("flag"), on_board=False)


def new_game(ruleset: Ruleset, start: Position | None = None) -> Game:
    """A game that has just begun, from the variant's start or from another position."""
    rules = rules_for(ruleset)
    return Game(ruleset, (rules.opened(start) if start else rules.start(),))


def _late_at_home(game: Game) -> Side | None:
    """Who still has a piece in its own corner after as many own moves as `home_limit` allows."""
    limit = game.ruleset.home_limit
    if not limit:
        return None
    for side in (game.position.turn.other, game.position.turn):
        made = sum(1 for position in game.positions[:-1] if position.turn is side)
        if made >= limit and any(square in camp(game.ruleset, side) for square in game.position.pieces(side)):
            return side
    return None


def _count(rule: DrawRule, game: Game) -> int | None:
    """How far a draw rule has counted; None where its condition does not hold."""
    if rule.times:
        diagram = game.position.diagram
        return sum(1 for position in game.positions if position.diagram == diagram)
    if not _condition(rule, game.position, game.ruleset):
        return None
    if rule.no_capture and any(move.is_capture for move in game.legal_moves):
        return None
    counted = {Side.WHITE: 0, Side.BLACK: 0}
    for position in _stretch(rule, game):
        counted[position.turn] += _counts(rule, position)
    return max(counted.values()) if rule.counts == "stronger" else min(counted.values())


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
    if rule.both_at_goal and not all(
        square in camp(ruleset, side.other) for side in Side for square in position.pieces(side)
    ):
        return False
    if rule.both_have_kings and not all(position.count(KINGS[side]) for side in Side):
        return False
    sides = _sides_by_strength(rule, position)
    if sides is None:
        return rule.stronger is None and rule.weaker is None
    stronger, weaker = sides
    weaker_on_road, stronger_on_road = (
        any(square in main_road(ruleset) for square in position.pieces(side)) for side in (weaker, stronger)
    )
    return (
        (weaker_on_road or not rule.weaker_on_main_road)
        and (stronger_on_road or not rule.stronger_on_main_road)
        and not (stronger_on_road and rule.stronger_off_main_road)
    )


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
