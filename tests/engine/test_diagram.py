"""Boards in characters and as SVG: what they show is the position, read back by other means."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import glyphs
from engine.diagram import NO_MARKS, Marks, marks_of, read_text_diagram, svg_diagram, text_diagram
from engine.errors import NotationError
from engine.fen import read_fen
from engine.notation import read_move, square_name
from engine.position import BLACK_KING, BLACK_MAN, WHITE_KING, WHITE_MAN, Side
from engine.rules import rules_for
from engine.ruleset import load_ruleset, read_ruleset, variant_names
from tests.engine.boards import VARIANTS, positions

RUSSIAN = load_ruleset("russian")
INTERNATIONAL = load_ruleset("international")
TOWERS = read_ruleset('base = "russian"\ntitle = "Towers"\nprisoners = "keep rank"', "stacks")
BOARDS = [
    *(
        read_ruleset(
            f'base = "russian"\ntitle = "Board"\ncolumns = {columns}\nrows = {rows}\nmen_rows = 2\n'
            f'corner = "{corner}"\nnotation = "{notation}"',
            f"board-{columns}-{rows}-{corner}",
        )
        for columns, rows, notation in ((6, 6, "numeric"), (10, 8, "algebraic"), (12, 12, "numeric"))
        for corner in ("left", "right", "all")
    ),
]
EVERY_RULESET = [*BOARDS, *map(load_ruleset, variant_names())]
EVERY_BOARD = list({(ruleset.geometry, ruleset.notation): ruleset for ruleset in EVERY_RULESET}.values())
"""One rule set for each kind of board and way of naming its squares."""

ids = pytest.mark.parametrize("ruleset", EVERY_BOARD, ids=lambda ruleset: ruleset.name)


# In characters


def test_a_board_in_characters():
    position = read_fen("B:Wc3,Ka1,h2:Bd4,Kb8", RUSSIAN)
    assert text_diagram(position, RUSSIAN) == (
        "    a b c d e f g h\n"
        "   ┌─────────────────┐\n"
        " 8 │   ⛃   ·   ·   · │ 8\n"
        " 7 │ ·   ·   ·   ·   │ 7\n"
        " 6 │   ·   ·   ·   · │ 6\n"
        " 5 │ ·   ·   ·   ·   │ 5\n"
        " 4 │   ·   ⛂   ·   · │ 4\n"
        " 3 │ ·   ⛀   ·   ·   │ 3\n"
        " 2 │   ·   ·   ·   ⛀ │ 2\n"
        " 1 │ ⛁   ·   ·   ·   │ 1\n"
        "   └─────────────────┘\n"
        "    a b c d e f g h\n"
        "black to move\n"
    )


def test_a_plain_board_with_numbers_as_black_sees_it():
    six = next(board for board in BOARDS if board.name == "board-6-6-left")
    position = read_fen("W:W13,K15:B1,K6", six)
    assert text_diagram(position, six, plain=True, numbers=True, flipped=True) == (
        "      f   e   d   c   b   a\n"
        "   +-------------------------+\n"
        " 1 |      18      17      16 | 1\n"
        " 2 |   W      14       w     | 2\n"
        " 3 |      12      11      10 | 3\n"
        " 4 |   9       8       7     | 4\n"
        " 5 |       B       5       4 | 5\n"
        " 6 |   3       2       b     | 6\n"
        "   +-------------------------+\n"
        "      f   e   d   c   b   a\n"
        "white to move\n"
    )


def test_towers_stand_below_the_board():
    text = text_diagram(read_fen("W:c3=wwb;d4=W;f6=BbW", TOWERS), TOWERS)
    assert text.endswith("white to move\ntowers, bottom first: f6=BbW c3=wwb\n")
    assert " 3 │ ·   ⛂   ·   ·   │ 3" in text
    assert " 4 │   ·   ⛁   ·   · │ 4" in text


FORMS = st.fixed_dictionaries({"plain": st.booleans(), "numbers": st.booleans(), "flipped": st.booleans()})


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_board_in_characters_reads_back(variant, data):
    ruleset = load_ruleset(variant)
    position = data.draw(positions(variant))
    read = read_text_diagram(text_diagram(position, ruleset, **data.draw(FORMS)), ruleset)
    assert (read.contents, read.turn) == (position.contents, position.turn)


@ids
@pytest.mark.parametrize("flipped", [False, True])
def test_every_board_reads_back_from_its_start(ruleset, flipped):
    start = rules_for(ruleset).start()
    for plain, numbers in ((False, False), (True, True)):
        text = text_diagram(start, ruleset, plain, numbers, flipped)
        assert read_text_diagram(text, ruleset).diagram == start.diagram
        assert not plain or text.isascii()


@given(
    st.lists(
        st.tuples(st.integers(0, 31), st.text("wWbB", min_size=1, max_size=9)),
        min_size=1,
        unique_by=lambda item: item[0],
    ),
    FORMS,
)
def test_towers_read_back(towers, form):
    stated = ";".join(f"{square_name(square, TOWERS)}={pieces}" for square, pieces in towers)
    position = read_fen(f"W:{stated}", TOWERS)
    assert read_text_diagram(text_diagram(position, TOWERS, **form), TOWERS) == position


START = text_diagram(rules_for(RUSSIAN).start(), RUSSIAN, plain=True)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("white to move", "", "nobody to move"),
        (" 3 | w", " 3 | x", "'x' on a3, expected one of"),
        (" 3 | w  ", " 3 | w x", "on b3, expected no piece"),
        (" 3 | w", " 3 |  w", "expected 8 squares under their letters"),
        (" 3 | w", "   | w", "expected a row of the board"),
        ("a b c d e f g h", "a b c d e f g", "expected 8 squares under their letters"),
        (" 8 |   b   b   b   b | 8\n", "", "found 7 rows, expected 8 rows"),
        ("white to move", "white to move\ntowers, bottom first: a3=bx", "found tower 'a3=bx'"),
        ("white to move", "white to move\ntowers, bottom first: a3=wb", "end with the top piece"),
    ],
)
def test_a_wrong_diagram_is_refused(old, new, words):
    assert old in START
    with pytest.raises(NotationError) as caught:
        read_text_diagram(START.replace(old, new), RUSSIAN)
    assert words in str(caught.value)


@given(st.data())
def test_a_damaged_diagram_reads_back_or_is_refused(data):
    text = data.draw(st.sampled_from([START, text_diagram(read_fen("W:c3=wwb;d4=W", TOWERS), TOWERS)]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 5)))
        text = text[:start] + data.draw(st.text("abhWw 19²⛀│|=\n:.", max_size=4)) + text[end:]
    try:
        position = read_text_diagram(text, TOWERS)
    except NotationError:
        return
    assert read_text_diagram(text_diagram(position, TOWERS), TOWERS) == position


# As SVG: read back from the drawing, with squares found by where things lie


def local(element):
    return element.tag.rpartition("}")[2]


def drawn(svg):
    """Elements of the drawing outside <defs>, each with where its own coordinates begin."""
    root = Xml.fromstring(svg)
    found = []

    def walk(element, x, y):
        if local(element) == "defs":
            return
        shift = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", element.get("transform", ""))
        if shift:
            x, y = x + float(shift[1]), y + float(shift[2])
        found.append((element, x, y))
        for child in element:
            walk(child, x, y)

    walk(root, 0.0, 0.0)
    return found


def cell_at(x, y, ruleset, flipped):
    column, row = int(x // 100), int(y // 100)
    assert 0 <= column < ruleset.columns
    assert 0 <= row < ruleset.rows
    return (ruleset.columns - 1 - column, ruleset.rows - 1 - row) if flipped else (column, row)


KINDS = {"#man-white": WHITE_MAN, "#king-white": WHITE_KING, "#man-black": BLACK_MAN, "#king-black": BLACK_KING}


def pieces_in(svg, ruleset, flipped=False):
    """Top pieces by cell: of all drawn on one cell, the last."""
    found = {}
    for element, x, y in drawn(svg):
        if element.get("href") in KINDS:
            # A piece on its own is placed in the board's coordinates, one on another in those of its group.
            place = (float(element.get("x")), float(element.get("y"))) if element.get("x") else (x, y)
            found[cell_at(*place, ruleset, flipped)] = KINDS[element.get("href")]
    return found


def texts_in(svg):
    """Every text drawn in strokes, with where it begins."""
    found = []
    for element, x, y in drawn(svg):
        hrefs = [child.get("href", "") for child in element]
        if hrefs and all(href.startswith("#glyph-") for href in hrefs):
            found.append(("".join(href.removeprefix("#glyph-") for href in hrefs), x, y))
    return found


def radius(svg):
    """Of a man."""
    (man,) = (element for element in Xml.fromstring(svg).iter() if element.get("id") == "man-white")
    return float(man[0].get("r"))


def expected_pieces(position, ruleset):
    return {
        cell: piece
        for cell, piece in zip(ruleset.geometry.cells, position.contents, strict=True)
        if piece in KINDS.values()
    }


@ids
@pytest.mark.parametrize("flipped", [False, True])
def test_the_drawing_shows_the_position(ruleset, flipped):
    start = rules_for(ruleset).start()
    svg = svg_diagram(start, ruleset, flipped=flipped)
    assert pieces_in(svg, ruleset, flipped) == expected_pieces(start, ruleset)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_drawing_tells_men_from_kings(data):
    ruleset = load_ruleset(data.draw(st.sampled_from(VARIANTS)))
    flipped = data.draw(st.booleans())
    position = data.draw(positions(ruleset.name))
    assert pieces_in(svg_diagram(position, ruleset, flipped=flipped), ruleset, flipped) == expected_pieces(
        position, ruleset
    )


@ids
@pytest.mark.parametrize("flipped", [False, True])
def test_each_number_stands_in_its_square_and_clear_of_the_piece(ruleset, flipped):
    start = rules_for(ruleset).start()
    svg = svg_diagram(start, ruleset, numbers=True, coordinates=False, flipped=flipped)
    found = texts_in(svg)
    man = radius(svg)
    names = {name: ruleset.geometry.cells.index(cell_at(x, y, ruleset, flipped)) for name, x, y in found}
    assert names == {square_name(square, ruleset): square for square in range(len(ruleset.geometry))}
    for name, x, y in found:
        height = 14 if len(name) < 3 else 11
        right, bottom = x % 100 + glyphs.width(name) * height / 10, y % 100 + height
        for middle, far in ((48, man), (50 - 5 * 0.92, man * 0.92)):  # a man, a king's upper piece
            assert ((50 - right) ** 2 + (middle - bottom) ** 2) ** 0.5 > far, name


@pytest.mark.parametrize("flipped", [False, True])
def test_letters_and_digits_stand_at_their_columns_and_rows(flipped):
    found = texts_in(svg_diagram(rules_for(RUSSIAN).start(), RUSSIAN, flipped=flipped))
    assert len(found) == 32
    for text, x, y in found:
        column, row = int(x // 100), int(y // 100)
        if flipped:
            column, row = 7 - column, 7 - row
        if text.isdigit():
            assert not 0 <= x < 800
            assert row == 8 - int(text)
        else:
            assert not 0 <= y < 800
            assert column == "abcdefgh".index(text)


def test_numbers_or_letters_as_the_variant_writes():
    numeric = {text for text, *_ in texts_in(svg_diagram(rules_for(INTERNATIONAL).start(), INTERNATIONAL))}
    assert numeric == {str(number) for number in range(1, 51)}
    algebraic = {text for text, *_ in texts_in(svg_diagram(rules_for(RUSSIAN).start(), RUSSIAN))}
    assert algebraic == set("abcdefgh12345678")
    bare = svg_diagram(rules_for(RUSSIAN).start(), RUSSIAN, numbers=False, coordinates=False)
    assert texts_in(bare) == []


def test_every_name_of_a_square_has_its_strokes():
    for ruleset in EVERY_RULESET:
        for square in range(len(ruleset.geometry)):
            assert glyphs.width(square_name(square, ruleset)) > 0


@ids
def test_the_drawing_needs_nothing_from_elsewhere(ruleset):
    svg = svg_diagram(rules_for(ruleset).start(), ruleset, Marks((0,), ((0, 5),), (5,)), True, True)
    names = {local(element) for element in Xml.fromstring(svg).iter()}
    assert names.isdisjoint({"text", "image", "style", "script", "foreignObject"})
    known = {element.get("id") for element in Xml.fromstring(svg).iter()}
    used = {element.get("href") for element in Xml.fromstring(svg).iter()} - {None}
    assert {name.removeprefix("#") for name in used} <= known
    assert set(re.findall(r"url\((.*?)\)", svg)) == {"#face-white", "#face-black"} & set(
        re.findall(r"url\((.*?)\)", svg)
    )
    assert svg.count("http") == 1  # the name space


def test_the_title_is_for_screen_readers():
    house = replace(RUSSIAN, title='Ours & "theirs" <8x8>')
    root = Xml.fromstring(svg_diagram(read_fen("B:Wc3:Bd4", house), house))
    assert root.get("role") == "img"
    assert root[0].text == 'Ours & "theirs" <8x8>: B:Wc3:Bd4'


def test_a_tower_shows_all_its_pieces_in_order_and_their_number():
    position = read_fen("W:c3=wwbBw;h8=wb", TOWERS)
    svg = svg_diagram(position, TOWERS)
    assert [text for text, x, y in texts_in(svg) if 0 < x < 800 and 0 < y < 800] == ["2", "5"]
    slices = [
        (y + float(element.get("cy")), element.get("fill"))
        for element, x, y in drawn(svg)
        if local(element) == "circle" and (x, y) == (250, 548) and element.get("cy")
    ]
    heights = [height for height, _ in slices]
    assert heights == sorted(heights, reverse=True)
    white, black = "#f0dfba", "#30241d"
    assert [fill for _, fill in slices] == [white, white, black, black]
    assert pieces_in(svg, TOWERS) == {(2, 5): WHITE_MAN, (7, 0): BLACK_MAN}


def test_the_tallest_tower_stays_on_its_square():
    svg = svg_diagram(read_fen(f"W:a1={'wb' * 12}", TOWERS), TOWERS)
    (group,) = [
        element for element, x, y in drawn(svg) if local(element) == "g" and (x, y) == (50, 748) and len(element) > 20
    ]
    scale = float(re.search(r"scale\(([\d.]+)\)", group.get("transform"))[1])
    middles = [float(element.get("cy") or element.get("y")) for element in group]
    assert (max(middles) + radius(svg)) * scale <= 52
    assert (min(middles) - radius(svg)) * scale >= -48
    assert radius(svg) * scale > 20


def test_a_lone_king_among_towers_is_one_piece():
    alone = svg_diagram(read_fen("W:a1=W", TOWERS), TOWERS)
    assert [element.get("href") for element, *_ in drawn(alone) if element.get("href") in KINDS] == ["#king-white"]
    elsewhere = svg_diagram(read_fen("W:WKa1:B", RUSSIAN), RUSSIAN)
    assert [element.get("href") for element, *_ in drawn(elsewhere) if element.get("href") in KINDS] == [
        "#man-white",
        "#king-white",
    ]


def test_marks_of_a_move_lie_on_its_squares():
    position = read_fen("W:Wc3:Bd4,f6,f4", RUSSIAN)
    rules = rules_for(RUSSIAN)
    ways = [way for found in rules.ways(position).values() for way in found]
    move = read_move("c3:e5:g7", position, ways, RUSSIAN)
    assert marks_of(move) == Marks((move.from_square, move.to_square), ((move.from_square, *move.path),), move.captured)
    svg = svg_diagram(position, RUSSIAN, marks_of(move))
    framed = {
        cell_at(float(element.get("x")), float(element.get("y")), RUSSIAN, False)
        for element, *_ in drawn(svg)
        if element.get("fill-opacity")
    }
    assert framed == {(2, 5), (6, 1)}
    paths = [element.get("d") for element, *_ in drawn(svg) if local(element) == "path"]
    assert sum(path.startswith("M250,550L450,350L") for path in paths) == 2
    crosses = {path for path in paths if path.startswith("M") and path.count("M") == 2 and "L" in path}
    middles = {tuple(int(number) + 24 for number in re.match(r"M(\d+),(\d+)L", path).groups()) for path in crosses}
    assert middles == {(350, 450), (550, 250)}


def test_no_marks_draw_nothing():
    start = rules_for(RUSSIAN).start()
    assert svg_diagram(start, RUSSIAN) == svg_diagram(start, RUSSIAN, NO_MARKS)
    assert "fill-opacity" not in svg_diagram(start, RUSSIAN)


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("turn", list(Side))
def test_a_disc_shows_whose_turn_it_is(turn, flipped):
    svg = svg_diagram(replace(rules_for(RUSSIAN).start(), turn=turn), RUSSIAN, flipped=flipped)
    ((element, *_),) = [item for item in drawn(svg) if local(item[0]) == "circle" and float(item[0].get("cx", 0)) > 800]
    assert element.get("fill") == f"url(#face-{turn})"
    assert (float(element.get("cy")) > 800) == ((turn is Side.WHITE) != flipped)
