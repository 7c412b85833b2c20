"""The race games (corners, ugolki): nothing is captured, pieces step or jump over anybody, and a corner is the goal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from engine.fen import read_fen
from engine.geometry import Direction, Square
from engine.position import EMPTY, MEN, Effect, Move, Position, Side, position_of
from engine.ruleset import Ruleset


class CornersRules:
    """Rules of a race game. Pure: every method is a function of the rule set and the position.

    A move is a step to a neighbouring square or a chain of jumps, each over one neighbour of either colour into the
    free square behind it; a chain may stop anywhere, and nobody has to jump.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        self._ruleset = ruleset
        self._geometry = ruleset.geometry
        self._steps = {side: sorted(_turned(ruleset.man_moves, side)) for side in Side}
        self._jumps = {side: sorted(_turned(ruleset.man_captures, side)) for side in Side}
        self._camps = {side: camp(ruleset, side) for side in Side}
        self._generate = lru_cache(maxsize=1024)(self._generate_moves)

    @property
    def ruleset(self) -> Ruleset:
        """The facts these rules follow from."""
        return self._ruleset

    def start(self) -> Position:
        """The position a game begins from: every square of both corners occupied, or what `start_fen` says."""
        rules = self._ruleset
        if rules.start_fen:
            return Position(read_fen(rules.start_fen, rules).contents, rules.first)
        return position_of(
            len(self._geometry), rules.first, white_men=self._camps[Side.WHITE], black_men=self._camps[Side.BLACK]
        )

    def opened(self, position: Position) -> Position:
        """The position as the first of a game; nothing has to be remembered."""
        return position

    def legal_moves(self, position: Position) -> tuple[Move, ...]:
        """Legal moves, one for each start and end, by the shortest way, in a fixed order."""
        return self._generate(position)

    def ways(self, position: Position) -> Mapping[Effect, tuple[Move, ...]]:
        """The shortest way of every legal move, by effect; a chain may wander, and ends where it ends."""
        return {move.effect: (move,) for move in self._generate(position)}

    def moves_between(self, position: Position, start: Square, end: Square) -> tuple[Move, ...]:
        """The legal moves from one square to another."""
        return tuple(move for move in self._generate(position) if (move.from_square, move.to_square) == (start, end))

    def winner(self, position: Position) -> Side | None:
        """Who stands in the other's corner with all pieces, or who cannot be answered; None while the game goes on.

        With `last_reply` the first side has won only when the second did not arrive with its next move.
        """
        arrived = [side for side in Side if self._arrived(position, side)]
        if len(arrived) == 2:
            return None if self._ruleset.last_reply else position.turn.other
        if arrived:
            side = arrived[0]
            waits = self._ruleset.last_reply and side is self._ruleset.first and position.turn is not side
            return None if waits and self.legal_moves(position) else side
        return None if self.legal_moves(position) else position.turn.other

    def _arrived(self, position: Position, side: Side) -> bool:
        own = position.pieces(side)
        return bool(own) and all(square in self._camps[side.other] for square in own)

    def _generate_moves(self, position: Position) -> tuple[Move, ...]:
        man = MEN[position.turn]
        return tuple(
            move
            for square, piece in enumerate(position.contents)
            if piece is man
            for move in self._moves_from(position, square)
        )

    def _moves_from(self, position: Position, square: Square) -> Iterator[Move]:
        contents, lines = position.contents, self._geometry.lines
        paths: dict[Square, tuple[Square, ...]] = {}
        for direction in self._steps[position.turn]:
            line = lines[square][direction]
            if line and contents[line[0]] is EMPTY:
                paths[line[0]] = (line[0],)
        # Breadth first, so that every square is reached by the fewest jumps.
        reached: list[tuple[Square, ...]] = [(square,)]
        seen = {square}
        for path in reached:
            for direction in self._jumps[position.turn]:
                line = lines[path[-1]][direction]
                if len(line) < 2 or contents[line[1]] is not EMPTY or line[1] in seen:
                    continue
                if contents[line[0]] is EMPTY or line[0] == square:
                    continue
                seen.add(line[1])
                reached.append((*path, line[1]))
                paths.setdefault(line[1], (*path[1:], line[1]))
        return (Move(square, path) for path in paths.values())


@lru_cache(maxsize=64)
def camp(ruleset: Ruleset, side: Side) -> frozenset[Square]:
    """The squares of a side's own corner: where `start_fen` puts it, else White's at its lower left, Black's opposite.

    Empty in games that are no race.
    """
    if ruleset.family != "race":
        return frozenset()
    if ruleset.start_fen:
        return frozenset(read_fen(ruleset.start_fen, ruleset).pieces(side))
    geometry = ruleset.geometry
    columns, rows = ruleset.camp
    cells = [(column, geometry.rows - 1 - row) for column in range(columns) for row in range(rows)]
    if side is Side.BLACK:
        cells = [(geometry.columns - 1 - column, geometry.rows - 1 - row) for column, row in cells]
    squares = (geometry.square_at(column, row) for column, row in cells)
    return frozenset(square for square in squares if square is not None)


def _turned(directions: frozenset[Direction], side: Side) -> frozenset[Direction]:
    """Directions as this side plays them: the two sit opposite each other."""
    return directions if side is Side.WHITE else frozenset(direction.opposite for direction in directions)
