"""Finds test data: files of this repository, and larger reference data that a clone may not have beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent / "data"
"""Test data that comes with the repository."""


def shared(path: str) -> Path:
    """Where a file of reference data lies: under $DAMBORD_TEST_DATA, else in ../shared beside the repository."""
    root = os.environ.get("DAMBORD_TEST_DATA")
    return (Path(root) if root else Path(__file__).parents[2] / "shared") / path


def needs_shared(*paths: str) -> pytest.MarkDecorator:
    """Skips a test by name where one of these files of reference data is missing."""
    missing = [path for path in paths if not shared(path).exists()]
    return pytest.mark.skipif(
        bool(missing), reason=f"reference data not found: {', '.join(missing)}; set DAMBORD_TEST_DATA to its folder"
    )


def shared_json(path: str, default: Any = None) -> Any:
    """A JSON file of reference data; `default` where it is missing."""
    file = shared(path)
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else default


def shared_rows(path: str, key: str, variants: Collection[str], name: Callable[[Any], str]) -> list[Any]:
    """Test parameters: rows of a list in a JSON file of reference data, of some variants; one that skips if missing."""
    rows = [row for row in shared_json(path, {}).get(key, []) if row["variant"] in variants]
    if not rows:
        return [pytest.param(None, id="none", marks=needs_shared(path))]
    return [pytest.param(row, id=name(row)) for row in rows]
