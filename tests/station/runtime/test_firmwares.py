"""Firmware, link and host together: hands move magnets, moves come out."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest

from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.simulator.firmwares import FIRMWARES
from firmware_bridge.simulator.program_port import ProgramPort
from station.config import BoardTable, Config, StationTable
from station.events import DeviceLost
from station.phases import Turn
from station.runtime.cli import main
from station.runtime.service import Service
from tests.station.runtime.conftest import Stand, Watcher

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


def moves_of(session):
    return [session.game.text_of(ply) for ply in range(session.game.ply)]


@pytest.fixture
def table(request, tmp_path):
    """A station whose one board is a firmware, with a Russian game about to begin on it."""
    if reason := cannot_run(request.param):
        pytest.skip(reason)
    ruleset = load_ruleset("russian")
    with ExitStack() as stack:
        port = ProgramPort(FIRMWARES[request.param].command(8, 8, False), tmp_path / "port")
        stack.callback(port.close)
        for square, piece in enumerate(rules_for(ruleset).start().contents):
            port.put(ruleset.geometry.cells[square], piece)
        board = BoardTable("table", "matrix", port=str(port.path), variant="russian")
        watcher = Watcher()
        config = Config(StationTable("here", data=str(tmp_path / "data")), boards=(board,))
        service = Service(config, watchers=[watcher], page=False)
        service.start()
        stack.callback(service.stop)
        yield Stand(service, {"table": port}, watcher)


@pytest.mark.parametrize("table", sorted(FIRMWARES), indirect=True)
def test_a_game_survives_reset_power_and_a_cable_that_was_out(table):
    """What the firmware forgets and what it keeps is its own; the host reads the board again and plays on."""
    port = table.ports["table"]

    def plays(start, end, text):
        table.move(start, end)
        table.until(lambda: moves_of(table.session())[-1:] == [text], 60)

    table.watcher.wait(lambda outcome: isinstance(outcome.session.phase, Turn), 60)
    plays((2, 5), (3, 4), "c3-d4")
    for count, act in enumerate((port.reset, port.power_cycle), 1):
        act()
        table.until(lambda count=count: table.service.boards[0].counters().restarts == count, 60)
        start, end, text = [((5, 2), (6, 3), "f6-g5"), ((1, 6), (2, 5), "b2-c3")][count - 1]
        plays(start, end, text)
    port.unplug()
    table.watcher.wait(lambda outcome: isinstance(outcome.event, DeviceLost), 60)
    table.move((6, 3), (7, 4))
    port.plug()
    table.until(lambda: table.session().game.ply == 4, 60)
    assert moves_of(table.session()) == ["c3-d4", "f6-g5", "b2-c3", "g5-h4"]


def test_without_its_tools_a_firmware_says_what_to_install(capsys, monkeypatch, short, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["simulate", str(short), "--driver", "avr", "--realtime", "--record", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "avr-gcc" in error
    assert "apt-get install" in error
    assert error.count("\n") == 1
