"""A worker for each board: owns its port and driver, turns bytes into events and cues into bytes."""

from __future__ import annotations

import importlib
import threading
import traceback
from contextlib import closing

from engine.rules import rules_for
from engine.ruleset import Ruleset
from firmware_bridge.driver import Counters, Cues, Output
from firmware_bridge.errors import PortLost
from firmware_bridge.serial_port import SerialPort
from station.config import BoardTable
from station.effects import Show
from station.errors import ConfigError
from station.events import DeviceLost, Event
from station.ports import BoardDriver
from station.runtime.desk import events_of
from station.runtime.loop import Loop, Outcome
from station.runtime.mailbox import Latest

REOPEN_S = 1.0
"""How long a worker waits before it looks for a lost port again."""
DGT_SIZES = ((8, 8), (10, 10))
"""Boards with a DGT-compatible link report 64 or 100 fields."""
READ_MS = 50
"""How long it waits for bytes before it looks into its mailbox."""


def driver_class(name: str) -> type[BoardDriver]:
    """The driver of a name: a module of `firmware_bridge.boards`, or a foreign module's dotted name."""
    try:
        module = importlib.import_module(name if "." in name else f"firmware_bridge.boards.{name}")
        driver: type[BoardDriver] = module.Driver
    except (ImportError, AttributeError, TypeError, ValueError, SyntaxError) as error:
        raise ConfigError(
            f"driver = {name!r}: expected matrix, dgt or a module with a class Driver: {error}"
        ) from error
    return driver


def misfit(driver: str, ruleset: Ruleset) -> str | None:
    """Why no board of a driver's kind has the size of a variant, in one sentence; None when there may be one."""
    size = (ruleset.columns, ruleset.rows)
    if driver != "dgt" or size in DGT_SIZES:
        return None
    return (
        f"variant = {ruleset.name!r}: found a board of {size[0]}x{size[1]}, expected 8x8 or 10x10: "
        "boards with driver 'dgt' have 64 or 100 fields"
    )


class BoardWorker:
    """One thread for one board. A port that is lost is looked for until it is back."""

    def __init__(self, table: BoardTable, loop: Loop) -> None:
        ruleset = table.ruleset
        home = rules_for(ruleset).start().contents
        self._table, self._loop = table, loop
        self._driver = driver_class(table.driver)(ruleset.geometry, home)
        self._cues: Latest[Cues] = Latest()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"board {table.id}", daemon=True)
        self._said = ""

    @property
    def id(self) -> str:
        """The board's name."""
        return self._table.id

    def counters(self) -> Counters:
        """Traffic and faults so far; from any thread."""
        return self._driver.counters

    def start(self) -> None:
        """Begin to look for the board."""
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Have the port let go of soon."""
        self._stopped.set()

    def stop(self) -> None:
        """Let go of the port."""
        self._stopped.set()
        self._thread.join(timeout=2)

    def hear(self, outcome: Outcome) -> None:
        """Take the cues for this board's lamps."""
        if outcome.board == self._table.id and self._table.lamps:
            for effect in outcome.effects:
                if isinstance(effect, Show):
                    self._cues.put(effect.cues)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                with closing(self._open()) as port:
                    self._serve(port)
            except PortLost as lost:
                self._lose(str(lost))
            except Exception as error:
                traceback.print_exc()
                self._lose(f"the driver {self._table.driver} failed: {error!r}")
            self._stopped.wait(REOPEN_S)

    def _open(self) -> SerialPort:
        if self._table.port:
            return SerialPort(self._table.port, self._driver.baud)
        return SerialPort.by_usb_serial(self._table.usb_serial, self._driver.baud)

    def _lose(self, reason: str) -> None:
        if reason != self._said:
            self._said = reason
            self._post(DeviceLost(self._loop.clock.now_ms(), reason))

    def _serve(self, port: SerialPort) -> None:
        self._said = ""
        self._carry(self._driver.start(self._loop.clock.now_ms()), port)
        while not self._stopped.is_set():
            data = port.read(self._wait_ms())
            now_ms = self._loop.clock.now_ms()
            if data:
                self._carry(self._driver.receive(data, now_ms), port)
            deadline = self._driver.deadline_ms()
            if deadline is not None and deadline <= now_ms:
                self._carry(self._driver.tick(now_ms), port)
            cues = self._cues.take()
            if cues is not None:
                self._carry(self._driver.show(cues, now_ms), port)
            self._report_problem(now_ms)

    def _wait_ms(self) -> int:
        deadline = self._driver.deadline_ms()
        return READ_MS if deadline is None else max(0, min(READ_MS, deadline - self._loop.clock.now_ms()))

    def _report_problem(self, now_ms: int) -> None:
        problem = self._driver.problem or ""
        if problem and problem != self._said:
            self._said = problem
            self._post(DeviceLost(now_ms, problem))

    def _carry(self, output: Output, port: SerialPort) -> None:
        if output.send:
            port.write(output.send)
        for event in events_of(output, self._driver, self._loop.clock.now_ms()):
            self._post(event)

    def _post(self, event: Event) -> None:
        self._loop.post(self._table.id, event)
