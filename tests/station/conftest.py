"""A real Chromium where there is one: a single one for a test process, which can have no second driver."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
SWITCHES = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@pytest.fixture(scope="session")
def chromium():
    """One Chromium for all tests of pages."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the page's tests need playwright (pip)")
    if not Path(CHROMIUM).exists():
        pytest.skip("the page's tests need Chromium (apt install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def expect(chromium):
    """Playwright's assertions, which wait."""
    return pytest.importorskip("playwright.sync_api").expect
