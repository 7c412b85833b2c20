"""The table of README.md: every number has its tests, where it says, or a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.numbered import check_row, named_tests, rows_of

ROWS = rows_of(Path(__file__).parent / "README.md", "C")
FOUND = named_tests("C")


def test_every_number_has_its_row_in_order():
    assert [number for number, _, _ in ROWS] == [f"C{number:02d}" for number in range(1, 41)]


def test_no_test_is_named_after_a_number_that_does_not_exist():
    assert set(FOUND) <= {number for number, _, _ in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=[number for number, _, _ in ROWS])
def test_a_row_names_the_files_of_its_tests_or_says_why_there_are_none(row):
    check_row(row, FOUND)
