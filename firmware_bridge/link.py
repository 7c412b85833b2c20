"""The host's end of link version 1: hello, acknowledgement, repetition, heartbeat, liveness; time is an argument."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass

from firmware_bridge.driver import Counters
from firmware_bridge.errors import BadPayload
from firmware_bridge.messages import (
    VERSION,
    Ack,
    Calibration,
    Capability,
    Command,
    Hello,
    HelloRequest,
    Keys,
    Lamps,
    Magnets,
    Message,
    Ping,
    Pong,
    Problem,
    Read,
    Readings,
    State,
    ToBoard,
    ToHost,
    message_of,
    payload_of,
)
from firmware_bridge.packets import DELIMITER, Decoder, Packet, encode

ASK_MS = 2000
"""How often an absent board is asked for its HELLO."""
HEARTBEAT_MS = 1000
SILENCE_MS = 3000
"""No valid packet for so long: the board is offline."""
REPEAT_MS = 250
REPEATS = 4
"""A command is sent once and repeated at most so often."""
MAX_WAITING = 8
"""Commands that may wait for their turn; the oldest gives way."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What the link has to say after bytes came in or time went by."""

    messages: tuple[ToHost, ...] = ()
    send: bytes = b""
    online: bool | None = None
    lost: tuple[Command, ...] = ()
    """Commands that were repeated in vain."""


@dataclass(frozen=True, slots=True)
class _Flight:
    command: Command
    sequence: int
    sent_ms: int
    repeats: int = 0


class Link:
    """One conversation with one board; commands go one at a time, and of lamp commands only the newest counts."""

    def __init__(self) -> None:
        self._decoder = Decoder()
        self._drops: Counter[str] = Counter()
        self._resent = 0
        self._sequence = 0
        self._hello: Hello | None = None
        self._asked_ms: int | None = None
        self._heard_ms = 0
        self._pinged_ms = 0
        self._flight: _Flight | None = None
        self._waiting: deque[Command] = deque()
        self._lamps: Lamps | None = None
        self._lamps_sequence = 0

    @property
    def hello(self) -> Hello | None:
        """What the board said of itself, while it is online."""
        return self._hello

    @property
    def is_waiting(self) -> bool:
        """Whether a command has not been acknowledged yet."""
        return self._flight is not None or bool(self._waiting)

    @property
    def counters(self) -> Counters:
        """Traffic and faults so far."""
        drops = self._decoder.drops + self._drops
        return Counters(self._decoder.packets, drops.total(), self._resent, tuple(sorted(drops.items())))

    def start(self, now_ms: int) -> Heard:
        """Begins anew: asks for the HELLO."""
        self._fall_silent()
        self._decoder.receive(DELIMITER)
        return Heard(send=DELIMITER + self._ask(now_ms))

    def receive(self, data: bytes, now_ms: int) -> Heard:
        """Takes bytes from the wire."""
        messages: list[ToHost] = []
        send = b""
        online: bool | None = None
        for packet in self._decoder.receive(data):
            self._heard_ms = now_ms
            message = self._message(packet)
            match message:
                case Hello():
                    online = True if self._hello is None and message.version == VERSION else online
                    send += self._greeted(message, now_ms)
                case Ack():
                    send += self._acknowledged(message, now_ms)
                case Pong():
                    send += self._ponged(message, now_ms)
                case State() | Keys() | Magnets() | Readings() | Calibration() | Problem():
                    pass
                case _:
                    continue
            messages.append(message)
        return Heard(tuple(messages), send, online)

    def tick(self, now_ms: int) -> Heard:
        """Does what is due at this time."""
        if self._asked_ms is None and self._hello is None:
            return Heard()
        if self._hello is None:
            return Heard(send=self._ask(now_ms) if now_ms >= self._next_ask_ms() else b"")
        if now_ms >= self._heard_ms + SILENCE_MS:
            self._fall_silent()
            return Heard(send=self._ask(now_ms), online=False)
        send = self._ping(now_ms) if now_ms >= self._pinged_ms + HEARTBEAT_MS else b""
        repeated, lost = self._repeat(now_ms)
        return Heard(send=send + repeated, lost=lost)

    def deadline_ms(self) -> int | None:
        """When tick has something to do, None before start."""
        if self._hello is None:
            return None if self._asked_ms is None else self._next_ask_ms()
        due = min(self._pinged_ms + HEARTBEAT_MS, self._heard_ms + SILENCE_MS)
        return due if self._flight is None else min(due, self._flight.sent_ms + REPEAT_MS)

    def command(self, command: Command, now_ms: int) -> bytes:
        """Bytes that bring a command to the board; nothing while it is offline or another command is under way."""
        if isinstance(command, Lamps):
            self._lamps = command
            self._waiting = deque(waiting for waiting in self._waiting if not isinstance(waiting, Lamps))
        if self._hello is None:
            return b""
        flight = self._flight
        if flight is None or (isinstance(command, Lamps) and isinstance(flight.command, Lamps)):
            return self._fly(command, now_ms)
        self._waiting.append(command)
        if len(self._waiting) > MAX_WAITING:
            self._waiting.popleft()
            self._drops["command not sent"] += 1
        return b""

    def read(self, question: Read) -> bytes:
        """Bytes that ask the board for what its sensors read; whoever asks sees whether all rows came."""
        return self._send(question)[1] if self._hello is not None else b""

    def _message(self, packet: Packet) -> Message | None:
        try:
            message = message_of(packet.type, packet.payload)
        except BadPayload:
            self._drops["bad payload"] += 1
            return None
        if message is None:
            self._drops["unknown type"] += 1
        return message

    @property
    def _has_lamps(self) -> bool:
        return self._hello is not None and Capability.LAMPS in self._hello.capabilities

    def _next_ask_ms(self) -> int:
        return (self._asked_ms or 0) + ASK_MS

    def _ask(self, now_ms: int) -> bytes:
        self._asked_ms = now_ms
        return self._send(HelloRequest())[1]

    def _ping(self, now_ms: int) -> bytes:
        self._pinged_ms = now_ms
        return self._send(Ping())[1]

    def _send(self, message: ToBoard) -> tuple[int, bytes]:
        self._sequence = self._sequence % 255 + 1
        type_, payload = payload_of(message)
        return self._sequence, encode(Packet(type_, self._sequence, payload))

    def _greeted(self, hello: Hello, now_ms: int) -> bytes:
        if hello.version != VERSION:
            return b""
        self._hello = hello
        self._flight = None
        self._pinged_ms = now_ms
        ping = self._send(Ping())[1]
        return ping + self._fly(self._lamps, now_ms) if self._lamps is not None and self._has_lamps else ping

    def _acknowledged(self, ack: Ack, now_ms: int) -> bytes:
        if self._flight is None or self._flight.sequence != ack.sequence:
            return b""
        if not ack.done:
            self._drops["command refused"] += 1
        return self._land(now_ms)

    def _ponged(self, pong: Pong, now_ms: int) -> bytes:
        stale = pong.lamps_sequence != self._lamps_sequence
        if not stale or self._flight is not None or self._lamps is None or not self._has_lamps:
            return b""
        return self._fly(self._lamps, now_ms)

    def _fly(self, command: Command, now_ms: int) -> bytes:
        sequence, data = self._send(command)
        self._flight = _Flight(command, sequence, now_ms)
        if isinstance(command, Lamps):
            self._lamps_sequence = sequence
        return data

    def _land(self, now_ms: int) -> bytes:
        self._flight = None
        return self._fly(self._waiting.popleft(), now_ms) if self._waiting else b""

    def _repeat(self, now_ms: int) -> tuple[bytes, tuple[Command, ...]]:
        flight = self._flight
        if flight is None or now_ms < flight.sent_ms + REPEAT_MS:
            return b"", ()
        if flight.repeats == REPEATS:
            self._drops["command lost"] += 1
            return self._land(now_ms), (flight.command,)
        self._resent += 1
        self._flight = _Flight(flight.command, flight.sequence, now_ms, flight.repeats + 1)
        type_, payload = payload_of(flight.command)
        return encode(Packet(type_, flight.sequence, payload)), ()

    def _fall_silent(self) -> None:
        self._hello = None
        self._flight = None
        self._waiting.clear()
