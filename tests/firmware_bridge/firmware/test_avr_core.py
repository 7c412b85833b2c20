"""The portable part of the C firmware, compiled for this machine, against the bytes in PROTOCOL.md."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess

import pytest
from firmware_wire import HELLO_REQUEST, LAMPS, PING, STATE, crc, framed, opened
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.simulator import avr

PROTOCOL = (avr.SOURCES.parents[1] / "PROTOCOL.md").read_text(encoding="utf-8")
GOLDEN = [
    (name, bytes.fromhex(data)) for name, data in re.findall(r"^\| ([^|]+?) \| `([0-9a-f ]+ 00)` \|$", PROTOCOL, re.M)
]
THROWN_AWAY = [
    (name, data)
    for name, data in GOLDEN
    if PROTOCOL.index(f"| {name} |") > PROTOCOL.index("| to be thrown away | bytes |")
]
WORKED = [row for row in GOLDEN if row not in THROWN_AWAY]
CELLS = 64


class Reader(ctypes.Structure):
    """`struct reader` of packet.h."""

    _fields_ = (
        ("bytes", ctypes.c_uint8 * 205),
        ("length", ctypes.c_uint8),
        ("skipping", ctypes.c_bool),
        ("drops", ctypes.c_uint16),
    )


class Board(ctypes.Structure):
    """`struct board` of protocol.h, 8x8."""

    _fields_ = (
        ("id", ctypes.c_uint8 * 8),
        ("restarts", ctypes.c_uint8),
        ("sequence", ctypes.c_uint8),
        ("acted", ctypes.c_uint8),
        ("lamps_sequence", ctypes.c_uint8),
        ("cells", ctypes.c_uint8 * 16),
        ("held", ctypes.c_uint8),
        ("presses", ctypes.c_uint8 * 7),
        ("roles", ctypes.c_uint8 * CELLS),
        ("brightness", ctypes.c_uint8),
        ("pitch_hz", ctypes.c_uint16),
        ("tone_ms", ctypes.c_uint16),
        ("host_ms", ctypes.c_uint32),
        ("told_ms", ctypes.c_uint32),
        ("drops", ctypes.c_uint16),
        ("is_lit", ctypes.c_bool),
        ("is_due", ctypes.c_bool),
        ("lamps_changed", ctypes.c_bool),
        ("tone_changed", ctypes.c_bool),
    )


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """The functions of the core, for 8x8 cells with colours."""
    if shutil.which("cc") is None:
        pytest.skip("the C firmware's core needs a C compiler (Debian: gcc libc6-dev)")
    library = tmp_path_factory.mktemp("core") / "core.so"
    sources = [avr.SOURCES / name for name in ("packet.c", "protocol.c", "debounce.c")]
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-DCOLOURS=1"]
    subprocess.run(["cc", *flags, *sources, "-o", library], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.packet_read.restype = ctypes.c_bool
    loaded.protocol_is_due.restype = ctypes.c_bool
    loaded.packet_write.restype = ctypes.c_uint8
    loaded.packet_checksum.restype = ctypes.c_uint16
    for name in ("protocol_answer", "protocol_hello", "protocol_report", "debounce"):
        getattr(loaded, name).restype = ctypes.c_uint8
    return loaded


def packets(core, reader, data):
    """Type, sequence and payload of each good packet in these bytes."""
    found = []
    for byte in data:
        if core.packet_read(ctypes.byref(reader), byte):
            body = bytes(reader.bytes[: reader.length])
            found.append((body[0], body[1], body[2:-2]))
            core.packet_next(ctypes.byref(reader))
    return found


def answers(core, board, data, now_ms=0):
    """What the board answers to these bytes."""
    reader, out = Reader(), b""
    wire = (ctypes.c_uint8 * 256)()
    for byte in data:
        if core.packet_read(ctypes.byref(reader), byte):
            length = core.protocol_answer(ctypes.byref(board), ctypes.byref(reader), ctypes.c_uint32(now_ms), wire)
            out += bytes(wire[:length])
            core.packet_next(ctypes.byref(reader))
    return [opened(stuffed) for stuffed in out.split(b"\0") if stuffed]


def started(core):
    board = Board()
    core.protocol_start(ctypes.byref(board), (ctypes.c_uint8 * 8)(*b"SIMBOARD"), 0)
    return board


def written(core, kind, sequence, payload):
    wire = (ctypes.c_uint8 * 256)()
    length = core.packet_write(wire, kind, sequence, (ctypes.c_uint8 * len(payload))(*payload), len(payload))
    return bytes(wire[:length])


def test_the_document_has_bytes_of_every_kind():
    kinds = {opened(data[:-1]).kind for _, data in WORKED}
    assert kinds >= {0x01, 0x02, 0x03, 0x04, 0x05, 0x81, 0x82, 0x83, 0x84, 0x85}
    assert len(THROWN_AWAY) >= 10


@pytest.mark.parametrize(("name", "data"), WORKED, ids=[name for name, _ in WORKED])
def test_worked_bytes_are_read_and_written(core, name, data):
    ((kind, sequence, payload),) = packets(core, Reader(), data)
    assert written(core, kind, sequence, payload) == data


@pytest.mark.parametrize(("name", "data"), THROWN_AWAY, ids=[name for name, _ in THROWN_AWAY])
def test_what_is_to_be_thrown_away_is_counted_and_not_answered(core, name, data):
    board, reader = started(core), Reader()
    assert answers(core, board, data) == []
    packets(core, reader, data)
    assert board.drops + reader.drops == 1
    assert [packet.kind for packet in answers(core, board, framed(PING, 9))] == [0x04]


@given(kind=st.integers(0, 255), sequence=st.integers(0, 255), payload=st.binary(max_size=200))
def test_any_packet_goes_over_the_wire(core, kind, sequence, payload):
    wire = framed(kind, sequence, payload)
    assert packets(core, Reader(), b"\0" + wire) == [(kind, sequence, payload)]
    assert written(core, kind, sequence, payload) == wire


@given(data=st.lists(st.integers(0, 3) | st.integers(0, 255), max_size=600).map(bytes))
def test_rubbish_spoils_nothing_behind_the_next_end(core, data):
    reader = Reader()
    packets(core, reader, data + b"\0")
    assert packets(core, reader, framed(LAMPS, 7, b"\1\2")) == [(LAMPS, 7, b"\1\2")]


@given(data=st.binary(max_size=64))
def test_the_checksum_is_the_document_s(core, data):
    total = 0xFFFF
    for byte in data:
        total = core.packet_checksum(total, byte)
    assert total == crc(data)


@given(
    lit=st.lists(st.tuples(st.integers(0, 63), st.integers(1, 6)), max_size=64, unique_by=lambda pair: pair[0]),
    sequence=st.integers(1, 255),
)
def test_any_lamps_are_taken_and_shown(core, lit, sequence):
    board = started(core)
    (ack,) = answers(core, board, framed(LAMPS, sequence, bytes(byte for pair in lit for byte in pair)))
    assert (ack.kind, ack.payload) == (0x03, bytes((sequence, 0)))
    assert {cell: role for cell, role in enumerate(board.roles) if role} == dict(lit)
    assert board.lamps_sequence == sequence


def test_a_state_is_the_document_s(core):
    """The worked STATE: a white piece on cell 40, a black one on cell 1, confirm pressed once, at 1000 ms."""
    board = started(core)
    board.sequence = 1
    chain = (ctypes.c_uint8 * 16)()
    chain[40 // 8], chain[8 + 1 // 8] = 1 << 40 % 8, 1 << 1
    for buttons in (1, 0):
        core.protocol_sense(ctypes.byref(board), chain, ctypes.c_uint8(buttons))
    wire = (ctypes.c_uint8 * 256)()
    length = core.protocol_report(ctypes.byref(board), ctypes.c_uint32(1000), wire)
    state, keys = bytes(wire[:length]).split(b"\0")[:2]
    (worked,) = [data for _, data in WORKED if opened(data[:-1]).kind == STATE]
    assert state + b"\0" == worked
    assert opened(keys).payload == bytes(3)


def test_lamps_go_dark_even_when_the_host_has_asked_who_the_board_is(core):
    """HELLO_REQUEST forgets which LAMPS are shown, not that they are lit."""
    board = started(core)
    answers(core, board, framed(LAMPS, 1, b"\7\1") + framed(HELLO_REQUEST, 2, b"\1"), 1000)
    assert (board.lamps_sequence, board.roles[7]) == (0, 1)
    core.protocol_tick(ctypes.byref(board), ctypes.c_uint32(6000))
    assert board.roles[7] == 1
    core.protocol_tick(ctypes.byref(board), ctypes.c_uint32(6001))
    assert not any(board.roles)


class Contacts(ctypes.Structure):
    """`struct contacts` of debounce.h."""

    _fields_ = (("steady", ctypes.c_uint8), ("count", ctypes.c_uint8 * 4))


@given(
    st.lists(st.integers(0, 255) | st.sampled_from((0, 1, 255)), max_size=40).flatmap(
        lambda levels: st.tuples(*(st.tuples(st.just(level), st.integers(1, 40)) for level in levels))
    )
)
def test_a_contact_changes_with_the_sixteenth_scan_in_a_row(core, runs):
    """Against one counter a contact, eight times."""
    contacts, steady, counts = Contacts(), [0] * 8, [0] * 8
    for level, times in runs:
        for _ in range(times):
            changed = core.debounce(ctypes.byref(contacts), ctypes.c_uint8(level))
            expected = 0
            for bit in range(8):
                counts[bit] = counts[bit] + 1 if (level >> bit & 1) != steady[bit] else 0
                if counts[bit] == 16:
                    steady[bit], counts[bit] = 1 - steady[bit], 0
                    expected |= 1 << bit
            assert changed == expected
            assert contacts.steady == sum(value << bit for bit, value in enumerate(steady))
