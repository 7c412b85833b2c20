"""The engine and the slow oracle on the same position, in the oracle's words."""

from __future__ import annotations

from random import Random

from engine.fen import write_fen
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Move, Position, Side
from engine.rules import Rules
from engine.ruleset import Ruleset
from tests.oracle.captures import TooManyChainsError, Way
from tests.oracle.corners import corner_moves
from tests.oracle.facts import Cell, Facts, Step
from tests.oracle.memory import Turn, ways_in_game

_LETTERS = {WHITE_MAN: "w", WHITE_KING: "W", BLACK_MAN: "b", BLACK_KING: "B"}


def side_letter(side: Side) -> str:
    return "w" if side is Side.WHITE else "b"


def cell_of(square: int, ruleset: Ruleset) -> Cell:
    column, row = ruleset.geometry.cells[square]
    return column, ruleset.rows - 1 - row


def board_of(position: Position, ruleset: Ruleset) -> dict[Cell, str]:
    board = {}
    for square, piece in enumerate(position.contents):
        if piece is not EMPTY:
            beneath = position.towers.beneath[square] if position.towers else ()
            board[cell_of(square, ruleset)] = "".join(_LETTERS[each] for each in (*beneath, piece))
    return board


def way_of(move: Move, position: Position, ruleset: Ruleset) -> Way:
    return Way(
        cell_of(move.from_square, ruleset),
        tuple(cell_of(square, ruleset) for square in move.path),
        tuple(cell_of(square, ruleset) for square in move.captured),
        move.promotes,
        frozenset(board_of(position.after(move), ruleset).items()),
        cell_of(move.huffed[0], ruleset) if move.huffed else None,
    )


def turn_of(move: Move, position: Position, ruleset: Ruleset) -> Turn:
    way, board = way_of(move, position, ruleset), board_of(position, ruleset)
    return Turn(side_letter(position.turn), {cell: board[cell] for cell in board if cell != way.huffed}, way)


def assert_same_moves(rules: Rules, facts: Facts, position: Position, turns: list[Turn]) -> bool:
    """The engine's ways are the oracle's, and its moves are their effects; False where the oracle gives up."""
    ruleset = rules.ruleset
    try:
        expected = ways_in_game(facts, board_of(position, ruleset), side_letter(position.turn), turns)
    except TooManyChainsError:
        return False
    ways = [way for found in rules.ways(position).values() for way in found]
    found = {way_of(way, position, ruleset) for way in ways}
    where = f"{ruleset.name} {write_fen(position, ruleset, by_rows=True)}"
    assert found == expected, f"{where}: not legal {_texts(found - expected)}, missing {_texts(expected - found)}"
    assert len(ways) == len(found), f"{where}: a way is listed twice"
    moves = [way_of(move, position, ruleset) for move in rules.legal_moves(position)]
    effects = {_effect(move) for move in moves}
    assert effects == {_effect(way) for way in expected}, where
    assert len(moves) == len(effects), f"{where}: a move is listed twice"
    return True


def assert_same_corner_moves(rules: Rules, directions: frozenset[Step], position: Position) -> None:
    ruleset = rules.ruleset
    board = board_of(position, ruleset)
    expected = corner_moves((8, 8), directions, board, side_letter(position.turn))
    moves = [way_of(move, position, ruleset) for move in rules.legal_moves(position)]
    assert {(move.start, move.path[-1]) for move in moves} == expected, write_fen(position, ruleset, by_rows=True)
    assert len(moves) == len(expected)
    assert not any(move.taken or move.promotes for move in moves)


def compare_from(rules: Rules, facts: Facts | frozenset[Step], start: Position, seed: int, most_plies: int) -> int:
    """Plays at random and compares before every move; how often it did. Mostly the piece moved last moves on."""
    chance = Random(seed)
    position, turns, compared = rules.opened(start), [], 0
    moved = {Side.WHITE: -1, Side.BLACK: -1}
    for _ in range(most_plies):
        if not isinstance(facts, Facts):
            assert_same_corner_moves(rules, facts, position)
        elif not assert_same_moves(rules, facts, position, turns):
            break
        compared += 1
        moves = rules.legal_moves(position)
        if not moves:
            break
        again = [move for move in moves if move.from_square == moved[position.turn]]
        move = chance.choice(again if again and chance.random() < 0.7 else moves)
        moved[position.turn] = move.to_square
        if isinstance(facts, Facts) and (facts.quiet_moves_of_one_king or facts.huffing):
            turns.append(turn_of(move, position, rules.ruleset))
        position = position.after(move)
    return compared


def _effect(way: Way) -> tuple[Cell, Cell, tuple[Cell, ...], bool]:
    off = (*way.taken, way.huffed) if way.huffed else way.taken
    return way.start, way.path[-1], tuple(sorted(off)), way.promotes


def _texts(ways: set[Way]) -> str:
    return "; ".join(sorted(_text(way) for way in ways)) or "none"


def _text(way: Way) -> str:
    path = " ".join(_name(cell) for cell in (way.start, *way.path))
    return (
        path
        + "".join(f" x{_name(cell)}" for cell in way.taken)
        + ("=K" if way.promotes else "")
        + (f" huffs {_name(way.huffed)}" if way.huffed else "")
    )


def _name(cell: Cell) -> str:
    return f"{chr(ord('a') + cell[0])}{cell[1] + 1}"
