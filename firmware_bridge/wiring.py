"""Wiring diagrams from a configuration, as SVG: what leads from which pin to where.

python -m firmware_bridge.wiring station.toml > wiring.svg      a board with driver gpio-matrix
python -m firmware_bridge.wiring config.py > wiring.svg         the MicroPython firmware's configuration
python -m firmware_bridge.wiring board.h --board nano-64        the C firmware's, for a board of its Makefile
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from engine.geometry import Cell
from engine.notation import square_name
from engine.ruleset import Ruleset, load_ruleset
from firmware_bridge.pins import Pins, pins_fault, pins_of

PI_LEGS = dict(
    zip(
        (2, 3, 4, 14, 15, 17, 18, 27, 22, 23, 24, 10, 9, 25, 11, 8, 7, 5, 6, 12, 13, 19, 16, 26, 20, 21),
        (3, 5, 7, 8, 10, 11, 12, 13, 15, 16, 18, 19, 21, 22, 23, 24, 26, 29, 31, 32, 33, 35, 36, 37, 38, 40),
        strict=True,
    )
)
"""Which leg of the 40-pin header a GPIO number (BCM) is (Raspberry Pi documentation, the 40-pin header)."""
PICO_LEGS = dict(
    zip(
        (*range(23), 26, 27, 28),
        (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29, 31, 32, 34),
        strict=True,
    )
)
"""Which leg of a Pico a GP number is (Raspberry Pi Pico datasheet, pinout)."""
CELL = 76
LEFT, TOP = 150, 110
LINE = 24
INPUTS_165 = "HGFEDCBA"
"""The order in which a 74HC165 gives its inputs out at QH (its data sheet: H first)."""
_STYLE = (
    "text{font:13px sans-serif;fill:#222}.s{font-size:10px;fill:#555}.h{font-size:16px;font-weight:bold}"
    ".w{stroke:#222;fill:none;stroke-width:1.5}.r{stroke:#b03030;fill:none;stroke-width:1.5}"
    ".c{stroke:#2050a0;fill:none;stroke-width:1.5}.d{fill:#e8d8b8}.l{fill:#f8f4ea}.b{fill:#fff;stroke:#222}"
)


@dataclass(frozen=True, slots=True)
class Terminal:
    """A wire: from a pin, to a terminal of a part."""

    pin: str
    part: str
    terminal: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the diagram of a configuration to standard output."""
    parser = argparse.ArgumentParser(prog="python -m firmware_bridge.wiring", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="station.toml, or config.py or board.h of a firmware")
    parser.add_argument(
        "--board", help="which board of a station.toml (default: the first with pins) or Makefile (default: nano-64)"
    )
    options = parser.parse_args(arguments)
    try:
        text = options.file.read_text(encoding="utf-8")
        match options.file.suffix:
            case ".py":
                picture = pico(constants(text))
            case ".h":
                made = options.file.with_name("Makefile").read_text(encoding="utf-8")
                picture = arduino(*defines(text, made, options.board or "nano-64"))
            case _:
                picture = pi(*board_of(text, options.board))
    except (OSError, ValueError, SyntaxError, KeyError) as error:
        print(f"{options.file}: {error}", file=sys.stderr)  # noqa: T201
        return 2
    sys.stdout.write(picture)
    return 0


def board_of(text: str, name: str | None = None) -> tuple[Pins, Ruleset]:
    """The pins and the rule set of a board in a station.toml; ValueError when there is none."""
    for board in tomllib.loads(text).get("boards", []):
        if name in (None, board.get("id")) and "pins" in board:
            fault = pins_fault(board["pins"])
            if fault:
                raise ValueError(f"pins: expected {fault}")
            return pins_of(board["pins"]), load_ruleset(board.get("variant", "international"))
    raise ValueError(f'no board {name or ""} with pins, expected one with driver = "gpio-matrix"')


def constants(text: str) -> dict[str, object]:
    """What a configuration in Python states, without running it."""
    tree = ast.parse(text)
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


# --- the pins of a Raspberry Pi


def pi(pins: Pins, ruleset: Ruleset) -> str:
    """The grid of contacts and diodes, and what else hangs on the pins."""
    geometry = ruleset.geometry
    half = len(pins.columns) < geometry.columns
    wired = {
        row: [c for c in range(geometry.columns) if not half or geometry.square_at(c, row) is not None]
        for row in range(geometry.rows)
    }
    shapes = [*_board(geometry.columns, geometry.rows, _names(ruleset))]
    for place, pin in enumerate(pins.columns):
        xs = [_x(wired[row][place]) + 16 for row in range(geometry.rows)]
        points = f"{xs[0]},{TOP - 16} " + " ".join(f"{x},{_y(r)} {x},{_y(r) + CELL}" for r, x in enumerate(xs))
        shapes.append(f'<polyline class="c" points="{points}"/>')
        shapes += [_text(xs[0] - 14, TOP - 34, f"GPIO {pin}"), _text(xs[0] - 14, TOP - 20, f"leg {PI_LEGS[pin]}", "s")]
    for row, pin in enumerate(pins.rows):
        y = _y(row) + CELL - 12
        shapes.append(f'<path class="r" d="M{LEFT - 12},{y}H{LEFT + CELL * geometry.columns}"/>')
        shapes += [_text(20, y + 4, f"GPIO {pin}, leg {PI_LEGS[pin]}")]
        shapes += [shape for column in wired[row] for shape in _contact(_x(column) + 16, _y(row))]
    y = TOP + CELL * geometry.rows + 40
    shapes.append(_text(20, TOP - 78, "Contacts and diodes: columns are read (blue), rows are driven low (red)", "h"))
    shapes.append(_text(20, TOP - 58, "each contact leads from its column through a diode, its ring on the row's side"))
    wires = [
        Terminal(f"GPIO {pin}, leg {PI_LEGS[pin]}", _PI_PARTS[name][0], _PI_PARTS[name][1])
        for pin, name in _single(pins)
    ]
    list_shapes, height = _list(wires, y)
    return _svg(max(LEFT + CELL * geometry.columns + 30, 640), y + height + 10, [*shapes, *list_shapes])


_PI_PARTS = {
    "confirm": ("button: confirm", "other side to ground"),
    "take_back": ("button: take back", "other side to ground"),
    "new_game": ("button: new game", "other side to ground"),
    "draw": ("button: draw", "other side to ground"),
    "resign": ("button: resign", "other side to ground"),
    "clock_white": ("clock button of White", "other side to ground"),
    "clock_black": ("clock button of Black", "other side to ground"),
    "clock": ("clock lever", "to ground while down on White's side"),
    "stop": ("emergency stop, normally closed", "other side to ground"),
    "lamp": ("status lamp", "through 330 ohm, cathode to ground"),
    "buzzer": ("active buzzer", "through a transistor (1 kilohm to its base)"),
}


def _single(pins: Pins) -> Iterator[tuple[int, str]]:
    return ((pin, name) for pin, name in pins.uses if name in _PI_PARTS)


def _contact(x: int, y: int) -> tuple[str, ...]:
    """A contact and its diode, from the column's wire at x to the row's wire at the foot of the cell."""
    top, foot, right = y + 18, y + CELL - 12, x + 26
    return (
        f'<circle cx="{x}" cy="{top}" r="2.5"/>',
        f'<path class="w" d="M{x},{top}H{x + 8}L{x + 21},{top - 8}M{x + 20},{top}H{right}V{top + 14}"/>',
        f'<path d="M{right - 6},{top + 14}h12l-6,10z"/>',
        f'<path class="w" d="M{right - 6},{top + 25}h12M{right},{top + 25}V{foot}"/>',
        f'<circle cx="{right}" cy="{foot}" r="2.5"/>',
    )


# --- the Pico


def pico(config: Mapping[str, object]) -> str:
    """Where each cell's sensor and lamp hang, and which pin of the Pico leads where."""
    columns, rows = _number(config, "COLUMNS"), _number(config, "ROWS")
    sensors = _in_order(_cells(columns, rows, str(config["SENSORS"])), str(config["SENSOR_ORDER"]))
    lamps = [] if config["LAMP_PIN"] is None else _cells(columns, rows, str(config["LAMPS"]))
    is_hall = config["SENSING"] == "hall"
    labels: dict[Cell, list[str]] = {}
    for place, cell in enumerate(sensors):
        if is_hall:
            labels[cell] = [f"M{place // 16 + 1} C{place % 16}"]
        else:
            labels[cell] = [f"U{place // 8 + 1} {INPUTS_165[place % 8]}"]
    for place, cell in enumerate(_in_order(lamps, str(config["LAMP_ORDER"])), 1):
        labels.setdefault(cell, []).append(f"lamp {place}")
    kind = "M: multiplexer, C: its channel" if is_hall else "U: 74HC165, counted from the Pico, and its input"
    return _places(columns, rows, labels, kind, _pico_wires(config, len(sensors)))


def _places(columns: int, rows: int, labels: Mapping[Cell, Sequence[str]], kind: str, wires: Sequence[Terminal]) -> str:
    """The board with what hangs at each cell, and the single wires."""
    shapes = [*_board(columns, rows, {})]
    for (column, row), lines in labels.items():
        shapes += [_text(_x(column) + 8, _y(row) + 30 + 18 * place, line) for place, line in enumerate(lines)]
    shapes.append(_text(20, TOP - 78, "Where each square's sensor and lamp hang, as White sees the board", "h"))
    has_lamps = any(line.startswith("lamp") for lines in labels.values() for line in lines)
    shapes.append(_text(20, TOP - 58, f"{kind}; lamps are counted along the strip, from 1" if has_lamps else kind))
    y = TOP + CELL * rows + 40
    list_shapes, height = _list(wires, y)
    return _svg(max(LEFT + CELL * columns + 30, 640), y + height + 10, [*shapes, *list_shapes])


def _pico_wires(config: Mapping[str, object], sensors: int) -> list[Terminal]:
    wires: list[Terminal] = []

    def lead(pin: object, part: str, terminal: str) -> None:
        if isinstance(pin, int):
            wires.append(Terminal(f"GP{pin}, leg {PICO_LEGS[pin]}", part, terminal))

    if config["SENSING"] == "hall":
        for place, pin in enumerate(_pins(config["SELECT_PINS"])):
            lead(pin, "every multiplexer", f"S{place}")
        for number, (measuring, enable) in enumerate(_pairs(config["MULTIPLEXERS"]), 1):
            lead(measuring, f"multiplexer M{number}", "COM (SIG)")
            lead(enable, f"multiplexer M{number}", "EN")
            if enable is None:
                wires.append(Terminal("ground", f"multiplexer M{number}", "EN"))
    else:
        lead(config["LOAD_PIN"], "every 74HC165", "SH/LD")
        lead(config["CLOCK_PIN"], "every 74HC165", "CLK")
        names = ("White's", "Black's") if len(_pins(config["DATA_PINS"])) > 1 else ("",)
        chips = (sensors + 7) // 8
        for name, pin in zip(names, _pins(config["DATA_PINS"]), strict=True):
            lead(pin, f"{name} 74HC165 U1 (of {chips})".strip(), "QH; each QH to SER of the one before it")
    lead(config["LAMP_PIN"], "lamp 1", "DIN, through 330 ohm")
    buttons = config["BUTTONS"]
    for name, pin in buttons.items() if isinstance(buttons, Mapping) else ():
        lead(pin, f"button: {str(name).replace('_', ' ')}", "other side to ground")
    lead(config["BUZZER_PIN"], "passive buzzer", "through 100 ohm, other side to ground")
    return wires


# --- an Arduino Nano or Mega


def defines(header: str, makefile: str, board: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """What board.h says of a board of the Makefile, and where the pins of its controller are led out.

    ValueError when the Makefile has no such board.
    """
    found = re.search(rf"^{re.escape(board)} += (\w+)(.*)$", makefile, re.MULTILINE)
    if found is None:
        raise ValueError(f"no board {board} in the Makefile")
    mega, _, nano = header[header.index("#if defined(__AVR_ATmega2560__)") :].partition("#else")
    is_mega = found[1] == "atmega2560"
    pins = re.findall(r"#define (PIN_\w+) (\w, \d)", mega if is_mega else nano)
    sizes = re.findall(r"#ifndef (\w+)\n#define \1 (\d+)", header)
    given = re.findall(r"-D(\w+)=(\w+)", found[2])
    return dict(sizes) | dict(given) | dict(pins), MEGA_PINS if is_mega else NANO_PINS


def arduino(config: Mapping[str, str], led_out: Mapping[str, str]) -> str:
    """Where each cell's contacts and lamp hang, and which pin of the Arduino leads where."""
    columns, rows = int(config["COLUMNS"]), int(config["ROWS"])
    cells = _cells(columns, rows, ("every", "left", "right")[int(config["SENSORS"])])
    chips, colours = (len(cells) + 7) // 8, int(config["COLOURS"])
    labels: dict[Cell, list[str]] = {}
    for place, cell in enumerate(cells):
        input_ = INPUTS_165[::-1][place % 8]
        labels[cell] = [f"U{place // 8 + 1 + chips * colour} {input_}" for colour in range(1 + colours)]
    if int(config["HAS_LAMPS"]):
        order = "snake" if int(config["LAMPS_TURN"]) else "rows"
        for place, cell in enumerate(_in_order(cells, order), 1):
            labels[cell].append(f"lamp {place}")
    kind = "U: 74HC165, counted from the controller, and its input"
    if colours:
        kind += "; the upper contact closes under white pieces"
    parts = (item for item in _ARDUINO_PARTS.items() if config.get(_PRESENT.get(item[0], ""), "1") != "0")
    wires = [Terminal(led_out[config[name]], part, terminal) for name, (part, terminal) in parts]
    chain = f"74HC165 U1 (of {chips * (1 + colours)})"
    wires = [replace(wire, part=wire.part.replace("the first 74HC165", chain)) for wire in wires]
    ground = Terminal("ground", "every 74HC165", "CLK INH; the last one's SER too")
    return _places(columns, rows, labels, kind, [*wires, ground])


def _led_out(**ports: str) -> dict[str, str]:
    """`PORT, bit` to the name beside the pin, from the names of each port's bits; `-` is not led out."""
    named = ((port, bit, name) for port, names in ports.items() for bit, name in enumerate(names.split()))
    return {f"{port}, {bit}": name for port, bit, name in named if name != "-"}


NANO_PINS = _led_out(B="D8 D9 D10 D11 D12 D13", C="A0 A1 A2 A3 A4 A5", D="D0 D1 D2 D3 D4 D5 D6 D7")
"""How an Arduino Nano's pins are called (Arduino documentation, Nano pinout)."""
MEGA_PINS = _led_out(
    A="D22 D23 D24 D25 D26 D27 D28 D29",
    B="D53 D52 D51 D50 D10 D11 D12 D13",
    C="D37 D36 D35 D34 D33 D32 D31 D30",
    D="D21 D20 D19 D18 - - - D38",
    E="D0 D1 - D5 D2 D3",
    F="A0 A1 A2 A3 A4 A5 A6 A7",
    G="D41 D40 D39 - - D4",
    H="D17 D16 - D6 D7 D8 D9",
)
"""The same of an Arduino Mega, whose ports J, K and L no board here uses (Arduino documentation, Mega 2560 pinout)."""
_ARDUINO_PARTS = {
    "PIN_LATCH": ("every 74HC165", "SH/LD"),
    "PIN_CLOCK": ("every 74HC165", "CLK"),
    "PIN_DATA": ("the first 74HC165", "QH; each QH to SER of the one before it"),
    "PIN_LAMPS": ("lamp 1", "DIN, through 330 ohm"),
    "PIN_BUZZER": ("passive buzzer", "through 100 ohm, other side to ground"),
    "PIN_CONFIRM": ("button: confirm", "other side to ground"),
    "PIN_TAKE_BACK": ("button: take back", "other side to ground"),
    "PIN_NEW_GAME": ("button: new game", "other side to ground"),
    "PIN_DRAW": ("button: draw", "other side to ground"),
    "PIN_RESIGN": ("button: resign", "other side to ground"),
    "PIN_LEVER_WHITE": ("clock lever, down on White's side", "other side to ground"),
    "PIN_LEVER_BLACK": ("clock lever, down on Black's side", "other side to ground"),
}
_PRESENT = {
    "PIN_LAMPS": "HAS_LAMPS",
    "PIN_BUZZER": "HAS_BUZZER",
    "PIN_LEVER_WHITE": "HAS_CLOCK_LEVER",
    "PIN_LEVER_BLACK": "HAS_CLOCK_LEVER",
}


def _number(config: Mapping[str, object], key: str) -> int:
    value = config[key]
    if not isinstance(value, int):
        raise ValueError(f"{key} = {value!r}: expected a number")
    return value


def _pins(value: object) -> tuple[int, ...]:
    return tuple(pin for pin in value if isinstance(pin, int)) if isinstance(value, list | tuple) else ()


def _pairs(value: object) -> tuple[tuple[object, object], ...]:
    return tuple((pair[0], pair[1]) for pair in value) if isinstance(value, list | tuple) else ()


def _cells(columns: int, rows: int, which: str) -> list[Cell]:
    every = [(column, row) for row in range(rows) for column in range(columns)]
    if which == "every":
        return every
    return [(column, row) for column, row in every if (column + rows - 1 - row) % 2 == (0 if which == "left" else 1)]


def _in_order(cells: Sequence[Cell], order: str) -> list[Cell]:
    """Cells along a wire: every row from left to right, or the second, the fourth ... from right to left."""
    turn = {"rows": 1, "snake": -1}[order]
    return sorted(cells, key=lambda cell: (cell[1], cell[0] * (turn if cell[1] % 2 else 1)))


# --- shapes


def _x(column: int) -> int:
    return LEFT + CELL * column


def _y(row: int) -> int:
    return TOP + CELL * row


def _names(ruleset: Ruleset) -> dict[Cell, str]:
    return {cell: square_name(square, ruleset) for square, cell in enumerate(ruleset.geometry.cells)}


def _board(columns: int, rows: int, names: Mapping[Cell, str]) -> Iterator[str]:
    for row in range(rows):
        for column in range(columns):
            is_dark = (column, row) in names if names else (column + rows - 1 - row) % 2 == 0
            kind = "d" if is_dark else "l"
            yield f'<rect class="{kind}" x="{_x(column)}" y="{_y(row)}" width="{CELL}" height="{CELL}"/>'
            if names and is_dark:
                yield _text(_x(column) + CELL - 24, _y(row) + 13, names[column, row], "s")
    yield _text(LEFT + CELL * columns // 2 - 40, TOP + CELL * rows + 18, "White's side")


def _text(x: int, y: int, text: str, kind: str = "") -> str:
    return f'<text x="{x}" y="{y}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{escape(text)}</text>'


def _list(wires: Sequence[Terminal], y: int) -> tuple[list[str], int]:
    """Each wire as a line from its pin to its terminal; and how high all of it is."""
    shapes = [_text(20, y, "Single wires", "h")] if wires else []
    for place, wire in enumerate(wires, 1):
        at = y + LINE * place
        shapes += [
            _text(20, at + 4, wire.pin),
            f'<path class="w" d="M130,{at}H210"/><circle cx="130" cy="{at}" r="2.5"/>',
            f'<rect class="b" x="210" y="{at - 10}" width="400" height="20"/>',
            _text(218, at + 4, f"{wire.part}: {wire.terminal}"),
        ]
    return shapes, LINE * (len(wires) + 1)


def _svg(width: int, height: int, shapes: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    paper = f'<rect width="{width}" height="{height}" fill="#fff"/>'
    return "\n".join([head, f"<style>{_STYLE}</style>", paper, *shapes, "</svg>"]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
