"""The archive: each game once, found by anything that was asked for, whole after every kill and on any disk."""

from __future__ import annotations

import random
import resource
import signal
import sqlite3
import subprocess
import sys

import pytest

from engine.fen import write_fen
from engine.pdn import PdnGame, read_pdn, write_pdn
from engine.ruleset import load_ruleset
from station.club.archive import Archive, Reader
from station.club.database import DatabaseError
from station.club.line import line_of
from station.club.messages import Key, Place
from station.club.pdn import pdn_of
from station.club.query import Query, QueryError, read_query
from station.club.record import Known, adopt, hear
from tests.data_files import DATA

from .databases import dump
from .stations import BASE, Telling
from .test_record import told

PLACE = Place("club-1", "table")


@pytest.fixture
def address(tmp_path):
    return str(tmp_path / "archive.sqlite")


@pytest.fixture
def archive(address):
    archive = Archive(address)
    yield archive
    archive.close()


def played(number=1, steps=20, seed=None, **options):
    """A game as it is known, and the one who tells of it."""
    telling = Telling(*PLACE, f"0b-{number}", seed=number if seed is None else seed, second=number * 100, **options)
    known = hear(Known(Key(PLACE, telling.id)), told(telling.started()))
    for _ in range(steps):
        known = hear(known, told(telling.step()))
    return known, telling


def save(archive, *games):
    archive.save([(known, line_of(known)) for known in games])


def found(address, **asked):
    return [game["game"] for game in Reader(address).games(read_query(asked))]


def test_a_game_is_kept_as_it_is_known(archive, address):
    known, telling = played()
    save(archive, known)
    archive.close()
    kept = archive.load(known.key)
    assert (kept.moves, kept.result, kept.seq, kept.began, kept.last) == (
        known.moves, known.result, known.seq, known.began, known.last,
    )  # fmt: skip
    assert kept.head == known.head
    more = told(telling.prompt())
    save(archive, hear(kept, more))
    assert archive.load(known.key).seq == known.seq + 1
    assert len(Reader(address).games(Query())) == 1


def test_moves_that_were_taken_back_leave_nothing_behind(archive, address):
    known, telling = played(steps=0)
    for _ in range(9):
        known = hear(known, told(telling.move()))
    save(archive, known)
    known = hear(known, told(telling.take_back(4)))
    save(archive, known)
    (game,) = Reader(address).games(Query())
    assert (game["plies"], game["moves"].split()) == (5, telling.texts())
    assert sqlite3.connect(address).execute("SELECT max(ply), count(*) FROM ply").fetchone() == (5, 6)


def test_an_event_that_waits_is_there_after_a_restart(archive, address):
    known, telling = played(steps=3)
    telling.prompt()
    late = told(telling.move() or telling.prompt())
    save(archive, hear(known, late))
    archive.close()
    kept = archive.load(known.key)
    assert list(kept.waiting) == [late.seq]
    save(archive, adopt(kept, told(telling.record())))
    assert archive.load(known.key).moves == adopt(kept, told(telling.record())).moves
    assert sqlite3.connect(address).execute("SELECT count(*) FROM waiting").fetchone() == (0,)


def test_what_is_not_known_any_more_is_written_over_what_there_was(archive, address):
    """After an error nothing is remembered of what was written; the game still has one row and one number."""
    known, telling = played(steps=5)
    save(archive, known)
    archive.close()
    save(archive, hear(known, told(telling.prompt())), played(2)[0])
    assert sorted(game["number"] for game in Reader(address).games(Query())) == [1, 2]


# --- searching ---


@pytest.fixture
def full(archive, address):
    games = [
        played(1, white="person", black="engine:4"),
        played(2, white="Ω'Brien; DROP TABLE game", black="100%_sure", variant="english"),
        played(3, white="person", black="engine:10", variant="international"),
    ]
    save(archive, *(known for known, _ in games))
    return address, [telling for _, telling in games]


def test_games_are_found_by_who_played(full):
    address, _ = full
    assert found(address) == ["0b-3", "0b-2", "0b-1"]
    assert found(address, player="ω'brien") == ["0b-2"]
    assert found(address, player="'; DROP TABLE game; --") == []
    assert found(address, player="0%_s") == ["0b-2"]
    assert found(address, player="%") == ["0b-2"], "a wildcard is a letter like others"
    assert found(address, black="ENGINE") == ["0b-3", "0b-1"]
    assert found(address, white="engine") == []
    assert len(found(address)) == 3


def test_games_are_found_by_variant_day_and_board(full):
    address, _ = full
    assert found(address, variant="english") == ["0b-2"]
    assert found(address, station="club-1", board="table", to="2026-12-01") == ["0b-3", "0b-2", "0b-1"]
    assert found(address, **{"from": "2026-12-02"}) == []
    assert found(address, board="another") == []


def test_games_are_found_by_their_first_moves(full):
    address, tellings = full
    first = tellings[0].texts()[:3]
    assert found(address, opening=" ".join(first)) == ["0b-1"]
    assert found(address, opening=f"1. {first[0]} {first[1]} 2. {first[2]}") == ["0b-1"]
    assert found(address, opening=first[0][:-1]) == [], "a whole move or none"


def test_games_are_found_by_any_position(full):
    address, tellings = full
    for telling in tellings:
        for place in (1, telling.game.ply // 2, telling.game.ply):
            fen = telling_fen(telling, place)
            assert telling.id in found(address, fen=fen, variant=telling.ruleset.name)
    other = telling_fen(tellings[0], 2).replace("W:", "B:", 1)
    assert found(address, fen=other, variant="russian") == [], "the side to move counts"


def telling_fen(telling, ply):
    return write_fen(telling.game.positions[ply], telling.ruleset)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"playr": "x"}, ("playr", "player")),
        ({"from": "yesterday"}, ("from", "2026-12-31")),
        ({"limit": "1000"}, ("limit", "200")),
        ({"limit": "-1"}, ("limit",)),
        ({"before": "1 OR 1=1"}, ("before", "whole number")),
        ({"result": "1-0"}, ("result", "white")),
        ({"fen": "W:W1:B2"}, ("fen", "variant")),
        ({"fen": "nonsense", "variant": "russian"}, ("fen", "nonsense")),
        ({"fen": "W:Wa1:Bb2", "variant": "../../etc"}, ("fen", "no such rule set")),
        ({"player": "x" * 401}, ("player", "400")),
        ({"player": "a\0b"}, ("player", "NUL")),
    ],
)
def test_what_cannot_be_answered_is_said(asked, words):
    with pytest.raises(QueryError) as error:
        read_query(asked)
    assert all(word in str(error.value) for word in words)


def test_a_page_of_games_goes_on_where_the_last_one_ended(archive, address):
    save(archive, *(played(number, 8)[0] for number in range(1, 8)))
    seen, before = [], None
    while part := Reader(address).games(read_query({"limit": "3", **({} if before is None else {"before": before})})):
        seen += [game["number"] for game in part]
        before = str(part[-1]["number"])
    assert seen == [7, 6, 5, 4, 3, 2, 1]


# --- PDN ---


@pytest.mark.parametrize("variant", ["russian", "english", "international", "turkish", "towers", "italian"])
def test_pdn_is_what_the_engine_would_write(archive, address, variant):
    _, telling = played(4, steps=60, variant=variant, seed=11)
    known = adopt(Known(Key(PLACE, telling.id)), told(telling.record()))
    save(archive, known)
    (game,) = Reader(address).games(Query())
    text = pdn_of(game, "Open")
    (read,) = read_pdn(text, load_ruleset("international"))
    assert (read.faults, read.ruleset.name, read.moves) == ((), variant, telling.game.moves)
    assert text == write_pdn(PdnGame(read.tags, read.ruleset, read.start, read.moves, read.result))


def test_names_cannot_break_out_of_pdn(archive, address):
    spoilt = '"]\n\n[Event "forged"] 1. '
    known, _ = played(5, white=spoilt)
    save(archive, known)
    (game,) = Reader(address).games(Query())
    (read,) = read_pdn(pdn_of(game, "Open"), load_ruleset("russian"))
    assert (read.tags["Event"], len(read.moves)) == ("Open", game["plies"])


# --- disks and kills ---


def test_O53_a_full_disk_is_said_and_nothing_is_lost(archive, address):
    known, _ = played(steps=5)
    save(archive, known)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(DatabaseError):
            save(archive, *(played(number, 60)[0] for number in range(2, 9)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    save(archive, *(played(number, 60)[0] for number in range(2, 9)))
    assert len(Reader(address).games(Query())) == 8
    assert archive.load(known.key).moves == known.moves


def test_O52_a_damaged_file_is_set_aside(archive, address, tmp_path):
    (tmp_path / "archive.sqlite").write_bytes(b"\0" * 8192)
    save(archive, played()[0])
    assert (tmp_path / "archive.sqlite.spoilt").read_bytes() == b"\0" * 8192
    assert found(address) == ["0b-1"]


def test_who_searches_is_held_up_by_nobody_and_writes_nothing(archive, address):
    save(archive, played()[0])
    with pytest.raises(DatabaseError):
        Reader(address)._rows("DELETE FROM game RETURNING number", {})
    assert found(address) == ["0b-1"]


WRITER = """
import sys
sys.path[:0] = sys.argv[1:2]
from tests.station.club.test_archive import *
archive = Archive(sys.argv[2])
for number in range(1, 10_000):
    known, _ = played(number, 12)
    save(archive, known)
    print(number, flush=True)
"""


def test_a_club_that_is_killed_leaves_an_archive_that_opens(archive, address):
    """Whenever it is killed: what it had said to be kept is there, once, and whole."""
    chance = random.Random(6)
    for _ in range(2):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(DATA.parents[1]), address], stdout=subprocess.PIPE, text=True
        )
        for _ in range(chance.randint(1, 6)):
            last = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        kept = {game["game"]: game["plies"] for game in Reader(address).games(read_query({"limit": "200"}))}
        assert {f"0b-{number}" for number in range(1, last + 1)} <= kept.keys()
        assert sum(number for _, number in kept.items()) == plies(address)
    dump(address)


def plies(address):
    return sqlite3.connect(address).execute("SELECT count(*) FROM ply WHERE ply > 0").fetchone()[0]


def test_topics_are_those_of_the_interface():
    assert told((f"{BASE}/club-1/table/availability", b"online")).place == PLACE
