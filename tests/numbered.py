"""Tests named after the numbers of scenarios, and the tables that say where they are."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

from tests.acceptance.__main__ import Acceptance

TESTS = Path(__file__).parent


def rows_of(table: Path, letter: str) -> list[tuple[str, str, str]]:
    """The rows of a table in Markdown: number (as S01), what happens, where its tests are or why there are none."""
    text = table.read_text(encoding="utf-8")
    return re.findall(rf"^\| ({letter}\d\d) \| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE)


def named_tests(letter: str) -> dict[str, set[str]]:
    """For each number the files, below `tests/`, that hold a test named after it, or after it and others."""
    found = defaultdict(set)
    for path in TESTS.rglob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            numbers = re.match(r"test_((?:[A-Z]\d+_)+)", getattr(node, "name", ""))
            if numbers and isinstance(node, ast.FunctionDef):
                for number in re.findall(rf"\b{letter}\d\d\b", numbers[1].replace("_", " ")):
                    found[number].add(path.relative_to(TESTS).as_posix())
    return found


def check_row(row: tuple[str, str, str], found: dict[str, set[str]]) -> None:
    """A row names the files of its tests and steps of `make acceptance`, or says why there are none."""
    number, what, where = row
    assert len(what) > 3
    where, _, steps = where.partition("acceptance: ")
    assert set(re.findall(r"`([^`]+)`", steps)) <= {step.__name__ for step in Acceptance.STEPS}
    if steps and not where:
        assert number not in found, "say where its tests are"
        return
    if where.startswith("none: "):
        assert len(where) > 40, "a reason"
        assert number not in found
    elif where == "owed":
        assert number not in found, "say where its tests are"
    else:
        files = set(re.findall(r"`([^`]+)`", where))
        assert files
        assert files <= found[number]
