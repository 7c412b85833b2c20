"""`dambord calibrate board` with a person's hands that do what it says, and the station that knows the board then."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from time import monotonic

import pytest

from engine.notation import read_square
from engine.position import EMPTY, WHITE_MAN
from engine.rules import rules_for
from engine.ruleset import load_ruleset
from firmware_bridge.driver import Calibration
from firmware_bridge.simulator import MatrixBoard, pico
from firmware_bridge.simulator.pty_port import PtyPort
from station import status
from station.phases import Turn
from station.runtime.known_boards import KnownBoards

C3, D4, B6, A5 = (2, 5), (3, 4), (1, 2), (0, 3)
TWO_MINUTES_S = 120


class Person:
    """Reads what the command says and does it: takes everything off, sets up, carries one man from square to square."""

    def __init__(self, port, ruleset):
        self.port, self.ruleset = port, ruleset
        self.cells = [(c, r) for c in range(ruleset.columns) for r in range(ruleset.rows)]
        self.carried = None
        self.asked = []

    def obey(self, line):
        """Does what a line says; whether Enter is to be pressed."""
        geometry = self.ruleset.geometry
        if line.startswith("1."):
            for cell in self.cells:
                self.port.take(cell)
            return True
        if line.startswith("2."):
            for square, piece in enumerate(rules_for(self.ruleset).start().contents):
                if piece is not EMPTY:
                    self.port.put(geometry.cells[square], piece)
            return True
        found = re.match(r"3\. Put a white man on (\w+) \(row (\d+), column (\d+)\)", line)
        if found:
            cell = geometry.cells[read_square(found[1], self.ruleset)]
            assert cell == (int(found[3]) - 1, self.ruleset.rows - int(found[2])), "the words lead to the same place"
            if self.carried is not None:
                self.port.take(self.carried)
            self.port.put(cell, WHITE_MAN)
            self.carried = cell
            self.asked.append(found[1])
        return False


def calibrated(folder, port, variant="russian", driver="matrix", board="table-1"):
    """(exit code, what was said, the person) after a walk over a board."""
    path = folder / f"{board}.toml"
    path.write_text(
        f'[station]\ndata = "{folder}/data"\n[[boards]]\nid = "{board}"\ndriver = "{driver}"\nport = "{port.path}"\n'
        f'variant = "{variant}"\n'
    )
    person = Person(port, load_ruleset(variant))
    said = []
    command = [sys.executable, "-m", "station.runtime.cli", "calibrate", "board", "--config", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            said.append(line.strip())
            if person.obey(line):
                process.stdin.write("\n")
                process.stdin.flush()
        process.stdin.close()
    return process.returncode, said, person


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"colour": True}, Calibration(turned=0)),
        ({"colour": True, "quarters": 1}, Calibration(turned=90)),
        ({"quarters": 2}, Calibration(turned=180)),
    ],
    ids=["straight", "a quarter turn", "upside down, no colours"],
)
def test_a_walk_teaches_how_the_board_lies(tmp_path, options, expected):
    began = monotonic()
    with PtyPort(MatrixBoard(8, 8, **options), tmp_path / "port") as port:
        code, said, person = calibrated(tmp_path, port)
    assert code == 0, said
    assert monotonic() - began < TWO_MINUTES_S
    assert sorted(person.asked) == ["a5", "b4", "c5", "d4", "e5", "f4", "g5", "h4"]
    assert "Every square answers." in said
    assert KnownBoards(tmp_path / "data").of(b"SIMBOARD".hex()) == expected


def test_dead_and_stuck_squares_are_named_and_kept(tmp_path):
    device = MatrixBoard(8, 8, colour=True)
    device.break_sensor(D4)
    device.break_sensor(C3)
    device.stick_sensor(B6)
    with PtyPort(device, tmp_path / "port") as port:
        code, said, _ = calibrated(tmp_path, port)
    assert code == 0, said
    assert "Nothing was seen on d4: its sensor or wire is broken. The walk goes on." in said
    assert any(line.startswith("Dead squares: ") and "c3" in line and "d4" in line for line in said)
    assert any(line.startswith("Squares that always read occupied: b6.") for line in said)
    found = KnownBoards(tmp_path / "data").of(b"SIMBOARD".hex())
    assert {*found.dead} == {C3, D4}
    assert found.stuck == (B6,)


def test_a_measuring_board_learns_its_magnets_and_keeps_them(tmp_path):
    device = MatrixBoard(8, 8, colour=True, measures=True)
    for row in range(8):
        for column in range(8):
            device.field.drift(row * 8 + column, 2000 * (column % 2))
    device.field.reverse(5 * 8 + 2)
    with PtyPort(device, tmp_path / "port") as port:
        code, said, _ = calibrated(tmp_path, port)
        assert code == 0, said
        assert "The board has learned the strength of its magnets, and keeps it." in said
        port.power_cycle()
        levels = port.touch(lambda now_ms: device.levels(now_ms + 1000))
    codes = {(column, row): levels[row * 8 + column] for column in range(8) for row in range(8)}
    assert codes[C3] == 2, "a sensor that was put in upside down tells the colour right from now on"
    assert sum(code == 3 for code in codes.values()) == 12


class Pico:
    """Hands above the Pico's firmware, which runs under MicroPython as a program of its own."""

    def __init__(self, path):
        if pico.missing():
            pytest.skip(pico.missing())
        command = [sys.executable, "-m", "firmware_bridge.simulator.pico", "--path", str(path), "--size", "8x8"]
        self.path, self.standing = path, set()
        self._process = subprocess.Popen([*command, "--kings"], stdin=subprocess.PIPE, text=True, bufsize=1)
        end = monotonic() + 60
        while not path.exists():
            assert monotonic() < end
            threading.Event().wait(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(20)

    def do(self, line):
        self._process.stdin.write(f"{line}\n")

    def put(self, cell, piece):
        self.standing.add(cell)
        self.do(f"put {cell[0]} {cell[1]} {piece.name.lower()}")

    def take(self, cell):
        if cell in self.standing:
            self.standing.discard(cell)
            self.do(f"take {cell[0]} {cell[1]}")


def test_the_picos_own_firmware_is_calibrated_with_a_dead_square(tmp_path):
    with Pico(tmp_path / "port") as board:
        board.do(f"break {D4[0]} {D4[1]}")
        code, said, _ = calibrated(tmp_path, board)
    assert code == 0, said
    assert "The board lies turned by 0 degrees." in said
    assert any(line.startswith("Dead squares: d4.") for line in said)
    assert "The board has learned the strength of its magnets, and keeps it." in said
    (known,) = KnownBoards(tmp_path / "data").all().values()
    assert known == Calibration(turned=0, dead=(D4,))


def test_nobody_at_the_keyboard_is_bad_usage(tmp_path):
    path = tmp_path / "station.toml"
    with PtyPort(MatrixBoard(8, 8), tmp_path / "port") as port:
        path.write_text(f'[[boards]]\nid = "t"\ndriver = "matrix"\nport = "{port.path}"\nvariant = "russian"\n')
        command = [sys.executable, "-m", "station.runtime.cli", "calibrate", "board", "--config", str(path)]
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "nobody is at the keyboard" in ran.stderr


def test_pieces_that_stand_anyhow_teach_nothing_and_keep_nothing(tmp_path):
    device = MatrixBoard(8, 8, colour=True)
    with PtyPort(device, tmp_path / "port") as port:
        for column in range(8):
            device.break_sensor((column, 0))
            device.break_sensor((column, 1))
            device.break_sensor((column, 6))
        code, said, _ = calibrated(tmp_path, port)
    assert code == 1
    assert said[-1].startswith("Nothing was learned")
    assert KnownBoards(tmp_path / "data").all() == {}


# --- the station afterwards


def record(stand, board="table"):
    game = stand.session(board).game
    return [game.text_of(ply) for ply in range(game.ply)]


def played(stand, start, end, text, board="table"):
    stand.move(start, end, board)
    stand.until(lambda: record(stand, board)[-1:] == [text])


def test_a_station_knows_how_a_board_lies_that_tells_no_colours(stand, tmp_path):
    KnownBoards(tmp_path / "data").keep(b"SIMBOARD".hex(), Calibration(turned=180))
    table = stand(devices={"table": MatrixBoard(8, 8, quarters=2)})
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    played(table, C3, D4, "c3-d4")
    played(table, B6, A5, "b6-a5")


def test_a_board_that_tells_colours_may_be_put_down_the_other_way_round_after_its_calibration(stand, tmp_path):
    KnownBoards(tmp_path / "data").keep(b"SIMBOARD".hex(), Calibration(turned=180))
    table = stand(devices={"table": MatrixBoard(8, 8, colour=True)})
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    played(table, C3, D4, "c3-d4")


def test_two_alike_boards_plugged_in_the_other_way_round_are_themselves_again(stand, tmp_path):
    """One lies upside down, its sensors tell no colours: only what was learned under its id says so."""
    known = KnownBoards(tmp_path / "data")
    known.keep(b"BOARD--A".hex(), Calibration(turned=180))
    known.keep(b"BOARD--B".hex(), Calibration(turned=0))
    devices = {
        "left": MatrixBoard(8, 8, unique_id=b"BOARD--B"),
        "right": MatrixBoard(8, 8, unique_id=b"BOARD--A", quarters=2),
    }
    table = stand(
        boards=("left", "right"),
        devices=devices,
        each={"left": {"unique_id": b"BOARD--A".hex()}, "right": {"unique_id": b"BOARD--B".hex()}},
    )
    for board in ("left", "right"):
        table.watcher.wait(lambda o, board=board: o.board == board and isinstance(o.session.phase, Turn))
    # The board that belongs to the left table is plugged in at the right one's port, and the other way round.
    table.move(C3, D4, "right")
    table.until(lambda: record(table, "left") == ["c3-d4"])
    table.move((4, 5), (5, 4), "left")
    table.until(lambda: record(table, "right") == ["e3-f4"])
    assert record(table, "left") == ["c3-d4"]


def test_a_dead_square_that_is_known_is_played_around_with_the_button(stand, tmp_path):
    KnownBoards(tmp_path / "data").keep(b"SIMBOARD".hex(), Calibration(turned=0, dead=(D4, (7, 0))))
    device = MatrixBoard(8, 8, colour=True)
    device.break_sensor(D4)
    device.break_sensor((7, 0))
    table = stand(devices={"table": device})
    table.watcher.wait(lambda o: isinstance(o.session.phase, Turn))
    assert sorted(status.sensors(table.session())["dead"]) == ["d4", "h8"]
    table.move((4, 5), D4)
    threading.Event().wait(2.5)
    assert record(table) == [], "the piece may be in the hand still"
    table.ports["table"].press("confirm")
    table.until(lambda: record(table) == ["e3-d4"])
    played(table, (5, 2), (4, 3), "f6-e5")
