"""Clock, mailbox, folder, and a journal on a disk that is full for a while."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from engine.ruleset import load_ruleset
from station.announcements import BoardRestored
from station.effects import Announce
from station.errors import ConfigError
from station.events import TimePassed
from station.journal import FORMAT, Header, read_journal
from station.runtime.clock import Clock, read_wall, wall_text
from station.runtime.desk import JournalFile
from station.runtime.folder import Folder
from station.runtime.mailbox import Latest
from station.runtime.service import boot_after, journals, resume
from station.settings import Settings

HEADER = Header(FORMAT, "dambord 1", "1", "2026-01-01T00:00:00.000Z", Settings("b", load_ruleset("russian")), "en")


def test_a_clock_counts_from_its_making_and_names_it():
    clock = Clock()
    first, second = clock.now_ms(), clock.now_ms()
    assert 0 <= first <= second < 60_000
    assert re.fullmatch("[0-9a-f]{12}", clock.boot)
    assert int(clock.boot, 16) == round(clock.began.timestamp() * 1000)
    assert clock.began.tzinfo is UTC


@pytest.mark.parametrize(
    ("at_ms", "text"),
    [(0, "2026-11-29T23:59:58.999Z"), (1, "2026-11-29T23:59:59.000Z"), (1001, "2026-11-30T00:00:00.000Z")],
)
def test_wall_texts_have_milliseconds_and_can_be_read(at_ms, text):
    began = datetime(2026, 11, 29, 23, 59, 58, 999_000, tzinfo=UTC)
    assert wall_text(began, at_ms) == text
    assert wall_text(read_wall(text)) == text


def test_a_wall_text_that_is_none_is_refused():
    for text in ("", "yesterday", "2026-13-01T00:00:00Z"):
        with pytest.raises(ValueError, match=r"isoformat|month"):
            read_wall(text)


def test_the_newest_value_is_taken_once():
    box = Latest()
    assert box.take() is None
    box.put(1)
    box.put(2)
    assert box.take() == 2
    assert box.take() is None


def test_a_start_sorts_after_every_journal_even_when_the_clock_went_back(tmp_path):
    assert boot_after("0000000000ff", tmp_path) == "0000000000ff"
    (tmp_path / "table").mkdir()
    for name in ("0000000000fe", "000000000fff", "notes", "zzzzzzzzzzzz"):
        (tmp_path / "table" / f"{name}.jsonl").touch()
    assert boot_after("0000000000ff", tmp_path) == "000000001000"
    assert boot_after("000000002000", tmp_path) == "000000002000"


def test_no_folder_is_no_game(tmp_path):
    assert journals(tmp_path / "none") == []
    assert resume(tmp_path / "none") is None


def test_O90_a_folder_is_held_by_one_station_and_named_with_its_process(tmp_path):
    holder = Folder(tmp_path / "data")
    with pytest.raises(ConfigError, match=rf"data'.*process {os.getpid()},"):
        Folder(tmp_path / "data")
    Folder(tmp_path / "other").let_go()
    holder.let_go()
    holder.let_go()
    Folder(tmp_path / "data").let_go()


def test_a_folder_is_free_when_its_holder_was_killed(tmp_path):
    code = (
        "import sys, signal\nfrom pathlib import Path\nfrom station.runtime.folder import Folder\n"
        "folder = Folder(Path(sys.argv[1]))\nprint('held', flush=True)\nsignal.pause()"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(ConfigError, match=f"process {process.pid},"):
            Folder(tmp_path)
        process.kill()
    Folder(tmp_path).let_go()


def test_O53_a_full_disk_is_said_and_waited_for(tmp_path, capsys):
    journal = JournalFile(tmp_path / "table" / "1.jsonl", HEADER)
    announce = Announce(1, "g", BoardRestored())
    journal.append(TimePassed(1), (announce,))
    assert journal.is_saved
    size = journal.path.stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, before[1]))
    try:
        for at_ms in (2, 3):
            journal.append(TimePassed(at_ms), (announce,))
            assert not journal.is_saved
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    journal.append(TimePassed(4), ())
    assert journal.is_saved
    journal.close()
    _, lines = read_journal(journal.path.read_bytes())
    assert [line.event.at_ms for line in lines if line.event] == [1, 2, 3, 4]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert "not saving" in said[0]
    assert "saving again" in said[1]
