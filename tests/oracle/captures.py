"""The capture games by brute force: every chain of jumps there is, and afterwards the rules that strike out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.oracle.facts import Cell, Facts, Step, sights

Board = Mapping[Cell, str]
"""What stands on a cell: one letter, in the game of towers the letters from bottom to top; nothing if it is free."""

MOST_CHAINS = 2_000
"""More chains of jumps than this from one position are not looked at."""


class TooManyChainsError(Exception):
    """The position has more chains of jumps than the oracle is willing to list."""


class Jump(NamedTuple):
    """One jump of a chain: what is jumped, where to, by which step, whether right behind, and the piece that lands."""

    over: Cell
    to: Cell
    step: Step
    right_behind: bool
    by: str
    lands_as: str
    takes: str


class Way(NamedTuple):
    """One way of making a legal move, and the board it leaves."""

    start: Cell
    path: tuple[Cell, ...]
    """Every landing, the last is where it ends."""
    taken: tuple[Cell, ...]
    """In the order taken; twice the same only where a tower may be jumped twice."""
    promotes: bool
    after: frozenset[tuple[Cell, str]]
    huffed: Cell | None = None


Chain = tuple[Jump, ...]


def ways(facts: Facts, board: Board, side: str) -> frozenset[Way]:
    """All legal moves of `side` ("w" or "b") in all ways; TooManyChainsError where there is too much to list."""
    captures = frozenset(_capture(facts, board, start, chain) for start, chain in legal_chains(facts, board, side))
    if captures and facts.must_capture:
        return captures
    return captures | frozenset(quiet(facts, board, side))


def legal_chains(facts: Facts, board: Board, side: str) -> list[tuple[Cell, Chain]]:
    """Complete captures that the rules of choice leave, each with the cell it starts from."""
    begun: list[tuple[Cell, Chain]] = []
    for start in mine(board, side):
        begun += [(start, chain) for chain in all_chains(facts, board, start)]
        if len(begun) > MOST_CHAINS:
            raise TooManyChainsError
    chosen = complete(begun)
    for step in facts.choice:
        best = max((_worth(step, chain) for _, chain in chosen), default=())
        chosen = [(start, chain) for start, chain in chosen if _worth(step, chain) == best]
    if facts.king_lands == "right behind after a last king":
        chosen = [(start, chain) for start, chain in chosen if chain[-1].right_behind or not _king_by_king(chain[-1])]
    return chosen


def mine(board: Board, side: str) -> list[Cell]:
    """Cells of one side's pieces, or of the towers it commands."""
    return [cell for cell, tower in board.items() if tower[-1].lower() == side]


def all_chains(facts: Facts, board: Board, start: Cell) -> list[Chain]:
    """Every chain of jumps that one piece can begin, whole or broken off anywhere."""
    found: list[Chain] = []
    unlooked: list[Chain] = [()]
    while unlooked:
        chain = unlooked.pop()
        longer = [(*chain, jump) for jump in _jumps(facts, board, start, chain)]
        found += longer
        unlooked += longer
        if len(found) > MOST_CHAINS:
            raise TooManyChainsError
    return found


def _jumps(facts: Facts, board: Board, start: Cell, chain: Chain) -> Iterator[Jump]:
    here, piece = (chain[-1].to, chain[-1].lands_as) if chain else (start, board[start][-1])
    if facts.crowned == "and stops" and any(jump.by != jump.lands_as for jump in chain):
        return
    allowed = _as_played(facts.king_jumps if piece.isupper() else facts.man_jumps, piece)
    flies = piece.isupper() and facts.king_flies
    now = _standing(facts, board, start, chain)
    for there, step, between in sights(facts)[here]:
        if step not in allowed or there in now or (not flies and len(between) != 1):
            continue
        in_the_way = [cell for cell in between if cell in now]
        if len(in_the_way) != 1 or not _may_be_jumped(facts, now, in_the_way[0], piece, chain):
            continue
        if chain and not facts.may_turn_back and step == (-chain[-1].step[0], -chain[-1].step[1]):
            continue
        right_behind = between[-1] == in_the_way[0]
        if facts.king_lands == "right behind" and not right_behind:
            continue
        crowned = facts.crowned != "at the end" and there[1] == _last_rank(facts, piece)
        yield Jump(
            in_the_way[0],
            there,
            step,
            right_behind,
            piece,
            piece.upper() if crowned else piece,
            now[in_the_way[0]][-1],
        )


def _as_played(steps: frozenset[Step], piece: str) -> frozenset[Step]:
    return steps if piece.lower() == "w" else frozenset((-files, -ranks) for files, ranks in steps)


def _last_rank(facts: Facts, piece: str) -> int:
    return facts.ranks - 1 if piece.lower() == "w" else 0


def _standing(facts: Facts, board: Board, start: Cell, chain: Chain) -> dict[Cell, str]:
    """What is in the way after these jumps; jumped pieces too unless taken off at once ("." is an emptied tower)."""
    now = {cell: tower for cell, tower in board.items() if cell != start}
    for jump in chain:
        if facts.prisoners:
            rest = now[jump.over][:-1]
            now[jump.over] = rest or "."
        if facts.taken_off_at_once and now[jump.over] in (".", board[jump.over]):
            del now[jump.over]
    return now


def _may_be_jumped(facts: Facts, now: Board, over: Cell, piece: str, chain: Chain) -> bool:
    top = now[over][-1]
    if top == "." or top.lower() == piece.lower():
        return False
    if top.isupper() and piece.islower() and not facts.man_takes_king:
        return False
    return facts.second_jump or all(jump.over != over for jump in chain)


def complete(begun: list[tuple[Cell, Chain]]) -> list[tuple[Cell, Chain]]:
    """The chains that go on as long as they can, and whose last landing was not chosen so as to evade going on."""
    goes_on = {(start, chain[:-1]) for start, chain in begun}
    one_landing_goes_on = {(start, chain[:-1], chain[-1].over) for start, chain in begun if (start, chain) in goes_on}
    return [(start, chain) for start, chain in begun if (start, chain[:-1], chain[-1].over) not in one_landing_goes_on]


def _worth(step: str, chain: Chain) -> tuple[int, ...]:
    """How good a capture is by one step of the rules of choice; the best is the only one allowed."""
    kings = sum(jump.takes.isupper() for jump in chain)
    match step:
        case "most":
            return (len(chain),)
        case "value":  # n kings are worth more than 2n-1 men and less than 2n
            return (1000 * len(chain) + 999 * kings,)
        case "by a king":
            return (chain[0].by.isupper(),)
        case "most kings":
            return (kings,)
        case "kings early":
            return tuple(jump.takes.isupper() for jump in chain)
    raise ValueError(step)


def _king_by_king(jump: Jump) -> bool:
    return jump.by.isupper() and jump.takes.isupper()


def _capture(facts: Facts, board: Board, start: Cell, chain: Chain) -> Way:
    end = chain[-1].to
    piece = board[start][-1]
    crowned = chain[-1].lands_as != piece or (piece.islower() and end[1] == _last_rank(facts, piece))
    after = dict(board)
    mover = after.pop(start)[:-1] + (piece.upper() if crowned else piece)
    for jump in chain:
        if facts.prisoners:
            mover = (jump.takes if facts.prisoners == "keep their rank" else jump.takes.lower()) + mover
            after[jump.over] = after[jump.over][:-1]
        else:
            after[jump.over] = ""
    after[end] = mover
    left = frozenset((cell, tower) for cell, tower in after.items() if tower)
    return Way(start, tuple(jump.to for jump in chain), tuple(jump.over for jump in chain), crowned, left)


def quiet(facts: Facts, board: Board, side: str) -> Iterator[Way]:
    """Every move that takes nothing, whether or not a capture is on the board."""
    for start in mine(board, side):
        piece = board[start][-1]
        allowed = _as_played(facts.king_steps if piece.isupper() else facts.man_steps, piece)
        for there, step, between in sights(facts)[start]:
            far = bool(between) and not (piece.isupper() and facts.king_flies)
            if step in allowed and there not in board and not far and not any(cell in board for cell in between):
                crowned = piece.islower() and there[1] == _last_rank(facts, piece)
                after = dict(board)
                tower = after.pop(start)
                after[there] = tower[:-1] + (piece.upper() if crowned else piece)
                yield Way(start, (there,), (), crowned, frozenset(after.items()))
