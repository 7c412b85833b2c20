"""The table of README.md: every number has its tests, where it says, or a reason."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
TABLE = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (C\d\d) \| ([^|]+) \| ([^|]+) \|$", TABLE, re.MULTILINE)


def named_tests():
    """For each number the files, below `tests/`, that hold a test named after it."""
    found = defaultdict(set)
    for path in TESTS.rglob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            number = re.match(r"test_(C\d\d)_", getattr(node, "name", ""))
            if number and isinstance(node, ast.FunctionDef):
                found[number[1]].add(path.relative_to(TESTS).as_posix())
    return found


FOUND = named_tests()


def test_every_number_has_its_row_in_order():
    assert [number for number, _, _ in ROWS] == [f"C{number:02d}" for number in range(1, 41)]


def test_no_test_is_named_after_a_number_that_does_not_exist():
    assert set(FOUND) <= {number for number, _, _ in ROWS}


@pytest.mark.parametrize(("number", "what", "where"), ROWS, ids=[number for number, _, _ in ROWS])
def test_a_row_names_the_files_of_its_tests_or_says_why_there_are_none(number, what, where):
    assert len(what) > 3
    if where.startswith("none: "):
        assert len(where) > 40, "a reason"
        assert number not in FOUND
        return
    if where == "owed":
        assert number not in FOUND, "say where its tests are"
        return
    assert set(re.findall(r"`([^`]+)`", where)) == FOUND[number]
