"""The buttons `draw` and `resign` of the reference board, told in KEYS."""

from __future__ import annotations

from engine.ruleset import load_ruleset
from firmware_bridge.boards.matrix import Driver
from firmware_bridge.messages import Capability, Hello, Keys, Sensors, payload_of
from firmware_bridge.packets import Packet, encode


class Board:
    """Packets of a board with further buttons, one at a time."""

    def __init__(self):
        self.driver, self.sequence, self.now_ms = Driver(load_ruleset("russian").geometry), 0, 0
        self.driver.start(0)
        self.send(Hello(1, Capability.KEYS, 8, 8, Sensors.ALL, b"12345678", (1, 0, 0)))

    def send(self, message):
        self.sequence, self.now_ms = self.sequence + 1, self.now_ms + 20
        type_, payload = payload_of(message)
        return self.driver.receive(encode(Packet(type_, self.sequence, payload)), self.now_ms).pressed


def test_presses_are_the_difference_of_counters():
    board = Board()
    assert board.send(Keys(0, (7, 255))) == ()
    assert board.send(Keys(0, (7, 255))) == ()
    assert board.send(Keys(0, (8, 255))) == ("draw",)
    assert board.send(Keys(0, (8, 1))) == ("resign", "resign")


def test_a_restart_and_a_late_copy_press_nothing():
    board = Board()
    board.send(Keys(0, (3, 1)))
    assert board.send(Keys(1, (0, 0))) == ()
    assert board.send(Keys(1, (1, 0))) == ("draw",)
    assert board.send(Keys(1, (0, 0))) == ()
    assert board.send(Keys(1, (1, 0))) == ()


def test_a_board_may_have_fewer_buttons_or_more_than_are_known():
    board = Board()
    assert board.send(Keys(0, (0,))) == ()
    assert board.send(Keys(0, (1,))) == ("draw",)
    board.send(Keys(1, (0, 0, 0)))
    assert board.send(Keys(1, (0, 0, 5))) == ()
    assert board.send(Keys(1, (0, 1, 5))) == ("resign",)
