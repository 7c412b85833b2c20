"""PNG of positions, and the command that draws them: what the pixels show, and what is said where it cannot be done."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from argparse import Namespace

import pytest

from engine.diagram import read_text_diagram, svg_diagram
from engine.errors import NotationError
from engine.fen import read_fen
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from station.errors import ConfigError
from station.runtime.pictures import WIDEST, diagram, png_of

RUSSIAN = load_ruleset("russian")
START = svg_diagram(rules_for(RUSSIAN).start(), RUSSIAN)


def pixels(png):
    """Width, height and rows of (red, green, blue, opacity), read by the PNG specification's own words."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    place, packed, width, height = 8, b"", 0, 0
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        kind, body = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colours, *_ = struct.unpack(">IIBBBBB", body)
            assert (depth, colours) == (8, 6)
        packed += body if kind == b"IDAT" else b""
        place += 12 + length
    raw = zlib.decompress(packed)
    stride = 4 * width
    above = bytearray(stride)
    rows = []
    for number in range(height):
        filtering = raw[number * (stride + 1)]
        line = bytearray(raw[number * (stride + 1) + 1 : (number + 1) * (stride + 1)])
        for at in range(stride):
            left = line[at - 4] if at >= 4 else 0
            corner = above[at - 4] if at >= 4 else 0
            line[at] = (line[at] + _predicted(filtering, left, above[at], corner)) & 255
        rows.append([tuple(line[at : at + 4]) for at in range(0, stride, 4)])
        above = line
    return width, height, rows


def _predicted(filtering, left, above, corner):
    match filtering:
        case 0:
            return 0
        case 1:
            return left
        case 2:
            return above
        case 3:
            return (left + above) // 2
    estimate = left + above - corner
    return min((left, above, corner), key=lambda value: abs(estimate - value))


def brightness(pixel):
    """Relative luminance of an sRGB pixel, 0 to 1 (WCAG 2.2)."""
    red, green, blue = (
        value / 255 / 12.92 if value / 255 <= 0.04045 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in pixel[:3]
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((brightness(one), brightness(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture(scope="module")
def board():
    """Pixels of a picture 452 wide, one to every two units of the drawing, its board's corner at 26, 26."""
    position = read_fen("W:Wa1,Kc1:Bb8,Kd8", RUSSIAN)
    width, height, rows = pixels(png_of(svg_diagram(position, RUSSIAN), 452))
    assert (width, height) == (452, 452)
    return rows


def at(board, square, right=0):
    column, row = "abcdefgh".index(square[0]), 8 - int(square[1])
    return board[26 + 50 * row + 25][26 + 50 * column + 25 + right]


def test_pieces_and_squares_differ_in_brightness_alone(board):
    # In grey, on paper and to eyes that see no colours: WCAG asks 3 to 1 of graphics, of a piece against the other's.
    white, black, dark, light = (at(board, "a1"), at(board, "b8"), at(board, "e3"), at(board, "e4"))
    assert contrast(white, black) > 7
    assert contrast(dark, black) > 3
    assert contrast(light, dark) > 2
    assert contrast(white, dark) > 2
    edge = at(board, "a1", right=18)
    assert contrast(edge, white) > 3
    assert contrast(at(board, "e4"), board[13][13]) > 5


def test_kings_wear_a_crown_that_men_do_not(board):
    assert contrast(at(board, "c1"), at(board, "a1")) > 5
    assert contrast(at(board, "d8"), at(board, "b8")) > 5


def test_letters_are_drawn_without_any_font(board):
    columns = range(26 + 15, 26 + 35)
    rail = [board[row][column] for row in range(3, 20) for column in columns]
    assert max(brightness(pixel) for pixel in rail) > 0.6
    assert min(brightness(pixel) for pixel in rail) < 0.1


def test_the_corners_are_rounded_and_the_board_is_not_transparent(board):
    assert board[0][0][3] == 0
    assert board[225][225][3] == 255


@pytest.mark.parametrize("width", [16, 333, 1200])
def test_as_many_pixels_as_asked_for(width):
    png = png_of(START, width)
    assert struct.unpack(">II", png[16:24]) == (width, width)


@pytest.mark.parametrize("width", [0, 15, WIDEST + 1, -800])
def test_a_width_that_cannot_be(width):
    with pytest.raises(ConfigError, match=f"width {width}: expected 16 to {WIDEST} pixels"):
        png_of(START, width)


def test_without_the_library_it_says_how_to_get_it():
    script = (
        "import sys\n"
        "sys.modules['resvg_py'] = None  # as if it were not installed\n"
        "from station.errors import ConfigError\n"
        "from station.runtime.pictures import png_of\n"
        "try:\n"
        "    png_of('<svg/>')\n"
        "except ConfigError as error:\n"
        "    print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "resvg-py is not installed" in said.stdout
    assert "pip install 'dambord[pictures]'" in said.stdout


# The command


def asked(**options):
    usual = {"variant": "russian", "fen": None, "rows": False, "svg": None, "png": None, "width": 800, "move": None}
    return Namespace(**usual | {"flip": False, "numbers": False, "plain": False} | options)


def test_the_command_prints_the_board(capsys):
    assert diagram(asked()) == 0
    printed = capsys.readouterr().out
    assert read_text_diagram(printed, RUSSIAN) == rules_for(RUSSIAN).start()
    assert diagram(asked(plain=True, flip=True, numbers=True, fen="B:W30:B1", rows=True)) == 0
    printed = capsys.readouterr().out
    assert printed.isascii()
    assert read_text_diagram(printed, RUSSIAN) == read_fen("B:Wc1:Bb8", RUSSIAN)


def test_the_command_writes_files(tmp_path, capsysbinary):
    svg, png = tmp_path / "board.svg", tmp_path / "board.png"
    assert diagram(asked(svg=str(svg), png=str(png), width=120)) == 0
    assert svg.read_text(encoding="utf-8") == START
    assert struct.unpack(">II", png.read_bytes()[16:24]) == (120, 120)
    assert capsysbinary.readouterr().out == b""
    assert diagram(asked(svg="-")) == 0
    assert capsysbinary.readouterr().out == START.encode()


def test_the_command_shows_a_move(tmp_path):
    svg = tmp_path / "move.svg"
    assert diagram(asked(svg=str(svg), move="c3-d4")) == 0
    assert "M250,550L" in svg.read_text(encoding="utf-8")
    with pytest.raises(NotationError, match="expected every square on which it lands"):
        diagram(asked(variant="english", svg=str(svg), fen="W:We3:Bd4,d6,f4,f6", move="e3xe7"))
