"""PROTOCOL.md: its worked bytes and its numbers are those of the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import firmware_bridge
from firmware_bridge import link
from firmware_bridge.driver import Role
from firmware_bridge.errors import BadPayload
from firmware_bridge.messages import (
    KINDS,
    Ack,
    Brightness,
    Buzzer,
    Calibrate,
    Calibration,
    Capability,
    Hello,
    HelloRequest,
    Keep,
    Keys,
    Lamps,
    Magnets,
    Ping,
    Pong,
    Problem,
    Read,
    Readings,
    Sensors,
    State,
    Table,
    Thresholds,
    message_of,
    payload_of,
)
from firmware_bridge.packets import Decoder, Packet, encode

DOCUMENT = (Path(firmware_bridge.__file__).parent / "PROTOCOL.md").read_text(encoding="utf-8")
ROW = (Thresholds(32768, 3000, 5000, 12000), Thresholds(32000, 3000, 5000, 0, True, True))
WORKED = (
    (1, HelloRequest()),
    (2, Ping()),
    (3, Lamps(((7, Role.LIFT), (56, Role.PLACE)))),
    (4, Lamps()),
    (5, Buzzer(880, 100)),
    (6, Brightness(40)),
    (7, Read(Table.READINGS, 0)),
    (8, Read(Table.CALIBRATION)),
    (9, Calibrate(3, ROW)),
    (10, Keep()),
    (1, Hello(1, Capability.COLOUR | Capability.LAMPS, 10, 10, Sensors.ALL, b"SIMBOARD", (1, 0, 0))),
    (2, State(1000, 0, (1, 0, 0, 0, 0), 0, bytes((12, *[0] * 9, 2, *[0] * 5)))),
    (3, Ack(3, True)),
    (4, Pong(2, 3)),
    (5, Keys(0, (1, 0))),
    (6, Magnets(bytes((0, 0, 0, 0, 0, 1, 0, 0)), bytes((2, *[0] * 7)))),
    (7, Readings(0, (32768, 24576))),
    (8, Calibration(3, ROW)),
    (9, Problem("LAMP_PIN = 40: a Pico has pins 0 to 28.")),
)
BYTES, WORDS, ROWS = st.integers(0, 255), st.integers(0, 65535), st.integers(0, 254)
THRESHOLDS = st.builds(Thresholds, WORDS, st.integers(1, 65535), WORDS, WORDS, st.booleans(), st.booleans())
CELLS = st.lists(THRESHOLDS, max_size=12).map(tuple)
BITS = st.integers(1, 18).flatmap(lambda size: st.tuples(*[st.binary(min_size=size, max_size=size)] * 2))
MESSAGES = st.one_of(
    st.builds(HelloRequest, BYTES),
    st.just(Ping()),
    st.builds(Brightness, st.integers(0, 100)),
    st.builds(Lamps, st.lists(st.tuples(BYTES, st.sampled_from(list(Role))), max_size=100).map(tuple)),
    st.builds(Buzzer, st.integers(0, 65535), st.integers(0, 65535)),
    st.builds(
        Hello,
        BYTES,
        st.integers(0, 511).map(Capability),
        BYTES,
        BYTES,
        st.sampled_from(list(Sensors)),
        st.binary(min_size=8, max_size=8),
        st.tuples(BYTES, BYTES, BYTES),
    ),
    st.builds(
        State, st.integers(0, 2**32 - 1), BYTES, st.tuples(*[BYTES] * 5), BYTES, st.binary(min_size=1, max_size=36)
    ),
    st.builds(Ack, BYTES, st.booleans()),
    st.builds(Pong, BYTES, BYTES),
    st.builds(Keys, BYTES, st.lists(BYTES, max_size=9).map(tuple)),
    BITS.map(lambda bits: Magnets(*bits)),
    st.builds(Readings, BYTES, st.lists(WORDS, max_size=12).map(tuple)),
    st.builds(Calibration, BYTES, CELLS),
    st.builds(Problem, st.text(min_size=1, max_size=50).filter(lambda text: text.isprintable())),
    st.builds(Read, st.sampled_from(list(Table)), st.none() | ROWS),
    st.builds(Calibrate, BYTES, CELLS),
    st.builds(Keep, st.booleans()),
)


def test_worked_bytes_are_what_the_program_writes_and_reads():
    rows = re.findall(r"^\| ([A-Z_]+), sequence (\d+).*\| `([0-9a-f ]+)` \|$", DOCUMENT, re.MULTILINE)
    assert len(rows) == len(WORKED)
    names = {kind.message: kind.name for kind in KINDS}
    for (name, sequence, text), (expected_sequence, message) in zip(rows, WORKED, strict=True):
        data = bytes.fromhex(text)
        assert (name, int(sequence)) == (names[type(message)], expected_sequence)
        type_, payload = payload_of(message)
        assert encode(Packet(type_, expected_sequence, payload)) == data
        (packet,) = Decoder().receive(data)
        assert message_of(packet.type, packet.payload) == message


def test_every_message_is_worked_out():
    assert {type(message) for _, message in WORKED} == {kind.message for kind in KINDS}


SPOILT = re.findall(r"^\| (.+) \| `([0-9a-f ]+)` \|$", DOCUMENT.partition("| to be thrown away |")[2], re.MULTILINE)


@pytest.mark.parametrize(("reason", "text"), SPOILT, ids=[reason for reason, _ in SPOILT])
def test_what_is_to_be_thrown_away_is_no_message(reason, text):
    data = bytes.fromhex(text)
    assert data.index(0) == len(data) - 1
    decoder = Decoder()
    packets = decoder.receive(data)
    if not packets:
        assert decoder.drops.total() == 1
        return
    (packet,) = packets
    if packet.type in {kind.number for kind in KINDS}:
        with pytest.raises(BadPayload):
            message_of(packet.type, packet.payload)
    else:
        assert message_of(packet.type, packet.payload) is None


def test_there_is_something_to_be_thrown_away_of_every_message_of_the_host_that_a_payload_can_spoil():
    told = " ".join(reason for reason, _ in SPOILT)
    assert all(kind.name in told for kind in KINDS if kind.number >= 0x80)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_message_stands_in_the_document_under_its_number(kind):
    assert f"| 0x{kind.number:02X} | {kind.name} |" in DOCUMENT


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (link.HEARTBEAT_MS, "every 1 s by the host"),
        (link.SILENCE_MS, "3 s without any valid packet"),
        (link.ASK_MS, "every 2 s until HELLO"),
        (link.REPEAT_MS, "after 250 ms without ACK"),
        (link.REPEATS, "at most 4 times"),
    ],
)
def test_times_stand_in_the_document(value, words):
    number = int(re.search(r"\d+", words)[0])
    assert words in DOCUMENT
    assert value in (number, number * 1000)


@given(MESSAGES)
def test_messages_are_round_trips(message):
    assert message_of(*payload_of(message)) == message


@given(BYTES, st.binary(max_size=200))
def test_any_payload_is_a_message_or_unknown_or_bad(type_, payload):
    try:
        message = message_of(type_, payload)
    except BadPayload:
        return
    assert (message is None) == (type_ not in {kind.number for kind in KINDS})


def test_a_longer_hello_is_read():
    hello = next(message for _, message in WORKED if isinstance(message, Hello))
    type_, payload = payload_of(hello)
    assert message_of(type_, payload + b"later fields") == hello
