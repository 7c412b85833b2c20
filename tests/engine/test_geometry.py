"""The board: squares in order, and lines seen from them."""

from __future__ import annotations

import pytest

from engine.geometry import Direction, geometry
from engine.ruleset import load_ruleset, variant_names

BOARDS = [
    (8, 8, "left", "top left"),
    (8, 8, "right", "bottom right"),
    (10, 10, "left", "top left"),
    (10, 8, "left", "top left"),
    (8, 8, "all", "top left"),
    (12, 12, "right", "top right"),
]
every_board = pytest.mark.parametrize("board", BOARDS, ids=str)


@every_board
def test_squares_and_cells_belong_together(board):
    shape = geometry(*board)
    columns, rows, corner, _ = board
    assert len(shape) == columns * rows // (1 if corner == "all" else 2)
    assert len(set(shape.cells)) == len(shape)
    for square, (column, row) in enumerate(shape.cells):
        assert shape.square_at(column, row) == square
        assert shape.row(square) == row
    assert sorted(shape.by_rows) == list(range(len(shape)))
    assert [shape.cells[square][::-1] for square in shape.by_rows] == sorted(cell[::-1] for cell in shape.cells)


@every_board
def test_the_corner_plays_that_should(board):
    columns, rows, corner, _ = board
    shape = geometry(*board)
    assert (shape.square_at(0, rows - 1) is not None) == (corner in ("left", "all"))
    assert (shape.square_at(columns - 1, rows - 1) is not None) == (corner in ("right", "all"))


@every_board
def test_square_0_lies_in_its_corner(board):
    columns, rows, _, first = board
    column, row = geometry(*board).cells[0]
    assert row == (0 if first.startswith("top") else rows - 1)
    assert abs(column - (0 if first.endswith("left") else columns - 1)) <= 1


@every_board
def test_lines_run_both_ways(board):
    shape = geometry(*board)
    for square, lines in enumerate(shape.lines):
        for direction in Direction:
            for place, seen in enumerate(lines[direction]):
                assert shape.lines[seen][direction.opposite][place] == square
                assert shape.between(square, seen) == lines[direction][:place]


def test_squares_off_one_line_have_nothing_between():
    assert geometry(8, 8).between(0, 1) == geometry(8, 8).lines[0][Direction.EAST][:0]
    assert geometry(8, 8).between(0, 11) == ()


def test_a_board_is_made_once():
    assert geometry(8, 8, "left") is geometry(8, 8, "left")
    for name in variant_names():
        assert load_ruleset(name).geometry is load_ruleset(name).geometry


def test_cells_out_of_play_have_no_square():
    assert geometry(8, 8).square_at(0, 0) is None
    assert geometry(8, 8).square_at(-1, 3) is None
