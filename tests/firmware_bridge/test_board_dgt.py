"""The driver of DGT-compatible boards: handshake, dumps, learned codes, faults."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from wiring import BIG, SMALL, Wire, agrees, driver_of, home_of, set_up

from engine.geometry import geometry
from engine.position import BLACK_KING, BLACK_MAN, EMPTY, WHITE_KING, WHITE_MAN, Side
from engine.view import OCCUPIED
from firmware_bridge.dgt_codes import PRESETS, UNTAUGHT, learn
from firmware_bridge.driver import Calibration, Role
from firmware_bridge.simulator import PRESETS as FAULTS
from firmware_bridge.simulator import DgtBoard

VERSION = bytes.fromhex("9300050102")
SERIAL = b"\x91\x00\x08" + b"10247"


def wired(board, home=True, **options):
    driver = driver_of("dgt", board, home_of(board) if home else None)
    return Wire(driver, DgtBoard(board.columns, board.rows, **options))


def online(board=BIG, contents=None, **options):
    wire = wired(board, **options)
    set_up(wire, board, contents or home_of(board))
    wire.start().run(2000)
    assert agrees(wire, board)
    return wire


def start_dump(board=BIG, white=1, black=4):
    codes = {WHITE_MAN: white, BLACK_MAN: black, EMPTY: 0}
    fields = bytearray(board.columns * board.rows)
    for (column, row), piece in zip(board.cells, home_of(board), strict=True):
        fields[row * board.columns + column] = codes[piece]
    return bytes(fields)


def dump(fields):
    total = len(fields) + 3
    return bytes((0x86, total >> 7, total & 0x7F)) + bytes(fields)


class Hand:
    """Drives a driver by hand: answers nothing by itself, notes what is sent and when."""

    def __init__(self, board=BIG, home=True):
        self.board = board
        self.driver = driver_of("dgt", board, home_of(board) if home else None)
        self.sent = []
        self.outputs = []
        self.now_ms = 0
        self.driver.start(0)

    def idle(self, at_ms, fields=None):
        """Lets time go by with a board that answers, and on which nothing moves."""
        fields = fields or start_dump(self.board)
        while (due := self.driver.deadline_ms()) <= at_ms:
            before = len(self.sent)
            self.until(due)
            for _, command in self.sent[before:]:
                self.hears({0x45: SERIAL, 0x42: dump(fields)}.get(command, b""))
        return self.until(at_ms)

    def until(self, at_ms):
        while (due := self.driver.deadline_ms()) <= at_ms:
            self.now_ms = max(due, self.now_ms)
            self._note(self.driver.tick(self.now_ms))
        self.now_ms = at_ms
        return self

    def hears(self, data):
        return self._note(self.driver.receive(data, self.now_ms))

    def _note(self, output):
        self.sent += [(self.now_ms, byte) for byte in output.send]
        self.outputs.append(output)
        return output

    def connect(self, fields):
        self.until(1000).hears(VERSION + SERIAL)
        self.hears(dump(fields))
        self.until(1200)
        return self.hears(dump(fields))


def test_the_handshake_is_paced_and_repeated_until_a_version_arrives():
    hand = Hand().until(3000)
    first = [0x40, 0x4D, 0x45, 0x4B, 0x42]
    assert hand.sent[:5] == [(500 + 100 * turn, command) for turn, command in enumerate(first)]
    again = [(at_ms, command) for at_ms, command in hand.sent if at_ms >= 2500]
    assert again[:5] == [(2500 + 100 * turn, command) for turn, command in enumerate(first)]
    hand.until(20_000)
    times = [at_ms for at_ms, _ in hand.sent]
    assert all(later - earlier >= 100 for earlier, later in pairwise(times))


def test_the_board_is_online_with_its_version_and_first_dump():
    hand = Hand().until(1000)
    assert hand.hears(VERSION + SERIAL).online is None
    found = hand.hears(dump(start_dump()))
    assert found.online is True
    assert [view.firm for view in found.views] == [False]
    assert hand.driver.device.unique_id == "10247"
    assert hand.driver.device.firmware == "1.02"
    assert (hand.driver.device.colour, hand.driver.device.identity, hand.driver.device.lamps) == (True, True, False)
    hand.until(1200)
    assert [view.firm for view in hand.hears(dump(start_dump())).views] == [True]


def test_worked_bytes_of_a_move():
    hand = Hand()
    (view,) = hand.connect(start_dump()).views
    assert [view.possible(square) for square in (0, 19, 20, 29, 30, 49)] == [
        BLACK_MAN,
        BLACK_MAN,
        EMPTY,
        EMPTY,
        WHITE_MAN,
        WHITE_MAN,
    ]
    hand.idle(5000)
    (lifted,) = hand.hears(bytes.fromhex("8e00054100")).views
    assert (lifted.firm, lifted.possible(32)) == (False, EMPTY)
    (placed,) = hand.hears(bytes.fromhex("8e00053801")).views
    assert (placed.firm, placed.possible(28)) == (False, WHITE_MAN)
    hand.sent.clear()
    hand.until(5250)
    assert hand.sent[-1] == (5250, 0x42)
    after = bytearray(start_dump())
    after[65], after[56] = 0, 1
    (firm,) = hand.hears(dump(after)).views
    assert (firm.firm, firm.possible(32), firm.possible(28)) == (True, EMPTY, WHITE_MAN)


def test_a_field_update_between_request_and_dump_makes_it_soft_and_asks_again():
    hand = Hand()
    hand.connect(start_dump())
    hand.idle(5000).hears(bytes.fromhex("8e00054100"))
    hand.until(5250)
    hand.until(5300).hears(bytes.fromhex("8e00053801"))
    after = bytearray(start_dump())
    after[65], after[56] = 0, 1
    assert all(not view.firm for view in hand.hears(dump(after)).views)
    hand.sent.clear()
    hand.until(5550)
    assert hand.sent == [(5550, 0x42)]
    (view,) = hand.hears(dump(after)).views
    assert view.firm


def test_a_dump_that_contradicts_the_updates_is_believed_only_when_it_comes_twice():
    hand = Hand()
    hand.connect(start_dump())
    hand.idle(5000).hears(bytes.fromhex("8e00054100"))
    hand.until(5250)
    spoilt = bytearray(start_dump())
    spoilt[65], spoilt[1] = 0, 0
    assert all(not view.firm for view in hand.hears(dump(spoilt)).views)
    hand.until(5400)
    right = bytearray(start_dump())
    right[65] = 0
    assert all(not view.firm for view in hand.hears(dump(right)).views)
    hand.until(5600)
    (view,) = hand.hears(dump(right)).views
    assert view.firm
    assert view.possible(0) == BLACK_MAN


@pytest.mark.parametrize("noise", ["05", "8e0005", "8e00058e0005", "ff"])
def test_every_drop_is_counted_and_answered_with_a_dump(noise):
    hand = Hand()
    hand.connect(start_dump())
    hand.idle(5000)
    before = hand.driver.counters.dropped
    hand.sent.clear()
    hand.hears(bytes.fromhex(noise))
    hand.until(6600)
    assert hand.driver.counters.dropped > before
    assert 0x42 in [command for _, command in hand.sent]


def test_a_field_off_the_board_is_counted_and_ignored():
    hand = Hand(SMALL)
    hand.connect(start_dump(SMALL))
    assert hand.hears(bytes.fromhex("8e00054001")).views == ()
    assert ("field off the board", 1) in hand.driver.counters.by_reason


def test_an_unasked_log_is_swallowed():
    hand = Hand()
    hand.connect(start_dump())
    log = b"\x8f\x3e\x03" + bytes(0x1F00)
    for at in range(0, len(log), 96):
        hand.until(hand.now_ms + 100)
        assert hand.hears(log[at : at + 96]).views == ()
    assert hand.driver.counters.dropped == 0
    assert hand.hears(bytes.fromhex("8e00054100")).views


@pytest.mark.parametrize(
    "board", [BIG, SMALL, geometry(8, 8, "left", "bottom left"), geometry(8, 8, "right"), geometry(8, 8, "all")]
)
@pytest.mark.parametrize("rotated", [False, True])
@pytest.mark.parametrize("codes", list(PRESETS))
def test_codes_and_orientation_are_learned_at_the_start_position(board, rotated, codes):
    wire = online(board, codes=codes, rotated=rotated)
    for square, piece in ((0, WHITE_KING), (1, BLACK_KING), (2, EMPTY)):
        wire.board.put(board.cells[square], piece, wire.now_ms)
    wire.run(1500)
    assert agrees(wire, board)


def test_before_a_start_position_the_preset_of_2011_is_read_straight():
    wire = wired(BIG)
    for square, piece in ((0, WHITE_MAN), (1, WHITE_KING), (2, BLACK_MAN), (3, BLACK_KING)):
        wire.board.put(BIG.cells[square], piece, 0)
    wire.start().run(2000)
    assert agrees(wire, BIG)
    assert wire.driver.reading == UNTAUGHT


def test_what_was_learned_belongs_to_a_serial_number():
    wire = online(BIG, codes="draughts-old", rotated=True)
    learned = wire.driver.reading
    assert learned.learned
    wire.board = DgtBoard(10, 10, serial=555)
    wire.driver.start(wire.now_ms)
    wire.run(10_000)
    assert wire.driver.device.unique_id == "00555"
    set_up(wire, BIG, home_of(BIG))
    wire.run(2000)
    assert agrees(wire, BIG)
    assert not wire.driver.reading.rotated
    wire.board = DgtBoard(10, 10, codes="draughts-old", rotated=True)
    wire.driver.start(wire.now_ms)
    wire.board.put(BIG.cells[7], BLACK_MAN, wire.now_ms)
    wire.run(10_000)
    assert wire.driver.reading == learned
    assert agrees(wire, BIG)


def test_what_was_learned_is_told_and_recalled_at_another_time():
    wire = online(BIG, codes="draughts-old", rotated=True)
    learned = wire.driver.learned
    assert learned.lay == 180
    men = {"1": "white_man", "4": "white_king", "7": "black_man", "10": "black_king"}
    # With chessmen, the same codes for men go with others for kings.
    assert dict(learned.pieces) == {**men, "6": "white_king", "12": "black_king"}
    wire.board.take(BIG.cells[7], wire.now_ms)  # no start position any more
    wire.driver = driver_of("dgt", BIG, home_of(BIG))
    assert wire.driver.learned is None
    wire.driver.recall("10247", learned)
    wire.start().run(2000)
    assert agrees(wire, BIG)
    assert wire.driver.learned == learned


def test_what_is_recalled_of_another_board_is_not_used():
    wire = online(BIG)
    wire.driver = driver_of("dgt", BIG, home_of(BIG))
    wire.board.take(BIG.cells[7], wire.now_ms)
    wire.driver.recall("555", Calibration(lay=180, pieces=(("1", "black_man"), ("4", "white_man"))))
    wire.start().run(2000)
    assert agrees(wire, BIG)
    assert wire.driver.learned is None


@pytest.mark.parametrize(
    "pieces",
    [(), (("1", "white_man"),), (("1", "white_man"), ("x", "black_man")), (("13", "white_man"), ("0", "black_man"))],
)
def test_what_names_no_men_teaches_nothing(pieces):
    driver = driver_of("dgt", BIG)
    driver.recall("10247", Calibration(lay=180, pieces=pieces))
    assert driver._fields._readings == {}


def test_codes_of_no_preset_are_learned_too():
    men = learn(start_dump(BIG, white=2, black=8), BIG, home_of(BIG), UNTAUGHT)
    assert men is not None
    assert (men.possible(2), men.possible(8), men.possible(5), men.possible(0)) == (
        WHITE_MAN,
        BLACK_MAN,
        OCCUPIED,
        EMPTY,
    )


@pytest.mark.parametrize(("white", "black"), [(1, 1), (0x0D, 4), (1, 0x0F), (0, 4)])
def test_result_pieces_and_equal_codes_teach_nothing(white, black):
    assert learn(start_dump(BIG, white, black), BIG, home_of(BIG), UNTAUGHT) is None


@pytest.mark.parametrize("code", [0x0D, 0x0E, 0x0F, 0x03, 0x1D, 0x33])
def test_an_unknown_code_is_a_piece_of_unknown_kind(code):
    hand = Hand()
    hand.connect(start_dump())
    (view,) = hand.hears(bytes((0x8E, 0, 5, 45, code))).views
    assert view.possible(22) == OCCUPIED


def test_codes_are_masked():
    hand = Hand()
    hand.connect(start_dump())
    (view,) = hand.hears(bytes((0x8E, 0, 5, 45, 0x71))).views
    assert view.possible(22) == WHITE_MAN


def test_light_fields_are_stray():
    wire = online(SMALL)
    wire.board.put((0, 0), WHITE_MAN, wire.now_ms)
    wire.run(1000)
    assert wire.view.stray == ((0, 0),)
    assert wire.view.firm


def test_a_large_board_under_a_small_game_is_a_problem():
    wire = Wire(driver_of("dgt", SMALL), DgtBoard(10, 10)).start().run(5000)
    assert "100 fields, expected 64" in wire.driver.problem
    assert wire.views == []


def test_a_small_board_under_a_large_game_is_a_problem():
    wire = Wire(driver_of("dgt", BIG), DgtBoard(8, 8)).start().run(5000)
    assert "64 fields, expected 100" in wire.driver.problem
    assert wire.views == []
    assert len([1 for _, value in wire.online if not value]) == 0


def test_a_board_that_scans_its_dark_squares_alone_is_read_by_them():
    wire = wired(BIG, dark_only=True)
    set_up(wire, BIG, home_of(BIG))
    wire.start().run(4000)
    assert agrees(wire, BIG)
    assert "dark squares" in wire.driver.problem


@pytest.mark.parametrize("rotated", [False, True])
def test_the_clock_lever_ends_a_turn(rotated):
    wire = online(BIG, rotated=rotated)
    for button in ("clock_white", "clock_white", "clock_black", "clock_white"):
        wire.board.press(button, wire.now_ms)
        wire.run(500)
    # A new clock stands with its left side down: for White on a board that lies straight.
    first = [] if rotated else ["clock_white"]
    assert wire.pressed == [*first, "clock_black", "clock_white"]


@pytest.mark.parametrize("payload", ["00000000000000", "0a10000a000000", "00050000050020", "0a050000050002"])
def test_clock_messages_that_are_no_lever_press_nothing(payload):
    hand = Hand()
    hand.connect(start_dump())
    left_high, right_high = (bytes.fromhex("8d000a" + times) for times in ("00050000050010", "00050000050002"))
    hand.hears(left_high + left_high)
    for _ in range(3):
        assert hand.hears(bytes.fromhex("8d000a" + payload)).pressed == ()
    assert hand.hears(right_high + right_high).pressed == ("clock_white",)
    assert hand.hears(left_high + left_high).pressed == ("clock_black",)


def test_one_spoilt_clock_message_presses_nothing():
    hand = Hand()
    hand.connect(start_dump())
    left_high, right_high = (bytes.fromhex("8d000a" + times) for times in ("00050000050010", "00050000050002"))
    hand.hears(left_high + left_high)
    hand.sent.clear()
    hand.until(1500)
    assert hand.hears(right_high).pressed == ()
    hand.until(1600)
    assert 0x41 in [command for _, command in hand.sent]
    assert hand.hears(left_high + left_high).pressed == ()


def clock_bytes(text):
    return bytes.fromhex("8d000a" + text)


@pytest.mark.parametrize("rotated", [False, True])
def test_what_the_clock_shows_is_told_once_and_again_when_it_is_news(rotated):
    hand = Hand()
    fields = start_dump()
    hand.connect(bytes(reversed(fields)) if rotated else fields)
    told = []

    def shows(at_ms, text):
        hand.now_ms = at_ms
        told.extend([hand.hears(clock_bytes(text)).clock])

    # Left 0:04:59 and running, right 1:05:00, with a flag in the high nibble of the hours.
    for at_ms, seconds in ((2000, "59"), (3000, "58"), (4000, "57"), (5000, "56")):
        shows(at_ms, f"21050000 04{seconds} 11".replace(" ", ""))
    # The lever is pressed: the right one runs, one message spoilt on the way.
    for at_ms, right in ((6000, "210459"), (7000, "2104aa"), (8000, "210457"), (9000, "210456")):
        shows(at_ms, f"{right}0004550b")
    hours = {False: (Side.WHITE, Side.BLACK), True: (Side.BLACK, Side.WHITE)}[rotated]
    first, second = (times for times in told if times is not None)
    assert first.running is hours[0]
    assert second.running is hours[1]
    left, right = (first.white_ms, first.black_ms)[:: -1 if rotated else 1]
    assert (left, right) == (298_000, 3_900_000)
    assert [times is not None for times in told] == [False, True, False, False, False, False, True, False]


def test_a_clock_that_is_not_there_shows_nothing():
    hand = Hand()
    hand.connect(start_dump())
    for text in ("00000000000000", "00050000050020", "0a10000a000000", "000a6500056511"):
        assert [hand.hears(clock_bytes(text)).clock for _ in range(3)] == [None] * 3


def test_a_silent_board_is_polled_each_second_and_offline_after_three():
    hand = Hand()
    hand.connect(start_dump())
    hand.until(1250).hears(SERIAL)
    hand.sent.clear()
    hand.until(4249)
    assert len([1 for _, command in hand.sent if command == 0x45]) >= 2
    assert all(output.online is not False for output in hand.outputs)
    hand.until(4250)
    assert hand.outputs[-1].online is False
    hand.sent.clear()
    hand.until(6250)
    assert hand.sent[0][1] == 0x40
    hand.hears(VERSION)
    assert hand.hears(dump(start_dump())).online is True


def test_a_board_that_lost_its_power_is_heard_again():
    wire = online(BIG)
    wire.board.power_cycle(wire.now_ms)
    wire.board.take(BIG.cells[30], wire.now_ms)
    wire.run(6000)
    assert agrees(wire, BIG)
    wire.board.put(BIG.cells[25], WHITE_MAN, wire.now_ms)
    wire.run(1000)
    assert agrees(wire, BIG)


def test_a_weak_piece_neither_flickers_for_long_nor_hides_other_moves():
    wire = online(BIG)
    wire.board._noise.faults = replace(FAULTS["none"], weak_piece=1.0)
    wire.board.put(BIG.cells[24], WHITE_MAN, wire.now_ms)
    wire.board._noise.faults = FAULTS["none"]
    wire.run(3000)
    steady = len(wire.views)
    wire.run(5000)
    assert len(wire.views) == steady
    assert agrees(wire, BIG)
    wire.board.take(BIG.cells[0], wire.now_ms)
    wire.run(1000)
    assert agrees(wire, BIG)
    wire.board.take(BIG.cells[24], wire.now_ms)
    wire.run(2000)
    assert agrees(wire, BIG)


def test_there_is_nothing_to_show():
    assert online().driver.show(((1, Role.LIFT),), 9000).send == b""


STEADY = {"marginal_piece": 0.0, "flips_per_minute": 0.0}
"""Sensors that tell what stands there: a line alone is tried."""


@pytest.mark.parametrize("preset", ["normal", "bad"])
def test_no_firm_view_is_wrong_under_faults_and_all_heals(preset):
    """Firm views show a board as it stood within the last seconds, wrong codes and weak pieces aside."""
    faults = replace(FAULTS[preset], wrong_code=0.0, weak_piece=0.0, **STEADY)
    wrong = 0
    for seed in range(6):
        wire = wired(BIG, faults=faults, seed=seed)
        set_up(wire, BIG, home_of(BIG))
        wire.start().run(5000)
        random, stood = Random(seed), [[*home_of(BIG)]]
        for _ in range(60):
            here = stood[-1]
            source = random.choice([square for square in range(50) if here[square] is not EMPTY])
            target = random.choice([square for square in range(50) if here[square] is EMPTY])
            for square, piece in ((source, EMPTY), (target, here[source])):
                stood.append([*stood[-1]])
                stood[-1][square] = piece
                wire.board.put(BIG.cells[square], piece, wire.now_ms)
                seen = len(wire.views)
                wire.run(random.randint(100, 1500))
                # A dump may hold a board between two hands; older ones come late through a stall of 3 s.
                wrong += sum(
                    view.firm and [view.possible(square) for square in range(50)] not in stood[-40:]
                    for _, view in wire.views[seen:]
                )
        wire.board._noise.faults = FAULTS["none"]
        wire.board._noise._clean = True
        wire.run(12_000)
        assert agrees(wire, BIG)
    assert wrong == 0


@pytest.mark.parametrize("seed", range(6))
def test_weak_pieces_on_a_bad_line_starve_nothing(seed):
    wire = wired(BIG, faults=replace(FAULTS["bad"], weak_piece=0.1, **STEADY), seed=seed)
    set_up(wire, BIG, home_of(BIG))
    wire.start().run(5000)
    random = Random(seed)
    for _ in range(60):
        square = random.randrange(50)
        wire.board.put(BIG.cells[square], random.choice((EMPTY, WHITE_MAN, BLACK_MAN)), wire.now_ms)
        wire.run(random.randint(100, 1500))
    wire.board._noise.faults = FAULTS["none"]
    wire.board._noise._clean = True
    wire.run(10_000)
    assert agrees(wire, BIG)


def test_a_lost_dump_is_asked_for_again_though_other_bytes_keep_coming():
    hand = Hand()
    hand.connect(start_dump())
    hand.idle(5000).hears(bytes.fromhex("8e00054100"))
    hand.until(5250)
    hand.sent.clear()
    for turn in range(30):
        hand.until(5300 + 100 * turn).hears(SERIAL)
    assert 0x42 in [command for _, command in hand.sent]
