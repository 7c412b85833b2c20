"""The driver of Certabo and Tabutronic boards: chips learned, recalled, turned; lines spoilt; lamps."""

from __future__ import annotations

import pytest
from wiring import SMALL, Wire, agrees, driver_of, home_of, set_up

from engine.position import BLACK_MAN, EMPTY
from engine.view import BLACK, OCCUPIED
from firmware_bridge.certabo_frames import Chips, Occupied, Parser, chip_of, coloured_lamps, plain_lamps
from firmware_bridge.driver import Calibration
from firmware_bridge.simulator import CertaboBoard


def online(contents=None, known=None, **options):
    wire = Wire(driver_of("certabo", SMALL, home_of(SMALL)), CertaboBoard(**options))
    set_up(wire, SMALL, contents or home_of(SMALL))
    if known is not None:
        wire.driver.recall("", known)
    return wire.start().run(3000)


def test_chips_are_unknown_before_a_start_position_and_known_ever_after():
    contents = list(home_of(SMALL))
    contents[8], contents[12] = EMPTY, BLACK_MAN
    wire = online(contents)
    assert wire.view.possible(12) == OCCUPIED
    assert not wire.driver.device.colour
    assert wire.driver.learned is None
    wire.board.take(SMALL.cells[12], wire.now_ms)
    wire.board.put(SMALL.cells[8], BLACK_MAN, wire.now_ms)
    wire.run(3000)
    assert wire.driver.device.colour
    assert agrees(wire, SMALL)
    set_up(wire, SMALL, contents)
    wire.run(3000)
    assert wire.view.possible(12) == BLACK


def test_what_was_learned_is_told_and_recalled_and_tells_which_way_a_board_lies():
    learned = online().driver.learned
    assert learned.lay == 0
    assert sorted(name for _, name in learned.pieces) == ["black"] * 12 + ["white"] * 12
    contents = list(home_of(SMALL))
    contents[8], contents[12] = EMPTY, BLACK_MAN
    assert agrees(online(contents, learned), SMALL)
    turned = online(None, learned, quarters=2)
    assert agrees(turned, SMALL)
    assert turned.driver.learned.lay == 180


def test_what_is_no_chip_is_not_recalled():
    driver = driver_of("certabo", SMALL, home_of(SMALL))
    driver.recall("", Calibration(lay=90, pieces=(("1 2 3", "white"), ("1 2 3 4 999", "white"), ("1 2 3 4 5", "red"))))
    assert driver.learned is None


def test_nothing_is_written_before_a_whole_board_was_told():
    driver = driver_of("certabo", SMALL, home_of(SMALL))
    driver.start(0)
    sent = driver.show(((0, "lift"),), 10).send
    for at_ms in range(0, 5000, 100):
        sent += driver.receive(b"boot: tension 12.5 N\r\n:1 2 3\r\n", at_ms).send + driver.tick(at_ms).send
    assert sent == b""
    assert driver.counters.dropped > 0


@pytest.mark.parametrize(
    ("line", "drops"),
    [
        (b":0 0 0 0 0 0 1\r\n", 1),
        (b":0 0 0 0 0 0 0 256\r\n", 1),
        (b":0 0 0 0 0 0 x 1\r\n", 1),
        (b"0 0 0 0 0 0 0 1\r\n", 1),
        (b":0 0 0:0 0 0 0 0 0 0 1\r\n", 1),
        (b":0 0 0 0 0 0 0 1\r\n", 0),
        (b"D\r\n:0 0 0 0 0 0 0 1\r\n", 0),
        (b":D 0 0 0 0 0 0 0 1\r\n", 0),
        (b":0 0 0 0\n 0 0 0 1\r\n", 0),
    ],
)
def test_lines(line, drops):
    parser = Parser()
    frames = [frame for byte in line for frame in parser.receive(bytes((byte,)), 0)]
    assert parser.drops.total() == drops
    whole = Occupied((*[False] * 63, True))
    assert frames == ([] if drops and b":0 0 0:" not in line else [whole])
    assert parser.coloured_lamps is (True if b"D" in line else None)


def test_a_line_that_has_begun_is_given_up_in_silence():
    parser = Parser()
    parser.receive(b":0 0 0", 100)
    assert parser.deadline_ms() == 1100
    parser.expire(1100)
    assert dict(parser.drops) == {"half a line": 1}


def test_a_number_with_three_zeroes_is_no_chip():
    numbers = [0] * 320
    numbers[:5], numbers[5:10] = [3, 0, 84, 44, 1], [0, 0, 84, 0, 1]
    (frame,) = Parser().receive(f":{' '.join(map(str, numbers))}\r\n".encode(), 0)
    assert frame == Chips(((3, 0, 84, 44, 1), *[()] * 63))
    assert chip_of("3 0 84 44 1") == (3, 0, 84, 44, 1)


def test_plain_lamps_are_bits_from_the_a_file_in_rows_from_the_eighth():
    # The commands for e2 and e4 that gkalab/cer2nut tests with: fifth and seventh byte, bit 4.
    e2, e4 = 6 * 8 + 4, 4 * 8 + 4
    assert plain_lamps(frozenset((e2, e4))) == bytes((0, 0, 0, 0, 0x10, 0, 0x10, 0))


def test_coloured_lamps_are_at_the_corners_counted_from_h1():
    # The bytes that are not 0 for e2 and e4 in the frame that gkalab/cer2nut tests with.
    frame = coloured_lamps({6 * 8 + 4: 1, 4 * 8 + 4: 1})
    assert len(frame) == 247
    assert (frame[:2], frame[-2:]) == (b"\xff\x55", b"\r\n")
    lit = {at: byte for at, byte in enumerate(frame[:-2]) if byte and at >= 2}
    assert lit == dict.fromkeys((40, 43, 67, 70, 94, 97, 121, 124), 0x40)
