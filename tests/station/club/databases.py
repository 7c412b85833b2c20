"""All that is in an archive, for comparing two of them."""

from __future__ import annotations

from station.club.archive import _COLUMNS
from station.club.database import open_database

_KEPT = ", ".join(name for name in _COLUMNS if name != "number")
TABLES = {
    "game": f"SELECT {_KEPT} FROM game ORDER BY station, board, game",
    "ply": "SELECT g.station, g.board, g.game, p.ply, p.position, p.text, p.told, p.at, p.at_seq "
    "FROM ply p JOIN game g ON g.number = p.game ORDER BY g.station, g.board, g.game, p.ply",
    "waiting": "SELECT g.station, g.board, g.game, w.seq, w.event FROM waiting w JOIN game g ON g.number = w.game",
}


def dump(address):
    """Its rows, by table; the numbers of games, which tell in what order they were heard of, left out."""
    database = open_database(address, writes=False)
    try:
        return {name: sorted(database.rows(statement, {})) for name, statement in TABLES.items()}
    finally:
        database.close()
