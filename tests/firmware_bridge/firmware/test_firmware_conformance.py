"""Every firmware does what PROTOCOL.md says: chapter 3's messages, chapter 4's rows, chapter 2's drops.

Boards run in real time or slower; where a row names a time, the board's own clock (STATE) judges.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median

import pytest
from firmware_wire import (
    ACK,
    BRIGHTNESS,
    BUZZER,
    HELLO,
    HELLO_REQUEST,
    KEYS,
    LAMPS,
    PING,
    PONG,
    STATE,
    changes,
    framed,
    gaps,
)

SIZES = [(8, 8), (10, 10), (10, 8)]
BUTTONS = ("confirm", "take_back", "new_game", "clock_white", "clock_black")
FURTHER = ("draw", "resign")
ROLES = ("lift", "place", "path", "remove", "wrong", "hint")
BUZZ = bytes((0x70, 3, 30, 0))
"""880 Hz for 30 ms."""


def lamps_of(lit):
    return bytes(byte for (column, row), role in lit.items() for byte in (row * 8 + column, ROLES.index(role) + 1))


def pongs(board, count):
    """The sequences of so many PONGs."""
    return [board.wire.until(lambda packet: packet.kind == PONG, "PONG").payload[0] for _ in range(count)]


def silent(board, kind, states=6):
    """Whether no packet of this kind comes before so many STATEs."""
    seen = 0
    for packet in board.wire.stream():
        if packet.kind == kind:
            return False
        seen += packet.kind == STATE
        if seen >= states:
            return True
    raise AssertionError("no STATEs came")


# Chapter 3: who the board is.


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_hello_says_what_the_board_is(start, columns, rows):
    board = start(columns, rows)
    hello = board.wire.greeted().payload
    assert len(hello) >= 17
    assert hello[0] == 1
    assert int.from_bytes(hello[1:3], "little") & 0b111110 == 0b111110
    assert int.from_bytes(hello[1:3], "little") & 1 == 0
    assert tuple(hello[3:6]) == (columns, rows, 0)
    assert len(set(hello[6:14])) > 1
    state = board.wire.state()
    assert len(state.payload) == 11 + (columns * rows + 3) // 4


def test_a_request_is_answered_by_hello_and_then_state(board):
    board.wire.state()
    board.wire.greeted()
    assert board.wire.until(lambda packet: packet.kind != KEYS).kind == STATE


def test_a_board_that_starts_says_hello_once_without_being_asked(board):
    ran_ms = board.wire.states_for(400)[-1].time_ms
    mark = len(board.wire.packets)
    board.do("reset")
    board.wire.until(lambda packet: packet.kind == STATE and packet.time_ms < ran_ms, "a start")
    board.wire.states_for(300)
    kinds = [packet.kind for packet in board.wire.packets[mark:] if packet.kind == HELLO or started(packet, ran_ms)]
    assert kinds[0] == HELLO
    assert kinds.count(HELLO) == 1


def started(packet, ran_ms):
    """Whether this is a STATE from after the start."""
    return packet.kind == STATE and packet.time_ms < ran_ms


def test_the_unique_id_outlives_reset_and_power(board):
    known = board.wire.greeted().payload[6:14]
    for line in ("reset", "power"):
        board.do(line)
        board.wire.until(lambda packet: packet.kind == HELLO, "HELLO after a start")
        assert board.wire.greeted().payload[6:14] == known


# Chapters 3 and 4: what stands on the board.


def test_states_come_every_20_ms_with_keys_behind_each(board):
    states = board.wire.states_for(2000)
    if board.keeps_time:
        assert max(gaps(states)) <= 22
    assert 19 <= median(gaps(states)) <= 30
    kinds = [packet.kind for packet in board.wire.packets if packet.kind in (STATE, KEYS)]
    first = kinds.index(STATE)
    assert set(zip(kinds[first::2], kinds[first + 1 :: 2], strict=False)) == {(STATE, KEYS)}


def test_every_packet_counts_modulo_256(board):
    while len(board.wire.packets) < 300:
        board.wire.read(1)
    numbers = [packet.sequence for packet in board.wire.packets]
    assert all((before + 1) % 256 == after for before, after in pairwise(numbers))


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_every_cell_has_its_place(start, columns, rows):
    """Each bit of the cells' numbers in turn: together they tell every cell from every other."""
    board = start(columns, rows)
    cells = range(columns * rows)
    standing = set()
    for bit in range((columns * rows - 1).bit_length()):
        wanted = {cell for cell in cells if cell >> bit & 1}
        board.do(
            *(f"take {cell % columns} {cell // columns}" for cell in standing - wanted),
            *(f"put {cell % columns} {cell // columns} white_man" for cell in wanted - standing),
        )
        standing = wanted
        told = [int(cell in wanted) for cell in cells]
        board.wire.until(
            lambda packet, told=told: packet.kind == STATE and packet.cells(len(told)) == told, f"bit {bit}"
        )


def test_a_board_with_colours_tells_them(start):
    board = start(colour=True)
    assert board.wire.greeted().payload[1] & 1 == 1
    board.do("put 0 0 black_man", "put 1 0 white_man", "put 7 7 white_king", "put 6 7 black_king")
    told = [0] * 64
    told[0], told[1], told[63], told[62] = 3, 2, 2, 3
    board.wire.until(lambda packet: packet.kind == STATE and packet.cells(64) == told, "four pieces")
    board.do("take 0 0", "put 0 0 white_man")
    told[0] = 2
    board.wire.until(lambda packet: packet.kind == STATE and packet.cells(64) == told, "another piece")


def test_a_bouncing_contact_is_told_once(board):
    seen = [board.wire.state()]
    for line in ("put 3 4 white_man", "take 3 4") * 8:
        board.do(line)
        seen += board.wire.states_for(150)
    assert changes(seen, 4 * 8 + 3) == [0, 1] * 8 + [0]


def test_a_contact_that_is_not_steady_for_30_ms_is_not_told(board):
    """Its bounces, 20 to 60 ms of them, are told by a board that believes less.

    On a busy machine a board that lives by the wall clock may hear of the second line 30 ms after the first.
    """
    seen, told = [board.wire.state()], 0
    for _ in range(8):
        board.do("put 3 4 white_man", "take 3 4")
        seen = [seen[-1], *board.wire.states_for(120)]
        told += 1 in changes(seen, 4 * 8 + 3)
    assert told <= (0 if board.keeps_time else 2)
    board.do("put 3 4 white_man")
    board.wire.until(lambda packet: packet.kind == STATE and packet.cells(64)[35] == 1, "a piece that stays")


def test_a_change_is_told_at_once(board):
    """Were it told with the next regular STATE, each would come 20 ms after the one before."""
    sooner = 0
    for line in ("put 0 7 white_man", "take 0 7") * 6:
        before = board.wire.state()
        was = before.cells(64)
        board.do(line)
        for packet in board.wire.stream():
            if packet.kind != STATE:
                continue
            if packet.cells(64) != was:
                sooner += packet.time_ms - before.time_ms <= 15
                break
            before = packet
    assert sooner >= 3


def test_a_broken_sensor_reads_empty(board):
    board.do("put 1 1 white_man", "put 2 1 white_man")
    board.wire.until(lambda packet: packet.kind == STATE and packet.cells(64)[9:11] == [1, 1], "two pieces")
    board.do("break 1 1")
    board.wire.until(lambda packet: packet.kind == STATE and packet.cells(64)[9:11] == [0, 1], "one piece")


# Buttons.


def test_presses_are_counted(board):
    first = board.wire.state().presses
    assert first == [0] * 5
    for number, button in enumerate((*BUTTONS, "confirm")):
        board.do(f"press {button}")
        total = number + 1
        board.wire.until(lambda packet, total=total: packet.kind == STATE and sum(packet.presses) == total, button)
    assert [packet for packet in board.wire.packets if packet.kind == STATE][-1].presses == [2, 1, 1, 1, 1]
    for number, button in enumerate(FURTHER):
        board.do(f"press {button}")
        wanted = [int(place <= number) for place in range(2)]
        keys = board.wire.until(lambda p, wanted=wanted: p.kind == KEYS and list(p.payload[1:]) == wanted, button)
        assert keys.payload[0] == board.wire.state().restarts


def test_a_button_that_is_held_says_so(board):
    board.wire.state()
    for number, button in enumerate(BUTTONS):
        board.do(f"hold {button}")
        down = board.wire.until(lambda packet, bit=1 << number: packet.kind == STATE and packet.held == bit, button)
        assert down.presses[number] == 1
        assert {state.held for state in board.wire.states_for(200)} == {1 << number}
        board.do(f"release {button}")
        up = board.wire.until(lambda packet: packet.kind == STATE and packet.held == 0, f"{button} up")
        assert up.presses[number] == 1


# Commands.


def test_lamps_are_the_whole_picture(board):
    assert board.wire.ponged() == 0
    everything = {(column, row): ROLES[(column + row) % 6] for column in range(8) for row in range(8)}
    for lit in ({(0, 0): "lift", (7, 7): "place"}, {(7, 0): "wrong"}, everything, {}, {(3, 3): "hint"}):
        assert board.wire.acked(LAMPS, lamps_of(lit)) == 0
        board.until_lamps(lit)
    assert board.wire.ponged() == board.wire._sequence - 1


def test_a_hundred_lamps(start):
    """The longest packet there is: 204 bytes before stuffing."""
    board = start(10, 10)
    lit = {(cell % 10, cell // 10): ROLES[cell % 6] for cell in range(100)}
    assert board.wire.acked(LAMPS, bytes(byte for cell in range(100) for byte in (cell, cell % 6 + 1))) == 0
    board.until_lamps(lit)


def test_a_request_forgets_which_lamps_were_shown(board):
    assert board.wire.acked(LAMPS, lamps_of({(0, 0): "lift"})) == 0
    assert board.wire.ponged() != 0
    board.wire.greeted()
    assert board.wire.ponged() == 0


def test_the_buzzer_sounds(board):
    assert board.ask("buzzer") == "0"
    assert board.wire.acked(BUZZER, BUZZ) == 0
    board.wire.states_for(150)
    assert board.ask("buzzer") == "1"


def test_a_repeated_command_is_acknowledged_and_not_carried_out_again(board):
    packet = framed(BUZZER, board.wire.next_sequence(), BUZZ)
    for _ in range(3):
        board.wire.write(packet)
        board.wire.until(lambda packet: packet.kind == ACK and packet.payload == bytes((1, 0)), "ACK")
        board.wire.states_for(150)
    assert board.ask("buzzer") == "1"
    board.wire.greeted()
    board.wire.write(packet)
    board.wire.until(lambda packet: packet.kind == ACK and packet.payload == bytes((1, 0)), "ACK")
    board.wire.states_for(150)
    assert board.ask("buzzer") == "2"


def test_an_old_lamps_packet_that_comes_again_changes_nothing(board):
    packet = framed(LAMPS, board.wire.next_sequence(), lamps_of({(1, 1): "lift"}))
    board.wire.write(packet)
    board.until_lamps({(1, 1): "lift"})
    board.wire.write(packet)
    board.wire.until(lambda packet: packet.kind == ACK and packet.payload == bytes((1, 0)), "ACK")
    assert board.wire.ponged() == 1
    board.until_lamps({(1, 1): "lift"})


def test_brightness_dims_every_role_and_darkens_none(board):
    can = board.wire.greeted().payload[1] & 64
    every = {(place, 0): role for place, role in enumerate(ROLES)}
    assert board.wire.acked(LAMPS, lamps_of(every)) == 0
    if not can:
        assert board.wire.acked(BRIGHTNESS, b"\x32") == 1
        return
    levels = []
    for percent in (100, 40, 0):
        assert board.wire.acked(BRIGHTNESS, bytes((percent,))) == 0
        board.wire.states_for(60)
        board.until_lamps(every)
        levels.append(int(board.ask("brightness")))
    assert levels == sorted(levels, reverse=True)
    assert len(set(levels)) == 3


# Time.


def test_lamps_go_dark_5_s_after_the_last_packet(board):
    lit = {(4, 4): "place"}
    assert board.wire.acked(LAMPS, lamps_of(lit)) == 0
    for _ in range(3):
        board.wire.states_for(1500)
        board.wire.ponged()
    assert board.lamps() == lit
    began = board.wire.state().time_ms
    while board.wire.state().time_ms < began + 4500:
        pass
    assert board.lamps() == lit
    while board.wire.state().time_ms < began + 5500:
        pass
    assert board.lamps() == {}
    assert board.wire.ponged() == 0


@pytest.mark.parametrize("line", ["reset", "power"])
def test_a_start_counts_and_begins_anew(board, line):
    board.wire.state()
    board.do("press confirm", "press draw", "put 5 5 white_man")
    before = board.wire.until(lambda packet: packet.kind == STATE and packet.presses[0] == 1 and any(packet.cells(64)))
    assert board.wire.acked(LAMPS, lamps_of({(1, 1): "lift"})) == 0
    board.until_lamps({(1, 1): "lift"})
    board.do(line)
    after = board.wire.until(lambda packet: packet.kind == STATE and packet.time_ms < before.time_ms, "a start")
    assert after.restarts == (before.restarts + 1) % 256
    board.until_lamps({})
    assert board.wire.ponged() == 0
    mark = board.wire.packets.index(after)
    board.wire.states_for(200)
    states = [packet for packet in board.wire.packets[mark:] if packet.kind == STATE]
    assert {(state.restarts, *state.presses) for state in states} == {(after.restarts, *[0] * 5)}
    assert {packet.payload for packet in board.wire.packets[mark:] if packet.kind == KEYS} == {
        bytes((after.restarts, 0, 0))
    }
    # What stands on the board is told from the first: never an empty board that fills up.
    assert {state.cells(64)[45] for state in states} == {1}


def test_a_button_that_is_down_at_the_start_was_not_pressed(board):
    """A clock's lever always lies on one side."""
    board.wire.state()
    board.do("hold clock_black")
    before = board.wire.until(lambda packet: packet.kind == STATE and packet.held == 16, "the lever")
    board.do("reset")
    board.wire.until(lambda packet: packet.kind == STATE and packet.restarts != before.restarts, "a start")
    states = board.wire.states_for(200)
    assert {(state.held, *state.presses) for state in states} == {(16, 0, 0, 0, 0, 0)}


# Chapter 2: what is thrown away.

BROKEN_PAYLOADS = {
    "PING with something in it": (PING, b"\1"),
    "LAMPS of half a pair": (LAMPS, b"\7"),
    "LAMPS with role 0": (LAMPS, b"\7\0"),
    "LAMPS with role 7": (LAMPS, b"\7\7"),
    "LAMPS beside the board": (LAMPS, b"\x40\1"),
    "LAMPS with a cell twice": (LAMPS, b"\7\1\7\2"),
    "BUZZER of three bytes": (BUZZER, b"\1\2\3"),
    "BUZZER of five bytes": (BUZZER, b"\1\2\3\4\5"),
    "BRIGHTNESS of 101": (BRIGHTNESS, b"\x65"),
    "BRIGHTNESS of nothing": (BRIGHTNESS, b""),
    "HELLO_REQUEST of nothing": (HELLO_REQUEST, b""),
    "HELLO_REQUEST of two bytes": (HELLO_REQUEST, b"\1\1"),
    "a type nobody knows": (0xC5, b""),
    "a message for hosts": (ACK, b"\1\0"),
}


def test_payloads_that_do_not_fit_are_not_answered(board):
    board.wire.greeted()
    board.wire.states_for(40)
    mark = len(board.wire.packets)
    for kind, payload in BROKEN_PAYLOADS.values():
        board.wire.send(kind, payload)
    board.wire.ponged()
    assert {packet.kind for packet in board.wire.packets[mark:]} <= {STATE, KEYS, PONG}
    assert [packet.kind for packet in board.wire.packets[mark:]].count(PONG) == 1
    assert board.lamps() == {}


def test_flipped_lost_and_extra_bytes_are_not_answered(board):
    board.wire.greeted()
    good = framed(PING, 0x41)
    broken = [good[:at] + bytes((good[at] ^ 1 << bit,)) + good[at + 1 :] for at in range(len(good)) for bit in range(8)]
    broken += [good[:at] + good[at + 1 :] for at in range(len(good) - 1)]
    broken += [good[:at] + b"\x55" + good[at:] for at in range(len(good))]
    broken = [data for data in broken if good not in data + b"\0"]
    board.wire.write(b"".join(data + b"\0" for data in broken) + framed(PING, 0x42))
    assert pongs(board, 1) == [0x42]
    assert silent(board, PONG)


def test_split_bytes_are_put_together(board):
    for byte in framed(PING, 0x43) + framed(PING, 0x44):
        board.wire.write(bytes((byte,)))
        board.wire.state()
    assert [packet.payload[0] for packet in board.wire.packets if packet.kind == PONG] + pongs_left(board) == [
        0x43,
        0x44,
    ]


def pongs_left(board):
    """The PONGs that come after all has been read."""
    return [packet.payload[0] for packet in drained(board) if packet.kind == PONG]


def drained(board):
    mark = len(board.wire.packets)
    board.wire.states_for(100)
    return board.wire.packets[mark:]


def test_doubled_and_joined_packets_are_each_answered(board):
    board.wire.write(framed(PING, 0x45) * 2 + framed(PING, 0x46))
    assert pongs(board, 3) == [0x45, 0x45, 0x46]


@pytest.mark.parametrize("length", [206, 300, 1000])
def test_too_much_without_an_end_is_thrown_away_to_the_next_end(board, length):
    board.wire.write(b"\x55" * length + b"\0" + framed(PING, 0x47))
    assert pongs(board, 1) == [0x47]


def test_a_packet_that_ends_too_much_is_thrown_away_with_it(board):
    """What is good on its own is not, when it is the end of too much."""
    board.wire.write(b"\x55" * 250 + framed(PING, 0x48) + framed(PING, 0x49))
    assert pongs(board, 1) == [0x49]


def test_ends_alone_are_no_packets(board):
    board.wire.write(b"\0" * 500 + framed(PING, 0x4A))
    assert pongs(board, 1) == [0x4A]


def test_no_packet_is_lost_while_lamps_are_written(start):
    """A packet of lamps before every ping: a board that is deaf while it writes to its lamps would miss some."""
    board = start(10, 10)
    board.wire.greeted()
    sent = []
    for turn in range(40):
        lit = bytes(byte for cell in range(turn, turn + 20) for byte in (cell, turn % 6 + 1))
        sequence = board.wire.next_sequence()
        sent.append(board.wire.next_sequence())
        board.wire.write(framed(LAMPS, sequence, lit) + framed(PING, sent[-1]))
    acks = []
    answered = []
    for packet in board.wire.stream():
        acks += [packet.payload[0]] if packet.kind == ACK else []
        answered += [packet.payload[0]] if packet.kind == PONG else []
        if answered and answered[-1] == sent[-1]:
            break
    assert answered == sent
    assert len(acks) == 40


# The cable.


def test_a_cable_that_was_out_finds_the_board_as_it_was(board):
    board.do("put 2 2 white_man")
    before = board.wire.until(lambda packet: packet.kind == STATE and packet.cells(64)[18] == 1)
    board.do("unplug")
    assert board.ask("lamps") == ""
    assert not board.path.exists()
    board.do("take 2 2", "plug")
    board.reopen()
    after = board.wire.until(lambda packet: packet.kind == STATE and packet.cells(64)[18] == 0)
    assert after.restarts == before.restarts
    assert after.time_ms > before.time_ms
    board.wire.greeted()
