"""`dambord endings`: tables are made once, go on where they were cut, and are whole or absent at any moment."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from engine.ending_files import open_tables, tables_folder
from engine.endings import file_name, steps
from engine.ruleset import load_ruleset, read_ruleset
from station.errors import ConfigError
from station.runtime.cli import main
from station.runtime.endings import make_tables
from station.runtime.folder import Folder
from station.runtime.table_maker import TableMaker

ENGLISH = load_ruleset("english")
SMALL = read_ruleset(
    """
title = "Draughts on 6 x 6"
source = "agreement of the players"
columns = 6
rows = 6
corner = "left"
first_square = "top left"
men_rows = 2
""",
    "small",
)


def names(folder):
    return sorted(path.name for path in tables_folder(folder, ENGLISH).iterdir() if path.name != "lock")


def whole(folder):
    return {file_name(which) for which in open_tables(folder, ENGLISH).endings}


def test_tables_are_made_once(tmp_path):
    told = []
    first = make_tables(ENGLISH, 2, tmp_path, lambda step, is_new: told.append(is_new))
    assert (len(first.endings), first.most_pieces, set(told)) == (4, 2, {True})
    before = {path: path.stat().st_mtime_ns for path in tables_folder(tmp_path, ENGLISH).glob("*.ending")}
    told.clear()
    make_tables(ENGLISH, 3, tmp_path, lambda step, is_new: told.append(is_new))
    assert told.count(False) == len(list(steps(ENGLISH, 2)))
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_what_was_spoilt_or_left_half_written_is_made_anew(tmp_path):
    make_tables(ENGLISH, 2, tmp_path)
    place = tables_folder(tmp_path, ENGLISH)
    good = (place / "w0101.ending").read_bytes()
    (place / "w0101.ending").write_bytes(good[:-1])
    (place / "w1010.ending").write_bytes(b"")
    (place / "w1001.part").write_bytes(b"half")
    assert whole(tmp_path) == {"w0110.ending", "w1001.ending"}
    make_tables(ENGLISH, 2, tmp_path)
    assert names(tmp_path) == ["w0101.ending", "w0110.ending", "w1001.ending", "w1010.ending"]
    assert (place / "w0101.ending").read_bytes() == good
    assert len(whole(tmp_path)) == 4


def test_a_process_killed_at_any_time_leaves_whole_tables_and_the_next_goes_on(tmp_path):
    command = [sys.executable, "-m", "station.runtime.cli", "endings", "make", "--variant", "english"]
    command += ["--folder", str(tmp_path), "--background"]
    left = []
    for files in (1, 6, 14):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while process.poll() is None and len(list(tmp_path.glob("*/*.ending"))) < files:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        left.append(len(whole(tmp_path)))
        assert left[-1] == len(list(tmp_path.glob("*/*.ending"))) >= files
    assert left == sorted(left)
    assert make_tables(ENGLISH, 3, tmp_path).most_pieces >= 3


def test_one_process_at_a_time_makes_the_tables_of_a_rule_set(tmp_path):
    held = Folder(tables_folder(tmp_path, ENGLISH))
    with pytest.raises(ConfigError, match="in use"):
        make_tables(ENGLISH, 2, tmp_path)
    held.let_go()
    assert make_tables(ENGLISH, 2, tmp_path).most_pieces == 2


def test_the_command_makes_and_shows(tmp_path, capsys):
    assert main(["endings", "make", "--variant", "english", "--pieces", "2", "--folder", str(tmp_path), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["made"], made["were_there"], made["most_pieces"]) == (4, 0, 2)
    show = ["endings", "show", "--variant", "english", "--folder", str(tmp_path)]
    assert main([*show, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["positions"] == 3_600
    assert main([*show, "--fen", "W:WK1:BK32"]) == 0
    assert "drawn" in capsys.readouterr().out
    assert main([*show, "--fen", "W:WK14:B18"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("won in 1 plies\n14x23: won in 1 plies\n")
    assert main([*show, "--fen", "W:WK14,K1:B18"]) == 1
    assert "no table" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["make", "--variant", "russian-huff"], "russian-huff: no endgame tables"),
        (["make", "--variant", "towers"], "towers: endgame tables are for capture games"),
        (["make", "--variant", "english", "--pieces", "7"], "expected 2 to 6"),
        (["make", "--variant", "canadian", "--pieces", "6"], "GB of memory"),
        (["show", "--variant", "russian-huff"], "russian-huff: no endgame tables"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(tmp_path, capsys, arguments, sentence):
    assert main(["endings", *arguments, "--folder", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1


def test_tables_lie_in_the_users_state_when_no_folder_is_given(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["endings", "make", "--variant", "english", "--pieces", "2"]) == 0
    assert len(list((tmp_path / "dambord" / "endings").glob("*/*.ending"))) == 4


def test_the_station_has_tables_made_in_the_background(tmp_path):
    maker = TableMaker(tmp_path)
    try:
        for ruleset in (load_ruleset("russian-huff"), SMALL, SMALL):
            maker.want(ruleset)
        place = tables_folder(tmp_path, SMALL)
        planned = {file_name(which) for step in steps(SMALL, 4) for which in step.slices}
        with started(maker) as process:
            assert process.wait(150) == 0
        assert {path.name for path in place.glob("*.ending")} == planned
        assert [path.name for path in tmp_path.iterdir()] == [place.name]
    finally:
        maker.stop()


def test_making_ends_with_the_station_and_goes_on_later(tmp_path):
    maker = TableMaker(tmp_path)
    maker.want(load_ruleset("international"))
    with started(maker) as process:
        maker.stop()
        assert process.returncode == -signal.SIGTERM
    held = Folder(tables_folder(tmp_path, load_ruleset("international")))
    held.let_go()


@contextmanager
def started(maker):
    """The process that makes tables, once there is one."""
    deadline = time.monotonic() + 30
    while maker._process is None:
        assert time.monotonic() < deadline
        threading.Event().wait(0.005)
    yield maker._process
