"""What was learned of a board is there again at the next start, and nothing of another board."""

from __future__ import annotations

import os

import pytest

from firmware_bridge.driver import Calibration
from station.runtime.known_boards import KnownBoards


def test_what_is_kept_is_found_by_its_id_and_by_no_other(tmp_path):
    one = Calibration(turned=90, swapped=True, dead=((3, 4), (0, 7)), stuck=((1, 1),))
    boards = KnownBoards(tmp_path)
    assert boards.all() == {}
    boards.keep("53494d424f415244", one)
    boards.keep("DGT-12345", Calibration(turned=180))
    again = KnownBoards(tmp_path)
    assert again.of("53494d424f415244") == one
    assert again.of("DGT-12345") == Calibration(turned=180)
    assert again.of("another") == Calibration()
    assert again.all() == {"53494d424f415244": one, "DGT-12345": Calibration(turned=180)}
    boards.keep("DGT-12345", Calibration())
    assert again.of("DGT-12345") == Calibration()


def test_what_root_writes_belongs_to_the_station(tmp_path):
    owner = (12345, 54321) if os.geteuid() == 0 else (os.getuid(), os.getgid())
    os.chown(tmp_path, *owner)
    path = KnownBoards(tmp_path).keep("board", Calibration(turned=90))
    for made in (path, path.parent):
        assert (made.stat().st_uid, made.stat().st_gid) == owner


@pytest.mark.parametrize("text", ["", "{", '{"turned": "round"}', '{"dead": [[1]]}'])
def test_a_spoilt_file_is_named_and_left_out(tmp_path, capsys, text):
    boards = KnownBoards(tmp_path)
    boards.keep("good", Calibration(turned=0))
    boards.path("bad").write_text(text)
    assert boards.all() == {"good": Calibration(turned=0)}
    assert boards.of("bad") == Calibration()
    assert "bad.json" in capsys.readouterr().err


def test_keys_of_a_later_version_are_passed_over(tmp_path):
    boards = KnownBoards(tmp_path)
    boards.keep("good", Calibration())
    boards.path("good").write_text('{"turned": 180, "of_next_year": 5}')
    assert boards.of("good") == Calibration(turned=180)


@pytest.mark.parametrize("unique_id", ["", "..", "a/b", "x" * 65, "a b"])
def test_an_id_that_is_no_file_name_is_refused(tmp_path, unique_id):
    with pytest.raises(ValueError, match="unique id"):
        KnownBoards(tmp_path).keep(unique_id, Calibration())
