"""Endings: endgame tables of a rule set, how they are made, what their files hold, and what they say of a position.

A file holds one slice (see `engine.kernel.endings`): of each position whether the side to move wins, draws or loses,
packed so that the search can look it up in place; and how far the end is, packed more tightly, for the moves of a game.
Files begin with a line that names the format and a checksum of the next line, which is JSON and describes the rest.
Tables do not know the draw rules that count moves, nor repetition. Where a king may not go on moving while its side has
a man (Frisian), there are tables of kings and single men alone, for which that rule says nothing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from mmap import mmap
from types import ModuleType
from typing import Any

from engine.errors import TooManyCapturesError
from engine.position import KINGS, MEN, Move, Piece, Position, Side
from engine.rules import rules_for
from engine.ruleset import Ruleset

try:
    from engine.kernel import endings as _endings
    from engine.kernel import retrograde as _retrograde
    from engine.kernel import wide_endings, wide_retrograde
    from engine.kernel.tables import Tables, tables_for

    # Interpreted, it would take a hundred times as long.
    HAS_KERNEL = not any(str(module.__file__).endswith(".py") for module in (_endings, _retrograde))
except ImportError:
    HAS_KERNEL = False

FORMAT = b"dambord endings 1"

MANY_SQUARES = 64
"""Boards with more squares get tables of fewer pieces unless more are asked for."""

BLOCK = 65_536
"""How many distances are compressed together."""

Slice = tuple[int, int, int, int, int]
"""(side to move, own men, own kings, enemy men, enemy kings); the side is 0 where the rules are the same for both."""


class EndingsError(ValueError):
    """A rule set that no tables can be made for, or a file that does not hold what it should."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a position ends with best play by both: 1 won by the side to move, 0 drawn, -1 lost; and in how many plies.

    Plies beyond 250 are told as about 250; where a draw rule ends games at once they may be one too many or too few.
    """

    value: int
    plies: int = 0


@dataclass(frozen=True, slots=True)
class Ending:
    """One slice as its file holds it. `order` is that of the digits in `values`; `distances` are compressed codes."""

    which: Slice
    numbers: int
    order: tuple[int, ...]
    values: memoryview
    distances: tuple[memoryview, ...]

    def code(self, number: int) -> int:
        """The code of the position with this number: 0 drawn, 1 + n won, 128 + n lost, plies // 2 being n."""
        return self._block(number // BLOCK)[number % BLOCK]

    def codes(self) -> bytes:
        """All codes; EndingsError when they are spoilt, as for `code`."""
        return b"".join(self._block(block) for block in range(len(self.distances)))

    def _block(self, block: int) -> bytes:
        try:
            codes = zlib.decompress(self.distances[block])
        except zlib.error as error:
            raise EndingsError(f"endgame table {self.which}: spoilt: {error}") from error
        expected = min(BLOCK, self.numbers - block * BLOCK)
        if len(codes) != expected:
            raise EndingsError(f"endgame table {self.which}: {len(codes)} distances, expected {expected}")
        return codes


def default_pieces(ruleset: Ruleset) -> int:
    """Up to how many pieces tables are made when nobody asks for more."""
    return 4 if len(ruleset.geometry) <= MANY_SQUARES else 3


def refusal(ruleset: Ruleset) -> str:
    """Why there are no tables for a rule set, as a sentence; empty when there can be."""
    if not HAS_KERNEL:
        return "endgame tables need the compiled kernel"
    if ruleset.family != "capture" or ruleset.prisoners != "none":
        return f"{ruleset.name}: endgame tables are for capture games without towers"
    if ruleset.capture == "huff":
        return f"{ruleset.name}: no endgame tables: what is legal depends on the move before"
    if tables_for(ruleset).width > 128:
        return f"{ruleset.name}: no endgame tables: the board is too large"
    return ""


def fingerprint(ruleset: Ruleset) -> str:
    """16 hexadecimal digits of everything in a rule set that endgame tables depend on; EndingsError where none can be.

    Rule sets that differ in their names, or in draw rules that count moves, share their tables.
    """
    tables = _tables(ruleset)
    facts = {field.name: getattr(tables, field.name) for field in fields(tables) if field.name != "counters"}
    facts["at once"] = [counter.facts for counter in tables.counters if not counter.limit]
    return sha256(FORMAT + repr(sorted(facts.items())).encode()).hexdigest()[:16]


def file_name(which: Slice) -> str:
    """What the file of a slice is called."""
    side, *numbers = which
    return f"{'wb'[side]}{''.join(map(str, numbers))}.ending"


# Making tables


@dataclass(frozen=True, slots=True)
class Step:
    """What is computed together: the slices of the same material, and how many numbers they have."""

    slices: tuple[Slice, ...]
    numbers: int
    needs: frozenset[Slice]


def steps(ruleset: Ruleset, pieces: int) -> Iterator[Step]:
    """Everything there is to compute up to so many pieces, each step after those it needs."""
    tables = _tables(ruleset)
    module = _module(tables)
    if not 2 <= pieces <= module.MOST_PIECES:
        raise EndingsError(f"endgame tables of {pieces} pieces: expected 2 to {module.MOST_PIECES}")
    index = module.Index(tables)
    done: set[Slice] = set()
    for count in range(2, pieces + 1):
        for which in module.slices(tables, index, count):
            if which in done:
                continue
            pair = tuple(dict.fromkeys((which, index.facing(which))))
            done.update(pair)
            needs = frozenset().union(*(module.leads_to(each, tables, index) for each in pair))
            yield Step(pair, sum(index.size(each) for each in pair), needs - frozenset(pair))


def make(ruleset: Ruleset, step: Step, known: Callable[[Slice], Ending]) -> dict[str, bytes]:
    """Compute the slices of a step, given those it needs; the content of each file by its name."""
    tables = _tables(ruleset)
    module = wide_retrograde if tables.width > 64 else _retrograde
    solver = module.Solver(tables)
    codes = {which: known(which).codes() for which in step.needs}
    files = {}
    for which, (found, values) in solver.solve(step.slices[0], codes).items():
        order, packed = module.Packer(solver.index.digits(which)).pack(values)
        files[file_name(which)] = write(ruleset, which, order, packed, module.without_holes(found))
    return files


def write(ruleset: Ruleset, which: Slice, order: Sequence[int], values: bytes, codes: bytes) -> bytes:
    """The content of a file."""
    blocks = [zlib.compress(codes[at : at + BLOCK], 6) for at in range(0, len(codes), BLOCK)]
    header = {
        "rules": fingerprint(ruleset),
        "name": ruleset.name,
        "slice": which,
        "numbers": len(codes),
        "order": order,
        "values": len(values),
        "checksum": zlib.crc32(values),
        "distances": [len(block) for block in blocks],
    }
    line = json.dumps(header).encode() + b"\n"
    return b"".join((FORMAT, b" %08x\n" % zlib.crc32(line), line, values, *blocks))


def read(content: bytes | mmap, rules: str) -> Ending:
    """What a file holds, given as a buffer that stays in use; EndingsError when it is not whole or of other rules.

    Distances are checked when they are read.
    """
    view = memoryview(content)
    start = len(FORMAT) + 10
    first = bytes(view[:start])
    end = bytes(view[start : start + 65_536]).find(b"\n") + 1 + start
    line = bytes(view[start:end])
    if first != FORMAT + b" %08x\n" % zlib.crc32(line) or end == start:
        raise EndingsError("expected the first lines of an endgame table of this version")
    header: dict[str, Any] = json.loads(line)
    if header["rules"] != rules:
        raise EndingsError(f"a table for other rules ({header['name']}), expected {rules}")
    if end + header["values"] + sum(header["distances"]) != len(view):
        raise EndingsError(f"{len(view)} bytes, expected {end + header['values'] + sum(header['distances'])}")
    values = view[end : end + header["values"]]
    if zlib.crc32(values) != header["checksum"]:
        raise EndingsError("its checksum is wrong")
    blocks, at = [], end + header["values"]
    for length in header["distances"]:
        blocks.append(view[at : at + length])
        at += length
    return Ending(_slice(header["slice"]), header["numbers"], tuple(header["order"]), values, tuple(blocks))


def _slice(numbers: Sequence[int]) -> Slice:
    side, men, kings, enemy_men, enemy_kings = numbers
    return (side, men, kings, enemy_men, enemy_kings)


# Using tables


class EndingTables:
    """The endgame tables there are for a rule set."""

    def __init__(self, ruleset: Ruleset, endings: Iterable[Ending] = ()) -> None:
        self.ruleset = ruleset
        self._tables = _tables(ruleset)
        self._index: Any = _module(self._tables).Index(self._tables)
        self._rules = rules_for(ruleset)
        self.endings: Mapping[Slice, Ending] = {ending.which: ending for ending in endings}

    @property
    def most_pieces(self) -> int:
        """Up to how many pieces any table goes."""
        return max((sum(which[1:]) for which in self.endings), default=0)

    def for_search(self) -> object:
        """What the kernel's search looks positions up in; it points into the buffers of the files."""
        found = _module(self._tables).Endings(self._tables)
        for which, ending in self.endings.items():
            found.add(which, ending.order, ending.values)
        return found

    def verdict(self, position: Position) -> Verdict | None:
        """How a position ends; None where no table tells, or where it is spoilt."""
        boards = _boards(position, self._tables.bits)
        which = self._index.slice_of(boards)
        if which not in self.endings:
            return None
        try:
            code = self.endings[which].code(self._index.number_of(boards))
        except EndingsError:
            return None
        if code == 0:
            return Verdict(0)
        moves, is_won = (code - 1, True) if code < 128 else (code - 128, False)
        return Verdict(1 if is_won else -1, 2 * moves + int(is_won != self._tables.no_move_wins))

    def moves(self, position: Position) -> tuple[tuple[Move, Verdict], ...]:
        """Legal moves and how each ends for who makes it, the quickest win or the longest resistance first.

        None of them where a table is missing for one.
        """
        found = []
        for move in self._rules.legal_moves(position):
            verdict = self._after(position.after(move))
            if verdict is None:
                return ()
            found.append((move, Verdict(-verdict.value, verdict.plies + 1)))
        return tuple(sorted(found, key=lambda each: (-each[1].value, each[1].value * each[1].plies)))

    def _after(self, position: Position) -> Verdict | None:
        try:
            winner = self._rules.winner(position)
        except TooManyCapturesError:
            return Verdict(0)
        if winner is not None:
            return Verdict(1 if winner is position.turn else -1)
        return self.verdict(position)


def _tables(ruleset: Ruleset) -> Tables:
    reason = refusal(ruleset)
    if reason:
        raise EndingsError(reason)
    return tables_for(ruleset)


def _module(tables: Tables) -> ModuleType:
    module: ModuleType = wide_endings if tables.width > 64 else _endings
    return module


def _boards(position: Position, bits: Sequence[int]) -> tuple[int, int, int, int, int]:
    """(white men, white kings, black men, black kings) as sets of bits, and the side to move."""

    def where(piece: Piece) -> int:
        return sum(1 << bits[square] for square, content in enumerate(position.contents) if content is piece)

    white, black = Side.WHITE, Side.BLACK
    return (where(MEN[white]), where(KINGS[white]), where(MEN[black]), where(KINGS[black]), int(position.turn is black))
