"""What can go wrong with simulated hands: only a caller's bug."""

from __future__ import annotations


class ImpossibleTouchError(ValueError):
    """A touch that cannot be: off an empty square, onto an occupied one, or at a board the move does not belong to."""
