"""The capture games: one generator for all, readable rather than fast; it is the truth the kernel is held to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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

MOST_JUMPS = 140_000
"""How many jumps are tried in one position before it counts as one whose captures cannot be listed: a second's work.

Positions of real games need some hundreds; a few kings among many loose men have millions."""

MOST_JUMPS_CHANGING = 60_000
"""The same where every jump changes the board and so costs more."""

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


_Jump = tuple[int, Square, Sequence[Square]]
"""(direction, jumped square, squares to land on)."""


@dataclass(slots=True)
class _Capture:
    """The capture of one piece being tried: a board that changes with every jump, and what was found so far.

    `captured` is the set of captured squares as bits. `known` says of each place in a capture (square, captured, ...)
    whether it goes on from there; it is None when every way of capturing is wanted, not one for each effect.
    """

    board: list[Piece]
    side: Side
    beneath: tuple[tuple[Piece, ...], ...] | None
    unfinished: bool
    known: dict[tuple[object, ...], bool] | None
    found: list[_Jumps]
    captured: int = 0
    jumps: int = 0
    jumps_from: dict[tuple[Square, bool], Sequence[_Jump]] = field(default_factory=dict)


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
        # Where captured pieces stay till the end, nothing on the board changes during a capture but what is taken.
        self._unchanging = ruleset.removal == "end" and not ruleset.second_jump
        self._most_jumps = MOST_JUMPS if self._unchanging else MOST_JUMPS_CHANGING
        self._far_landing = ruleset.king_landing != "behind"
        self._by_order = "kings first" in ruleset.precedence
        self._legal_moves = lru_cache(maxsize=1024)(self._generate)  # some 1.5 KB each, for every variant in use

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
        return self._legal_moves(position)

    def ways(self, position: Position) -> Mapping[Effect, tuple[Move, ...]]:
        """Every way a legal move can be made, by effect; TooManyCapturesError when they cannot be listed."""
        legal = self.legal_moves(position)
        if all(len(move.captured) < 2 for move in legal) and not self._flying:
            return {move.effect: (move,) for move in legal}
        ways: dict[Effect, list[Move]] = {}
        for move in self._generate(position, every_way=True):
            ways.setdefault(move.effect, []).append(move)
        return {effect: tuple(moves) for effect, moves in ways.items()}

    def moves_between(self, position: Position, start: Square, end: Square) -> tuple[Move, ...]:
        """The legal moves from one square to another, found faster than among all."""
        if position.trail is not None:
            return tuple(m for m in self.legal_moves(position) if (m.from_square, m.to_square) == (start, end))
        captures = self._captures_allowed(position)
        quiet = self._quiet_from(position, start) if not captures or self._ruleset.capture != "obligatory" else ()
        return tuple(move for move in (*captures, *quiet) if (move.from_square, move.to_square) == (start, end))

    def unfinished_captures(self, position: Position) -> tuple[Move, ...]:
        """Every beginning of a capture, finished or not, before the rules of choice."""
        return tuple(self._captures(position, every_way=True, unfinished=True))

    def winner(self, position: Position) -> Side | None:
        """Who has won here; None while the game goes on."""
        if self._ruleset.goal == "first king":
            for side in Side:
                if position.count(KINGS[side]):
                    return side
        if self.legal_moves(position):
            return None
        return position.turn if self._ruleset.goal == "inverted" else position.turn.other

    def _generate(self, position: Position, every_way: bool = False) -> tuple[Move, ...]:
        captures = self._captures_allowed(position, every_way)
        quiet = self._ruleset.capture != "obligatory" or not captures
        moves = captures + (tuple(self._quiet_moves(position)) if quiet else ())
        for square in self._huffable(position):
            without = self._generate(_without(position, square), every_way)
            moves += tuple(replace(move, huffed=(square,)) for move in without)
        # To jump a piece, or to huff it and pass its square, may come to the same.
        return _one_for_each_effect(moves) if position.trail and not every_way else moves

    def _captures_allowed(self, position: Position, every_way: bool = False) -> tuple[Move, ...]:
        captures = self._preferred(tuple(self._captures(position, every_way)), position)
        return captures if every_way else _one_for_each_effect(captures)

    def _huffable(self, position: Position) -> list[Square]:
        """Where the pieces stand now that could have captured in the last move, if it was no capture."""
        last = position.trail and position.trail.last
        if not last or last[1].captured:
            return []
        before, move = last
        for square in move.huffed:
            before = _without(before, square)
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
        own = (MEN[position.turn], KINGS[position.turn])
        for square, piece in enumerate(position.contents):
            if piece in own:
                yield from self._quiet_from(position, square)

    def _quiet_from(self, position: Position, square: Square) -> Iterator[Move]:
        contents, reach = position.contents, self._reach[position.turn]
        if contents[square] is MEN[position.turn]:
            for _, line in reach.man_moves[square]:
                if contents[line[0]] is EMPTY:
                    yield Move(square, (line[0],), (), line[0] in reach.last_row)
        elif contents[square] is KINGS[position.turn] and square != self._rested(position):
            for _, line in reach.king_moves[square]:
                for target in line if self._flying else line[:1]:
                    if contents[target] is not EMPTY:
                        break
                    yield Move(square, (target,))

    def _captures(self, position: Position, every_way: bool = False, unfinished: bool = False) -> Iterator[Move]:
        """Captures before the rules of choice: one for each effect at least, or every way of making them.

        With `unfinished` also those that stop before they must.
        """
        last_row = self._reach[position.turn].last_row
        man, king = MEN[position.turn], KINGS[position.turn]
        board = list(position.contents)
        beneath = position.towers.beneath if position.towers else None
        jumps = 0
        for square in self._jumpers(position):
            piece = board[square]
            board[square] = EMPTY
            # What comes after a jump depends on where the piece is and what it has taken, not on how it got there;
            # but for towers, where the order tells who is under whom.
            known: dict[tuple[object, ...], bool] | None = None if every_way or beneath is not None else {}
            capture = _Capture(board, position.turn, beneath, unfinished, known, [], jumps=jumps)
            self._jumps(capture, square, -1, _Jumps((), (), piece is king))
            jumps = capture.jumps
            board[square] = piece
            for done in capture.found:
                promotes = piece is man and (done.king or done.path[-1] in last_row)
                yield Move(square, done.path, done.captured, promotes)

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

    def _jumps(self, capture: _Capture, square: Square, came: int, done: _Jumps) -> bool:
        """Find every completed capture that goes on from `done` with the piece on `square`; False when none does."""
        place = self._place(capture, square, came, done) if capture.known is not None else ()
        if capture.known and place in capture.known:
            return capture.known[place]
        capture.jumps += 1
        if capture.jumps > self._most_jumps:
            raise TooManyCapturesError(
                f"{capture.side} has captures that go on in more than {self._most_jumps} ways here, too many to list; "
                "expected a position with fewer loose pieces"
            )
        goes_on = False
        for direction, over, landings in self._jumps_from(capture, square, done.king):
            if came >= 0 and not self._ruleset.turn_back and direction == came ^ 2:
                continue
            taken = 1 << over
            if self._unchanging and capture.captured & taken:
                continue
            goes_on = True
            content = capture.board[over]
            capture.board[over] = content if self._unchanging else self._left_behind(capture, over, done)
            capture.captured ^= taken
            jumped = _Jumps(done.path, (*done.captured, over), done.king)
            self._after_jump(capture, direction, landings, is_king(content), jumped)
            capture.captured ^= taken
            capture.board[over] = content
        if capture.known is not None:
            capture.known[place] = goes_on
        return goes_on

    def _place(self, capture: _Capture, square: Square, came: int, done: _Jumps) -> tuple[object, ...]:
        """All that the rest of a capture depends on."""
        direction = came if not self._ruleset.turn_back else None
        order = done.captured if self._by_order else None
        return (square, capture.captured, done.king, direction, order)

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
        self, capture: _Capture, direction: int, landings: Sequence[Square], king_taken: bool, done: _Jumps
    ) -> None:
        last_row = self._reach[capture.side].last_row
        ended: list[_Jumps] = []
        goes_on = False
        for landing in landings:
            on_last_row = not done.king and landing in last_row
            crowned = done.king or (on_last_row and self._crown_in_passing)
            so_far = _Jumps((*done.path, landing), done.captured, crowned)
            ended.append(so_far)
            if not (on_last_row and self._stop_at_last_row):
                goes_on |= self._jumps(capture, landing, direction, so_far)
        # A flying king must land where it can go on, if it can anywhere behind this piece.
        if not goes_on or capture.unfinished:
            behind_only = self._ruleset.king_landing == "behind after last king" and done.king and king_taken
            capture.found += ended[:1] if behind_only else ended

    def _jumps_from(self, capture: _Capture, square: Square, king: bool) -> Sequence[_Jump]:
        """The jumps of a piece from a square, as the board stands in the middle of a capture."""
        jumps = capture.jumps_from.get((square, king)) if self._unchanging else None
        if jumps is None:
            reach = self._reach[capture.side]
            lines = (reach.king_captures if king else reach.man_captures)[square]
            along = ((direction, *self._jump_along(capture, line, king)) for direction, line in lines)
            jumps = [jump for jump in along if jump[2]]
            capture.jumps_from[square, king] = jumps
        return jumps

    def _jump_along(self, capture: _Capture, line: tuple[Square, ...], king: bool) -> tuple[Square, Sequence[Square]]:
        """The enemy on a line that can be jumped and the free squares behind it; no landings when there is no jump."""
        board, enemy = capture.board, capture.side.other
        flying = king and self._flying
        place = 0
        while flying and place < len(line) - 1 and board[line[place]] is EMPTY:
            place += 1
        content = board[line[place]]
        if content is not MEN[enemy] and (
            content is not KINGS[enemy] or not (king or self._ruleset.man_may_capture_king)
        ):
            return -1, ()
        landings: list[Square] = []
        for landing in line[place + 1 :] if flying and self._far_landing else line[place + 1 : place + 2]:
            if board[landing] is not EMPTY:
                break
            landings.append(landing)
        return line[place], landings

    def _preferred(self, captures: tuple[Move, ...], position: Position) -> tuple[Move, ...]:
        """The captures that the rules of choice leave, each rule applied to those left by the one before."""
        for precedence in self._ruleset.precedence if captures else ():
            ranks = [_RANKS[precedence](move, position) for move in captures]
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


def _without(position: Position, square: Square) -> Position:
    """The position with one piece, or a whole tower, off the board; the last move is forgotten."""
    contents = tuple(EMPTY if place == square else piece for place, piece in enumerate(position.contents))
    towers = position.towers
    if towers is not None:
        beneath = tuple(() if place == square else stack for place, stack in enumerate(towers.beneath))
        towers = replace(towers, beneath=beneath)
    runs = position.trail and position.trail.king_runs
    return Position(contents, position.turn, towers, Trail(runs) if runs else None)


def _kings_among(move: Move, position: Position) -> tuple[bool, ...]:
    """Of each captured piece in order, whether it is a king; of a tower it is the top piece at that moment."""
    if position.towers is None or len(set(move.captured)) == len(move.captured):
        return tuple(is_king(position.contents[square]) for square in move.captured)
    stacks = {square: [*position.towers.beneath[square], position.contents[square]] for square in move.captured}
    return tuple(is_king(stacks[square].pop()) for square in move.captured)


_Rank = tuple[int, ...]


def _value(move: Move, position: Position) -> _Rank:
    """Frisian value: a king is worth a little less than two men (Official Rules 2011, Art. 11)."""
    kings = sum(_kings_among(move, position))
    return (1000 * len(move.captured) + 999 * kings,)


_RANKS: dict[str, Callable[[Move, Position], _Rank]] = {
    "most pieces": lambda move, position: (len(move.captured),),
    "highest value": _value,
    "with a king": lambda move, position: (int(is_king(position.contents[move.from_square])),),
    "most kings": lambda move, position: (sum(_kings_among(move, position)),),
    "kings first": lambda move, position: tuple(map(int, _kings_among(move, position))),
}
