"""station.toml: every fault is one sentence with file, key, value and what was expected."""

from __future__ import annotations

import dataclasses
import json

import pytest

from firmware_bridge.pins import Pins
from station.clock import TimeControl, control_text
from station.config import BoardTable, Config, MqttTable, StationTable, WebTable, read_config
from station.errors import ConfigError
from station.runtime.boards import driver_class
from station.runtime.cli import main
from station.settings import BLITZ, CALM, PACE_RANGES, Pace

BOARD = '[[boards]]\nid = "table-1"\ndriver = "dgt"\nport = "/dev/null"\n'


def fault(text):
    with pytest.raises(ConfigError) as caught:
        read_config(text, "station.toml")
    sentence = str(caught.value)
    assert sentence.startswith("station.toml: ")
    assert "\n" not in sentence
    return sentence


def test_a_board_is_enough():
    assert read_config(BOARD) == Config(boards=(BoardTable("table-1", "dgt", "/dev/null"),))


def test_every_key_of_the_interface_is_read():
    text = """
    [station]
    id = "club-1"
    language = "en"
    data = "/var/lib/dambord"
    [mqtt]
    host = "broker"
    port = 1884
    username = "u"
    password_file = "/run/p"
    ca_file = "/run/c"
    certificate_file = "/run/m"
    key_file = "/run/k"
    base = "dambord/v1"
    discovery_prefix = "homeassistant"
    allow_motion = true
    [web]
    host = "0.0.0.0"
    port = 81
    allowed_hosts = ["board.local"]
    address = "http://board.local/"
    pin_file = "/run/pin"
    [[boards]]
    id = "table-1"
    driver = "matrix"
    usb_serial = "7"
    unique_id = "53494d42"
    variant = "russian"
    white = "engine:10"
    black = "hub:scan hub"
    pace = "blitz"
    confirm = "when-ambiguous"
    draws = "claim"
    adapt = true
    lamps = false
turned = 180
touch_move = true
    clock = "5+3"
    start_fen = "W:Wc3:Bf6"
    """
    board = BoardTable(
        *("table-1", "matrix", "", "7", "russian", "engine:10", "hub:scan hub", "blitz", "when-ambiguous", "claim"),
        adapt=True,
        lamps=False,
        turned=180,
        touch_move=True,
        clock="5+3",
        start_fen="W:Wc3:Bf6",
        unique_id="53494d42",
    )
    assert read_config(text) == Config(
        StationTable("club-1", "en", "/var/lib/dambord"),
        WebTable("0.0.0.0", 81, ("board.local",), "http://board.local/", "/run/pin"),
        MqttTable("broker", 1884, "u", "/run/p", "/run/c", "/run/m", "/run/k", "dambord/v1", "homeassistant", True),
        (board,),
    )
    assert board.settings().ruleset.name == "russian"


WRONG = {
    "station": {"id": '"club 1"', "language": '"tlh"', "data": '""', "voice": '""'},
    "mqtt": {
        "host": '""',
        "port": "70000",
        "username": "5",
        "password_file": "false",
        "ca_file": "[]",
        "certificate_file": "3",
        "key_file": "{}",
        "base": '"a/#"',
        "discovery_prefix": '"/home"',
        "allow_motion": '"yes"',
    },
    "web": {
        "host": "8",
        "port": '"8080"',
        "allowed_hosts": '"all"',
        "address": '"board.local"',
        "pin_file": "1234",
    },
    "boards": {
        "id": '"a/b"',
        "driver": "3",
        "port": '""',
        "usb_serial": "17",
        "unique_id": "17",
        "brightness": "101",
        "night": '"22-7"',
        "night_brightness": "true",
        "variant": '"ludo"',
        "white": '"engine:11"',
        "black": '"hub:"',
        "pace": '"hasty"',
        "confirm": '"never"',
        "draws": "true",
        "replies": '"all"',
        "adapt": "1",
        "lamps": "1",
        "turned": "45",
        "pins": "3",
        "speech": "3",
        "evaluation": '"yes"',
        "invite": "-1",
        "record": "3",
        "touch_move": "1",
        "clock": '"5+x"',
        "start_fen": "0",
        "ballot": "3",
        "arm": "3",
        "arm_file": "3",
    },
}
CASES = [(section, key, value) for section, keys in WRONG.items() for key, value in keys.items()]


@pytest.mark.parametrize(("section", "key", "value"), CASES)
def test_a_wrong_value_is_named_with_its_key_and_what_was_expected(section, key, value):
    if section == "boards":
        whole = {"id": '"table-1"', "driver": '"dgt"', "port": '"/dev/null"', key: value}
        text = "[[boards]]\n" + "".join(f"{name} = {given}\n" for name, given in whole.items())
    else:
        text = f"[{section}]\n{key} = {value}\n{BOARD}"
    sentence = fault(text)
    assert section in sentence
    assert f"{key} = " in sentence
    assert value.strip('"[]').lower() in sentence.lower()
    assert "expected" in sentence


def test_every_key_is_tried_once_with_a_wrong_value():
    kinds = {"station": StationTable, "mqtt": MqttTable, "web": WebTable, "boards": BoardTable}
    keys = {name: {*kind.__slots__} - {"house_rules", "arm_setup"} for name, kind in kinds.items()}
    assert {name: {*WRONG[name]} for name in WRONG} == keys


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[mqtt]\nhots = 'x'\n" + BOARD, ["mqtt", "hots", "nearest is host"]),
        ("[station]\nzzz = 1\n" + BOARD, ["zzz", "expected one of id, language, data"]),
        (BOARD + "varient = 'russian'\n", ["boards 1", "varient", "nearest is variant"]),
        ("[webb]\nport = 1\n" + BOARD, ["[webb]", "nearest is web"]),
        ("[cameras]\n" + BOARD, ["[cameras]", "no such section"]),
        ("[mqtt]\npassword_file = 'p'\n" + BOARD, ["password_file = 'p'", "no username"]),
        ("[mqtt]\nca_file = 'a'\nkey_file = 'k'\n" + BOARD, ["found key_file alone", "both or neither"]),
        ("[mqtt]\ncertificate_file = 'c'\nkey_file = 'k'\n" + BOARD, ["certificate_file = 'c'", "no ca_file"]),
        (BOARD + BOARD, ["boards 2", "id = 'table-1'", "no other board"]),
        ("[station\n", ["not TOML", "line 1"]),
        ("", ["at least one [[boards]]"]),
        ("boards = 3\n", ["boards = 3"]),
        ("boards = [4]\n", ["boards 1 = 4", "a table"]),
        ("station = 1\n" + BOARD, ["station = 1", "a table"]),
        ("[[boards]]\ndriver = 'dgt'\nport = 'x'\n", ["id is missing"]),
        ("[[boards]]\nid = 'a'\nport = 'x'\n", ["driver is missing"]),
        ("[[boards]]\nid = 'a'\ndriver = 'dgt'\n", ["neither of port and usb_serial"]),
        (BOARD + "usb_serial = '1'\n", ["both of port and usb_serial"]),
        (
            BOARD + "unique_id = 'x'\n" + BOARD.replace("table-1", "other") + "unique_id = 'x'\n",
            ["unique_id = 'x'", "no other board"],
        ),
        (BOARD + "start_fen = 'nonsense'\n", ["start_fen = 'nonsense'"]),
        (BOARD + "house_rules = 'x'\n", ["house_rules = 'x'", "no such key"]),
        (BOARD + "variant = 'rusian'\n", ["variant = 'rusian'", "nearest is russian"]),
        (BOARD + "ballot = 'english-3-move'\n", ["ballot = 'english-3-move'", "international"]),
        (BOARD + "variant = 'english'\nballot = '4-mover'\n", ["ballot = '4-mover'", "english-4-move"]),
        (BOARD + "variant = 'english'\nballot = '3-move'\nstart_fen = 'W:W32:B1'\n", ["ballot", "start_fen too"]),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(text, words):
    sentence = fault(text)
    for word in words:
        assert word in sentence


def test_a_pace_may_set_each_time():
    (board,) = read_config(BOARD + "pace = {quick_ms = 90, revise = 0}\n").boards
    assert board.settings().pace == dataclasses.replace(CALM, quick=90, revise=0)
    (board,) = read_config(BOARD + 'pace = {preset = "blitz", forgot_ms = 1500}\n').boards
    assert board.settings().pace == dataclasses.replace(BLITZ, forgot=1500)
    assert not board.is_unhurried


def test_every_time_has_a_range_that_its_presets_keep_to():
    assert set(PACE_RANGES) == {item.name for item in dataclasses.fields(Pace)}
    for pace in (CALM, BLITZ):
        for name, (least, most) in PACE_RANGES.items():
            assert least <= getattr(pace, name) <= most


@pytest.mark.parametrize("name", PACE_RANGES)
def test_every_time_is_read_within_its_range_and_refused_outside_by_name(name):
    least, most = PACE_RANGES[name]
    rest = "preset = 'calm', further_back_ms = 60000, extended_ms = 10000, " if name in ("back", "quick") else ""
    for value in (least, most):
        text = BOARD + f"pace = {{{rest}{name}_ms = {value}}}\n"
        if name in ("extended", "further_back") and value == least:
            assert f"at most {name}_ms" in fault(text)
            continue
        (board,) = read_config(text).boards
        assert getattr(board.settings().pace, name) == value
    for value in (least - 1, most + 1, 300.5, "true", "'long'"):
        assert f"expected {name}_ms from {least} to {most} ms" in fault(BOARD + f"pace = {{{name}_ms = {value}}}\n")


@pytest.mark.parametrize(
    ("pace", "words"),
    [
        ("{quik_ms = 90}", ["quik_ms", "the nearest is quick_ms"]),
        ("{preset = 'hasty'}", ["preset", "calm, blitz"]),
        ("{quick_ms = 2000}", ["quick_ms", "at most extended_ms, which is 900 ms"]),
        ("7", ["pace = 7", "calm, blitz, or a table of times in ms for quick_ms"]),
    ],
)
def test_a_pace_that_is_none_is_named(pace, words):
    sentence = fault(BOARD + f"pace = {pace}\n")
    assert all(word in sentence for word in words)


def test_an_arm_without_a_file_is_not_moved():
    (board,) = read_config(BOARD + 'arm = "gcode"\n').boards
    assert board.settings().arm.driver == "dry-run"
    assert "expected arm beside it" in fault(BOARD + 'arm_file = "arm.toml"\n')


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("5+3", TimeControl(300_000, 3_000)),
        ("25", TimeControl(1_500_000)),
        ("5d3", TimeControl(300_000, 0, 3_000)),
        ("0.5", TimeControl(30_000)),
        ("10b30", TimeControl(600_000, periods=1, period_ms=30_000)),
        ("0b3x10", TimeControl(0, periods=3, period_ms=10_000)),
        ("600+600", TimeControl(36_000_000, 600_000)),
        ("", None),
    ],
)
def test_a_clock_is_written_as_players_write_it(text, control):
    (board,) = read_config(BOARD + f'clock = "{text}"\n').boards
    assert board.settings().clock == control
    assert control_text(control) == text


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "0+3",
        "601",
        "5+601",
        "5 + 3",
        "+3",
        "5+",
        "-5",
        "5:00",
        "5+3+2",
        "5b0",
        "5b0x5",
        "5bx5",
        "5b601",
        "0b0",
        "5+3b5",
        "\u0665",
    ],
)
def test_a_clock_that_is_none_is_refused(text):
    assert "seconds added a move" in fault(BOARD + f'clock = "{text}"\n')


def check(path, capsys, *options):
    code = main(["check-config", str(path), *options])
    return code, *capsys.readouterr()


def test_check_config_says_all_right(tmp_path, capsys):
    file = tmp_path / "station.toml"
    file.write_text(BOARD)
    assert check(file, capsys) == (0, f"{file}: all right\n", "")
    code, out, err = check(file, capsys, "--json")
    assert (code, json.loads(out), err) == (0, {"ok": True, "faults": []}, "")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (BOARD.replace("/dev/null", "/dev/serial/by-id/gone"), "/dev/serial/by-id/gone"),
        (BOARD.replace('"dgt"', '"gameboy"'), "gameboy"),
        (BOARD + "colour = 1\n", "colour"),
    ],
)
def test_O85_check_config_names_what_is_wrong(tmp_path, capsys, text, word):
    file = tmp_path / "station.toml"
    file.write_text(text)
    code, out, err = check(file, capsys)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert word in err
    code, out, _ = check(file, capsys, "--json")
    assert code == 2
    answer = json.loads(out)
    assert not answer["ok"]
    assert word in answer["faults"][0]


def test_check_config_before_an_update_does_not_mind_what_is_not_plugged_in(tmp_path, capsys):
    file = tmp_path / "station.toml"
    file.write_text(BOARD.replace("/dev/null", "/dev/serial/by-id/gone"))
    assert check(file, capsys, "--without-devices") == (0, f"{file}: all right\n", "")
    file.write_text(BOARD.replace("/dev/null", "/dev/serial/by-id/gone") + "colour = 1\n")
    assert check(file, capsys, "--without-devices")[0] == 2


def test_check_config_of_what_is_no_text_or_no_file(tmp_path, capsys):
    file = tmp_path / "station.toml"
    file.write_bytes(b"\xff\xfe")
    for path in (file, tmp_path / "missing.toml", tmp_path):
        code, out, err = check(path, capsys)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert str(path) in err


GPIO = '[[boards]]\nid = "t"\ndriver = "gpio-matrix"\nvariant = "russian"\n'
ROWS, COLUMNS = "rows = [2, 3, 4, 5, 6, 7, 8, 9]", "columns = [10, 11, 12, 13, 14, 15, 16, 17]"


CAMERA = '[[boards]]\nid = "table"\ndriver = "camera"\n'


def test_a_camera_has_a_port_and_may_be_recorded():
    (board,) = read_config(CAMERA + 'port = "pi:0"\nrecord = true\n').boards
    assert (board.port, board.record) == ("pi:0", True)
    for text in (CAMERA, CAMERA + 'usb_serial = "x"\n'):
        with pytest.raises(ConfigError, match=r"camera.*expected port alone"):
            read_config(text)
    with pytest.raises(ConfigError, match="record"):
        read_config(BOARD + "record = true\n")


def test_pins_stand_where_another_board_has_its_port():
    (board,) = read_config(f"{GPIO}pins = {{{ROWS}, {COLUMNS}, confirm = 18}}").boards
    assert board.pins == Pins(tuple(range(2, 10)), tuple(range(10, 18)), confirm=18)
    assert board.place == "the pins of this machine"
    (half,) = read_config(f"{GPIO}pins = {{{ROWS}, columns = [10, 11, 12, 13]}}").boards
    assert len(half.pins.columns) == 4
    assert driver_class("gpio-matrix") is driver_class("gpio_matrix")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GPIO, "driver = 'gpio-matrix': found no pins, expected pins, and neither port nor usb_serial"),
        (f'{GPIO}port = "/dev/null"\npins = {{{ROWS}, {COLUMNS}}}', "found a port too"),
        (f"{BOARD}pins = {{{ROWS}, {COLUMNS}}}", "pins: found driver 'dgt', expected pins with driver 'gpio-matrix'"),
        (f"{GPIO}pins = {{{ROWS}, columns = [10, 11, 12]}}", "found 8 rows and 3 columns, expected 8 rows and 8"),
        (f"{GPIO}pins = {{{ROWS}, {COLUMNS}, buzer = 18}}", "no key buzer, the nearest is buzzer"),
        (
            f"{GPIO}pins = {{{ROWS}, {COLUMNS}}}\n"
            + f"{GPIO}pins = {{{ROWS}, columns = [20, 21, 22, 23]}}".replace('"t"', '"u"'),
            "boards u: pins: rows 1 = GPIO 2: expected a pin of its own, t's rows 1 has it",
        ),
    ],
)
def test_pins_that_cannot_be_are_said_in_one_sentence(text, expected):
    assert expected in fault(text)
