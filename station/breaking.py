"""Which rule a board breaks that no story explains: the first that fits, and none where two different ones do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.explain import Violation, violation, violations, why_not
from engine.geometry import Cell, Square
from engine.notation import cell_name, full_move_text, square_name
from engine.position import EMPTY, Move, Position, side_of
from engine.rules import rules_for
from engine.ruleset import Ruleset
from station.texts import Texts
from station.tracker import Masks, Memory, differing, expect, masks_of_position, read_illegal, squares_in

SHOWN = 6
"""At most so many legal moves are named in a sentence."""

UNTOLD = ("no_such_move", "no_piece_there", "not_your_piece")
"""What is wrong with squares that somebody named explains nothing where a piece has been pushed there."""


@dataclass(frozen=True, slots=True)
class Changes:
    """How a board differs from a position: squares that were left, and squares on which something new stands."""

    left: tuple[Square, ...]
    new: tuple[Square, ...]


def broken_rule(position: Position, ruleset: Ruleset, memory: Memory, bumped: bool = False) -> Violation | None:
    """The rule that was broken in the position's next move; None where that cannot be told.

    Where a piece that was pushed aside explains the board, the squares alone prove nothing.
    """
    seen = memory.seen
    if seen is None:
        return None
    proven = (
        read_illegal(position, ruleset, memory)
        or _under_way(position, ruleset, seen)
        or _taken_off(position, ruleset, seen)
        or _off_the_squares(position, ruleset, memory)
    )
    if proven or bumped:
        return proven
    return _named_by_squares(position, ruleset, seen) or _several_moved(position, ruleset, seen)


def _changes(position: Position, seen: Masks) -> Changes:
    wrong = squares_in(differing(masks_of_position(position.contents), seen))
    left = tuple(square for square in wrong if seen[0] >> square & 1)
    return Changes(left, tuple(square for square in wrong if square not in left))


def _only(found: Iterator[Violation]) -> Violation | None:
    """The first of them, if all name the same rule."""
    listed = tuple(found)
    return listed[0] if len({item.rule for item in listed}) == 1 else None


def _under_way(position: Position, ruleset: Ruleset, seen: Masks) -> Violation | None:
    """A forbidden capture whose piece has arrived, while some of what it took still stands."""
    return _only(
        item
        for item in violations(rules_for(ruleset), position)
        if item.move.captured and _is_made_but_for(item.move.captured, position, item.move, seen)
    )


def _taken_off(position: Position, ruleset: Ruleset, seen: Masks) -> Violation | None:
    """A legal capture with which something went off that it does not take."""
    legal = tuple(item.move for item in expect(position, ruleset).candidates if item.move.is_capture)
    return _only(
        violation(ruleset, "wrong_piece_taken_off", move, surplus, (move,))
        for move in legal
        if (surplus := _surplus(position, move, seen))
        and _is_made_but_for(surplus + move.captured, position, move, seen)
    )


def _surplus(position: Position, move: Move, seen: Masks) -> tuple[Square, ...]:
    """Squares whose piece is gone although a move does not take it."""
    touched = {move.from_square, move.to_square, *move.captured, *move.huffed}
    return tuple(square for square in _changes(position, seen).left if square not in touched)


def _is_made_but_for(squares: tuple[Square, ...], position: Position, move: Move, seen: Masks) -> bool:
    """Whether a board shows what a move leaves everywhere else, and its piece on its new square."""
    after = position.after(move).contents
    others = set(squares) - {move.from_square, move.to_square}
    wrong = squares_in(differing(masks_of_position(after), seen))
    return set(wrong) <= others and after[move.from_square] is EMPTY


def _named_by_squares(position: Position, ruleset: Ruleset, seen: Masks) -> Violation | None:
    """One piece of the side to move stands on another square, and perhaps others between are gone."""
    changes = _changes(position, seen)
    if len(changes.new) != 1:
        return None
    (end,) = changes.new
    starts = [
        start
        for start in changes.left
        if side_of(position.contents[start]) is position.turn
        and set(changes.left) - {start} <= set(ruleset.geometry.between(start, end))
    ]
    if len(starts) != 1:
        return None
    found = why_not(rules_for(ruleset), position, (starts[0], end))
    return None if found is None or found.rule in UNTOLD else found


def _several_moved(position: Position, ruleset: Ruleset, seen: Masks) -> Violation | None:
    """Two or three pieces of the side to move stand on other squares; nothing else has changed."""
    changes = _changes(position, seen)
    sides = {side_of(position.contents[square]) for square in changes.left}
    if not 2 <= len(changes.left) == len(changes.new) <= 3 or sides != {position.turn}:
        return None
    move = Move(changes.left[0], changes.new[:1])
    return violation(ruleset, "one_piece_moves", move, changes.left, ())


def _off_the_squares(position: Position, ruleset: Ruleset, memory: Memory) -> Violation | None:
    """One piece is gone, and one stands on a cell on which nothing is played."""
    stray = memory.view.stray if memory.view else ()
    changes = _changes(position, memory.seen) if memory.seen else Changes((), ())
    if len(stray) != 1 or len(changes.left) != 1 or changes.new:
        return None
    (start,) = changes.left
    legal = tuple(move for move in rules_for(ruleset).legal_moves(position) if move.from_square == start)
    return violation(ruleset, "off_the_squares", Move(start, (start,)), (start,), legal)


def sentence(
    texts: Texts, broken: Violation, ruleset: Ruleset, by_rows: bool = False, stray: tuple[Cell, ...] = ()
) -> str:
    """The rule in words, where it stands, and what is legal instead."""
    words = texts.rule(
        broken.rule,
        number=str(max((len(move.captured) for move in broken.legal), default=0)),
        squares=", ".join(square_name(square, ruleset, by_rows) for square in broken.squares),
        place=place_name(texts, stray[0], ruleset) if stray else "",
    )
    if broken.article:
        words = texts.say("explain.article", rule=words, title=texts.title(ruleset), article=broken.article)
    instead = [full_move_text(move, ruleset, by_rows) for move in broken.legal]
    if not instead:
        return words
    more = len(instead) > SHOWN
    listed = ", ".join(instead[:SHOWN])
    return f"{words} {texts.say('explain.instead_among' if more else 'explain.instead', moves=listed)}"


def place_name(texts: Texts, cell: Cell, ruleset: Ruleset) -> str:
    """A cell on which nothing is played: its name where squares are named by column and row, and what is beside it."""
    column, row = cell
    around = ((column, row - 1), (column - 1, row), (column + 1, row), (column, row + 1))
    squares = ruleset.geometry.squares_by_cell
    beside = ", ".join(square_name(squares[place], ruleset) for place in around if place in squares)
    if ruleset.notation == "numeric":
        return texts.say("do.beside", squares=beside)
    return texts.say("do.beside_named", square=cell_name(cell, ruleset.geometry.rows), squares=beside)
