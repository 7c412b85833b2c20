"""The outbox: events on disk until the broker has them, in order; answers to commands; topics that brokers keep."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

LIMIT = 10_000
"""Events kept while the broker is away; beyond it the oldest go, and are counted."""
ANSWERS_KEPT = 1000

_TABLES = (
    "CREATE TABLE IF NOT EXISTS event (number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT, payload BLOB)",
    "CREATE TABLE IF NOT EXISTS reached (board TEXT PRIMARY KEY, game TEXT NOT NULL, seq INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS answer (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, payload BLOB)",
    "CREATE TABLE IF NOT EXISTS topic (name TEXT PRIMARY KEY)",
)


class OutboxError(OSError):
    """The outbox cannot be written to now."""


@dataclass(frozen=True, slots=True)
class Item:
    """An event on its way into the outbox."""

    topic: str
    payload: bytes
    board: str
    game: str
    seq: int


def item_for(topic: str, board: str, game: str, seq: int, what: Mapping[str, Any], at: str) -> Item:
    """An announcement as it is published: its fields in the order id, seq, type, game, its own, at."""
    head = {"id": f"{game}-{seq}", "seq": seq, "type": what["type"], "game": game}
    own = {key: value for key, value in what.items() if key != "type"}
    return Item(topic, msgspec.json.encode({**head, **own, "at": at}), board, game, seq)


class Outbox:
    """Tables of events to publish, how far each board's game has come, and answers. Safe from several threads.

    A file that is no database is set aside under the name `....spoilt`; what it held is found in the journals.
    """

    def __init__(self, path: Path, limit: int = LIMIT) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._limit = limit
        try:
            self._database = _open(path)
        except sqlite3.DatabaseError:
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                if path.with_name(name).exists():
                    path.with_name(name).replace(path.with_name(f"{name}.spoilt"))
            self._database = _open(path)
        self._count = int(self._database.execute("SELECT count(*) FROM event").fetchone()[0])
        self.dropped = 0

    def put(self, item: Item) -> None:
        """Keep an event unless its game has come as far already; OutboxError when the disk does not take it."""
        try:
            self._put(item)
        except sqlite3.Error as error:
            raise OutboxError(str(error)) from error

    def _put(self, item: Item) -> None:
        with self._lock, self._database:
            self._database.execute("BEGIN")
            row = self._database.execute("SELECT game, seq FROM reached WHERE board = ?", (item.board,)).fetchone()
            if row is not None and row[0] == item.game and row[1] >= item.seq:
                return
            self._database.execute("INSERT INTO event (topic, payload) VALUES (?, ?)", (item.topic, item.payload))
            self._database.execute("INSERT OR REPLACE INTO reached VALUES (?, ?, ?)", (item.board, item.game, item.seq))
            surplus = max(0, self._count + 1 - self._limit)
            if surplus:
                self._database.execute(
                    "DELETE FROM event WHERE number IN (SELECT number FROM event ORDER BY number LIMIT ?)", (surplus,)
                )
        self._count += 1 - surplus
        self.dropped += surplus

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
            self._count -= self._database.execute("DELETE FROM event WHERE number = ?", (number,)).rowcount

    def reached(self, board: str) -> tuple[str, int] | None:
        """The game and sequence number of a board's latest event."""
        with self._lock:
            row = self._database.execute("SELECT game, seq FROM reached WHERE board = ?", (board,)).fetchone()
        return None if row is None else (str(row[0]), int(row[1]))

    def is_new(self, identity: str) -> bool:
        """Whether a command of this identity comes for the first time; it is remembered from now on."""
        with self._lock, self._database:
            self._database.execute("BEGIN")
            came = self._database.execute("INSERT OR IGNORE INTO answer (id) VALUES (?)", (identity,)).rowcount
            self._database.execute(
                "DELETE FROM answer WHERE number <= (SELECT max(number) FROM answer) - ?", (ANSWERS_KEPT,)
            )
        return came == 1

    def answer(self, identity: str, payload: bytes) -> None:
        """Keep the answer to a command."""
        with self._lock:
            self._database.execute("UPDATE answer SET payload = ? WHERE id = ?", (payload, identity))

    def answered(self, identity: str) -> bytes | None:
        """The answer kept for a command; None while there is none."""
        with self._lock:
            row = self._database.execute("SELECT payload FROM answer WHERE id = ?", (identity,)).fetchone()
        return None if row is None or row[0] is None else bytes(row[0])

    def topics(self) -> list[str]:
        """The topics that a broker was given something to keep on."""
        with self._lock:
            return [str(name) for (name,) in self._database.execute("SELECT name FROM topic")]

    def add_topic(self, name: str) -> None:
        """Note a topic; OutboxError when the disk does not take it."""
        try:
            with self._lock:
                self._database.execute("INSERT OR IGNORE INTO topic VALUES (?)", (name,))
        except sqlite3.Error as error:
            raise OutboxError(str(error)) from error

    def remove_topic(self, name: str) -> None:
        """Forget a topic."""
        with self._lock:
            self._database.execute("DELETE FROM topic WHERE name = ?", (name,))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()


def _open(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        if database.execute("PRAGMA quick_check").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("the file is damaged")
        for table in _TABLES:
            database.execute(table)
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


def copy_database(old: Path, new: Path) -> None:
    """Copy a database whole, also while somebody writes to it."""
    with (
        closing(sqlite3.connect(f"file:{old}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(new)) as target,
    ):
        source.backup(target)
