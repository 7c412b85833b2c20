"""What the `info` topic tells of a station: its boards, what they can do, and how their hardware is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.ruleset import variant_names
from station.config import Config
from station.runtime.version import PROGRAM, VERSION
from station.state import Session


def info(config: Config, sessions: Mapping[str, Session], is_saved: bool) -> dict[str, Any]:
    """The payload, of the boards whose sessions are known."""
    house_rules = dict.fromkeys(house.name for table in config.boards for house in table.house_rules)
    cameras = {table.id for table in config.boards if table.driver == "camera"}
    return {
        "version": VERSION,
        "program": PROGRAM,
        "variants": (*variant_names(), *house_rules),
        "boards": {table.id: {"variant": table.variant, "driver": table.driver} for table in config.boards},
        "capabilities": {
            board: [*_capabilities(session), *(["camera"] if board in cameras else [])]
            for board, session in sessions.items()
        },
        "saving": is_saved,
        "devices": {board: _device(session) for board, session in sessions.items()},
    }


def _device(session: Session) -> dict[str, Any]:
    found = "searching" if session.device is None else "found"
    return {
        "state": "lost" if session.device is not None and session.problem else found,
        "device": msgspec.to_builtins(session.device),
        "problem": session.problem or None,
    }


def _capabilities(session: Session) -> list[str]:
    device = session.device
    abilities = {
        "colour": device is not None and device.colour,
        "identity": device is not None and device.identity,
        "lamps": device is not None and device.lamps,
        "arm": session.arm is not None,
    }
    return [name for name, able in abilities.items() if able]
