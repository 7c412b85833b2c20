"""Pictures of positions: the command `diagram`, and PNG from SVG where the library for it is installed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine.diagram import NO_MARKS, Marks, marks_of, svg_diagram, text_diagram
from engine.errors import AmbiguousMoveError, NotationError
from engine.fen import read_fen
from engine.notation import read_move
from engine.position import Position
from engine.rules import rules_for
from engine.ruleset import Ruleset
from station.errors import ConfigError
from station.runtime.house_rules import configuration_folder, ruleset_named

WIDEST = 8192
"""Pixels; a picture of this width takes 256 MiB while it is drawn."""


def png_of(svg: str, width: int = 800) -> bytes:
    """An SVG as PNG of this many pixels across, transparent outside the board.

    Needs the optional library resvg-py; no font of the system is read, so that the picture is the same everywhere.
    ConfigError says how to install it where it is missing, or what is wrong with the width.
    """
    if not 16 <= width <= WIDEST:
        raise ConfigError(f"width {width}: expected 16 to {WIDEST} pixels")
    try:
        import resvg_py
    except ImportError as error:
        raise ConfigError(
            "PNG: the library resvg-py is not installed, expected it for pictures in pixels; "
            "`pip install 'dambord[pictures]'` brings it, and SVG needs no library"
        ) from error
    return resvg_py.svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True)


def diagram(options: argparse.Namespace) -> int:
    """Print a position as characters, or write it as SVG or PNG; `-` as a file is standard output."""
    ruleset = ruleset_named(options.variant, configuration_folder())
    rules = rules_for(ruleset)
    position = read_fen(options.fen, ruleset, options.rows) if options.fen else rules.start()
    if options.svg is None and options.png is None:
        sys.stdout.write(text_diagram(position, ruleset, options.plain, bool(options.numbers), options.flip))
        return 0
    marks = _marks(options.move, position, ruleset, options.rows) if options.move else NO_MARKS
    svg = svg_diagram(position, ruleset, marks, options.numbers or None, flipped=options.flip)
    if options.svg is not None:
        _write(options.svg, svg.encode())
    if options.png is not None:
        _write(options.png, png_of(svg, options.width))
    return 0


def _marks(text: str, position: Position, ruleset: Ruleset, by_rows: bool) -> Marks:
    ways = [way for ways in rules_for(ruleset).ways(position).values() for way in ways]
    try:
        return marks_of(read_move(text, position, ways, ruleset, by_rows))
    except AmbiguousMoveError as error:
        raise NotationError(f"--move {error}; expected every square on which it lands") from error


def _write(name: str, content: bytes) -> None:
    if name == "-":
        sys.stdout.buffer.write(content)
        return
    Path(name).write_bytes(content)
