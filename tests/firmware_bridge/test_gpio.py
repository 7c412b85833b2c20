"""A grid on the pins: wires and diodes as they are, what reads them, and the libraries that people install."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wiring import BIG, SMALL, Wire, agrees, driver_of, home_of, set_up

from engine.geometry import geometry
from engine.position import EMPTY, WHITE_MAN
from engine.view import OCCUPIED
from firmware_bridge.debounce import STEADY_MS, Steady
from firmware_bridge.driver import Role
from firmware_bridge.errors import PortLost
from firmware_bridge.gpio import GpioPort, Scanner, library
from firmware_bridge.pins import Pins, fits, pins_fault, pins_of
from firmware_bridge.signals import Signals
from firmware_bridge.simulator import GpioBoard
from firmware_bridge.simulator.gpio_board import pins_for
from firmware_bridge.simulator.wires import Wires

FOUR = Pins(rows=(2, 3, 4, 5), columns=(6, 7, 8, 9))
BENCH = Path(__file__).with_name("bench")


def scanned(wires, pins=FOUR):
    """(row, column) of every contact that is read as closed."""
    contacts = Scanner(pins, wires, b"bench").scan().contacts
    return {divmod(bit, len(pins.columns)) for bit in range(contacts.bit_length()) if contacts >> bit & 1}


def wires_with(closed, pins=FOUR):
    wires = Wires(pins.rows, pins.columns)
    for row, column in closed:
        wires.closed[row * len(pins.columns) + column] = 1
    return wires


CONTACTS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)))


@given(CONTACTS)
def test_with_diodes_every_contact_is_read_as_it_is(closed):
    wires = wires_with(closed)
    assert scanned(wires) == closed
    assert wires.shorts == 0


@given(CONTACTS, CONTACTS)
def test_a_missing_diode_adds_ghosts_and_hides_nothing(closed, bare):
    wires = wires_with(closed)
    wires.bare = bare
    assert scanned(wires) >= closed
    assert wires.shorts == 0, "no two rows may drive against each other, whatever diodes are missing"


def test_three_corners_of_a_rectangle_make_the_fourth_where_a_diode_is_missing():
    corners = {(0, 0), (0, 2), (3, 2)}
    wires = wires_with(corners)
    assert scanned(wires) == corners
    wires.bare = {(0, 2)}
    assert scanned(wires) == {*corners, (3, 0)}


def test_rows_that_drive_against_each_other_are_noticed_on_this_bench():
    wires = wires_with({(0, 0), (1, 0)})
    wires.bare = {(0, 0)}
    wires.setmode(wires.BCM)
    wires.setup(2, wires.OUT, initial=wires.HIGH)
    wires.setup(3, wires.OUT, initial=wires.LOW)
    assert wires.shorts == 1


def test_a_broken_wire_reads_open_and_one_at_ground_closed():
    wires = wires_with({(0, 0), (1, 1), (2, 2)})
    wires.break_wire(2)
    wires.ground(9)
    assert scanned(wires) == {(1, 1), (2, 2), *((row, 3) for row in range(4))}
    wires = wires_with({(1, 1)})
    wires.ground(3)
    assert scanned(wires) == {(row, 1) for row in range(4)}, "a row at ground is read into every other row"


# --- through the driver


def wire_to(board, geometry_=SMALL, contents=None):
    wire = Wire(driver_of("gpio_matrix", geometry_, home_of(geometry_)), board)
    set_up(wire, geometry_, home_of(geometry_) if contents is None else contents)
    return wire.start().run(500)


@pytest.mark.parametrize("size", [8, 10])
def test_a_board_with_every_contact_fits_the_26_pins(size):
    pins = pins_for(size, size)
    assert len({pin for pin, _ in pins.uses}) == len(pins.uses) == 26
    assert {pin for pin, _ in pins.uses} == set(range(2, 28))
    assert pins.stop is not None
    assert pins.lamp is not None
    assert (pins.clock is None) != (pins.clock_white is None)


def test_contacts_under_the_playing_squares_alone_need_half_the_columns():
    pins = Pins(rows=tuple(range(2, 12)), columns=tuple(range(12, 17)))
    wire = wire_to(GpioBoard(10, 10, pins=pins), BIG)
    assert agrees(wire, BIG)
    wire.board.take(BIG.cells[33], wire.now_ms)
    wire.run(200)
    assert agrees(wire, BIG)
    assert wire.view.possible(33) is EMPTY


def test_a_grid_of_another_size_is_a_problem_said_in_one_sentence():
    wire = wire_to(GpioBoard(8, 8), BIG, ())
    assert wire.is_online
    assert wire.views == []
    assert wire.driver.problem.startswith("The pins make a grid of 8 columns and 8 rows, expected 10x10, or 5 columns")


def test_half_the_columns_do_not_fit_a_board_on_which_every_square_plays():
    board = geometry(8, 8, "all")
    wire = wire_to(GpioBoard(8, 8, pins=Pins(tuple(range(2, 10)), tuple(range(10, 14)))), board)
    assert "grid of 4 columns" in wire.driver.problem


def test_a_ghost_is_seen_on_the_board_and_a_diode_ends_it():
    wire = wire_to(GpioBoard(8, 8), SMALL, (EMPTY,) * 32)
    for cell in ((0, 7), (2, 7), (2, 5)):
        wire.board.put(cell, WHITE_MAN, wire.now_ms)
    wire.board.wires.bare = {(7, 2)}
    wire.run(300)
    seen = {SMALL.cells[square] for square in range(32) if wire.view.possible(square) == OCCUPIED}
    assert seen == {(0, 7), (2, 7), (2, 5), (0, 5)}
    wire.board.wires.bare = set()
    wire.run(300)
    assert agrees(wire, SMALL)


def test_buttons_are_told_once_however_they_bounce():
    wire = wire_to(GpioBoard(8, 8))
    for button in ("confirm", "take_back", "new_game", "draw", "resign", "clock_white", "clock_black"):
        wire.board.press(button, wire.now_ms)
        wire.run(400)
    assert wire.pressed == ["confirm", "take_back", "new_game", "draw", "resign", "clock_white", "clock_black"]
    wire.board.hold("confirm", 12, wire.now_ms)
    wire.run(400)
    assert len(wire.pressed) == 7, "a spike of 12 ms is no press"


def test_a_long_press_for_a_new_game_sets_up():
    wire = wire_to(GpioBoard(8, 8))
    wire.board.hold("new_game", 2500, wire.now_ms)
    wire.run(1900)
    assert wire.pressed == []
    wire.run(2000)
    assert wire.pressed == ["set_up"]


def test_a_lever_ends_the_turn_of_the_side_that_pushed_it():
    wire = wire_to(GpioBoard(10, 10), BIG)
    for side in ("clock_white", "clock_black", "clock_white"):
        wire.board.press(side, wire.now_ms)
        wire.run(200)
        wire.board.press(side, wire.now_ms)
        wire.run(200)
    assert wire.pressed == ["clock_white", "clock_black", "clock_white"]


class Stops(Wire):
    def _host(self, output):
        self.stops = [*getattr(self, "stops", ()), *([] if output.stopped is None else [output.stopped])]
        super()._host(output)


def test_the_emergency_stop_is_told_when_it_is_pressed_and_when_its_wire_breaks():
    board = GpioBoard(8, 8)
    wire = Stops(driver_of("gpio_matrix", SMALL, home_of(SMALL)), board)
    wire.start().run(300)
    board.hold("stop", 1000, wire.now_ms)
    wire.run(500)
    assert wire.stops == [False, True]
    wire.run(1000)
    assert wire.stops == [False, True, False]
    board.wires.break_wire(board.pins.stop)
    wire.run(500)
    assert wire.stops == [False, True, False, True]
    assert wire.pressed == []


def test_a_stop_pressed_before_the_start_is_told_at_the_start():
    board = GpioBoard(8, 8)
    board.hold("stop", 60_000, 0)
    wire = Stops(driver_of("gpio_matrix", SMALL, home_of(SMALL)), board)
    wire.start().run(300)
    assert wire.stops == [True]


def test_the_status_lamp_and_the_buzzer_say_that_something_is_to_be_done():
    wire = wire_to(GpioBoard(8, 8))
    board = wire.board

    def watch(for_ms):
        lamp, sounds = [], []
        for _ in range(for_ms // 10):
            wire.run(10)
            lamp.append(board.status_lamp)
            sounds.append(board.buzzer)
        changes = sum(one != other for one, other in pairwise(lamp))
        starts = sum(not one and other for one, other in zip([False, *sounds], sounds, strict=False))
        return changes, starts, sum(lamp) / len(lamp)

    assert watch(2000) == (0, 0, 1.0)
    wire.show(((3, Role.LIFT), (7, Role.PLACE)))
    changes, beeps, share = watch(4000)
    assert (changes, beeps) == (8, 1)
    assert share == pytest.approx(0.5, abs=0.02)
    wire.show(((3, Role.WRONG),))
    changes, beeps, _ = watch(2000)
    assert beeps == 2
    assert changes >= 14
    wire.show(())
    assert watch(1000) == (0, 0, 1.0)


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 7)), max_size=12))
@settings(max_examples=40)
def test_a_level_counts_exactly_when_it_has_been_steady(changes):
    """Against the definition: at any time the level is the last raw one that stood for 30 ms without a break."""
    steady, now_ms, history = Steady(), 0, []
    for after_ms, raw in changes:
        for at_ms in range(now_ms, now_ms + after_ms):
            steady.settle(at_ms)
            for bit in range(3) if history else ():
                assert (steady.level >> bit & 1) == counted(history, bit, at_ms), (history, bit, at_ms)
        now_ms += after_ms
        steady.settle(now_ms)
        steady.take(raw, now_ms)
        history.append((now_ms, raw))


def counted(history, bit, at_ms):
    level, runs = history[0][1] >> bit & 1, []
    for since_ms, raw in history:
        value = raw >> bit & 1
        if not runs or runs[-1][1] != value:
            runs.append((since_ms, value))
    ends = [start for start, _ in runs[1:]] + [at_ms]
    for (start, value), end in zip(runs, ends, strict=True):
        if end - start >= STEADY_MS:
            level = value
    return level


def test_signals_say_when_they_change_next():
    signals = Signals()
    assert signals.next_ms(0) is None
    signals.show(((3, Role.WRONG),), 1000)
    seen = []
    now_ms = 1000
    for _ in range(6):
        now_ms = signals.next_ms(now_ms)
        seen.append((now_ms, *signals.levels(now_ms)))
    assert [at_ms for at_ms, _, _ in seen] == [1080, 1125, 1160, 1240, 1250, 1375]


# --- the configuration of pins


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"rows": [2, 3], "columns": [4, 5], "confrim": 6}, "no key confrim, the nearest is confirm"),
        ({"rows": [2, 3]}, "columns too"),
        ({"rows": [2, 3], "columns": []}, "columns to be a list of 1 to 16 pins"),
        ({"rows": [1, 3], "columns": [4]}, "rows to name GPIO numbers (BCM) from 2 to 27, found 1"),
        ({"rows": [2, 3], "columns": [4, 28]}, "columns to name GPIO numbers (BCM) from 2 to 27, found 28"),
        ({"rows": [2, True], "columns": [4]}, "found True"),
        ({"rows": [2, 3], "columns": [4, 2]}, "each pin once, found GPIO 2 for rows 1 and columns 2"),
        ({"rows": [2], "columns": [4], "confirm": 4}, "each pin once, found GPIO 4 for columns 1 and confirm"),
        ({"rows": [2], "columns": [4], "clock": 5, "clock_white": 6}, "either clock (a lever) or clock_white"),
        ([2, 3], "a table of pins"),
    ],
)
def test_pins_are_checked_strictly(table, expected):
    assert expected in pins_fault(table)


def test_right_pins_are_read():
    table = {"rows": [2, 3], "columns": [4, 5], "confirm": 6, "stop": 7}
    assert pins_fault(table) is None
    assert pins_of(table) == Pins((2, 3), (4, 5), confirm=6, stop=7)
    assert fits(pins_of(table), 2, 2, 4)
    assert not fits(pins_of(table), 8, 8, 32)


# --- the libraries


def test_the_port_reads_writes_and_lets_go():
    wires = wires_with({(1, 2)}, Pins(FOUR.rows, FOUR.columns, lamp=10))
    port = GpioPort(Pins(FOUR.rows, FOUR.columns, lamp=10), wires)
    driver = driver_of("gpio_matrix", geometry(4, 4, "all"))
    port.write(driver.start(0).send)
    output = driver.receive(port.read(1000), 1)
    assert output.online is True
    assert [square for square in range(16) if output.views[-1].possible(square) == OCCUPIED] == [1 * 4 + 2]
    port.write(output.send)
    assert wires.level(10) == wires.HIGH
    port.close()
    assert wires.level(10) == wires.LOW


class Refusing(Wires):
    def setup(self, channel, direction, pull_up_down=22, initial=-1):
        raise RuntimeError(self.VERSION)


@pytest.mark.parametrize(
    ("says", "advice"),
    [
        ("No access to /dev/mem.  Try running as root!", "group gpio"),
        ("Cannot determine SOC peripheral base address", "rpi-lgpio instead of RPi.GPIO"),
        ("'GPIO busy'", "another program uses them"),
    ],
)
def test_pins_that_cannot_be_used_are_a_lost_port_with_advice(says, advice):
    wires = Refusing(FOUR.rows, FOUR.columns)
    wires.VERSION = says
    with pytest.raises(PortLost, match=advice):
        GpioPort(FOUR, wires)


def run_python(code, path=None, **env):
    env = {**os.environ, **env}
    if path is not None:
        env["PYTHONPATH"] = str(path)
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)


TRY = "from firmware_bridge.gpio import library\ntry:\n    library()\nexcept OSError as error:\n    print(error)\n"


def test_S82_O56_without_the_library_one_sentence_says_what_to_install(tmp_path):
    (tmp_path / "RPi").mkdir()
    (tmp_path / "RPi" / "__init__.py").write_text("")
    ran = run_python(TRY, tmp_path)
    assert ran.stdout == (
        "port GPIO: RPi.GPIO is not installed; install it with `pip install RPi.GPIO`, "
        "on a Raspberry Pi 5 `pip install rpi-lgpio`\n"
    ), ran.stderr


@pytest.fixture
def rpi_lgpio():
    if importlib.util.find_spec("RPi") is None:
        pytest.skip("rpi-lgpio is not installed in this environment: pip install dambord[test]")


@pytest.mark.usefixtures("rpi_lgpio")
def test_O57_the_real_library_on_a_machine_that_is_no_pi_is_one_sentence():
    with pytest.raises(PortLost) as caught:
        library()
    assert str(caught.value) == (
        "port GPIO: RPi.GPIO does not work here (This module can only be run on a Raspberry Pi); "
        "connect a board by USB instead"
    )


@pytest.mark.usefixtures("rpi_lgpio")
def test_S82_the_real_rpi_lgpio_is_set_up_read_and_let_go():
    """rpi-lgpio's own code; only the compiled module beneath it is ours."""
    code = """
import lgpio
from firmware_bridge.gpio import GpioPort
from firmware_bridge.pins import Pins
from firmware_bridge.packets import Decoder
from firmware_bridge.scans import told
port = GpioPort(Pins(lgpio.ROWS, lgpio.COLUMNS, confirm=12, take_back=13, lamp=14))
(packet,) = Decoder().receive(port.read(1000))
print(told(packet), sorted(lgpio.levels), sorted(lgpio.pulled))
port.close()
print(sorted(lgpio.levels), sorted(lgpio.pulled))
"""
    ran = run_python(code, BENCH, RPI_LGPIO_REVISION="c04170", RPI_LGPIO_CHIP="0")
    assert ran.stdout == f"Scan(contacts={1 << 1 * 5 + 2}, pushed=1) [14] [7, 8, 9, 10, 11, 12, 13]\n[] []\n", (
        ran.stderr
    )
