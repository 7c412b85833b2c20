"""Positions as pictures: a board in characters that reads back, and a board as SVG for pages, paper and messages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from engine import glyphs
from engine.errors import NotationError
from engine.fen import write_fen
from engine.geometry import Cell, Square
from engine.notation import read_square, square_name
from engine.position import (
    BLACK_KING,
    BLACK_MAN,
    EMPTY,
    WHITE_KING,
    WHITE_MAN,
    Move,
    Piece,
    Position,
    Side,
    Towers,
    is_king,
    side_of,
)
from engine.ruleset import Ruleset

_UNICODE = {WHITE_MAN: "⛀", WHITE_KING: "⛁", BLACK_MAN: "⛂", BLACK_KING: "⛃", EMPTY: "·"}
_PLAIN = {WHITE_MAN: "w", WHITE_KING: "W", BLACK_MAN: "b", BLACK_KING: "B", EMPTY: "."}
_PIECES = {sign: piece for signs in (_UNICODE, _PLAIN) for piece, sign in signs.items()}
_COLUMNS = "abcdefghijkl"
_TOWERS = "towers, bottom first:"
_ROW = re.compile(r"\s*(\d{1,2}) [|│](.*)[|│] \d+")
_FRAME_SIGNS = frozenset(" +-┌┐└┘─")


# --- in characters -----------------------------------------------------------------------------------------------


def text_diagram(
    position: Position, ruleset: Ruleset, plain: bool = False, numbers: bool = False, flipped: bool = False
) -> str:
    """The board in characters, a line a row, with coordinates round it, the side to move and the towers below.

    Men are ⛀ ⛂ and kings ⛁ ⛃; `plain` keeps to ASCII with w b and W B. An empty square is a dot, or its number with
    `numbers` (its name, where squares have names). `flipped` shows the board as Black sees it.
    """
    geometry = ruleset.geometry
    signs = _PLAIN if plain else _UNICODE
    side, corners = ("|", "++++") if plain else ("│", "┌┐└┘")
    wide = 2 + max(len(square_name(square, ruleset)) for square in range(len(geometry))) if numbers else 2
    columns = range(geometry.columns)[:: -1 if flipped else 1]
    letters = "   " + "".join(_COLUMNS[column].rjust(wide) for column in columns)
    rule = ("-" if plain else "─") * (wide * geometry.columns + 1)
    lines = [letters, f"   {corners[0]}{rule}{corners[1]}"]
    for row in range(geometry.rows)[:: -1 if flipped else 1]:
        cells = ""
        for column in columns:
            square = geometry.square_at(column, row)
            piece = None if square is None else position.contents[square]
            sign = " " if square is None or piece is None else signs[piece]
            cells += (
                square_name(square, ruleset) if numbers and square is not None and piece is EMPTY else sign
            ).rjust(wide)
        label = str(geometry.rows - row)
        lines.append(f"{label:>2} {side}{cells} {side} {label}")
    lines += [f"   {corners[2]}{rule}{corners[3]}", letters, f"{position.turn} to move"]
    if position.towers and any(position.towers.beneath):
        towers = (
            f"{square_name(square, ruleset)}="
            + "".join(_PLAIN[piece] for piece in (*beneath, position.contents[square]))
            for square, beneath in enumerate(position.towers.beneath)
            if beneath
        )
        lines.append(f"{_TOWERS} {' '.join(towers)}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def read_text_diagram(text: str, ruleset: Ruleset) -> Position:
    """The position that `text_diagram` wrote, in any of its forms; NotationError says which line cannot be read."""
    columns: list[int] = []
    contents = [EMPTY] * len(ruleset.geometry)
    seen: set[int] = set()
    turn: Side | None = None
    beneath: list[tuple[Piece, ...]] = [()] * len(contents)
    for line in text.splitlines():
        row = _ROW.fullmatch(line)
        if row:
            number = ruleset.rows - int(row[1])
            seen.add(number)
            _read_row(contents, row[2], number, columns, ruleset)
        elif set(line.split()) <= set(_COLUMNS) and line.split():
            columns = [_COLUMNS.index(letter) for letter in line.split()]
        elif line.endswith(" to move") and line.split()[0] in set(Side):
            turn = Side(line.split()[0])
        elif line.startswith(_TOWERS):
            beneath = _read_towers(contents, line.removeprefix(_TOWERS), ruleset)
        elif line.strip() and set(line) - _FRAME_SIGNS:
            raise NotationError(f"diagram: found {line!r}, expected a row of the board, whose move it is, or towers")
    if seen != set(range(ruleset.rows)) or turn is None:
        raise NotationError(
            f"diagram: found {len(seen)} rows{'' if turn else ' and nobody to move'}, expected {ruleset.rows} rows and "
            "'white to move' or 'black to move'"
        )
    towers = None if ruleset.prisoners == "none" else Towers(tuple(beneath), ruleset.prisoners == "keep rank")
    return Position(tuple(contents), turn, towers)


def _read_row(contents: list[Piece], cells: str, row: int, columns: list[int], ruleset: Ruleset) -> None:
    wide, rest = divmod(len(cells) - 1, ruleset.columns)
    if sorted(columns) != list(range(ruleset.columns)) or rest or wide < 2:
        raise NotationError(f"diagram: found {cells!r}, expected {ruleset.columns} squares under their letters")
    for place, column in enumerate(columns):
        sign = cells[place * wide : (place + 1) * wide].strip()
        square = ruleset.geometry.square_at(column, row)
        if square is None and not sign:
            continue
        if square is not None and sign in _PIECES:
            contents[square] = _PIECES[sign]
        elif square is None or sign != square_name(square, ruleset):
            where = f"{_COLUMNS[column]}{ruleset.rows - row}"
            expected = "no piece there" if square is None else f"one of {' '.join(_PIECES)}"
            raise NotationError(f"diagram: found {sign!r} on {where}, expected {expected}")


def _read_towers(contents: list[Piece], text: str, ruleset: Ruleset) -> list[tuple[Piece, ...]]:
    beneath: list[tuple[Piece, ...]] = [()] * len(contents)
    for item in text.split():
        name, _, letters = item.partition("=")
        square = read_square(name, ruleset)
        pieces = tuple(_PIECES.get(letter, EMPTY) for letter in letters)
        if len(pieces) < 2 or EMPTY in pieces or pieces[-1] is not contents[square]:
            raise NotationError(f"diagram: found tower {item!r}, expected letters w W b B that end with the top piece")
        beneath[square] = pieces[:-1]
    return beneath


# --- as SVG ------------------------------------------------------------------------------------------------------

_CELL = 100
_RAIL, _BARE_RAIL = 52, 36
_PIECE = 37
"""Radius of a man: what leaves the corner of its square free for the number."""

_WOOD = {"light": "#efdcb8", "dark": "#b58456", "plain": ("#e6cda0", "#d6b682"), "rail": "#5b3a22", "inlay": "#2b1808"}
_FACES = {
    Side.WHITE: ("#fffaf0", "#f3e3c0", "#d8b982"),
    Side.BLACK: ("#5c4b40", "#362820", "#1a110c"),
}
_RIM = {Side.WHITE: "#8d6630", Side.BLACK: "#0b0604"}
_SLICE = {Side.WHITE: "#f0dfba", Side.BLACK: "#30241d"}
_EDGE = {Side.WHITE: "#7c5a2a", Side.BLACK: "#a08c7c"}
_GROOVE = {Side.WHITE: "#c09a62", Side.BLACK: "#7a6555"}
_CROWN = {Side.WHITE: "#5a3310", Side.BLACK: "#ffdf9e"}
_CROWN_PATH = "M-19,12L-22,-9L-10,0L0,-16L10,0L22,-9L19,12Z"
_WAY, _MARK, _CROSS, _HALO = "#0a5aa0", "#1673bd", "#c8321a", "#fffdf5"
_DARK_INK, _LIGHT_INK = "#3a2210", "#f2dcb2"


@dataclass(frozen=True, slots=True)
class Marks:
    """What a picture points out: squares in a frame, ways as arrows (start, then every landing), captured pieces."""

    framed: tuple[Square, ...] = ()
    ways: tuple[tuple[Square, ...], ...] = ()
    captured: tuple[Square, ...] = ()


NO_MARKS = Marks()


def marks_of(move: Move) -> Marks:
    """Marks that show a move: its way, both ends, and what it takes."""
    return Marks((move.from_square, move.to_square), ((move.from_square, *move.path),), move.captured)


@dataclass(frozen=True, slots=True)
class _Board:
    """Where things lie in the picture, 100 units a square, the board's upper left corner at 0, 0."""

    ruleset: Ruleset
    flipped: bool
    rail: int

    @property
    def width(self) -> int:
        return self.ruleset.columns * _CELL

    @property
    def height(self) -> int:
        return self.ruleset.rows * _CELL

    def corner(self, cell: Cell) -> tuple[int, int]:
        """Upper left corner of a cell."""
        column, row = cell
        if self.flipped:
            column, row = self.ruleset.columns - 1 - column, self.ruleset.rows - 1 - row
        return column * _CELL, row * _CELL

    def middle(self, square: Square) -> tuple[int, int]:
        """Middle of a square."""
        x, y = self.corner(self.ruleset.geometry.cells[square])
        return x + _CELL // 2, y + _CELL // 2


def svg_diagram(
    position: Position,
    ruleset: Ruleset,
    marks: Marks = NO_MARKS,
    numbers: bool | None = None,
    coordinates: bool | None = None,
    flipped: bool = False,
) -> str:
    """The board as one SVG element, complete in itself: no font, style sheet or other file is needed.

    `numbers` puts each square's number into it and `coordinates` letters and digits on the rail; by default what the
    variant writes its moves with. A king is two pieces with a crown; a tower shows every piece in its order and how
    many they are. A disc on the rail shows who is to move. `flipped` shows the board as Black sees it. The title is
    for screen readers: the variant's, and the position's FEN.
    """
    numeric = ruleset.notation == "numeric"
    has_coordinates = not numeric if coordinates is None else coordinates
    rail = _RAIL if has_coordinates else _BARE_RAIL
    board = _Board(ruleset, flipped, rail)
    whole = (-rail, -rail, board.width + 2 * rail, board.height + 2 * rail)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(map(str, whole))}" role="img" '
        f'width="{whole[2]}" height="{whole[3]}">',
        f"<title>{escape(ruleset.title)}: {escape(write_fen(position, ruleset))}</title>",
        _definitions(),
        *_ground(board, whole),
        *(_frame(board, square) for square in marks.framed),
        *(_numbers(board) if (numeric if numbers is None else numbers) else ()),
        *(_coordinates(board) if has_coordinates else ()),
        _turn(board, position.turn),
        *_pieces(board, position),
        *(_arrow(board, way) for way in marks.ways if len(way) > 1),
        *(_cross(board, square) for square in marks.captured),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _definitions() -> str:
    parts = ["<defs>"]
    for side in Side:
        light, middle, dark = _FACES[side]
        parts.append(
            f'<radialGradient id="face-{side}" cx=".4" cy=".34" r=".75"><stop offset="0" stop-color="{light}"/>'
            f'<stop offset=".6" stop-color="{middle}"/><stop offset="1" stop-color="{dark}"/></radialGradient>'
        )
        disc = f'<circle r="{_PIECE}" fill="url(#face-{side})" stroke="{_EDGE[side]}" stroke-width="1.8"/>'
        groove = f'fill="none" stroke="{_GROOVE[side]}" stroke-width="2"'
        parts += [
            f'<circle id="rim-{side}" cy="5" r="{_PIECE}" fill="{_RIM[side]}"/>',
            f'<g id="man-{side}">{disc}<g {groove}><circle r="29.5"/><circle r="21"/></g></g>',
            f'<g id="king-{side}">{disc}<circle r="31" {groove}/><path d="{_CROWN_PATH}" fill="{_CROWN[side]}" '
            f'stroke="{_CROWN[side]}" stroke-width="3" stroke-linejoin="round"/></g>',
        ]
    parts += [f'<path id="glyph-{character}" d="{path}"/>' for character, (_, path) in glyphs.STROKES.items()]
    return "\n".join([*parts, "</defs>"])


def _ground(board: _Board, whole: tuple[int, int, int, int]) -> list[str]:
    x, y, width, height = whole
    ruleset = board.ruleset
    light, dark = (_WOOD["light"], _WOOD["dark"]) if ruleset.corner != "all" else _WOOD["plain"]
    dark_cells = "".join(
        f"M{left},{top}h{_CELL}v{_CELL}h-{_CELL}z"
        for row in range(ruleset.rows)
        for column in range(ruleset.columns)
        if _is_dark(ruleset, column, row)
        for left, top in [board.corner((column, row))]
    )
    return [
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="10" fill="{_WOOD["rail"]}"/>',
        f'<rect x="-7" y="-7" width="{board.width + 14}" height="{board.height + 14}" rx="3" fill="{_WOOD["inlay"]}"/>',
        f'<rect width="{board.width}" height="{board.height}" fill="{light}"/>',
        f'<path d="{dark_cells}" fill="{dark}"/>',
    ]


def _is_dark(ruleset: Ruleset, column: int, row: int) -> bool:
    if ruleset.corner != "all":
        return ruleset.geometry.square_at(column, row) is not None
    return (column + ruleset.rows - 1 - row) % 2 == 0


def _text(text: str, x: float, y: float, height: float, colour: str, weight: float = 1.3) -> str:
    """A text of this height with its middle at x, y."""
    scale = height / glyphs.HEIGHT
    left = x - glyphs.width(text) * scale / 2
    used = "".join(f'<use href="#glyph-{character}" x="{place:g}"/>' for character, place in glyphs.places(text))
    return (
        f'<g transform="translate({left:.1f},{y - height / 2:.1f}) scale({scale:.2f})" fill="none" stroke="{colour}" '
        f'stroke-width="{weight}" stroke-linecap="round" stroke-linejoin="round">{used}</g>'
    )


def _numbers(board: _Board) -> list[str]:
    texts: list[str] = []
    for square, cell in enumerate(board.ruleset.geometry.cells):
        left, top = board.corner(cell)
        name = square_name(square, board.ruleset)
        height = 14 if len(name) < 3 else 11
        texts.append(
            _text(name, left + 5 + glyphs.width(name) * height / 20, top + 5 + height / 2, height, _DARK_INK, 1.4)
        )
    return texts


def _coordinates(board: _Board) -> list[str]:
    texts: list[str] = []
    middle = (board.rail + 7) / 2
    for column in range(board.ruleset.columns):
        x = board.corner((column, 0))[0] + _CELL / 2
        texts += [_text(_COLUMNS[column], x, y, 24, _LIGHT_INK) for y in (-middle - 2, board.height + middle - 2)]
    for row in range(board.ruleset.rows):
        y = board.corner((0, row))[1] + _CELL / 2
        name = str(board.ruleset.rows - row)
        texts += [_text(name, x, y, 24, _LIGHT_INK) for x in (-middle, board.width + middle)]
    return texts


def _turn(board: _Board, turn: Side) -> str:
    """A disc in the corner of the rail at the side whose turn it is."""
    middle = (board.rail + 7) / 2
    near = (turn is Side.WHITE) != board.flipped
    y = board.height + middle if near else -middle
    radius = board.rail * 0.26
    return (
        f'<circle cx="{board.width + middle:g}" cy="{y:g}" r="{radius:g}" fill="url(#face-{turn})" '
        f'stroke="{_LIGHT_INK}" stroke-width="{radius / 5:.1f}"/>'
    )


def _frame(board: _Board, square: Square) -> str:
    """A frame within a square, with a pale line inside that shows it where colours do not."""
    x, y = board.corner(board.ruleset.geometry.cells[square])
    return (
        f'<rect x="{x + 3}" y="{y + 3}" width="{_CELL - 6}" height="{_CELL - 6}" rx="4" fill="{_MARK}" '
        f'fill-opacity=".22" stroke="{_MARK}" stroke-width="6"/><rect x="{x + 7}" y="{y + 7}" width="{_CELL - 14}" '
        f'height="{_CELL - 14}" rx="2" fill="none" stroke="{_HALO}" stroke-width="2"/>'
    )


def _pieces(board: _Board, position: Position) -> list[str]:
    parts: list[str] = []
    for square, piece in enumerate(position.contents):
        side = side_of(piece)
        if side is None:
            continue
        beneath = position.towers.beneath[square] if position.towers else ()
        x, y = board.middle(square)
        if beneath:
            parts.append(_tower((*beneath, piece), x, y))
        elif is_king(piece) and position.towers is None:
            parts.append(
                f'<g transform="translate({x},{y}) scale(.92)"><use href="#rim-{side}" y="7"/>'
                f'<use href="#man-{side}" y="7"/><use href="#rim-{side}" y="-5"/><use href="#king-{side}" y="-5"/></g>'
            )
        else:
            # Where pieces stand on each other, a king is one piece with a crown: two would be a tower.
            kind = "king" if is_king(piece) else "man"
            at = f'x="{x}" y="{y - 2}"'
            parts.append(f'<use href="#rim-{side}" {at}/><use href="#{kind}-{side}" {at}/>')
    return parts


def _tower(pieces: tuple[Piece, ...], x: int, y: int) -> str:
    """Pieces from the bottom upwards; a tower gets smaller as it gets taller, so that it stays on its square."""
    step = min(10, 40 / (len(pieces) - 1))
    rise = step * (len(pieces) - 1)
    scale = min(1.0, 46 / (_PIECE + 4 + rise / 2))
    used = [_slice(piece, rise / 2 - place * step, step) for place, piece in enumerate(pieces[:-1])]
    top = pieces[-1]
    used.append(f'<use href="#{"king" if is_king(top) else "man"}-{side_of(top)}" y="{-rise / 2:.1f}"/>')
    tower = f'<g transform="translate({x},{y - 2}) scale({scale:.3f})">{"".join(used)}</g>'
    count = str(len(pieces))
    badge = f'<circle cx="{x + 35}" cy="{y - 35}" r="14" fill="{_HALO}" stroke="{_DARK_INK}" stroke-width="2"/>'
    return tower + badge + _text(count, x + 35, y - 35, 14, _DARK_INK, 1.7)


def _slice(piece: Piece, y: float, step: float) -> str:
    """A piece within a tower, of which its edge is seen; a king that keeps its rank there has a golden one."""
    side = Side.WHITE if side_of(piece) is Side.WHITE else Side.BLACK
    edge = "#e0a21f" if is_king(piece) else _EDGE[side]
    line = min(1.6, step / 3)
    return f'<circle cy="{y:.1f}" r="{_PIECE}" fill="{_SLICE[side]}" stroke="{edge}" stroke-width="{line:.2f}"/>'


def _arrow(board: _Board, way: tuple[Square, ...]) -> str:
    """A line through every landing square with a head at its end, pale round it so that it shows on any piece."""
    points = [board.middle(square) for square in way]
    (x, y), (end_x, end_y) = points[-2:]
    length = ((end_x - x) ** 2 + (end_y - y) ** 2) ** 0.5 or 1.0
    along_x, along_y = (end_x - x) / length, (end_y - y) / length
    neck_x, neck_y = end_x - 30 * along_x, end_y - 30 * along_y
    line = "M" + "L".join(f"{px:g},{py:g}" for px, py in [*points[:-1], (round(neck_x, 1), round(neck_y, 1))])
    head = "M{:.1f},{:.1f}L{:.1f},{:.1f}L{:.1f},{:.1f}Z".format(
        *(end_x, end_y, neck_x - 17 * along_y, neck_y + 17 * along_x, neck_x + 17 * along_y, neck_y - 17 * along_x)
    )
    stops = "".join(f'<circle cx="{px}" cy="{py}" r="9"/>' for px, py in points[:-1])
    return (
        f'<g stroke-linejoin="round" stroke-linecap="round"><path d="{line}" fill="none" stroke="{_HALO}" '
        f'stroke-width="15"/><path d="{head}" fill="{_HALO}" stroke="{_HALO}" stroke-width="7"/>'
        f'<g fill="{_WAY}" stroke="{_HALO}" stroke-width="3">{stops}</g>'
        f'<path d="{line}" fill="none" stroke="{_WAY}" stroke-width="9"/><path d="{head}" fill="{_WAY}"/></g>'
    )


def _cross(board: _Board, square: Square) -> str:
    x, y = board.middle(square)
    path = f"M{x - 24},{y - 24}L{x + 24},{y + 24}M{x + 24},{y - 24}L{x - 24},{y + 24}"
    return (
        f'<g fill="none" stroke-linecap="round"><path d="{path}" stroke="{_HALO}" stroke-width="16"/>'
        f'<path d="{path}" stroke="{_CROSS}" stroke-width="9"/></g>'
    )
