"""Power goes while a database is written to: it opens, what was promised is in it, and nothing else is.

A disk writes sectors, in any order between two flushes. What a cut can leave is made here from copies of the files:
the log (-wal) ends at any byte, its unflushed end has sectors of before, or the file has sectors of before and after
what it is brought up to date with, while the log is whole.
"""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing

import pytest

from station.club.archive import Archive, Reader
from station.club.query import read_query
from station.runtime.outbox import Item, Outbox
from tests.station.club.test_archive import played, plies, save

SECTOR = 512
KEPT = 5


class Games:
    """A club's archive; each thing kept is a game."""

    def __init__(self, path):
        self.path = path
        self._archive = Archive(str(path))
        self._archive.open()

    def keep(self, number):
        save(self._archive, played(number, steps=6)[0])

    def close(self):
        self._archive.close()

    @staticmethod
    def kept(path):
        with closing(Archive(str(path))) as archive:
            archive.open()
        games = Reader(str(path)).games(read_query({"limit": "200"}))
        assert sum(game["plies"] for game in games) == plies(path)
        return sorted(int(game["game"].removeprefix("0b-")) for game in games)


class Events:
    """A station's outbox; each thing kept is an event."""

    def __init__(self, path):
        self.path = path
        self._outbox = Outbox(path)

    def keep(self, number):
        self._outbox.put(Item("topic", b"%d" % number * 500, "table", "game", number))

    def close(self):
        self._outbox.close()

    @staticmethod
    def kept(path):
        with closing(Outbox(path)) as outbox:
            kept = outbox.pending(0)
            assert [payload for _, _, payload in kept] == [b"%d" % number * 500 for number, _, _ in kept]
            assert outbox.reached("table") == (("game", len(kept)) if kept else None)
        return [number for number, _, _ in kept]


KEEPERS = pytest.mark.parametrize("keeper", [Games, Events], ids=["archive", "outbox"])


class Disk:
    """What lies on the disk after each thing that was kept, and a place to put back what a cut leaves of it."""

    def __init__(self, folder, keeper):
        self.folder, self._keeper = folder, keeper
        self._opened = keeper(folder / "whole")
        self.states = [self.files()]
        for number in range(1, KEPT + 1):
            self._opened.keep(number)
            self.states.append(self.files())

    def files(self):
        """The bytes of file and log."""
        path = self.folder / "whole"
        return path.read_bytes(), path.with_name("whole-wal").read_bytes()

    def brought_up_to_date(self):
        """The same after the log was carried over into the file."""
        with closing(sqlite3.connect(self.folder / "whole")) as database:
            assert database.execute("PRAGMA wal_checkpoint(FULL)").fetchone()[0] == 0
        return self.files()

    def keeps_another(self):
        """The same after one thing more, which begins the log again at its head."""
        self._opened.keep(KEPT + 1)
        return self.files()

    def close(self):
        self._opened.close()

    def left(self, file, log):
        """The numbers of what is kept when the power comes back to these bytes; nothing is given up as spoilt."""
        path = self.folder / "cut"
        for old in self.folder.glob("cut*"):
            old.unlink()
        path.write_bytes(file)
        path.with_name("cut-wal").write_bytes(log)
        kept = self._keeper.kept(path)
        assert not list(self.folder.glob("*.spoilt"))
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return kept


@pytest.fixture
def disk(tmp_path, keeper):
    disk = Disk(tmp_path, keeper)
    yield disk
    disk.close()


def torn(before, after, chance):
    """Each sector as it was or as it was to be; what was longer before is cut off or not."""
    length = chance.choice((len(before), len(after)))
    parts = []
    for at in range(0, length, SECTOR):
        old, new = before[at : at + SECTOR], after[at : at + SECTOR]
        parts.append(old if chance.random() < 0.5 and len(old) == len(new) else new or old)
    return b"".join(parts)[:length]


def cut_at(disk, places):
    ends = [len(log) for _, log in disk.states]
    file, log = disk.states[-1]
    for place in places:
        whole = sum(end <= place for end in ends[1:])
        assert disk.left(file, log[:place]) == list(range(1, whole + 1)), place


@KEEPERS
def test_O52_a_log_that_ends_anywhere_has_what_was_kept_before(disk):
    ends = {len(log) for _, log in disk.states}
    size = max(ends)
    chance = random.Random(1)
    near = {end + beside for end in ends for beside in (-1, 0, 1)}
    cut_at(disk, sorted(place for place in {*near, *(chance.randrange(size) for _ in range(40))} if place <= size))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@KEEPERS
def test_a_log_may_end_at_every_byte(disk):
    cut_at(disk, range(0, len(disk.states[-1][1]) + 1, 3))


def tear_the_end(disk, number, chance):
    """What was promised before the last thing is there, and that one whole or not at all."""
    file, before = disk.states[number - 1]
    _, after = disk.states[number]
    place = len(before)
    log = after[:place] + torn(b"\0" * (len(after) - place), after[place:], chance)
    assert disk.left(file, log) in (list(range(1, number)), list(range(1, number + 1)))


@KEEPERS
def test_O52_a_log_whose_end_is_torn_has_what_was_promised(disk):
    chance = random.Random(2)
    for _ in range(6):
        for number in range(1, KEPT + 1):
            tear_the_end(disk, number, chance)


def tear_the_file(disk, chance, times):
    """The log is whole until the file is: then whatever of the file was written, all is there."""
    file, log = disk.states[-1]
    new, _ = disk.brought_up_to_date()
    assert new != file
    everything = list(range(1, KEPT + 1))
    for _ in range(times):
        assert disk.left(torn(file, new, chance), log) == everything
    # The log begins again at its head, over what has been carried over.
    later, head = disk.keeps_another()
    assert later == new
    assert len(head) == len(log)
    for _ in range(times):
        assert disk.left(new, torn(log, head, chance)) in (everything, [*everything, KEPT + 1])


@KEEPERS
def test_O52_a_file_that_is_torn_while_the_log_is_carried_over_is_whole_again(disk):
    tear_the_file(disk, random.Random(3), 20)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@KEEPERS
def test_a_thousand_torn_writes(disk):
    chance = random.Random(4)
    for _ in range(100):
        for number in range(1, KEPT + 1):
            tear_the_end(disk, number, chance)
    tear_the_file(disk, chance, 250)
