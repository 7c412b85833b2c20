"""Soft evidence: what a camera is not sure of is weighed against the moves that may have been made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from engine.position import EMPTY, Piece
from engine.view import ANYTHING, BoardView, Evidence, evidence_for, view_of
from station.events import BoardSeen
from tests.station.table import Table

SURE = 9.0
WHITE_MAN, BLACK_MAN = Piece.WHITE_MAN, Piece.BLACK_MAN
SIDES = {EMPTY: 0, Piece.WHITE_MAN: 1, Piece.WHITE_KING: 1, Piece.BLACK_MAN: 2, Piece.BLACK_KING: 2}


def soft(contents: Sequence[Piece], doubts: Mapping[int, float] = {}, misread: Mapping[int, Piece] = {}) -> BoardView:
    """What a camera says of a board: so many nats of a square for what it takes to be there, `SURE` where not told."""
    return BoardView(tuple(_told(misread.get(s, c), doubts.get(s, SURE)) for s, c in enumerate(contents)))


def _told(content: Piece, nats: float) -> Evidence:
    empty, white, black = (0.0 if place == SIDES[content] else -nats for place in range(3))
    return empty, white, white, black, black


def look(table: Table, view: BoardView) -> None:
    table.send(BoardSeen(table.now, view))


def played(table: Table, *names: tuple[str, str, Piece]) -> list[Piece]:
    """The contents after pieces were carried, unseen."""
    stands = list(table.stands)
    for before, after, piece in names:
        stands[table.square(before)], stands[table.square(after)] = EMPTY, piece
    table.stands = stands
    return stands


FIRST, SECOND = ("c3", "d4", WHITE_MAN), ("d6", "c5", BLACK_MAN)


@pytest.mark.parametrize("nats", [2.5, 4.0, SURE])
def test_a_move_is_read_of_whose_squares_a_camera_is_more_or_less_sure(nats):
    table = Table()
    stands = played(table, FIRST)
    look(table, soft(stands, {table.square("d4"): nats}))
    table.wait(3000)
    assert [move.to_square for move in table.session.game.moves] == [table.square("d4")]


@pytest.mark.parametrize("wrong", ["a1", "h8", "e5"])
def test_a_square_misread_by_a_little_changes_nothing(wrong):
    table = Table()
    stands = played(table)
    square = table.square(wrong)
    other = BLACK_MAN if stands[square] is EMPTY else EMPTY
    look(table, soft(stands, {square: 1.5}, {square: other}))
    table.wait(5000)
    assert not table.session.game.moves
    assert not table.session.differs


@pytest.mark.parametrize("nats", [2.25, 3.0, 4.5, SURE])
def test_two_moves_that_were_made_unseen_are_both_read_or_asked_about(nats):
    """The squares of the second are the less sure ones: the first alone must not pass for all that was done."""
    table = Table()
    look(table, view_of(ANYTHING for _ in table.stands))
    stands = played(table, FIRST, SECOND)
    table.wait(4000)
    look(table, soft(stands, {table.square("d6"): nats, table.square("c5"): nats}))
    table.wait(6000)
    moves = [(move.from_square, move.to_square) for move in table.session.game.moves]
    both = [(table.square("c3"), table.square("d4")), (table.square("d6"), table.square("c5"))]
    assert moves == both or table.session.alike


@pytest.mark.parametrize("nats", [2.5, 4.0, SURE])
def test_a_board_of_which_no_square_is_quite_sure_is_not_taken_for_covered(nats):
    table = Table()
    look(table, view_of(ANYTHING for _ in table.stands))
    stands = played(table, FIRST, SECOND)
    table.wait(4000)
    changed = {table.square(name): SURE for name in ("c3", "d4", "d6", "c5")}
    look(table, soft(stands, dict.fromkeys(range(len(stands)), nats) | changed))
    table.wait(6000)
    moves = [(move.from_square, move.to_square) for move in table.session.game.moves]
    assert moves == [(table.square("c3"), table.square("d4")), (table.square("d6"), table.square("c5"))]


def test_a_view_is_weighed_anew_when_the_position_has_changed():
    """One view, told once: what it says of the second move counts as soon as the first is in the record."""
    table = Table()
    stands = played(table, FIRST, SECOND)
    doubts = {table.square(name): 2.5 for name in ("d6", "c5")}
    look(table, soft(stands, doubts))
    table.wait(6000)
    assert len(table.session.game.moves) == 2


def test_a_hard_view_after_a_soft_one_counts_alone():
    table = Table()
    stands = played(table, FIRST)
    look(table, soft(stands, {table.square("d4"): 1.0}))
    table.look()
    table.wait(2000)
    assert table.session.soft is None
    assert len(table.session.game.moves) == 1
    assert evidence_for(EMPTY) in table.session.memory.view.seen
