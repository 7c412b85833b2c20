"""A readable search over Rules: iterative deepening, alpha-beta, captures played out; the fallback and the oracle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from engine.corners import camp
from engine.errors import TooManyCapturesError
from engine.geometry import Square
from engine.position import KINGS, MEN, Move, Piece, Position, Side
from engine.rules import Rules
from engine.ruleset import Ruleset

WIN = 100_000
"""Score of a won game, in hundredths of a man; a win n plies away scores WIN - n."""

_FARTHEST = WIN - 1_000
_POLL_EVERY = 8
_TABLE_SIZE = 200_000
_QUIET_LIMIT = 40


@dataclass(frozen=True, slots=True)
class Iteration:
    """What a search knows: depth in plies, score in hundredths of a man for the side to move, line, positions seen.

    `deepest` is the farthest ply looked at; `hash_hits` and `table_hits` count what was known from before and from
    endgame tables; `complete` is False for an iteration that was cut short; `choices` are moves of the root with exact
    scores, the best first.
    """

    depth: int
    score: int
    line: tuple[Move, ...]
    nodes: int
    deepest: int = 0
    hash_hits: int = 0
    table_hits: int = 0
    complete: bool = True
    choices: tuple[tuple[Move, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Known:
    """What the table holds of a position: its score, or a bound that the score is at least (1) or at most (-1)."""

    depth: int
    score: int
    bound: int
    move: Move


class _StoppedError(Exception):
    """The search ran out of positions or was told to stop."""


def _never() -> bool:
    return False


class Search:
    """One search of one position. `history` are the positions before it: going back to one of them is a draw.

    `should_stop` is asked every few dozen positions; `node_limit` bounds the positions looked at.
    """

    def __init__(
        self,
        rules: Rules,
        position: Position,
        history: Iterable[Position] = (),
        should_stop: Callable[[], bool] = _never,
        node_limit: int | None = None,
    ) -> None:
        self._rules = rules
        self._root = position
        self._path = {before.diagram for before in history} | {position.diagram}
        self._should_stop = should_stop
        self._node_limit = node_limit
        self._nodes = 0
        self._table: dict[Position, _Known] = {}
        self._evaluate = evaluation_of(rules.ruleset)

    def deepen(self, most_depth: int = 64) -> Iterator[Iteration]:
        """One iteration after another, each deeper than the last, until told to stop; the first one costs nothing.

        An iteration that was cut short still counts when it found a better move. Nothing comes where no move is legal.
        """
        moves = _ordered(self._rules.legal_moves(self._root), None)
        if not moves:
            return
        yield Iteration(0, self._evaluate(self._root), moves[:1], 0)
        for depth in range(1, most_depth + 1):
            try:
                score, moves = self._root_search(moves, depth)
            except _StoppedError:
                return
            yield Iteration(depth, score, self._line(moves[0], depth), self._nodes)
            if self._stopped or abs(score) >= _FARTHEST:
                return

    def best(self, most_depth: int = 64) -> Iteration | None:
        """The last iteration; None where no move is legal."""
        iterations = tuple(self.deepen(most_depth))
        return iterations[-1] if iterations else None

    @property
    def _stopped(self) -> bool:
        out_of_nodes = self._node_limit is not None and self._nodes >= self._node_limit
        return out_of_nodes or self._should_stop()

    def _root_search(self, moves: tuple[Move, ...], depth: int) -> tuple[int, tuple[Move, ...]]:
        """The best score and the moves with the best one first; raises when stopped before any move was searched."""
        best, best_move = -WIN, moves[0]
        for number, move in enumerate(moves):
            try:
                score = -self._visit(self._root.after(move), depth - 1, -WIN, -best, 1)
            except _StoppedError:
                if number == 0:
                    raise
                break
            if score > best or number == 0:
                best, best_move = score, move
        return best, (best_move, *(move for move in moves if move is not best_move))

    def _visit(self, position: Position, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The score of a position that the search enters, as the side to move there sees it."""
        self._nodes += 1
        if self._nodes % _POLL_EVERY == 0 and self._should_stop():
            raise _StoppedError
        if self._node_limit is not None and self._nodes > self._node_limit:
            raise _StoppedError
        try:
            winner = self._rules.winner(position)
        except TooManyCapturesError:
            return 0  # the game ends there, see Game.outcome
        if winner is not None:
            return WIN - ply if winner is position.turn else ply - WIN
        diagram = position.diagram
        if diagram in self._path:
            return 0
        self._path.add(diagram)
        try:
            return self._alpha_beta(position, depth, alpha, beta, ply)
        finally:
            self._path.discard(diagram)

    def _alpha_beta(self, position: Position, depth: int, alpha: int, beta: int, ply: int) -> int:
        moves = self._rules.legal_moves(position)
        if depth <= 0:
            captures = tuple(move for move in moves if move.captured)
            forced = len(captures) == len(moves)
            if not captures or ply > _QUIET_LIMIT:
                return self._evaluate(position)
            if not forced:
                alpha = max(alpha, self._evaluate(position))
            moves = captures
        known = self._table.get(position)
        if known is not None and known.depth >= depth and _settles(known, alpha, beta):
            return known.score
        return self._best_of(position, moves, depth, alpha, beta, ply)

    def _best_of(self, position: Position, moves: tuple[Move, ...], depth: int, alpha: int, beta: int, ply: int) -> int:
        known = self._table.get(position)
        floor, best, best_move = alpha, -WIN, moves[0]
        for move in _ordered(moves, known.move if known else None):
            score = -self._visit(position.after(move), depth - 1, -beta, -alpha, ply + 1)
            if score > best:
                best, best_move = score, move
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        bound = 1 if best >= beta else -1 if best <= floor else 0
        # A win's distance depends on where the search came from, so it is not kept for other ways here.
        if abs(best) < _FARTHEST:
            self._remember(position, _Known(depth, best, bound, best_move))
        return best

    def _remember(self, position: Position, known: _Known) -> None:
        if len(self._table) >= _TABLE_SIZE:
            self._table.clear()
        self._table[position] = known

    def _line(self, move: Move, depth: int) -> tuple[Move, ...]:
        """The line that the table remembers after a move."""
        line = [move]
        position = self._root.after(move)
        while len(line) < depth and position in self._table:
            known = self._table[position]
            line.append(known.move)
            position = position.after(known.move)
        return tuple(line)


def _ordered(moves: tuple[Move, ...], first: Move | None) -> tuple[Move, ...]:
    """The moves, the likeliest best first."""
    if len(moves) == 1:
        return moves
    return tuple(sorted(moves, key=lambda move: (move != first, -len(move.captured), not move.promotes)))


def _settles(known: _Known, alpha: int, beta: int) -> bool:
    return known.bound == 0 or (known.bound > 0 and known.score >= beta) or (known.bound < 0 and known.score <= alpha)


def evaluation_of(ruleset: Ruleset) -> Callable[[Position], int]:
    """How a position of this rule set is judged at rest: hundredths of a man, good for the side to move."""
    worth = [_worth(ruleset, square) for square in range(len(ruleset.geometry))]
    sign = -1 if ruleset.goal == "inverted" else 1

    def evaluate(position: Position) -> int:
        white = sum(values[piece] for values, piece in zip(worth, position.contents, strict=True))
        return sign * (white if position.turn is Side.WHITE else -white)

    return evaluate


def _worth(ruleset: Ruleset, square: Square) -> tuple[int, ...]:
    """What each piece is worth to White on a square, by the piece's number."""
    king = 300 if ruleset.king_range == "flying" else 140
    row, last = ruleset.geometry.row(square), ruleset.rows - 1
    if ruleset.family == "race":
        white, black = (_nearness(ruleset, square, side) for side in Side)
        return tuple(
            {MEN[Side.WHITE]: white, MEN[Side.BLACK]: -black}.get(Piece(n), 0) for n in range(max(KINGS.values()) + 1)
        )
    worth = {
        MEN[Side.WHITE]: _man_worth(ruleset, last - row),
        KINGS[Side.WHITE]: king,
        MEN[Side.BLACK]: -_man_worth(ruleset, row),
        KINGS[Side.BLACK]: -king,
    }
    return tuple(worth.get(Piece(number), 0) for number in range(max(worth) + 1))


def _nearness(ruleset: Ruleset, square: Square, side: Side) -> int:
    """A piece of a race: more the fewer steps it is from the far end of the other side's corner."""
    column, row = ruleset.geometry.cells[square]
    steps = [
        abs(column - ruleset.geometry.cells[goal][0]) + abs(row - ruleset.geometry.cells[goal][1])
        for goal in camp(ruleset, side.other)
    ]
    return -10 * max(steps, default=0) - 15 * (square in camp(ruleset, side))


def _man_worth(ruleset: Ruleset, steps: int) -> int:
    """A man `steps` rows from its own back row: more the nearer to crowning, a little for guarding the back row."""
    each_step = 12 if ruleset.goal == "first king" else 3
    return 100 + each_step * steps + (8 if steps == 0 else 0)
