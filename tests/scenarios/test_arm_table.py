"""Every scenario of an arm is a test named after its number, or has a reason in `arms.toml`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.data_files import needs_shared, shared

TESTS = Path(__file__).parents[1]
REASONS = tomllib.loads((Path(__file__).parent / "arms.toml").read_text(encoding="utf-8"))
NUMBER = r"[a-e]\d{1,2}"


def named():
    """Numbers that a test, or one of its cases, is named after."""
    found = set()
    for folder in ("station", "firmware_bridge"):
        for file in (TESTS / folder).rglob("test_*.py"):
            text = file.read_text(encoding="utf-8")
            if "arm" not in file.name and not re.search(r"handling|resetting|motion|grbl", file.name):
                continue
            for names in re.findall(rf"def test_({NUMBER}(?:_and_{NUMBER})*)_", text):
                found |= set(names.upper().split("_AND_"))
            found |= {number.upper() for number in re.findall(rf'"({NUMBER})-[a-z]+"', text)}
    return found


@needs_shared("arms/scenarios.md")
def test_every_scenario_has_a_test_or_a_reason():
    text = shared("arms/scenarios.md").read_text(encoding="utf-8")
    numbers = set(re.findall(r"^\| ([A-E]\d+) \|", text, re.MULTILINE))
    assert len(numbers) == 67
    assert sorted(numbers - named() - set(REASONS)) == []
    assert set(REASONS) <= numbers


@pytest.mark.parametrize("number", sorted(REASONS))
def test_a_reason_is_given_only_where_no_test_is_named_so(number):
    assert number not in named()
    assert len(REASONS[number]) > 30
