"""The host's end of the link as PROTOCOL.md writes it, byte by byte, for boards that run as programs of their own.

Shares no code with the host's codec or with any firmware: what all of them read wrongly would be found here.
"""

from __future__ import annotations

import os
import select
import time
import tty
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

HELLO, STATE, ACK, PONG, KEYS = 0x01, 0x02, 0x03, 0x04, 0x05
HELLO_REQUEST, LAMPS, BUZZER, PING, BRIGHTNESS = 0x81, 0x82, 0x83, 0x84, 0x85
PATIENCE_S = 100.0
"""How long something may take on a busy machine before it counts as not happening."""


def crc(data: bytes) -> int:
    """Chapter 2, bit by bit."""
    value = 0xFFFF
    for byte in data:
        for bit in range(7, -1, -1):
            top = value >> 15 ^ byte >> bit & 1
            value = (value << 1 & 0xFFFF) ^ (0x1021 if top else 0)
    return value


def framed(kind: int, sequence: int, payload: bytes = b"") -> bytes:
    """A packet on the wire, its closing 00 included."""
    body = bytes((kind, sequence)) + payload
    body += crc(body).to_bytes(2, "little")
    stuffed = b"".join(bytes((len(run) + 1,)) + run for run in body.split(b"\0"))
    return stuffed + b"\0"


@dataclass(frozen=True)
class Packet:
    """One packet of the board, checked."""

    kind: int
    sequence: int
    payload: bytes

    @property
    def time_ms(self) -> int:
        """STATE: the board's own clock."""
        return int.from_bytes(self.payload[:4], "little")

    @property
    def held(self) -> int:
        """STATE: the buttons that are down, by bit."""
        return self.payload[4]

    @property
    def presses(self) -> list[int]:
        """STATE: how often each button went down."""
        return list(self.payload[5:10])

    @property
    def restarts(self) -> int:
        """STATE: how often the board has started."""
        return self.payload[10]

    def cells(self, count: int) -> list[int]:
        """STATE: 0 empty, 1 occupied, 2 white, 3 black, for each cell."""
        return [self.payload[11 + cell // 4] >> cell % 4 * 2 & 3 for cell in range(count)]


def opened(stuffed: bytes) -> Packet:
    """The packet that stood between two 00; AssertionError when the board sent something broken."""
    body, at = bytearray(), 0
    while at < len(stuffed):
        if at:
            body.append(0)
        body += stuffed[at + 1 : at + stuffed[at]]
        at += stuffed[at]
    assert at == len(stuffed), f"stuffing: {stuffed.hex(' ')}"
    assert 4 <= len(body) <= 204, f"length: {stuffed.hex(' ')}"
    assert crc(bytes(body[:-2])) == int.from_bytes(body[-2:], "little"), f"checksum: {stuffed.hex(' ')}"
    return Packet(body[0], body[1], bytes(body[2:-2]))


class Wire:
    """A port, opened raw; what came in so far is in `packets`."""

    def __init__(self, path: Path) -> None:
        self._port = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._port)
        self._rest = b""
        self._sequence = 0
        self.packets: list[Packet] = []
        self.broken: list[bytes] = []
        """What was no packet: only a start of the board may cut one off."""
        self._unread: deque[Packet] = deque()
        self._join()

    def _join(self) -> None:
        """Reads to the end of a packet: what comes first may begin in the middle of one."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if select.select([self._port], [], [], 0.05)[0]:
                _, delimiter, self._rest = os.read(self._port, 65536).partition(b"\0")
                if delimiter:
                    return
        raise AssertionError("the board says nothing")

    def close(self) -> None:
        """Closes the port."""
        os.close(self._port)

    def write(self, data: bytes) -> None:
        """Writes bytes, all of them."""
        while data:
            select.select([], [self._port], [], PATIENCE_S)
            data = data[os.write(self._port, data) :]

    def next_sequence(self) -> int:
        """The number of the next packet to the board: 1 to 255, never 0."""
        self._sequence = self._sequence % 255 + 1
        return self._sequence

    def send(self, kind: int, payload: bytes = b"") -> int:
        """Sends a packet; its sequence."""
        sequence = self.next_sequence()
        self.write(framed(kind, sequence, payload))
        return sequence

    def read(self, for_s: float = 0.05) -> list[Packet]:
        """The packets that come in now, waiting for the first bytes at most so long."""
        data = os.read(self._port, 65536) if select.select([self._port], [], [], for_s)[0] else b""
        *whole, self._rest = (self._rest + data).split(b"\0")
        packets = [packet for stuffed in whole if stuffed and (packet := self._opened(stuffed))]
        self.packets += packets
        self._unread += packets
        return packets

    def _opened(self, stuffed: bytes) -> Packet | None:
        try:
            return opened(stuffed)
        except (AssertionError, IndexError):
            self.broken.append(stuffed)
            return None

    def until(self, wanted: Callable[[Packet], bool], what: str = "") -> Packet:
        """The next packet that is wanted; those before it are passed over."""
        for packet in self.stream():
            if wanted(packet):
                return packet
        raise AssertionError(f"never came: {what or wanted}")

    def stream(self, for_s: float = PATIENCE_S) -> Iterator[Packet]:
        """Packets as they come in, for at most so long; each is given once."""
        end = time.monotonic() + for_s
        while time.monotonic() < end:
            if not self._unread:
                self.read()
            if self._unread:
                yield self._unread.popleft()

    def state(self) -> Packet:
        """The next STATE that the board sends."""
        return self.until(lambda packet: packet.kind == STATE, "STATE")

    def states_for(self, board_ms: int) -> list[Packet]:
        """The STATEs of so many milliseconds by the board's own clock."""
        states: list[Packet] = []
        for packet in self.stream():
            if packet.kind == STATE:
                states.append(packet)
                if packet.time_ms - states[0].time_ms >= board_ms:
                    return states
        raise AssertionError(f"{board_ms} ms of STATEs never came")

    def acked(self, kind: int, payload: bytes = b"") -> int:
        """Sends a command and waits until it is acknowledged; the result, 0 done or 1 refused."""
        sequence = self.send(kind, payload)
        return self.until(lambda p: p.kind == ACK and p.payload[0] == sequence, f"ACK of {kind:#x}").payload[1]

    def ponged(self) -> int:
        """Sends a PING and waits for its PONG; the sequence of the LAMPS shown."""
        sequence = self.send(PING)
        return self.until(lambda p: p.kind == PONG and p.payload[0] == sequence, "PONG").payload[1]

    def greeted(self) -> Packet:
        """Asks who the board is, and waits for its HELLO."""
        self.write(b"\0")
        self.send(HELLO_REQUEST, b"\1")
        return self.until(lambda packet: packet.kind == HELLO, "HELLO")


def gaps(states: list[Packet]) -> list[int]:
    """The times between STATEs, by the board's own clock."""
    return [after.time_ms - before.time_ms for before, after in pairwise(states)]


def changes(states: list[Packet], cell: int) -> list[int]:
    """What a cell was, one after the other, without repetitions."""
    seen = [state.payload[11 + cell // 4] >> cell % 4 * 2 & 3 for state in states]
    return [value for at, value in enumerate(seen) if at == 0 or seen[at - 1] != value]
