"""A connection to SQLite or PostgreSQL: one text for each statement, values as `:name`."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

PATIENCE_S = 10
"""How long a statement may take or wait for another one."""

Values = Mapping[str, Any]


class DatabaseError(OSError):
    """The database does not take or give something now: no space, no right, no server."""


class DamagedError(DatabaseError):
    """The file is no database, or is damaged."""


class Database(Protocol):
    """What the archive needs of a database. Every method raises DatabaseError."""

    def rows(self, statement: str, values: Values) -> list[tuple[Any, ...]]:
        """The rows that a question gives."""

    def change(self, statements: Iterable[tuple[str, Sequence[Values]]]) -> None:
        """Carry out statements, each once for every set of values: all of them or none."""

    def close(self) -> None:
        """Let go of it."""


def open_database(address: str, writes: bool) -> Database:
    """The database at a path or a PostgreSQL address."""
    return Postgres(address, writes) if is_postgres(address) else Sqlite(Path(address), writes)


def is_postgres(address: str) -> bool:
    """Whether an address is that of a PostgreSQL server."""
    return address.startswith(("postgresql://", "postgres://"))


class Sqlite:
    """A file. Whoever reads sees it as it was when the question began, and holds up nobody who writes."""

    def __init__(self, path: Path, writes: bool) -> None:
        try:
            self._connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode={'rwc' if writes else 'ro'}",
                uri=True,
                timeout=PATIENCE_S,
                isolation_level=None,
                check_same_thread=False,
            )
            if writes:
                self._prepare()
            else:
                until = monotonic() + PATIENCE_S
                self._connection.set_progress_handler(lambda: monotonic() > until, 100_000)
        except sqlite3.Error as error:
            raise _explained(error) from error

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        if self._connection.execute("PRAGMA quick_check").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("malformed")

    def rows(self, statement: str, values: Values) -> list[tuple[Any, ...]]:
        """The rows that a question gives."""
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise _explained(error) from error

    def change(self, statements: Iterable[tuple[str, Sequence[Values]]]) -> None:
        """Carry out statements, all of them or none."""
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                for statement, many in statements:
                    self._connection.executemany(statement, many)
        except sqlite3.Error as error:
            raise _explained(error) from error

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def _explained(error: sqlite3.Error) -> DatabaseError:
    code = getattr(error, "sqlite_errorcode", 0) or 0
    damaged = code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or str(error) == "malformed"
    return (DamagedError if damaged else DatabaseError)(str(error))


class Postgres:
    """A server, for a federation that has outgrown one machine; needs the extra `postgres`."""

    def __init__(self, address: str, writes: bool) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise DatabaseError(f"{error}: pip install 'dambord[postgres]'") from error
        self._error = psycopg.Error
        try:
            self._connection = psycopg.connect(
                address, autocommit=True, connect_timeout=5, options=f"-c statement_timeout={PATIENCE_S * 1000}"
            )
            if writes:
                taken = self._connection.execute("SELECT pg_try_advisory_lock(6446)").fetchone()
                if taken is None or not taken[0]:
                    self._connection.close()
                    raise DatabaseError("another club writes to this database, expected one of its own")
        except psycopg.Error as error:
            raise DatabaseError(str(error).strip()) from error

    def rows(self, statement: str, values: Values) -> list[tuple[Any, ...]]:
        """The rows that a question gives."""
        try:
            rows: list[tuple[Any, ...]] = self._connection.execute(_for_server(statement), values).fetchall()
            return rows
        except self._error as error:
            raise DatabaseError(str(error).strip()) from error

    def change(self, statements: Iterable[tuple[str, Sequence[Values]]]) -> None:
        """Carry out statements, all of them or none."""
        try:
            with self._connection.transaction(), self._connection.cursor() as cursor:
                for statement, many in statements:
                    cursor.executemany(_for_server(statement), many)
        except self._error as error:
            raise DatabaseError(str(error).strip()) from error

    def close(self) -> None:
        """Leave the server."""
        self._connection.close()


def _for_server(statement: str) -> bytes:
    return re.sub(r":(\w+)", r"%(\1)s", statement.replace("%", "%%")).encode()
