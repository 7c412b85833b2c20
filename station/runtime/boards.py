"""A worker for each board: owns its port and driver, turns bytes into events and cues into bytes."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import threading
import traceback
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.position import Piece
from engine.rules import rules_for
from engine.ruleset import Ruleset
from firmware_bridge import boards
from firmware_bridge.driver import Calibration, ClockTimes, Counters, Cues, Device, Output
from firmware_bridge.errors import PortLost
from firmware_bridge.serial_port import SerialPort
from station.announcements import Moved
from station.calibrating import corrected, fixed_turn
from station.config import BoardTable
from station.effects import Announce, Show
from station.errors import ConfigError
from station.events import DeviceLost, Event, HandSeen
from station.ports import BoardDriver, Dimmer, Historian, Learner, LineTurns, OneOfMany, Port, Speaker, Timekeeper
from station.runtime.desk import clock_told, events_of, looked_for, spoken
from station.runtime.known_boards import KnownBoards
from station.runtime.loop import Loop, Outcome
from station.runtime.mailbox import Latest
from station.runtime.places import Places
from station.runtime.shared_lines import SharedLines

if TYPE_CHECKING:
    from station.runtime.album import Album

BOARDS = tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(boards.__path__)))
"""The drivers that come with the program."""
OWN = {"camera": "station.runtime.camera_driver"}
"""Drivers that come with the program and need more than a wire."""
REOPEN_S = 1.0
"""How long a worker waits before it looks for a lost port again."""
SILENT_MS = 6_000
"""A port at which no board answers for so long is closed and opened again: some adapters wake up only then."""
DIM_MS = 5_000
"""How often it is looked at whether the night has begun or ended."""
READ_MS = 50
"""How long it waits for bytes before it looks into its mailbox."""


def driver_class(name: str) -> type[BoardDriver]:
    """The driver of a name: a module of `firmware_bridge.boards`, or a foreign module's dotted name."""
    try:
        own = name.replace("-", "_")
        place = OWN.get(name, f"firmware_bridge.boards.{own}")
        module = importlib.import_module(name if "." in name else place)
        driver: type[BoardDriver] = module.Driver
    except (ImportError, AttributeError, TypeError, ValueError, SyntaxError) as error:
        if name in OWN:
            raise ConfigError(f"driver = {name!r}: {error}: pip install 'dambord[vision]'") from error
        raise ConfigError(
            f"driver = {name!r}: expected {', '.join(sorted((*BOARDS, *OWN)))} or a module with a class Driver: {error}"
        ) from error
    return driver


def misfit(driver: str, ruleset: Ruleset) -> str | None:
    """Why no board of a driver's kind has the size of a variant, in one sentence; None when there may be one."""
    size = (ruleset.columns, ruleset.rows)
    sizes: tuple[tuple[int, int], ...] = getattr(driver_class(driver), "sizes", ())
    if not sizes or size in sizes:
        return None
    expected = " or ".join(f"{columns}x{rows}" for columns, rows in sizes)
    return (
        f"variant = {ruleset.name!r}: found a board of {size[0]}x{size[1]}, expected {expected}: "
        f"boards with driver {driver!r} have no other size"
    )


def line_turns(driver: str) -> type[LineTurns] | None:
    """How boards with a driver share a line; None where each has a port of its own."""
    return getattr(driver_class(driver), "turns", None)


def called(driver: BoardDriver, table: BoardTable) -> BoardDriver:
    """The driver, told which board it is at where several may be on its line; ConfigError where that is none."""
    if table.unique_id and isinstance(driver, OneOfMany):
        try:
            driver.call(table.unique_id)
        except ValueError as error:
            raise ConfigError(str(error)) from error
    return driver


class BoardWorker:
    """One thread for one board. A port that is lost is looked for until it is back."""

    def __init__(
        self,
        table: BoardTable,
        loop: Loop,
        places: Places,
        shelf: KnownBoards | None = None,
        album: Album | None = None,
        lines: SharedLines | None = None,
    ) -> None:
        self._table, self._loop, self._places = table, loop, places
        self._lines = lines or SharedLines()
        """The ports at which several boards of this station are."""
        self._shelf = shelf
        """Where that which drivers learn of their boards is kept."""
        self._album = album
        """The same for a board under a camera, and its pictures; None for others."""
        self._calibration = Calibration()
        """What was learned of the board that answers."""
        self._met: Device | None = None
        """The board that answered last."""
        self._driver = self._new_driver()
        self._reopened = 0
        self._silent_since_ms: int | None = 0
        """Since when no board has answered at the open port; None while one does."""
        self._heard_bytes = 0
        self._dim_due_ms = 0
        self._cues: Latest[Cues] = Latest()
        self._unclear: Latest[tuple[Piece, ...]] = Latest()
        """The game's position, where it is not known what was done on the board since it stood there."""
        self._is_hand = self._told_hand = self._hides_hands = False
        """Whether the board sees a hand, whether the session knows, and whether what is seen may be the arm itself."""
        self._words: Latest[str] = Latest()
        """What a display at the board is to show."""
        self._spoken = ""
        self._times: Latest[tuple[ClockTimes | None, int]] = Latest()
        """What a clock at the board is to show, and when that was so."""
        self._told_times: tuple[ClockTimes, int] | None = None
        self._lit: Cues = ()
        """What the driver was last told to light."""
        self.turned_ms = 0
        """When the worker last came round: one that is stuck in a port does not."""
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"board {table.id}", daemon=True)
        self._said = ""
        self._learned: Calibration | None = None

    @property
    def id(self) -> str:
        """The board's name."""
        return self._table.id

    def counters(self) -> Counters:
        """Traffic and faults so far; from any thread."""
        return replace(self._driver.counters, reopened=self._reopened)

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
        if outcome.board != self._table.id:
            return
        for effect in outcome.effects if self._table.lamps else ():
            if isinstance(effect, Show):
                self._cues.put(effect.cues)
        arm = outcome.session.arm
        self._hides_hands = arm is not None and arm.hides_hands
        if (words := spoken(outcome.session)) != self._spoken:
            self._spoken = words
            self._words.put(words)
        if (times := clock_told(outcome.session)) != self._told_times:
            self._told_times = times
            self._times.put(times or (None, outcome.session.at_ms))
        moved = (
            effect for effect in outcome.effects if isinstance(effect, Announce) and isinstance(effect.what, Moved)
        )
        if self._album is not None and any(moved):
            self._album.teach(outcome.session.game.position.contents)
        position = looked_for(outcome.session)
        if position is not None:
            self._unclear.put(position)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self.turned_ms = self._loop.clock.now_ms()
            try:
                with closing(self._open()) as port:
                    self._serve(port)
            except PortLost as lost:
                self._lose(str(lost))
            except Exception as error:
                traceback.print_exc()
                self._lose(f"the driver {self._table.driver} failed: {error!r}")
            self._stopped.wait(REOPEN_S)

    def _new_driver(self) -> BoardDriver:
        ruleset = self._table.ruleset
        kind, home = driver_class(self._table.driver), rules_for(ruleset).start().contents
        if self._turned is None:
            driver = kind(ruleset.geometry, home)
        else:
            driver = kind(ruleset.geometry, home, turned=self._turned)
        called(driver, self._table)
        if self._album is not None:
            self._album.open(driver)
        if isinstance(driver, Learner) and self._shelf is not None:
            for unique_id, known in self._shelf.all().items():
                # A board without a number of its own is known by its table.
                driver.recall("" if unique_id == self._table.id else unique_id, known)
        return driver

    @property
    def _turned(self) -> int | None:
        """How the board lies, as the configuration has it, else as it was learned of this board."""
        if self._table.turned is not None:
            return self._table.turned
        return fixed_turn(self._calibration, self._met)

    def _is_another_way_round(self) -> bool:
        """Takes what is known of the board that answers; whether it lies otherwise than its driver was told."""
        before, device = self._turned, self._driver.device
        self._met = device
        if self._shelf is not None and device is not None:
            self._calibration = self._shelf.of(device.unique_id or self._table.id)
        return self._turned != before

    def _open(self) -> Port:
        if self._table.pins is not None:
            from firmware_bridge.gpio import GpioPort

            return GpioPort(self._table.pins)
        if self._album is not None:
            return self._album.port(self._table.port)
        faults: list[PortLost] = []
        turns = line_turns(self._table.driver)
        for path in self._places.paths(self._table):
            try:
                if turns is not None:
                    return self._lines.open(path, self._driver.baud, turns)
                return SerialPort(path, self._driver.baud)
            except PortLost as lost:
                faults.append(lost)
        raise faults[0]

    def _lose(self, reason: str) -> None:
        if reason != self._said:
            self._said = reason
            self._post(DeviceLost(self._loop.clock.now_ms(), reason))

    def _serve(self, port: Port) -> None:
        self._silent_since_ms, self._heard_bytes = self._loop.clock.now_ms(), 0
        cues = self._cues.take()
        if cues is not None:
            # What changed while nobody was there is lit when the board answers, not what was lit before.
            self._lit = cues
            self._driver.show(cues, self._silent_since_ms)
        self._carry(self._driver.start(self._silent_since_ms), port)
        self._set_clock(self._told_times, port)
        while not self._stopped.is_set():
            data = port.read(self._wait_ms())
            self.turned_ms = now_ms = self._loop.clock.now_ms()
            if data:
                self._heard_bytes += len(data)
                self._carry(self._driver.receive(data, now_ms), port)
                if self._album is not None:
                    self._carry(self._album.turn(self._driver, data, now_ms), port)
            deadline = self._driver.deadline_ms()
            if deadline is not None and deadline <= now_ms:
                self._carry(self._driver.tick(now_ms), port)
            cues = self._cues.take()
            if cues is not None:
                self._lit = cues
                self._carry(self._driver.show(cues, now_ms), port)
            words = self._words.take()
            if words is not None and isinstance(self._driver, Speaker):
                self._carry(self._driver.say(words, now_ms), port)
            times = self._times.take()
            self._set_clock(times, port)
            position = self._unclear.take()
            if position is not None and isinstance(self._driver, Historian):
                self._carry(self._driver.recollect(position, now_ms), port)
            self._dim(now_ms, port)
            self._mind_hand(now_ms)
            self._report_problem(now_ms)
            self._mind_silence(now_ms, port)

    def _wait_ms(self) -> int:
        deadline = self._driver.deadline_ms()
        return READ_MS if deadline is None else max(0, min(READ_MS, deadline - self._loop.clock.now_ms()))

    def _mind_hand(self, now_ms: int) -> None:
        """Tell of a hand that comes or goes; an arm over the board is none."""
        is_seen = self._is_hand and not self._hides_hands
        if is_seen is not self._told_hand:
            self._told_hand = is_seen
            self._post(HandSeen(now_ms, is_seen))

    def _report_problem(self, now_ms: int) -> None:
        problem = self._driver.problem or ""
        if problem and problem != self._said:
            self._said = problem
            self._post(DeviceLost(now_ms, problem))

    def _dim(self, now_ms: int, port: Port) -> None:
        """Have the lamps as bright as they are to be at this time of day."""
        if now_ms < self._dim_due_ms:
            return
        self._dim_due_ms = now_ms + DIM_MS
        if isinstance(self._driver, Dimmer):
            self._carry(self._driver.dim(self._table.brightness_at(self._loop.clock.minute_of_day()), now_ms), port)

    def _mind_silence(self, now_ms: int, port: Port) -> None:
        """Give up a port at which no board has answered for long; it is opened again, and that is counted."""
        since_ms = self._silent_since_ms
        if since_ms is None or self._driver.problem or now_ms < since_ms + SILENT_MS:
            return
        self._reopened += 1
        self._places.meet(port.path, None, self._table)
        found = f"{self._heard_bytes} bytes that no such board sends" if self._heard_bytes else "silence"
        raise PortLost(port.path, f"expected a board with driver {self._table.driver!r}, found {found}")

    def _note_online(self, is_online: bool, port: Port) -> None:
        """Take note of whether the board answers; PortLost when it is not the one that is wanted here."""
        self._silent_since_ms = None if is_online else self._loop.clock.now_ms()
        self._heard_bytes = 0
        if not is_online:
            return
        wanted = self._table.unique_id
        found = self._driver.device.unique_id if self._driver.device else ""
        self._places.meet(port.path, found, self._table)
        if wanted and found != wanted:
            self._driver = self._new_driver()
            raise PortLost(port.path, f"found the board with the id {found or 'unknown'}, expected {wanted}")
        self._said = ""

    def _carry(self, output: Output, port: Port) -> None:
        if output.online is not None:
            self._note_online(output.online, port)
        if output.hand is not None:
            self._is_hand = output.hand
            self._mind_hand(self._loop.clock.now_ms())
        if output.online and self._is_another_way_round():
            self._begin_again(port)
            return
        if output.send:
            port.write(output.send)
            if isinstance(self._driver, OneOfMany):
                self._driver.sent(self._loop.clock.now_ms())
        geometry, turned = self._table.ruleset.geometry, self._turned or 0
        views = tuple(corrected(view, self._calibration, geometry, turned) for view in output.views)
        if output.views:
            self._keep_learned()
        for event in events_of(replace(output, views=views), self._driver, self._loop.clock.now_ms()):
            self._post(event)

    def _keep_learned(self) -> None:
        """Write down what the driver has learned of its board, if that is new."""
        driver, device = self._driver, self._driver.device
        if not isinstance(driver, Learner) or self._shelf is None or device is None:
            return
        learned, unique_id = driver.learned, device.unique_id or self._table.id
        if learned is None or learned == self._learned:
            return
        self._learned, known = learned, self._shelf.of(unique_id)
        now = replace(known, pieces=learned.pieces, lay=learned.lay)
        if now != known:
            try:
                self._shelf.keep(unique_id, now)
            except OSError as error:  # a full disk ends no game
                print(f"{self._shelf.path(unique_id)}: not kept: {error.strerror}", file=sys.stderr)

    def _begin_again(self, port: Port) -> None:
        """Speaks with the board anew, by a driver that knows how it lies."""
        now_ms = self._loop.clock.now_ms()
        self._driver, self._dim_due_ms = self._new_driver(), 0
        self._driver.show(self._lit, now_ms)
        self._carry(self._driver.start(now_ms), port)
        self._set_clock(self._told_times, port)

    def _set_clock(self, times: tuple[ClockTimes | None, int] | None, port: Port) -> None:
        """Has a clock at the board show the game's times."""
        if times is not None and isinstance(self._driver, Timekeeper):
            self._carry(self._driver.set_clock(*times, self._loop.clock.now_ms()), port)

    def _post(self, event: Event) -> None:
        self._loop.post(self._table.id, event)
