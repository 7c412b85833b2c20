"""What holds for every test: warnings are errors, and where it is said so, nothing may be skipped."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# How long an example takes says how busy the machine is; hangs are caught by pytest's timeout. The same examples in
# every run, so that a red one is about the change at hand; `make soak` looks further.
settings.register_profile("dambord", deadline=None, derandomize=True)
settings.load_profile("dambord")


def pytest_sessionfinish(session, exitstatus):
    """Fails a run that skipped a test, where skips are not allowed: every tool and all data should be there."""
    if os.environ.get("DAMBORD_ALLOW_SKIPS") == "no" and exitstatus == pytest.ExitCode.OK and skipped(session):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    """Names what was skipped, and why."""
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        terminalreporter.write_line(f"skipped {report.nodeid}: {reason}")
    if os.environ.get("DAMBORD_ALLOW_SKIPS") == "no" and terminalreporter.stats.get("skipped"):
        terminalreporter.write_line("skips are not allowed here (DAMBORD_ALLOW_SKIPS=no)", red=True)


def skipped(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    return reporter.stats.get("skipped", []) if reporter else []
