"""Errors of the station; each is also the built-in error a caller expects."""

from __future__ import annotations


class ConfigError(ValueError):
    """A configuration is wrong: names file, key, value and what was expected."""


class JournalError(ValueError):
    """A journal cannot be read: names file, line and what was expected."""
