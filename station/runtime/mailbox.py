"""Mailboxes between threads: newest-wins for levels, bounded order for commands."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

_Item = TypeVar("_Item")


class Latest(Generic[_Item]):
    """Holds one value; a newer one replaces one that nobody took."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._item: _Item | None = None

    def put(self, item: _Item) -> None:
        """Leave a value."""
        with self._lock:
            self._item = item

    def take(self) -> _Item | None:
        """The value left, or None; it is gone then."""
        with self._lock:
            item, self._item = self._item, None
        return item
