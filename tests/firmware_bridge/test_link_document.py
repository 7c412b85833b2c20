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
    Capability,
    Hello,
    HelloRequest,
    Keys,
    Lamps,
    Ping,
    Pong,
    Sensors,
    State,
    message_of,
    payload_of,
)
from firmware_bridge.packets import Decoder, Packet, encode

DOCUMENT = (Path(firmware_bridge.__file__).parent / "PROTOCOL.md").read_text(encoding="utf-8")
WORKED = (
    (1, HelloRequest()),
    (2, Ping()),
    (3, Lamps(((7, Role.LIFT), (56, Role.PLACE)))),
    (4, Lamps()),
    (5, Buzzer(880, 100)),
    (1, Hello(1, Capability.COLOUR | Capability.LAMPS, 10, 10, Sensors.ALL, b"SIMBOARD", (1, 0, 0))),
    (2, State(1000, 0, (1, 0, 0, 0, 0), 0, bytes((12, *[0] * 9, 2, *[0] * 5)))),
    (3, Ack(3, True)),
    (4, Pong(2, 3)),
    (5, Keys(0, (1, 0))),
)
BYTES = st.integers(0, 255)
MESSAGES = st.one_of(
    st.builds(HelloRequest, BYTES),
    st.just(Ping()),
    st.builds(Brightness, st.integers(0, 100)),
    st.builds(Lamps, st.lists(st.tuples(BYTES, st.sampled_from(list(Role))), max_size=100).map(tuple)),
    st.builds(Buzzer, st.integers(0, 65535), st.integers(0, 65535)),
    st.builds(
        Hello,
        BYTES,
        st.integers(0, 127).map(Capability),
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
    type_, payload = payload_of(WORKED[5][1])
    assert message_of(type_, payload + b"later fields") == WORKED[5][1]
