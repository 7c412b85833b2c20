"""Every sentence that the program may say exists, in every language, with the same places to fill in."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

import station
from engine.draughts import DraughtsRules
from engine.explain import RULES
from engine.legality import KINDS
from engine.position import Side
from engine.ruleset import load_ruleset, variant_names
from station.errors import ConfigError
from station.texts import languages, load_texts

SOURCES = sorted(Path(station.__file__).parent.glob("*.py"))
ENGLISH = load_texts("en")
FAILURES = ("alarm", "error", "reset", "silent", "missed", "limp", "overload", "unreachable", "killed", "stopped")

DYNAMIC = {
    "do.": {"do.place", "do.replace"},
    "over.": {"over.white", "over.black", "over.draw"},
    "fault.": {f"fault.{kind}" for kind in KINDS},
    "arm.": {
        *(f"arm.{reason}" for reason in ("hand", "stop", "halt", "board", "nothing", "board_lost")),
        *(f"arm.{kind}" for kind in FAILURES),
        *(f"arm.says_{state}" for state in ("dry", "silent", "asks", "busy", "hand", "unarmed", "ready")),
    },
    "arm_walk.": {f"arm_walk.{kind}" for kind in ("same", "skew", "cells", "lean", "mirrored", "tilt", "bend", "tray")},
    "pieces.": {f"pieces.{color}_{kind}" for color in ("white", "black") for kind in ("man", "king")},
    "piece.": {"piece.white_man", "piece.white_king", "piece.black_man", "piece.black_king"},
    "reason.": {"reason.no move left", "reason.no piece left", "reason.resigned", "reason.agreed"},
    "side.": {f"side.{side}" for side in Side},
    "rule.": {f"rule.{rule}" for rule in RULES},
    "prompt.": set(),
    "doctor.": {
        *("doctor.start", "doctor.empty", "doctor.no_driver", "doctor.no_port", "doctor.no_library", "doctor.no_pins"),
        *(f"doctor.{kind}_{place}" for kind in ("dead", "stuck") for place in ("square", "row", "column")),
        *("doctor.wrong_firmware", "doctor.wrong_board", "doctor.board_reports", "doctor.wrong_id", "doctor.silent"),
        *("doctor.no_permission", "doctor.port_taken", "doctor.board_not_found", "doctor.spoilt"),
        *(f"doctor.arm_{trouble}" for trouble in ("stop", "limit", "voltage", "heat", "overload")),
        *(f"doctor.arm_{fault}" for fault in ("no_file", "not_calibrated", "silent", "dialect", "setting", "reach")),
    },
}
"""Keys that are put together at run time, by their beginning."""


def calls():
    """(function called, its arguments) everywhere in the station's core."""
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")), node


def strings_in(node):
    return [item.value for item in ast.walk(node) if isinstance(item, ast.Constant) and isinstance(item.value, str)]


def prompts_said():
    """Keys of prompts: the second argument of `_say`, be it chosen between two."""
    for name, call in calls():
        if name == "_say" and len(call.args) > 1:
            yield from strings_in(call.args[1])


def keys_said():
    for name, call in calls():
        if name == "say" and call.args:
            first = call.args[0]
            if isinstance(first, ast.Constant):
                yield first.value


def places(sentence):
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def test_every_prompt_said_exists():
    prompts = set(prompts_said()) | {"set_up", "set_up_start"}
    assert {"turn", "thinking", "reply", "crown", "differs", "which"} <= prompts
    assert {f"prompt.{key}" for key in prompts} <= set(ENGLISH.sentences)


def test_every_sentence_said_exists():
    keys = set(keys_said())
    assert {"do.nothing", "do.move"} <= keys
    assert keys <= set(ENGLISH.sentences)


@pytest.mark.parametrize("beginning", DYNAMIC)
def test_every_key_put_together_exists(beginning):
    assert DYNAMIC[beginning] <= set(ENGLISH.sentences)


def test_beginnings_put_together_in_the_code_are_listed():
    found = set()
    for source in SOURCES:
        found |= set(re.findall(r'say\(f?"([a-z_]+\.)[{"]', source.read_text(encoding="utf-8")))
        found |= set(re.findall(r'get\(f"([a-z_]+\.)\{', source.read_text(encoding="utf-8")))
    assert found <= set(DYNAMIC)


PLACES_OF_RULES = {"number": "3", "squares": "c3, e3", "place": "beside c3"}


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_sentence_of_its_own_in_every_language(rule, language):
    texts = load_texts(language)
    said = texts.rule(rule, **PLACES_OF_RULES)
    assert said == texts.sentences[f"rule.{rule}"].format(**PLACES_OF_RULES)
    assert sum(texts.sentences[f"rule.{other}"] == texts.sentences[f"rule.{rule}"] for other in RULES) == 1


def test_an_unknown_rule_is_still_a_sentence():
    assert ENGLISH.rule("of another game") == ENGLISH.sentences["rule.no_such_move"]


@pytest.mark.parametrize("language", languages())
def test_a_sentence_ends_as_one(language):
    """Actions and names stand inside sentences; prompts and rules are whole ones."""
    texts = load_texts(language)
    for key, text in texts.sentences.items():
        if key.startswith(("prompt.", "rule.")):
            assert text.endswith((".", "}.", "?", "!", "。")), key


def test_a_language_that_is_missing_names_those_there_are():
    with pytest.raises(ConfigError, match="en"):
        load_texts("tlh")


def test_reasons_of_the_engine_are_known():
    """How a game can end on the board."""
    assert isinstance(DraughtsRules, type)
    for name in variant_names():
        for draw in load_ruleset(name).draws:
            assert draw.name
    assert places(ENGLISH.sentences["reason.rule"]) == {"name", "article"}
