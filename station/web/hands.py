"""Hands on simulated boards: what the page's demo needs, and the watch that tells pages what they did."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol, runtime_checkable

from engine.geometry import Cell
from station.web.feed import WORLD, Feed

CONTENT_NAMES = ("white_man", "white_king", "black_man", "black_king")
"""What hands can put on a cell."""

BUTTONS = ("confirm", "take_back", "new_game", "clock_white", "clock_black", "draw", "resign")
"""Buttons a board may have; a board without one says so with a ValueError."""

WATCH_S = 0.1
"""How often lamps are looked at while somebody listens."""


class Hands(Protocol):
    """Simulated boards as hands reach them. Every method is quick, and may be called from the web server's thread."""

    def boards(self) -> Sequence[str]:
        """The simulated boards."""
        ...

    def world(self, board: str) -> Mapping[Cell, str]:
        """What really stands on each cell that is not empty, by name: `white_man`, `black_king`..."""
        ...

    def lamps(self, board: str) -> Mapping[Cell, str]:
        """The lit cells with the role each shows."""
        ...

    def put(self, board: str, cell: Cell, content: str) -> None:
        """A hand puts a piece on a cell; nothing else stands there afterwards."""
        ...

    def take(self, board: str, cell: Cell) -> None:
        """A hand takes away what stands on a cell."""
        ...

    def press(self, board: str, button: str) -> None:
        """A hand presses a button; ValueError when the board has no such button."""
        ...

    def unplug(self, board: str) -> None:
        """Pull the board's cable."""
        ...

    def plug(self, board: str) -> None:
        """Put the board's cable back."""
        ...

    def is_plugged(self, board: str) -> bool:
        """Whether the board's cable is in."""
        ...


@runtime_checkable
class ArmShown(Protocol):
    """Simulated boards of which some have an arm."""

    def arm(self, board: str) -> Mapping[str, object] | None:
        """Where the tool is, in pitches: `column`, `row`, `height` above the board; and what it `holds`, from below."""
        ...


class Watch:
    """Tells a feed what stands and glows on simulated boards: after each touch, and regularly while one listens."""

    def __init__(self, hands: Hands, feed: Feed) -> None:
        self._hands, self._feed = hands, feed
        self._listening = 0
        self._touches: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None

    def look(self, board: str) -> None:
        """Publish how a board is now."""
        self._feed.publish(board, {**world_of(self._hands, board), "touches": self._touches[board]}, WORLD)

    def touched(self, board: str) -> int:
        """Count a touch and publish what came of it; what is published with this number or a later one includes it."""
        self._touches[board] += 1
        self.look(board)
        return self._touches[board]

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Look at all boards every 100 ms as long as at least one is inside."""
        self._listening += 1
        if self._task is None:
            self._look_at_all()
            self._task = asyncio.create_task(self._keep_looking())
        try:
            yield
        finally:
            self._listening -= 1
            if not self._listening:
                self._task.cancel()
                self._task = None

    def _look_at_all(self) -> None:
        for board in self._hands.boards():
            self.look(board)

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(WATCH_S)
            self._look_at_all()


def world_of(hands: Hands, board: str) -> dict[str, Any]:
    """What the page is told of a simulated board: `[column, row, name]` for each piece and each lamp."""
    arm = hands.arm(board) if isinstance(hands, ArmShown) else None
    return {
        **({"arm": arm} if arm is not None else {}),
        "cells": sorted([*cell, content] for cell, content in hands.world(board).items()),
        "lamps": sorted([*cell, role] for cell, role in hands.lamps(board).items()),
        "plugged": hands.is_plugged(board),
    }
