"""The parser of DGT-compatible boards: every message, and every way in which a stream can be spoilt."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.dgt_frames import HALF_MESSAGE_MS, LENGTHS, Frame, Message, Parser

GOOD = bytes.fromhex("8e00053801")


def framed(message: int, payload: bytes) -> bytes:
    total = len(payload) + 3
    return bytes((0x80 | message, total >> 7, total & 0x7F)) + payload


def parsed(data: bytes, parser: Parser | None = None, now_ms: int = 0) -> tuple[Frame, ...]:
    return (parser or Parser()).receive(data, now_ms)


# Rows of the table of messages: identifier, header bytes, total length.
TABLE = (
    (Message.BOARD, "860043", 67),
    (Message.BOARD, "860067", 103),
    (Message.CLOCK, "8d000a", 10),
    (Message.FIELD, "8e0005", 5),
    (Message.LOG, "8f3e03", 7939),
    (Message.BUS_ADDRESS, "900005", 5),
    (Message.SERIAL, "910008", 8),
    (Message.TRADE_MARK, "92001a", 26),
    (Message.VERSION, "930005", 5),
    (Message.BLACK_SQUARES, "940035", 53),
    (Message.WHITE_SQUARES, "950035", 53),
    (Message.BATTERY, "a0000c", 12),
    (Message.BATTERY, "a00007", 7),
    (Message.LONG_SERIAL, "a2000d", 13),
)


@pytest.mark.parametrize(("message", "header", "total"), TABLE)
def test_every_message_is_read(message, header, total):
    payload = bytes(place % 128 for place in range(total - 3))
    data = bytes.fromhex(header) + payload
    assert data == framed(message, payload)
    assert parsed(data) == (Frame(message, payload),)


@pytest.mark.parametrize("message", list(Message))
def test_lengths_that_do_not_fit_are_dropped(message):
    for total in (3, 4, 6, 66, 68, 102, 104, 7938, 16383):
        if total in LENGTHS[message]:
            continue
        parser = Parser()
        assert parsed(bytes((0x80 | message, total >> 7, total & 0x7F)), parser) == ()
        assert parsed(GOOD, parser) == (Frame(Message.FIELD, b"\x38\x01"),)
        assert parser.drops["bad length"] == 1


def test_unknown_identifiers_are_dropped():
    parser = Parser()
    assert parsed(b"\xff\x00\x05\x01\x02" + GOOD, parser) == (Frame(Message.FIELD, b"\x38\x01"),)
    assert dict(parser.drops) == {"unknown message": 1, "byte between messages": 2}


def test_a_header_inside_a_payload_begins_anew():
    parser = Parser()
    assert parsed(bytes.fromhex("8600") + b"\x43" + bytes(20) + GOOD, parser) == (Frame(Message.FIELD, b"\x38\x01"),)
    assert parsed(b"\x8e\x8e\x00" + GOOD, parser) == (Frame(Message.FIELD, b"\x38\x01"),)
    assert parser.drops.total() == 3


def test_half_a_message_then_silence_is_given_up():
    parser = Parser()
    assert parser.deadline_ms() is None
    parsed(GOOD[:4], parser, 100)
    assert parser.deadline_ms() == 100 + HALF_MESSAGE_MS
    parser.expire(1099)
    assert not parser.drops
    parser.expire(1100)
    assert dict(parser.drops) == {"half a message": 1}
    assert parsed(b"\x01", parser, 1101) == ()
    assert len(parsed(GOOD, parser, 1102)) == 1


def test_the_log_may_take_its_eight_seconds():
    parser = Parser()
    data = framed(Message.LOG, bytes(0x1F00))
    frames = [frame for at in range(0, len(data), 96) for frame in parsed(data[at : at + 96], parser, at)]
    assert [frame.message for frame in frames] == [Message.LOG]


def test_ten_thousand_random_streams_never_raise_and_always_find_the_next_good_message():
    random = Random(7)
    for _ in range(10_000):
        parser = Parser()
        noise = random.randbytes(random.randint(0, 60))
        parsed(noise, parser)
        assert parsed(GOOD, parser)[-1] == Frame(Message.FIELD, b"\x38\x01")


@given(st.lists(st.sampled_from(TABLE), max_size=6), st.lists(st.integers(0, 100_000), max_size=12))
def test_messages_survive_any_cutting(rows, cuts):
    data = b"".join(bytes.fromhex(header) + bytes(total - 3) for _, header, total in rows)
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    parser = Parser()
    frames = [frame for start, end in pairwise(places) for frame in parsed(data[start:end], parser)]
    assert [frame.message for frame in frames] == [message for message, _, _ in rows]
    assert not parser.drops
