"""The outbox: events on disk until the broker has them; at least once, in order, across restarts."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

LIMIT = 10_000
"""Events kept while the broker is away; beyond it the oldest go, and are counted."""


class Outbox:
    """A table of events to publish, and how far each board's game has come into it. Safe from several threads."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS event (number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT, payload BLOB)"
        )
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS reached (board TEXT PRIMARY KEY, game TEXT NOT NULL, seq INTEGER NOT NULL)"
        )
        self.dropped = 0

    def put(self, topic: str, payload: bytes, board: str, game: str, seq: int) -> None:
        """Keep an event, unless this board's game has come as far already."""
        with self._lock, self._database:
            self._database.execute("BEGIN")
            row = self._database.execute("SELECT game, seq FROM reached WHERE board = ?", (board,)).fetchone()
            if row is not None and row[0] == game and row[1] >= seq:
                return
            self._database.execute("INSERT INTO event (topic, payload) VALUES (?, ?)", (topic, payload))
            self._database.execute("INSERT OR REPLACE INTO reached VALUES (?, ?, ?)", (board, game, seq))
            self._trim()

    def pending(self, after: int, most: int = 50) -> list[tuple[int, str, bytes]]:
        """The oldest events with a number above `after`: (number, topic, payload)."""
        with self._lock:
            rows = self._database.execute(
                "SELECT number, topic, payload FROM event WHERE number > ? ORDER BY number LIMIT ?", (after, most)
            )
            return [(int(number), str(topic), bytes(payload)) for number, topic, payload in rows]

    def sent(self, number: int) -> None:
        """Forget an event that the broker has acknowledged."""
        with self._lock:
            self._database.execute("DELETE FROM event WHERE number = ?", (number,))

    def reached(self, board: str) -> tuple[str, int] | None:
        """The game and sequence number of a board's latest event."""
        with self._lock:
            row = self._database.execute("SELECT game, seq FROM reached WHERE board = ?", (board,)).fetchone()
        return None if row is None else (str(row[0]), int(row[1]))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    def _trim(self) -> None:
        count = self._database.execute("SELECT count(*) FROM event").fetchone()[0]
        if count > LIMIT:
            surplus = count - LIMIT
            self._database.execute(
                "DELETE FROM event WHERE number IN (SELECT number FROM event ORDER BY number LIMIT ?)", (surplus,)
            )
            self.dropped += surplus
