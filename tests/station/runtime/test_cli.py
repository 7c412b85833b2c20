"""The command line: help with an example everywhere, JSON and nothing else, one sentence and exit code 2."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from firmware_bridge.simulator import PRESETS as NOISE
from firmware_bridge.simulator.firmwares import FIRMWARES
from station.runtime import cli
from station.runtime.cli import main
from station.simulation.habits import PRESETS as HANDS
from tests.outside.games_pdn import RUSSIAN_PDN

COMMANDS = [
    ["demo"],
    ["run"],
    ["check-config"],
    ["doctor"],
    ["report"],
    ["backup"],
    ["calibrate"],
    ["calibrate", "board"],
    ["calibrate", "camera"],
    ["variants"],
    ["moves"],
    ["perft"],
    ["analyse"],
    ["explain"],
    ["pdn"],
    ["pdn", "check"],
    ["pdn", "convert"],
    ["engine"],
    ["match"],
    ["endings"],
    ["endings", "make"],
    ["endings", "show"],
    ["simulate"],
    ["replay"],
]


def run(capsys, *arguments):
    try:
        code = main([*map(str, arguments)])
    except SystemExit as end:
        code = end.code
    return code, *capsys.readouterr()


def one_document(out):
    assert out.endswith("\n")
    assert out.count("\n") == 1
    return json.loads(out)


@pytest.fixture
def pdn(tmp_path):
    path = tmp_path / "games.pdn"
    path.write_text(RUSSIAN_PDN)
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(capsys, command):
    code, out, err = run(capsys, *command, "--help")
    assert (code, err) == (0, "")
    example = next(line for line in out.splitlines() if line.startswith("example: "))
    assert example.startswith(f"example: dambord {' '.join(command)}")


def test_the_list_of_commands_is_whole(capsys):
    _, out, _ = run(capsys, "--help")
    for command in COMMANDS:
        assert re.search(rf"^    {command[0]}\s", out, re.MULTILINE)


@pytest.mark.parametrize("arguments", [[], ["fly"], ["moves"], ["perft", "--variant", "russian"], ["run", "--confg"]])
def test_bad_usage_is_exit_code_2(capsys, arguments):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err


def test_json_is_one_document_and_nothing_else(capsys, pdn):
    fen = ("--variant", "russian", "--fen", "W:Wc3:Bd4,f6")
    code, out, err = run(capsys, "variants", "--json")
    assert (code, err) == (0, "")
    assert {"name", "title", "board", "GameType", "base", "house", "source"} == one_document(out)[0].keys()
    code, out, err = run(capsys, "moves", *fen, "--json")
    assert (code, err) == (0, "")
    assert one_document(out)["moves"] == [
        {"text": "c3:g7", "from": "c3", "path": ["e5", "g7"], "captured": ["d4", "f6"], "to": "g7", "promotes": False}
    ]
    code, out, _ = run(capsys, "perft", "--variant", "russian", "--depth", "3", "--json")
    assert code == 0
    assert {"nodes": 302, "ordered": 302}.items() <= one_document(out).items()
    code, out, err = run(capsys, "explain", *fen, "c3", "b4", "--json")
    assert (code, err) == (1, "")
    assert {"rule", "article", "sentence"} <= one_document(out).keys()
    code, out, err = run(capsys, "explain", *fen, "c3", "e5", "g7", "--json")
    assert (code, err, one_document(out)) == (0, "", {"legal": True})
    code, out, err = run(capsys, "pdn", "check", pdn, "--json")
    assert (code, err) == (0, "")
    assert one_document(out) == {"file": str(pdn), "games": 2, "legal": 2, "faults": [], "notes": []}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["moves", "--variant", "ludo"], ["ludo"]),
        (["moves", "--variant", "russian", "--fen", "W:Wz9:B"], ["z9"]),
        (["perft", "--variant", "russian", "--depth", "0"], ["--depth 0"]),
        (["explain", "--variant", "russian", "c3", "k9"], ["k9"]),
        (["pdn", "check", "/no/such/file.pdn"], ["/no/such/file.pdn"]),
        (["simulate", "/no/such/file.pdn"], ["/no/such/file.pdn"]),
        (["replay", "/no/such/file.jsonl"], ["/no/such/file.jsonl"]),
        (["run", "--config", "/no/such/file.toml"], ["/no/such/file.toml"]),
        (["check-config", "/no/such/file.toml"], ["/no/such/file.toml"]),
        (["demo", "--boards", "0"], ["--boards 0"]),
        (["demo", "--mqtt", "nowhere"], ["--mqtt nowhere"]),
    ],
)
def test_what_is_wrong_is_one_sentence(capsys, arguments, words):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("dambord: ")
    for word in words:
        assert word in err


def test_a_faulty_game_is_exit_code_1(capsys, tmp_path):
    path = tmp_path / "bad.pdn"
    path.write_text('[Event "x"]\n[GameType "25"]\n\n1. c3-d4 f6-h1 *\n')
    code, out, _ = run(capsys, "pdn", "check", path, "--json")
    assert code == 1
    (fault,) = one_document(out)["faults"]
    assert {"game", "line", "ply", "reason"} == fault.keys()
    assert fault["ply"] == 2


@pytest.mark.parametrize("driver", ["matrix", "dgt"])
def test_simulated_games_are_recorded_as_played_and_replayed_the_same(capsys, pdn, tmp_path, driver):
    code, out, err = run(
        capsys, "simulate", pdn, "--driver", driver, "--record", tmp_path / "kept", "--seed", 3, "--json"
    )
    assert (code, err) == (0, "")
    answer = one_document(out)
    assert {"games": 2, "moves": 32, "records_equal": 2, "wrong": 0, "missed": 0}.items() <= answer.items()
    assert {"wrong_seen", "withdrawn", "needless_prompts"} <= answer.keys()
    assert {"p50", "p95", "p99"} == answer["latency_ms"].keys()
    recordings = sorted((tmp_path / "kept").glob("*/*.jsonl"))
    assert len(recordings) == 2
    code, out, err = run(capsys, "replay", *recordings, "--json")
    assert (code, err) == (0, "")
    assert [json.loads(line)["equal"] for line in out.splitlines()] == [True, True]
    check_changes_are_found(capsys, recordings[0])


def check_changes_are_found(capsys, recording):
    lines = recording.read_bytes().split(b"\n")
    number = next(number for number, line in enumerate(lines) if b'"type":"move"' in line)
    changed = [*lines]
    changed[number] = changed[number].replace(b'"person"', b'"engine"')
    lost = lines[:number] + lines[number + 1 :]
    more = [*lines[: number + 1], lines[number], *lines[number + 1 :]]
    for wrong, at in ((changed, number + 1), (lost, number + 1), (more, number + 2)):
        recording.write_bytes(b"\n".join(wrong))
        code, out, _ = run(capsys, "replay", recording, "--json")
        assert code == 1
        answer = one_document(out)
        assert not answer["equal"]
        assert answer["difference"]["line"] == at
    recording.write_bytes(b"\n".join(lines))


def test_every_preset_of_hands_and_noise_can_be_chosen():
    parser = cli._parser()
    for name in HANDS:
        assert parser.parse_args(["simulate", "--hands", name]).hands == name
    for name in NOISE:
        assert parser.parse_args(["simulate", "--noise", name]).noise == name


def test_games_are_made_where_none_are_given_and_played_again_where_they_are_few(capsys, tmp_path):
    made = ("simulate", "--variant", "turkish", "--games", "1", "--seed", "4", "--json", "--record", tmp_path)
    documents = []
    for _ in range(2):
        code, out, err = run(capsys, *made)
        assert (code, err) == (0, "")
        documents.append(one_document(out))
    for document in documents:
        for spent in ("seconds", "moves_per_second", "recordings"):
            del document[spent]
    assert documents[0] == documents[1]
    assert documents[0]["moves"] > 20
    assert documents[0]["per_10000_moves"]["wrong"]["low"] == 0
    assert documents[0]["per_10000_moves"]["wrong"]["high"] > 0
    path = tmp_path / "short.pdn"
    path.write_text('[Event "short"]\n[GameType "25"]\n\n1. c3-d4 f6-g5 2. d2-c3 *\n')
    code, out, err = run(
        capsys,
        "simulate",
        path,
        "--games",
        "4",
        "--replies",
        "mixed",
        "--json",
        "--record",
        tmp_path,
        "--hands",
        "clean",
    )
    assert (code, err) == (0, "")
    assert {"games": 4, "moves": 12, "records_equal": 4, "wrong": 0}.items() <= one_document(out).items()


def test_the_command_itself_runs():
    command = [sys.executable, "-m", "station.runtime.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.startswith("dambord ")


@pytest.mark.parametrize("driver", ["matrix", "dgt", *FIRMWARES])
def test_a_short_game_in_real_time_gives_the_same_record(capsys, tmp_path, driver):
    """Through simulated boards and through each firmware: hands move magnets, moves come out."""
    if driver in FIRMWARES and (missing := FIRMWARES[driver].missing()):
        pytest.skip(missing)
    path = tmp_path / "short.pdn"
    path.write_text('[Event "short"]\n[GameType "25"]\n\n1. c3-d4 f6-g5 2. d2-c3 *\n')
    code, out, err = run(
        capsys,
        *("simulate", path, "--driver", driver, "--hands", "blitz", "--realtime", "--json"),
        "--record",
        tmp_path,
    )
    assert (code, err) == (0, "")
    assert {"games": 1, "moves": 3, "records_equal": 1, "wrong": 0, "missed": 0}.items() <= one_document(out).items()
    (recording,) = tmp_path.glob("short-*/journal/*/*.jsonl")
    code, out, _ = run(capsys, "replay", recording, "--json")
    assert code == 0
    assert one_document(out)["equal"]


def test_the_firmwares_that_can_be_asked_for_are_those_there_are():
    assert tuple(FIRMWARES) == cli.FIRMWARES


@pytest.mark.parametrize(
    ("further", "words"),
    [
        ((), "expected --realtime with it"),
        (("--realtime", "--noise", "worn"), "--driver micropython with --noise worn: expected clean"),
        (("--realtime", "--variant", "canadian"), "no Pico board of 12x12"),
    ],
)
def test_what_a_firmware_cannot_simulate_is_said_in_one_sentence(capsys, further, words):
    if reason := FIRMWARES["micropython"].missing():
        pytest.skip(reason)
    code, out, err = run(capsys, "simulate", "--driver", "micropython", *further)
    assert (code, out) == (2, "")
    assert words in err
