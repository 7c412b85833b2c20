"""Rules that look back: which king may not move on (Frisian), which piece may be taken off (huffing).

Both are answered from the list of all moves of the game so far, not from a counter carried along.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from tests.oracle.captures import Board, Way, legal_chains, mine, ways
from tests.oracle.facts import Cell, Facts


class Turn(NamedTuple):
    """One turn of the game so far: who moved, on what board (a piece it huffed is off), and the way it went."""

    side: str
    board: Board
    way: Way


def resting_king(facts: Facts, board: Board, side: str, turns: Sequence[Turn]) -> Cell | None:
    """The king of `side` that has made as many quiet moves in a row as one king may, if the side has a man."""
    most = facts.quiet_moves_of_one_king
    own = [turn for turn in turns if turn.side == side][-most:]
    if not most or len(own) < most or all(board[cell][-1].isupper() for cell in mine(board, side)):
        return None
    quiet_king = all(not turn.way.taken and turn.board[turn.way.start][-1].isupper() for turn in own)
    same = all(earlier.way.path[-1] == later.way.start for earlier, later in pairwise(own))
    stands = own[-1].way.path[-1] in mine(board, side)
    return own[-1].way.path[-1] if quiet_king and same and stands else None


def ways_in_game(facts: Facts, board: Board, side: str, turns: Sequence[Turn]) -> frozenset[Way]:
    """The legal moves of `side` after these turns."""
    resting = resting_king(facts, board, side, turns)
    found = {way for way in ways(facts, board, side) if way.taken or way.start != resting}
    for cell in huffable(facts, turns):
        without = {other: tower for other, tower in board.items() if other != cell}
        found |= {way._replace(huffed=cell) for way in ways(facts, without, side) if way.taken or way.start != resting}
    return frozenset(found)


def huffable(facts: Facts, turns: Sequence[Turn]) -> frozenset[Cell]:
    """Where the pieces stand now that could have captured in the last turn, when nothing was captured in it."""
    if not facts.huffing or not turns or turns[-1].way.taken:
        return frozenset()
    last = turns[-1]
    could = {start for start, _ in legal_chains(facts, last.board, last.side)}
    return frozenset(last.way.path[-1] if cell == last.way.start else cell for cell in could)
