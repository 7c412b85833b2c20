"""What a walk over the squares teaches, whatever way the board lies and whatever is broken; and what it changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.position import BLACK_MAN, EMPTY, WHITE_MAN, Side, side_of
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from engine.view import ANYTHING, BLACK, OCCUPIED, WHITE, view_of
from firmware_bridge.driver import Calibration
from firmware_bridge.placement import own_cell, turns
from station.calibrating import corrected, free_squares, learn, sides_on, thresholds

VARIANTS = ("russian", "international", "turkish", "canadian", "italian")


class Board:
    """A board with its own counting: what its cells show of a world."""

    def __init__(self, variant, turned=0, swapped=False, colours=True, dead=(), stuck=()):
        self.ruleset = load_ruleset(variant)
        self.geometry, self.turned = self.ruleset.geometry, turned
        self.home = rules_for(self.ruleset).start().contents
        self.swapped, self.colours = swapped, colours
        self.dead = {self.cell(square) for square in dead}
        self.stuck = {self.cell(square) for square in stuck}

    def cell(self, square):
        return own_cell(self.geometry, self.turned, self.geometry.cells[square])

    def shows(self, contents):
        columns, rows = self.geometry.columns, self.geometry.rows
        world = {self.cell(square): piece for square, piece in enumerate(contents)}
        return {(c, r): self.one((c, r), world.get((c, r), EMPTY)) for c in range(columns) for r in range(rows)}

    def one(self, cell, piece):
        if cell in self.stuck:
            return WHITE if self.colours else OCCUPIED
        if piece is EMPTY or cell in self.dead:
            return EMPTY
        if not self.colours:
            return OCCUPIED
        return WHITE if (side_of(piece) is Side.WHITE) != self.swapped else BLACK

    def walk(self):
        empty, start = self.shows([EMPTY] * len(self.home)), self.shows(self.home)
        placed = []
        for square in free_squares(self.home):
            cell = self.cell(square)
            placed.append((square, None if cell in self.dead | self.stuck else cell))
        return learn(self.geometry, self.home, empty, start, placed)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("colours", [True, False])
@settings(max_examples=30)
@given(data=st.data())
def test_it_learns_how_the_board_lies_its_colours_and_its_broken_squares(variant, colours, data):
    geometry = load_ruleset(variant).geometry
    squares = st.lists(st.integers(0, len(geometry) - 1), max_size=4, unique=True)
    turned = data.draw(st.sampled_from(turns(geometry)))
    swapped = colours and data.draw(st.booleans())
    dead, stuck = data.draw(squares), data.draw(squares)
    stuck = [square for square in stuck if square not in dead]
    board = Board(variant, turned, swapped, colours, dead, stuck)
    learned = board.walk()
    assert learned.is_sure
    assert 0.85 <= learned.fit <= 1
    assert learned.calibration.turned == turned
    assert learned.calibration.swapped == swapped
    assert {*learned.dead} == {*dead}
    assert {*learned.stuck} == {*stuck}
    assert {*learned.calibration.dead} == board.dead
    assert {*learned.calibration.stuck} == board.stuck


def test_without_the_walk_a_board_that_tells_no_colours_may_lie_either_way():
    board = Board("russian", 180, colours=False)
    learned = learn(board.geometry, board.home, board.shows([EMPTY] * 32), board.shows(board.home), ())
    assert learned.calibration.turned is None


def test_pieces_that_stand_anyhow_teach_nothing():
    board = Board("russian")
    scattered = board.shows([WHITE_MAN if square % 2 else EMPTY for square in range(32)])
    learned = learn(board.geometry, board.home, board.shows([EMPTY] * 32), scattered, ())
    assert not learned.is_sure


@given(st.sampled_from(turns(load_ruleset("russian").geometry)), st.booleans(), st.integers(0, 31), st.integers(0, 31))
def test_a_view_is_put_right_by_what_was_learned(turned, swapped, dead, stuck):
    board = Board("russian", turned, swapped, True, [dead], [stuck] if stuck != dead else [])
    learned = board.walk()
    contents = [EMPTY] * 32
    contents[5], contents[20], contents[dead] = WHITE_MAN, BLACK_MAN, WHITE_MAN
    shown = board.shows(contents)
    view = view_of(shown[board.cell(square)] for square in range(32))
    right = corrected(view, learned.calibration, board.geometry, turned)
    for square, piece in enumerate(contents):
        silent = square in (dead, stuck)
        known = WHITE if piece is WHITE_MAN else BLACK if piece is BLACK_MAN else EMPTY
        assert right.possible(square) == (ANYTHING if silent else known)


def test_a_view_of_a_board_that_was_never_calibrated_is_what_it_was():
    view = view_of([EMPTY] * 32, stray=[(1, 1)])
    geometry = load_ruleset("russian").geometry
    assert corrected(view, Calibration(turned=180), geometry, 180) is view


def test_thresholds_follow_each_sensor_and_its_polarity():
    geometry, home = load_ruleset("russian").geometry, rules_for(load_ruleset("russian")).start().contents
    rests = {(c, r): 32000.0 + 10 * c + r for c in range(8) for r in range(8)}
    sides = sides_on(geometry, home, 0, [(12, geometry.cells[12]), (13, None)])
    assert sides[geometry.cells[12]] is Side.WHITE
    assert geometry.cells[13] not in sides
    pull = {Side.WHITE: 8000.0, Side.BLACK: -8000.0}
    readings = {cell: rests[cell] + pull[side] for cell, side in sides.items()}
    upside_down, faint, dead = geometry.cells[0], geometry.cells[31], geometry.cells[30]
    readings[upside_down] = rests[upside_down] + 8000
    readings[faint] = rests[faint] + 3000
    readings[dead] = rests[dead] + 40
    found = thresholds(rests, readings, sides, tells_kings=True)
    assert {*found} == {*rests}
    usual = found[geometry.cells[25]]
    assert (usual.present, usual.weak, usual.king) == (3200, 4800, 11600)
    assert [found[cell].black_is_high for cell in (geometry.cells[25], upside_down, (0, 0))] == [False, True, False]
    assert found[faint].present == 1200
    assert [found[cell].is_dead for cell in (dead, faint)] == [True, False]
    assert all(found[cell].rest == round(rest) for cell, rest in rests.items())
    assert thresholds(rests, rests, sides, tells_kings=True) == {}
