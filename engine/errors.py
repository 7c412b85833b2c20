"""Errors of the engine; each is also the built-in error a caller expects."""

from __future__ import annotations


class RulesetError(ValueError):
    """A rule set file is wrong: says key, value and what was expected."""


class NotationError(ValueError):
    """Text that is no square, move or position in this notation."""


class IllegalMoveError(ValueError):
    """A move that is well written and not legal here."""


class TooManyCapturesError(ValueError):
    """A position with more ways of capturing than can be listed: says how many were tried."""


class AmbiguousMoveError(ValueError):
    """A move text that fits more than one legal move; `candidates` are their full texts."""

    def __init__(self, message: str, candidates: tuple[str, ...]) -> None:
        super().__init__(message)
        self.candidates = candidates


class HubError(ValueError):
    """A line that is not Hub."""
