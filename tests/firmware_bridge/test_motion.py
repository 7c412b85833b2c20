"""From acts to bytes: the gate, the box, the deadlines, for every driver; what a controller hears and does not hear."""

from __future__ import annotations

import math
import pkgutil
from dataclasses import replace
from importlib import import_module

import pytest

from firmware_bridge import arms
from firmware_bridge.arm_driver import NOTHING, Done, Failed, FindHome, Found, Go, Grip, Machine
from firmware_bridge.gcode_grbl import Grbl
from firmware_bridge.manipulations import Home, Lift, Park, Place, Remove
from firmware_bridge.motion import JobDone, JobFailed, Motion
from firmware_bridge.simulator.carpentry import Timber, Tool, Workshop
from firmware_bridge.simulator.grbl_axes import ChipFaults
from firmware_bridge.simulator.grbl_chip import GrblChip
from firmware_bridge.touched import CalibrationError, check_corners
from firmware_bridge.workspace import SHORT_MM, Workspace, in_short_lines

DRIVERS = sorted(module.name for module in pkgutil.iter_modules(arms.__path__))
SPACE = Workspace(
    8,
    8,
    near_left=(-300.0, -300.0),
    near_right=(-20.0, -300.0),
    far_left=(-300.0, -20.0),
    lowest=(-400.0, -400.0, -80.0),
    highest=(-1.0, -1.0, -1.0),
    park=(-310.0, -390.0, -20.0),
    board_z=-70.0,
    tray=((-350.0, -300.0), (-350.0, -260.0)),
    tray_z=-70.0,
    feed=30_000.0,
    plunge=12_000.0,
)
LIFT = (Lift((0, 1)), Place((1, 2)))


class Machinery:
    """A motion with a simulated GRBL controller, in simulated time."""

    def __init__(self, faults=None, space=SPACE) -> None:
        self.shop = Workshop(Timber(8, 8, 40.0, (-300.0, -300.0), board_z=-70.0, tray_z=-70.0), Tool((0.0, 0.0, 0.0)))
        self.chip = GrblChip(self.shop, (400.0, 400.0, 80.0), faults=faults)
        self.motion = Motion(import_module("firmware_bridge.arms.gcode").Driver(Machine()), space)
        self.now, self.told, self.sent = 0, [], b""
        self.hear(self.motion.start(0))
        self.hear(self.motion.receive(self.chip.opened(0), 0))
        self.run()

    def hear(self, output):
        while True:
            self.told += output.told
            self.sent += output.send
            answer = self.chip.receive(output.send, self.now) if output.send else b""
            if not answer:
                return
            output = self.motion.receive(answer, self.now)

    def begin(self, job, acts):
        self.hear(self.motion.begin(job, acts, 0, self.now))

    def run(self, limit_ms=30_000):
        """Until something is told."""
        before, end = len(self.told), self.now + limit_ms
        while len(self.told) == before and self.now < end:
            self.now += 10
            answer = self.chip.tick(self.now)
            if answer:
                self.hear(self.motion.receive(answer, self.now))
            deadline = self.motion.deadline_ms()
            if deadline is not None and deadline <= self.now:
                self.hear(self.motion.tick(self.now))
        return self.told[before:]

    def homed(self):
        self.begin(1, (Home(),))
        assert self.run() == [JobDone(1)]
        self.sent = b""
        return self


class Recorder:
    """A driver that is no machine: it keeps the orders that pass the gate."""

    baud, has_port = 0, False

    def __init__(self, machine=None) -> None:
        self.orders = []

    def start(self, now_ms):
        return NOTHING

    receive = tick = lambda self, *_: self.start(0)

    def deadline_ms(self):
        return None

    def carry_out(self, order, now_ms):
        self.orders.append(order)
        return self.start(0)

    halt = start

    def out_of_reach(self, order):
        return None


@pytest.mark.parametrize("name", DRIVERS)
def test_a7_no_driver_moves_with_the_gate_shut(name):
    driver = import_module(f"firmware_bridge.arms.{name}").Driver(Machine())
    motion = Motion(driver, SPACE)
    motion.start(0)
    motion.shut(10)
    for acts in ((Home(),), LIFT, (Park(),)):
        output = motion.begin(7, acts, 0, 20)
        assert output.send == b""
        assert [said.failed.kind for said in output.told] == ["stopped"]
    motion.open()
    assert motion.tick(30).send in (b"", b"\x18")
    assert not motion.is_moving


@pytest.mark.parametrize("name", DRIVERS)
def test_every_driver_halts_from_every_state_without_a_fault(name):
    driver = import_module(f"firmware_bridge.arms.{name}").Driver(Machine())
    driver.halt(0)
    driver.start(10)
    driver.halt(20)
    driver.carry_out(Grip(True), 30)
    driver.halt(40)
    driver.halt(50)
    assert driver.tick(60) is not None


def test_a_job_under_way_when_the_stop_is_pressed_does_not_go_on_when_it_is_let_go():
    machinery = Machinery().homed()
    machinery.begin(2, LIFT)
    machinery.run(200)
    machinery.hear(machinery.motion.shut(machinery.now))
    assert [said.failed.kind for said in machinery.told if isinstance(said, JobFailed)] == ["stopped"]
    machinery.run(3000)
    machinery.motion.open()
    moves = machinery.chip.moves
    machinery.run(5000)
    assert machinery.chip.moves == moves
    assert not machinery.chip.is_moving


def test_d9_a_plan_that_leaves_the_box_anywhere_is_refused_before_the_first_motion():
    driver = Recorder()
    motion = Motion(driver, SPACE)
    output = motion.begin(3, (Lift((0, 1)), Remove((2, 3), 9)), 0, 0)
    assert output.told[0].failed.kind == "unreachable"
    assert "slot 9" in output.told[0].failed.reason
    low = replace(SPACE, highest=(-30.0, -1.0, -1.0))
    output = Motion(driver, low).begin(3, (Lift((0, 1)), Place((7, 2))), 0, 0)
    assert "x = -20.00 mm" in output.told[0].failed.reason
    assert driver.orders == []
    assert low.fault() is not None
    assert SPACE.fault() is None


def test_d18_an_order_that_never_ends_is_given_up():
    driver = Recorder()
    motion = Motion(driver, SPACE)
    motion.begin(3, LIFT, 0, 0)
    deadline = motion.deadline_ms()
    assert deadline is not None
    assert motion.tick(deadline - 1).told == ()
    (failed,) = motion.tick(deadline).told
    assert (failed.job, failed.failed.kind) == (3, "silent")
    assert motion.deadline_ms() is None


def test_d3_no_waypoint_is_long_and_one_alone_is_with_the_controller():
    lines = in_short_lines((0.0, 0.0, 0.0), Go(200.0, 0.0, 0.0, 1000.0))
    assert len(lines) == math.ceil(200 / SHORT_MM)
    assert lines[-1] == Go(200.0, 0.0, 0.0, 1000.0)
    driver = Recorder()
    Motion(driver, SPACE).begin(3, LIFT, 0, 0)
    assert len(driver.orders) == 1


def test_b1_corrections_lie_between_the_points_that_were_touched():
    nine = ((0.0, 0.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 2.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (-1.0, 0.0))
    space = replace(SPACE, corrections=nine)
    for spot, off in (
        ((0, 0), (0, 0)),
        ((3.5, 0), (1, 0)),
        ((3.5, 3.5), (0, 2)),
        ((7, 7), (-1, 0)),
        ((1.75, 0), (0.5, 0)),
    ):
        plain, found = SPACE.xy(spot), space.xy(spot)
        assert found == pytest.approx((plain[0] + off[0], plain[1] + off[1]))


def test_b10_corners_that_are_no_board_are_refused_by_how_much():
    check_corners(SPACE, (-20.5, -20.5))
    with pytest.raises(CalibrationError, match=r"skew: .*off 5\.00"):
        check_corners(SPACE, (-20.0, -25.0))
    with pytest.raises(CalibrationError, match="cells"):
        check_corners(replace(SPACE, far_left=(-300.0, -6.0)), (-20.0, -6.0))
    with pytest.raises(CalibrationError, match="lean"):
        check_corners(replace(SPACE, far_left=(-280.0, -20.7)), (0.0, -20.7))


def test_d1_and_d2_after_the_port_is_opened_it_waits_for_the_greeting_and_nothing_is_switched_on():
    machinery = Machinery()
    assert [type(said) for said in machinery.told] == [Found]
    assert b"M8" not in machinery.sent
    assert b"G53" not in machinery.sent
    machinery.begin(2, LIFT)
    assert machinery.told[-1].failed.kind in ("alarm", "error")
    machinery.homed()
    machinery.begin(3, LIFT)
    assert machinery.run() == [JobDone(3)]


def test_d7_after_an_alarm_it_resets_and_looks_for_home_and_never_unlocks():
    machinery = Machinery(ChipFaults(alarm_at_move=2)).homed()
    machinery.begin(2, LIFT)
    (failed,) = machinery.run()
    assert failed.failed.kind == "alarm"
    assert failed.failed.is_lost
    machinery.begin(3, (Home(),))
    assert machinery.run() == [JobDone(3)]
    assert b"\x18" in machinery.sent
    assert b"$H" in machinery.sent
    assert b"$X" not in machinery.sent


def test_d13_motors_that_go_limp_are_warned_of():
    driver = Grbl(Machine())
    driver.start(0)
    driver.receive(b"Grbl 1.1h ['$' for help]\r\n", 10)
    driver.tick(300)
    output = driver.receive(b"$1=25\r\n$20=0\r\n$22=0\r\nok\r\n", 310)
    (found,) = output.told
    assert [warning.split(" ")[0] for warning in found.warnings] == ["$22", "$20", "$1"]


def test_b7_what_nobody_understands_is_no_ok():
    driver = Grbl(Machine())
    driver.start(0)
    driver.receive(b"grblHAL 1.1f ['$' or '$HELP' for help]\r\n", 10)
    driver.tick(300)
    driver.receive(b"ok\r\n", 310)
    driver.carry_out(FindHome(), 320)
    for line in (b"okk", b"o", b"k", b"<Idle|MPos:0.000,0.000,0.000|H:1,3|TLR:0>", b"[MSG:x]", b">:ok"):
        assert driver.receive(line + b"\r\n", 330).told == ()
    assert driver.unknown == 3
    failed = driver.receive(b"error:5\r\n", 340).told
    assert [type(said) for said in failed] == [Failed]


def test_d15_where_it_stands_is_compared_with_where_it_was_sent():
    driver = Grbl(Machine())
    driver.start(0)
    driver.receive(b"Grbl 1.1h ['$' for help]\r\n", 10)
    driver.tick(300)
    driver.receive(b"ok\r\n", 310)
    driver.carry_out(Go(-10.0, -10.0, -5.0, 1000.0), 400)
    driver.receive(b"ok\r\nok\r\n", 410)
    (failed,) = driver.receive(b"<Idle|MPos:-10.000,-10.300,-5.000|FS:0,0>\r\n", 420).told
    assert failed.kind == "missed"
    driver.carry_out(Go(-10.0, -10.0, -5.0, 1000.0), 500)
    driver.receive(b"ok\r\nok\r\n", 510)
    assert driver.receive(b"<Idle|WPos:0.000,0.000,0.000|WCO:-10.000,-10.000,-5.000>\r\n", 520).told == (Done(),)
