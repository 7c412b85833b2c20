"""An arm of bus servos: packets to the byte, kinematics there and back, and what goes wrong on the bus."""

from __future__ import annotations

import math

import pytest

from firmware_bridge.arm_driver import Done, Failed, FindHome, Found, Go, Grip, Machine
from firmware_bridge.arms.feetech import Driver
from firmware_bridge.feetech_bus import Replies, ping, read, sync_write, write
from firmware_bridge.joints import Links, angles_for, tip_of
from firmware_bridge.simulator.carpentry import Timber, Tool, Workshop
from firmware_bridge.simulator.servo_bus import ServoBus

SENT = [
    (ping(1), "ff ff 01 02 01 fb", "ff ff 01 02 00 fc"),
    (read(1, 3, 2), "ff ff 01 04 02 03 02 f3", "ff ff 01 04 00 09 03 ee"),
    (read(1, 56, 2), "ff ff 01 04 02 38 02 be", "ff ff 01 04 00 00 08 f2"),
    (write(1, 40, 1), "ff ff 01 04 03 28 01 ce", "ff ff 01 02 00 fc"),
    (write(1, 42, 2200, 2), "ff ff 01 05 03 2a 98 08 2c", "ff ff 01 02 00 fc"),
    (
        sync_write(42, ((1, 2048), (2, 2048), (3, 2048))),
        "ff ff fe 0d 83 2a 02 01 00 08 02 00 08 03 00 08 27",
        "",
    ),
]
"""What the maker's own library sent, and a servo answered."""


@pytest.mark.parametrize(("packet", "sent", "answered"), SENT)
def test_packets_are_the_makers_to_the_byte(packet, sent, answered):
    assert packet.hex(" ") == sent
    assert ServoBus(Workshop(Timber(8, 8), Tool((0.0, 0.0, 0.0)))).receive(packet, 0).hex(" ") == answered


def test_replies_are_found_among_noise():
    reply = bytes.fromhex("ffff01040000 08f2".replace(" ", ""))
    replies = Replies()
    found = [item for byte in b"\x00\xff" + reply[:-1] + b"\x00" + reply for item in replies.feed(bytes((byte,)))]
    assert [(item.servo, item.errors, item.word) for item in found] == [(1, 0, 2048)]


@pytest.mark.parametrize("x", [90.0, 140.0, 200.0])
@pytest.mark.parametrize("y", [-120.0, 0.0, 60.0])
@pytest.mark.parametrize("z", [0.0, 40.0])
def test_angles_lead_back_to_the_point(x, y, z):
    links = Links()
    angles = angles_for(links, x, y, z)
    assert angles is not None
    assert math.dist(tip_of(links, angles), (x, y, z)) < 1e-9


def test_what_is_out_of_reach_has_no_angles():
    assert angles_for(Links(), 400.0, 0.0, 0.0) is None
    assert angles_for(Links(), 5.0, 0.0, 0.0) is None
    assert Driver(Machine()).out_of_reach(Go(400, 0, 0, 1000)) is not None
    assert Driver(Machine()).out_of_reach(Go(200, 0, 0, 1000)) is None


class Bus:
    """Driver and simulated servos in simulated time."""

    def __init__(self) -> None:
        self.bus = ServoBus(Workshop(Timber(8, 8), Tool((0.0, 0.0, 0.0))))
        self.driver, self.now, self.told = Driver(Machine()), 0, []
        self.hear(self.driver.start(0))

    def hear(self, output):
        while True:
            self.told += output.told
            answer = self.bus.receive(output.send, self.now) if output.send else b""
            if not answer:
                return
            output = self.driver.receive(answer, self.now)

    def run(self, order=None, limit_ms=20_000):
        """What comes of an order."""
        before = len(self.told)
        if order is not None:
            self.hear(self.driver.carry_out(order, self.now))
        end = self.now + limit_ms
        while len(self.told) == before and self.now < end:
            self.now += 5
            self.bus.tick(self.now)
            deadline = self.driver.deadline_ms()
            if deadline is not None and deadline <= self.now:
                self.hear(self.driver.tick(self.now))
        return self.told[before:]


def test_it_goes_where_it_is_sent_straight_and_grips():
    bus = Bus()
    assert bus.told == [Found("Feetech servos")]
    low = bus.bus.tip()[2]
    assert bus.run(FindHome()) == [Done()]
    assert bus.bus.tip()[2] > low
    for point in ((150.0, 0.0, 60.0), (150.0, 0.0, 10.0), (150.0, 80.0, 60.0)):
        assert bus.run(Go(*point, 3000)) == [Done()]
        assert math.dist(bus.bus.tip(), point) < 3.0
    assert bus.run(Grip(True)) == [Done()]
    assert bus.bus.workshop.tool.is_closed


def test_d19_goals_are_where_the_joints_are_before_they_get_strength():
    bus = Bus()
    before = {number: servo.position for number, servo in bus.bus.servos.items()}
    sent = bus.driver.carry_out(FindHome(), 0)
    while sent.send and not any(servo.torque for servo in bus.bus.servos.values()):
        sent = bus.driver.receive(bus.bus.receive(sent.send, 0), 0)
    goals = {number: servo.goal for number, servo in bus.bus.servos.items()}
    assert all(abs(goals[number] - before[number]) < 1 for number in before)


def test_nothing_moves_before_home():
    bus = Bus()
    assert [type(said) for said in bus.run(Go(150, 0, 60, 3000))] == [Failed]
    assert not bus.bus.is_moving


def test_d22_a_servo_that_is_missing_is_named():
    bus = Bus()
    bus.run(FindHome())
    bus.bus.servos[3].is_missing = True
    (failed,) = bus.run(Go(150, 0, 60, 3000))
    assert (failed.kind, failed.reason) == ("silent", "the elbow")


def test_d24_a_joint_without_strength_did_not_go_where_it_was_sent():
    bus = Bus()
    bus.run(FindHome())
    bus.bus.servos[2].is_limp = True
    (failed,) = bus.run(Go(200, 60, 40, 3000))
    assert failed.kind == "limp"
    assert "shoulder" in failed.reason


def test_an_overloaded_joint_is_named():
    bus = Bus()
    bus.run(FindHome())
    bus.bus.servos[2].is_overloaded = True
    (failed,) = bus.run(Go(200, 60, 40, 3000))
    assert (failed.kind, failed.reason) == ("overload", "the shoulder")


def test_a_garbled_answer_is_asked_for_again():
    bus = Bus()
    bus.run(FindHome())
    bus.bus.garbled = 2
    assert bus.run(Go(200, 60, 40, 3000)) == [Done()]


def test_a_halt_stops_it_within_a_step():
    bus = Bus()
    bus.run(FindHome())
    bus.run(Go(120, -60, 60, 3000))
    bus.hear(bus.driver.carry_out(Go(200, 60, 60, 3000), bus.now))
    bus.run(limit_ms=400)
    bus.hear(bus.driver.halt(bus.now))
    at = bus.bus.tip()
    bus.run(limit_ms=2000)
    assert math.dist(at, bus.bus.tip()) < 8.0
    assert math.dist(bus.bus.tip(), (200, 60, 60)) > 20
