"""The tables below `operations/`: every number has one row, which names its tests, where they are, or a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.numbered import check_row, named_tests, rows_of

ROWS = [row for table in sorted((Path(__file__).parent / "operations").glob("*.md")) for row in rows_of(table, "O")]
FOUND = named_tests("O")


def test_every_number_has_one_row():
    assert sorted(number for number, _, _ in ROWS) == [f"O{number:02d}" for number in range(1, 91)]


def test_no_test_is_named_after_a_number_that_does_not_exist():
    assert set(FOUND) <= {number for number, _, _ in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=[number for number, _, _ in ROWS])
def test_a_row_names_the_files_of_its_tests_or_says_why_there_are_none(row):
    check_row(row, FOUND)
