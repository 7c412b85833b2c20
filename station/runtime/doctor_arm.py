"""What `dambord doctor` finds of an arm: nothing of it moves."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace

from engine.geometry import Cell
from firmware_bridge.arm_driver import Failed, Found, Machine, Trouble
from firmware_bridge.errors import PortLost
from firmware_bridge.manipulations import Act, Lift, Slide
from firmware_bridge.motion import Motion
from firmware_bridge.serial_port import Listing
from station import announcements as say
from station.arm_config import ArmSetup
from station.checkup import Finding
from station.config import BoardTable
from station.handling.arm import DRY_RUN, NOT_MOVING
from station.runtime.arm_talk import ArmTalk, open_arm
from station.runtime.arms import arm_class
from station.runtime.lost_ports import listed, why_lost
from station.texts import Texts


@dataclass(frozen=True, slots=True)
class _Answer:
    found: Found | None
    failed: Failed | None
    told: tuple[Trouble, ...]


OTHER_DIALECT = {"grbl": "marlin", "marlin": "grbl"}


def examine_arm(table: BoardTable, texts: Texts, plugged: Listing) -> list[Finding]:
    """What is found of a board's arm, by asking it; nothing where no machine is configured."""
    setup = table.arm_setup
    if table.arm in ("", DRY_RUN, *NOT_MOVING) or setup is None:
        return []
    words = {
        "name": texts.say("doctor.arm_name", name=table.id),
        "place": setup.port or f"USB serial number {setup.usb_serial}",
        "ports": listed(plugged, texts),
        "file": table.arm_file,
    }

    def told(fault: str | None, key: str, **more: str) -> Finding:
        return Finding("arm", table.id, fault, texts.say(f"doctor.{key}", **{**words, **more}))

    def wrong(fault: str, **more: str) -> Finding:
        return told(fault, fault, **more)

    if setup.built is None:
        return [wrong("arm_no_file")]
    try:
        talk = _asked(table.arm, setup, setup.machine)
        if talk.found is not None:
            findings = [told(None, "arm", arm=talk.found.name)]
            findings += [wrong("arm_setting", reason=reason) for reason in talk.found.warnings]
            findings += [wrong(f"arm_{trouble.kind}", detail=trouble.detail) for trouble in talk.told]
            return findings + _of_calibration(table, setup, wrong)
        failed = talk.failed
        if failed is not None and failed.kind == "overload":
            return [wrong("arm_overload", detail=failed.reason)]
        other = _other_dialect(table.arm, setup)
    except PortLost as lost:
        fault, more = why_lost(setup.port, setup.usb_serial, lost, texts)
        return [wrong(fault, **more)]
    if other is not None:
        dialect, name = other
        return [wrong("arm_dialect", arm=name, found=setup.machine.dialect, wanted=dialect)]
    return [wrong("arm_silent", heard=failed.reason if failed is not None else texts.say("doctor.silence"))]


def _asked(kind: str, setup: ArmSetup, machine: Machine) -> _Answer:
    """What an arm says of itself; PortLost when its port cannot be used."""
    driver = arm_class(kind)(machine)
    with closing(open_arm(setup, driver)) as port:
        talk = ArmTalk(driver, setup.workspace, port, machine.home_s)
        told = talk.troubles() if talk.begin() else ()
        return _Answer(talk.found, talk.failed, told)


def _other_dialect(kind: str, setup: ArmSetup) -> tuple[str, str] | None:
    """The dialect in which a controller answers that does not in its own, and its name; None for none."""
    dialect = OTHER_DIALECT[setup.machine.dialect]
    if kind != "gcode":
        return None
    answer = _asked(kind, setup, replace(setup.machine, dialect=dialect))
    return None if answer.found is None else (dialect, answer.found.name)


def _of_calibration(table: BoardTable, setup: ArmSetup, wrong: Callable[..., Finding]) -> list[Finding]:
    """Whether the arm knows where the board lies, and reaches all of it."""
    if setup.settings.driver == DRY_RUN:
        return [wrong("arm_not_calibrated")]
    ruleset = table.ruleset
    motion = Motion(arm_class(table.arm)(setup.machine), setup.workspace)
    outs = [(square, motion.out_of_reach(_touching(cell, setup))) for square, cell in enumerate(ruleset.geometry.cells)]
    far = tuple(square for square, out in outs if out is not None)
    if not far:
        return []
    reason = next(out for _, out in outs if out is not None)
    return [wrong("arm_reach", squares=", ".join(say.names(far, ruleset)), reason=reason)]


def _touching(cell: Cell, setup: ArmSetup) -> Act:
    return Slide((cell,)) if setup.workspace.is_below else Lift(cell)
