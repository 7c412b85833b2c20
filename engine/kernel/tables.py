"""Tables: a rule set turned into the bits, shifts and masks that the kernel's generators run on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.game import main_road
from engine.geometry import Direction, Geometry
from engine.position import Side
from engine.ruleset import PRECEDENCES, Directions, DrawRule, Material, Ruleset

_HALF = (Direction.NORTH_WEST, Direction.NORTH_EAST, Direction.NORTH, Direction.WEST)

MIRRORED = {
    Direction.NORTH_WEST: Direction.SOUTH_WEST,
    Direction.NORTH_EAST: Direction.SOUTH_EAST,
    Direction.SOUTH_EAST: Direction.NORTH_EAST,
    Direction.SOUTH_WEST: Direction.NORTH_WEST,
    Direction.NORTH: Direction.SOUTH,
    Direction.SOUTH: Direction.NORTH,
    Direction.EAST: Direction.EAST,
    Direction.WEST: Direction.WEST,
}
"""How Black plays a direction that is stated as White plays it."""

ANY = 1_000
"""More pieces than any board holds."""

LANDINGS = {"any": 0, "behind": 1, "behind after last king": 2}
CROWNINGS = {"end": 0, "passing": 1, "stop": 2}
CAPTURES = {"obligatory": 0, "optional": 1, "huff": 2}


@dataclass(frozen=True, slots=True)
class Counter:
    """A draw rule as numbers: `limit` own moves, and the 24 `facts` that say when it counts.

    facts: 0 counts the stronger side alone; 1 resets (1 capture, 2 man move, 4 crowning); 2, 3 least and most pieces on
    the board; 4 both have kings; 5 the stronger side wins; 6 whether `stronger` or `weaker` is stated; 7 weaker on the
    main road; 8 stronger on it; 9 stronger off it; 10 both at their goal; 11 no capture is possible;
    12..17 pieces, kings, men of the stronger side, each least and most; 18..23 the same of the weaker side.
    """

    limit: int
    facts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """A capture game on bitboards. `bits[square]` is the bit of a square in official order; masks are of bits.

    Direction number d, 0..7, is `directions[d]`: the first four shift towards bit 0, and 7 - d is opposite to d. A step
    shifts by `shifts[d]` and keeps `targets[d]`. What depends on the side is a pair, White's first.
    """

    squares: int
    bits: tuple[int, ...]
    directions: tuple[Direction, ...]
    valid: int
    shifts: tuple[int, ...]
    targets: tuple[int, ...]
    man_moves: tuple[tuple[int, ...], tuple[int, ...]]
    man_captures: tuple[tuple[int, ...], tuple[int, ...]]
    king_moves: tuple[tuple[int, ...], tuple[int, ...]]
    king_captures: tuple[tuple[int, ...], tuple[int, ...]]
    last_rows: tuple[int, int]
    main_road: int
    flying: bool
    landing: int
    king_move_limit: int
    capture: int
    precedence: tuple[int, ...]
    man_may_capture_king: bool
    crowning: int
    removed_now: bool
    turn_back: bool
    men_return: bool
    first_king_wins: bool
    no_move_wins: bool
    counters: tuple[Counter, ...]

    @property
    def width(self) -> int:
        """How many bits a board needs."""
        return max(self.bits) + 1


@lru_cache(maxsize=256)
def tables_for(ruleset: Ruleset) -> Tables:
    """The tables of a capture game without towers; ValueError for the other families."""
    if ruleset.family != "capture" or ruleset.prisoners != "none":
        raise ValueError(f"{ruleset.name}: expected a capture game without towers")
    geometry = ruleset.geometry
    bits = _layout(ruleset)
    directions = _ordered(geometry, bits)
    return Tables(
        squares=len(geometry),
        bits=bits,
        directions=directions,
        valid=_mask(bits, range(len(bits))),
        shifts=tuple(abs(_shift(geometry, bits, direction) or 0) for direction in directions),
        targets=tuple(
            _mask(bits, [line[0] for lines in geometry.lines if (line := lines[direction])]) for direction in directions
        ),
        man_moves=_both_sides(ruleset.man_moves, directions),
        man_captures=_both_sides(ruleset.man_captures, directions),
        king_moves=_both_sides(ruleset.king_moves, directions),
        king_captures=_both_sides(ruleset.king_captures, directions),
        last_rows=(_row_mask(geometry, bits, 0), _row_mask(geometry, bits, geometry.rows - 1)),
        main_road=_mask(bits, main_road(ruleset)),
        flying=ruleset.king_range == "flying",
        landing=LANDINGS[ruleset.king_landing],
        king_move_limit=ruleset.king_move_limit,
        capture=CAPTURES[ruleset.capture],
        precedence=tuple(PRECEDENCES.index(name) for name in ruleset.precedence),
        man_may_capture_king=ruleset.man_may_capture_king,
        crowning=CROWNINGS[ruleset.crowning],
        removed_now=ruleset.removal == "now",
        turn_back=ruleset.turn_back,
        men_return=any(direction.opposite in ruleset.man_moves for direction in ruleset.man_moves),
        first_king_wins=ruleset.goal == "first king",
        no_move_wins=ruleset.goal == "inverted",
        counters=counters_of(ruleset),
    )


def counters_of(ruleset: Ruleset) -> tuple[Counter, ...]:
    """The move-count draw rules of a rule set, those on claim included; the search sees repetition by itself."""
    return tuple(Counter(rule.limit, _facts(rule)) for rule in ruleset.draws if not rule.times)


def _facts(rule: DrawRule) -> tuple[int, ...]:
    resets = sum(1 << place for place, name in enumerate(("capture", "man move", "crowning")) if name in rule.resets)
    stated = rule.stronger is not None or rule.weaker is not None
    return (
        int(rule.counts == "stronger"),
        resets,
        *(rule.pieces or (0, ANY)),
        int(rule.both_have_kings),
        int(rule.result == "stronger wins"),
        int(stated),
        int(rule.weaker_on_main_road),
        int(rule.stronger_on_main_road),
        int(rule.stronger_off_main_road),
        int(rule.both_at_goal),
        int(rule.no_capture),
        *_material(rule.stronger),
        *_material(rule.weaker),
    )


def _material(material: Material | None) -> Iterator[int]:
    for name in ("pieces", "kings", "men"):
        yield from (material and getattr(material, name)) or (0, ANY)


def _layout(ruleset: Ruleset) -> tuple[int, ...]:
    """The bit of each square, so that every direction is one shift; a layout with few bits.

    A chequered board of even width lies in pairs of rows with one bit between them that is never set.
    """
    geometry = ruleset.geometry
    cells, half = geometry.cells, geometry.columns // 2
    from_left = [(2 * half + 1) * (row // 2) + half * (row % 2) + column // 2 for column, row in cells]
    from_right = [
        (2 * half + 1) * (row // 2) + half * (row % 2) + (geometry.columns - 1 - column) // 2 for column, row in cells
    ]
    halved = [(row * geometry.columns + column) // 2 for column, row in cells]
    plain = [row * geometry.columns + column for column, row in cells]
    for bits in (halved, from_left, from_right, plain):
        if len(set(bits)) == len(bits) and all(_shift(geometry, bits, d) is not None for d in Direction):
            return tuple(bits)
    raise ValueError(f"{ruleset.name}: no layout of its board has one shift a direction")


def _shift(geometry: Geometry, bits: Sequence[int], direction: Direction) -> int | None:
    """How far a step in a direction moves a bit, 0 where the board has no such step; None when that differs."""
    steps = {bits[line[0]] - bits[square] for square, lines in enumerate(geometry.lines) if (line := lines[direction])}
    return None if len(steps) > 1 else steps.pop() if steps else 0


def _ordered(geometry: Geometry, bits: Sequence[int]) -> tuple[Direction, ...]:
    """The eight directions: four that shift towards bit 0, and their opposites in reverse order."""
    half = tuple(d if (_shift(geometry, bits, d) or -1) < 0 else d.opposite for d in _HALF)
    return (*half, *(direction.opposite for direction in reversed(half)))


def _both_sides(stated: Directions, directions: tuple[Direction, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Numbers of the directions that White and Black play, of those stated as White plays them."""
    white = tuple(sorted(directions.index(direction) for direction in stated))
    return white, tuple(sorted(directions.index(MIRRORED[direction]) for direction in stated))


def _mask(bits: Sequence[int], squares: Iterable[int]) -> int:
    return sum(1 << bit for bit in {bits[square] for square in squares})


def _row_mask(geometry: Geometry, bits: Sequence[int], row: int) -> int:
    return _mask(bits, (square for square in range(len(geometry)) if geometry.row(square) == row))


def side_number(side: Side) -> int:
    """0 for White, 1 for Black."""
    return int(side is Side.BLACK)
