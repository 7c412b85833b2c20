"""A desk: one board's driver, session and journal joined, with time still an argument.

The running service and the simulation both play at desks; only what carries the bytes differs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from firmware_bridge.driver import Output
from station.effects import Announce, Effect
from station.events import BoardSeen, DeviceBack, DeviceLost, Event, Pressed
from station.journal import Header, encode_effect, encode_event, encode_header
from station.ports import BoardDriver
from station.session import step
from station.state import Session


class JournalFile:
    """A journal being written. What is announced is on the disk before `append` returns."""

    def __init__(self, path: Path, header: Header, durable: bool = True) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._durable = durable
        self._file: BinaryIO = path.open("xb", buffering=1 << 16)
        self._write(encode_header(header), sync=True)

    def append(self, event: Event, effects: tuple[Effect, ...]) -> None:
        """Write an event and what came of it."""
        announces = any(isinstance(effect, Announce) for effect in effects)
        self._write(encode_event(event) + b"".join(encode_effect(effect) for effect in effects), sync=announces)

    def close(self) -> None:
        """Write out what is left."""
        self._file.close()

    def _write(self, data: bytes, sync: bool) -> None:
        self._file.write(data)
        if sync and self._durable:
            self._file.flush()
            os.fsync(self._file.fileno())


@dataclass(slots=True)
class Desk:
    """One board's session and its journal."""

    session: Session
    journal: JournalFile | None = None

    def handle(self, event: Event) -> tuple[Effect, ...]:
        """Step, then write down event and effects; the effects may be carried out once this returns."""
        self.session, effects = step(self.session, event)
        if self.journal is not None:
            self.journal.append(event, effects)
        return effects


def events_of(output: Output, driver: BoardDriver, at_ms: int) -> list[Event]:
    """What a driver's output means to a session."""
    happened: list[Event] = []
    if output.online is True and driver.device is not None:
        happened.append(DeviceBack(at_ms, driver.device))
    elif output.online is False:
        happened.append(DeviceLost(at_ms, driver.problem or "the board has gone silent"))
    happened += [BoardSeen(at_ms, view) for view in output.views]
    happened += [Pressed(at_ms, button) for button in output.pressed]
    return happened
