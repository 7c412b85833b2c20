"""A port at which several boards are: cables, turns, and what is said when it cannot be."""

from __future__ import annotations

import threading

import pytest

from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.dgt_bus_frames import Ask, request
from firmware_bridge.dgt_bus_turns import Turns
from firmware_bridge.errors import PortLost
from firmware_bridge.simulator import DgtBus
from firmware_bridge.simulator.pty_port import PtyPort
from station.config import BoardTable, Config, StationTable, WebTable
from station.phases import Paused, Turn
from station.runtime.cli import main
from station.runtime.places import Places
from station.runtime.service import Service
from station.runtime.shared_lines import SharedLines
from tests.station.runtime.conftest import Watcher

IDS = ("10247", "10248")
C3, D4 = (2, 5), (3, 4)


@pytest.fixture
def club(tmp_path):
    """A station with two boards on one line: the port, the boards, what happens."""
    ruleset = load_ruleset("russian")
    bus = DgtBus([(8, 8), (8, 8)])
    for board in bus.boards:
        for cell, piece in zip(ruleset.geometry.cells, rules_for(ruleset).start().contents, strict=True):
            board.put(cell, piece, 0)
    with PtyPort(bus, tmp_path / "line") as port:
        tables = tuple(
            BoardTable(name, "dgt-bus", port=str(port.path), unique_id=name, variant="russian") for name in IDS
        )
        watcher = Watcher()
        config = Config(StationTable("here", data=str(tmp_path / "data")), WebTable(port=0), None, tables)
        service = Service(config, watchers=[watcher], page=False)
        service.start()
        yield port, bus, watcher
        service.stop()


def turn(watcher, name, after=0):
    watcher.wait(lambda o: o.board == name and isinstance(o.session.phase, Turn) and o.session.game.ply >= after)


def move(port, board, start, end):
    piece = port.touch(lambda _: board.contents(start))
    port.touch(lambda now_ms: board.take(start, now_ms))
    threading.Event().wait(0.15)
    port.touch(lambda now_ms: board.put(end, piece, now_ms))


def test_a_cable_that_is_out_pauses_all_boards_on_it_and_all_come_back(club):
    port, bus, watcher = club
    for name in IDS:
        turn(watcher, name)
    port.unplug()
    for name in IDS:
        watcher.wait(lambda o, name=name: o.board == name and isinstance(o.session.phase, Paused))
    port.plug()
    seen = len(watcher.outcomes)
    for name in IDS:
        watcher.wait(
            lambda o, name=name: o in watcher.outcomes[seen:] and o.board == name and isinstance(o.session.phase, Turn)
        )
    for board in bus.boards:
        move(port, board, C3, D4)
    for name in IDS:
        turn(watcher, name, after=1)
        last = next(o for o in reversed(watcher.outcomes) if o.board == name)
        assert last.session.game.text_of(0) == "c3-d4"


def read_all(port):
    for _ in range(100):
        port.read(50)


def test_members_of_a_line_hear_all_and_speak_in_turn(tmp_path):
    bus = DgtBus([(8, 8), (8, 8)])
    with PtyPort(bus, tmp_path / "line") as port:
        lines = SharedLines()
        first, second = (lines.open(str(port.path), 9600, Turns) for _ in IDS)
        threading.Event().wait(0.6)
        first.write(request(Ask.BOARD, 10247))
        second.write(request(Ask.PING, 10248))
        heard = {first: b"", second: b""}
        for _ in range(60):
            for end in heard:
                heard[end] += end.read(50)
        assert heard[first] == heard[second]
        assert heard[first][:1] == b"\x83"
        assert heard[first][70:71] == b"\x87"
        first.close()
        second.write(request(Ask.PING, 10247))
        second.close()
        again = lines.open(str(port.path), 9600, Turns)
        port.unplug()
        with pytest.raises(PortLost):
            read_all(again)
        with pytest.raises(PortLost):
            again.write(request(Ask.PING, 10247))
        again.close()


def test_a_line_has_several_boards_and_each_of_them_is_looked_for_at_every_line():
    a, b = (BoardTable(name, "dgt-bus", port="/dev/one", unique_id=name) for name in ("1", "2"))
    c = BoardTable("3", "dgt-bus", port="/dev/two", unique_id="3")
    places = Places((a, b, c), lambda: ())
    places.meet("/dev/one", "1", a)
    places.meet("/dev/one", "2", b)
    assert places.paths(a) == places.paths(b) == ("/dev/one", "/dev/two")
    places.meet("/dev/one", None, b)
    assert places.paths(a) == ("/dev/one", "/dev/two")
    assert places.paths(b) == ("/dev/two", "/dev/one")
    places.meet("/dev/two", "2", b)
    assert places.paths(b) == ("/dev/two", "/dev/one")


@pytest.mark.parametrize(
    ("drivers", "ids", "expected"),
    [
        (("dgt", "dgt"), IDS, "found b there too, expected a port of its own, or driver = 'dgt-bus' for all"),
        (("dgt-bus", "dgt"), IDS, "found b there too, expected a port of its own, or driver = 'dgt-bus' for all"),
        (("dgt-bus", "dgt-bus"), ("10247", ""), "unique_id: found none, expected the number of the board on the line"),
        (("dgt-bus", "dgt-bus"), ("10247", "club"), "unique_id = 'club': expected the number of a board on the line"),
    ],
)
def test_boards_that_cannot_share_a_port_are_said_in_one_sentence(tmp_path, capsys, drivers, ids, expected):
    tables = ""
    for name, driver, unique_id in zip("ab", drivers, ids, strict=True):
        tables += f'[[boards]]\nid = "{name}"\ndriver = "{driver}"\nport = "/dev/null"\n'
        tables += f'unique_id = "{unique_id}"\n' if unique_id else ""
    (tmp_path / "station.toml").write_text(tables)
    assert main(["check-config", str(tmp_path / "station.toml")]) == 2
    assert expected in capsys.readouterr().err


def test_boards_that_share_a_port_are_all_right(tmp_path):
    tables = "".join(
        f'[[boards]]\nid = "b{name}"\ndriver = "dgt-bus"\nport = "/dev/null"\nunique_id = "{name}"\n' for name in IDS
    )
    (tmp_path / "station.toml").write_text(tables)
    assert main(["check-config", str(tmp_path / "station.toml")]) == 0


def test_the_only_board_of_a_line_needs_no_number(stand):
    table = stand(driver="dgt-bus")
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    assert table.session().device.unique_id == IDS[0]
    table.move(C3, D4)
    table.until(lambda: table.session().game.ply == 1)
