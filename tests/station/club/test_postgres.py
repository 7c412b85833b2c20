"""A server keeps what a file keeps: the same games, written in the same parts, found by the same questions."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest

from station.club.archive import Archive, Reader
from station.club.database import DatabaseError
from station.club.query import read_query
from tests.outside.broker import free_port

from .databases import dump
from .test_archive import played, save, telling_fen, told
from .test_record import hear

BINARIES = [
    *Path("/usr/lib/postgresql").glob("*/bin"),
    *(Path(found).parent for found in [shutil.which("initdb")] if found),
]
pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def server():
    """A private server on a loopback port."""
    pytest.importorskip("psycopg", reason="needs psycopg (pip install 'dambord[postgres]')")
    if not BINARIES:
        pytest.skip("needs a PostgreSQL server (apt install postgresql)")
    user = {"user": "postgres"} if os.getuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="dambord-pg-", ignore_cleanup_errors=True) as folder:
        if user:
            shutil.chown(folder, "postgres")
        data, port = f"{folder}/data", free_port()
        command = [BINARIES[0] / "initdb", "-D", data, "-U", "dambord", "-A", "trust", "-E", "UTF8"]
        subprocess.run(command, check=True, capture_output=True, cwd=folder, **user)
        command = [BINARIES[0] / "postgres", "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", folder]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=folder, **user)
        address = f"postgresql://dambord@127.0.0.1:{port}/postgres"
        try:
            for _ in range(100):
                archive = Archive(address)
                try:
                    archive.open()
                except DatabaseError:
                    threading.Event().wait(0.2)
                else:
                    archive.close()
                    break
            yield address
        finally:
            process.send_signal(signal.SIGINT)  # without waiting for those who are connected
            process.wait()


def test_both_keep_the_same(server, tmp_path):
    addresses = (str(tmp_path / "archive.sqlite"), server)
    archives = [Archive(address) for address in addresses]
    tellings = []
    for number in range(1, 9):
        known, telling = played(number, 0, variant=("russian", "turkish", "towers", "english")[number % 4])
        tellings.append(telling)
        for step in range(40):
            known = hear(known, told(telling.step()))
            if step % 3 == 0:
                for archive in archives:
                    save(archive, known)
        for archive in archives:
            save(archive, known)
            archive.forget([known.key])
            assert archive.load(known.key) is not None
    assert dump(addresses[0]) == dump(addresses[1])
    for archive in archives:
        archive.close()
    one, other = (Reader(address) for address in addresses)
    for asked in (
        {},
        {"variant": "towers"},
        {"player": "PERS"},
        {"player": "%"},
        {"player": "'; DROP TABLE game; --"},
        {"from": "2026-12-01", "to": "2026-12-01"},
        {"opening": " ".join(tellings[0].texts()[:2])},
        {"fen": telling_fen(tellings[0], 3), "variant": tellings[0].ruleset.name},
        {"limit": "3", "before": "7"},
        {"result": "draw"},
    ):
        query = read_query(asked)
        assert [game["game"] for game in one.games(query)] == [game["game"] for game in other.games(query)], asked
        assert one.count(query) == other.count(query)
    assert [game["game"] for game in one.all_games(read_query({}), 5)] == [f"0b-{number}" for number in range(1, 6)]


def test_one_club_at_a_time_writes(server):
    first, second = Archive(server), Archive(server)
    first.open()
    with pytest.raises(DatabaseError, match="another club"):
        second.open()
    first.close()
    second.open()
    second.close()


def test_a_server_that_is_not_there_is_said():
    with pytest.raises(DatabaseError, match=r"refused|connection"):
        Archive(f"postgresql://nobody@127.0.0.1:{free_port()}/none").open()
