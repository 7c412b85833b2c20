"""`dambord doctor` on arms: every fault planted behind a real port is named, with what to do; nothing moves."""

from __future__ import annotations

import json
import os
import stat

import pytest

from firmware_bridge.simulator.carpentry import Timber, Tool, Workshop
from firmware_bridge.simulator.grbl_chip import GrblChip
from firmware_bridge.simulator.marlin_board import MarlinBoard
from firmware_bridge.simulator.pty_wire import PtyWire
from firmware_bridge.simulator.servo_bus import ServoBus
from station.runtime.cli import main

PLACED = "near_left = [-300.0, -300.0]\nnear_right = [-20.0, -300.0]\nfar_left = [-300.0, -20.0]\nboard_z = -70.0\n"
GANTRY = """
port = "{port}"
[machine]
dialect = "{dialect}"
[tool]
crown = "ask"
[workspace]
lowest = [-400.0, -400.0, -80.0]
highest = [-1.0, -1.0, -1.0]
park = [-310.0, -390.0, -20.0]
tray_z = -70.0
tray = [[-350.0, -300.0], [-350.0, -260.0], [-350.0, -220.0]]
"""
SERVOS = """
port = "{port}"
[tool]
crown = "ask"
diameter_mm = 15.0
[workspace]
near_left = [{x}, 70.0]
near_right = [{x}, -70.0]
far_left = [{far}, 70.0]
lowest = [50.0, -250.0, 0.0]
highest = [400.0, 250.0, 150.0]
park = [150.0, -140.0, 90.0]
carry_mm = 30.0
tray = [[150.0, -140.0]]
"""


def workshop():
    return Workshop(Timber(8, 8), Tool((0.0, 0.0, 0.0)))


def chip(**settings):
    device = GrblChip(workshop())
    device.power(0)
    for number, value in settings.items():
        device.receive(f"{number.replace('_', '$')}={value}\n".encode(), 1000)
    return device


@pytest.fixture
def findings(tmp_path, capsys):
    """What the doctor finds of an arm, by its file."""

    def examine(text, device=None, arm="gcode", words=None):
        path = tmp_path / "arm"
        (tmp_path / "arm.toml").write_text(text.format(port=path, **{"dialect": "grbl", **(words or {})}))
        (tmp_path / "station.toml").write_text(
            f'[station]\ndata = "{tmp_path}/data"\n[[boards]]\nid = "table-1"\ndriver = "matrix"\n'
            f'port = "{tmp_path}/none"\nvariant = "russian"\narm = "{arm}"\n'
            + ('arm_file = "arm.toml"\n' if text else "")
        )
        wire = PtyWire(device, path) if device is not None else None
        try:
            code = main(["doctor", "--config", str(tmp_path / "station.toml"), "--json"])
        finally:
            if wire is not None:
                wire.close()
        assert code == 1, "the board itself is not there"
        told = json.loads(capsys.readouterr().out)["findings"]
        found = [finding for finding in told if finding["part"] == "arm"]
        assert all(finding["sentence"].startswith("table-1, its arm: ") for finding in found)
        return {finding["fault"]: finding["sentence"] for finding in found}

    return examine


def test_an_arm_in_order_is_said_to_be(findings):
    device = chip()
    found = findings(GANTRY + PLACED, device)
    assert set(found) == {None}
    assert "Grbl 1.1h answers at" in found[None]
    assert device.moves == 0


def test_an_arm_that_was_not_shown_its_board_is_told_how(findings):
    found = findings(GANTRY, chip())
    assert set(found) == {None, "arm_not_calibrated"}
    assert "dambord calibrate arm" in found["arm_not_calibrated"]


def test_an_arm_without_a_file_is_told_where_examples_are(findings):
    assert "deploy/arms" in findings("")["arm_no_file"]


def test_ports_that_cannot_be_used(findings, tmp_path):
    assert "nothing is plugged in" in findings(GANTRY + PLACED)["board_not_found"]
    (tmp_path / "arm").write_bytes(b"")
    if os.geteuid():
        (tmp_path / "arm").chmod(stat.S_IRUSR & 0)
        assert "usermod" in findings(GANTRY + PLACED)["no_permission"]
    else:
        assert "cannot be used as a serial port" in findings(GANTRY + PLACED)["no_port"]


def test_a_port_that_another_program_has_is_named_with_it(findings, tmp_path):
    from firmware_bridge.serial_port import SerialPort  # noqa: PLC0415

    with PtyWire(chip(), tmp_path / "other") as wire:
        taken = SerialPort(str(wire.path), 115200)
        try:
            found = findings((GANTRY + PLACED).replace("{port}", str(wire.path)))
        finally:
            taken.close()
    assert "is in use by" in found["port_taken"]


@pytest.mark.parametrize(("pin", "fault"), [("reset", "arm_stop"), ("limit", "arm_limit")])
def test_a_stop_or_an_end_stop_that_is_open_is_named(findings, pin, fault):
    device = chip()
    device.pin(pin, True, 100)
    found = findings(GANTRY + PLACED, device)
    assert set(found) == {None, fault}
    assert "wire is broken" in found[fault]


def test_settings_that_are_no_good_are_named(findings):
    found = findings(GANTRY + PLACED, chip(_1=25))
    assert "$1 = 25: expected 255" in found["arm_setting"]


def test_a_controller_of_another_dialect_is_told_from_one_that_is_silent(findings):
    found = findings(GANTRY + PLACED, MarlinBoard(workshop()))
    assert 'Write dialect = "marlin" under [machine] in arm.toml' in found["arm_dialect"]
    found = findings(GANTRY + PLACED, Mute())
    assert "is the emergency stop let go" in found["arm_silent"]


class Mute:
    """A wire at whose other end nobody is."""

    def receive(self, data, now_ms):
        return b""

    def tick(self, now_ms):
        return b""

    def deadline_ms(self):
        return None


def near(**more):
    return {"x": 110.0, "far": 250.0, **more}


def test_servos_in_order_and_what_they_complain_of(findings):
    assert set(findings(SERVOS, ServoBus(workshop()), "feetech", near())) == {None}
    bus = ServoBus(workshop())
    bus.servos[2].errors, bus.servos[2].volts = 0x01, 48
    bus.servos[3].degrees = 71
    bus.servos[4].errors = 0x08
    found = findings(SERVOS, bus, "feetech", near())
    assert "shoulder 4.8 V" in found["arm_voltage"]
    assert "elbow 71 °C" in found["arm_heat"]
    assert "overloaded: wrist" in found["arm_overload"]


def test_a_servo_that_is_missing_or_overloaded_is_named(findings):
    bus = ServoBus(workshop())
    bus.servos[3].is_missing = True
    assert "the elbow" in findings(SERVOS, bus, "feetech", near())["arm_silent"]
    bus = ServoBus(workshop())
    bus.servos[2].is_overloaded = True
    assert "the shoulder" in findings(SERVOS, bus, "feetech", near())["arm_overload"]


def test_squares_that_the_joints_do_not_reach_are_named(findings):
    found = findings(SERVOS, ServoBus(workshop()), "feetech", {"x": 180.0, "far": 320.0})
    assert "it does not reach" in found["arm_reach"]
    assert "h8" in found["arm_reach"]
    assert "c1" not in found["arm_reach"].split("(")[0]
