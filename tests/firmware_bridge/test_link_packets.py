"""Packets: what is written is read, in any pieces; what is spoilt is counted and never believed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge import wire
from firmware_bridge.packets import MAX_PAYLOAD, Decoder, Packet, encode
from firmware_bridge.simulator import matrix_board

pytestmark = pytest.mark.portable

PACKETS = st.builds(Packet, st.integers(0, 255), st.integers(0, 255), st.binary(max_size=MAX_PAYLOAD))


def in_pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


def stuff(body: bytes) -> bytes:
    out = bytearray(len(body) + 1)
    return bytes(out[: wire.stuff(out, body)])


def test_checksum_has_the_published_check_value():
    assert wire.checksum(b"123456789") == 0x29B1


@given(st.binary(max_size=253))
def test_stuffing_is_a_round_trip_without_zeros(body):
    assert 0 not in stuff(body)
    assert wire.unstuff(stuff(body)) == body


@given(st.lists(PACKETS, max_size=6), st.lists(st.integers(0, 10_000), max_size=20))
def test_packets_survive_any_cutting(packets, cuts):
    decoder = Decoder()
    data = b"".join(map(encode, packets))
    read = [packet for piece in in_pieces(data, cuts) for packet in decoder.receive(piece)]
    assert read == packets
    assert decoder.packets == len(packets)
    assert not decoder.drops


@given(st.binary(max_size=600), PACKETS)
def test_after_any_noise_the_packet_behind_the_next_delimiter_is_read(noise, packet):
    decoder = Decoder()
    decoder.receive(noise)
    assert decoder.receive(b"\0" + encode(packet))[-1] == packet


@given(PACKETS, st.data())
def test_up_to_three_flipped_bits_are_never_believed(packet, data):
    stuffed = bytearray(encode(packet))
    for bit in data.draw(st.sets(st.integers(0, len(stuffed) * 8 - 9), min_size=1, max_size=3)):
        stuffed[bit // 8] ^= 1 << bit % 8
    for found in Decoder().receive(bytes(stuffed)):
        assert found == packet, "a spoilt packet was believed"


def test_every_reason_to_drop_is_counted():
    decoder = Decoder()
    good = encode(Packet(2, 3, b"abc"))
    assert decoder.receive(bytes((good[0] ^ 0x40,)) + good[1:]) == ()
    assert decoder.receive(good[:-2] + bytes((good[-2] ^ 1, 0))) == ()
    assert decoder.receive(stuff(b"abc") + b"\0") == ()
    assert decoder.receive(b"x" * 300) == ()
    assert decoder.receive(b"x" * 300 + b"\0" + b"y" * 210 + b"\0") == ()
    assert decoder.receive(good) == (Packet(2, 3, b"abc"),)
    assert dict(decoder.drops) == {"bad stuffing": 1, "bad checksum": 1, "too short": 1, "too long": 2}


def test_a_stream_without_delimiter_takes_no_memory():
    decoder = Decoder()
    for _ in range(1000):
        decoder.receive(b"\x55" * 100)
    assert len(decoder._wire._rest) < 300


def test_a_payload_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="201 bytes"):
        encode(Packet(1, 1, b"x" * 201))


@given(PACKETS)
def test_both_ends_write_the_same_bytes(packet):
    ours = encode(packet)
    assert matrix_board._framed(packet.type, packet.sequence, packet.payload) == ours
    assert matrix_board._opened(ours[:-1]) == (packet.type, packet.sequence, packet.payload)


@given(st.binary(max_size=300).filter(lambda noise: 0 not in noise))
def test_both_ends_believe_the_same(noise):
    believed = Decoder().receive(noise + b"\0")
    theirs = matrix_board._opened(noise)
    if len(noise) <= MAX_PAYLOAD + 5:
        assert [(packet.type, packet.sequence, packet.payload) for packet in believed] == ([theirs] if theirs else [])
