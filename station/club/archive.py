"""The archive of a club's games: each game once, in SQLite or PostgreSQL, with every position of it.

A game is kept as it is known (`record.Known`), so that a message that comes years late still finds its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from station.announcements import MoveObject
from station.club.database import DamagedError, Database, DatabaseError, Values, is_postgres, open_database
from station.club.line import Line, facts
from station.club.messages import Happened, Key
from station.club.query import Query
from station.club.record import Head, Known

_TEXTS = (
    *("station", "board", "game", "variant", "rules", "start_fen", "white", "black", "white_key", "black_key"),
    *("players", "opening", "opening_key", "clock", "result", "outcome", "reason", "began", "last", "day"),
    *("moves", "fault"),
)
_NUMBERS = ("players_as_of", "reason_seq", "seq", "plies")
_COLUMNS = ("number", *_TEXTS, *_NUMBERS)

_TABLES = (
    "CREATE TABLE IF NOT EXISTS game (number INTEGER PRIMARY KEY, "
    + ", ".join(f"{name} TEXT NOT NULL" for name in _TEXTS)
    + ", "
    + ", ".join(f"{name} INTEGER NOT NULL" for name in _NUMBERS)
    + ", UNIQUE (station, board, game))",
    "CREATE TABLE IF NOT EXISTS ply (game INTEGER NOT NULL, ply INTEGER NOT NULL, position BIGINT, "
    "text TEXT NOT NULL, told TEXT NOT NULL, at TEXT NOT NULL, at_seq INTEGER NOT NULL, PRIMARY KEY (game, ply))",
    "CREATE TABLE IF NOT EXISTS waiting (game INTEGER NOT NULL, seq INTEGER NOT NULL, event TEXT NOT NULL, "
    "PRIMARY KEY (game, seq))",
    "CREATE INDEX IF NOT EXISTS ply_position ON ply (position)",
    "CREATE INDEX IF NOT EXISTS game_day ON game (day)",
)
_PUT_GAME = (
    f"INSERT INTO game ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)}) "
    "ON CONFLICT (number) DO UPDATE SET " + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])
)
_PUT_PLY = (
    "INSERT INTO ply VALUES (:game, :ply, :position, :text, :told, :at, :at_seq) ON CONFLICT (game, ply) DO UPDATE SET "
    "position = excluded.position, text = excluded.text, told = excluded.told, at = excluded.at, "
    "at_seq = excluded.at_seq"
)
_PUT_WAITING = "INSERT INTO waiting VALUES (:game, :seq, :event) ON CONFLICT (game, seq) DO NOTHING"
_GAME = f"SELECT {', '.join(_COLUMNS)} FROM game"


REOPENED_AFTER = 10
"""So many errors in a row and a file is opened anew: it may be on a disk that was pulled out and put back."""


class Archive:
    """The one who writes. Opens when it is first needed, and again when it has to.

    A file that is damaged is set aside under the name `....spoilt`; stations tell again what they play now.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._database: Database | None = None
        self._next = 1
        self._failures = 0
        self._kept: dict[Key, tuple[int, list[Values]]] = {}
        """The games that were written or read lately: number, and their plies as rows."""

    def open(self) -> None:
        """Make the archive, unless it is there."""
        self._opened()

    def load(self, key: Key) -> Known | None:
        """A game as it is known; None when there is none. DatabaseError when the archive does not answer."""
        database = self._opened()
        try:
            found = database.rows(f"{_GAME} WHERE station = :station AND board = :board AND game = :game", _names(key))
            if not found:
                return None
            game = dict(zip(_COLUMNS, found[0], strict=True))
            plies = database.rows(
                "SELECT game, ply, position, text, told, at, at_seq FROM ply WHERE game = :game ORDER BY ply",
                {"game": game["number"]},
            )
            waiting = database.rows("SELECT event FROM waiting WHERE game = :game", {"game": game["number"]})
        except DatabaseError as error:
            self._failed(error)
            raise
        rows: list[Values] = [dict(zip(_PLY, row, strict=True)) for row in plies]
        self._kept[key] = (game["number"], rows)
        return _known(key, game, rows, [str(event) for (event,) in waiting])

    def save(self, games: Iterable[tuple[Known, Line]]) -> None:
        """Keep games as they are known now: all of them or, with DatabaseError, none."""
        self._opened()
        kept, number = dict(self._kept), self._next
        heads: list[Values] = []
        gone: list[Values] = []
        plies: list[Values] = []
        waiting: list[Values] = []
        try:
            for known, line in games:
                if known.key not in kept:
                    kept[known.key] = (self._number_of(known.key, number), [])
                    number = max(number, kept[known.key][0] + 1)
                own, before = kept[known.key]
                rows = _plies(own, known, line)
                kept[known.key] = (own, rows)
                heads.append({"number": own, **_names(known.key), **facts(known, line)})
                gone.append({"game": own, "plies": len(rows) - 1, "seq": known.seq})
                plies += [row for place, row in enumerate(rows) if place >= len(before) or before[place] != row]
                waiting += [
                    {"game": own, "seq": seq, "event": msgspec.json.encode(event).decode()}
                    for seq, event in known.waiting.items()
                ]
            self._opened().change(
                (
                    (_PUT_GAME, heads),
                    ("DELETE FROM ply WHERE game = :game AND ply > :plies", gone),
                    (_PUT_PLY, plies),
                    ("DELETE FROM waiting WHERE game = :game AND seq <= :seq", gone),
                    (_PUT_WAITING, waiting),
                )
            )
        except DatabaseError as error:
            self._failed(error)
            raise
        self._kept, self._next, self._failures = kept, number, 0

    def _failed(self, error: DatabaseError) -> None:
        """A server is called anew; a file stays open, so that those who search need not write beside it to open it."""
        self._failures += 1
        if is_postgres(self.address) or isinstance(error, DamagedError) or self._failures % REOPENED_AFTER == 0:
            self.close()

    def _number_of(self, key: Key, otherwise: int) -> int:
        found = self._opened().rows(
            "SELECT number FROM game WHERE station = :station AND board = :board AND game = :game", _names(key)
        )
        return int(found[0][0]) if found else otherwise

    def forget(self, keys: Iterable[Key]) -> None:
        """Keep no longer in mind what was written of games."""
        for key in keys:
            self._kept.pop(key, None)

    def close(self) -> None:
        """Let go of the database; what is wanted of it next opens it again."""
        if self._database is not None:
            self._database.close()
        self._database = None
        self._kept.clear()

    def _opened(self) -> Database:
        if self._database is None:
            try:
                self._database = self._begun(open_database(self.address, writes=True))
            except DamagedError:
                self._set_aside()
                self._database = self._begun(open_database(self.address, writes=True))
        return self._database

    def _begun(self, database: Database) -> Database:
        try:
            database.change((table, [{}]) for table in _TABLES)
            self._next = database.rows("SELECT coalesce(max(number), 0) + 1 FROM game", {})[0][0]
        except DatabaseError:
            database.close()
            raise
        return database

    def _set_aside(self) -> None:
        if is_postgres(self.address):
            return
        path = Path(self.address)
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            if path.with_name(name).exists():
                path.with_name(name).replace(path.with_name(f"{name}.spoilt"))


_PLY = ("game", "ply", "position", "text", "told", "at", "at_seq")
_events = msgspec.json.Decoder(Happened)
_moves = msgspec.json.Decoder(MoveObject)


def _names(key: Key) -> dict[str, str]:
    return {"station": key.place.station, "board": key.place.board, "game": key.game}


def _plies(number: int, known: Known, line: Line) -> list[Values]:
    """A game's plies as rows, the first for the start; without positions where it cannot be followed."""
    keys = line.keys
    rows: list[Values] = [_ply(number, 0, keys, "", "", (0, ""))]
    for ply, move in enumerate(known.moves, 1):
        text = line.texts[ply - 1] if ply <= len(line.texts) else ""
        told = msgspec.json.encode(move).decode()
        rows.append(_ply(number, ply, keys, text, told, known.times.get(ply, (0, ""))))
    return rows


def _ply(number: int, ply: int, keys: Sequence[int], text: str, told: str, at: tuple[int, str]) -> dict[str, Any]:
    position = keys[ply] if ply < len(keys) else None
    return {
        "game": number, "ply": ply, "position": position, "text": text, "told": told, "at": at[1], "at_seq": at[0]
    }  # fmt: skip


def _known(key: Key, game: Mapping[str, Any], plies: Sequence[Values], waiting: Sequence[str]) -> Known:
    events = [_events.decode(event) for event in waiting]
    return Known(
        key=key,
        seq=game["seq"],
        head=Head(
            **{name: game[name] for name in ("variant", "start_fen", "rules", "white", "black", "opening", "clock")},
            as_of=game["players_as_of"],
        ),
        moves=tuple(_moves.decode(row["told"]) for row in plies if row["ply"]),
        result=game["result"],
        reason=(game["reason_seq"], game["reason"]),
        times={row["ply"]: (row["at_seq"], row["at"]) for row in plies if row["at"]},
        began=game["began"],
        last=game["last"],
        waiting={event.seq: event for event in events},
    )


class Reader:
    """Those who search: a connection of its own for each question, so that nobody who writes waits for it."""

    def __init__(self, address: str) -> None:
        self._address = address

    def games(self, query: Query) -> list[dict[str, Any]]:
        """The games that a question asks for, the latest first: their columns by name."""
        before = " AND number < :before" if query.before is not None else ""
        statement = f"{_GAME} WHERE {query.where}{before} ORDER BY number DESC LIMIT :most"
        values = {**query.values, "most": query.limit, **({"before": query.before} if before else {})}
        return [dict(zip(_COLUMNS, row, strict=True)) for row in self._rows(statement, values)]

    def count(self, query: Query) -> int:
        """How many games a question asks for, whatever its limit."""
        return int(self._rows(f"SELECT count(*) FROM game WHERE {query.where}", query.values)[0][0])

    def game(self, number: int) -> tuple[dict[str, Any], list[MoveObject]] | None:
        """A game by its number, with the moves that it was told with."""
        found = self._rows(f"{_GAME} WHERE number = :number", {"number": number})
        if not found:
            return None
        told = self._rows("SELECT told FROM ply WHERE game = :number AND ply > 0 ORDER BY ply", {"number": number})
        return dict(zip(_COLUMNS, found[0], strict=True)), [_moves.decode(text) for (text,) in told]

    def all_games(self, query: Query, most: int) -> Iterator[dict[str, Any]]:
        """Up to `most` games, the earliest first, some at a time."""
        after = 0
        while most > 0:
            part = min(most, 200)
            values = {**query.values, "after": after, "most": part}
            statement = f"{_GAME} WHERE {query.where} AND number > :after ORDER BY number LIMIT :most"
            rows = [dict(zip(_COLUMNS, row, strict=True)) for row in self._rows(statement, values)]
            yield from rows
            if len(rows) < part:
                return
            after, most = rows[-1]["number"], most - len(rows)

    def _rows(self, statement: str, values: Values) -> list[tuple[Any, ...]]:
        database = open_database(self._address, writes=False)
        try:
            return database.rows(statement, values)
        finally:
            database.close()
