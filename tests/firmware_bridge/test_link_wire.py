"""The link over a wire that drops, doubles, splits and spoils: it heals, and nothing wrong is believed."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wiring import SMALL, Wire, agrees, driver_of, home_of

from engine.position import EMPTY, WHITE_MAN
from firmware_bridge import link
from firmware_bridge.driver import Role
from firmware_bridge.link import Link
from firmware_bridge.messages import Buzzer, Lamps
from firmware_bridge.packets import Packet, encode
from firmware_bridge.simulator import MatrixBoard

HEAL_MS = 6000
"""Silence of 3 s, at most 2 s to the next question, and the time of the answer."""


class BadWire:
    """Spoils what passes with a fault rate, until it is made good."""

    def __init__(self, seed: int, rate: float) -> None:
        self.random = Random(seed)
        self.rate = rate

    def __call__(self, data: bytes) -> tuple[bytes, ...]:
        spoilt = b"".join(self._byte(byte) for byte in data) if self.rate else data
        if self.random.random() < self.rate:
            spoilt += spoilt
        if self.random.random() < self.rate:
            spoilt = b""
        cut = self.random.randint(0, len(spoilt))
        return (spoilt[:cut], spoilt[cut:])

    def _byte(self, byte: int) -> bytes:
        if self.random.random() >= self.rate / 10:
            return bytes((byte,))
        return self.random.choice((b"", bytes((byte ^ 1 << self.random.randrange(8),)), bytes((byte, byte))))


def wired(seed: int = 0, rate: float = 0.0, **options) -> tuple[Wire, BadWire]:
    noise = BadWire(seed, rate)
    board = MatrixBoard(8, 8, seed=seed, **options)
    return Wire(driver_of("matrix", SMALL, home_of(SMALL)), board, noise, noise), noise


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.01, 0.9), st.booleans())
def test_state_heals_after_any_noise(seed, rate, colour):
    wire, noise = wired(seed, rate, colour=colour)
    random = Random(seed)
    wire.start()
    for _ in range(20):
        wire.board.put(random.choice(SMALL.cells), random.choice((EMPTY, WHITE_MAN)), wire.now_ms)
        wire.show(((random.randrange(32), random.choice(list(Role))),))
        wire.run(random.randint(0, 400))
    noise.rate = 0.0
    square = random.randrange(32)
    wire.show(((square, Role.LIFT),))
    wire.run(HEAL_MS)
    assert wire.is_online
    assert agrees(wire, SMALL)
    assert wire.board.lamps(wire.now_ms) == {SMALL.cells[square]: "lift"}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.01, 0.5))
def test_no_view_is_ever_one_that_never_stood(seed, rate):
    """One piece walks; every view shows it on one square, or between two on none."""
    wire, _ = wired(seed, rate, debounce_ms=60)
    wire.start()
    for square in range(32):
        wire.board.put(SMALL.cells[square], WHITE_MAN, wire.now_ms)
        wire.run(200)
        wire.board.take(SMALL.cells[square], wire.now_ms)
        wire.run(200)
    for _, view in wire.views:
        assert sum(view.possible(square) != EMPTY for square in range(32)) <= 1
        assert view.stray == ()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 12), st.sampled_from(["confirm", "resign"]))
def test_no_press_is_lost_or_doubled(seed, presses, button):
    wire, noise = wired(seed, 0.0)
    wire.start().run(100)
    noise.rate = 0.4
    for _ in range(presses):
        wire.board.press(button, wire.now_ms)
        wire.run(30)
    noise.rate = 0.0
    wire.run(100)
    assert wire.pressed == [button] * presses


def test_presses_are_named():
    wire, _ = wired()
    wire.start().run(100)
    buttons = ["take_back", "new_game", "clock_white", "clock_black", "draw", "resign"]
    for button in buttons:
        wire.board.press(button, wire.now_ms)
        wire.run(50)
    assert wire.pressed == buttons


def test_a_restart_of_the_board_presses_nothing_and_lights_the_lamps_again():
    wire, _ = wired()
    wire.start().run(100)
    wire.board.press("confirm", wire.now_ms)
    wire.board.press("draw", wire.now_ms)
    wire.show(((4, Role.WRONG),))
    wire.run(100)
    wire.board.power_cycle(wire.now_ms)
    wire.run(1000)
    assert wire.pressed == ["confirm", "draw"]
    assert wire.online == [(0, True)]
    assert wire.board.lamps(wire.now_ms) == {SMALL.cells[4]: "wrong"}


def test_lamps_go_dark_without_a_host():
    wire, _ = wired()
    wire.start()
    wire.show(((4, Role.HINT),))
    wire.run(1000)
    assert wire.board.lamps(wire.now_ms + 3000) == {SMALL.cells[4]: "hint"}
    assert wire.board.lamps(wire.now_ms + 5500) == {}


def connected_link() -> tuple[Link, MatrixBoard]:
    board, host = MatrixBoard(8, 8, period_ms=500), Link()
    heard = host.receive(board.receive(host.start(0).send, 0), 0)
    assert heard.online is True
    host.receive(board.receive(heard.send, 0), 0)
    return host, board


def test_a_repeated_command_acts_once():
    host, board = connected_link()
    command = host.command(Buzzer(440, 50), 10)
    answers = board.receive(command, 10) + board.receive(command, 20)
    assert board.buzzes == 1
    host.receive(answers, 20)
    assert host.deadline_ms() == link.HEARTBEAT_MS


def test_a_command_without_answer_is_repeated_and_then_lost():
    host, _ = connected_link()
    sent = [host.command(Buzzer(440, 50), 0)]
    for turn in range(1, 5):
        assert host.deadline_ms() == turn * 250
        sent.append(host.tick(turn * 250).send[: len(sent[0])] if turn < 4 else host.tick(1000).send[-len(sent[0]) :])
    assert sent == [sent[0]] * 5
    assert host.tick(1250).lost == (Buzzer(440, 50),)
    assert host.counters.resent == 4
    assert ("command lost", 1) in host.counters.by_reason


def test_a_newer_lamp_command_replaces_the_older_and_others_wait():
    host, board = connected_link()
    host.command(Lamps(((1, Role.LIFT),)), 0)
    newest = host.command(Lamps(((2, Role.PLACE),)), 1)
    assert host.command(Buzzer(440, 50), 2) == b""
    heard = host.receive(board.receive(newest, 5), 5)
    assert board.lamps(5) == {(2, 0): "place"}
    board.receive(heard.send, 6)
    assert board.buzzes == 1


def test_an_absent_board_is_asked_every_two_seconds():
    host = Link()
    assert host.deadline_ms() is None
    host.start(100)
    for turn in range(1, 5):
        assert host.deadline_ms() == 100 + turn * 2000
        assert host.tick(100 + turn * 2000).send


def test_unknown_and_unfit_packets_are_counted_and_ignored():
    host, _ = connected_link()
    assert host.receive(encode(Packet(0x55, 1, b"new")) + encode(Packet(0x03, 1, b"")), 5).messages == ()
    assert host.counters.by_reason == (("bad payload", 1), ("unknown type", 1))


@pytest.mark.parametrize("waiting", [20])
def test_waiting_commands_are_bounded(waiting):
    host, _ = connected_link()
    for pitch in range(waiting):
        host.command(Buzzer(pitch, 1), 0)
    assert len(host._waiting) == link.MAX_WAITING
    assert dict(host.counters.by_reason)["command not sent"] == waiting - 1 - link.MAX_WAITING
