"""The page says nothing that is not in its file of texts, and everything in it is said."""

from __future__ import annotations

import re

import pytest

from engine.levels import LEVEL_NAMES
from firmware_bridge.driver import Role
from station.phases import TRANSITIONS
from station.settings import PACE_RANGES, PACES
from station.texts import load_texts
from station.web.files import STATIC
from station.web.words import PAGE

KEYS = {key.removeprefix(PAGE) for key in load_texts("en").sentences if key.startswith(PAGE)}
SCRIPTS = {file.name: file.read_text() for file in sorted(STATIC.glob("*.js"))}
HTML = "".join(file.read_text() for file in sorted(STATIC.glob("*.html")))


def used():
    """Keys named outright, and beginnings of keys that are put together."""
    everything = "\n".join(SCRIPTS.values()) + HTML
    whole = set(re.findall(r'"([a-z_]+\.[a-z_]+)"', everything)) - set(SCRIPTS) - {"game.pdn", "view.jpg"}
    parts = set(re.findall(r"`([a-z_]+\.(?:[a-z_]+_)?)\$\{", everything))
    return whole, parts


def test_every_text_that_is_used_exists():
    whole, parts = used()
    assert {key for key in whole if key not in KEYS} == set()
    assert {part for part in parts if not any(key.startswith(part) for key in KEYS)} == set()


def test_every_text_is_used():
    whole, parts = used()
    assert {key for key in KEYS if key not in whole and not key.startswith(tuple(parts))} == set()


def test_every_lamp_and_phase_has_a_text():
    assert {f"lamp.{role}" for role in Role} <= KEYS
    phases = {re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower() for name in TRANSITIONS}
    assert {f"phase.{name}" for name in phases} <= KEYS


def test_every_waiting_time_and_manner_has_a_text():
    assert {f"pace.{name}" for name in PACE_RANGES} <= KEYS
    assert {f"pace_preset.{name}" for name in (*PACES, "own")} <= KEYS
    assert {"confirm_mode.automatic", "confirm_mode.button", "confirm_mode.when_ambiguous"} <= KEYS
    assert {"draws_mode.automatic", "draws_mode.claim"} <= KEYS


def test_every_level_is_called_what_the_engine_calls_it():
    (listed,) = re.findall(r"^const LEVELS = \[(.*)\];$", SCRIPTS["dialogs.js"], re.MULTILINE)
    assert tuple(re.findall(r'"(\w+)"', listed)) == LEVEL_NAMES
    assert {f"level.{name}" for name in LEVEL_NAMES} <= KEYS


def test_every_lamp_is_drawn():
    drawn = SCRIPTS["lamps.js"]
    for role in Role:
        assert len(re.findall(rf"^  {role}: ", drawn, re.MULTILINE)) == 3, role
    roles = re.search(r"ROLES = \[(.*)\]", drawn)
    assert roles is not None
    assert re.findall(r"\w+", roles[1]) == [str(role) for role in Role]


@pytest.mark.parametrize("name", ["index.html", "style.css", *SCRIPTS])
def test_nothing_is_fetched_from_elsewhere(name):
    text = (STATIC / name).read_text().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"(https?:)?//[a-z]", text.replace("/** ", "").replace("// -", "")), name
    assert "innerHTML" not in text
    assert "eval(" not in text
