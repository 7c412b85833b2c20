"""A desk: one board's driver, session and journal joined, with time still an argument.

The running service and the simulation both play at desks; only what carries the bytes differs.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from engine.notation import square_name
from engine.position import Piece
from firmware_bridge.driver import ClockTimes, Output
from station.effects import Announce, Effect
from station.events import BatteryTold, BoardSeen, ClockTold, DeviceBack, DeviceLost, Event, Pressed, StopTold
from station.journal import Header, encode_effect, encode_event, encode_header
from station.phases import Answering
from station.ports import BoardDriver
from station.session import step
from station.state import Session
from station.tracker import Ambiguous, Astray

BUFFER_BYTES = 1 << 16


class JournalFile:
    """A journal being written. What is announced is on the disk before `append` returns, unless the disk refuses.

    What a full or failing disk does not take is kept in memory, and written as soon as it can be; play goes on.
    """

    def __init__(self, path: Path, header: Header, durable: bool = True) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._durable = durable
        self._pending = bytearray(encode_header(header))
        self._file: FileIO = path.open("xb", buffering=0)
        self._fault = ""
        try:
            self._write_out()
            if durable:
                _sync_folder(path.parent)
        except OSError:
            self._file.close()
            raise

    @property
    def is_saved(self) -> bool:
        """Whether everything announced is on the disk."""
        return not self._fault

    def append(self, event: Event, effects: tuple[Effect, ...]) -> None:
        """Write an event and what came of it."""
        self._pending += encode_event(event)
        for effect in effects:
            self._pending += encode_effect(effect)
        announces = any(isinstance(effect, Announce) for effect in effects)
        if (announces and self._durable) or self._fault or len(self._pending) >= BUFFER_BYTES:
            self.flush()

    def close(self) -> None:
        """Write out what is left."""
        self.flush()
        self._file.close()

    def flush(self) -> None:
        """Write out what is pending; a disk that refuses is named, and tried again with the next event."""
        try:
            self._write_out()
        except OSError as error:
            self._complain(error.strerror or str(error))
        else:
            self._complain("")

    def _write_out(self) -> None:
        while self._pending:
            del self._pending[: self._file.write(self._pending)]
        if self._durable:
            os.fsync(self._file.fileno())

    def _complain(self, fault: str) -> None:
        if fault != self._fault:
            print(f"{self.path}: {f'not saving: {fault}' if fault else 'saving again'}", file=sys.stderr)
        self._fault = fault


def _sync_folder(folder: Path) -> None:
    """Have the disk know a folder's new entries."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@dataclass(slots=True)
class Desk:
    """One board's session and its journal."""

    session: Session
    journal: JournalFile | None = None

    @property
    def is_saved(self) -> bool:
        """Whether everything announced so far is on the disk."""
        return self.journal is None or self.journal.is_saved

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
    if output.battery is not None:
        happened.append(BatteryTold(at_ms, output.battery))
    if output.clock is not None:
        happened.append(ClockTold(at_ms, output.clock))
    if output.stopped is not None:
        happened.append(StopTold(at_ms, output.stopped))
    happened += [BoardSeen(at_ms, view) for view in output.views]
    happened += [Pressed(at_ms, button) for button in output.pressed]
    return happened


def looked_for(session: Session) -> tuple[Piece, ...] | None:
    """The position since which a board should tell what was done out of sight; None where nothing is unclear.

    A board that stands still and that no story explains is unclear, or one that several do.
    """
    memory, waits_ms = session.memory, session.settings.pace.illegal
    is_still = memory.firm and session.at_ms - memory.since_ms >= waits_ms
    is_unclear = isinstance(session.reading, Astray | Ambiguous)
    return session.game.position.contents if memory.blind and is_still and is_unclear else None


def clock_told(session: Session) -> tuple[ClockTimes, int] | None:
    """What the game's clocks showed at which moment, for a clock at the board; None where the game has none."""
    clocks = session.clocks
    if clocks is None:
        return None
    white_ms, black_ms = clocks.left
    return ClockTimes(white_ms, black_ms, clocks.running), clocks.since_ms


def spoken(session: Session) -> str:
    """The reply that is to be made on the board, as its two ends; empty while none is shown."""
    match session.phase:
        case Answering(move=move, shown_ms=shown_ms) if session.at_ms >= shown_ms:
            ruleset = session.game.ruleset
            ends = (square_name(square, ruleset) for square in (move.from_square, move.to_square))
            return (ruleset.capture_sign if move.is_capture else "-").join(ends)
    return ""
