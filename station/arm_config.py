"""The file of an arm, as its calibration writes it, read into frozen values; each fault is one sentence."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import msgspec

from engine.ruleset import Ruleset
from firmware_bridge.arm_driver import Machine
from firmware_bridge.touched import Calibrated
from firmware_bridge.workspace import Workspace
from station.errors import ConfigError
from station.handling.arm import DRY_RUN, ArmSettings
from station.handling.plans import Tool
from station.handling.routes import RIM

CROWNS = ("swap", "stack", "flip", "ask")
GAP_MM = 2.0
"""What is left free at least between a jaw and the piece beside it."""

_Kind = TypeVar("_Kind")


@dataclass(frozen=True, slots=True)
class ToolTable:
    """[tool]: what the arm holds pieces with, and the pieces."""

    crown: str = "ask"
    carries: int = 1
    highest: int = 3
    slides: bool = False
    jaw_mm: float = 0.0
    """How thick the part is that goes down beside a piece; 0 for suction and magnets."""
    diameter_mm: float = 30.0
    """Of the pieces."""
    spares: int = 2


@dataclass(frozen=True, slots=True)
class ArmSetup:
    """An arm: where it is plugged in, how it is built, where the board lies, what its planner knows."""

    settings: ArmSettings
    workspace: Workspace
    machine: Machine = field(default_factory=Machine)
    port: str = ""
    usb_serial: str = ""
    built: Workspace | None = None
    """The space as the file has it, before a calibration; None without a file."""

    def to_be_shown(self, driver: str) -> ArmSetup:
        """The arm as its file has it, to be shown where the board lies."""
        assert self.built is not None
        return replace(self, settings=replace(self.settings, driver=driver), workspace=self.built)


def plain_setup(driver: str, ruleset: Ruleset) -> ArmSetup:
    """An arm that nobody has calibrated: its ways are worked out over a board with cells of 40 mm, and not gone."""
    columns, rows = ruleset.columns, ruleset.rows
    right, far = 40.0 * (columns - 1), 40.0 * (rows - 1)
    tray = tuple((-60.0 - 36.0 * column, 36.0 * row) for column in range(4) for row in range(rows))
    workspace = Workspace(
        columns,
        rows,
        near_left=(0.0, 0.0),
        near_right=(right, 0.0),
        far_left=(0.0, far),
        lowest=(-300.0, -100.0, -5.0),
        highest=(right + 100.0, far + 100.0, 100.0),
        park=(-60.0, -60.0, 60.0),
        tray=tray,
    )
    settings = ArmSettings(driver if driver in ("human", "leds") else DRY_RUN, Tool(crown="ask"), len(tray), 0)
    return ArmSetup(settings, workspace)


def read_arm(text: str, where: str, driver: str, ruleset: Ruleset, known: Calibrated | None = None) -> ArmSetup:
    """The arm that a TOML text states, its board where the calibration found it; a dry run while that is not known.

    ConfigError names file, key, what was found and what was expected.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not TOML: {error}") from error
    keys = ("port", "usb_serial", "machine", "tool", "workspace")
    for key in tables:
        if key not in keys:
            raise ConfigError(f"{where}: {key}: no such key{_nearest(key, keys)}")
    machine = _section(Machine, tables.get("machine", {}), f"{where}: machine")
    tool = _section(ToolTable, tables.get("tool", {}), f"{where}: tool")
    size = {"columns": ruleset.columns, "rows": ruleset.rows}
    space = _section(Workspace, {**tables.get("workspace", {}), **size}, f"{where}: workspace")
    built = replace(space, is_below=tool.slides)
    is_known = known is not None and (known.columns, known.rows) == (ruleset.columns, ruleset.rows)
    space = known.placed(built) if known is not None and is_known else built
    fault = _tool_fault(tool, machine)
    if space.is_placed:
        fault = fault or space.fault() or _size_fault(tool, space, ruleset)
    else:
        driver, space = DRY_RUN, replace(plain_setup(DRY_RUN, ruleset).workspace, is_below=tool.slides)
    if fault:
        raise ConfigError(f"{where}: {fault}{'; or calibrate the arm again' if is_known else ''}")
    slots = RIM * ruleset.rows if tool.slides else len(space.tray)
    diameter = tool.diameter_mm / space.pitch_mm
    planned = Tool(tool.slides, False, tool.carries, tool.highest, tool.crown, diameter)
    settings = ArmSettings(driver, planned, slots, tool.spares)
    port, usb_serial = str(tables.get("port", "")), str(tables.get("usb_serial", ""))
    if bool(port) == bool(usb_serial):
        found = "both" if port else "neither"
        raise ConfigError(f"{where}: found {found} of port and usb_serial, expected one of them")
    return ArmSetup(settings, space, machine, port, usb_serial, built)


def _tool_fault(tool: ToolTable, machine: Machine) -> str | None:
    if tool.crown not in CROWNS:
        return f"tool: crown = {tool.crown!r}: expected one of {', '.join(CROWNS)}"
    if tool.crown == "flip":
        return "tool: crown = 'flip': no tool that is known turns pieces over, expected swap, stack or ask"
    if tool.slides and tool.crown != "ask":
        return f"tool: crown = {tool.crown!r}: expected 'ask': a magnet under the board lifts no piece"
    if machine.dialect not in ("grbl", "marlin"):
        return f"machine: dialect = {machine.dialect!r}: expected grbl or marlin"
    return None


def _size_fault(tool: ToolTable, space: Workspace, ruleset: Ruleset) -> str | None:
    """What of pieces, jaw and tray does not fit a board whose place is known."""
    if not 0 < tool.diameter_mm < space.pitch_mm:
        return f"tool: diameter_mm = {tool.diameter_mm:g}: expected less than a cell, {space.pitch_mm:g} mm"
    apart = space.pitch_mm * (1.0 if ruleset.corner == "all" else 2**0.5)
    gap = apart - tool.diameter_mm
    if tool.jaw_mm and tool.jaw_mm > gap - GAP_MM:
        return (
            f"tool: jaw_mm = {tool.jaw_mm:g}: found {gap:.1f} mm between two pieces, expected a jaw of at most "
            f"{gap - GAP_MM:.1f} mm; suction or a magnet needs no gap"
        )
    needed = tool.spares * 2 + 1
    if tool.crown in ("swap", "stack") and len(space.tray) < needed:
        return (
            f"workspace: tray = {len(space.tray)} slots: expected at least {needed}, for the spare pieces and one more"
        )
    return None


def _section(kind: type[_Kind], table: Mapping[str, Any], where: str) -> _Kind:
    known = tuple(item.name for item in fields(kind))  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            raise ConfigError(f"{where}: {key} = {table[key]!r}: no such key{_nearest(key, known)}")
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {error}") from error


def _nearest(key: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(key, known, 1)
    return f", the nearest is {close[0]}" if close else f", expected one of {', '.join(known)}"
