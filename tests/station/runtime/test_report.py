"""A report holds what helps and no secret, and is replayed; a backup holds every game, also of a station that runs."""

from __future__ import annotations

import json
import sqlite3
import tarfile
import zipfile

import pytest

from station.announcements import Moved
from station.effects import Announce
from station.phases import Turn
from station.runtime.cli import main
from station.runtime.report import without_secrets
from station.runtime.service import resume

PASSWORD = "orange-Kettle-42"
CONFIG = """
[station]
id = "here"
data = "{data}"
[mqtt]
host = "127.0.0.1"
username = "club"
password_file = "{folder}/mqtt-password"
# pin = "4711"
# password = "an older one"
# see https://wiki.club.example/dambord?token=abcdef
[[boards]]
id = "table"
driver = "matrix"
port = "{folder}/port-table"
variant = "russian"
"""


def run(capsys, *arguments):
    code = main([*map(str, arguments)])
    return code, *capsys.readouterr()


@pytest.fixture
def played(stand, tmp_path):
    """A station that runs, on whose board a move was made; its configuration."""
    here = stand()
    here.watcher.wait(lambda outcome: isinstance(outcome.session.phase, Turn))
    here.move((2, 5), (3, 4))
    here.watcher.wait(
        lambda outcome: any(isinstance(e, Announce) and isinstance(e.what, Moved) for e in outcome.effects)
    )
    file = tmp_path / "station.toml"
    file.write_text(CONFIG.format(folder=tmp_path, data=tmp_path / "data"))
    (tmp_path / "mqtt-password").write_text(f"{PASSWORD}\n")
    return file


def test_O86_a_report_has_versions_devices_and_sensors_and_is_replayed(played, tmp_path, capsys):
    target = tmp_path / "report.zip"
    code, out, err = run(capsys, "report", "--config", played, "--output", target)
    assert (code, err) == (0, "")
    assert str(target) in out
    with zipfile.ZipFile(target) as archive:
        summary = json.loads(archive.read("report.json"))
        names = set(archive.namelist())
    assert names == {"report.json", "station.toml", "log.txt", "journal/table.jsonl"}
    assert {"dambord", "python", "machine", "msgspec", "pyserial"} <= set(summary["versions"])
    assert summary["configuration"] == "all right"
    table = summary["boards"]["table"]
    assert table["counts"]["BoardSeen"] >= 3
    # The pieces at the start may be told in several frames; the twelve squares that changed most are listed.
    assert 2 <= len(table["changes_of_square"]) <= 12
    assert {*table["changes_of_square"].values()} <= {1, 2}
    code, out, _ = run(capsys, "replay", target, "--json")
    assert code == 0
    assert json.loads(out)["equal"]


def test_no_secret_is_in_a_report(played, tmp_path, capsys):
    # One that stands where it should not is found all the same, also in the journal.
    journal = next((tmp_path / "data/journal/table").glob("*.jsonl"))
    with journal.open("ab") as file:
        file.write(
            json.dumps({"note": f"{PASSWORD} at http://user:hunter2@192.168.7.9:8080/x?pin=4711"}).encode() + b"\n"
        )
    target = tmp_path / "report.zip"
    assert run(capsys, "report", "--config", played, "--output", target)[0] == 0
    with zipfile.ZipFile(target) as archive:
        everything = b"\n".join(archive.read(name) for name in archive.namelist()).decode()
    for secret in (PASSWORD, "4711", "an older one", "hunter2", "192.168.7.9", "wiki.club.example", "abcdef"):
        assert secret not in everything, secret
    assert "(left out)" in everything
    assert 'username = "club"' in everything


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('pin = "1234"\n', 'pin = "(left out)"\n'),
        ("operator_pin = 1234\n", 'operator_pin = "(left out)"\n'),
        ("pins = {rows = [2, 3]}\n", "pins = {rows = [2, 3]}\n"),
        ('password_file = "/etc/dambord/x"\n', 'password_file = "/etc/dambord/x"\n'),
        ("rtsp://admin:pw@10.0.0.5:554/stream1", "rtsp://(left out)"),
        ("seen 4321 of 43210", "seen (left out) of 43210"),
        ('port = "/dev/ttyUSB0"', 'port = "/dev/ttyUSB0"'),
    ],
)
def test_what_is_a_secret_and_what_is_not(text, left):
    assert without_secrets(text, {"4321"}) == left


def test_a_report_is_made_of_a_station_whose_configuration_is_wrong(tmp_path, capsys):
    file = tmp_path / "station.toml"
    file.write_text('[station]\npassword = "sesame"\n[[boards]]\nid = "t"\ndriver = "dgt"\nport = "x"\n')
    target = tmp_path / "report.zip"
    assert run(capsys, "report", "--config", file, "--output", target)[0] == 0
    with zipfile.ZipFile(target) as archive:
        assert "password" in json.loads(archive.read("report.json"))["configuration"]
        assert "sesame" not in archive.read("station.toml").decode()
    code, _, err = run(capsys, "replay", target)
    assert code == 2
    assert "a report without a journal" in err


def test_a_backup_of_a_running_station_has_its_game_and_its_outbox(played, tmp_path, capsys):
    with sqlite3.connect(tmp_path / "data/outbox.sqlite") as outbox:
        outbox.execute("create table if not exists kept (word text)")
        outbox.execute("insert into kept values ('here')")
    outbox.close()
    target = tmp_path / "games.tar.gz"
    code, _, err = run(capsys, "backup", "--config", played, target)
    assert (code, err) == (0, "")
    assert target.stat().st_mode & 0o77 == 0, "journals have names: for their owner alone"
    with tarfile.open(target) as archive:
        archive.extractall(tmp_path / "back", filter="data")
    assert (tmp_path / "back/config/station.toml").read_text() == played.read_text()
    assert [str(move) for move in resume(tmp_path / "back/data/journal/table").game.moves]
    with sqlite3.connect(tmp_path / "back/data/outbox.sqlite") as copy:
        assert copy.execute("select word from kept").fetchall() == [("here",)]
    copy.close()
    assert not (tmp_path / "back/data/lock").exists()
    code, _, err = run(capsys, "backup", "--config", played, target)
    assert code == 2
    assert "there already" in err
