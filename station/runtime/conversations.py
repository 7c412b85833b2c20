"""A talk with one board, outside a running station: for `dambord doctor` and `dambord calibrate board`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.rules import rules_for
from engine.view import BoardView
from firmware_bridge.driver import Cues, Device, Output
from firmware_bridge.gpio import GpioPort
from firmware_bridge.serial_port import Listing, SerialPort
from station.config import BoardTable
from station.ports import BoardDriver, OneOfMany, Port
from station.runtime.boards import called, driver_class
from station.runtime.clock import Clock
from station.runtime.places import paths_of

ANSWER_MS = 6_000
"""A board that has not answered after this time will not."""
READ_MS = 20


def open_port(table: BoardTable, driver: BoardDriver, listing: Listing) -> Port:
    """The port of a board; PortLost when it is not there or cannot be opened."""
    if table.pins is not None:
        return GpioPort(table.pins)
    if table.driver == "camera":
        from station.runtime.camera_port import CameraPort

        return CameraPort(table.port)
    return SerialPort(paths_of(table, lambda: listing)[0], driver.baud)


def new_driver(table: BoardTable, turned: int | None = None) -> BoardDriver:
    """A driver for a board, as the station would make it; `turned` counts where the configuration is silent."""
    ruleset = table.ruleset
    kind, home = driver_class(table.driver), rules_for(ruleset).start().contents
    turned = turned if table.turned is None else table.turned
    driver = kind(ruleset.geometry, home) if turned is None else kind(ruleset.geometry, home, turned=turned)
    return called(driver, table)


@dataclass
class Conversation:
    """A driver at its open port; what came out of it so far."""

    driver: BoardDriver
    port: Port
    clock: Clock = field(default_factory=Clock)
    views: list[BoardView] = field(default_factory=list)
    pressed: list[str] = field(default_factory=list)
    heard_bytes: int = 0
    is_online: bool = False
    is_stopped: bool = False
    """Whether the board's emergency stop is pressed."""

    @property
    def device(self) -> Device | None:
        """What the board said of itself, None before it answered."""
        return self.driver.device

    def begin(self) -> bool:
        """Asks who is there; whether a board answered that can be used."""
        self.take(self.driver.start(self.clock.now_ms()))
        self.run(ANSWER_MS, lambda: self.is_online or self.driver.problem is not None)
        return self.is_online and self.driver.problem is None

    def run(self, for_ms: int, until: Callable[[], bool] = lambda: False) -> bool:
        """Lets board and driver talk for so long, or until something is so; whether it is."""
        end_ms = self.clock.now_ms() + for_ms
        while not (is_so := until()) and (left_ms := end_ms - self.clock.now_ms()) > 0:
            due = self.driver.deadline_ms()
            wait_ms = READ_MS if due is None else max(0, min(READ_MS, due - self.clock.now_ms()))
            data = self.port.read(min(wait_ms, left_ms))
            now_ms = self.clock.now_ms()
            if data:
                self.heard_bytes += len(data)
                self.take(self.driver.receive(data, now_ms))
            due = self.driver.deadline_ms()
            if due is not None and due <= now_ms:
                self.take(self.driver.tick(now_ms))
        return is_so

    def show(self, cues: Cues) -> None:
        """Lights these squares and no others, where the board has lamps."""
        self.take(self.driver.show(cues, self.clock.now_ms()))

    def take(self, output: Output) -> None:
        """Takes what the driver gives: views and presses to keep, bytes for the board."""
        if output.online is not None:
            self.is_online = output.online
        if output.stopped is not None:
            self.is_stopped = output.stopped
        self.views += output.views
        self.pressed += output.pressed
        if output.send:
            self.port.write(output.send)
            if isinstance(self.driver, OneOfMany):
                self.driver.sent(self.clock.now_ms())
