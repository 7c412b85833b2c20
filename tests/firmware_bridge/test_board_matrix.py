"""The matrix driver: views, orientation, boards that do not fit."""

from __future__ import annotations

import pytest
from wiring import BIG, SMALL, Wire, agrees, driver_of, home_of, set_up

from engine.geometry import geometry
from engine.position import BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN
from engine.view import BLACK, OCCUPIED, WHITE
from firmware_bridge.driver import Calibration, Role
from firmware_bridge.messages import Capability, Hello, Sensors, State, payload_of
from firmware_bridge.packets import Packet, encode
from firmware_bridge.simulator import Faults, MatrixBoard


def wired(board, **options):
    return Wire(driver_of("matrix", board, home_of(board)), MatrixBoard(board.columns, board.rows, **options))


@pytest.mark.parametrize(
    ("columns", "rows", "corner"),
    [(8, 8, "left"), (10, 10, "left"), (8, 8, "right"), (10, 8, "left"), (12, 12, "left"), (8, 8, "all")],
)
@pytest.mark.parametrize("colour", [False, True])
def test_views_follow_boards_of_every_shape(columns, rows, corner, colour):
    board = geometry(columns, rows, corner, "bottom left")
    wire = wired(board, colour=colour).start()
    set_up(wire, board, home_of(board))
    wire.run(200)
    assert agrees(wire, board)


def test_contents_become_evidence():
    wire = wired(SMALL, colour=True)
    for square, piece in ((0, WHITE_MAN), (1, WHITE_KING), (2, BLACK_MAN)):
        wire.board.put(SMALL.cells[square], piece, 0)
    wire.start().run(200)
    assert [wire.view.possible(square) for square in range(4)] == [WHITE, WHITE, BLACK, EMPTY]


def test_without_colour_a_piece_is_a_piece():
    wire = wired(SMALL)
    wire.board.put(SMALL.cells[7], WHITE_MAN, 0)
    wire.start().run(200)
    assert wire.view.possible(7) == OCCUPIED


def test_what_stands_beside_the_squares_is_stray():
    wire = wired(SMALL)
    wire.board.put((0, 0), WHITE_MAN, 0)
    wire.board.put((7, 7), WHITE_MAN, 0)
    wire.start().run(200)
    assert wire.view.stray == ((0, 0), (7, 7))


def test_equal_states_give_one_view():
    wire = wired(SMALL).start().run(10_000)
    assert len(wire.views) == 1


def test_a_contact_that_bounces_changes_once():
    for seed in range(50):
        wire = wired(SMALL, seed=seed).start().run(100)
        wire.board.put(SMALL.cells[0], WHITE_MAN, wire.now_ms)
        wire.run(500)
        assert len(wire.views) == 2


def test_a_turned_board_with_colour_is_recognised_and_its_lamps_turn_too():
    wire = wired(BIG, colour=True, rotated=True).start()
    wire.show(((49, Role.LIFT),))
    wire.run(100)
    assert wire.board.lamps(100) == {BIG.cells[0]: "lift"}
    set_up(wire, BIG, home_of(BIG))
    wire.run(300)
    assert agrees(wire, BIG)
    assert wire.board.lamps(wire.now_ms) == {BIG.cells[49]: "lift"}
    wire.board.take(BIG.cells[49], wire.now_ms)
    wire.run(300)
    assert agrees(wire, BIG)


def test_how_a_board_lies_is_known_at_the_next_start_in_the_middle_of_a_game():
    first = wired(BIG, colour=True, rotated=True).start()
    first.run(100)
    assert first.driver.learned is None, "nothing has told yet"
    set_up(first, BIG, home_of(BIG))
    first.run(300)
    assert first.driver.learned == Calibration(lay=180)
    again = Wire(driver_of("matrix", BIG, home_of(BIG)), first.board, now_ms=first.now_ms)
    again.driver.recall("another board", Calibration(lay=0))
    again.driver.recall(first.driver.device.unique_id, first.driver.learned)
    again.board.take(BIG.cells[49], again.now_ms)
    again.board.put(BIG.cells[22], BLACK_MAN, again.now_ms)
    again.start()
    again.show(((49, Role.PLACE),))
    again.run(300)
    assert agrees(again, BIG)
    assert again.board.lamps(again.now_ms) == {BIG.cells[49]: "place"}


@pytest.mark.parametrize("known", [Calibration(), Calibration(lay=90), Calibration(lay=17)])
def test_a_lay_that_the_game_does_not_know_is_not_recalled(known):
    wire = wired(BIG, colour=True)
    wire.driver.recall(b"SIMBOARD".hex(), known)
    wire.start()
    set_up(wire, BIG, home_of(BIG))
    wire.run(300)
    assert agrees(wire, BIG)


def test_another_size_is_a_problem_and_gives_no_views():
    wire = Wire(driver_of("matrix", BIG), MatrixBoard(8, 8)).start().run(3000)
    assert wire.driver.problem == (
        "The board has 8x8 cells, expected 10x10: choose a variant that fits it or connect another board."
    )
    assert wire.views == []
    assert wire.is_online


def greeting(**changes):
    facts = {
        "version": 1,
        "capabilities": Capability.LAMPS,
        "columns": 8,
        "rows": 8,
        "sensors": Sensors.ALL,
        "unique_id": b"12345678",
        "firmware": (1, 2, 3),
    }
    return packet(Hello(**facts | changes))


def packet(message):
    type_, payload = payload_of(message)
    return encode(Packet(type_, 1, payload))


def state(time_ms, first=0, restarts=0, size=16):
    return packet(State(time_ms, 0, (0,) * 5, restarts, bytes((first,)) + bytes(size - 1)))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, "link version 2, expected version 1"),
        ({"sensors": Sensors.RIGHT}, "no sensor under 32 of the 32 squares"),
        ({"rows": 10}, "8x10 cells, expected 8x8"),
    ],
)
def test_boards_that_do_not_fit_say_why(changes, words):
    driver = driver_of("matrix", SMALL)
    driver.start(0)
    driver.receive(greeting(**changes) + state(1), 1)
    assert words in driver.problem
    assert driver.receive(state(2), 2).views == ()


def test_sensors_under_the_dark_cells_are_enough():
    driver = driver_of("matrix", SMALL)
    driver.start(0)
    assert driver.receive(greeting(sensors=Sensors.LEFT) + state(1), 1).views
    assert driver.problem is None


def test_a_late_copy_of_a_state_is_ignored():
    driver = driver_of("matrix", SMALL)
    driver.start(0)
    driver.receive(greeting() + state(500, first=4), 1)
    assert driver.receive(state(400, first=0), 2).views == ()
    assert driver.receive(state(500, first=0, restarts=1), 3).views
    assert driver.receive(state(0xFFFFFFFF, first=4, restarts=2), 4).views
    assert driver.receive(state(10, first=0, restarts=2), 5).views, "the board's clock runs over after 49 days"
    assert dict(driver.counters.by_reason) == {"out of order": 1}


def test_a_state_of_another_size_is_counted_and_ignored():
    driver = driver_of("matrix", SMALL)
    driver.start(0)
    assert driver.receive(greeting() + state(1, size=15), 1).views == ()
    assert dict(driver.counters.by_reason) == {"wrong number of cells": 1}


def test_a_board_without_lamps_is_sent_none():
    driver = driver_of("matrix", SMALL)
    driver.show(((1, Role.LIFT),), 0)
    driver.start(0)
    sent = driver.receive(greeting(capabilities=Capability(0)), 1).send
    assert len(sent) == 6, "only the heartbeat"
    assert driver.show(((1, Role.LIFT),), 2).send == b""
    assert driver.device.lamps is False


def test_a_weak_piece_is_held_steady_and_its_end_is_seen():
    board = MatrixBoard(8, 8, faults=Faults(weak_piece=1.0), seed=2)
    wire = Wire(driver_of("matrix", SMALL), board).start()
    board.put(SMALL.cells[5], WHITE_MAN, 0)
    wire.run(4000)
    steady = len(wire.views)
    wire.run(4000)
    assert len(wire.views) == steady
    assert agrees(wire, SMALL)
    board.take(SMALL.cells[5], wire.now_ms)
    wire.run(1500)
    assert agrees(wire, SMALL)


def test_S76_lamps_are_as_bright_as_asked_for_also_after_a_restart_of_the_board():
    wire = Wire(driver_of("matrix", SMALL), MatrixBoard(8, 8, dims=True))
    wire.start()
    wire._host(wire.driver.dim(30, wire.now_ms))
    wire.run(500)
    assert wire.board.brightness == 30
    wire.show(((5, Role.LIFT),))
    wire._host(wire.driver.dim(0, wire.now_ms))
    wire.run(500)
    assert wire.board.brightness == 0
    assert wire.board.lamps(wire.now_ms) == {SMALL.cells[5]: "lift"}, "the least is not dark"
    wire.board.power_cycle(wire.now_ms)
    assert wire.board.brightness == 100
    wire.run(3000)
    assert wire.board.brightness == 0
    assert wire.board.lamps(wire.now_ms) == {SMALL.cells[5]: "lift"}


def test_S76_O06_a_board_that_cannot_be_dimmed_is_not_asked():
    told = []
    wire = Wire(driver_of("matrix", SMALL), MatrixBoard(8, 8), to_board=lambda data: told.append(data) or (data,))
    wire.start()
    wire._host(wire.driver.dim(30, wire.now_ms))
    wire.run(2000)
    kinds = [data.lstrip(b"\0")[1] for data in told if len(data.lstrip(b"\0")) > 1]
    assert kinds
    assert 0x85 not in kinds
    assert wire.driver.counters.dropped == 0
