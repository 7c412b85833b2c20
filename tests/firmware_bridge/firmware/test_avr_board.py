"""The C firmware at its pins: pulses for the lamps, pitch, the receiver, the EEPROM, sensors under half the cells."""

from __future__ import annotations

import re
import subprocess

import pytest
from firmware_devices import Board
from firmware_wire import ACK, BRIGHTNESS, BUZZER, HELLO, LAMPS, PING, PONG, STATE, framed

from firmware_bridge.simulator import avr

pytestmark = pytest.mark.skipif(avr.missing() is not None, reason=avr.missing() or "")


@pytest.fixture
def start(tmp_path):
    """Starts AVR boards; they end with the test."""
    boards = []

    def started(columns=8, rows=8, *arguments, **options):
        program = [*avr.command(columns, rows, **options), *map(str, arguments)]
        boards.append(Board(program, tmp_path / f"board-{len(boards)}", keeps_time=True))
        return boards[-1]

    yield started
    for board in boards:
        board.close()


@pytest.mark.parametrize(("columns", "rows"), [(8, 8), (10, 10)])
def test_lamps_and_packets_do_not_disturb_each_other(start, columns, rows):
    """Every pulse is within the data sheets' limits, no pause ends a sending, and the receiver loses no byte."""
    board = start(columns, rows)
    board.wire.greeted()
    for turn in range(20):
        sequence, ping = board.wire.next_sequence(), board.wire.next_sequence()
        lit = bytes(byte for cell in range(turn, columns * rows) for byte in (cell, (cell + turn) % 6 + 1))
        board.wire.write(framed(LAMPS, sequence, lit) + framed(PING, ping))
        answers = [board.wire.until(lambda packet: packet.kind in (ACK, PONG)) for _ in range(2)]
        assert [answer.payload for answer in answers] == [bytes((sequence, 0)), bytes((ping, sequence))]
    lost, pulses, pause_ns = map(int, re.findall(r"\d+", board.ask("faults")))
    assert (lost, pulses) == (0, 0)
    assert 1000 < pause_ns < 6000


def test_a_contact_is_believed_after_30_ms_and_told_within_4_more(start):
    """A sensor that breaks does not bounce. Times are the controller's: the new chip's EEPROM is written before."""
    board = start()
    board.wire.state()
    board.do(*(f"put {cell % 8} {cell // 8} white_man" for cell in range(20)), "reset")
    board.wire.until(lambda packet: packet.kind == STATE and packet.cells(64)[:20] == [1] * 20)
    for cell in range(20):
        before_ms = int(board.ask("uptime"))
        board.do(f"break {cell % 8} {cell // 8}")
        after_ms = int(board.ask("uptime"))
        told = board.wire.until(lambda packet, cell=cell: packet.kind == STATE and packet.cells(64)[cell] == 0)
        assert told.time_ms >= before_ms + 30
        assert told.time_ms <= after_ms + 34


@pytest.mark.parametrize("pitch", [31, 440, 880, 4000])
def test_the_buzzer_has_the_pitch_that_was_asked_for(start, pitch):
    board = start()
    assert board.wire.acked(BUZZER, pitch.to_bytes(2, "little") + (150).to_bytes(2, "little")) == 0
    board.wire.states_for(300)
    assert board.ask("buzzer") == "1"
    assert int(board.ask("pitch")) == pytest.approx(pitch, rel=0.02)


@pytest.mark.parametrize(("columns", "rows"), [(8, 8), (10, 10)])
def test_half_the_cells_have_sensors_and_lamps(start, columns, rows):
    """Those of the colour of White's lower left corner; the others read empty whatever stands there."""
    board = start(columns, rows, sensors=1)
    assert board.wire.greeted().payload[5] == 1
    cells = range(columns * rows)
    sensed = {cell for cell in cells if (cell % columns + rows - 1 - cell // columns) % 2 == 0}
    assert (rows - 1) * columns in sensed
    standing = set()
    for bit in range((columns * rows - 1).bit_length() + 1):
        wanted = set(cells) if bit == 0 else {cell for cell in cells if cell >> bit - 1 & 1}
        board.do(
            *(f"take {cell % columns} {cell // columns}" for cell in standing - wanted),
            *(f"put {cell % columns} {cell // columns} white_man" for cell in wanted - standing),
        )
        standing = wanted
        told = [int(cell in wanted & sensed) for cell in cells]
        board.wire.until(
            lambda packet, told=told: packet.kind == STATE and packet.cells(len(told)) == told, f"bit {bit}"
        )
    roles = ("lift", "place", "path", "remove", "wrong", "hint")
    assert board.wire.acked(LAMPS, bytes(byte for cell in cells for byte in (cell, cell % 6 + 1))) == 0
    board.until_lamps({(cell % columns, cell // columns): roles[cell % 6] for cell in sensed})


def test_many_lamps_are_dimmed_to_what_the_supply_gives(start):
    board = start()
    assert board.wire.acked(BRIGHTNESS, b"\x64") == 0
    for count, level in ((1, 255), (64, 66)):
        assert board.wire.acked(LAMPS, bytes(byte for cell in range(count) for byte in (cell, 6))) == 0
        board.until_lamps({(cell % 8, cell // 8): "hint" for cell in range(count)})
        board.wire.states_for(60)
        assert int(board.ask("brightness")) == level


def test_every_chip_has_an_id_of_its_own_and_keeps_it(start, tmp_path):
    ids, starts = [], []
    for eeprom in ("one", "two", "one"):
        board = start(8, 8, "--eeprom", tmp_path / eeprom)
        ids.append(board.wire.greeted().payload[6:14])
        starts.append(board.wire.state().restarts)
        board.close()
    assert ids[0] == ids[2] != ids[1]
    assert starts[2] == (starts[0] + 1) % 256


def test_a_program_that_is_no_firmware_is_said_to_be_none(tmp_path):
    program = avr.command(8, 8)
    elf = tmp_path / "not.elf"
    elf.write_text("not a program")
    program[program.index("--elf") + 1] = str(elf)
    ran = subprocess.run(
        [*program, "--path", tmp_path / "board"], capture_output=True, text=True, check=False, timeout=60
    )
    assert ran.returncode == 2
    assert str(elf) in ran.stderr
    assert HELLO not in ran.stdout.encode()
