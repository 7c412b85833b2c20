"""Firmware, link and host together: hands move magnets, moves come out."""

from __future__ import annotations

import json

import pytest

from firmware_bridge.simulator.firmwares import FIRMWARES
from station.runtime.cli import main

SHORT = '[Event "short"]\n[GameType "25"]\n\n1. c3-b4 d6-c5 2. b4xd6 e7xc5 3. g3-f4 c5-d4 4. e3xc5 b6xd4 *\n'


def cannot_run(name):
    """Why a firmware cannot be run here, None when it can."""
    try:
        FIRMWARES[name].command(8, 8, False)
    except ValueError as error:
        return str(error)
    return None


@pytest.fixture
def short(tmp_path):
    """A game with four captures in eight moves."""
    path = tmp_path / "short.pdn"
    path.write_text(SHORT)
    return path


@pytest.mark.parametrize("name", sorted(FIRMWARES))
def test_a_short_game_through_the_firmware_gives_the_same_record(capsys, tmp_path, short, name):
    if reason := cannot_run(name):
        pytest.skip(reason)
    code = main(
        [
            "simulate",
            str(short),
            "--driver",
            name,
            "--hands",
            "blitz",
            "--realtime",
            "--json",
            "--record",
            str(tmp_path),
        ]
    )
    summary = json.loads(capsys.readouterr().out)
    assert {"games": 1, "moves": 8, "records_equal": 1, "wrong": 0}.items() <= summary.items()
    assert code == 0
    (recording,) = tmp_path.glob("short-*/journal/*/*.jsonl")
    assert main(["replay", str(recording)]) == 0


def test_without_its_tools_a_firmware_says_what_to_install(capsys, monkeypatch, short, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["simulate", str(short), "--driver", "avr", "--realtime", "--record", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "avr-gcc" in error
    assert "apt-get install" in error
    assert error.count("\n") == 1
