"""Documents tell the truth: what exists is mentioned, what is shipped loads."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from engine.ruleset import variant_names
from station.config import BoardTable, MqttTable, StationTable, WebTable, read_config
from station.phases import TRANSITIONS
from station.runtime.cli import _parser
from station.texts import languages

ROOT = Path(__file__).parents[2]
DOCUMENTS = {name: (ROOT / name).read_text() for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")}
EVERYTHING = "\n".join(DOCUMENTS.values())


def commands():
    action = next(item for item in _parser()._actions if hasattr(item, "choices") and item.choices)
    return list(action.choices)


@pytest.mark.parametrize("command", commands())
def test_every_command_is_mentioned(command):
    assert f"dambord {command}" in EVERYTHING


def test_every_variant_that_is_mentioned_is_there():
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|", (ROOT / "docs/variants.md").read_text(), re.MULTILINE)
    assert len(listed) > 40
    assert set(listed) <= set(variant_names())


@pytest.mark.parametrize("driver", sorted(path.stem for path in (ROOT / "firmware_bridge/boards").glob("[a-z]*.py")))
def test_every_driver_is_mentioned(driver):
    assert f"`{driver}`" in EVERYTHING


@pytest.mark.parametrize("language", languages())
def test_every_language_is_mentioned(language):
    assert f"`{language}`" in EVERYTHING


@pytest.mark.parametrize("table", [StationTable, MqttTable, WebTable, BoardTable])
def test_every_key_is_in_the_example(table):
    example = (ROOT / "deploy/station.toml").read_text()
    for item in fields(table):
        if item.name in ("house_rules", "arm_setup"):  # put in by the reader, no keys
            continue
        assert re.search(rf"^#? ?{item.name} = ", example, re.MULTILINE), item.name


@pytest.mark.parametrize("path", sorted((ROOT / "deploy").glob("*.toml")), ids=lambda path: path.name)
def test_every_example_loads(path):
    assert read_config(path.read_text(), path.name).boards


def test_every_commented_key_of_the_example_is_right_too():
    text = (ROOT / "deploy/station.toml").read_text()
    for line in re.findall(r"^# (\w+ = .*)$", text, re.MULTILINE):
        if line.startswith(("pins = ", "record = ")):  # want another driver: see gpio.toml and docs/camera.md
            continue
        if line.startswith(("password_file = ", "certificate_file = ", "key_file = ")):  # want each other beside them
            continue
        assert read_config(text.replace(f"# {line}", line, 1)) or line.startswith("usb_serial")


def test_the_diagram_of_phases_is_the_table():
    diagram = re.search(r"```mermaid\n(.*?)```", DOCUMENTS["ARCHITECTURE.md"], re.DOTALL)
    assert diagram
    drawn = set(re.findall(r"(\w+) --> (\w+): (.+)", diagram[1]))
    table = {
        (phase, target if " " not in target else phase, f"{event}{'' if ' ' not in target else ' (goes on)'}")
        for phase, ways in TRANSITIONS.items()
        for event, target in ways
    }
    assert drawn == table


def test_links_between_documents_lead_somewhere():
    for name, text in DOCUMENTS.items():
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (ROOT / target).exists(), f"{name} links to {target}"
