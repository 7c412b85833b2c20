"""The comparison with other ways to read moves: it runs, and its baselines read what they are made to read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "tracking.md"
    command = (sys.executable, BENCHMARKS / "tracking.py", "--moves", "40", "--seed", "2", "--write", path)
    subprocess.run([*command, "--only", "english real worn matrix, occupancy"], check=True, capture_output=True)
    return path.read_text(encoding="utf-8")


def test_each_method_has_a_line_with_its_figures(written):
    rows = [
        [text.strip() for text in line.split("|")[1:-1]]
        for line in written.splitlines()
        if line.startswith("| english")
    ]
    assert [row[2] for row in rows] == ["Dambord", "settle 250 ms", "settle 500 ms", "lift/place pairing"]
    assert all(int(row[3]) >= 40 for row in rows)
    middle = [int(row[-1].split(" / ")[0]) for row in rows]
    assert 250 < middle[1] < 250 + 150
    assert 500 < middle[2] < 500 + 150
    assert middle[3] < 150
    missed = [float(row[8].split()[0]) for row in rows]
    assert missed[0] == 0
    assert max(missed) < 5000


def test_the_document_says_what_was_run(written):
    assert "seed 2" in written
    assert "--only" in written
    assert "Wilson" in written
