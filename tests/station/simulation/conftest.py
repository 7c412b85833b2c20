"""The pool of turns is made before any test, so that no single example pays for it."""

from __future__ import annotations

import pytest

from .turns import pool


@pytest.fixture(scope="session", autouse=True)
def made_pool():
    pool()
