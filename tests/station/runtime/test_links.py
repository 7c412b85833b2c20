"""Cables, ports and power as they fail on real tables; the numbers are those of tests/scenarios/README.md."""

from __future__ import annotations

import os
import tty
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pytest

from engine.notation import square_name
from firmware_bridge.errors import PortLost
from firmware_bridge.serial_port import SerialPort
from firmware_bridge.simulator import DgtBoard, MatrixBoard, device_for
from firmware_bridge.simulator.pty_port import PtyPort
from station.effects import Announce
from station.events import DeviceBack, DeviceLost, Requested
from station.guidance import guide
from station.phases import Paused, Turn
from station.runtime.clock import Clock
from tests.outside.broker import Broker

C3, D4, E3, F4 = (2, 5), (3, 4), (4, 5), (5, 4)
B6, A5, F6, G5 = (1, 2), (0, 3), (5, 2), (6, 3)
DARK_S = 5.0
"""The board's lamps go dark when it hears nothing from the host for so long (PROTOCOL.md, 4)."""


def record(stand, board="table"):
    game = stand.session(board).game
    return [game.text_of(ply) for ply in range(game.ply)]


def is_turn(outcome):
    return isinstance(outcome.session.phase, Turn)


def lost(stand, board="table", after_ms=-1):
    """The outcome that tells of the first loss after a moment, once the game waits."""
    return stand.watcher.wait(
        lambda o: (
            o.board == board
            and isinstance(o.event, DeviceLost)
            and isinstance(o.session.phase, Paused)
            and o.event.at_ms > after_ms
        )
    )


def back_after(stand, before, board="table"):
    at_ms = before.event.at_ms
    return stand.watcher.wait(lambda o: o.board == board and isinstance(o.event, DeviceBack) and o.event.at_ms > at_ms)


def plays(stand, start, end, text, board="table"):
    stand.move(start, end, board)
    stand.until(lambda: record(stand, board)[-1:] == [text])


# --- the cable


@pytest.mark.parametrize("driver", ["matrix", "dgt"])
def test_S64_O01_a_cable_pulled_in_a_game_is_said_and_what_was_played_meanwhile_is_read(stand, driver):
    table = stand(driver=driver)
    table.watcher.wait(is_turn)
    plays(table, C3, D4, "c3-d4")
    table.ports["table"].unplug()
    gone = lost(table)
    assert guide(gone.session).sentence == "The board does not answer. The game waits; check cable and power."
    table.move(B6, A5)
    table.ports["table"].plug()
    back_after(table, gone)
    table.until(lambda: record(table) == ["c3-d4", "b6-a5"])
    plays(table, E3, F4, "e3-f4")


def test_S64_lamps_go_dark_on_a_board_whose_cable_is_out(stand):
    table = stand()
    table.watcher.wait(is_turn)
    port = table.ports["table"]
    man = port.contents(B6)
    port.take(B6)
    table.until(lambda: B6 in port.lamps())
    port.unplug()
    pulled_s = monotonic()
    lost(table)
    table.until(lambda: not port.lamps())
    assert monotonic() - pulled_s < DARK_S + 2
    port.put(B6, man)
    port.plug()
    table.until(lambda: isinstance(table.session().phase, Turn) and not port.lamps())
    plays(table, C3, D4, "c3-d4")


def test_S65_O45_a_replugged_board_is_found_by_its_usb_serial_number_under_another_name(stand):
    def listing(ports):
        path = ports["table"].path
        return ((os.path.realpath(path), "BOARD-7"),) if path.exists() else ()

    table = stand(listing=listing, port="", usb_serial="BOARD-7")
    table.watcher.wait(is_turn)
    port, lost_ms = table.ports["table"], -1
    for _ in range(5):  # another program of this machine may be given the name first
        before = os.path.realpath(port.path)
        assert ends_open(before) == 2, "the board's end and the station's"
        port.unplug()
        gone = lost(table, after_ms=lost_ms)
        lost_ms = gone.event.at_ms
        table.until(lambda name=before: ends_open(name) == 0)
        stranger, there, others = took_over(before)
        if os.ttyname(there) == before:
            break
        for end in (stranger, there, *others):
            os.close(end)
        port.plug()
        back_after(table, gone)
    tty.setraw(there)
    os.set_blocking(stranger, False)
    try:
        port.plug()
        back_after(table, gone)
        assert os.path.realpath(port.path) != before, "the old name belongs to somebody else now"
        plays(table, C3, D4, "c3-d4")
        with pytest.raises(BlockingIOError):
            os.read(stranger, 100)
    finally:
        for end in (stranger, there, *others):
            os.close(end)


def took_over(name):
    """Both ends of the newest of as many new terminals as it takes to get this name, and the ends of the others.

    The lowest free name is given; 64 are tried.
    """
    ends = list(os.openpty())
    while os.ttyname(ends[-1]) != name and len(ends) < 128:
        ends += os.openpty()
    return ends[-2], ends[-1], ends[:-2]


def ends_open(path):
    """How many descriptors of this process lead to a terminal of this name, be it gone or not."""
    ends = 0
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            ends += os.readlink(f"/proc/self/fd/{name}").split(" ")[0] == path
    return ends


def test_S66_a_port_that_is_ready_but_gives_nothing_is_lost_and_nothing_else():
    with PtyPort(device_for("matrix", 8, 8)) as cable:
        port = SerialPort(str(cable.path), 115200)
        assert port.read(1000)
        cable.unplug()
        with pytest.raises(PortLost) as caught:
            read_all(port)
        assert "readiness to read but returned no data" in str(caught.value.__cause__)
        port.close()


def read_all(port):
    while port.read(1000):
        pass


@pytest.mark.parametrize("thing", ["file", "folder", "link to nothing", "pipe", "no terminal"])
def test_S66_whatever_stands_where_the_port_was_the_board_is_found_again(stand, thing):
    table = stand()
    table.watcher.wait(is_turn)
    port = table.ports["table"]
    port.unplug()
    gone = lost(table)
    put_there(port.path, thing)
    table.until(lambda: table.session().problem != gone.session.problem or thing == "link to nothing")
    assert str(port.path) in table.session().problem
    remove(port.path)
    port.plug()
    back_after(table, gone)
    table.until(lambda: isinstance(table.session().phase, Turn))
    plays(table, C3, D4, "c3-d4")


def put_there(path: Path, thing: str) -> None:
    match thing:
        case "file":
            path.write_bytes(b"not a port")
        case "folder":
            path.mkdir()
        case "link to nothing":
            path.symlink_to("/dev/no-such-port")
        case "pipe":
            os.mkfifo(path)
        case _:
            path.symlink_to("/dev/null")


def remove(path: Path) -> None:
    path.rmdir() if path.is_dir() else path.unlink()


def test_S68_the_page_and_the_engine_do_not_wait_for_a_board_that_is_away(stand):
    table = stand(white="engine:1")
    table.watcher.wait(lambda o: o.session.request > 0)
    table.ports["table"].unplug()
    gone = lost(table)
    began = monotonic()
    table.service.loop.post("table", asked(table, "new_game", {"white": "person", "variant": "brazilian"}))
    table.watcher.wait(lambda o: o.session.game.ruleset.name == "brazilian", 2)
    assert monotonic() - began < 2
    assert isinstance(table.session().phase, Paused)
    table.ports["table"].plug()
    back_after(table, gone)
    table.until(lambda: isinstance(table.session().phase, Turn))
    plays(table, C3, D4, "c3-d4")


def asked(stand, name, arguments):
    return Requested(stand.service.clock.now_ms(), "test:1", name, arguments)


# --- silence


class Stuck(MatrixBoard):
    """A board whose adapter stops passing anything on until its port is opened anew (a packet boundary comes first)."""

    stuck = False

    def receive(self, data, now_ms):
        if data.startswith(b"\0"):
            self.stuck = False
        out = super().receive(b"" if self.stuck else data, now_ms)
        return b"" if self.stuck else out

    def tick(self, now_ms):
        out = super().tick(now_ms)
        return b"" if self.stuck else out


def test_S69_O02_a_board_that_falls_silent_is_probed_then_its_port_is_opened_again_and_counted(stand, tmp_path):
    board = Stuck(8, 8, colour=True)
    table = stand(devices={"table": board})
    table.watcher.wait(is_turn)
    assert table.service.boards[0].counters().reopened == 0
    board.stuck = True
    silent_ms = table.service.clock.now_ms()
    gone = lost(table)
    assert 2500 < gone.event.at_ms - silent_ms < 5000
    assert gone.event.reason == "the board has gone silent"
    table.move(C3, D4)
    back_after(table, gone)
    table.until(lambda: record(table) == ["c3-d4"])
    assert table.service.boards[0].counters().reopened == 1


def test_S74_a_board_that_restarts_when_its_power_breaks_down_plays_on_and_the_restart_is_counted(stand):
    table = stand()
    table.watcher.wait(is_turn)
    port = table.ports["table"]
    man = port.contents(B6)
    port.take(B6)
    table.until(lambda: B6 in port.lamps())
    lit = port.lamps()
    port.power_cycle()
    assert not port.lamps()
    table.until(lambda: port.lamps() == lit)
    assert table.service.boards[0].counters().restarts == 1
    port.put(B6, man)
    plays(table, C3, D4, "c3-d4")
    assert not any(isinstance(o.event, DeviceLost) for o in table.watcher.outcomes)


def around(minute):
    """Two hours around a minute of the day, as the configuration writes them."""
    start, end = (minute - 60) % (24 * 60), (minute + 60) % (24 * 60)
    return f"{start // 60:02d}:{start % 60:02d}-{end // 60:02d}:{end % 60:02d}"


@pytest.mark.parametrize("is_night", [False, True])
def test_S76_lamps_are_dimmed_as_configured_by_day_and_by_night(stand, is_night):
    night = around((Clock().minute_of_day() + (0 if is_night else 12 * 60)) % (24 * 60))
    board = MatrixBoard(8, 8, colour=True, dims=True)
    table = stand(devices={"table": board}, brightness=60, night=night, night_brightness=7)
    table.watcher.wait(is_turn)
    table.until(lambda: board.brightness == (7 if is_night else 60))


# --- which board


def test_the_clock_of_a_board_without_lamps_shows_the_reply_until_it_is_made(stand):
    board = DgtBoard(8, 8)
    table = stand(driver="dgt", devices={"table": board}, white="engine:1")
    table.until(lambda: board.display)
    session = table.session()
    move, cells = session.phase.move, session.game.ruleset.geometry.cells
    assert board.display == "-".join(
        square_name(square, session.game.ruleset) for square in (move.from_square, move.to_square)
    )
    table.move(cells[move.from_square], cells[move.to_square])
    table.until(lambda: not board.display)
    assert len(record(table)) == 1


def boards_of(driver):
    """Two boards of a kind, with the ids they tell."""
    if driver == "matrix":
        ids = (b"BOARD--A", b"BOARD--B")
        return [(MatrixBoard(8, 8, colour=True, unique_id=id_), id_.hex()) for id_ in ids]
    return [(DgtBoard(8, 8, serial=serial), f"{serial:05d}") for serial in (11111, 22222)]


@pytest.mark.parametrize("driver", ["matrix", "dgt"])
def test_S72_O45_two_identical_boards_whose_ports_are_swapped_keep_their_tables(stand, driver):
    (first, first_id), (second, second_id) = boards_of(driver)
    tables = stand(
        boards=("one", "two"),
        driver=driver,
        devices={"one": second, "two": first},  # the port of table one has the board of table two
        each={"one": {"unique_id": first_id}, "two": {"unique_id": second_id}},
    )
    for name in ("one", "two"):
        tables.watcher.wait(lambda o, name=name: o.board == name and is_turn(o))
    assert tables.session("one").device.unique_id == first_id
    assert tables.session("two").device.unique_id == second_id
    tables.move(C3, D4, "two")  # by the hands at the port of table two, where board one is
    tables.until(lambda: record(tables, "one") == ["c3-d4"])
    tables.move(E3, F4, "one")
    tables.until(lambda: record(tables, "two") == ["e3-f4"])
    assert record(tables, "one") == ["c3-d4"]


def test_S72_another_board_at_the_port_is_said_and_not_played_on(stand):
    board, wanted, found = Asked(8, 8, colour=True, unique_id=b"BOARD--B"), b"BOARD--A".hex(), b"BOARD--B".hex()
    table = stand(devices={"table": board}, unique_id=wanted)
    gone = table.watcher.wait(lambda o: isinstance(o.event, DeviceLost))
    assert gone.event.reason.endswith(f"found the board with the id {found}, expected {wanted}")
    table.move(C3, D4)
    table.until(lambda: board.asked >= 3)
    assert all(o.session.device is None for o in table.watcher.outcomes)
    assert record(table) == []


class Asked(MatrixBoard):
    """A board that counts how often somebody opens its port."""

    asked = 0

    def receive(self, data, now_ms):
        self.asked += data.startswith(b"\0")
        return super().receive(data, now_ms)


class Chatter:
    """Another project's microcontroller: it writes text, and remembers what it was told."""

    def __init__(self):
        self.told = b""
        self._due_ms = 0

    def put(self, cell, piece, now_ms):
        """Nothing stands on it."""

    def receive(self, data, now_ms):
        self.told += data
        return self.tick(now_ms)

    def tick(self, now_ms):
        if now_ms < self._due_ms:
            return b""
        self._due_ms = now_ms + 100
        return b"tension 12.5 N\r\n"

    def deadline_ms(self):
        return self._due_ms


def test_S73_nothing_is_ever_written_to_a_port_that_was_not_asked_for(stand):
    other = Chatter()

    def listing(ports):
        return tuple(sorted((str(port.path), f"USB-{name}") for name, port in ports.items() if port.path.exists()))

    table = stand(
        boards=("table", "other"),
        devices={"other": other},
        listing=listing,
        each={"table": {"port": "", "usb_serial": "USB-table"}, "other": {"port": "/dev/no-such-port"}},
    )
    table.watcher.wait(lambda o: o.board == "table" and is_turn(o))
    table.ports["table"].unplug()
    gone = lost(table)
    assert other.told == b""
    table.until(lambda: "USB-other" in table.session().problem)
    table.ports["table"].plug()
    back_after(table, gone)
    table.until(lambda: isinstance(table.session().phase, Turn))
    assert other.told == b""


@pytest.mark.parametrize("driver", ["matrix", "dgt"])
def test_S65_O45_a_board_whose_adapter_has_no_number_is_found_by_asking(stand, driver, tmp_path):
    """The port named plainly was another one; what has a USB serial number is not asked, though the pattern fits it."""
    board, other = device_for(driver, 8, 8, colour=True), Chatter()

    def listing(ports):
        numbers = {"silent": "", "table": "", "numbered": "USB-numbered"}
        return tuple((str(ports[name].path), number) for name, number in numbers.items() if name in ports)

    elsewhere = {"port": "/dev/no-such-port"}
    table = stand(
        boards=("silent", "numbered", "table"),
        driver=driver,
        devices={"silent": Deaf(), "numbered": other, "table": board},
        listing=listing,
        each={"table": {"port": str(tmp_path / "port-*")}, "silent": elsewhere, "numbered": elsewhere},
    )
    table.watcher.wait(lambda o: o.board == "table" and is_turn(o))
    assert other.told == b""


class Deaf:
    """Something that is plugged in and says nothing."""

    def put(self, cell, piece, now_ms):
        """Nothing stands on it."""

    def receive(self, data, now_ms):
        return b""

    def tick(self, now_ms):
        return b""

    def deadline_ms(self):
        return None


@pytest.mark.parametrize(("driver", "told"), [("matrix", b"\0"), ("dgt", b"@")])
def test_S73_a_port_with_something_else_is_named(stand, driver, told):
    other = Chatter()
    table = stand(devices={"table": other}, driver=driver)
    gone = table.watcher.wait(lambda o: isinstance(o.event, DeviceLost))
    assert f"expected a board with driver '{driver}', found " in gone.event.reason
    assert gone.event.reason.endswith("bytes that no such board sends")
    assert other.told.startswith(told)
    assert table.session().device is None


# --- the network


def test_S81_games_at_the_table_do_not_need_the_network_and_are_told_later(stand, tmp_path, listen):
    broker = Broker(tmp_path)
    table = stand(broker_port=broker.port)
    table.watcher.wait(is_turn)
    for start, end, text in ((C3, D4, "c3-d4"), (F6, G5, "f6-g5"), (E3, F4, "e3-f4")):
        plays(table, start, end, text)
    announced = [e.seq for o in table.watcher.outcomes for e in o.effects if isinstance(e, Announce)]
    assert announced == list(range(1, len(announced) + 1))
    broker.start()
    try:
        listener = listen(broker.port)
        topic = "dambord/v1/here/table/event"
        listener.wait(lambda messages: sum(message.topic == topic for message in messages) == len(announced))
        told = [message.json for message in listener.on(topic)]
        assert [event["seq"] for event in told] == announced
        assert [event["text"] for event in told if event["type"] == "move"] == ["c3-d4", "f6-g5", "e3-f4"]
    finally:
        broker.stop()
