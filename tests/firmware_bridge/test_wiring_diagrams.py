"""The wiring diagrams of the build guide are what the configurations say, and the firmware reads the same."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from engine.notation import square_names
from engine.ruleset import load_ruleset
from firmware_bridge.pins import Pins
from firmware_bridge.wiring import PI_LEGS, PICO_LEGS, arduino, board_of, constants, defines, main, pi, pico

ROOT = Path(__file__).parents[2]
GPIO = ROOT / "deploy" / "gpio.toml"
FIRMWARE = ROOT / "firmware_bridge" / "firmware" / "micropython"
PICO = FIRMWARE / "config.py"
AVR = ROOT / "firmware_bridge" / "firmware" / "avr" / "board.h"
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    return [item.text for item in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize(("picture", "source"), [("gpio", GPIO), ("pico", PICO), ("avr", AVR)])
def test_the_diagrams_of_the_build_guide_are_up_to_date(picture, source, capsys):
    assert main([str(source)]) == 0
    drawn = (ROOT / "docs" / "wiring" / f"{picture}.svg").read_text()
    assert capsys.readouterr().out == drawn, f"python -m firmware_bridge.wiring {source} > docs/wiring/{picture}.svg"


def test_every_pin_of_a_grid_is_drawn_once_with_its_leg():
    pins, ruleset = board_of(GPIO.read_text())
    said = texts(pi(pins, ruleset))
    for pin, _ in pins.uses:
        assert said.count(f"GPIO {pin}") + said.count(f"GPIO {pin}, leg {PI_LEGS[pin]}") == 1
    assert {*square_names(ruleset)} <= {*said}


@pytest.mark.parametrize(("columns", "contacts"), [(4, 32), (8, 64)])
def test_every_contact_has_its_diode(columns, contacts):
    pins = Pins(tuple(range(2, 10)), tuple(range(10, 10 + columns)))
    svg = pi(pins, load_ruleset("russian"))
    assert svg.count("l-6,10z") == contacts
    assert svg.count('class="c"') == columns
    assert svg.count('class="r"') == 8


def settings():
    spec = importlib.util.spec_from_file_location("dambord_pico_settings", FIRMWARE / "settings.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("sensors", ["every", "left", "right"])
@pytest.mark.parametrize("order", ["rows", "snake"])
@pytest.mark.parametrize("sensing", ["hall", "switches"])
def test_the_firmware_finds_each_sensor_and_lamp_where_the_diagram_has_it(sensors, order, sensing):
    config = {
        **constants(PICO.read_text()),
        "SENSORS": sensors,
        "SENSOR_ORDER": order,
        "SENSING": sensing,
        "LAMPS": "left",
    }
    expected = {}
    for place, cell in enumerate(settings().sensors(SimpleNamespace(**config))):
        name = (
            f"M{place // 16 + 1} C{place % 16}" if sensing == "hall" else f"U{place // 8 + 1} {'HGFEDCBA'[place % 8]}"
        )
        expected[name] = (cell % 8, cell // 8)
    for place, cell in enumerate(settings().lamps(SimpleNamespace(**config)), 1):
        expected[f"lamp {place}"] = (cell % 8, cell // 8)
    tree = ElementTree.fromstring(pico(config))
    labels = [item for item in tree.iter(f"{SVG}text") if re.fullmatch(r"[MU]\d+ \w+|lamp \d+", item.text)]
    drawn = {item.text: ((int(item.get("x")) - 150) // 76, (int(item.get("y")) - 110) // 76) for item in labels}
    assert drawn == expected


def test_every_wire_of_the_pico_is_drawn_from_its_leg():
    said = Counter(texts(pico(constants(PICO.read_text()))))
    assert said[f"GP22, leg {PICO_LEGS[22]}"] == 1
    assert said["lamp 1: DIN, through 330 ohm"] == 1
    assert said["multiplexer M4: EN"] == 1
    switches = texts(pico({**constants(PICO.read_text()), "SENSING": "switches", "DATA_PINS": (12, 13)}))
    assert "White's 74HC165 U1 (of 8): QH; each QH to SER of the one before it" in switches


def drawn_for(board):
    return arduino(*defines(AVR.read_text(), AVR.with_name("Makefile").read_text(), board))


@pytest.mark.parametrize(
    ("board", "columns", "rows", "dark", "contacts"),
    [
        ("nano-64", 8, 8, False, 1),
        ("nano-32", 8, 8, True, 1),
        ("nano-64-colours", 8, 8, False, 2),
        ("mega-100-colours", 10, 10, False, 2),
        ("mega-50", 10, 10, True, 1),
        ("mega-80", 10, 8, False, 1),
    ],
)
def test_contacts_of_an_arduino_hang_in_the_order_that_board_h_states(board, columns, rows, dark, contacts):
    """Row by row from the top left, eight to a chip, the first on input A; the dark lower left corner is in play."""
    cells = [(x, y) for y in range(rows) for x in range(columns) if not dark or (x + y) % 2 == (rows - 1) % 2]
    chips = -(-len(cells) // 8)
    expected = {}
    for number, cell in enumerate(cells):
        for colour in range(contacts):
            expected[f"U{1 + number // 8 + colour * chips} {'ABCDEFGH'[number % 8]}"] = cell
        expected[f"lamp {number + 1}"] = cell
    labels = [
        item
        for item in ElementTree.fromstring(drawn_for(board)).iter(f"{SVG}text")
        if re.fullmatch(r"U\d+ \w|lamp \d+", item.text)
    ]
    drawn = {item.text: ((int(item.get("x")) - 150) // 76, (int(item.get("y")) - 110) // 76) for item in labels}
    assert drawn == expected
    assert len(labels) == len(expected)


@pytest.mark.parametrize(("board", "section"), [("mega-100", 0), ("nano-64", 1)])
def test_pins_of_an_arduino_are_called_as_the_remarks_in_board_h_call_them(board, section):
    pins = AVR.read_text().partition("#if defined(__AVR_ATmega2560__)")[2].split("#else")[section]
    called = re.findall(r"#define PIN_\w+ \w, \d +/\* ([AD]\d+)", pins)
    assert len(called) == 12
    assert sorted(text for text in texts(drawn_for(board)) if re.fullmatch(r"[AD]\d+", text)) == sorted(called)


def test_parts_that_an_arduino_does_not_have_are_not_drawn():
    header = AVR.read_text().replace("#define HAS_LAMPS 1", "#define HAS_LAMPS 0")
    said = texts(arduino(*defines(header, "small = atmega328p -DHAS_CLOCK_LEVER=0\n", "small")))
    assert not any(re.match(r"lamp \d|clock lever", text) or "lamps" in text for text in said)
    assert "passive buzzer: through 100 ohm, other side to ground" in said


def test_what_cannot_be_drawn_is_said(tmp_path, capsys):
    for text, words in (
        ("[[boards]]\nid = 'a'\n", "with pins"),
        ("[[boards]]\npins = {rows = 3}\n", "rows to be a list"),
    ):
        (tmp_path / "station.toml").write_text(text)
        assert main([str(tmp_path / "station.toml")]) == 2
        assert words in capsys.readouterr().err
    assert main([str(AVR), "--board", "nano-6"]) == 2
    assert "no board nano-6 in the Makefile" in capsys.readouterr().err
