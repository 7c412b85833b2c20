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
from firmware_bridge.wiring import PI_LEGS, PICO_LEGS, board_of, constants, main, pi, pico

ROOT = Path(__file__).parents[2]
GPIO = ROOT / "deploy" / "gpio.toml"
FIRMWARE = ROOT / "firmware_bridge" / "firmware" / "micropython"
PICO = FIRMWARE / "config.py"
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    return [item.text for item in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize(("picture", "source"), [("gpio", GPIO), ("pico", PICO)])
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


def test_what_cannot_be_drawn_is_said(tmp_path, capsys):
    for text, words in (
        ("[[boards]]\nid = 'a'\n", "with pins"),
        ("[[boards]]\npins = {rows = 3}\n", "rows to be a list"),
    ):
        (tmp_path / "station.toml").write_text(text)
        assert main([str(tmp_path / "station.toml")]) == 2
        assert words in capsys.readouterr().err
