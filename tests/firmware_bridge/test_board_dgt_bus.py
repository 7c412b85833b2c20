"""The driver of DGT-compatible boards that share a line: turns, discovery, checksums, one board off and on again."""

from __future__ import annotations

from random import Random

import pytest
from bus_wire import BIG, SMALL, BusLine
from wiring import Wire, agrees, driver_of, home_of, set_up

from engine.position import BLACK_MAN, EMPTY, WHITE_MAN
from firmware_bridge.dgt_bus_frames import Ask, BusParser, Tell, request
from firmware_bridge.driver import Calibration
from firmware_bridge.simulator import PRESETS, DgtBus

HARMLESS = {0x81, 0x82, 0x83, 0x84, 0x87, 0x8A, 0x8B, 0x8C}
"""Questions; 0x85 is kept in the EEPROM, 0x88 and 0x89 take the board off the line."""


def checked(text):
    message = bytes.fromhex(text)
    return message + bytes((sum(message) % 128,))


class Hand:
    """Drives a driver by hand: answers nothing by itself, notes what is asked and when."""

    def __init__(self, board=BIG, called="02054"):
        self.driver = driver_of("dgt_bus", board, home_of(board))
        self.driver.call(called)
        self.asked, self.views, self.now_ms = [], [], 0
        self.driver.start(0)

    def until(self, at_ms):
        while (due := self.driver.deadline_ms()) <= at_ms:
            self.now_ms = max(due, self.now_ms)
            self._note(self.driver.tick(self.now_ms))
        self.now_ms = at_ms
        return self

    def hears(self, data):
        return self._note(self.driver.receive(data, self.now_ms))

    def _note(self, output):
        if output.send:
            assert len(output.send) == 4
            self.asked.append((self.now_ms, output.send))
        self.views += output.views
        return output

    def connect(self):
        """Up to the second dump, and a clock that is not there; changes are asked next."""
        self.until(510).hears(checked("8700061006"))
        self.hears(checked("89000810060102"))
        self.hears(checked("8500061006"))
        self.hears(dump())
        self.hears(dump())
        self.hears(NO_CLOCK)
        self.until(620)
        return self


NO_CLOCK = checked("84000d1006" + "00" * 6 + "20")


def dump(changes=()):
    fields = bytearray(100)
    codes = {WHITE_MAN: 1, BLACK_MAN: 4, EMPTY: 0}
    for (column, row), piece in zip(BIG.cells, home_of(BIG), strict=True):
        fields[row * 10 + column] = codes[piece]
    for field, code in changes:
        fields[field] = code
    return checked("83006a1006" + fields.hex())


def line_of(*boards, **options):
    line = BusLine(list(boards), **options).start().run(1500 * len(boards))
    assert all(end.is_online and agrees(end, end.geometry) for end in line.ends)
    return line


def test_worked_bytes_of_a_question_and_an_answer():
    assert request(Ask.CLOCK, 0x10 << 7 | 0x06) == bytes.fromhex("81100617")
    (answer,) = BusParser().receive(bytes.fromhex("89000810060102") + b"\x2a", 0)
    assert (answer.tell, answer.address, answer.data) == (Tell.VERSION, 2054, b"\x01\x02")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("8900081006010200", "bad checksum"),
        ("8900071006010229", "bad length"),
        ("8800061006", "unknown answer"),
        ("89000810068700061006", "cut short"),
        ("0102", "byte between answers"),
    ],
)
def test_what_is_no_answer_is_counted_and_the_next_one_is_read(text, reason):
    parser = BusParser()
    parser.receive(bytes.fromhex(text), 0)
    (answer,) = parser.receive(checked("8700061006"), 10)
    assert answer.tell is Tell.PING
    assert parser.drops[reason] > 0


def test_a_spoilt_byte_never_passes_the_checksum():
    good = dump()
    for at in range(len(good)):
        for bit in range(8):
            spoilt = bytearray(good)
            spoilt[at] ^= 1 << bit
            assert BusParser().receive(bytes(spoilt), 0) == ()


def test_half_an_answer_is_given_up():
    parser = BusParser()
    assert parser.receive(dump()[:50], 0) == ()
    assert parser.deadline_ms() == 300
    parser.expire(300)
    assert parser.drops["half an answer"] == 1
    assert len(parser.receive(dump(), 301)) == 1


def test_the_handshake_asks_one_thing_at_a_time():
    hand = Hand().connect()
    assert [message[0] for _, message in hand.asked] == [0x87, 0x8B, 0x83, 0x82, 0x82, 0x81, 0x83]
    assert all(message == request(Ask(message[0]), 2054) for _, message in hand.asked)
    assert [view.firm for view in hand.views] == [False, True]
    assert (hand.driver.device.unique_id, hand.driver.device.firmware) == ("02054", "1.02")


def test_worked_bytes_of_a_move():
    hand = Hand().connect()
    hand.views.clear()
    hand.hears(checked("85000a100640415138"))
    lifted, placed = hand.views
    assert (lifted.firm, lifted.possible(32), placed.possible(28)) == (False, EMPTY, WHITE_MAN)


def test_changes_that_were_spoilt_are_asked_for_again_and_none_is_lost():
    hand = Hand().connect()
    changes = checked("85000a100640415138")
    spoilt = bytearray(changes)
    spoilt[6] ^= 1
    hand.asked.clear()
    hand.hears(bytes(spoilt))
    hand.until(hand.now_ms + 300)
    assert hand.asked[0][1] == request(Ask.REPEAT, 2054)
    hand.views.clear()
    hand.hears(changes)
    assert [view.possible(28) for view in hand.views][-1] == WHITE_MAN
    hand.until(hand.now_ms + 150)
    assert hand.asked[1][1][0] == 0x83


def test_a_dump_that_contradicts_the_changes_is_believed_only_when_it_comes_twice():
    hand = Hand().connect()
    hand.hears(checked("85000a100640415138"))
    answered = len(hand.asked)
    while hand.asked[-1][1][0] != 0x82:
        hand.until(hand.now_ms + 20)
        if len(hand.asked) > answered and hand.asked[-1][1][0] == 0x83:
            hand.hears(checked("8500061006"))
            answered = len(hand.asked)
    hand.views.clear()
    moved = [(65, 0), (56, 1)]
    hand.hears(dump([*moved, (1, 0)]))
    assert not any(view.firm for view in hand.views)
    assert hand.asked[-1][1][0] == 0x82
    hand.hears(dump(moved))
    assert not any(view.firm for view in hand.views)
    hand.hears(dump(moved))
    assert [view.possible(0) for view in hand.views if view.firm] == [BLACK_MAN]


def test_what_a_board_had_stored_before_it_was_met_is_not_shown():
    line = BusLine([SMALL])
    end = line.ends[0]
    home = dict(zip(SMALL.cells, home_of(SMALL), strict=True))
    for cell in SMALL.cells[:8]:
        end.board.take(cell, line.now_ms)
        line.run(500)
        end.board.put(cell, home[cell], line.now_ms)
        line.run(500)
    line.start().run(3000)
    assert agrees(end, SMALL)
    assert {view.possible(0) for _, view in end.views} == {BLACK_MAN}


def test_four_boards_at_one_line_are_all_played_on():
    line, random = line_of(BIG, SMALL, BIG, SMALL), Random(4)
    for _ in range(10):
        for end in line.ends:
            square = random.randrange(len(end.geometry))
            end.board.put(end.geometry.cells[square], random.choice((EMPTY, WHITE_MAN, BLACK_MAN)), line.now_ms)
        line.run(1800)
        assert all(agrees(end, end.geometry) for end in line.ends)
    assert all([value for _, value in end.online] == [True] for end in line.ends)
    assert line.bus.cable.collisions == 0


def test_a_hand_is_seen_within_three_quarters_of_a_second_at_eight_boards():
    line, random, waits = line_of(*[BIG] * 8), Random(2), []
    for _ in range(20):
        end = random.choice(line.ends)
        cell = random.choice(BIG.cells)
        end.board.put(cell, EMPTY if end.board.contents(cell) is not EMPTY else WHITE_MAN, line.now_ms)
        before, began_ms = len(end.views), line.now_ms
        while len(end.views) == before:
            line.run(5)
            assert line.now_ms < began_ms + 750
        waits.append(line.now_ms - began_ms)
        line.run(random.randint(200, 700))
    assert sorted(waits)[10] < 400, waits


def test_one_board_without_power_disturbs_no_other():
    line, random = line_of(BIG, SMALL, BIG), Random(6)
    others = (line.ends[0], line.ends[2])
    for turn in range(12):
        if turn % 6 == 1:
            line.bus.cut(1)
        if turn % 6 == 4:
            line.bus.restore(1, line.now_ms)
        for end in others:
            cell = random.choice(BIG.cells)
            end.board.put(cell, EMPTY if end.board.contents(cell) is not EMPTY else BLACK_MAN, line.now_ms)
        line.run(1700)
        assert all(agrees(end, BIG) for end in others)
    assert all([value for _, value in end.online] == [True] for end in others)
    line.run(6000)
    assert [value for _, value in line.ends[1].online] == [True, False] * 2 + [True]
    assert agrees(line.ends[1], SMALL)


def test_what_was_moved_on_a_board_without_power_is_seen_when_it_is_back():
    line = line_of(BIG, SMALL)
    line.bus.cut(1)
    line.run(5000)
    assert not line.ends[1].is_online
    line.ends[1].board.take(SMALL.cells[3], line.now_ms)
    line.bus.restore(1, line.now_ms)
    line.run(6000)
    assert agrees(line.ends[1], SMALL)


def test_a_short_loss_of_power_is_noticed_and_the_board_read_anew():
    line = line_of(BIG, SMALL)
    line.bus.cut(0)
    line.ends[0].board.take(BIG.cells[3], line.now_ms)
    line.run(700)
    line.bus.restore(0, line.now_ms)
    line.run(3000)
    assert agrees(line.ends[0], BIG)


@pytest.mark.parametrize("fault", ["flipped", "lost", "doubled"])
def test_a_line_with_spoilt_bytes_shows_no_board_anything_that_never_stood_there(fault):
    line, chance = line_of(SMALL, SMALL, SMALL), Random(8)

    def spoilt(data):
        out = bytearray()
        for byte in data:
            hit = chance.random() < 0.01
            flip = 1 << chance.randrange(8) if hit and fault == "flipped" else 0
            out += bytes((byte ^ flip,)) * (0 if hit and fault == "lost" else 2 if hit and fault == "doubled" else 1)
        return (bytes(out),)

    line.to_host = line.to_board = spoilt
    wrong, stood = [], [[[*home_of(SMALL)]] for _ in line.ends]
    for _ in range(10):
        for end, history in zip(line.ends, stood, strict=True):
            here = history[-1]
            source = chance.choice([square for square, piece in enumerate(here) if piece is not EMPTY])
            target = chance.choice([square for square, piece in enumerate(here) if piece is EMPTY])
            for square, piece in ((source, EMPTY), (target, here[source])):
                history.append([*history[-1]])
                history[-1][square] = piece
                end.board.put(SMALL.cells[square], piece, line.now_ms)
                seen = len(end.views)
                line.run(chance.randint(100, 700))
                wrong += [view for _, view in end.views[seen:] if view.firm and not was(view, history[-40:])]
    assert wrong == []
    line.to_host = line.to_board = lambda data: (data,)
    line.run(12_000)
    assert all(end.is_online and agrees(end, SMALL) for end in line.ends)


def was(view, boards):
    return any(all(view.possible(square) & piece for square, piece in enumerate(board)) for board in boards)


def test_the_only_board_on_a_line_is_found_without_its_number():
    wire = Wire(driver_of("dgt_bus", BIG, home_of(BIG)), DgtBus([(10, 10)], serials=[4321]))
    set_up(wire, BIG, home_of(BIG))
    wire.start().run(6000)
    assert wire.driver.device.unique_id == "04321"
    assert agrees(wire, BIG)


@pytest.mark.parametrize("seed", range(8))
def test_boards_that_answer_at_once_are_all_found(seed):
    serials = list(range(700, 724))
    bus = DgtBus([(8, 8)] * len(serials), serials=serials, seed=seed)
    wire = Wire(driver_of("dgt_bus", SMALL, home_of(SMALL)), bus).start().run(12_000)
    assert wire.driver.problem == (
        f"Several boards answer on this line: {', '.join(f'{number:05d}' for number in serials)}; "
        "say which one by its unique_id."
    )
    assert not wire.online


def test_a_line_with_nobody_on_it_is_asked_again():
    bus = DgtBus([(8, 8)])
    bus.cut(0)
    wire = Wire(driver_of("dgt_bus", SMALL, home_of(SMALL)), bus).start().run(9000)
    bus.restore(0, wire.now_ms)
    wire.run(6000)
    assert wire.is_online


def test_a_board_that_somebody_spoke_to_alone_comes_back_to_the_line():
    line = BusLine([SMALL, BIG])
    line.bus.receive(b"\x40", 0)
    line.run(100)
    line.start().run(6000)
    assert all(end.is_online and agrees(end, end.geometry) for end in line.ends)


@pytest.mark.parametrize("options", [{}, {"faults": PRESETS["bad"]}], ids=["clean", "bad"])
def test_nothing_is_sent_that_a_board_keeps(options):
    line = BusLine([SMALL, BIG], seed=5, **options).start()
    for turn in range(20):
        line.ends[turn % 2].board.take(SMALL.cells[turn], line.now_ms)
        line.run(1500)
    line.bus.cut(0)
    line.run(8000)
    line.bus.restore(0, line.now_ms)
    line.run(8000)
    assert {data[0] for _, data in line.sent} <= HARMLESS
    assert all(len(data) == 4 for _, data in line.sent)
    assert {0x81, 0x82, 0x83, 0x87, 0x8B} <= {data[0] for _, data in line.sent}


@pytest.mark.parametrize("unique_id", ["", "0", "16384", "abc", "12x", "-5", "²"])
def test_what_is_no_number_of_a_board_is_refused(unique_id):
    with pytest.raises(ValueError, match="expected the number of a board on the line, 1 to 16383"):
        driver_of("dgt_bus", SMALL).call(unique_id)


def test_the_clock_lever_ends_a_turn_at_its_own_board():
    line = line_of(SMALL, SMALL)
    for button in ("clock_black", "clock_white", "clock_black"):
        line.ends[1].board.press(button, line.now_ms)
        line.run(1500)
    assert line.ends[1].pressed == ["clock_white", "clock_black"] or line.ends[1].pressed == ["clock_black"]
    assert line.ends[0].pressed == []


def test_a_board_of_another_size_is_a_problem_of_that_board_alone():
    line = BusLine([SMALL, BIG])
    line.ends[0].driver = driver_of("dgt_bus", BIG, home_of(BIG))
    line.ends[1].driver = driver_of("dgt_bus", BIG, home_of(BIG))
    line.start().run(5000)
    assert "64 fields, expected 100" in line.ends[0].driver.problem
    assert line.ends[1].driver.problem is None
    assert agrees(line.ends[1], BIG)


def test_what_was_learned_is_kept_by_the_number_of_the_board():
    line = BusLine([BIG, BIG], codes="draughts-old", rotated=True).start().run(4000)
    learned = line.ends[0].driver.learned
    assert learned.lay == 180
    again = BusLine([BIG, BIG], codes="draughts-old", rotated=True)
    for end in again.ends:
        end.board.take(BIG.cells[7], 0)
        end.driver.recall("10247", learned)
        end.driver.recall("10248", Calibration(lay=0, pieces=learned.pieces))
    again.start().run(4000)
    assert [end.driver.learned.lay for end in again.ends] == [180, 0]


def test_a_board_that_scans_its_dark_squares_alone_is_read_by_them():
    line = BusLine([BIG])
    line.bus.boards[0]._dark_only = True
    line.start().run(5000)
    assert agrees(line.ends[0], BIG)
    assert "dark squares" in line.ends[0].driver.problem


def test_an_old_board_tells_no_version():
    hand = Hand().until(510)
    hand.hears(checked("8700061006"))
    hand.hears(checked("8900061006"))
    assert hand.driver.device.firmware == "1.02 or older"
