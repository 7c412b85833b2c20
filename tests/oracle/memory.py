"""Rules that look back: which king may not move on (Frisian), which piece may be taken off (huffing).

Both are answered from the list of all moves of the game so far, not from what a position carries along.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    has_man = any(board[cell][-1].islower() for cell in mine(board, side))
    if not facts.quiet_moves_of_one_king or not has_man:
        return None
    stands, moves = None, 0
    for turn in turns:
        way = turn.way
        if turn.side != side:
            if stands in way.taken or stands == way.huffed:
                stands, moves = None, 0
        elif way.taken or turn.board[way.start][-1].islower():
            stands, moves = None, 0
        else:
            stands, moves = way.path[-1], moves + 1 if way.start == stands else 1
    return stands if moves >= facts.quiet_moves_of_one_king else None


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
