"""What goes wrong with a player that is not at the board."""

from __future__ import annotations


class PlayerError(RuntimeError):
    """An engine's process cannot be started, has ended, or answers nonsense."""


class UnfitError(PlayerError):
    """An engine that cannot play what is asked of it, however often it is started."""


class EndedError(PlayerError):
    """An engine that has ended though nobody told it to."""


class SilentError(PlayerError):
    """An engine that has not answered in time."""


class IllegalAnswerError(PlayerError):
    """An engine whose answer is no legal move."""
