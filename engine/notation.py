"""Squares and moves as text, as the variant writes them; each pair of functions is a round trip."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from engine.errors import AmbiguousMoveError, IllegalMoveError, NotationError
from engine.geometry import Cell, Square
from engine.position import Move, Position
from engine.ruleset import Ruleset

_COLUMNS = "abcdefghijkl"


@lru_cache(maxsize=64)
def square_names(ruleset: Ruleset, by_rows: bool = False) -> tuple[str, ...]:
    """Names of all squares in official order; `by_rows` numbers them row by row from the top left."""
    geometry = ruleset.geometry
    if by_rows:
        places = {square: place for place, square in enumerate(geometry.by_rows, 1)}
        return tuple(str(places[square]) for square in range(len(geometry)))
    if ruleset.notation == "numeric":
        return tuple(str(square + 1) for square in range(len(geometry)))
    return tuple(cell_name(cell, geometry.rows) for cell in geometry.cells)


def cell_name(cell: Cell, rows: int) -> str:
    """Name of a cell by column and row, whether or not anything is played on it."""
    column, row = cell
    return f"{_COLUMNS[column]}{rows - row}"


def square_name(square: Square, ruleset: Ruleset, by_rows: bool = False) -> str:
    """Name of a square as the variant writes it."""
    return square_names(ruleset, by_rows)[square]


@lru_cache(maxsize=64)
def _squares_by_name(ruleset: Ruleset, by_rows: bool) -> dict[str, Square]:
    names = {name: square for square, name in enumerate(square_names(ruleset, by_rows))}
    if by_rows:
        return names
    geometry = ruleset.geometry
    algebraic = {cell_name(cell, geometry.rows): square for square, cell in enumerate(geometry.cells)}
    numeric = {str(square + 1): square for square in range(len(geometry))}
    return {**algebraic, **numeric, **names}


def read_square(text: str, ruleset: Ruleset, by_rows: bool = False) -> Square:
    """The square a text names: the variant's own way, zero-padded numbers, upper case, or the other way of naming."""
    name = text.strip().lower()
    if name.isdigit():
        name = name.lstrip("0") or "0"
    square = _squares_by_name(ruleset, by_rows).get(name)
    if square is None:
        names = square_names(ruleset, by_rows)
        raise NotationError(f"{text!r} is not a square of this board, expected {names[0]} to {names[-1]}")
    return square


def move_text(move: Move, legal: Iterable[Move], ruleset: Ruleset, by_rows: bool = False) -> str:
    """A move as the variant writes it: both ends, and every landing square where the ends fit another capture too.

    A piece that is huffed before the move follows after a stroke, as in `c3-d4/e5`.
    """
    sign = ruleset.capture_sign if move.is_capture else "-"
    twins = [
        other
        for other in legal
        if other.from_square == move.from_square
        and other.to_square == move.to_square
        and other.huffed == move.huffed
        and other.effect != move.effect
    ]
    squares = (move.from_square, *(move.path if twins else move.path[-1:]))
    return sign.join(square_name(square, ruleset, by_rows) for square in squares) + _huffs(move, ruleset, by_rows)


def full_move_text(move: Move, ruleset: Ruleset, by_rows: bool = False) -> str:
    """A move with every landing square."""
    sign = ruleset.capture_sign if move.is_capture else "-"
    squares = (move.from_square, *move.path)
    return sign.join(square_name(square, ruleset, by_rows) for square in squares) + _huffs(move, ruleset, by_rows)


def _huffs(move: Move, ruleset: Ruleset, by_rows: bool) -> str:
    return "".join("/" + square_name(square, ruleset, by_rows) for square in move.huffed)


def read_huffs(text: str, ruleset: Ruleset, by_rows: bool = False) -> tuple[str, tuple[Square, ...]]:
    """A move text without the pieces it huffs, and their squares."""
    plain, *huffed = text.split("/")
    return plain, tuple(read_square(name, ruleset, by_rows) for name in huffed)


def read_move_squares(text: str, ruleset: Ruleset, by_rows: bool = False) -> tuple[Square, ...]:
    """The squares a move text lists, start first; NotationError when it is no move."""
    parts = re.split(r"\s*[-xX:×]\s*", text.strip())
    if len(parts) < 2 or not all(parts):
        raise NotationError(f"{text!r} is not a move, expected squares joined by '-' or '{ruleset.capture_sign}'")
    return tuple(read_square(part, ruleset, by_rows) for part in parts)


def fitting_moves(squares: tuple[Square, ...], ways: Iterable[Move]) -> tuple[Move, ...]:
    """The ways of moving that agree with listed squares.

    The one that lands on exactly these, if there is one; else all with the same ends that land on the squares
    between in this order.
    """
    start, *between, end = squares
    fitting = tuple(
        way for way in ways if way.from_square == start and way.to_square == end and _in_order(between, way.path[:-1])
    )
    exact = tuple(way for way in fitting if way.path == squares[1:])
    return exact or fitting


def _in_order(wanted: list[Square], path: tuple[Square, ...]) -> bool:
    remaining = iter(path)
    return all(square in remaining for square in wanted)


def read_move(text: str, position: Position, ways: Iterable[Move], ruleset: Ruleset, by_rows: bool = False) -> Move:
    """The one legal move a text means.

    `ways` are all ways of all legal moves. NotationError: no move text; IllegalMoveError: no legal move fits;
    AmbiguousMoveError: more than one effect fits.
    """
    plain, huffed = read_huffs(text, ruleset, by_rows)
    squares = read_move_squares(plain, ruleset, by_rows)
    fitting = fitting_moves(squares, (way for way in ways if way.huffed == huffed))
    effects = {move.effect: move for move in reversed(fitting)}
    if not fitting:
        raise IllegalMoveError(f"{text!r} is not a legal move for {position.turn}")
    if len(effects) > 1:
        texts = tuple(sorted(full_move_text(move, ruleset, by_rows) for move in effects.values()))
        raise AmbiguousMoveError(f"{text!r} fits {len(texts)} captures: {', '.join(texts)}", texts)
    return fitting[0]
