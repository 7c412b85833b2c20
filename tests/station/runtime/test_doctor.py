"""`dambord doctor`: every fault planted behind the real interface is named, in words a club's volunteer can act on."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from engine.position import EMPTY, Piece
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.driver import Calibration
from firmware_bridge.simulator import NONE, DgtBus, MatrixBoard, device_for
from firmware_bridge.simulator.pty_port import PtyPort
from station.checkup import nearest, oddities
from station.runtime import doctor as module
from station.runtime.cli import main
from station.runtime.known_boards import KnownBoards
from station.runtime.running import load
from station.texts import load_texts
from tests.outside.broker import Broker, free_port

RUSSIAN = load_ruleset("russian")
HOME = rules_for(RUSSIAN).start().contents
BENCH = Path(__file__).with_name("bench")
GPIO = Path(__file__).parents[3] / "deploy" / "gpio.toml"


def cell(name):
    return "abcdefgh".index(name[0]), 8 - int(name[1])


def board_with(contents=HOME, **options):
    board = MatrixBoard(8, 8, **options)
    for square, piece in enumerate(contents):
        board.put(RUSSIAN.geometry.cells[square], piece, 0)
    return board


def written(folder, port, driver="matrix", more="", station=""):
    path = folder / "station.toml"
    path.write_text(
        f'[station]\ndata = "{folder}/data"\n{station}\n[[boards]]\nid = "table-1"\ndriver = "{driver}"\n'
        f'port = "{port}"\nvariant = "russian"\n{more}'
    )
    return path


def examined(capsys, path, seconds="0.4"):
    code = main(["doctor", "--config", str(path), "--seconds", seconds, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code == (0 if found["ok"] else 1)
    assert found["ok"] == all(finding["fault"] is None for finding in found["findings"])
    assert all(finding["sentence"] and "\n" not in finding["sentence"] for finding in found["findings"])
    return found["findings"]


def faults(findings):
    return {finding["fault"]: finding for finding in findings if finding["fault"]}


@pytest.fixture
def plug(tmp_path, capsys):
    """Plug in a board, and give what the doctor finds."""

    def examine(board, seconds="0.4", driver="matrix", more=""):
        with PtyPort(board, tmp_path / "port") as port:
            return examined(capsys, written(tmp_path, port.path, driver, more), seconds)

    return examine


# --- a line with several boards


def test_a_line_tells_the_numbers_of_its_boards(plug):
    found = faults(plug(DgtBus([(8, 8)] * 3, serials=[311, 2054, 9000]), driver="dgt-bus"))
    assert "00311, 02054, 09000; say which one by its unique_id" in found["wrong_board"]["sentence"]


def test_one_board_of_a_line_is_looked_at(plug):
    bus = DgtBus([(8, 8)] * 2, serials=[311, 2054])
    for square, piece in enumerate(HOME):
        bus.put(RUSSIAN.geometry.cells[square], piece, 0)
    findings = plug(bus, "1.5", "dgt-bus", 'unique_id = "311"')
    assert faults(findings) == {}
    assert any("311" in finding["sentence"] for finding in findings)
    bus.cut(0)
    assert faults(plug(bus, "0.4", "dgt-bus", 'unique_id = "311"'))


# --- nothing wrong


@pytest.mark.parametrize("driver", ["matrix", "dgt"])
def test_a_board_in_order_is_said_to_be(plug, driver):
    board = board_with() if driver == "matrix" else device_for(driver, 8, 8)
    for square, piece in enumerate(HOME):
        board.put(RUSSIAN.geometry.cells[square], piece, 0)
    findings = plug(board, "1.5", driver)
    assert faults(findings) == {}
    sentences = " ".join(finding["sentence"] for finding in findings)
    assert "answers at" in sentences
    assert "every square reads as the start position has it" in sentences


def test_an_empty_board_in_order_is_said_to_be_and_what_to_do_next(plug):
    findings = plug(board_with((EMPTY,) * 32))
    assert faults(findings) == {}
    assert "set up the start position and ask again" in findings[2]["sentence"]


def test_a_board_with_a_game_on_it_is_not_called_broken(plug):
    contents = list(HOME)
    for square in range(0, 32, 2):
        contents[square] = EMPTY if contents[square] is not EMPTY else Piece.WHITE_MAN
    findings = plug(board_with(contents))
    assert faults(findings) == {}
    assert "neither the start position nor an empty board" in findings[2]["sentence"]


# --- squares


def test_a_dead_square_is_named(plug):
    board = board_with()
    board.break_sensor(cell("c3"))
    found = faults(plug(board))
    assert {*found} == {"dead_square"}
    assert found["dead_square"]["squares"] == ["c3"]
    assert found["dead_square"]["sentence"] == (
        "table-1: c3 reads empty in the start position. If a piece stands there, try another piece; "
        "if it reads empty still, its sensor or wire is broken."
    )


@pytest.mark.parametrize("contents", [HOME, (EMPTY,) * 32], ids=["start", "empty"])
def test_a_stuck_square_is_named(plug, contents):
    board = board_with(contents)
    board.stick_sensor(cell("d4"))
    found = faults(plug(board))
    assert {*found} == {"stuck_square"}
    assert found["stuck_square"]["squares"] == ["d4"]
    assert "table-1: d4 reads as if a piece stood there" in found["stuck_square"]["sentence"]


def test_a_stuck_row_is_named_as_a_row(plug):
    board = board_with((EMPTY,) * 32)
    for column in range(8):
        board.stick_sensor((column, 8 - 5))
    found = faults(plug(board))
    assert {*found} == {"stuck_row"}
    assert found["stuck_row"]["squares"] == ["a5", "c5", "e5", "g5"]
    assert "the whole row 5 (counted from White) reads as if pieces stood there" in found["stuck_row"]["sentence"]


def test_a_row_whose_wire_is_off_is_named_as_a_row(plug):
    board = board_with()
    for column in range(8):
        board.break_sensor((column, 8 - 3))
    found = faults(plug(board))
    assert {*found} == {"dead_row"}
    assert found["dead_row"]["squares"] == ["a3", "c3", "e3", "g3"]
    assert "the wire or plug of that row is loose" in found["dead_row"]["sentence"]


def test_a_column_whose_wire_is_off_is_named_as_a_column():
    seen = [EMPTY if RUSSIAN.geometry.cells[square][0] == 2 else piece for square, piece in enumerate(HOME)]
    (odd,) = oddities(seen, HOME, RUSSIAN.geometry)
    assert (odd.fault, odd.line) == ("dead_column", 3)
    assert nearest(seen, HOME) == HOME


@pytest.mark.parametrize("measures", [True, False], ids=["measuring", "switching"])
def test_a_weak_magnet_is_named(plug, measures):
    board = board_with(measures=measures)
    if measures:
        board.weaken(cell("e3"))
    else:
        board._weak.add(board._index(cell("e3")))
        board._chatter(board._index(cell("e3")), 0)
    found = faults(plug(board, "4"))
    assert {*found} == {"weak_magnet"}
    assert found["weak_magnet"]["squares"] == ["e3"]
    assert "change its magnet" in found["weak_magnet"]["sentence"]


# --- the board as a whole


@pytest.mark.parametrize("version", [0, 2])
def test_a_board_with_another_firmware_is_named(plug, version):
    found = faults(plug(board_with(link_version=version)))
    assert found["wrong_firmware"]["sentence"] == (
        f"table-1: The board speaks link version {version}, expected version 1: update its firmware or this program."
    )


def test_a_board_of_another_size_is_named(plug):
    found = faults(plug(MatrixBoard(10, 10)))
    assert "The board has 10x10 cells, expected 8x8" in found["wrong_board"]["sentence"]


def test_a_board_with_another_id_is_named(plug):
    found = faults(plug(board_with(), more='unique_id = "0102"\n'))
    assert "has the id 53494d424f415244, expected 0102" in found["wrong_id"]["sentence"]


def test_boards_that_are_plugged_in_the_other_way_round_are_no_fault(tmp_path, capsys):
    ids = [b"BOARD--A", b"BOARD--B"]
    with PtyPort(board_with(unique_id=ids[1]), tmp_path / "port") as one:
        path = written(tmp_path, one.path, more=f'unique_id = "{ids[0].hex()}"\n')
        other = f'[[boards]]\nid = "table-2"\ndriver = "matrix"\nport = "{tmp_path}/nowhere"\nvariant = "russian"\n'
        path.write_text(f'{path.read_text()}{other}unique_id = "{ids[1].hex()}"\n')
        findings = examined(capsys, path)
    assert {*faults(findings)} == {"board_not_found"}
    assert "table-1: the board of table-2 is plugged in at" in findings[1]["sentence"]


def test_a_board_that_was_calibrated_lying_turned_has_its_squares_named_right(tmp_path, plug):
    KnownBoards(tmp_path / "data").keep(b"SIMBOARD".hex(), Calibration(turned=180))
    board = board_with(quarters=2)
    board.break_sensor(cell("c3"))
    assert faults(plug(board))["dead_square"]["squares"] == ["c3"]


def test_a_port_at_which_another_kind_of_board_talks_is_named(plug):
    found = faults(plug(board_with(), driver="dgt"))
    assert {*found} == {"silent"}
    assert "bytes that it does not understand" in found["silent"]["sentence"]


def test_a_line_that_spoils_bytes_is_named(plug):
    found = faults(plug(board_with(faults=replace(NONE, flipped_bit=0.01)), "2"))
    assert "better cable" in found["spoilt"]["sentence"]


# --- ports


def test_a_board_that_is_not_plugged_in_is_named(tmp_path, capsys):
    found = faults(examined(capsys, written(tmp_path, tmp_path / "nowhere")))
    assert found["board_not_found"]["sentence"].startswith(
        f"table-1: nothing is plugged in at {tmp_path}/nowhere. Check cable and power. Plugged in now: "
    )
    path = written(tmp_path, "x")
    path.write_text(path.read_text().replace('port = "x"', 'usb_serial = "NO-SUCH-NUMBER"'))
    assert "USB serial number NO-SUCH-NUMBER" in faults(examined(capsys, path))["board_not_found"]["sentence"]


def test_something_that_is_no_port_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    found = faults(examined(capsys, written(tmp_path, tmp_path / "file")))
    assert "cannot be used as a serial port" in found["no_port"]["sentence"]


HOLD = """
import fcntl, os, sys, termios
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
fcntl.flock(port, fcntl.LOCK_EX)
fcntl.ioctl(port, termios.TIOCEXCL)
print("held", flush=True)
sys.stdin.read()
"""


def test_O15_a_port_that_another_process_has_is_named_with_that_process(tmp_path, capsys):
    with PtyPort(board_with(), tmp_path / "port") as port:
        command = [sys.executable, "-c", HOLD, str(port.path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout.readline() == "held\n"
            found = faults(examined(capsys, written(tmp_path, port.path)))
            other.stdin.close()
        assert {*found} == {"port_taken"}
        sentence = found["port_taken"]["sentence"]
        assert f"(process {other.pid})" in sentence
        assert "systemctl stop dambord" in sentence
        assert faults(examined(capsys, written(tmp_path, port.path))) == {}, "it is free again"


AS_NOBODY = """
import os, sys
import station.runtime.doctor, station.runtime.cli, station.runtime.conversations, serial, getpass
from firmware_bridge.boards import matrix
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
sys.exit(station.runtime.cli.main(["doctor", "--config", sys.argv[1], "--json"]))
"""


def test_O48_a_port_without_permission_is_named_with_the_command_that_gives_it():
    with tempfile.TemporaryDirectory(prefix="dambord-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with PtyPort(board_with(), folder / "port") as port:
            device = Path(os.path.realpath(port.path))
            device.chmod(0)
            try:
                ran = subprocess.run(
                    [sys.executable, "-c", AS_NOBODY, str(written(folder, port.path))],
                    capture_output=True,
                    text=True,
                    check=False,
                )
            finally:
                device.chmod(stat.S_IRUSR | stat.S_IWUSR)
            assert ran.returncode == 1, ran.stderr
            found = faults(json.loads(ran.stdout)["findings"])
            assert {*found} == {"no_permission"}
            group = device.group()
            assert f"sudo usermod -aG {group} " in found["no_permission"]["sentence"]


def test_an_unknown_device_is_named_and_never_written_to():
    master, slave = os.openpty()
    os.set_blocking(master, False)
    try:
        path = os.ttyname(slave)
        (stranger,) = module.strangers((), load_texts("en"), ((path, "S-17"),))
        assert stranger.fault is None
        assert stranger.sentence.startswith(f"{path} (USB serial number S-17): not in the configuration, so it was not")
        assert f'port = "{path}" under [[boards]]' in stranger.sentence
        with pytest.raises(BlockingIOError):
            os.read(master, 100)
    finally:
        os.close(master)
        os.close(slave)


def test_the_whole_examination_writes_to_the_configured_port_alone(tmp_path):
    master, slave = os.openpty()
    os.set_blocking(master, False)
    other = os.ttyname(slave)
    try:
        with PtyPort(board_with(), tmp_path / "port") as port:
            config = load(str(written(tmp_path, port.path)))
            parts = module.examination(config, load_texts("en"), ((other, "STRANGER"),), 0.4)
            findings = [finding for part in parts for finding in part]
        assert all(finding.fault is None for finding in findings)
        assert [finding.name for finding in findings if finding.part == "port"] == [other]
        with pytest.raises(BlockingIOError):
            os.read(master, 100)
    finally:
        os.close(master)
        os.close(slave)


def test_of_the_ports_of_a_pattern_the_one_where_the_board_answers_is_told(tmp_path):
    with PtyPort(board_with(), tmp_path / "port-b") as port:
        master, slave = os.openpty()
        silent = tmp_path / "port-a"
        silent.symlink_to(os.ttyname(slave))
        try:
            config = load(str(written(tmp_path, tmp_path / "port-*")))
            found = ((str(silent), ""), (str(port.path), ""))
            findings, *_, others = tuple(module.examination(config, load_texts("en"), found, 0.4))
        finally:
            os.close(master)
            os.close(slave)
    assert findings[0].fault is None
    assert str(port.path) in findings[0].sentence
    assert str(silent) not in others[0].sentence


# --- pins


def on_pins(folder, rows=None, *down, path=BENCH):
    config = folder / "station.toml"
    config.write_text(GPIO.read_text().replace("/var/lib/dambord", str(folder)))
    bench = folder / "bench"
    bench.write_text("\n".join([*(rows or ["1111"] * 3 + ["0000"] * 2 + ["1111"] * 3), *down]))
    env = {**os.environ, "PYTHONPATH": str(path), "DAMBORD_BENCH": str(bench)}
    command = [
        sys.executable,
        "-m",
        "station.runtime.cli",
        "doctor",
        "--config",
        str(config),
        "--seconds",
        "1",
        "--json",
    ]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert ran.stdout, ran.stderr
    return json.loads(ran.stdout)["findings"]


def test_a_grid_in_order_is_said_to_be(tmp_path):
    findings = on_pins(tmp_path, None, "18")
    assert faults(findings) == {}
    assert "Dambord GPIO matrix, firmware RPi.GPIO of a bench" in findings[1]["sentence"]


def test_squares_of_a_grid_that_stick_are_named(tmp_path):
    found = faults(on_pins(tmp_path, ["1111"] * 3 + ["0100"] * 2 + ["1111"] * 3, "18"))
    assert found["stuck_square"]["squares"] == ["c5", "d4"]


def test_pins_without_the_library_are_named_with_what_to_install(tmp_path):
    (tmp_path / "none" / "RPi").mkdir(parents=True)
    (tmp_path / "none" / "RPi" / "__init__.py").write_text("")
    found = faults(on_pins(tmp_path, path=tmp_path / "none"))
    assert {*found} == {"no_library"}
    assert "pip install RPi.GPIO" in found["no_library"]["sentence"]


# --- configuration and broker


@pytest.mark.skipif(Path(module.USUAL).exists(), reason="this machine runs a station")
def test_without_a_configuration_ports_are_listed_all_the_same(capsys):
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"ok    No configuration at {module.USUAL}")
    assert len(lines) >= 2


def test_a_configuration_with_a_fault_is_bad_usage(tmp_path, capsys):
    path = written(tmp_path, "/dev/null", more="varient = 3\n")
    assert main(["doctor", "--config", str(path)]) == 2
    assert "nearest is variant" in capsys.readouterr().err


def test_a_broker_that_answers_and_one_that_does_not(tmp_path, capsys):
    broker = Broker(tmp_path)
    broker.start()
    mqtt = f"[mqtt]\nport = {broker.port}\n"
    path = written(tmp_path, tmp_path / "nowhere", station=mqtt)
    assert examined(capsys, path)[-1]["sentence"] == f"Broker 127.0.0.1:{broker.port}: answers."
    broker.stop()
    assert "Connection refused" in faults(examined(capsys, path))["no_broker"]["sentence"]


def test_O27_a_broker_that_swallows_what_is_published_is_named(tmp_path, capsys):
    (tmp_path / "acl").write_text("topic read dambord/v1/#\ntopic write dambord/v1/dambord/+/state\n")
    broker = Broker(tmp_path, f"user root\nallow_anonymous true\nacl_file {tmp_path / 'acl'}")
    broker.start()
    path = written(tmp_path, tmp_path / "nowhere", station=f"[mqtt]\nport = {broker.port}\n")
    assert "read and write dambord/v1/dambord/#" in faults(examined(capsys, path))["denied"]["sentence"]
    broker.stop()


def test_a_broker_that_refuses_the_password_is_named(tmp_path, capsys):
    broker = Broker(tmp_path, "allow_anonymous false")
    broker.start()
    path = written(tmp_path, tmp_path / "nowhere", station=f"[mqtt]\nport = {broker.port}\n")
    assert "not authorized" in faults(examined(capsys, path))["no_broker"]["sentence"]
    broker.stop()
    assert free_port()


def test_lines_for_people_begin_with_what_matters(tmp_path, capsys):
    with PtyPort(board_with(), tmp_path / "port") as port:
        board = written(tmp_path, port.path)
        assert main(["doctor", "--config", str(board), "--seconds", "0.3"]) == 0
    assert all(line.startswith("ok    ") for line in capsys.readouterr().out.splitlines())
    assert main(["doctor", "--config", str(board), "--seconds", "0.3"]) == 1
    assert any(line.startswith("WRONG table-1: nothing is plugged in") for line in capsys.readouterr().out.splitlines())
