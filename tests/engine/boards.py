"""What the engine's tests share: variants, boards turned round, random positions and games."""

from __future__ import annotations

from dataclasses import fields, replace

from hypothesis import strategies as st

from engine.fen import read_fen
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Move, Position, Side
from engine.rules import Rules, rules_for
from engine.ruleset import Ruleset, load_ruleset, variant_names


def moves_alike(ruleset: Ruleset) -> Ruleset:
    """The rule set with all taken away that has nothing to do with how pieces move."""
    return replace(
        ruleset,
        name="",
        title="",
        source="",
        base="",
        notation="numeric",
        results=("", "", ""),
        draws=(),
        articles={},
        pdn_type=0,
        pdn_game_type="",
        capture_sign="x",
        touch_move=True,
        removal_order="any",
        goal="normal",
        start_fen="",
        men_rows=1,
        skipped_rows=0,
        first=Side.WHITE,
    )


def each_kind() -> tuple[str, ...]:
    """One rule set of the capture games for every way of moving."""
    kinds: dict[tuple[object, ...], str] = {}
    for ruleset in map(load_ruleset, variant_names()):
        plain = moves_alike(ruleset)
        facts = tuple(getattr(plain, item.name) for item in fields(plain) if item.name != "articles")
        if ruleset.family == "capture" and (facts not in kinds or not ruleset.base):
            kinds[facts] = ruleset.name
    return tuple(kinds.values())


VARIANTS = each_kind()

_OTHER_COLOUR = {
    EMPTY: EMPTY,
    WHITE_MAN: BLACK_MAN,
    WHITE_KING: BLACK_KING,
    BLACK_MAN: WHITE_MAN,
    BLACK_KING: WHITE_KING,
}


def rules_of(variant: str) -> Rules:
    return rules_for(load_ruleset(variant))


def position_in(variant: str, fen: str, by_rows: bool = False) -> Position:
    return read_fen(fen, load_ruleset(variant), by_rows)


def turned(square: int, ruleset: Ruleset) -> int:
    """The square that Black sees where White sees this one."""
    geometry = ruleset.geometry
    column, row = geometry.cells[square]
    return geometry.squares_by_cell[geometry.columns - 1 - column, geometry.rows - 1 - row]


def turned_position(position: Position, ruleset: Ruleset) -> Position:
    contents = list(position.contents)
    for square, piece in enumerate(position.contents):
        contents[turned(square, ruleset)] = _OTHER_COLOUR[piece]
    return Position(tuple(contents), position.turn.other)


def turned_move(move: Move, ruleset: Ruleset) -> Move:
    return Move(
        turned(move.from_square, ruleset),
        tuple(turned(square, ruleset) for square in move.path),
        tuple(turned(square, ruleset) for square in move.captured),
        move.promotes,
    )


@st.composite
def positions(draw: st.DrawFn, variant: str) -> Position:
    """Any sparse position without men on the row where they are crowned."""
    ruleset = load_ruleset(variant)
    geometry = ruleset.geometry
    pieces = st.sampled_from([EMPTY] * 5 + [WHITE_MAN, BLACK_MAN] * 2 + [WHITE_KING, BLACK_KING])
    contents = draw(st.lists(pieces, min_size=len(geometry), max_size=len(geometry)))
    for square, piece in enumerate(contents):
        crowned_on = {WHITE_MAN: 0, BLACK_MAN: ruleset.rows - 1}.get(piece)
        if geometry.row(square) == crowned_on:
            contents[square] = EMPTY
    return Position(tuple(contents), draw(st.sampled_from(Side)))


@st.composite
def games(draw: st.DrawFn, variant: str, most_plies: int = 60) -> tuple[Move, ...]:
    """Moves of a game from the start, each one legal."""
    rules = rules_of(variant)
    position = rules.start()
    moves: list[Move] = []
    for choice in draw(st.lists(st.integers(0, 1000), max_size=most_plies)):
        legal = rules.legal_moves(position)
        if not legal:
            break
        moves.append(legal[choice % len(legal)])
        position = position.after(moves[-1])
    return tuple(moves)
