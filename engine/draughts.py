"""The capture games: one generator for all, readable rather than fast; it is the truth the kernel is held to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.errors import TooManyCapturesError
from engine.fen import read_fen
from engine.geometry import Direction, Square
from engine.position import (
    EMPTY,
    KINGS,
    MEN,
    Effect,
    KingRun,
    Move,
    Piece,
    Position,
    Side,
    Towers,
    Trail,
    is_king,
    position_of,
)
from engine.ruleset import Directions, Ruleset

MOST_JUMPS = 30_000
"""How many jumps are tried in one position before it counts as one whose captures cannot be listed.

Positions of real games need some hundreds; a few kings among many loose men have millions."""

_MIRROR = {
    Direction.NORTH_WEST: Direction.SOUTH_WEST,
    Direction.NORTH_EAST: Direction.SOUTH_EAST,
    Direction.SOUTH_EAST: Direction.NORTH_EAST,
    Direction.SOUTH_WEST: Direction.NORTH_WEST,
    Direction.NORTH: Direction.SOUTH,
    Direction.SOUTH: Direction.NORTH,
    Direction.EAST: Direction.EAST,
    Direction.WEST: Direction.WEST,
}

_Lines = tuple[tuple[tuple[int, tuple[Square, ...]], ...], ...]
"""Per square: (direction, squares seen that way), only directions with a square in them."""

_ShortJumps = tuple[tuple[tuple[Square, Square], ...], ...]
"""Per square: (jumped square, landing square) of every jump over a neighbour."""


@dataclass(frozen=True, slots=True)
class _Jumps:
    """A capture so far: landing squares, captured squares, and whether the piece is a king by now."""

    path: tuple[Square, ...]
    captured: tuple[Square, ...]
    king: bool


@dataclass(frozen=True, slots=True)
class _Generated:
    """Legal moves, one for each effect, and all ways of making them."""

    moves: tuple[Move, ...]
    ways: tuple[Move, ...]


@dataclass(slots=True)
class _Capture:
    """The capture being tried: a board that changes with every jump, whose it is, and whether it may stop early.

    `beneath` is what stands under the top pieces where there are towers; `jumps` counts what was tried.
    """

    board: list[Piece]
    side: Side
    unfinished: bool
    beneath: tuple[tuple[Piece, ...], ...] | None
    jumps: int = 0


@dataclass(frozen=True, slots=True)
class _Reach:
    """What one side's men and kings can do from each square."""

    man_moves: _Lines
    man_captures: _Lines
    king_moves: _Lines
    king_captures: _Lines
    man_jumps: _ShortJumps
    king_jumps: _ShortJumps
    last_row: frozenset[Square]


class DraughtsRules:
    """Rules of a capture game. Pure: every method is a function of the rule set and the position."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._ruleset = ruleset
        self._geometry = ruleset.geometry
        self._reach = {side: self._reach_of(side) for side in Side}
        self._flying = ruleset.king_range == "flying"
        self._stop_at_last_row = ruleset.crowning == "stop"
        self._crown_in_passing = ruleset.crowning == "passing"
        self._remove_at_once = ruleset.removal == "now"
        self._second_jump = ruleset.second_jump
        self._generate = lru_cache(maxsize=4096)(self._generate_moves)

    @property
    def ruleset(self) -> Ruleset:
        """The facts these rules follow from."""
        return self._ruleset

    def start(self) -> Position:
        """The position a game begins from."""
        rules = self._ruleset
        if rules.start_fen:
            return self.opened(replace(read_fen(rules.start_fen, rules), turn=rules.first))
        rows = {square: self._geometry.row(square) for square in range(len(self._geometry))}
        near = range(rules.skipped_rows, rules.skipped_rows + rules.men_rows)
        black = [square for square, row in rows.items() if row in near]
        white = [square for square, row in rows.items() if rules.rows - 1 - row in near]
        return self.opened(position_of(len(rows), rules.first, white_men=white, black_men=black))

    def opened(self, position: Position) -> Position:
        """The position as the first of a game, with what these rules must remember from then on."""
        rules = self._ruleset
        towers, trail = position.towers, position.trail
        if towers is None and rules.prisoners != "none":
            towers = Towers(((),) * len(position.contents), rules.prisoners == "keep rank")
        if trail is None and (rules.king_move_limit or rules.capture == "huff"):
            runs = (KingRun(), KingRun()) if rules.king_move_limit else None
            trail = Trail(runs, None, rules.capture == "huff")
        return Position(position.contents, position.turn, towers, trail)

    def legal_moves(self, position: Position) -> tuple[Move, ...]:
        """Legal moves, one for each effect, in a fixed order; TooManyCapturesError when they cannot be listed."""
        return self._generate(position).moves

    def ways(self, position: Position) -> Mapping[Effect, tuple[Move, ...]]:
        """Every way a legal move can be made, by effect."""
        ways: dict[Effect, list[Move]] = {}
        for move in self._generate(position).ways:
            ways.setdefault(move.effect, []).append(move)
        return {effect: tuple(moves) for effect, moves in ways.items()}

    def unfinished_captures(self, position: Position) -> tuple[Move, ...]:
        """Every beginning of a capture, finished or not, before the rules of choice."""
        return tuple(self._captures(position, unfinished=True))

    def winner(self, position: Position) -> Side | None:
        """Who has won here; None while the game goes on."""
        if self._ruleset.goal == "first king":
            for side in Side:
                if position.count(KINGS[side]):
                    return side
        if self.legal_moves(position):
            return None
        return position.turn if self._ruleset.goal == "inverted" else position.turn.other

    def _generate_moves(self, position: Position) -> _Generated:
        captures = self._preferred(tuple(self._captures(position)), position)
        quiet = self._ruleset.capture != "obligatory" or not captures
        quiet_moves = tuple(self._quiet_moves(position)) if quiet else ()
        found = _Generated(_one_for_each_effect(captures) + quiet_moves, captures + quiet_moves)
        return self._with_huffs(position, found) if position.trail and position.trail.last else found

    def _with_huffs(self, position: Position, found: _Generated) -> _Generated:
        """The moves, and each again after taking off one piece that could have captured and did not."""
        moves, ways = found.moves, found.ways
        for square in self._huffable(position):
            contents = tuple(EMPTY if place == square else piece for place, piece in enumerate(position.contents))
            towers = position.towers and Towers(
                tuple(() if place == square else stack for place, stack in enumerate(position.towers.beneath)),
                position.towers.keep_rank,
            )
            without = self._generate(Position(contents, position.turn, towers))
            moves += tuple(replace(move, huffed=(square,)) for move in without.moves)
            ways += tuple(replace(move, huffed=(square,)) for move in without.ways)
        return _Generated(moves, ways)

    def _huffable(self, position: Position) -> list[Square]:
        """Where the pieces stand now that could have captured in the last move, if it was no capture."""
        last = position.trail and position.trail.last
        if not last or last[1].captured:
            return []
        before, move = last
        able = {capture.from_square for capture in self._captures(before)}
        return sorted(move.to_square if square == move.from_square else square for square in able)

    def _rested(self, position: Position) -> Square:
        """The square of the king that may make no further quiet move now; -1 when there is none."""
        runs = position.trail and position.trail.king_runs
        if not runs or not position.count(MEN[position.turn]):
            return -1
        run = runs[0] if position.turn is Side.WHITE else runs[1]
        return run.square if run.moves >= self._ruleset.king_move_limit > 0 else -1

    def _quiet_moves(self, position: Position) -> Iterator[Move]:
        contents, reach = position.contents, self._reach[position.turn]
        man, king = MEN[position.turn], KINGS[position.turn]
        rested = self._rested(position)
        for square, piece in enumerate(contents):
            if piece is man:
                for _, line in reach.man_moves[square]:
                    if contents[line[0]] is EMPTY:
                        yield Move(square, (line[0],), (), line[0] in reach.last_row)
            elif piece is king and square != rested:
                for _, line in reach.king_moves[square]:
                    for target in line if self._flying else line[:1]:
                        if contents[target] is not EMPTY:
                            break
                        yield Move(square, (target,))

    def _captures(self, position: Position, unfinished: bool = False) -> Iterator[Move]:
        """Every capture before the rules of choice; with `unfinished` also each that stops before it must."""
        man, king = MEN[position.turn], KINGS[position.turn]
        reach = self._reach[position.turn]
        board = list(position.contents)
        capture = _Capture(board, position.turn, unfinished, position.towers.beneath if position.towers else None)
        for square in self._jumpers(position):
            piece = board[square]
            board[square] = EMPTY
            for jumps in self._jumps(capture, square, -1, _Jumps((), (), piece is king)):
                promotes = piece is man and (jumps.king or jumps.path[-1] in reach.last_row)
                yield Move(square, jumps.path, jumps.captured, promotes)
            board[square] = piece

    def _jumpers(self, position: Position) -> list[Square]:
        """Squares of the pieces that may have a jump: short pieces that have one next to them, and flying kings."""
        contents, reach = position.contents, self._reach[position.turn]
        man, king = MEN[position.turn], KINGS[position.turn]
        enemies = (MEN[position.turn.other], KINGS[position.turn.other])
        jumpers: list[Square] = []
        for square, piece in enumerate(contents):
            if piece is man:
                jumps = reach.man_jumps[square]
            elif piece is not king:
                continue
            elif self._flying:
                jumpers.append(square)
                continue
            else:
                jumps = reach.king_jumps[square]
            for over, landing in jumps:
                if contents[landing] is EMPTY and contents[over] in enemies:
                    jumpers.append(square)
                    break
        return jumpers

    def _jumps(self, capture: _Capture, square: Square, came: int, done: _Jumps) -> Iterator[_Jumps]:
        """Every completed capture that goes on from `done` with the piece on `square`; none when no jump is there."""
        board, side = capture.board, capture.side
        reach = self._reach[side]
        capture.jumps += 1
        if capture.jumps > MOST_JUMPS:
            raise TooManyCapturesError(
                f"{side} has captures that can go on in more than {MOST_JUMPS} ways here, too many to be listed; "
                "expected a position with fewer loose pieces"
            )
        for direction, line in (reach.king_captures if done.king else reach.man_captures)[square]:
            if came >= 0 and not self._ruleset.turn_back and direction == came ^ 2:
                continue
            over, landings = self._jump_along(board, side, line, done.king)
            if not landings:
                continue
            taken = board[over]
            board[over] = self._left_behind(capture, over, done)
            yield from self._after_jump(capture, direction, landings, is_king(taken), _jumped(done, over))
            board[over] = taken

    def _left_behind(self, capture: _Capture, over: Square, done: _Jumps) -> Piece:
        """What a jumped square counts as for the rest of the capture."""
        # A piece that stays on the board blocks and is no enemy to jump again, as an own one.
        blocked = MEN[capture.side]
        if capture.beneath is not None:
            left = len(capture.beneath[over]) - 1 - (done.captured.count(over) if self._second_jump else 0)
            if left >= 0:
                return capture.beneath[over][left] if self._second_jump else blocked
        return EMPTY if self._remove_at_once else blocked

    def _after_jump(
        self, capture: _Capture, direction: int, landings: tuple[Square, ...], king_taken: bool, done: _Jumps
    ) -> Iterator[_Jumps]:
        last_row = self._reach[capture.side].last_row
        ended: list[_Jumps] = []
        goes_on = False
        for landing in landings:
            on_last_row = not done.king and landing in last_row
            crowned = done.king or (on_last_row and self._crown_in_passing)
            so_far = _Jumps((*done.path, landing), done.captured, crowned)
            ended.append(so_far)
            if on_last_row and self._stop_at_last_row:
                continue
            for jumps in self._jumps(capture, landing, direction, so_far):
                goes_on = True
                yield jumps
        # A flying king must land where it can go on, if it can anywhere behind this piece.
        if not goes_on or capture.unfinished:
            behind_only = self._ruleset.king_landing == "behind after last king" and done.king and king_taken
            yield from ended[:1] if behind_only else ended

    def _jump_along(
        self, board: list[Piece], side: Side, line: tuple[Square, ...], king: bool
    ) -> tuple[Square, tuple[Square, ...]]:
        """The enemy on a line that can be jumped and the free squares behind it; no landings when there is no jump."""
        flying = king and self._flying
        for place, over in enumerate(line):
            content = board[over]
            if content is EMPTY:
                if flying:
                    continue
                return over, ()
            if content is MEN[side] or content is KINGS[side]:
                return over, ()
            if not king and is_king(content) and not self._ruleset.man_may_capture_king:
                return over, ()
            return over, self._landings(board, line[place + 1 :], flying)
        return -1, ()

    def _landings(self, board: list[Piece], behind: tuple[Square, ...], flying: bool) -> tuple[Square, ...]:
        free = 0
        reach = len(behind) if flying and self._ruleset.king_landing != "behind" else 1
        while free < min(reach, len(behind)) and board[behind[free]] is EMPTY:
            free += 1
        return behind[:free]

    def _preferred(self, captures: tuple[Move, ...], position: Position) -> tuple[Move, ...]:
        """The captures that the rules of choice leave, each rule applied to those left by the one before."""
        contents = position.contents
        for precedence in self._ruleset.precedence if captures else ():
            ranks = [_RANKS[precedence](move, contents) for move in captures]
            best = max(ranks)
            captures = tuple(move for move, rank in zip(captures, ranks, strict=True) if rank == best)
        return captures

    def _reach_of(self, side: Side) -> _Reach:
        rules, geometry = self._ruleset, self._geometry
        man_captures = self._lines(rules.man_captures, side)
        king_captures = self._lines(rules.king_captures, side)
        far_row = 0 if side is Side.WHITE else rules.rows - 1
        return _Reach(
            man_moves=self._lines(rules.man_moves, side),
            man_captures=man_captures,
            king_moves=self._lines(rules.king_moves, side),
            king_captures=king_captures,
            man_jumps=_short_jumps(man_captures),
            king_jumps=_short_jumps(king_captures),
            last_row=frozenset(square for square in range(len(geometry)) if geometry.row(square) == far_row),
        )

    def _lines(self, directions: Directions, side: Side) -> _Lines:
        turned = sorted(direction if side is Side.WHITE else _MIRROR[direction] for direction in directions)
        return tuple(
            tuple((int(direction), lines[direction]) for direction in turned if lines[direction])
            for lines in self._geometry.lines
        )


def _one_for_each_effect(captures: tuple[Move, ...]) -> tuple[Move, ...]:
    unique: dict[Effect, Move] = {}
    for move in captures:
        unique.setdefault(move.effect, move)
    return tuple(unique.values())


def _short_jumps(lines: _Lines) -> _ShortJumps:
    return tuple(tuple((line[0], line[1]) for _, line in seen if len(line) > 1) for seen in lines)


def _jumped(done: _Jumps, over: Square) -> _Jumps:
    return _Jumps(done.path, (*done.captured, over), done.king)


_Rank = tuple[int, ...]


def _kings_taken(move: Move, contents: tuple[Piece, ...]) -> int:
    return sum(1 for square in move.captured if is_king(contents[square]))


def _value(move: Move, contents: tuple[Piece, ...]) -> _Rank:
    """Frisian value: n kings are worth more than 2n - 1 and less than 2n men."""
    kings = _kings_taken(move, contents)
    men = len(move.captured) - kings
    return (2 * (men + 2 * kings) - (1 if kings else 0),)


_RANKS: dict[str, Callable[[Move, tuple[Piece, ...]], _Rank]] = {
    "most pieces": lambda move, contents: (len(move.captured),),
    "highest value": _value,
    "with a king": lambda move, contents: (int(is_king(contents[move.from_square])),),
    "most kings": lambda move, contents: (_kings_taken(move, contents),),
    "kings first": lambda move, contents: tuple(int(is_king(contents[square])) for square in move.captured),
}
